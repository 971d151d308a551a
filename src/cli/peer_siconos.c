// Siconos' numerics library on our problems. A problem goes over as a text file in Siconos' own
// format; a global one also in its reduced form W = H^T M^-1 H, for the local solvers. Every run
// starts from zero on a fresh copy, since solvers leave factorisations in the matrices. Settings
// are the library's defaults with the given tolerance and as many iterations as it takes.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "peer.h"

#include <stddef.h>

#ifdef PERCUSS_HAVE_SICONOS

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <fc2d_Solvers.h>
#include <fc3d_Solvers.h>
#include <gfc3d_Solvers.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>

#include "interrupt.h"
#include "message.h"

enum {
    ITERATIONS = 100000000,    // the time limit ends a run, not this
    INNER_ITERATIONS = 100000, // of the Gauss-Seidel solver inside the proximal one
    ENUMERATION_ROWS = 16,     // 2^16 cases end within the time limits in use
    ENUMERATION_CONTACTS = 2,  // Siconos 4.4 fails with more
    DENSE_CONTACTS = 60,       // with more, its dense factorisations are the slower ones
    MEMORY_LIMIT_GB = 6        // for a child: the Newton solvers of 4.4 lose memory as they go
};
static const double LOCAL_TOLERANCE = 1e-14; // of the one-contact solvers, Siconos' own setting

typedef enum form { FORM_LCP, FORM_MLCP, FORM_PLANAR, FORM_SPATIAL, FORM_GLOBAL } form;

typedef enum variant {
    PLAIN,
    FULL_ERROR,       // the true error after each sweep instead of the increment
    LOCAL_PROJECTION, // one-contact solver: projection with iteration
    BALANCED,         // penalty by residual balancing
    OVER_NSGS         // proximal point around Gauss-Seidel instead of Newton
} variant;

typedef struct solver {
    const char *name;
    form form;
    int id;
    variant variant;
    int32_t largest; // contacts, 0: no limit
    bool dense;      // storage of W; otherwise by blocks
} solver;

static const solver solvers[] = {
    {"NSGS", FORM_SPATIAL, SICONOS_FRICTION_3D_NSGS, PLAIN, 0, false},
    {"NSGS-FULL", FORM_SPATIAL, SICONOS_FRICTION_3D_NSGS, FULL_ERROR, 0, false},
    {"NSGS-PLI", FORM_SPATIAL, SICONOS_FRICTION_3D_NSGS, LOCAL_PROJECTION, 0, false},
    {"NSN_AC", FORM_SPATIAL, SICONOS_FRICTION_3D_NSN_AC, PLAIN, 0, false},
    {"NSN_FB", FORM_SPATIAL, SICONOS_FRICTION_3D_NSN_FB, PLAIN, 0, false},
    {"ADMM", FORM_SPATIAL, SICONOS_FRICTION_3D_ADMM, PLAIN, 0, false},
    {"ADMM-RB", FORM_SPATIAL, SICONOS_FRICTION_3D_ADMM, BALANCED, 0, false},
    {"PROX", FORM_SPATIAL, SICONOS_FRICTION_3D_PROX, PLAIN, 0, false},
    {"PROX-NSGS", FORM_SPATIAL, SICONOS_FRICTION_3D_PROX, OVER_NSGS, 0, false},
    {"VI_EG", FORM_SPATIAL, SICONOS_FRICTION_3D_VI_EG, PLAIN, 0, false},
    {"VI_FPP", FORM_SPATIAL, SICONOS_FRICTION_3D_VI_FPP, PLAIN, 0, false},
    {"NSN_AC-D", FORM_SPATIAL, SICONOS_FRICTION_3D_NSN_AC, PLAIN, DENSE_CONTACTS, true},
    {"NSN_FB-D", FORM_SPATIAL, SICONOS_FRICTION_3D_NSN_FB, PLAIN, DENSE_CONTACTS, true},
    {"ADMM-D", FORM_SPATIAL, SICONOS_FRICTION_3D_ADMM, PLAIN, DENSE_CONTACTS, true},
    {"ADMM-RB-D", FORM_SPATIAL, SICONOS_FRICTION_3D_ADMM, BALANCED, DENSE_CONTACTS, true},
    {"PROX-D", FORM_SPATIAL, SICONOS_FRICTION_3D_PROX, PLAIN, DENSE_CONTACTS, true},
    {"NSGS", FORM_PLANAR, SICONOS_FRICTION_2D_NSGS, PLAIN, 0, false},
    {"CPG", FORM_PLANAR, SICONOS_FRICTION_2D_CPG, PLAIN, 0, false},
    {"LEMKE", FORM_PLANAR, SICONOS_FRICTION_2D_LEMKE, PLAIN, 0, false},
    {"ENUM", FORM_PLANAR, SICONOS_FRICTION_2D_ENUM, PLAIN, ENUMERATION_CONTACTS, false},
    {"G-ADMM", FORM_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_ADMM, PLAIN, 0, false},
    {"G-ADMM-RB", FORM_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_ADMM, BALANCED, 0, false},
    {"G-NSGS_WR", FORM_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, PLAIN, 0, false},
    {"G-PROX_WR", FORM_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_PROX_WR, PLAIN, 0, false},
    {"G-NSN_AC_WR", FORM_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, PLAIN, 0, false},
    {"LEMKE", FORM_LCP, SICONOS_LCP_LEMKE, PLAIN, 0, false},
    {"PIVOT", FORM_LCP, SICONOS_LCP_PIVOT, PLAIN, 0, false},
    {"NEWTON_MIN", FORM_LCP, SICONOS_LCP_NEWTON_MIN_FBLSA, PLAIN, 0, false},
    {"NEWTON_FB", FORM_LCP, SICONOS_LCP_NEWTON_FB_FBLSA, PLAIN, 0, false},
    {"ENUM", FORM_LCP, SICONOS_LCP_ENUM, PLAIN, ENUMERATION_ROWS, false},
    {"FB", FORM_MLCP, SICONOS_MLCP_FB, PLAIN, 0, false},
    {"LCP_LEMKE", FORM_MLCP, SICONOS_MLCP_LCP_LEMKE, PLAIN, 0, false},
    {"ENUM", FORM_MLCP, SICONOS_MLCP_ENUM, PLAIN, ENUMERATION_ROWS, false},
};
enum { SOLVER_COUNT = sizeof solvers / sizeof *solvers };

