// Contacts of surfaces: which face a node finds; balance of forces; slip; contacts of everything
// with everything; refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/surface.h"
#include "support/contact_scene.h"
#include "support/mesh_blocks.h"
#include "support/near.h"

// ---- Which face ----

// A cube on a cube of the same mesh: all nodes of the lower face of the upper one see the upper
// face of the lower one, also those on its edges and corners, a little above and a little inside;
// the others see nothing that they are in. One element for each cube, then thin plates.
static void test_stack(void **state)
{
    (void)state;
    static const double heights[] = {1e-3, 1e-12, 0.0, -1e-12, -1e-9, -1e-4};
    for (int variant = 0; variant < 3; variant++)
        for (size_t k = 0; k < sizeof heights / sizeof *heights; k++) {
            static contact_scene s;
            static mesh_block lower, upper;
            const int n = variant == 0 ? 1 : 3;
            const double thick = variant == 2 ? 0.01 : 1.0, h = heights[k];
            contact_scene_begin(&s, 3);
            mesh_block_init(&lower, "lower", pcs_v3(0, 0, 0), pcs_v3(1, 1, thick), n, n,
                            variant == 2 ? 1 : n, false);
            mesh_block_init(&upper, "upper", pcs_v3(0, 0, thick + h), pcs_v3(1, 1, thick), n, n,
                            variant == 2 ? 1 : n, false);
            contact_scene_add_mesh(&s, &lower.mesh);
            contact_scene_add_mesh(&s, &upper.mesh);
            pcs_auto_contact_def def = pcs_auto_contact_default();
            def.name = "touch";
            def.law.friction = 0.4;
            contact_scene_must(&s, pcs_builder_add_all_surface_contacts(s.builder, &def));
            contact_scene_finish(&s);
            contact_scene_evaluate(&s);
            int32_t touching = 0;
            for (int32_t pass = 0; pass < 2; pass++) {
                const pcs_surface_contact *contact = &s.model->surface_contacts.data[pass];
                const double up = pass == 0 ? -1.0 : 1.0; // normal, from the target to the node
                const double face_z = pass == 0 ? thick : thick + h;
                for (int32_t i = 0; i < contact->n_nodes; i++) {
                    const pcs_contact *slot = &s.contacts[contact->first_slot + i];
                    const double z = s.c.pose[contact->node[i]].x.z;
                    if (fabs(z - face_z) > 1e-15) {
                        assert_true(slot->gap > 0.005);
                        continue;
                    }
                    touching++;
                    assert_near(slot->gap, h, 1e-15);
                    assert_near(slot->normal.z, up, 1e-15);
                }
            }
            assert_int_equal(touching, 2 * (n + 1) * (n + 1));
            contact_scene_end(&s);
        }
}

// Evaluates a cube on or beside another one with its corner at `low`; the slots of its nodes against
// the lower one come behind those of the lower one.
static void place_cubes(contact_scene *s, mesh_block cubes[2], pcs_vec3 low, int n)
{
    contact_scene_begin(s, 3);
    mesh_block_init(&cubes[0], "lower", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), n, n, n, false);
    mesh_block_init(&cubes[1], "upper", low, pcs_v3(1, 1, 1), n, n, n, false);
    contact_scene_add_mesh(s, &cubes[0].mesh);
    contact_scene_add_mesh(s, &cubes[1].mesh);
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = "touch";
    def.reach = 3.0;
    contact_scene_must(s, pcs_builder_add_all_surface_contacts(s->builder, &def));
    contact_scene_finish(s);
    contact_scene_evaluate(s);
}

