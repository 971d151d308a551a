// Contacts of surfaces: rates of gaps, accelerations and tangents against differences for all targets;
// which face a node finds; balance of forces; slip; contacts of everything with everything; refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/surface.h"
#include "model/assembly.h"
#include "model/builder.h"
#include "percuss/mesh.h"
#include "support/mesh_blocks.h"
#include "support/near.h"

enum { Q_MAX = 1024, SLOTS_MAX = 512 };

// Order 6: width^6/140 times a seventh derivative, and eps/width of rounding. Lengths and speeds are
// of order 1; where a curvature is large the two widths differ and the slot is left out.
static const double WIDTH = 1e-3;
static const double TOLERANCE = 1e-8;

// ---- A model under the microscope ----

typedef struct scene {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_configuration c, from;
    double q[Q_MAX], v[Q_MAX], moved[Q_MAX], turns[8];
    pcs_contact *contacts, *before;
} scene;

static void must(scene *s, pcs_status status)
{
    if (status != PCS_OK)
        fail_msg("%s", pcs_context_error(s->ctx));
}

static void begin(scene *s, int32_t dimension)
{
    memset(s, 0, sizeof *s);
    s->ctx = pcs_context_create(NULL);
    assert_non_null(s->ctx);
    must(s, pcs_builder_create(s->ctx, dimension, &s->builder));
}

static void finish(scene *s)
{
    must(s, pcs_builder_finish(s->builder, &s->model));
    assert_true(s->model->n_q <= Q_MAX && s->model->n_slots <= SLOTS_MAX);
    must(s, pcs_configuration_init(s->ctx, s->model, &s->c));
    must(s, pcs_configuration_init(s->ctx, s->model, &s->from));
    s->contacts = pcs_model_contacts_create(s->ctx, s->model);
    s->before = pcs_model_contacts_create(s->ctx, s->model);
    assert_true(s->contacts && s->before);
    pcs_model_initial_state(s->model, s->q, s->v);
}

static void end(scene *s)
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

// Contacts at q [+] h d.
static void go_to(scene *s, double h, const double *d)
{
    double way[Q_MAX];
    for (int32_t i = 0; i < s->model->n_v; i++)
        way[i] = h * d[i];
    pcs_model_retract(s->model, s->q, way, s->moved);
    pcs_configuration_update(s->model, &s->c, 0.83 + h, s->moved, s->v, s->turns, NULL);
    pcs_model_contacts(s->model, &s->c, true, s->contacts);
}

static void evaluate(scene *s)
{
    const double none[Q_MAX] = {0};
    go_to(s, 0.0, none);
}

static void shake(scene *s, pcs_random *random, double size)
{
    double d[Q_MAX];
    pcs_model_initial_state(s->model, s->q, s->v);
    for (int32_t i = 0; i < s->model->n_v; i++) {
        d[i] = pcs_random_between(random, -size, size);
        s->v[i] = pcs_random_between(random, -1.0, 1.0);
    }
    pcs_model_retract(s->model, s->q, d, s->q);
}

static pcs_body_id add_body(scene *s, const char *name, pcs_vec3 position)
{
    pcs_body_def body = pcs_body_default();
    body.name = name;
    body.mass = 1.7;
    body.inertia = (pcs_mat3){{{0.31, 0.01, 0.0}, {0.01, 0.42, 0.0}, {0.0, 0.0, 0.53}}};
    body.center = pcs_v3(0.07, -0.05, 0.0);
    body.position = position;
    pcs_body_id id;
    must(s, pcs_builder_add_body(s->builder, &body, &id));
    return id;
}

static pcs_mesh_id add_mesh(scene *s, const pcs_mesh_def *def)
{
    pcs_mesh_id id;
    must(s, pcs_builder_add_mesh(s->builder, def, &id));
    return id;
}

// ---- Derivatives ----

static void force_of(const pcs_model *m, const pcs_contact *contact, const double *r, double *F)
{
    for (int32_t k = 0; k < contact->row.n_nodes; k++) {
        const pcs_node *node = pcs_model_node(m, contact->row.node[k]);
        for (int32_t i = 0; i < contact->row.size; i++)
            for (int32_t j = 0; j < node->n_v; j++)
                F[node->v + j] += r[i] * contact->row.J[k][i * node->n_v + j];
    }
}

