// Builders of the scenes in scenes.h.
#include "support/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

void scene_require(const scene *s, pcs_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "scene: %s: %s\n", pcs_status_name(status), pcs_context_error(s->ctx));
    abort();
}

// ---- Building ----

void scene_begin(scene *s, int32_t dimension, pcs_vec3 gravity)
{
    memset(s, 0, sizeof *s);
    pcs_context_def def = pcs_context_default();
    s->dimension = dimension;
    s->ctx = pcs_context_create(&def);
    if (!s->ctx)
        abort();
    scene_require(s, pcs_builder_create(s->ctx, dimension, &s->builder));
    scene_require(s, pcs_builder_set_gravity(s->builder, gravity));
}

pcs_body_id scene_body(scene *s, const pcs_body_def *def)
{
    pcs_body_id id = PCS_GROUND;
    scene_require(s, pcs_builder_add_body(s->builder, def, &id));
    return id;
}

pcs_body_id scene_point(scene *s, const char *name, double mass, pcs_vec3 position,
                        pcs_vec3 velocity)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.point = true;
    def.mass = mass;
    def.position = position;
    def.velocity = velocity;
    return scene_body(s, &def);
}

pcs_body_id scene_sphere(scene *s, const char *name, double mass, double radius, pcs_vec3 position,
                         pcs_vec3 velocity)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.mass = mass;
    double inertia = 0.4 * mass * radius * radius;
    for (int i = 0; i < 3; ++i)
        def.inertia.m[i][i] = inertia;
    def.position = position;
    def.velocity = velocity;
    return scene_body(s, &def);
}

pcs_body_id scene_box(scene *s, const char *name, double mass, pcs_vec3 size, pcs_vec3 position,
                      pcs_vec3 turn, pcs_vec3 velocity)
{
    pcs_body_def def = pcs_body_default();
    def.name = name;
    def.mass = mass;
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
    def.inertia.m[0][0] = mass * (y + z) / 12.0;
    def.inertia.m[1][1] = mass * (x + z) / 12.0;
    def.inertia.m[2][2] = mass * (x + y) / 12.0;
    def.position = position;
    if (s->dimension == 2)
        def.angle = turn.z;
    else
        def.rotation = pcs_so3_exp(turn);
    def.velocity = velocity;
    return scene_body(s, &def);
}

pcs_frame scene_frame(pcs_body_id body, pcs_vec3 position, pcs_vec3 turn)
{
    pcs_frame frame = pcs_frame_default();
    frame.body = body;
    frame.position = position;
    frame.rotation = pcs_so3_exp(turn);
    return frame;
}

pcs_contact_def scene_contact_def(const char *name, pcs_contact_kind kind, pcs_frame a,
                                  pcs_body_id b, pcs_law law)
{
    pcs_contact_def def = pcs_contact_default();
    def.name = name;
    def.kind = kind;
    def.a = a;
    def.b.body = b;
    def.law = law;
    return def;
}

void scene_contact(scene *s, const pcs_contact_def *def)
{
    scene_require(s, pcs_builder_add_contact(s->builder, def));
}

pcs_joint_id scene_joint(scene *s, const pcs_joint_def *def)
{
    pcs_joint_id id = -1;
    scene_require(s, pcs_builder_add_joint(s->builder, def, &id));
    return id;
}

void scene_spring(scene *s, const pcs_spring_def *def)
{
    scene_require(s, pcs_builder_add_spring(s->builder, def));
}

void scene_force(scene *s, const pcs_force_def *def)
{
    scene_require(s, pcs_builder_add_force(s->builder, def));
}

// ---- Running ----

void scene_restart(scene *s, double h, double end)
{
    pcs_simulation_destroy(s->simulation);
    pcs_simulation_def def = pcs_simulation_default();
    def.without_estimate = s->without_estimate;
    if (s->scheme)
        def.scheme = s->scheme;
    def.step = h;
    def.end = end;
    scene_require(s, pcs_simulation_create(s->ctx, s->model, &def, &s->simulation));
}

void scene_finish(scene *s, double h, double end)
{
    scene_require(s, pcs_builder_finish(s->builder, &s->model));
    pcs_builder_destroy(s->builder);
    s->builder = NULL;
    scene_restart(s, h, end);
}

void scene_set(scene *s, const char *key, const char *text)
{
    scene_require(s, pcs_simulation_set(s->simulation, key, text));
}

void scene_set_number(scene *s, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    scene_set(s, key, text);
}

pcs_status scene_step(scene *s)
{
    pcs_status status = pcs_simulation_step(s->simulation);
    scene_require(s, status);
    return status;
}

int64_t scene_run(scene *s)
{
    int64_t unconverged = 0;
    while (!pcs_simulation_finished(s->simulation))
        unconverged += scene_step(s) != PCS_OK;
    return unconverged;
}