// Cubes that are not quite flush: at each of the four corners at least one of the two nodes sees
// the face of the other cube, with its height as the gap and the face's normal, whether it lies
// over the face or beside it; and no node sees anything sideways that it would be held by.
static void test_flush(void **state)
{
    (void)state;
    static const double heights[] = {1e-3, 0.0, -1e-12, -1e-6};
    static contact_scene s;
    static mesh_block cubes[2];
    pcs_random random;
    pcs_random_init(&random, 71);
    for (int trial = 0; trial < 60; trial++) {
        const double h = heights[trial % 4], size = pow(10, pcs_random_between(&random, -9, -1.6));
        const int n = trial % 3 == 2 ? 2 : 1;
        const double reach = n == 2 ? 0.5 : 1.0; // a face is half as large
        const pcs_vec3 low = {reach * size * pcs_random_between(&random, -1, 1),
                              reach * size * pcs_random_between(&random, -1, 1), 1 + h};
        place_cubes(&s, cubes, low, n);
        int32_t seen[4] = {0, 0, 0, 0};
        for (int32_t pass = 0; pass < 2; pass++) {
            const pcs_surface_contact *contact = &s.model->surface_contacts.data[pass];
            for (int32_t i = 0; i < contact->n_nodes; i++) {
                const pcs_contact *slot = &s.contacts[contact->first_slot + i];
                const pcs_vec3 x = s.c.pose[contact->node[i]].x;
                const bool near = fabs(x.z - (pass == 0 ? 1 : 1 + h)) < 1e-14;
                if (!near || slot->gap > 0.1) {
                    assert_true(slot->gap > 0.1);
                    continue;
                }
                assert_near(slot->gap, h, 1e-14);
                assert_near(slot->normal.z, pass == 0 ? -1 : 1, 1e-14);
                const bool right = x.x > 0.7, back = x.y > 0.7;
                if ((right || x.x < 0.3) && (back || x.y < 0.3))
                    seen[right + 2 * back]++;
            }
        }
        for (int k = 0; k < 4; k++)
            assert_true(seen[k] > 0);
        contact_scene_end(&s);
    }
}

// A cube that is let down beside another one with a little play, straight or turned by a hair, is
// not caught by its edges: the gap of every node is at least the play.
static void test_passing_by(void **state)
{
    (void)state;
    static contact_scene s;
    static mesh_block cubes[2];
    pcs_random random;
    pcs_random_init(&random, 73);
    for (int trial = 0; trial < 60; trial++) {
        const double play = pow(10, pcs_random_between(&random, -5, -1.5));
        const double z = pcs_random_between(&random, -1, 1.2);
        const double y = trial % 2 ? 0 : pcs_random_between(&random, -0.5, 0.5);
        place_cubes(&s, cubes, pcs_v3(1 + play, y, z), 1 + trial % 2);
        for (int32_t i = 0; i < s.model->n_slots; i++)
            assert_true(s.contacts[i].gap >= play * (1 - 1e-9));
        contact_scene_end(&s);
    }
}

// A point above a block with a step in it moves far and near, over faces, edges and corners and
// through the concave one: from outside its gap is the distance of the nearest face, as found by
// looking at all of them; and it changes by no more than the way.
static void test_roaming_point(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 67);
    static contact_scene s;
    static mesh_block low;
    static mesh_chain bar;
    contact_scene_begin(&s, 3);
    mesh_block_init(&low, "low", pcs_v3(0, 0, 0), pcs_v3(2, 1, 1), 4, 2, 2, false);
    // The last layer over the first half only: a step.
    int32_t kept = 0;
    for (int32_t i = 0; i < low.n_cells; i++)
        if (!(i >= 8 && i % 4 >= 2))
            memmove(low.cells + 8 * kept++, low.cells + 8 * i, 8 * sizeof *low.cells);
    low.part.n_elements = kept;
    int32_t number[BLOCK_NODES_MAX], used = 0;
    for (int32_t i = 0; i < low.n_nodes; i++) {
        bool found = false;
        for (int32_t k = 0; k < 8 * kept; k++)
            found = found || low.cells[k] == i;
        number[i] = found ? used : -1;
        if (found)
            low.nodes[used++] = low.nodes[i];
    }
    for (int32_t k = 0; k < 8 * kept; k++)
        low.cells[k] = number[low.cells[k]];
    low.mesh.n_nodes = used;
    mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(0.1, 0.1, 1.4), pcs_v3(0.6, 0.2, 1.5), 1);
    const pcs_mesh_id points = contact_scene_finish_on_faces(&s, &low.mesh, &bar.mesh, 3.0);
    const pcs_mesh_surface *surface =
        &s.model->surfaces.data[s.model->surface_contacts.data[0].target];
    double *x = s.q + pcs_model_node(s.model, s.model->meshes.data[points].first_node)->q;
    double last = 0.0, step = 0.0;
    int32_t outside = 0, inside = 0;
    for (int trial = 0; trial < 4000; trial++) {
        for (int k = 0; k < 3; k++) {
            const double way = pcs_random_between(&random, -0.02, 0.02);
            const double high = k == 0 ? 2.5 : 1.5;
            const double next = fmin(fmax(x[k] + way + (trial % 97 == 0 ? 10 * way : 0), -0.5),
                                     high);
            step = k == 0 ? fabs(next - x[0]) : hypot(step, fabs(next - x[k]));
            x[k] = next;
        }
        contact_scene_evaluate(&s);
        double nearest = HUGE_VAL;
        for (int32_t i = 0; i < surface->n_faces; i++) {
            pcs_face face = {.n = 4};
            pcs_face_foot foot;
            for (int k = 0; k < 4; k++)
                face.x[k] = s.c.pose[surface->face[i][k]].x;
            pcs_face_find(&face, pcs_v3(x[0], x[1], x[2]), PCS_FACE_MARGIN, &foot);
            nearest = fmin(nearest, foot.distance);
        }
        const bool in_low = x[0] > 0 && x[0] < 2 && x[1] > 0 && x[1] < 1 && x[2] > 0 && x[2] < 0.5;
        const bool in_high = x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1 && x[2] > 0 && x[2] < 1;
        const double gap = s.contacts[0].gap;
        if (in_low || in_high)
            inside++;
        else
            outside++;
        assert_near(gap, in_low || in_high ? -nearest : nearest, 1e-14);
        if (trial > 0)
            assert_true(fabs(gap - last) <= step + 1e-13);
        last = gap;
    }
    assert_true(outside > 500 && inside > 200);
    contact_scene_end(&s);
}