// Along q [+] h v: the gap, u, and H^T r of a slot.
typedef struct sample {
    double gap, u[3], F[Q_MAX];
} sample;

static const double PLACE[6] = {-3, -2, -1, 1, 2, 3};
static const double WEIGHT[6] = {-1, 9, -45, 45, -9, 1};

static void differ(scene *s, const double *r, double width, sample *slope)
{
    const pcs_model *m = s->model;
    memset(slope, 0, sizeof *slope * (size_t)m->n_slots);
    for (int k = 0; k < 6; k++) {
        const double weight = WEIGHT[k] / (60.0 * width);
        go_to(s, PLACE[k] * width, s->v);
        for (int32_t i = 0; i < m->n_slots; i++) {
            double F[Q_MAX] = {0}, u[3] = {0};
            pcs_contact_velocity(m, &s->contacts[i], s->v, u);
            force_of(m, &s->contacts[i], r + 3 * i, F);
            slope[i].gap += weight * s->contacts[i].gap;
            for (int j = 0; j < 3; j++)
                slope[i].u[j] += weight * u[j];
            for (int32_t j = 0; j < m->n_v; j++)
                slope[i].F[j] += weight * F[j];
        }
    }
}

static double distance(const scene *s, const sample *a, const sample *b)
{
    double d = fabs(a->gap - b->gap);
    for (int j = 0; j < 3; j++)
        d = fmax(d, fabs(a->u[j] - b->u[j]));
    for (int32_t j = 0; j < s->model->n_v; j++)
        d = fmax(d, fabs(a->F[j] - b->F[j]));
    return d; // NaN where the slot has no contact on the way
}

// A saddle system whose matrix couples every pair of nodes.
static pcs_saddle *full_saddle(scene *s)
{
    const int32_t n = s->model->nodes.count;
    int32_t(*pairs)[2] = malloc(sizeof *pairs * (size_t)n * (size_t)n), count = 0;
    assert_non_null(pairs);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++) {
            pairs[count][0] = i;
            pairs[count++][1] = j;
        }
    pcs_saddle_def def = pcs_saddle_default();
    def.n_couplings = count;
    def.coupling = (const int32_t(*)[2])pairs;
    pcs_saddle *saddle;
    must(s, pcs_model_saddle_create(s->ctx, s->model, &def, &saddle));
    free(pairs);
    return saddle;
}

// out = A v
static void multiply(const scene *s, pcs_saddle *saddle, const double *v, double *out)
{
    const pcs_model *m = s->model;
    memset(out, 0, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->nodes.count; i++)
        for (int32_t j = 0; j < m->nodes.count; j++) {
            const pcs_node *a = pcs_model_node(m, i), *b = pcs_model_node(m, j);
            const double *A = pcs_saddle_diagonal(saddle, i);
            if (i != j) {
                const int32_t k = pcs_saddle_find_coupling(saddle, i < j ? i : j, i < j ? j : i);
                A = pcs_saddle_coupling(saddle, k, i > j);
            }
            for (int32_t k = 0; k < a->n_v; k++)
                for (int32_t l = 0; l < b->n_v; l++)
                    out[a->v + k] += A[k * b->n_v + l] * v[b->v + l];
        }
}

typedef struct score {
    int32_t judged, touching, kinds[3];
} score;

