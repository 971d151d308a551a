#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

// A signal handler can reach nothing but this.
static volatile sig_atomic_t stop_requested = 0;

static void request_stop(int number)
{
    (void)number;
    stop_requested = 1;
}

static void answer_with(void (*handler)(int))
{
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = handler;
    action.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        // A signal that the caller ignores (nohup, background job) stays ignored.
        struct sigaction old;
        if (sigaction(asking[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(asking[i], &action, NULL);
    }
}

void cli_interrupt_install(void)
{
    answer_with(request_stop);
    cli_write_signals_ignore();
}

void cli_interrupt_pause(void)
{
    fflush(stdout);
    answer_with(SIG_DFL);
}

void cli_write_signals_ignore(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool cli_interrupted(void)
{
    return stop_requested != 0;
}
