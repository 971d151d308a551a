// Small models shared by tests and benchmarks: a scene is a model under construction, then the
// model with its simulation. Every call that fails prints the library's message and aborts, so that
// a test reads as the experiment it describes. Planar scenes (dimension 2) use x and y of every
// vector.
#ifndef PCS_TESTS_SUPPORT_SCENES_H
#define PCS_TESTS_SUPPORT_SCENES_H

#include "percuss/model.h"
#include "percuss/simulation.h"

typedef struct scene {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_simulation *simulation;
    int32_t dimension;
    const char *scheme;    // NULL: the default; set before scene_finish or scene_restart
    bool without_estimate; // steps are not repeated to estimate the error
} scene;

// Prints the context's last error and aborts if the status is an error.
void scene_require(const scene *s, pcs_status status);

// ---- Building ----

void scene_begin(scene *s, int32_t dimension, pcs_vec3 gravity);
pcs_body_id scene_body(scene *s, const pcs_body_def *def);
// A mass without rotation.
pcs_body_id scene_point(scene *s, const char *name, double mass, pcs_vec3 position,
                        pcs_vec3 velocity);
// Solid sphere; in planar models a body with the inertia of a sphere about z.
pcs_body_id scene_sphere(scene *s, const char *name, double mass, double radius, pcs_vec3 position,
                         pcs_vec3 velocity);
// Solid box with edges `size` turned by the rotation vector `turn` (planar: about z).
pcs_body_id scene_box(scene *s, const char *name, double mass, pcs_vec3 size, pcs_vec3 position,
                      pcs_vec3 turn, pcs_vec3 velocity);

// A frame on a body, turned by the rotation vector `turn`.
pcs_frame scene_frame(pcs_body_id body, pcs_vec3 position, pcs_vec3 turn);
// Definition of a contact of b (its frame's origin) against a; the rest is set by the caller.
pcs_contact_def scene_contact_def(const char *name, pcs_contact_kind kind, pcs_frame a,
                                  pcs_body_id b, pcs_law law);
void scene_contact(scene *s, const pcs_contact_def *def);
pcs_joint_id scene_joint(scene *s, const pcs_joint_def *def);
void scene_spring(scene *s, const pcs_spring_def *def);
void scene_force(scene *s, const pcs_force_def *def);

// ---- Running ----

// Builds the model and a simulation from 0 to `end` with steps h.
void scene_finish(scene *s, double h, double end);
// A new simulation of the same model; the old one is destroyed.
void scene_restart(scene *s, double h, double end);
void scene_set(scene *s, const char *key, const char *text);
void scene_set_number(scene *s, const char *key, double value);
pcs_status scene_step(scene *s);
// All steps to the end; returns the number of steps that did not converge.
int64_t scene_run(scene *s);
// The state of `from`, saved and loaded; both have the same model, scheme and options.
void scene_resume(scene *s, const scene *from);
double scene_signal(const scene *s, const char *path);
pcs_body_view scene_view(const scene *s, pcs_body_id body);
pcs_contact_view scene_contact_view(const scene *s, int32_t slot);
const pcs_energy_account *scene_energy(const scene *s);
double scene_total_energy(const scene *s);
void scene_end(scene *s);

// ---- Whole scenes, unfinished, so that the caller may add to them ----

// Point "ball" at height q0 with speed v0 above the floor; planar, along y.
void scene_bouncing_ball(scene *s, double gravity, double mass, double q0, double v0,
                         double restitution);
// Height of that ball with q'' = -2, e = 1/2, q0 = 1 [AcaryLectures]: impacts at 3 - 2^(1-n), rest
// from t = 3 on.
double scene_ball_height(double t);
// Floor contact of a box with corners, in the plane turned by `turn` through `origin`.
void scene_box_on_plane(scene *s, const char *name, pcs_body_id box, pcs_vec3 size, pcs_vec3 origin,
                        pcs_vec3 turn, pcs_law law);
// n touching equal balls (mass 1, radius 1/2) on a line along x, the first arrives with speed v.
void scene_cradle(scene *s, int32_t n, double v, double restitution);
// n boxes with edges `size` and masses `mass` on each other and on the floor; each rests with its
// lower corners on the bounded top face of the one below.
void scene_stack(scene *s, int32_t dimension, int32_t n, pcs_vec3 size, const double *mass,
                 double friction);

#endif