// All slots at the state of the scene: gap' = u_N - surface, u' = convective, (H^T r)' = A v.
static void check_derivatives(scene *s, pcs_random *random, pcs_saddle *saddle, score *out)
{
    static sample coarse[SLOTS_MAX], fine[SLOTS_MAX];
    static double r[3 * SLOTS_MAX];
    const pcs_model *m = s->model;
    for (int32_t i = 0; i < 3 * m->n_slots; i++)
        r[i] = pcs_random_between(random, -1.0, 1.0);
    differ(s, r, WIDTH, coarse);
    differ(s, r, 0.5 * WIDTH, fine);
    evaluate(s);
    for (int32_t i = 0; i < m->n_slots; i++)
        memset(s->contacts[i].convective, 0x7f, sizeof s->contacts[i].convective);
    pcs_model_contacts_convective(m, &s->c, s->contacts);
    for (int32_t i = 0; i < m->n_slots; i++) {
        const pcs_contact *contact = &s->contacts[i];
        if (!isfinite(contact->gap)) {
            for (int j = 0; j < contact->row.size; j++)
                assert_true(contact->convective[j] == 0.0);
            continue;
        }
        out->touching++;
        if (!(distance(s, &coarse[i], &fine[i]) <= TOLERANCE))
            continue;
        out->judged++;
        double u[3], F[Q_MAX];
        static double one[3 * SLOTS_MAX];
        pcs_contact_velocity(m, contact, s->v, u);
        assert_near(u[0] - contact->surface[0], fine[i].gap, TOLERANCE);
        for (int j = 0; j < contact->row.size; j++)
            assert_near(contact->convective[j], fine[i].u[j], TOLERANCE);
        int64_t count;
        double *values = pcs_saddle_values(saddle, &count);
        memset(values, 0, sizeof(double) * (size_t)count);
        memset(one, 0, sizeof one);
        memcpy(one + 3 * i, r + 3 * i, 3 * sizeof(double));
        pcs_model_contact_tangent(m, &s->c, s->contacts, one, 1.0, saddle);
        multiply(s, saddle, s->v, F);
        for (int32_t j = 0; j < m->n_v; j++)
            assert_near(F[j], fine[i].F[j], TOLERANCE);
    }
}

static void check_scene(scene *s, pcs_random *random, double size, int trials, int32_t least)
{
    pcs_saddle *saddle = full_saddle(s);
    score sum = {0};
    for (int k = 0; k < trials; k++) {
        shake(s, random, size);
        check_derivatives(s, random, saddle, &sum);
    }
    if (sum.judged < least || sum.judged < sum.touching * 7 / 10)
        fail_msg("only %d of %d touching slots were judged", (int)sum.judged, (int)sum.touching);
    pcs_saddle_destroy(saddle);
}

static pcs_surface_contact_def contact_on(const char *name, pcs_mesh_id mesh,
                                          pcs_target_kind target)
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

// Rigid shapes on the ground, on a body and on a node of another mesh; points and rolling frames.
static void test_shapes(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 311);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_TARGET_FACES; kind++) {
            if (dimension == 2 && kind >= PCS_TARGET_CYLINDER)
                continue;
            static scene s;
            static mesh_chain beam, bar;
            begin(&s, dimension);
            const double z = dimension == 2 ? 0.0 : 0.2;
            const pcs_body_id body = add_body(&s, "body", pcs_v3(0.1, -0.2, z));
            mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(-0.8, 0.3, z),
                            pcs_v3(0.9, 0.5, 2 * z), 3);
            mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(-0.7, 0.5, -z),
                            pcs_v3(0.6, 0.1, z), 3);
            const pcs_mesh_id beams = add_mesh(&s, &beam.mesh), bars = add_mesh(&s, &bar.mesh);
            int32_t node;
            must(&s, pcs_builder_mesh_node(s.builder, bars, 1, &node));
            static const char *const names[] = {"a", "b", "c", "d"};
            for (int i = 0; i < 4; i++) {
                pcs_surface_contact_def def = contact_on(names[i], i == 3 ? bars : beams,
                                                         (pcs_target_kind)kind);
                def.node_radius = i % 2 == 0 ? 0.083 : 0.0;
                if (i == 1 || i == 3)
                    def.frame.body = body;
                if (i == 2)
                    def.frame.node = node;
                def.frame.position = pcs_v3(0.03, -0.04, dimension == 2 ? 0.0 : 0.02);
                def.frame.rotation = dimension == 2 ? pcs_so3_exp(pcs_v3(0.0, 0.0, 0.4))
                                                    : pcs_so3_exp(pcs_v3(0.4, -0.3, 0.2 * i));
                if (kind == PCS_TARGET_PLANE) {
                    def.surface_speed[0] = pcs_expression("0.3 + 0.6*sin(1.3*t)");
                    if (dimension == 3)
                        def.surface_speed[1] = pcs_number(-0.7);
                }
                if (i == 3)
                    def.law.friction = 0.0;
                must(&s, pcs_builder_add_surface_contact(s.builder, &def));
            }
            finish(&s);
            check_scene(&s, &random, 0.3, 12, 100);
            end(&s);
        }
}

