// The benchmark scenes in ODE (double precision): ERP 0.2, CFM 1e-10, at most 8 contacts for a
// pair, Approx1 friction pyramid, auto-disable and damping off. Metrics are taken in a run of their
// own.
#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <time.h>

#include "peers.h"

enum { BODIES_MAX = 64, CONTACTS_MAX = 8 };

typedef struct scene {
    dWorldID world;
    dSpaceID space; // 0: no contacts
    dJointGroupID contacts;
    dBodyID body[BODIES_MAX];
    dMass mass[BODIES_MAX];
    int n, iterations;
} scene;

static double cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin(scene *s, int n, int iterations)
{
    s->n = n;
    s->iterations = iterations;
    s->world = dWorldCreate();
    s->space = 0;
    s->contacts = dJointGroupCreate(0);
    dWorldSetGravity(s->world, 0, 0, -9.81);
    dWorldSetERP(s->world, 0.2);
    dWorldSetCFM(s->world, 1e-10);
    dWorldSetAutoDisableFlag(s->world, 0);
    dWorldSetDamping(s->world, 0, 0);
    if (iterations > 0)
        dWorldSetQuickStepNumIterations(s->world, iterations);
}

static void finish(scene *s)
{
    dJointGroupDestroy(s->contacts);
    if (s->space)
        dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
}