void scene_resume(scene *s, const scene *from)
{
    const size_t size = pcs_simulation_save(from->simulation, NULL, 0);
    void *bytes = malloc(size);
    scene_require(s, bytes ? PCS_OK : PCS_ERROR_MEMORY);
    pcs_simulation_save(from->simulation, bytes, size);
    scene_require(s, pcs_simulation_load(s->simulation, bytes, size));
    free(bytes);
}

double scene_signal(const scene *s, const char *path)
{
    pcs_signal signal;
    scene_require(s, pcs_model_find_signal(s->ctx, s->model, path, &signal));
    return pcs_simulation_signal(s->simulation, signal);
}

pcs_body_view scene_view(const scene *s, pcs_body_id body)
{
    pcs_body_view view;
    pcs_simulation_body(s->simulation, body, &view);
    return view;
}

pcs_contact_view scene_contact_view(const scene *s, int32_t slot)
{
    pcs_contact_view view;
    pcs_simulation_contact(s->simulation, slot, &view);
    return view;
}

const pcs_energy_account *scene_energy(const scene *s)
{
    return &pcs_simulation_statistics(s->simulation)->energy;
}

double scene_total_energy(const scene *s)
{
    const pcs_energy_account *energy = scene_energy(s);
    return energy->kinetic + energy->potential;
}

void scene_end(scene *s)
{
    pcs_simulation_destroy(s->simulation);
    pcs_model_destroy(s->model);
    pcs_builder_destroy(s->builder);
    pcs_context_destroy(s->ctx);
    memset(s, 0, sizeof *s);
}

// ---- Whole scenes ----

void scene_bouncing_ball(scene *s, double gravity, double mass, double q0, double v0,
                         double restitution)
{
    scene_begin(s, 2, pcs_v3(0, -gravity, 0));
    pcs_body_id ball = scene_point(s, "ball", mass, pcs_v3(0, q0, 0), pcs_v3(0, v0, 0));
    pcs_contact_def def = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE, pcs_frame_default(),
                                            ball, (pcs_law){.restitution = restitution});
    scene_contact(s, &def);
}

void scene_box_on_plane(scene *s, const char *name, pcs_body_id box, pcs_vec3 size, pcs_vec3 origin,
                        pcs_vec3 turn, pcs_law law)
{
    pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_BOX_PLANE,
                                            scene_frame(PCS_GROUND, origin, turn), box, law);
    def.size = size;
    scene_contact(s, &def);
}

void scene_cradle(scene *s, int32_t n, double v, double restitution)
{
    scene_begin(s, 2, pcs_v3(0, 0, 0));
    for (int32_t i = 0; i < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "ball%d", (int)i);
        scene_point(s, name, 1.0, pcs_v3((double)i, 0, 0), pcs_v3(i == 0 ? v : 0, 0, 0));
    }
    for (int32_t i = 0; i + 1 < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "pair%d", (int)i);
        pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_SPHERE_SPHERE,
                                                scene_frame(i, pcs_v3(0, 0, 0), pcs_v3(0, 0, 0)),
                                                i + 1, (pcs_law){.restitution = restitution});
        def.radius_a = def.radius_b = 0.5;
        scene_contact(s, &def);
    }
}

void scene_stack(scene *s, int32_t dimension, int32_t n, pcs_vec3 size, const double *mass,
                 double friction)
{
    const double g = 9.81;
    const bool flat = dimension == 2;
    const double height = flat ? size.y : size.z;
    scene_begin(s, dimension, flat ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    for (int32_t i = 0; i < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "box%d", (int)i);
        double middle = ((double)i + 0.5) * height;
        scene_box(s, name, mass[i], size, flat ? pcs_v3(0, middle, 0) : pcs_v3(0, 0, middle),
                  pcs_v3(0, 0, 0), pcs_v3(0, 0, 0));
        pcs_vec3 top = flat ? pcs_v3(0, 0.5 * height, 0) : pcs_v3(0, 0, 0.5 * height);
        pcs_frame below = i == 0 ? pcs_frame_default() : scene_frame(i - 1, top, pcs_v3(0, 0, 0));
        snprintf(name, sizeof name, "face%d", (int)i);
        pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_BOX_PLANE, below, i,
                                                (pcs_law){.friction = friction});
        def.size = size;
        if (i > 0) // a little wider than the face, so that rounding does not take corners off it
            def.extent = (pcs_vec2){0.51 * size.x, flat ? 0 : 0.51 * size.y};
        scene_contact(s, &def);
    }
}

double scene_ball_height(double t)
{
    if (t < 1)
        return 1 - t * t;
    if (t >= 3)
        return 0;
    double part = 1; // 2^(-n) after impact n
    while (t >= 3 - part)
        part *= 0.5;
    return -(t - 3) * (t - 3) - 3 * part * (t - 1) + 2 * part * (3 - part);
}