// Faces: quadrilaterals and triangles below points and beams; segments in the plane.
static void test_faces(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 919);
    for (int variant = 0; variant < 3; variant++) {
        static scene s;
        static mesh_block lower, upper;
        static mesh_chain beam, line;
        begin(&s, variant == 2 ? 2 : 3);
        pcs_mesh_id target, sender;
        if (variant == 2) {
            mesh_chain_init(&line, "line", PCS_ELEMENT_BEAM, pcs_v3(-1.1, 0.0, 0.0),
                            pcs_v3(1.2, 0.1, 0.0), 4);
            mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(-1.2, 0.2, 0.0),
                            pcs_v3(1.3, 0.3, 0.0), 9);
            target = add_mesh(&s, &line.mesh);
            sender = add_mesh(&s, &beam.mesh);
        } else {
            mesh_block_init(&lower, "lower", pcs_v3(-1, -1, -0.5), pcs_v3(2, 2, 0.5), 3, 3, 1,
                            variant == 1);
            mesh_block_init(&upper, "upper", pcs_v3(-0.8, -0.9, 0.1), pcs_v3(1.6, 1.7, 0.6), 2, 2,
                            1, false);
            mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(-1.2, 0.3, 0.3),
                            pcs_v3(1.3, 0.5, 0.2), 6);
            target = add_mesh(&s, &lower.mesh);
            const pcs_mesh_id upper_id = add_mesh(&s, &upper.mesh);
            sender = add_mesh(&s, &beam.mesh);
            pcs_surface_contact_def def = contact_on("down", upper_id, PCS_TARGET_FACES);
            def.target_mesh = target;
            must(&s, pcs_builder_add_surface_contact(s.builder, &def));
            def = contact_on("up", target, PCS_TARGET_FACES);
            def.target_mesh = upper_id;
            def.law.friction = 0.0;
            must(&s, pcs_builder_add_surface_contact(s.builder, &def));
        }
        pcs_surface_contact_def def = contact_on("beam", sender, PCS_TARGET_FACES);
        def.group = "all";
        def.node_radius = 0.071;
        def.target_mesh = target;
        def.target_group = variant == 2 ? "line" : NULL;
        must(&s, pcs_builder_add_surface_contact(s.builder, &def));
        finish(&s);
        check_scene(&s, &random, 0.07, 12, variant == 2 ? 100 : 150);
        end(&s);
    }
}

// ---- Which face ----

// A cube on a cube of the same mesh: all nodes of the lower face of the upper one see the upper face of
// the lower one, also those on its edges and corners, a little above and a little inside; the others
// see nothing that they are in. One element for each cube, then thin plates.
static void test_stack(void **state)
{
    (void)state;
    static const double heights[] = {1e-3, 1e-12, 0.0, -1e-12, -1e-9, -1e-4};
    for (int variant = 0; variant < 3; variant++)
        for (size_t k = 0; k < sizeof heights / sizeof *heights; k++) {
            static scene s;
            static mesh_block lower, upper;
            const int n = variant == 0 ? 1 : 3;
            const double thick = variant == 2 ? 0.01 : 1.0, h = heights[k];
            begin(&s, 3);
            mesh_block_init(&lower, "lower", pcs_v3(0, 0, 0), pcs_v3(1, 1, thick), n, n,
                            variant == 2 ? 1 : n, false);
            mesh_block_init(&upper, "upper", pcs_v3(0, 0, thick + h), pcs_v3(1, 1, thick), n, n,
                            variant == 2 ? 1 : n, false);
            add_mesh(&s, &lower.mesh);
            add_mesh(&s, &upper.mesh);
            pcs_auto_contact_def def = pcs_auto_contact_default();
            def.name = "touch";
            def.law.friction = 0.4;
            must(&s, pcs_builder_add_all_surface_contacts(s.builder, &def));
            finish(&s);
            evaluate(&s);
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
            end(&s);
        }
}