struct cli_peer {
    pcs_problem_class problem_class;
    int32_t dimension, contacts, rows, dofs;
    double reduction_seconds; // global problems: what the reduced form cost
    LinearComplementarityProblem *lcp;
    MixedLinearComplementarityProblem *mlcp;
    FrictionContactProblem *local; // also the reduced form of a global problem
    FrictionContactProblem *dense; // the same with dense storage, for few contacts
    GlobalFrictionContactProblem *global;
    double *u, *v; // what the drivers want beside r
    int null;      // /dev/null
};

const char *cli_peer_name(void)
{
    return "Siconos";
}

// ---- Solvers for a class ----

static bool fits(const solver *s, pcs_problem_class problem_class, int32_t dimension)
{
    switch (s->form) {
    case FORM_LCP:
        return problem_class == PCS_PROBLEM_LCP;
    case FORM_MLCP:
        return problem_class == PCS_PROBLEM_MLCP;
    case FORM_GLOBAL:
        return problem_class == PCS_PROBLEM_GLOBAL && dimension == 3;
    default:
        return (problem_class == PCS_PROBLEM_LOCAL || problem_class == PCS_PROBLEM_GLOBAL) &&
               dimension == (s->form == FORM_SPATIAL ? 3 : 2);
    }
}

static const solver *find_solver(pcs_problem_class problem_class, int32_t dimension, int32_t i)
{
    for (int k = 0; k < SOLVER_COUNT; k++) {
        if (fits(&solvers[k], problem_class, dimension) && i-- == 0)
            return &solvers[k];
    }
    return NULL;
}

const char *cli_peer_solver(pcs_problem_class problem_class, int32_t dimension, int32_t i)
{
    const solver *s = find_solver(problem_class, dimension, i);
    return s ? s->name : NULL;
}

// ---- Silence ----

// Siconos prints at will; meanwhile both streams go nowhere.
typedef struct silence {
    int out, err;
} silence;

static silence silence_begin(int null)
{
    fflush(stdout);
    fflush(stderr);
    silence s = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    return s;
}

static void silence_end(silence s)
{
    fflush(stdout); // what Siconos left in the buffer
    fflush(stderr);
    dup2(s.out, STDOUT_FILENO);
    dup2(s.err, STDERR_FILENO);
    close(s.out);
    close(s.err);
}

// ---- Conversion ----

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double *copy_part(const MixedLinearComplementarityProblem *mlcp, int row, int column,
                         int rows, int columns)
{
    int size = mlcp->n + mlcp->m;
    double *part = malloc(((size_t)rows * (size_t)columns + 1) * sizeof *part);
    for (int j = 0; part && j < columns; j++) {
        for (int i = 0; i < rows; i++)
            part[j * rows + i] = mlcp->M->matrix0[(column + j) * size + row + i];
    }
    return part;
}

