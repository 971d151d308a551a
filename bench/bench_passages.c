// Contacts that last a small part of a step: two balls that meet, over radii from 1 mm to 3 cm, speeds
// from 0.1 to 200 m/s and 281 distances, in the plane and in space, and what makes it harder. The
// least gap of the free motion says whether they touch. The table has, for each family and scheme,
// runs, contacts missed, missed without a warning, and found where there is none.
//
//   bench_passages [--families A,B] [--schemes A,B] [--every K] [--show yes]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss/io.h"

static const char *const all_schemes[] = {"moreau-jean",
                                          "moreau-jean-adaptive",
                                          "nonsmooth-alpha",
                                          "capturing",
                                          "hybrid",
                                          "phem56",
                                          "hem5",
                                          "dopri5",
                                          "rkf45",
                                          "rk4",
                                          "alpha2",
                                          "alpha3"};
static const char *const all_families[] = {"balls", "gravity", "spin", "three", "dips", "stops"};
enum {
    N_SCHEMES = sizeof all_schemes / sizeof *all_schemes,
    N_FAMILIES = sizeof all_families / sizeof *all_families,
    DISTANCES = 281,
    TEXT = 4096
};
enum { BALLS, GRAVITY, SPIN, THREE, DIPS, STOPS };
static const double radii[] = {1e-3, 3e-3, 1e-2, 3e-2}, speeds[] = {0.1, 2, 30, 200};

// A ball of radius r, on an arm of a body that turns, is shot along x past another at the distance d.
typedef struct shot {
    int family, dimension;
    double r, v, d, offset;
    double arm, turn, angle; // m, rad/s, rad
    double end;
    int steps;
} shot;

// Distance of the centres at time t, without impacts.
static double centres(const shot *s, double t)
{
    const double angle = s->angle + s->turn * t;
    return hypot(s->v * t + s->arm * cos(angle) - s->d, s->offset + s->arm * sin(angle));
}

// Least gap of the free motion: steps of a fiftieth of a radius, then thirds.
static double least_gap(const shot *s)
{
    const double speed = s->v + fabs(s->arm * s->turn), dt = 0.02 * s->r / speed;
    double best = 0, value = centres(s, 0);
    for (double t = 0; t <= s->end; t += dt) {
        const double now = centres(s, t);
        if (now < value) {
            value = now;
            best = t;
        }
    }
    double a = fmax(best - dt, 0), b = fmin(best + dt, s->end);
    for (int i = 0; i < 80; ++i) {
        const double x = a + (b - a) / 3, y = b - (b - a) / 3;
        if (centres(s, x) < centres(s, y))
            b = y;
        else
            a = x;
    }
    return centres(s, 0.5 * (a + b)) - 2 * s->r;
}

// The k-th shot of a family; the numbers go through their values with periods that do not divide each
// other.
static shot make_shot(int family, int k, int radius, int speed, int dimension)
{
    static const double offsets[] = {0, 0.3, 0.9, 1.4, 1.8, 1.95, 1.99, 2.01};
    static const double depths[] = {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4};
    static const int steps[] = {2, 3, 5, 11, 40, 160, 7};
    shot s = {.family = family, .dimension = dimension, .r = radii[radius], .v = speeds[speed]};
    const int turn = k + 3 * radius + 5 * speed + dimension;
    s.d = 2.1 * s.r + 0.01 + 0.01 * k;
    s.steps = steps[turn % 7];
    s.offset = offsets[turn % 8] * s.r;
    if (family == DIPS)
        s.offset = (2 - depths[turn % 6]) * s.r;
    if (family == THREE || family == STOPS)
        s.offset = 0;
    s.end = 1.7 * s.d / s.v;
    if (family == SPIN) {
        s.arm = 2 * s.r * (1 + turn % 5);
        s.turn = (turn % 2 ? 1 : -1) * (1 + turn % 13) * s.v / s.d;
        s.angle = 0.37 * turn;
        s.d += s.arm;
    }
    return s;
}

static void write_balls(const shot *s, char text[TEXT])
{
    const bool space = s->dimension == 3;
    const char *zero = space ? ", 0" : "", *round = space ? "sphere" : "circle";
    const char *inertia = space ? "[1, 1, 1]" : "1";
    char spin[64] = "", third[512] = "", pair[256] = "";
    if (s->family == SPIN)
        snprintf(spin, sizeof spin,
                 space ? ", angular_velocity: [0, 0, %.17g]" : ", angular_velocity: %.17g",
                 s->turn);
    if (s->family == THREE) {
        snprintf(third, sizeof third, "  last: {mass: 1, inertia: %s, position: [%.17g, 0%s]}\n",
                 inertia, 1.4 * s->d + 2 * s->r, zero);
        snprintf(pair, sizeof pair,
                 "  next: {type: %s-%s, bodies: [ball, last], radii: [%.17g, %.17g], restitution: "
                 "1}\n",
                 round, round, s->r, s->r);
    }
    snprintf(text, TEXT,
             "dimension: %d\ngravity: [0, %s%s]\nbodies:\n"
             "  cue: {mass: 1, inertia: %s, position: [0, %.17g%s], velocity: [%.17g, 0%s]%s}\n"
             "  ball: {mass: 1, inertia: %s, position: [%.17g, 0%s]}\n%s"
             "contacts:\n  pair: {type: %s-%s, bodies: [cue, ball], a: [%.17g, %.17g%s], radii: "
             "[%.17g, %.17g], restitution: 1}\n%s"
             "simulation: {end: %.17g, step: %.17g}\n",
             s->dimension, s->family == GRAVITY ? "-9.81" : "0", zero, inertia, s->offset, zero,
             s->v, zero, spin, inertia, s->d, zero, third, round, round, s->arm * cos(s->angle),
             s->arm * sin(s->angle), zero, s->r, s->r, pair, s->end, s->end / s->steps);
}

