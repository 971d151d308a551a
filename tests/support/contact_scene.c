#include "support/contact_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void contact_scene_must(contact_scene *s, pcs_status status)
{
    if (status != PCS_OK)
        fail_msg("%s", pcs_context_error(s->ctx));
}

void contact_scene_begin(contact_scene *s, int32_t dimension)
{
    memset(s, 0, sizeof *s);
    s->ctx = pcs_context_create(NULL);
    assert_non_null(s->ctx);
    contact_scene_must(s, pcs_builder_create(s->ctx, dimension, &s->builder));
}

void contact_scene_finish(contact_scene *s)
{
    contact_scene_must(s, pcs_builder_finish(s->builder, &s->model));
    assert_true(s->model->n_q <= SCENE_Q_MAX && s->model->n_slots <= SCENE_SLOTS_MAX);
    contact_scene_must(s, pcs_configuration_init(s->ctx, s->model, &s->c));
    contact_scene_must(s, pcs_configuration_init(s->ctx, s->model, &s->from));
    s->contacts = pcs_model_contacts_create(s->ctx, s->model);
    s->before = pcs_model_contacts_create(s->ctx, s->model);
    assert_true(s->contacts && s->before);
    pcs_model_initial_state(s->model, s->q, s->v);
}

void contact_scene_end(contact_scene *s)
{
    if (s->model) {
        pcs_configuration_free(s->ctx, &s->c);
        pcs_configuration_free(s->ctx, &s->from);
        pcs_model_contacts_destroy(s->ctx, s->contacts);
        pcs_model_contacts_destroy(s->ctx, s->before);
    }
    pcs_model_destroy(s->model);
    pcs_builder_destroy(s->builder);
    assert_int_equal(pcs_context_heap_bytes(s->ctx), 0);
    pcs_context_destroy(s->ctx);
}

void contact_scene_go_to(contact_scene *s, double h, const double *d)
{
    double way[SCENE_Q_MAX];
    for (int32_t i = 0; i < s->model->n_v; i++)
        way[i] = h * d[i];
    pcs_model_retract(s->model, s->q, way, s->moved);
    pcs_configuration_update(s->model, &s->c, 0.83 + h, s->moved, s->v, s->turns, NULL);
    pcs_model_contacts(s->model, &s->c, true, s->contacts);
}

void contact_scene_evaluate(contact_scene *s)
{
    const double none[SCENE_Q_MAX] = {0};
    contact_scene_go_to(s, 0.0, none);
}

void contact_scene_shake(contact_scene *s, pcs_random *random, double size)
{
    double d[SCENE_Q_MAX];
    pcs_model_initial_state(s->model, s->q, s->v);
    for (int32_t i = 0; i < s->model->n_v; i++) {
        d[i] = pcs_random_between(random, -size, size);
        s->v[i] = pcs_random_between(random, -1.0, 1.0);
    }
    pcs_model_retract(s->model, s->q, d, s->q);
}

pcs_body_id contact_scene_add_body(contact_scene *s, const char *name, pcs_vec3 position)
{
    pcs_body_def body = pcs_body_default();
    body.name = name;
    body.mass = 1.7;
    body.inertia = (pcs_mat3){{{0.31, 0.01, 0.0}, {0.01, 0.42, 0.0}, {0.0, 0.0, 0.53}}};
    body.center = pcs_v3(0.07, -0.05, 0.0);
    body.position = position;
    pcs_body_id id;
    contact_scene_must(s, pcs_builder_add_body(s->builder, &body, &id));
    return id;
}

pcs_mesh_id contact_scene_add_mesh(contact_scene *s, const pcs_mesh_def *def)
{
    pcs_mesh_id id;
    contact_scene_must(s, pcs_builder_add_mesh(s->builder, def, &id));
    return id;
}

void contact_scene_force(const pcs_model *m, const pcs_contact *contact, const double *r, double *F)
{
    for (int32_t k = 0; k < contact->row.n_nodes; k++) {
        const pcs_node *node = pcs_model_node(m, contact->row.node[k]);
        for (int32_t i = 0; i < contact->row.size; i++)
            for (int32_t j = 0; j < node->n_v; j++)
                F[node->v + j] += r[i] * contact->row.J[k][i * node->n_v + j];
    }
}

pcs_surface_contact_def contact_scene_on(const char *name, pcs_mesh_id mesh, pcs_target_kind target)
{
    pcs_surface_contact_def def = pcs_surface_contact_default();
    def.name = name;
    def.mesh = mesh;
    def.target = target;
    def.radius = 0.47;
    def.size = pcs_v3(0.91, 0.83, 0.67);
    def.law = (pcs_law){0.3, 0.2, 0.0};
    return def;
}

pcs_mesh_id contact_scene_finish_on_faces(contact_scene *s, const pcs_mesh_def *target,
                                          const pcs_mesh_def *points, double reach)
{
    const pcs_mesh_id faces = contact_scene_add_mesh(s, target),
                      nodes = contact_scene_add_mesh(s, points);
    pcs_surface_contact_def def = contact_scene_on("point", nodes, PCS_TARGET_FACES);
    def.target_mesh = faces;
    def.reach = reach;
    contact_scene_must(s, pcs_builder_add_surface_contact(s->builder, &def));
    contact_scene_finish(s);
    return nodes;
}