// M = [A C; D B] and q = (a, b), by columns: some solvers read nothing else. Siconos' own function
// for it writes beyond its arrays. Left as it is unless the equalities come first.
static void split_matrix(MixedLinearComplementarityProblem *mlcp)
{
    int n = mlcp->n, m = mlcp->m;
    if (!mlcp->blocksRows || !mlcp->M || !mlcp->M->matrix0 || mlcp->blocksIsComp[0] != 0 ||
        mlcp->blocksRows[1] != n)
        return;
    mlcp->A = copy_part(mlcp, 0, 0, n, n);
    mlcp->B = copy_part(mlcp, n, n, m, m);
    mlcp->C = copy_part(mlcp, 0, n, n, m);
    mlcp->D = copy_part(mlcp, n, 0, m, n);
    mlcp->a = malloc(((size_t)n + 1) * sizeof *mlcp->a);
    mlcp->b = malloc(((size_t)m + 1) * sizeof *mlcp->b);
    if (!mlcp->A || !mlcp->B || !mlcp->C || !mlcp->D || !mlcp->a || !mlcp->b)
        return;
    memcpy(mlcp->a, mlcp->q, (size_t)n * sizeof *mlcp->a);
    memcpy(mlcp->b, mlcp->q + n, (size_t)m * sizeof *mlcp->b);
    mlcp->isStorageType2 = 1;
}

// Solvers that factorise are several times as fast with dense storage when contacts are few.
static FrictionContactProblem *copy_dense(FrictionContactProblem *local)
{
    FrictionContactProblem *copy = frictionContact_copy(local);
    NumericsMatrix *M = NM_create(NM_DENSE, local->M->size0, local->M->size1);
    NM_to_dense(local->M, M);
    NM_clear(copy->M);
    free(copy->M);
    copy->M = M;
    return copy;
}

static bool read_file(cli_peer *peer, pcs_problem_class problem_class, const char *path)
{
    silence quiet = silence_begin(peer->null);
    switch (problem_class) {
    case PCS_PROBLEM_LCP:
        peer->lcp = newLCP();
        linearComplementarity_newFromFilename(peer->lcp, path);
        break;
    case PCS_PROBLEM_MLCP:
        peer->mlcp = mixedLinearComplementarity_new();
        mixedLinearComplementarity_newFromFilename(peer->mlcp, path);
        split_matrix(peer->mlcp);
        break;
    case PCS_PROBLEM_LOCAL:
        peer->local = frictionContact_new_from_filename(path);
        if (peer->local && peer->dimension == 3 && peer->contacts <= DENSE_CONTACTS)
            peer->dense = copy_dense(peer->local);
        break;
    case PCS_PROBLEM_GLOBAL:
        peer->global = globalFrictionContact_new_from_filename(path);
        break;
    }
    silence_end(quiet);
    return peer->lcp || peer->mlcp || peer->local || peer->global;
}