static void near(void *user, dGeomID a, dGeomID b)
{
    scene *s = user;
    dContact contact[CONTACTS_MAX] = {0};
    int n = dCollide(a, b, CONTACTS_MAX, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; ++i) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = 0.6;
        dJointID joint = dJointCreateContact(s->world, s->contacts, &contact[i]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

static void step(scene *s, double h)
{
    if (s->space)
        dSpaceCollide(s->space, s, near);
    if (s->iterations > 0)
        dWorldQuickStep(s->world, h);
    else
        dWorldStep(s->world, h);
    if (s->space)
        dJointGroupEmpty(s->contacts);
}

static double kinetic(const scene *s)
{
    double T = 0;
    for (int i = 0; i < s->n; ++i) {
        const dReal *v = dBodyGetLinearVel(s->body[i]);
        dVector3 w;
        const dReal *world = dBodyGetAngularVel(s->body[i]);
        dBodyVectorFromWorld(s->body[i], world[0], world[1], world[2], w);
        T += 0.5 * s->mass[i].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int j = 0; j < 3; ++j)
            T += 0.5 * s->mass[i].I[4 * j + j] * w[j] * w[j];
    }
    return T;
}

static double potential(const scene *s)
{
    double V = 0;
    for (int i = 0; i < s->n; ++i)
        V += s->mass[i].mass * 9.81 * dBodyGetPosition(s->body[i])[2];
    return V;
}

static double steps_per_second(void (*build)(scene *, int, const bench_run *), int iterations,
                               const bench_run *run)
{
    const long steps = lround(run->end / run->h);
    double best = 0;
    for (int i = 0; i < run->repeat; ++i) {
        scene s;
        build(&s, iterations, run);
        double start = cpu_time();
        for (long k = 0; k < steps; ++k)
            step(&s, run->h);
        best = fmax(best, (double)steps / (cpu_time() - start));
        finish(&s);
    }
    return best;
}

// ---- Chain ----

static void build_chain(scene *s, int iterations, const bench_run *run)
{
    begin(s, run->n, iterations);
    for (int i = 0; i < s->n; ++i) {
        s->body[i] = dBodyCreate(s->world);
        dMassSetBox(&s->mass[i], 500, 0.25, 0.025, 0.025);
        dBodySetMass(s->body[i], &s->mass[i]);
        dBodySetPosition(s->body[i], 0.125 + 0.25 * i, 0, 0);
        dJointID hinge = dJointCreateHinge(s->world, 0);
        dJointAttach(hinge, s->body[i], i == 0 ? 0 : s->body[i - 1]);
        dJointSetHingeAnchor(hinge, 0.25 * i, 0, 0);
        dJointSetHingeAxis(hinge, 0, 1, 0);
    }
}

// Largest distance of the two sides of a hinge, and the free end.
static double chain_gap(const scene *s, dVector3 tip)
{
    double gap = 0;
    tip[0] = tip[1] = tip[2] = 0;
    for (int i = 0; i < s->n; ++i) {
        dVector3 near_end;
        dBodyGetRelPointPos(s->body[i], -0.125, 0, 0, near_end);
        double dx = near_end[0] - tip[0], dy = near_end[1] - tip[1], dz = near_end[2] - tip[2];
        gap = fmax(gap, sqrt(dx * dx + dy * dy + dz * dz));
        dBodyGetRelPointPos(s->body[i], 0.125, 0, 0, tip);
    }
    return gap;
}

static bool init_once(void)
{
    static bool done = false; // of the program, not of the library
    if (!done)
        done = dInitODE2(0) != 0;
    return done;
}

bool peer_ode_chain(int iterations, const bench_run *run, chain_result *out)
{
    if (!init_once() || run->n > BODIES_MAX)
        return false;
    *out = (chain_result){.steps_per_second = steps_per_second(build_chain, iterations, run)};
    scene s;
    build_chain(&s, iterations, run);
    const double start = kinetic(&s) + potential(&s);
    const long steps = lround(run->end / run->h);
    for (long k = 1; k <= steps; ++k) {
        dVector3 tip;
        step(&s, run->h);
        out->energy_error = fmax(out->energy_error, fabs(kinetic(&s) + potential(&s) - start));
        out->joint_gap = fmax(out->joint_gap, chain_gap(&s, tip));
        if (fabs((double)k * run->h - 1) < 0.5 * run->h) {
            out->tip[0] = tip[0];
            out->tip[1] = tip[2];
        }
    }
    finish(&s);
    return true;
}

// ---- Stack ----

// Boxes of 0.2 m and 8 kg, touching, on the plane z = 0.
static void build_stack(scene *s, int iterations, const bench_run *run)
{
    begin(s, run->n, iterations);
    s->space = dSimpleSpaceCreate(0);
    dCreatePlane(s->space, 0, 0, 1, 0);
    for (int i = 0; i < s->n; ++i) {
        s->body[i] = dBodyCreate(s->world);
        dMassSetBoxTotal(&s->mass[i], i == s->n - 1 ? 8 * run->top_mass_factor : 8, 0.2, 0.2, 0.2);
        dBodySetMass(s->body[i], &s->mass[i]);
        dBodySetPosition(s->body[i], 0, 0, 0.1 + 0.2 * i);
        dGeomSetBody(dCreateBox(s->space, 0.2, 0.2, 0.2), s->body[i]);
    }
}

bool peer_ode_stack(int iterations, const bench_run *run, stack_result *out)
{
    if (!init_once() || run->n > BODIES_MAX)
        return false;
    *out = (stack_result){.steps_per_second = steps_per_second(build_stack, iterations, run)};
    scene s;
    build_stack(&s, iterations, run);
    const long steps = lround(run->end / run->h);
    for (long k = 0; k < steps; ++k) {
        step(&s, run->h);
        if (2 * k >= steps)
            out->kinetic = fmax(out->kinetic, kinetic(&s));
    }
    double top = 0;
    for (int i = 0; i < s.n; ++i) {
        const dReal *R = dBodyGetRotation(s.body[i]), *x = dBodyGetPosition(s.body[i]);
        double reach = 0.1 * (fabs(R[8]) + fabs(R[9]) + fabs(R[10]));
        out->penetration = fmax(out->penetration, top - (x[2] - reach));
        top = x[2] + reach;
        out->tilt = fmax(out->tilt, acos(fmin(1, R[10])));
        if (i == s.n - 1)
            out->drift = hypot(x[0], x[1]);
    }
    finish(&s);
    return true;
}
