#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double UPDATE_INTERVAL = 0.1; // s: the eye follows, the terminal is not flooded

// The terminal has one cursor, so this is one flag for the program: an unfinished line is shown.
static bool line_is_shown = false;

double cli_wall_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_init(cli_progress *progress, bool quiet, double start, double end)
{
    *progress = (cli_progress){.quiet = quiet, .start = start, .end = end, .next_tenth = 1};
    progress->terminal = isatty(STDERR_FILENO) == 1;
    progress->clock_start = cli_wall_clock();
    progress->next_update = progress->clock_start + UPDATE_INTERVAL;
}

static void print_line(const cli_progress *progress, const pcs_simulation *simulation,
                       double fraction, double clock)
{
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    double time = pcs_simulation_time(simulation);
    double elapsed = clock - progress->clock_start;
    double factor = elapsed > 0 ? (time - progress->start) / elapsed : 0;
    fprintf(stderr, "%3.0f %%  t = %.6g s  %.3g x real time  contacts %d  residual %.1e",
            floor(100 * fraction + 1e-9), time, factor, (int)statistics->contacts_now,
            statistics->last_residual);
}

void cli_progress_update(cli_progress *progress, const pcs_simulation *simulation)
{
    if (progress->quiet)
        return;
    double length = progress->end - progress->start;
    double done = pcs_simulation_time(simulation) - progress->start;
    double fraction = length > 0 ? done / length : 1;
    if (progress->terminal) {
        double clock = cli_wall_clock();
        if (clock < progress->next_update)
            return;
        fputs("\r\033[K", stderr); // to the start of the line, erase it
        print_line(progress, simulation, fraction, clock);
        fflush(stderr);
        line_is_shown = true;
        progress->next_update = clock + UPDATE_INTERVAL;
    } else if (10 * fraction >= progress->next_tenth - 1e-9) { // rounding of t/end
        fputs("percuss: ", stderr);
        print_line(progress, simulation, fraction, cli_wall_clock());
        putc('\n', stderr);
        progress->next_tenth = 1 + (int)floor(10 * fraction + 1e-9);
    }
}

void cli_progress_clear(void)
{
    if (line_is_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        line_is_shown = false;
    }
}
