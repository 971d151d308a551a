// Runs of a smooth integrator on a scene.
#include "support/march_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_march(march_run *r, const pcs_march_opts *opts)
{
    const pcs_model *model = r->scene->model;
    pcs_context *ctx = r->scene->ctx;
    scene_require(r->scene, pcs_march_create(ctx, model, opts, &r->march));
    double *q = PCS_NEW_ARRAY(ctx, double, model->n_q), *v = PCS_NEW_ARRAY(ctx, double, model->n_v);
    if (!q || !v)
        abort();
    pcs_model_initial_state(model, q, v);
    pcs_smooth_bind(r->march->smooth, r->turns, NULL);
    pcs_configuration c;
    scene_require(r->scene, pcs_configuration_init(ctx, model, &c));
    pcs_configuration_update(model, &c, 0, q, v, r->turns, NULL);
    pcs_model_initial_turns(model, &c, r->turns);
    pcs_configuration_free(ctx, &c);
    if (pcs_smooth_project(r->march->smooth, 0, q, v, 1e-13, true, true) != PCS_OK) {
        fprintf(stderr, "march_run: the initial state cannot be projected\n");
        abort();
    }
    scene_require(r->scene, pcs_march_begin(r->march, &r->phase, 0, q, v, false));
    pcs_free(ctx, q);
    pcs_free(ctx, v);
}

void march_run_begin(march_run *r, scene *s, const pcs_march_opts *opts)
{
    *r = (march_run){.scene = s};
    scene_finish(s, 1e-3, 1); // the simulation is not used
    scene_require(s, pcs_phase_init(s->ctx, s->model, &r->phase));
    r->turns = PCS_NEW_ARRAY(s->ctx, double, s->model->n_turns);
    if (!r->turns)
        abort();
    begin_march(r, opts);
}

void march_run_restart(march_run *r, const pcs_march_opts *opts)
{
    pcs_march_destroy(r->march);
    memset(r->turns, 0, sizeof(double) * (size_t)r->scene->model->n_turns);
    begin_march(r, opts);
}

void march_run_to(march_run *r, double t)
{
    while (r->march->to.t < t)
        scene_require(r->scene, pcs_march_step(r->march, t));
}

void march_run_end(march_run *r)
{
    pcs_march_destroy(r->march);
    pcs_phase_free(r->scene->ctx, &r->phase);
    pcs_free(r->scene->ctx, r->turns);
    scene_end(r->scene);
}

static pcs_march_opts with_integrator(const char *integrator)
{
    pcs_march_opts opts = pcs_march_default();
    opts.class = pcs_integrator_find(integrator);
    if (!opts.class) {
        fprintf(stderr, "march_run: no integrator '%s'\n", integrator);
        abort();
    }
    return opts;
}

pcs_march_opts march_run_fixed(const char *integrator, double h)
{
    pcs_march_opts opts = with_integrator(integrator);
    opts.fixed = true;
    opts.first_step = h;
    return opts;
}

pcs_march_opts march_run_controlled(const char *integrator, double tolerance)
{
    pcs_march_opts opts = with_integrator(integrator);
    opts.tolerance = tolerance;
    return opts;
}