// A point above a block with a step in it moves far and near, over faces, edges and corners and through
// the concave one: from outside its gap is the distance of the nearest face, as found by looking at all
// of them; and it changes by no more than the way.
static void test_roaming_point(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 67);
    static scene s;
    static mesh_block low;
    static mesh_chain bar;
    begin(&s, 3);
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
    const pcs_mesh_id target = add_mesh(&s, &low.mesh), points = add_mesh(&s, &bar.mesh);
    pcs_surface_contact_def def = contact_on("point", points, PCS_TARGET_FACES);
    def.target_mesh = target;
    def.reach = 3.0;
    must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    finish(&s);
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
        evaluate(&s);
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
    end(&s);
}

static void test_reach(void **state)
{
    (void)state;
    static scene s;
    static mesh_block low;
    static mesh_chain bar;
    begin(&s, 3);
    mesh_block_init(&low, "low", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 2, 2, 2, false);
    mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(0.3, 0.4, 2.3), pcs_v3(0.6, 0.4, 2.5), 1);
    const pcs_mesh_id target = add_mesh(&s, &low.mesh), points = add_mesh(&s, &bar.mesh);
    pcs_surface_contact_def def = contact_on("point", points, PCS_TARGET_FACES);
    def.target_mesh = target;
    must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    finish(&s);
    assert_near(s.model->surface_contacts.data[0].reach, 2 * sqrt(0.5), 1e-15);
    evaluate(&s);
    assert_near(s.contacts[0].gap, 1.3, 1e-15);
    assert_true(s.contacts[1].gap == HUGE_VAL);
    assert_int_equal(s.contacts[1].row.n_nodes, 1);
    assert_string_equal(pcs_model_contact_name(s.model, 1), "point.1");
    end(&s);
}

// ---- Held on a face ----

// A point slides over the top of a block of 2 x 2 faces along x: held on its face, the way to the border
// falls with it, below 0 beyond, the gap stays that of the plane, and the neighbour is the face that is
// found there without holding. Rows keep their nodes, which are known beforehand.
static void test_held(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 13);
    static scene s;
    static mesh_block low;
    static mesh_chain bar;
    begin(&s, 3);
    mesh_block_init(&low, "low", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 2, 2, 1, false);
    mesh_chain_init(&bar, "bar", PCS_ELEMENT_BAR, pcs_v3(0.3, 0.29, 1.01), pcs_v3(0.31, 0.3, 4.0),
                    1);
    const pcs_mesh_id target = add_mesh(&s, &low.mesh), points = add_mesh(&s, &bar.mesh);
    pcs_surface_contact_def def = contact_on("point", points, PCS_TARGET_FACES);
    def.target_mesh = target;
    must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    finish(&s);
    double *x = s.q + pcs_model_node(s.model, s.model->meshes.data[points].first_node)->q;
    evaluate(&s);
    int32_t held[2] = {s.contacts[0].face, -1}, next = -1, nodes[PCS_ROW_NODES_MAX];
    assert_true(s.contacts[0].edge == HUGE_VAL);
    s.c.face = held;
    for (x[0] = 0.3; x[0] < 0.7; x[0] += 0.01) {
        evaluate(&s);
        const pcs_contact *contact = &s.contacts[0];
        const double right = 0.5 - x[0];
        assert_int_equal(contact->face, held[0]);
        assert_near(contact->gap, 0.01, 1e-15);
        assert_near(contact->edge, fmin(right, 0.21), 1e-14);
        assert_int_equal(pcs_surface_contact_nodes(s.model, 0, held[0], nodes), 5);
        for (int k = 0; k < 5; k++)
            assert_int_equal(contact->row.node[k], nodes[k]);
        if (right < 0.2)
            next = contact->next_face;
    }
    s.c.face = NULL;
    evaluate(&s);
    assert_int_equal(s.contacts[0].face, next);
    // Rates of a contact that is held beyond its border.
    pcs_saddle *saddle = full_saddle(&s);
    score sum = {0};
    x[0] = 0.57;
    s.c.face = held;
    for (int32_t i = 0; i < s.model->n_v; i++) {
        s.q[i] += pcs_random_between(&random, -0.03, 0.03);
        s.v[i] = pcs_random_between(&random, -1.0, 1.0);
    }
    check_derivatives(&s, &random, saddle, &sum);
    assert_int_equal(sum.judged, 1);
    assert_true(s.contacts[0].edge < 0.0);
    pcs_saddle_destroy(saddle);
    // Off the end of the last face nothing is left to be held by.
    held[0] = next;
    x[0] = 0.9;
    evaluate(&s);
    held[0] = -1;
    x[0] = 1.2;
    x[2] = 0.9;
    evaluate(&s);
    assert_true(s.contacts[0].gap > 0.1);
    end(&s);
}

