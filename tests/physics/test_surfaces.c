// Surfaces of meshes in runs: weight carried through two passes of a stack, sliding with friction
// to a stop, and, with events, sliding from face to face and over the end.
#include <math.h>

#include "model/model.h"
#include "support/mesh_blocks.h"
#include "support/near.h"
#include "support/rig.h"

static const double g = 9.81;

static pcs_mesh_id add_mesh(rig *r, const pcs_mesh_def *def)
{
    pcs_mesh_id id;
    rig_must(r, pcs_builder_add_mesh(r->builder, def, &id));
    return id;
}

static void start(rig *r, const char *scheme, double end, double step)
{
    rig_must(r, pcs_builder_finish(r->builder, &r->model));
    pcs_simulation_def def = pcs_simulation_default();
    def.end = end;
    def.step = step;
    def.scheme = scheme;
    rig_must(r, pcs_simulation_create(r->ctx, r->model, &def, &r->simulation));
    rig_must(r, pcs_simulation_start(r->simulation));
}

// Mean position and velocity of a mesh, by mass.
static void mean_motion(const rig *r, pcs_mesh_id mesh, pcs_vec3 *x, pcs_vec3 *v)
{
    const pcs_mesh *m = &r->model->meshes.data[mesh];
    const double *q = pcs_simulation_q(r->simulation), *u = pcs_simulation_v(r->simulation);
    const bool planar = r->dimension == 2;
    double mass = 0.0;
    *x = *v = pcs_v3(0, 0, 0);
    for (int32_t i = 0; i < m->n_nodes; i++) {
        const pcs_node *node = pcs_model_node(r->model, m->first_node + i);
        const double *a = q + node->q, *b = u + node->v, w = m->node_mass[i];
        *x = pcs_v3_axpy(*x, w, pcs_v3(a[0], a[1], planar ? 0 : a[2]));
        *v = pcs_v3_axpy(*v, w, pcs_v3(b[0], b[1], planar ? 0 : b[2]));
        mass += w;
    }
    *x = pcs_v3_scale(1 / mass, *x);
    *v = pcs_v3_scale(1 / mass, *v);
}

// Sum of the forces that the slots of a surface contact exert on its nodes.
static pcs_vec3 force_on(const rig *r, int32_t contact)
{
    const pcs_surface_contact *c = &r->model->surface_contacts.data[contact];
    pcs_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < c->n_nodes; i++) {
        pcs_contact_view view;
        pcs_simulation_contact(r->simulation, c->first_slot + i, &view);
        sum = pcs_v3_axpy(sum, view.force[0], view.normal);
        sum = pcs_v3_axpy(sum, view.force[1], view.tangent1);
        sum = pcs_v3_axpy(sum, view.force[2], view.tangent2);
    }
    return sum;
}

static double deepest(const rig *r)
{
    double least = 0.0;
    for (int32_t i = 0; i < r->model->n_slots; i++) {
        pcs_contact_view view;
        pcs_simulation_contact(r->simulation, i, &view);
        least = fmin(least, view.gap);
    }
    return -least;
}

static void stiffen(mesh_block *b, double young, double damping)
{
    b->part.material.young = young;
    b->part.material.damping = damping;
}

// Two damped cubes, one on the other on the ground, from a small height. In every step the impulse
// of the ground is what the momentum of both asks for, and the two passes between them together
// carry the upper one: a small one by its own nodes, a wide one by those of the lower.
static void check_stack(bool wide)
{
    static rig r;
    static mesh_block low, high;
    const double h = 2e-3;
    rig_begin(&r, 3, pcs_v3(0, 0, -g));
    mesh_block_init(&low, "low", pcs_v3(0, 0, 0.001), pcs_v3(0.31, 0.31, 0.31), 3, 3, 2, false);
    mesh_block_init(&high, "high", wide ? pcs_v3(-0.05, -0.04, 0.312) : pcs_v3(0.03, 0.02, 0.312),
                    wide ? pcs_v3(0.41, 0.4, 0.21) : pcs_v3(0.23, 0.23, 0.23), 2, 2, 2, false);
    stiffen(&low, 1e5, 0.02);
    stiffen(&high, 1e5, 0.02);
    low.part.material.density = high.part.material.density = 1000;
    const pcs_mesh_id lower = add_mesh(&r, &low.mesh), upper = add_mesh(&r, &high.mesh);
    const pcs_frame ground = pcs_frame_default();
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = "touch";
    def.law.friction = 0.5;
    def.planes = &ground;
    def.n_planes = 1;
    rig_must(&r, pcs_builder_add_all_surface_contacts(r.builder, &def));
    start(&r, "moreau-jean", 0.4, h);
    const double m = pcs_model_mesh_mass(r.model, upper);
    const double both = m + pcs_model_mesh_mass(r.model, lower);
    double before = 0.0, before_both = 0.0;
    bool downwards = false, upwards = false; // passes that have carried load
    while (!pcs_simulation_finished(r.simulation)) {
        pcs_vec3 x, v, v_low;
        rig_step(&r);
        mean_motion(&r, upper, &x, &v);
        mean_motion(&r, lower, &x, &v_low);
        const double momentum = m * v.z, all = momentum + (both - m) * v_low.z;
        // What Newton leaves of the balance: internal forces are some 100 weights
        assert_near(force_on(&r, 1).z + force_on(&r, 3).z, both * g + (all - before_both) / h,
                    1e-8 * both * g);
        // The view has normals of the end of the step, the impulse those of its middle.
        assert_near(force_on(&r, 2).z - force_on(&r, 0).z, m * g + (momentum - before) / h,
                    5e-3 * both * g);
        assert_at_most(deepest(&r), 1e-9);
        downwards = downwards || force_on(&r, 2).z > 0.1 * m * g;
        upwards = upwards || force_on(&r, 0).z < -0.1 * m * g;
        before = momentum;
        before_both = all;
    }
    assert_true(wide ? upwards : downwards);
    rig_end(&r);
}