static void test_reach(void **state)
{
    (void)state;
    static contact_scene s;
    static mesh_block low;
    static mesh_chain bar;
    contact_scene_begin(&s, 3);
    mesh_block_init(&low, "low", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 2, 2, 2, false);
    mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(0.3, 0.4, 2.3), pcs_v3(0.6, 0.4, 2.5), 1);
    contact_scene_finish_on_faces(&s, &low.mesh, &bar.mesh, 0);
    assert_near(s.model->surface_contacts.data[0].reach, 2 * sqrt(0.5), 1e-15);
    contact_scene_evaluate(&s);
    assert_near(s.contacts[0].gap, 1.3, 1e-15);
    assert_true(s.contacts[1].gap == HUGE_VAL);
    assert_int_equal(s.contacts[1].row.n_nodes, 1);
    assert_string_equal(pcs_model_contact_name(s.model, 1), "point.1");
    contact_scene_end(&s);
}

// ---- Balance ----

// Forces of a contact between two meshes add up to nothing; so do their moments for normal forces,
// and for any force at gap 0.
static void test_balance(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 83);
    static contact_scene s;
    static mesh_block lower, upper;
    contact_scene_begin(&s, 3);
    mesh_block_init(&lower, "lower", pcs_v3(-1, -1, -0.5), pcs_v3(2, 2, 0.5), 3, 3, 1, true);
    mesh_block_init(&upper, "upper", pcs_v3(-0.8, -0.9, 0.02), pcs_v3(1.6, 1.7, 0.6), 3, 2, 1,
                    false);
    contact_scene_add_mesh(&s, &lower.mesh);
    contact_scene_add_mesh(&s, &upper.mesh);
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = "touch";
    def.law.friction = 0.4;
    contact_scene_must(&s, pcs_builder_add_all_surface_contacts(s.builder, &def));
    contact_scene_finish(&s);
    int32_t count = 0;
    for (int trial = 0; trial < 20; trial++) {
        contact_scene_shake(&s, &random, 0.05);
        contact_scene_evaluate(&s);
        for (int32_t i = 0; i < s.model->n_slots; i++) {
            if (!isfinite(s.contacts[i].gap))
                continue;
            for (int normal = 0; normal < 2; normal++) {
                double r[3], F[SCENE_Q_MAX] = {0};
                for (int j = 0; j < 3; j++)
                    r[j] = normal && j > 0 ? 0.0 : pcs_random_between(&random, -1.0, 1.0);
                contact_scene_force(s.model, &s.contacts[i], r, F);
                pcs_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
                for (int32_t k = 0; k < s.model->nodes.count; k++) {
                    const pcs_vec3 f = pcs_v3_load(F + pcs_model_node(s.model, k)->v);
                    sum = pcs_v3_add(sum, f);
                    moment = pcs_v3_add(moment, pcs_v3_cross(s.c.pose[k].x, f));
                }
                const double arm = normal ? 0.0 : fabs(s.contacts[i].gap) * hypot(r[1], r[2]);
                assert_near(pcs_v3_norm(sum), 0.0, 1e-15);
                assert_near(pcs_v3_norm(moment), arm, 1e-14);
                count++;
            }
        }
    }
    assert_true(count > 300);
    contact_scene_end(&s);
}

