#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_profile_init(cli_profile *profile, int32_t solvers_most, int32_t n_problems,
                      double tolerance)
{
    *profile = (cli_profile){.tolerance = tolerance, .n_problems = n_problems};
    size_t solvers = (size_t)solvers_most + 1; // none is not an error of memory
    profile->names = calloc(solvers, sizeof *profile->names);
    profile->ratio = calloc(solvers * (size_t)n_problems + 1, sizeof *profile->ratio);
    if (profile->names && profile->ratio)
        return true;
    cli_profile_free(profile);
    return false;
}

double *cli_profile_add(cli_profile *profile, const char *name)
{
    profile->names[profile->n_solvers] = name;
    return profile->ratio + (size_t)profile->n_solvers++ * (size_t)profile->n_problems;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void cli_profile_rate(cli_profile *profile)
{
    int32_t n = profile->n_problems;
    for (int32_t p = 0; p < n; p++) {
        double best = INFINITY;
        for (int32_t s = 0; s < profile->n_solvers; s++)
            best = fmin(best, profile->ratio[s * n + p]);
        for (int32_t s = 0; s < profile->n_solvers; s++) {
            double *t = &profile->ratio[s * n + p];
            *t = isfinite(*t) && best > 0 ? *t / best : isfinite(*t) ? 1 : INFINITY;
        }
    }
    for (int32_t s = 0; s < profile->n_solvers; s++)
        qsort(profile->ratio + (size_t)s * (size_t)n, (size_t)n, sizeof(double), compare_numbers);
}

void cli_profile_free(cli_profile *profile)
{
    free(profile->names);
    free(profile->ratio);
    *profile = (cli_profile){0};
}

double cli_profile_at(const cli_profile *profile, int32_t s, double tau)
{
    int32_t count = 0, n = profile->n_problems;
    while (count < n && profile->ratio[s * n + count] <= tau)
        count++;
    return n > 0 ? (double)count / n : 0;
}

int32_t cli_profile_solved(const cli_profile *profile, int32_t s)
{
    int32_t count = 0, n = profile->n_problems;
    while (count < n && isfinite(profile->ratio[s * n + count]))
        count++;
    return count;
}

void cli_profile_print(FILE *out, const cli_profile *profile, const char *title, const char *what)
{
    static const double tau[] = {1, 2, 10, 100};
    enum { N = sizeof tau / sizeof *tau, NAME_WIDTH = 18 };
    int width = NAME_WIDTH;
    for (int32_t s = 0; s < profile->n_solvers; s++) {
        int length = (int)strlen(profile->names[s]);
        width = length > width ? length : width;
    }
    fprintf(out, "\nperformance profile, %s, %d problem%s\n%-*s %6s", title,
            (int)profile->n_problems, profile->n_problems == 1 ? "" : "s", width, what, "solved");
    for (int k = 0; k < N; k++)
        fprintf(out, " rho(%g)%*s", tau[k], tau[k] < 10 ? 2 : tau[k] < 100 ? 1 : 0, "");
    fputs(" rho(inf)\n", out);
    for (int32_t s = 0; s < profile->n_solvers; s++) {
        int32_t solved = cli_profile_solved(profile, s);
        fprintf(out, "%-*s %6d", width, profile->names[s], (int)solved);
        for (int k = 0; k < N; k++)
            fprintf(out, " %8.2f", cli_profile_at(profile, s, tau[k]));
        fprintf(out, " %8.2f\n",
                profile->n_problems > 0 ? (double)solved / profile->n_problems : 0.0);
    }
}
