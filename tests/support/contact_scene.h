// A model with contacts of surfaces under the microscope: its contacts at any configuration.
#ifndef PCS_TESTS_SUPPORT_CONTACT_SCENE_H
#define PCS_TESTS_SUPPORT_CONTACT_SCENE_H

#include "base/random.h"
#include "model/assembly.h"
#include "model/builder.h"
#include "percuss/mesh.h"

enum { SCENE_Q_MAX = 1024, SCENE_SLOTS_MAX = 512 };

typedef struct contact_scene {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_configuration c, from;
    double q[SCENE_Q_MAX], v[SCENE_Q_MAX], moved[SCENE_Q_MAX], turns[8];
    pcs_contact *contacts, *before;
} contact_scene;

// Bodies, meshes and contacts are added between begin and finish; end asserts that nothing leaks.
void contact_scene_begin(contact_scene *s, int32_t dimension);
void contact_scene_finish(contact_scene *s);
void contact_scene_end(contact_scene *s);
void contact_scene_must(contact_scene *s,
                        pcs_status status); // fails with the message of the context

pcs_body_id contact_scene_add_body(contact_scene *s, const char *name, pcs_vec3 position);
pcs_mesh_id contact_scene_add_mesh(contact_scene *s, const pcs_mesh_def *def);
pcs_surface_contact_def contact_scene_on(const char *name, pcs_mesh_id mesh,
                                         pcs_target_kind target);
// Both meshes, nodes of `points` on faces of `target` (reach 0: as usual), and finish; the id of
// `points`.
pcs_mesh_id contact_scene_finish_on_faces(contact_scene *s, const pcs_mesh_def *target,
                                          const pcs_mesh_def *points, double reach);

// s->contacts at q [+] h d, or at q.
void contact_scene_go_to(contact_scene *s, double h, const double *d);
void contact_scene_evaluate(contact_scene *s);
// Random q around the initial one, random v.
void contact_scene_shake(contact_scene *s, pcs_random *random, double size);
// F += H^T r of one contact.
void contact_scene_force(const pcs_model *m, const pcs_contact *contact, const double *r,
                         double *F);

#endif