// ---- Slip ----

// Both bodies move as one rigid body and the upper one slides by a vector along the face: slip is
// that vector, in the tangents of the end, whatever the rigid motion and across faces.
static void test_slip(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 127);
    static contact_scene s;
    static mesh_block lower, upper;
    contact_scene_begin(&s, 3);
    mesh_block_init(&lower, "lower", pcs_v3(-1, -1, -0.5), pcs_v3(2, 2, 0.5), 4, 4, 1, false);
    mesh_block_init(&upper, "upper", pcs_v3(-0.5, -0.5, 0.013), pcs_v3(1, 1, 0.6), 2, 2, 1, false);
    const pcs_mesh_id low = contact_scene_add_mesh(&s, &lower.mesh),
                      high = contact_scene_add_mesh(&s, &upper.mesh);
    pcs_surface_contact_def def = contact_scene_on("slide", high, PCS_TARGET_FACES);
    def.target_mesh = low;
    contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    contact_scene_finish(&s);
    const pcs_mesh *mesh = &s.model->meshes.data[high];
    double slip[2 * SCENE_SLOTS_MAX];
    for (int trial = 0; trial < 30; trial++) {
        const pcs_quat p = pcs_so3_exp(
            pcs_v3(pcs_random_between(&random, -1, 1), 0.3 * trial, 0.2));
        const pcs_mat3 R = pcs_quat_matrix(p);
        const pcs_vec3 shift = pcs_v3(0.3, pcs_random_between(&random, -1, 1), 0.7);
        const pcs_vec3 slide = pcs_v3(pcs_random_between(&random, -0.3, 0.3),
                                      pcs_random_between(&random, -0.3, 0.3), 0.0);
        pcs_configuration_update(s.model, &s.from, 0.0, s.q, s.v, s.turns, NULL);
        pcs_model_contacts(s.model, &s.from, true, s.before);
        pcs_model_contacts_slip(s.model, &s.from, s.before, &s.from, s.before, slip);
        for (int32_t i = 0; i < 2 * s.model->n_slots; i++)
            assert_true(slip[i] == 0.0);
        for (int32_t k = 0; k < s.model->nodes.count; k++) {
            const pcs_node *node = pcs_model_node(s.model, k);
            pcs_vec3 x = pcs_v3_load(s.q + node->q);
            if (k >= mesh->first_node)
                x = pcs_v3_add(x, slide);
            pcs_v3_store(s.moved + node->q, pcs_v3_add(shift, pcs_m3_mul_v3(&R, x)));
        }
        pcs_configuration_update(s.model, &s.c, 0.1, s.moved, s.v, s.turns, NULL);
        pcs_model_contacts(s.model, &s.c, true, s.contacts);
        pcs_model_contacts_slip(s.model, &s.from, s.before, &s.c, s.contacts, slip);
        const pcs_vec3 expected = pcs_m3_mul_v3(&R, slide);
        int32_t touching = 0;
        for (int32_t i = 0; i < s.model->n_slots; i++) {
            const pcs_contact *contact = &s.contacts[i];
            if (!(contact->gap < 0.1))
                continue;
            touching++;
            assert_near(contact->gap, 0.013, 1e-14);
            assert_near(slip[2 * i], pcs_v3_dot(contact->tangent1, expected), 1e-14);
            assert_near(slip[2 * i + 1], pcs_v3_dot(contact->tangent2, expected), 1e-14);
        }
        assert_int_equal(touching, 9);
    }
    contact_scene_end(&s);
}

