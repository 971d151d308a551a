#include "support/scene_generator.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_kinds.h"
#include "support/scene_text.h"

enum { ROUND_EVERY = 3 }; // a third of the scenes of each kind

static const struct {
    const char *name;
    scene_kind_fn write;
} kinds[] = {
    {"boxes", scene_boxes},
    {"column", scene_column},
    {"pile", scene_pile},
    {"pendulum", scene_pendulum},
    {"linkage", scene_linkage},
    {"loose-pin", scene_loose_pin},
    {"gears", scene_gears},
    {"rack", scene_rack},
    {"ratchet", scene_ratchet},
    {"chain", scene_chain},
    {"belt", scene_belt},
    {"thrown", scene_thrown},
    {"spring-stop", scene_spring_stop},
    {"beam", scene_beam},
    {"row", scene_row},
    {"pushed", scene_pushed},
    {"roller", scene_roller},
    {"wire", scene_wire},
};

int scene_kind_count(void)
{
    return (int)(sizeof kinds / sizeof *kinds);
}

const char *scene_kind_name(int kind)
{
    return kinds[kind].name;
}

void scene_line(scene_text *s, scene_section section, const char *format, ...)
{
    int *length = &s->length[section];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(s->section[section] + *length, (size_t)(SCENE_SECTION_SIZE - *length),
                            format, arguments);
    va_end(arguments);
    if (n < 0 || *length + n + 1 >= SCENE_SECTION_SIZE) {
        fprintf(stderr, "scene_generator: seed %llu: a section is too long\n",
                (unsigned long long)s->facts->seed);
        abort();
    }
    *length += n;
    s->section[section][(*length)++] = '\n';
    s->section[section][*length] = 0;
}

void scene_head(scene_text *s, int dimension, double gravity)
{
    s->facts->dimension = dimension;
    s->facts->gravity = gravity;
    scene_line(s, SECTION_HEAD, "dimension: %d", dimension);
    if (gravity > 0)
        scene_line(s, SECTION_HEAD,
                   dimension == 2 ? "gravity: [0, %.15g]" : "gravity: [0, 0, %.15g]", -gravity);
}

// Round numbers in [low, high], smallest first; returns how many.
static int round_numbers(double low, double high, double *list, int size)
{
    static const double digits[] = {1, 2, 2.5, 4, 5};
    int n = 0;
    for (int decade = -6; decade <= 6; ++decade)
        for (size_t i = 0; i < sizeof digits / sizeof *digits; ++i) {
            char text[32]; // 2 * pow(10, -1) is not 0.2
            snprintf(text, sizeof text, "%.1fe%d", digits[i], decade);
            const double x = strtod(text, NULL);
            if (x >= low && x <= high && n < size)
                list[n++] = x;
        }
    return n;
}

double scene_number(scene_text *s, double low, double high)
{
    double list[80];
    const int n = s->facts->traits & SCENE_ROUND ? round_numbers(low, high, list, 80) : 0;
    if (n > 0)
        return list[scene_integer(s, 0, n - 1)];
    const double wide = 10; // range from which on all sizes are equally likely
    const double u = pcs_random_uniform(&s->random);
    const double x = low > 0 && high > wide * low ? low * pow(high / low, u)
                                                  : low + u * (high - low);
    char text[32];
    snprintf(text, sizeof text, "%.4g", x);
    return strtod(text, NULL);
}

int scene_integer(scene_text *s, int low, int high)
{
    return low + (int)(pcs_random_uniform(&s->random) * (high - low + 1));
}

bool scene_chance(scene_text *s, double share)
{
    return pcs_random_uniform(&s->random) < share;
}

double scene_restitution(scene_text *s, double largest)
{
    const double e = scene_chance(s, 0.2) ? 0 : scene_number(s, 0.1, largest);
    if (e > 0 && e < 1)
        s->facts->traits |= SCENE_ACCUMULATES;
    return e;
}

double scene_friction(scene_text *s)
{
    if (scene_chance(s, 0.3))
        return 0;
    s->facts->traits |= SCENE_FRICTION;
    return scene_number(s, 0.05, 0.9);
}

double scene_mass(scene_text *s, double mass)
{
    if (s->facts->n_bodies >= SCENE_BODIES_MAX)
        abort();
    return s->facts->mass[s->facts->n_bodies++] = mass;
}

void scene_times(scene_text *s, double end, double step)
{
    const double parts = ceil(end / (step * SCENE_SAMPLES) * (1 - 1e-9));
    // In a round scene the step stays a round number and the end moves to a whole sample.
    s->facts->step = step;
    s->facts->end = step * SCENE_SAMPLES * fmax(parts, 1);
}

static void put_together(const scene_text *s, char *text)
{
    static const char *const title[SECTION_COUNT] = {
        NULL, "materials:", "meshes:", "bodies:", "joints:", "springs:", "forces:", "contacts:"};
    const scene_facts *facts = s->facts;
    size_t n = (size_t)snprintf(text, SCENE_TEXT_SIZE, "title: %s, seed %llu%s\n", facts->kind,
                                (unsigned long long)facts->seed,
                                facts->traits & SCENE_ROUND ? ", round numbers" : "");
    for (int i = 0; i < SECTION_COUNT; ++i)
        if (s->length[i] > 0)
            n += (size_t)snprintf(text + n, SCENE_TEXT_SIZE - n, "%s%s%s", title[i] ? title[i] : "",
                                  title[i] ? "\n" : "", s->section[i]);
    n += (size_t)snprintf(text + n, SCENE_TEXT_SIZE - n, "simulation: {end: %.15g, step: %.15g}\n",
                          facts->end, facts->step);
    if (n >= SCENE_TEXT_SIZE)
        abort();
}

void scene_write(uint64_t seed, bool round, const char *kind, scene_kind_fn write,
                 scene_model *model)
{
    static scene_text s; // large; scenes are made one after the other
    memset(&s, 0, sizeof s);
    memset(model, 0, sizeof *model);
    s.facts = &model->facts;
    s.facts->seed = seed;
    s.facts->kind = kind;
    s.facts->length = 1;
    s.facts->rate = 1;
    if (round)
        s.facts->traits |= SCENE_ROUND;
    pcs_random_init(&s.random, seed);
    write(&s);
    put_together(&s, model->text);
}

void scene_generate(uint64_t seed, scene_model *model)
{
    const uint64_t n = sizeof kinds / sizeof *kinds;
    scene_write(seed, seed / n % ROUND_EVERY == 0, kinds[seed % n].name, kinds[seed % n].write,
                model);
}
