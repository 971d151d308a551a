// A library to preload that makes one call of a program fail, for cli.faults. Environment:
//   FAULT_CALL    malloc, read, write, short, fsync, truncate, rename, unlink, mkdir, open, close or cut;
//                 count: nothing fails, all are counted
//   FAULT_AT      which of these calls, from 1
//   FAULT_ALWAYS  1: all later ones fail too, as on a full disk
//   FAULT_CALLER  any: memory of all libraries; without it only of those that outlive a refusal: HDF5, cairo,
//                 fontconfig and some of libc have reads of NULL and recursions without end in their own code
//   FAULT_REPORT  file that gets lines "KIND NUMBER of calls" when a counted program ends
// "short" writes half of the bytes, "cut" kills the process before a call that changes a file.
//
// The C library writes its streams without a call that another library could replace. So system calls
// are caught in the kernel: a seccomp filter raises SIGSYS for those of interest, and the handler
// either gives the error or makes the call itself, through syscall(), which the filter lets pass.
// Standard error is never touched: the message must be seen.
#define _GNU_SOURCE // registers of a signal context
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARGUMENT(context, i) ((context)->uc_mcontext.gregs[argument_register[i]])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
static const int argument_register[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
#elif defined(__aarch64__)
#define ARGUMENT(context, i) ((context)->uc_mcontext.regs[i])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#else
#error "the registers of this processor are not known"
#endif

// ---- What fails ----

typedef struct system_call {
    const char *kind;
    long number;
    int error;
    bool changes_file; // counts for "cut"
} system_call;

static const system_call table[] = {
    {"read", SYS_read, EIO, false},         {"read", SYS_pread64, EIO, false},
    {"write", SYS_write, ENOSPC, true},     {"write", SYS_pwrite64, ENOSPC, true},
    {"write", SYS_writev, ENOSPC, true},    {"fsync", SYS_fsync, EIO, true},
    {"fsync", SYS_fdatasync, EIO, true},    {"truncate", SYS_ftruncate, ENOSPC, true},
    {"open", SYS_openat, EMFILE, true},     {"close", SYS_close, EIO, true},
    {"rename", SYS_renameat, EACCES, true}, {"rename", SYS_renameat2, EACCES, true},
    {"unlink", SYS_unlinkat, EACCES, true}, {"mkdir", SYS_mkdirat, ENOSPC, true},
#ifdef SYS_open // the older calls, which some machines no longer have
    {"open", SYS_open, EMFILE, true},       {"rename", SYS_rename, EACCES, true},
    {"unlink", SYS_unlink, EACCES, true},   {"mkdir", SYS_mkdir, ENOSPC, true},
#endif
};
enum { TABLE_SIZE = sizeof table / sizeof *table };

static const char *kind = "";
static bool of_memory, is_short, is_cut, is_counted, always;
static long fail_at, count, memory_calls, system_calls[TABLE_SIZE];
static int report = -1;

static bool is_due(void)
{
    const long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return fail_at > 0 && (n == fail_at || (always && n > fail_at));
}

static bool is_meant(const system_call *call)
{
    if (is_cut)
        return call->changes_file;
    return is_counted || strcmp(call->kind, is_short ? "write" : kind) == 0;
}

// ---- System calls ----

static long make_call(long number, const long *a)
{
    const long result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result == -1 ? -errno : result;
}

static long answer(const system_call *call, long *a)
{
    const bool on_descriptor = strcmp(call->kind, "read") == 0 ||
                               strcmp(call->kind, "write") == 0 || strcmp(call->kind, "close") == 0;
    if (on_descriptor && (a[0] == STDERR_FILENO || a[0] == report))
        return make_call(call->number, a);
    system_calls[call - table]++;
    if (!is_due())
        return make_call(call->number, a);
    if (is_cut)
        kill(getpid(), SIGKILL);
    if (is_short && call->number != SYS_writev && a[2] > 1) {
        a[2] /= 2;
        return make_call(call->number, a);
    }
    if (is_short)
        return make_call(call->number, a);
    if (strcmp(call->kind, "close") == 0)
        (void)make_call(call->number, a); // the descriptor is gone all the same
    return -call->error;
}

static void on_system_call(int signal_number, siginfo_t *info, void *user)
{
    (void)signal_number;
    ucontext_t *context = user;
    const int old = errno;
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (table[i].number != info->si_syscall)
            continue;
        long a[6];
        for (int k = 0; k < 6; k++)
            a[k] = (long)ARGUMENT(context, k);
        RESULT(context) = answer(&table[i], a);
        break;
    }
    errno = old;
}