// A plane on a body that spins and moves under resting nodes: the way in the axes of the plane.
static void test_slip_on_plane(void **state)
{
    (void)state;
    static contact_scene s;
    static mesh_block upper;
    contact_scene_begin(&s, 3);
    const pcs_body_id table = contact_scene_add_body(&s, "table", pcs_v3(0, 0, 0));
    mesh_block_init(&upper, "upper", pcs_v3(-0.5, -0.5, 0.0), pcs_v3(1, 1, 0.6), 2, 2, 1, false);
    const pcs_mesh_id high = contact_scene_add_mesh(&s, &upper.mesh);
    pcs_surface_contact_def def = contact_scene_on("slide", high, PCS_TARGET_PLANE);
    def.frame.body = table;
    def.surface_speed[0] = pcs_number(0.4);
    contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    contact_scene_finish(&s);
    pcs_configuration_update(s.model, &s.from, 0.0, s.q, s.v, s.turns, NULL);
    pcs_model_contacts(s.model, &s.from, true, s.before);
    // The table turns about z of the world through its frame, whose origin is the world's.
    const double angle = 0.31;
    const pcs_body *body = &s.model->bodies.data[table];
    memcpy(s.moved, s.q, sizeof s.q);
    const pcs_quat p = pcs_so3_exp(pcs_v3(0, 0, angle));
    const pcs_mat3 R = pcs_quat_matrix(p);
    pcs_v3_store(s.moved, pcs_m3_mul_v3(&R, body->center));
    const double quat[4] = {p.w, p.x, p.y, p.z};
    memcpy(s.moved + 3, quat, sizeof quat);
    pcs_configuration_update(s.model, &s.c, 0.2, s.moved, s.v, s.turns, NULL);
    pcs_model_contacts(s.model, &s.c, true, s.contacts);
    double slip[2 * SCENE_SLOTS_MAX];
    pcs_model_contacts_slip(s.model, &s.from, s.before, &s.c, s.contacts, slip);
    const pcs_surface_contact *contact = &s.model->surface_contacts.data[0];
    for (int32_t i = 0; i < contact->n_nodes; i++) {
        const pcs_vec3 x = s.c.pose[contact->node[i]].x;
        const pcs_vec3 d = pcs_v3_sub(pcs_m3_tmul_v3(&R, x), x);
        assert_near(slip[2 * i], d.x - 0.4 * 0.2, 1e-15);
        assert_near(slip[2 * i + 1], d.y, 1e-15);
    }
    contact_scene_end(&s);
}

// ---- Everything with everything ----

static void test_everything(void **state)
{
    (void)state;
    static contact_scene s;
    static mesh_block one, two;
    static mesh_chain beam;
    contact_scene_begin(&s, 3);
    pcs_body_def body = pcs_body_default();
    pcs_shape_def shapes[3] = {pcs_shape_default(), pcs_shape_default(), pcs_shape_default()};
    shapes[0].kind = PCS_SHAPE_SPHERE;
    shapes[0].size = pcs_v3(0.3, 0, 0);
    shapes[1].kind = PCS_SHAPE_CAPSULE;
    shapes[1].size = pcs_v3(0.2, 0, 0.7);
    shapes[2].kind = PCS_SHAPE_ROD;
    shapes[2].size = pcs_v3(0, 0, 0.7);
    for (int i = 0; i < 3; i++)
        shapes[i].density = 2.1;
    body.name = "ball";
    body.shapes = shapes;
    body.n_shapes = 3;
    body.position = pcs_v3(0, 0, 5);
    pcs_body_id id;
    contact_scene_must(&s, pcs_builder_add_body(s.builder, &body, &id));
    mesh_block_init(&one, "one", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 1, 1, 1, false);
    mesh_block_init(&two, "two", pcs_v3(0, 0, 1.1), pcs_v3(1, 1, 1), 2, 1, 1, false);
    mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(0, 0, 3), pcs_v3(1, 0, 3), 2);
    const pcs_mesh_fixation_def link = {.group = "line", .linked = true, .body = id};
    beam.mesh.n_groups = 0;
    const int32_t first[1] = {0};
    const pcs_mesh_group_def end_group = {.name = "line", .nodes = first, .n_nodes = 1};
    beam.mesh.groups = &end_group;
    beam.mesh.n_groups = 1;
    beam.mesh.fixations = &link;
    beam.mesh.n_fixations = 1;
    contact_scene_add_mesh(&s, &one.mesh);
    contact_scene_add_mesh(&s, &two.mesh);
    contact_scene_add_mesh(&s, &beam.mesh);
    pcs_frame ground = pcs_frame_default();
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = "touch";
    def.one_pass = true;
    def.planes = &ground;
    def.n_planes = 1;
    contact_scene_must(&s, pcs_builder_add_all_surface_contacts(s.builder, &def));
    // Again under the same name: refused, and nothing is left of it.
    assert_int_equal(pcs_builder_add_all_surface_contacts(s.builder, &def), PCS_ERROR_MODEL);
    contact_scene_finish(&s);
    static const char *const names[] = {"touch_one_ball",   "touch_one_ball_2", "touch_one_plane1",
                                        "touch_two_one",    "touch_two_ball",   "touch_two_ball_2",
                                        "touch_two_plane1", "touch_beam_one",   "touch_beam_two",
                                        "touch_beam_plane1"};
    const int32_t count = (int32_t)(sizeof names / sizeof *names);
    assert_int_equal(s.model->surface_contacts.count, count);
    for (int32_t i = 0; i < count; i++)
        assert_string_equal(s.model->surface_contacts.data[i].name, names[i]);
    assert_int_equal(s.model->n_slots, 3 * 8 + 4 * 12 + 3 * 3);
    assert_string_equal(pcs_model_contact_name(s.model, 24), "touch_two_one.0");
    contact_scene_evaluate(&s);
    const int32_t floor_slot = s.model->surface_contacts.data[2].first_slot;
    for (int32_t i = 0; i < 8; i++)
        assert_near(s.contacts[floor_slot + i].gap, i < 4 ? 0.0 : 1.0, 0.0);
    contact_scene_end(&s);
}