// ---- Balance ----

// Forces of a contact between two meshes add up to nothing; so do their moments for normal forces, and
// for any force at gap 0.
static void test_balance(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 83);
    static scene s;
    static mesh_block lower, upper;
    begin(&s, 3);
    mesh_block_init(&lower, "lower", pcs_v3(-1, -1, -0.5), pcs_v3(2, 2, 0.5), 3, 3, 1, true);
    mesh_block_init(&upper, "upper", pcs_v3(-0.8, -0.9, 0.02), pcs_v3(1.6, 1.7, 0.6), 3, 2, 1,
                    false);
    add_mesh(&s, &lower.mesh);
    add_mesh(&s, &upper.mesh);
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = "touch";
    def.law.friction = 0.4;
    must(&s, pcs_builder_add_all_surface_contacts(s.builder, &def));
    finish(&s);
    int32_t count = 0;
    for (int trial = 0; trial < 20; trial++) {
        shake(&s, &random, 0.05);
        evaluate(&s);
        for (int32_t i = 0; i < s.model->n_slots; i++) {
            if (!isfinite(s.contacts[i].gap))
                continue;
            for (int normal = 0; normal < 2; normal++) {
                double r[3], F[Q_MAX] = {0};
                for (int j = 0; j < 3; j++)
                    r[j] = normal && j > 0 ? 0.0 : pcs_random_between(&random, -1.0, 1.0);
                force_of(s.model, &s.contacts[i], r, F);
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
    end(&s);
}

// ---- Slip ----

// Both bodies move as one rigid body and the upper one slides by a vector along the face: slip is that
// vector, in the tangents of the end, whatever the rigid motion and across faces.
static void test_slip(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 127);
    static scene s;
    static mesh_block lower, upper;
    begin(&s, 3);
    mesh_block_init(&lower, "lower", pcs_v3(-1, -1, -0.5), pcs_v3(2, 2, 0.5), 4, 4, 1, false);
    mesh_block_init(&upper, "upper", pcs_v3(-0.5, -0.5, 0.013), pcs_v3(1, 1, 0.6), 2, 2, 1, false);
    const pcs_mesh_id low = add_mesh(&s, &lower.mesh), high = add_mesh(&s, &upper.mesh);
    pcs_surface_contact_def def = contact_on("slide", high, PCS_TARGET_FACES);
    def.target_mesh = low;
    must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    finish(&s);
    const pcs_mesh *mesh = &s.model->meshes.data[high];
    double slip[2 * SLOTS_MAX];
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
    end(&s);
}

// A plane on a body that spins and moves under resting nodes: the way in the axes of the plane.
static void test_slip_on_plane(void **state)
{
    (void)state;
    static scene s;
    static mesh_block upper;
    begin(&s, 3);
    const pcs_body_id table = add_body(&s, "table", pcs_v3(0, 0, 0));
    mesh_block_init(&upper, "upper", pcs_v3(-0.5, -0.5, 0.0), pcs_v3(1, 1, 0.6), 2, 2, 1, false);
    const pcs_mesh_id high = add_mesh(&s, &upper.mesh);
    pcs_surface_contact_def def = contact_on("slide", high, PCS_TARGET_PLANE);
    def.frame.body = table;
    def.surface_speed[0] = pcs_number(0.4);
    must(&s, pcs_builder_add_surface_contact(s.builder, &def));
    finish(&s);
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
    double slip[2 * SLOTS_MAX];
    pcs_model_contacts_slip(s.model, &s.from, s.before, &s.c, s.contacts, slip);
    const pcs_surface_contact *contact = &s.model->surface_contacts.data[0];
    for (int32_t i = 0; i < contact->n_nodes; i++) {
        const pcs_vec3 x = s.c.pose[contact->node[i]].x;
        const pcs_vec3 d = pcs_v3_sub(pcs_m3_tmul_v3(&R, x), x);
        assert_near(slip[2 * i], d.x - 0.4 * 0.2, 1e-15);
        assert_near(slip[2 * i + 1], d.y, 1e-15);
    }
    end(&s);
}

// ---- Everything with everything ----

static void test_everything(void **state)
{
    (void)state;
    static scene s;
    static mesh_block one, two;
    static mesh_chain beam;
    begin(&s, 3);
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
    must(&s, pcs_builder_add_body(s.builder, &body, &id));
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
    add_mesh(&s, &one.mesh);
    add_mesh(&s, &two.mesh);
    add_mesh(&s, &beam.mesh);
    pcs_frame ground = pcs_frame_default();
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = "touch";
    def.one_pass = true;
    def.planes = &ground;
    def.n_planes = 1;
    must(&s, pcs_builder_add_all_surface_contacts(s.builder, &def));
    // Again under the same name: refused, and nothing is left of it.
    assert_int_equal(pcs_builder_add_all_surface_contacts(s.builder, &def), PCS_ERROR_MODEL);
    finish(&s);
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
    evaluate(&s);
    const int32_t floor_slot = s.model->surface_contacts.data[2].first_slot;
    for (int32_t i = 0; i < 8; i++)
        assert_near(s.contacts[floor_slot + i].gap, i < 4 ? 0.0 : 1.0, 0.0);
    end(&s);
}

// ---- Refusals ----

static void refuse(scene *s, const pcs_surface_contact_def *def, const char *text)
{
    assert_int_equal(pcs_builder_add_surface_contact(s->builder, def), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(s->ctx), text))
        fail_msg("'%s' is not in: %s", text, pcs_context_error(s->ctx));
}