static void test_stack(void **state)
{
    (void)state;
    check_stack(false);
    check_stack(true);
}

// A stiff block slides on a plane with speed v: it stops after v^2/(2 mu g). The block rocks
// on its elastic feet a little while it slides, which the impulses of the whole do not see: the
// mean horizontal speed falls with mu g wherever all contact points slide.
static void test_sliding(void **state)
{
    (void)state;
    static rig r;
    static mesh_block b;
    const double speed = 0.83, mu = 0.31;
    rig_begin(&r, 3, pcs_v3(0, 0, -g));
    mesh_block_init(&b, "block", pcs_v3(0, 0, 0), pcs_v3(0.4, 0.3, 0.1), 2, 2, 1, false);
    stiffen(&b, 1e6, 1e-3);
    b.part.material.density = 1000;
    b.mesh.velocity = pcs_v3(speed * 0.6, speed * 0.8, 0);
    const pcs_mesh_id mesh = add_mesh(&r, &b.mesh);
    pcs_surface_contact_def def = pcs_surface_contact_default();
    def.name = "floor";
    def.mesh = mesh;
    def.law.friction = mu;
    rig_must(&r, pcs_builder_add_surface_contact(r.builder, &def));
    const double h = 1e-3, stop = speed / (mu * g);
    start(&r, "moreau-jean", 1.5 * stop, h);
    pcs_vec3 x0, x, v;
    mean_motion(&r, mesh, &x0, &v);
    while (!pcs_simulation_finished(r.simulation))
        rig_step(&r);
    mean_motion(&r, mesh, &x, &v);
    const pcs_vec3 way = pcs_v3_sub(x, x0);
    const double length = hypot(way.x, way.y), expected = speed * speed / (2 * mu * g);
    // One step of error in the time of the start and of the end, and shear of the block: sigma/G.
    const double shear = mu * 1000 * g * 0.1 / (1e6 / 2.6) * 0.1;
    assert_near(length, expected, 2 * h * speed + shear);
    assert_near(way.y / way.x, 0.8 / 0.6, 1e-3);
    assert_at_most(hypot(v.x, v.y), 1e-4);
    assert_at_most(deepest(&r), 1e-8);
    rig_end(&r);
}

// In the plane, with events: a bar slides without friction over a line of six faces, held at all
// its nodes, leaves it with one end after the other and falls.
static void test_faces_with_events(void **state)
{
    (void)state;
    static rig r;
    static mesh_chain line, bar;
    const double speed = 1.7;
    rig_begin(&r, 2, pcs_v3(0, -g, 0));
    mesh_chain_init(&line, "line", PCS_ELEMENT_BAR, pcs_v3(-1, 0, 0), pcs_v3(0.5, 0, 0), 6);
    mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(-0.9, 0, 0), pcs_v3(-0.6, 0, 0), 1);
    const pcs_mesh_fixation_def fixed = {.group = "line", .fixed = {true, true}};
    line.mesh.fixations = &fixed;
    line.mesh.n_fixations = 1;
    bar.mesh.velocity = pcs_v3(speed, 0, 0);
    const pcs_mesh_id target = add_mesh(&r, &line.mesh), mesh = add_mesh(&r, &bar.mesh);
    pcs_surface_contact_def def = pcs_surface_contact_default();
    def.name = "slide";
    def.mesh = mesh;
    def.group = "all";
    def.target = PCS_TARGET_FACES;
    def.target_mesh = target;
    def.target_group = "line";
    rig_must(&r, pcs_builder_add_surface_contact(r.builder, &def));
    const double first = 1.1 / speed, second = 1.4 / speed;
    start(&r, "event-driven", 0.95 * first, 1e-2);
    while (!pcs_simulation_finished(r.simulation))
        rig_step(&r);
    pcs_vec3 x, v;
    mean_motion(&r, mesh, &x, &v);
    assert_near(x.x, -0.75 + speed * 0.95 * first, 1e-9);
    assert_near(x.y, 0, 1e-9);
    assert_near(v.x, speed, 1e-9);
    pcs_vec3 force = force_on(&r, 0);
    assert_near(force.y, g * pcs_model_mesh_mass(r.model, mesh), 1e-6);
    pcs_simulation_destroy(r.simulation);
    // Beyond the end: in free fall since both ends have left.
    pcs_simulation_def more = pcs_simulation_default();
    more.end = second + 0.2;
    more.step = 1e-2;
    more.scheme = "event-driven";
    rig_must(&r, pcs_simulation_create(r.ctx, r.model, &more, &r.simulation));
    rig_must(&r, pcs_simulation_start(r.simulation));
    while (!pcs_simulation_finished(r.simulation))
        rig_step(&r);
    mean_motion(&r, mesh, &x, &v);
    force = force_on(&r, 0);
    assert_true(v.y < -0.2 * g);
    assert_near(force.y, 0, 1e-12);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_faces_with_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