// Traps the calls that are meant, but not those that syscall() makes.
static bool install_filter(void)
{
    enum { CALLER_BYTES = 64 }; // more than syscall() has
    struct sock_filter code[TABLE_SIZE + 16];
    unsigned short n = 0;
    const uintptr_t caller = (uintptr_t)dlsym(RTLD_NEXT, "syscall");
    const uint32_t low = (uint32_t)caller, high = (uint32_t)((uint64_t)caller >> 32);
    const uint32_t place = offsetof(struct seccomp_data, instruction_pointer);
    if (low > UINT32_MAX - CALLER_BYTES)
        return false;
    int meant = 0;
    for (int i = 0; i < TABLE_SIZE; i++)
        meant += is_meant(&table[i]);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place + 4);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 4);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, low, 0, 2);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, low + CALLER_BYTES, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, nr));
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (!is_meant(&table[i]))
            continue;
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                 (uint32_t)table[i].number, (uint8_t)meant, 0);
        meant--;
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = n, .filter = code};
    struct sigaction action = {.sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// ---- Memory ----

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Where calls come from that may be refused.
static struct {
    uintptr_t begin, end;
} callers[16];
static int n_callers;
static bool any_caller;

static int note_caller(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char *const robust[] = {"libyaml", "libklu",    "libamd",
                                         "libbtf",  "libcolamd", "libsuitesparse"};
    (void)size, (void)user;
    bool is_meant = !*info->dlpi_name; // the program
    for (size_t i = 0; i < sizeof robust / sizeof *robust; i++)
        is_meant = is_meant || strstr(info->dlpi_name, robust[i]);
    for (int i = 0; is_meant && i < info->dlpi_phnum && n_callers < 16; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        callers[n_callers].begin = info->dlpi_addr + part->p_vaddr;
        callers[n_callers++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

static bool refuses(const void *caller)
{
    const uintptr_t place = (uintptr_t)caller;
    bool is_meant = any_caller;
    for (int i = 0; of_memory && i < n_callers; i++)
        is_meant = is_meant || (place >= callers[i].begin && place < callers[i].end);
    if (!of_memory || !is_meant)
        return false;
    __atomic_add_fetch(&memory_calls, 1, __ATOMIC_RELAXED);
    if (!is_due())
        return false;
    errno = ENOMEM;
    return true;
}

#define REFUSES() refuses(__builtin_return_address(0))

void *malloc(size_t size)
{
    return REFUSES() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return REFUSES() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    return REFUSES() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return REFUSES() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = REFUSES() ? NULL : __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

// ---- Begin and end ----

// Preloaded libraries are made ready after those they stand before: counting begins at main().
__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"),
               *path = getenv("FAULT_REPORT");
    if (!text)
        return;
    kind = text;
    fail_at = at ? strtol(at, NULL, 10) : 0;
    always = getenv("FAULT_ALWAYS") != NULL;
    is_short = strcmp(kind, "short") == 0;
    is_cut = strcmp(kind, "cut") == 0;
    is_counted = strcmp(kind, "count") == 0;
    if (path)
        report = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    unsetenv("LD_PRELOAD"); // children run as they are
    if (strcmp(kind, "malloc") != 0 && !install_filter()) {
        static const char words[] = "fault_shim: no seccomp filter\n";
        (void)!write(STDERR_FILENO, words, sizeof words - 1);
        _exit(77);
    }
    any_caller = getenv("FAULT_CALLER") != NULL;
    (void)dl_iterate_phdr(note_caller, NULL);
    of_memory = is_counted || strcmp(kind, "malloc") == 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[64];
    of_memory = is_counted = false;
    if (report < 0)
        return;
    int length = snprintf(text, sizeof text, "malloc %ld\n", memory_calls);
    (void)!write(report, text, (size_t)length);
    for (int i = 0; i < TABLE_SIZE; i++) {
        length = snprintf(text, sizeof text, "%s %ld\n", table[i].kind, system_calls[i]);
        (void)!write(report, text, (size_t)length);
    }
}