// ---- Refusals ----

static void refuse(contact_scene *s, const pcs_surface_contact_def *def, const char *text)
{
    assert_int_equal(pcs_builder_add_surface_contact(s->builder, def), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(s->ctx), text))
        fail_msg("'%s' is not in: %s", text, pcs_context_error(s->ctx));
}

static void test_refusals(void **state)
{
    (void)state;
    static contact_scene s;
    static mesh_block one;
    static mesh_chain beam;
    contact_scene_begin(&s, 3);
    mesh_block_init(&one, "one", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 1, 1, 1, false);
    mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(0, 0, 3), pcs_v3(1, 0, 3), 2);
    beam.mesh.n_groups = 0;
    pcs_auto_contact_def all = pcs_auto_contact_default();
    all.name = "all";
    assert_int_equal(pcs_builder_add_all_surface_contacts(s.builder, &all), PCS_ERROR_MODEL);
    const pcs_mesh_id cube = contact_scene_add_mesh(&s, &one.mesh),
                      line = contact_scene_add_mesh(&s, &beam.mesh);
    const pcs_surface_contact_def good = contact_scene_on("c", cube, PCS_TARGET_BOX);
    pcs_surface_contact_def def = good;
    def.name = "c d";
    refuse(&s, &def, "letters, digits");
    def = good;
    def.mesh = 7;
    refuse(&s, &def, "there is no mesh 7");
    def = good;
    def.group = "surfase";
    refuse(&s, &def, "did you mean 'surface'");
    def = good;
    def.target = (pcs_target_kind)17;
    refuse(&s, &def, "unknown target 17");
    def = good;
    def.size.y = 0.0;
    refuse(&s, &def, "size.y must be a number > 0");
    def.target = PCS_TARGET_SPHERE;
    def.radius = NAN;
    refuse(&s, &def, "radius must be a number > 0");
    def = good;
    def.law.friction = -1.0;
    refuse(&s, &def, "friction");
    def = good;
    def.node_radius = -0.1;
    refuse(&s, &def, "node_radius");
    def = good;
    def.reach = INFINITY;
    refuse(&s, &def, "reach");
    def = good;
    def.surface_speed[0] = pcs_number(1.0);
    refuse(&s, &def, "only a plane may have a surface speed");
    def = good;
    contact_scene_must(&s, pcs_builder_mesh_node(s.builder, cube, 3, &def.frame.node));
    refuse(&s, &def, "sits on a node that touches it");
    def = good;
    def.target = PCS_TARGET_FACES;
    def.target_mesh = cube;
    refuse(&s, &def, "cannot touch itself");
    def.target_mesh = line;
    refuse(&s, &def, "has no faces to touch");
    def.target_mesh = -1;
    refuse(&s, &def, "there is no mesh -1");
    contact_scene_must(&s, pcs_builder_add_surface_contact(s.builder, &good));
    refuse(&s, &good, "the name is taken");
    contact_scene_finish(&s);
    contact_scene_end(&s);

    contact_scene_begin(&s, 2);
    mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(0, 3, 0), pcs_v3(1, 3, 0), 2);
    contact_scene_add_mesh(&s, &beam.mesh);
    def = contact_scene_on("c", 0, PCS_TARGET_CAPSULE);
    refuse(&s, &def, "not a shape of planar models");
    contact_scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack),      cmocka_unit_test(test_roaming_point),
        cmocka_unit_test(test_flush),      cmocka_unit_test(test_passing_by),
        cmocka_unit_test(test_reach),      cmocka_unit_test(test_balance),
        cmocka_unit_test(test_slip),       cmocka_unit_test(test_slip_on_plane),
        cmocka_unit_test(test_everything), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
