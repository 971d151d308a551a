// The benchmark scenes in MuJoCo: XML generated, tolerance 1e-10, 100 iterations, default contact
// softness (solref 0.02 1), condim 3, no damping. Metrics are taken in a run of their own.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers.h"

enum { XML_MAX = 1 << 16 };

typedef struct text {
    char *data;
    size_t length;
} text;

static void add(text *xml, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    xml->length += (size_t)vsnprintf(xml->data + xml->length, XML_MAX - xml->length, format,
                                     arguments);
    va_end(arguments);
}

// Keeps the engine from writing a log file; a collapsed stack shows in the result.
static void ignore_warning(const char *message)
{
    (void)message;
}

static mjModel *load(const text *xml)
{
    mju_user_warning = ignore_warning;
    char error[500] = "";
    mjVFS *files = malloc(sizeof *files);
    if (!files)
        return NULL;
    mj_defaultVFS(files);
    mjModel *model = NULL;
    if (mj_makeEmptyFileVFS(files, "scene.xml", (int)xml->length) == 0) {
        memcpy(files->filedata[mj_findFileVFS(files, "scene.xml")], xml->data, xml->length);
        model = mj_loadXML("scene.xml", files, error, sizeof error);
    }
    if (!model)
        fprintf(stderr, "MuJoCo: %s\n", error);
    mj_deleteVFS(files);
    free(files);
    return model;
}

static double cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double steps_per_second(const mjModel *model, const bench_run *run)
{
    const long steps = lround(run->end / run->h);
    double best = 0;
    for (int i = 0; i < run->repeat; ++i) {
        mjData *data = mj_makeData(model);
        double start = cpu_time();
        for (long k = 0; k < steps; ++k)
            mj_step(model, data);
        best = fmax(best, (double)steps / (cpu_time() - start));
        mj_deleteData(data);
    }
    return best;
}

static double energy(const mjModel *model, mjData *data)
{
    mj_energyPos(model, data);
    mj_energyVel(model, data);
    return data->energy[0] + data->energy[1];
}

// ---- Chain ----

static void chain_xml(text *xml, const char *method, const bench_run *run)
{
    add(xml,
        "<mujoco><option timestep='%.17g' integrator='%s' tolerance='1e-10' iterations='100'>"
        "<flag contact='disable'/></option><worldbody>",
        run->h, method);
    for (int i = 0; i < run->n; ++i)
        add(xml,
            "<body pos='%g 0 0'><joint type='hinge' axis='0 1 0'/>"
            "<geom type='box' size='.125 .0125 .0125' pos='.125 0 0' density='500'/>",
            i == 0 ? 0 : 0.25);
    add(xml, "<site name='tip' pos='.25 0 0'/>");
    for (int i = 0; i < run->n; ++i)
        add(xml, "</body>");
    add(xml, "</worldbody></mujoco>");
}

bool peer_mujoco_chain(const char *method, const bench_run *run, chain_result *out)
{
    text xml = {malloc(XML_MAX), 0};
    if (!xml.data)
        return false;
    chain_xml(&xml, method, run);
    mjModel *model = load(&xml);
    free(xml.data);
    if (!model)
        return false;
    *out = (chain_result){.steps_per_second = steps_per_second(model, run)};
    model->opt.enableflags |= mjENBL_ENERGY;
    mjData *data = mj_makeData(model);
    mj_forward(model, data);
    const double start = energy(model, data);
    const long steps = lround(run->end / run->h);
    for (long k = 0; k < steps; ++k) {
        mj_step(model, data);
        mj_forward(model, data);
        out->energy_error = fmax(out->energy_error, fabs(energy(model, data) - start));
        if (fabs(data->time - 1) < 0.5 * run->h) {
            out->tip[0] = data->site_xpos[0];
            out->tip[1] = data->site_xpos[2];
        }
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return true;
}

// ---- Stack ----

// Boxes of 0.2 m and 8 kg, touching, mu 0.6.
static void stack_xml(text *xml, const char *method, const bench_run *run)
{
    add(xml,
        "<mujoco><size nconmax='500' njmax='2000'/>"
        "<option timestep='%.17g' solver='%s' cone='elliptic' tolerance='1e-10' "
        "iterations='100'/><default><geom friction='.6 .005 .0001' condim='3'/></default>"
        "<worldbody><geom type='plane' size='5 5 1'/>",
        run->h, method);
    for (int i = 0; i < run->n; ++i)
        add(xml,
            "<body pos='0 0 %.17g'><freejoint/><geom type='box' size='.1 .1 .1' mass='%g'/></body>",
            0.1 + 0.2 * i, i == run->n - 1 ? 8 * run->top_mass_factor : 8);
    add(xml, "</worldbody></mujoco>");
}

// Lowest and highest corner of box i (body i + 1).
static void box_range(const mjData *data, int i, double *low, double *high)
{
    const mjtNum *R = data->xmat + 9 * (i + 1);
    const double reach = 0.1 * (fabs(R[6]) + fabs(R[7]) + fabs(R[8]));
    *low = data->xpos[3 * (i + 1) + 2] - reach;
    *high = data->xpos[3 * (i + 1) + 2] + reach;
}

bool peer_mujoco_stack(const char *method, const bench_run *run, stack_result *out)
{
    text xml = {malloc(XML_MAX), 0};
    if (!xml.data)
        return false;
    stack_xml(&xml, method, run);
    mjModel *model = load(&xml);
    free(xml.data);
    if (!model)
        return false;
    *out = (stack_result){.steps_per_second = steps_per_second(model, run)};
    model->opt.enableflags |= mjENBL_ENERGY;
    mjData *data = mj_makeData(model);
    const long steps = lround(run->end / run->h);
    for (long k = 0; k < steps; ++k) {
        mj_step(model, data);
        mj_energyVel(model, data);
        if (2 * k >= steps)
            out->kinetic = fmax(out->kinetic, data->energy[1]);
    }
    mj_kinematics(model, data);
    double top = 0;
    for (int i = 0; i < run->n; ++i) {
        double low, high;
        box_range(data, i, &low, &high);
        out->penetration = fmax(out->penetration, top - low);
        top = high;
        out->tilt = fmax(out->tilt, acos(fmin(1, data->xmat[9 * (i + 1) + 8])));
    }
    out->drift = hypot(data->xpos[3 * run->n], data->xpos[3 * run->n + 1]);
    mj_deleteData(data);
    mj_deleteModel(model);
    return true;
}