static bool hand_over(cli_peer *peer, const pcs_problem *problem)
{
    char folder[] = "/tmp/percuss-XXXXXX", path[sizeof folder + sizeof "/problem.dat"];
    if (!mkdtemp(folder)) {
        cli_message("cannot make a folder under /tmp: %s", strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/problem.dat", folder);
    bool ok = pcs_problem_write(problem, path, PCS_PROBLEM_TEXT, NULL) == PCS_OK &&
              read_file(peer, pcs_problem_get_class(problem), path);
    unlink(path);
    rmdir(folder);
    return ok;
}

// The peer knows no planar global problems, and its local solvers are often the faster ones.
static bool hand_over_global(cli_peer *peer, const pcs_problem *problem)
{
    enum { REPEATS = 5 }; // the best counts, as for the solves
    pcs_problem *reduced = NULL;
    bool ok = true;
    peer->reduction_seconds = INFINITY;
    for (int k = 0; k < REPEATS && ok; k++) {
        pcs_problem_destroy(reduced);
        reduced = NULL;
        double start = seconds_now();
        ok = pcs_problem_reduce(problem, &reduced) == PCS_OK;
        peer->reduction_seconds = fmin(peer->reduction_seconds, seconds_now() - start);
    }
    ok = ok && hand_over(peer, reduced);
    pcs_problem_destroy(reduced);
    return peer->dimension == 2 ? ok : hand_over(peer, problem);
}

cli_peer *cli_peer_create(const char *name, const pcs_problem *problem)
{
    if (pcs_problem_get_class(problem) >= PCS_PROBLEM_LOCAL &&
        pcs_problem_bilateral_rows(problem) > 0) {
        cli_message("%s: Siconos' friction problems have no bilateral rows: left out", name);
        return NULL;
    }
    cli_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->problem_class = pcs_problem_get_class(problem);
    peer->dimension = pcs_problem_dimension(problem);
    peer->contacts = pcs_problem_contacts(problem);
    peer->rows = pcs_problem_rows(problem);
    peer->dofs = pcs_problem_dofs(problem);
    peer->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    peer->u = calloc((size_t)peer->rows + 1, sizeof *peer->u);
    peer->v = calloc((size_t)peer->dofs + 1, sizeof *peer->v);
    numerics_set_verbose(0);
    bool ok = peer->null >= 0 && peer->u && peer->v && peer->contacts > 0;
    ok = ok && (peer->problem_class == PCS_PROBLEM_GLOBAL ? hand_over_global(peer, problem)
                                                          : hand_over(peer, problem));
    if (ok)
        return peer;
    cli_message("%s: the problem cannot be handed to Siconos: left out", name);
    cli_peer_destroy(peer);
    return NULL;
}

void cli_peer_destroy(cli_peer *peer)
{
    if (!peer)
        return;
    if (peer->lcp)
        freeLinearComplementarityProblem(peer->lcp);
    if (peer->mlcp)
        mixedLinearComplementarity_free(peer->mlcp);
    if (peer->local)
        frictionContactProblem_free(peer->local);
    if (peer->dense)
        frictionContactProblem_free(peer->dense);
    if (peer->global)
        globalFrictionContact_free(peer->global);
    if (peer->null >= 0)
        close(peer->null);
    free(peer->u);
    free(peer->v);
    free(peer);
}

// ---- Solving ----

static SolverOptions *make_options(const solver *s, double tolerance)
{
    SolverOptions *options = solver_options_create(s->id);
    if (!options)
        return NULL;
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = ITERATIONS;
    if (s->variant == FULL_ERROR)
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
            SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    else if (s->variant == LOCAL_PROJECTION)
        solver_options_update_internal(
            options, 0, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
    else if (s->variant == BALANCED)
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
            SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
    else if (s->variant == OVER_NSGS) {
        solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_NSGS);
        options->internalSolvers[0]->iparam[SICONOS_IPARAM_MAX_ITER] = INNER_ITERATIONS;
    }
    if (s->id == SICONOS_FRICTION_3D_NSGS)
        options->internalSolvers[0]->dparam[SICONOS_DPARAM_TOL] = LOCAL_TOLERANCE;
    return options;
}

static double time_local(const cli_peer *peer, const solver *s, SolverOptions *options, double *r)
{
    FrictionContactProblem *copy = frictionContact_copy(s->dense ? peer->dense : peer->local);
    double start = seconds_now();
    if (s->form == FORM_SPATIAL)
        fc3d_driver(copy, r, peer->u, options);
    else
        fc2d_driver(copy, r, peer->u, options);
    double seconds = seconds_now() - start;
    frictionContactProblem_free(copy);
    return seconds + peer->reduction_seconds;
}

static double time_global(const cli_peer *peer, SolverOptions *options, double *r)
{
    GlobalFrictionContactProblem *copy = globalFrictionContact_copy(peer->global);
    double start = seconds_now();
    gfc3d_driver(copy, r, peer->u, peer->v, options);
    double seconds = seconds_now() - start;
    globalFrictionContact_free(copy);
    return seconds;
}

static double time_mlcp(const cli_peer *peer, SolverOptions *options, double *z)
{
    mlcp_driver_init(peer->mlcp, options);
    double start = seconds_now();
    mlcp_driver(peer->mlcp, z, peer->u, options);
    double seconds = seconds_now() - start;
    mlcp_driver_reset(peer->mlcp, options);
    return seconds;
}

static double time_lcp(const cli_peer *peer, SolverOptions *options, double *z)
{
    double start = seconds_now();
    linearComplementarity_driver(peer->lcp, z, peer->u, options);
    return seconds_now() - start;
}

void cli_peer_solve(cli_peer *peer, int32_t i, double tolerance, double *r, cli_peer_run *run)
{
    const solver *s = find_solver(peer->problem_class, peer->dimension, i);
    silence quiet = silence_begin(peer->null);
    SolverOptions *options = make_options(s, tolerance);
    memset(r, 0, (size_t)peer->rows * sizeof *r);
    memset(peer->u, 0, (size_t)peer->rows * sizeof *peer->u);
    memset(peer->v, 0, (size_t)peer->dofs * sizeof *peer->v);
    if (options) {
        run->seconds = s->form == FORM_LCP      ? time_lcp(peer, options, r)
                       : s->form == FORM_MLCP   ? time_mlcp(peer, options, r)
                       : s->form == FORM_GLOBAL ? time_global(peer, options, r)
                                                : time_local(peer, s, options, r);
        run->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
        solver_options_delete(options);
    }
    silence_end(quiet);
}

// ---- The child ----

// What the child leaves behind, in memory that both see; r follows.
typedef struct trace {
    bool ended;
    cli_peer_run run;
    double r[];
} trace;

// The address sanitizer needs an address space without limit.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // as gcc says it
#endif
#endif

static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit memory = {(rlim_t)MEMORY_LIMIT_GB << 30, (rlim_t)MEMORY_LIMIT_GB << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
}

static void run_child(cli_peer *peer, int32_t i, double tolerance, trace *shared)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
    struct rlimit no_core = {0, 0};
    for (size_t k = 0; k < sizeof deadly / sizeof *deadly; k++)
        signal(deadly[k], SIG_DFL);
    limit_memory();
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(peer->null, STDOUT_FILENO);
    dup2(peer->null, STDERR_FILENO);
    cli_peer_solve(peer, i, tolerance, shared->r, &shared->run);
    shared->ended = true;
    _exit(0);
}

// Waits for the child's end of the pipe to close; true if it did within the limit.
static bool wait_for_end(int pipe_end, double limit)
{
    double start = seconds_now(), left = limit;
    while (left > 0 && !cli_interrupted()) {
        struct pollfd watched = {.fd = pipe_end, .events = POLLIN};
        // Whole milliseconds, at least one, and a look at Ctrl-C now and then.
        int wait = left > 1 ? 1000 : (int)(1000 * left) + 1;
        if (poll(&watched, 1, wait) > 0)
            return true;
        left = limit - (seconds_now() - start);
    }
    return false;
}

static cli_peer_end watch_child(cli_peer *peer, int32_t i, double tolerance, double limit,
                                trace *shared)
{
    int ends[2];
    if (pipe(ends) != 0)
        return CLI_PEER_CRASHED;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(peer, i, tolerance, shared);
    }
    close(ends[1]);
    bool in_time = child > 0 && wait_for_end(ends[0], limit);
    if (child > 0 && !in_time)
        kill(child, SIGKILL);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    return shared->ended       ? CLI_PEER_ENDED
           : cli_interrupted() ? CLI_PEER_INTERRUPTED
           : in_time           ? CLI_PEER_CRASHED
                               : CLI_PEER_TIMEOUT;
}