static void test_refusals(void **state)
{
    (void)state;
    static scene s;
    static mesh_block one;
    static mesh_chain beam;
    begin(&s, 3);
    mesh_block_init(&one, "one", pcs_v3(0, 0, 0), pcs_v3(1, 1, 1), 1, 1, 1, false);
    mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(0, 0, 3), pcs_v3(1, 0, 3), 2);
    beam.mesh.n_groups = 0;
    pcs_auto_contact_def all = pcs_auto_contact_default();
    all.name = "all";
    assert_int_equal(pcs_builder_add_all_surface_contacts(s.builder, &all), PCS_ERROR_MODEL);
    const pcs_mesh_id cube = add_mesh(&s, &one.mesh), line = add_mesh(&s, &beam.mesh);
    const pcs_surface_contact_def good = contact_on("c", cube, PCS_TARGET_BOX);
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
    must(&s, pcs_builder_mesh_node(s.builder, cube, 3, &def.frame.node));
    refuse(&s, &def, "sits on a node that touches it");
    def = good;
    def.target = PCS_TARGET_FACES;
    def.target_mesh = cube;
    refuse(&s, &def, "cannot touch itself");
    def.target_mesh = line;
    refuse(&s, &def, "has no faces to touch");
    def.target_mesh = -1;
    refuse(&s, &def, "there is no mesh -1");
    must(&s, pcs_builder_add_surface_contact(s.builder, &good));
    refuse(&s, &good, "the name is taken");
    finish(&s);
    end(&s);

    begin(&s, 2);
    mesh_chain_init(&beam, "beam", PCS_ELEMENT_BEAM, pcs_v3(0, 3, 0), pcs_v3(1, 3, 0), 2);
    add_mesh(&s, &beam.mesh);
    def = contact_on("c", 0, PCS_TARGET_CAPSULE);
    refuse(&s, &def, "not a shape of planar models");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_stack),         cmocka_unit_test(test_roaming_point),
        cmocka_unit_test(test_held),          cmocka_unit_test(test_reach),
        cmocka_unit_test(test_balance),       cmocka_unit_test(test_slip),
        cmocka_unit_test(test_slip_on_plane), cmocka_unit_test(test_everything),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