static void write_stop(const shot *s, char text[TEXT])
{
    const bool space = s->dimension == 3;
    snprintf(text, TEXT,
             "dimension: %d\nbodies:\n  cue: {mass: 1, inertia: %s, position: [0, 0%s], velocity: "
             "[%.17g, 0%s]}\njoints:\n"
             "  j: {type: prismatic, bodies: [ground, cue], at: [0, 0%s], axis: [1, 0%s], limits: "
             "{lower: %.17g, upper: %.17g, restitution: 1}}\n"
             "simulation: {end: %.17g, step: %.17g}\n",
             s->dimension, space ? "[1, 1, 1]" : "1", space ? ", 0" : "", s->v, space ? ", 0" : "",
             space ? ", 0" : "", space ? ", 0" : "", -s->r, s->d, s->end, s->end / s->steps);
}

static void count_warning(void *user, pcs_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == PCS_LOG_WARNING;
}

// Whether the last of the balls was hit: its velocity is not that of its fall. (Slower than what forces
// make in a step, a time-stepping scheme has no impact, but a contact that holds.)
static bool is_hit(const shot *s, const pcs_simulation *simulation)
{
    if (s->family == STOPS)
        return pcs_simulation_statistics(simulation)->impacts > 0;
    const double fall = s->family == GRAVITY ? -9.81 * s->end : 0, noise = 1e-9;
    pcs_body_view view;
    pcs_simulation_body(simulation, s->family == THREE ? 2 : 1, &view);
    return hypot(view.velocity.x, view.velocity.y - fall) > noise * (s->v + fabs(fall));
}

typedef enum outcome { NOTHING, HIT, STOPPED } outcome;

static outcome run(const shot *s, const char *text, const char *scheme, int *warnings)
{
    pcs_context_def def = pcs_context_default();
    def.log = count_warning;
    def.log_user = warnings;
    pcs_context *ctx = pcs_context_create(&def);
    pcs_model_file *file = NULL;
    pcs_simulation *simulation = NULL;
    const pcs_setting setting = {"simulation.scheme", scheme};
    outcome result = STOPPED;
    if (pcs_model_file_read_memory(ctx, "shot", text, strlen(text), &setting, 1, &file) >= 0) {
        const pcs_simulation_def run_def = pcs_model_file_simulation(file);
        if (pcs_simulation_create(ctx, pcs_model_file_model(file), &run_def, &simulation) >= 0) {
            pcs_status status = PCS_OK;
            while (!pcs_simulation_finished(simulation) && status >= 0)
                status = pcs_simulation_step(simulation);
            if (status >= 0)
                result = is_hit(s, simulation) ? HIT : NOTHING;
        }
    }
    if (result == STOPPED)
        fprintf(stderr, "%s: %s\n", scheme, pcs_context_error(ctx));
    pcs_simulation_destroy(simulation);
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
    return result;
}

typedef struct tally {
    int64_t runs, missed, silent, invented;
} tally;

static void count(const shot *s, const char *scheme, bool show, tally *sum)
{
    const double margin = 1e-7; // grazing is below the tolerance of gaps
    char text[TEXT];
    int warnings = 0;
    const double gap = s->family == STOPS ? -1 : least_gap(s);
    if (fabs(gap) < margin)
        return;
    if (s->family == STOPS)
        write_stop(s, text);
    else
        write_balls(s, text);
    const outcome found = run(s, text, scheme, &warnings);
    const bool missed = gap < 0 && found != HIT, invented = gap > 0 && found == HIT;
    ++sum->runs;
    sum->missed += missed;
    sum->silent += missed && warnings == 0 && found == NOTHING;
    sum->invented += invented;
    if (show && (missed || invented))
        printf("# %s, least gap %.3g, %d warnings\n%s\n", scheme, gap, warnings, text);
}

static bool is_chosen(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0))
            return true;
    return !list;
}

int main(int argc, char **argv)
{
    const char *families = NULL, *schemes = NULL;
    int every = 1;
    bool show = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        families = strcmp(argv[i], "--families") == 0 ? argv[i + 1] : families;
        schemes = strcmp(argv[i], "--schemes") == 0 ? argv[i + 1] : schemes;
        every = strcmp(argv[i], "--every") == 0 ? atoi(argv[i + 1]) : every;
        show = show || strcmp(argv[i], "--show") == 0;
    }
    int64_t silent = 0;
    printf("%-10s %-22s %8s %8s %8s %8s\n", "family", "scheme", "runs", "missed", "silent",
           "invented");
    for (int f = 0; f < N_FAMILIES; ++f)
        for (int n = 0; n < N_SCHEMES; ++n) {
            tally sum = {0};
            if (!is_chosen(families, all_families[f]) || !is_chosen(schemes, all_schemes[n]))
                continue;
            for (int k = 0, i = 0; k < DISTANCES; ++k)
                for (int j = 0; j < 32; ++j, ++i) {
                    if (i % every != 0)
                        continue;
                    const shot s = make_shot(f, k, j % 4, j / 4 % 4, 2 + j / 16);
                    count(&s, all_schemes[n], show, &sum);
                }
            printf("%-10s %-22s %8lld %8lld %8lld %8lld\n", all_families[f], all_schemes[n],
                   (long long)sum.runs, (long long)sum.missed, (long long)sum.silent,
                   (long long)sum.invented);
            fflush(stdout);
            silent += sum.silent;
        }
    return silent > 0;
}