cli_peer_end cli_peer_try(cli_peer *peer, int32_t i, double tolerance, double limit, double *r,
                          cli_peer_run *run)
{
    const solver *s = find_solver(peer->problem_class, peer->dimension, i);
    bool reduced = peer->problem_class == PCS_PROBLEM_GLOBAL && s && s->form != FORM_GLOBAL;
    if (!s || (s->largest > 0 && peer->contacts > s->largest) || (reduced && !peer->local) ||
        (s->id == SICONOS_MLCP_LCP_LEMKE && !peer->mlcp->isStorageType2))
        return CLI_PEER_UNFIT;
    size_t size = sizeof(trace) + (size_t)peer->rows * sizeof(double);
    trace *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return CLI_PEER_CRASHED;
    cli_peer_end end = watch_child(peer, i, tolerance, limit, shared);
    *run = shared->run;
    memcpy(r, shared->r, (size_t)peer->rows * sizeof *r);
    munmap(shared, size);
    return end;
}

#else // built without

const char *cli_peer_name(void)
{
    return NULL;
}

const char *cli_peer_solver(pcs_problem_class problem_class, int32_t dimension, int32_t i)
{
    (void)problem_class, (void)dimension, (void)i;
    return NULL;
}

cli_peer *cli_peer_create(const char *name, const pcs_problem *problem)
{
    (void)name, (void)problem;
    return NULL;
}

void cli_peer_destroy(cli_peer *peer)
{
    (void)peer;
}

cli_peer_end cli_peer_try(cli_peer *peer, int32_t i, double tolerance, double limit, double *r,
                          cli_peer_run *run)
{
    (void)peer, (void)i, (void)tolerance, (void)limit, (void)r, (void)run;
    return CLI_PEER_UNFIT;
}

void cli_peer_solve(cli_peer *peer, int32_t i, double tolerance, double *r, cli_peer_run *run)
{
    (void)peer, (void)i, (void)tolerance, (void)r, (void)run;
}

#endif
