// Golden rules: same build and same input give the same bits, in threads or one after the other and
// across a checkpoint; steps make no heap calls; the solver's start does not matter; memory that
// runs out is an error and nothing else.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/near.h"
#include "support/scenes.h"

#include "math/vector.h"
#include "simulation/simulation.h"

static const pcs_vec3 zero = {0, 0, 0};

// ---- Models: joints, contacts, springs; small, and large enough for the sparse factorisation ----

// Boxes hinged to a chain whose far end falls on the floor.
static void build_chain(scene *s)
{
    enum { LINKS = 6 };
    const pcs_vec3 size = {0.05, 0.05, 0.25};
    scene_begin(s, 3, (pcs_vec3){0, 0, -9.81});
    for (int i = 0; i < LINKS; ++i) {
        char name[] = "link0";
        name[4] = (char)('0' + i);
        pcs_vec3 middle = {0.25 * i + 0.125, 0, 0.9};
        pcs_body_id link = scene_box(s, name, 0.31, size, middle, (pcs_vec3){0, 1.5707963, 0},
                                     zero);
        pcs_joint_def joint = pcs_joint_default();
        name[0] = 'j';
        joint.name = name;
        joint.kind = i % 2 ? PCS_JOINT_UNIVERSAL : PCS_JOINT_REVOLUTE;
        pcs_vec3 at = {0.25 * i, 0, 0.9};
        pcs_quat q = {0.70710678118654752, i % 2 ? 0 : 0.70710678118654752, 0, 0};
        if (i % 2)
            q.w = 1;
        scene_require(s, pcs_builder_frame_at(s->builder, link - 1, at, q, &joint.a));
        scene_require(s, pcs_builder_frame_at(s->builder, link, at, q, &joint.b));
        scene_joint(s, &joint);
        name[0] = 'f';
        scene_box_on_plane(s, name, link, size, zero, zero,
                           (pcs_law){.friction = 0.4, .restitution = 0.2});
    }
}

// A row of planar boxes coupled by springs, dropped on the floor: enough for the sparse factors.
static void build_springs(scene *s)
{
    enum { BOXES = 14 };
    const pcs_vec3 size = {0.2, 0.13, 0.1};
    scene_begin(s, 2, (pcs_vec3){0, -9.81, 0});
    for (int i = 0; i < BOXES; ++i) {
        char name[16] = "box";
        name[3] = (char)('A' + i / 10);
        name[4] = (char)('0' + i % 10);
        pcs_body_id box = scene_box(s, name, 1.3, size, (pcs_vec3){0.31 * i, 0.08 + 0.003 * i, 0},
                                    (pcs_vec3){0, 0, 0.02 * i}, zero);
        name[0] = 'f';
        scene_box_on_plane(s, name, box, size, zero, zero,
                           (pcs_law){.friction = 0.3, .restitution = 0.3});
        if (i == 0)
            continue;
        pcs_spring_def spring = pcs_spring_default();
        name[0] = 's';
        spring.name = name;
        spring.a = scene_frame(box - 1, (pcs_vec3){0.1, 0, 0}, zero);
        spring.b = scene_frame(box, (pcs_vec3){-0.1, 0, 0}, zero);
        spring.stiffness = 3000;
        spring.damping = 2;
        scene_spring(s, &spring);
    }
}

// Ten boxes on each other; driven and formula-controlled parts beside them.
static void build_stack(scene *s)
{
    static const double mass[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 50};
    scene_stack(s, 3, 10, (pcs_vec3){0.37, 0.41, 0.29}, mass, 0.5);
    pcs_body_id cart = scene_box(s, "cart", 2, (pcs_vec3){0.1, 0.1, 0.1}, (pcs_vec3){3, 0, 0}, zero,
                                 zero);
    pcs_joint_def rail = pcs_joint_default();
    rail.name = "rail";
    rail.kind = PCS_JOINT_PRISMATIC;
    rail.a.position = (pcs_vec3){3, 0, 0};
    rail.b.body = cart;
    rail.drive[0].actuator = pcs_expression(
        "21*sin(3*t)-4*joint.rail.displacement-0.3*joint.rail.speed");
    rail.drive[0].has_upper = true;
    rail.drive[0].upper = 0.1;
    rail.drive[0].restitution = 0.7;
    scene_joint(s, &rail);
}

static void (*const builders[])(scene *) = {build_chain, build_springs, build_stack};
enum { MODELS = sizeof builders / sizeof *builders, STEPS = 300 };
static const char *const schemes[] = {"moreau-jean", "moreau-jean-adaptive", "capturing"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };
// All models under the first scheme, then the first model under the others.
enum { CASES = MODELS + SCHEMES - 1 };

static void build_case(scene *s, int i)
{
    builders[i < MODELS ? i : 0](s);
    s->scheme = schemes[i < MODELS ? 0 : i - MODELS + 1];
}

static const double step = 1.7e-3;

// ---- Threads ----

typedef struct job {
    const pcs_model *model;
    double *data; // the state after STEPS steps
    int64_t count;
    pcs_statistics statistics;
    int status;
} job;

// One simulation of a shared model in a context of its own.
static void *run_job(void *argument)
{
    job *j = argument;
    pcs_context_def ctx_def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&ctx_def);
    pcs_simulation_def def = pcs_simulation_default();
    def.step = step;
    def.end = STEPS * step;
    pcs_simulation *simulation = NULL;
    j->status = pcs_simulation_create(ctx, j->model, &def, &simulation);
    while (j->status >= 0 && !pcs_simulation_finished(simulation)) {
        int status = pcs_simulation_step(simulation);
        j->status = status < 0 ? status : j->status;
    }
    if (j->status >= 0) {
        j->count = simulation->state.count;
        j->data = malloc(sizeof(double) * (size_t)j->count);
        memcpy(j->data, simulation->state.data, sizeof(double) * (size_t)j->count);
        j->statistics = simulation->statistics;
    }
    pcs_simulation_destroy(simulation);
    pcs_context_destroy(ctx);
    return NULL;
}

static void assert_same_job(const job *a, const job *b)
{
    assert_int_equal(a->status, PCS_OK);
    assert_int_equal(b->status, PCS_OK);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->data, b->data, sizeof(double) * (size_t)a->count);
    assert_int_equal(a->statistics.solver_iterations, b->statistics.solver_iterations);
    assert_true(a->statistics.energy.numerical == b->statistics.energy.numerical);
}

static void test_threads_give_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS; ++i) {
        scene s;
        builders[i](&s);
        scene_finish(&s, step, 1);
        job jobs[4];
        memset(jobs, 0, sizeof jobs);
        for (int k = 0; k < 4; ++k)
            jobs[k].model = s.model;
        run_job(&jobs[0]);
        run_job(&jobs[1]);
        pthread_t thread[2];
        for (int k = 0; k < 2; ++k)
            assert_int_equal(pthread_create(&thread[k], NULL, run_job, &jobs[2 + k]), 0);
        for (int k = 0; k < 2; ++k)
            assert_int_equal(pthread_join(thread[k], NULL), 0);
        for (int k = 1; k < 4; ++k)
            assert_same_job(&jobs[0], &jobs[k]);
        for (int k = 0; k < 4; ++k)
            free(jobs[k].data);
        scene_end(&s);
    }
}

// ---- Checkpoint ----

static void test_resume_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * SCHEMES; ++i) {
        scene s;
        builders[i % MODELS](&s);
        s.scheme = schemes[i / MODELS];
        scene_finish(&s, step, STEPS * step);
        size_t size = pcs_simulation_save(s.simulation, NULL, 0);
        void *middle = malloc(size), *end = malloc(size), *again = malloc(size);
        for (int k = 0; k < STEPS / 2; ++k)
            scene_step(&s);
        assert_int_equal(pcs_simulation_save(s.simulation, middle, size), size);
        scene_run(&s);
        assert_int_equal(pcs_simulation_save(s.simulation, end, size), size);

        scene_restart(&s, step, STEPS * step);
        assert_int_equal(pcs_simulation_load(s.simulation, middle, size), PCS_OK);
        scene_run(&s);
        assert_int_equal(pcs_simulation_save(s.simulation, again, size), size);
        assert_memory_equal(end, again, size);
        free(middle);
        free(end);
        free(again);
        scene_end(&s);
    }
}

// ---- Heap ----

static void test_steps_make_no_heap_calls(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; ++i) {
        scene s;
        build_case(&s, i);
        // The estimate of the error follows the linearised motion on the closed contacts, and takes more
        // memory when they are closed in a way that needs more than any before (base/pool.h).
        s.without_estimate = true;
        scene_finish(&s, step, 1e3);
        const int warm_up = 500; // all bodies have met the floor: the largest contact problem
        for (int k = 0; k < warm_up; ++k)
            scene_step(&s);
        uint64_t calls = pcs_context_heap_calls(s.ctx);
        for (int k = 0; k < 1000; ++k)
            scene_step(&s);
        assert_int_equal(pcs_context_heap_calls(s.ctx), calls);
        scene_end(&s);
    }
}

// Each heap request fails in turn: creating, starting and stepping report it, and nothing is left
// behind. An allocator of the test's own counts the requests.
typedef struct counter {
    uint64_t requests, failing; // failing: number of the request that fails, 0 for none
} counter;

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++c->requests == c->failing ? NULL : realloc(block, new_size);
}

static pcs_status try_run(const pcs_model *model, const char *scheme, counter *c)
{
    pcs_context_def def = pcs_context_default();
    uint64_t failing = c->failing;
    *c = (counter){0, 0};
    def.resize = count_resize;
    def.resize_user = c;
    pcs_context *ctx = pcs_context_create(&def);
    *c = (counter){0, failing};
    pcs_simulation_def run = pcs_simulation_default();
    run.step = step;
    run.scheme = scheme;
    pcs_simulation *simulation = NULL;
    pcs_status status = pcs_simulation_create(ctx, model, &run, &simulation);
    for (int k = 0; status >= 0 && k < 40; ++k)
        status = pcs_simulation_step(simulation);
    pcs_simulation_destroy(simulation);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
    return status;
}

static void test_failing_heap(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; ++i) {
        scene s;
        build_case(&s, i);
        scene_finish(&s, step, 1);
        counter all = {0, 0};
        assert_true(try_run(s.model, s.scheme, &all) >= 0);
        assert_true(all.requests > 10);
        for (uint64_t failing = 1; failing <= all.requests; ++failing) {
            counter one = {0, failing};
            assert_int_equal(try_run(s.model, s.scheme, &one), PCS_ERROR_MEMORY);
        }
        scene_end(&s);
    }
}

static void test_failing_heap_while_building(void **state)
{
    (void)state;
    pcs_context_def ctx_def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&ctx_def);
    uint64_t empty = pcs_context_heap_bytes(ctx);
    bool failed = true;
    for (uint64_t failing = 1; failed; ++failing) {
        pcs_builder *builder = NULL;
        pcs_model *model = NULL;
        pcs_body_id body;
        pcs_body_def def = pcs_body_default();
        def.name = "ball";
        def.mass = 1;
        def.point = true;
        pcs_contact_def contact = pcs_contact_default();
        contact.name = "floor";
        contact.b.body = 0;
        contact.surface_speed[0] = pcs_expression("speed*sin(t)");
        pcs_context_fail_heap_call(ctx, failing);
        pcs_status status = pcs_builder_create(ctx, 2, &builder);
        if (status >= 0)
            status = pcs_builder_set_parameter(builder, "speed", 0.3);
        if (status >= 0)
            status = pcs_builder_add_body(builder, &def, &body);
        if (status >= 0)
            status = pcs_builder_add_contact(builder, &contact);
        if (status >= 0)
            status = pcs_builder_finish(builder, &model);
        pcs_context_fail_heap_call(ctx, 0);
        failed = status < 0;
        if (failed)
            assert_int_equal(status, PCS_ERROR_MEMORY);
        pcs_builder_destroy(builder);
        pcs_model_destroy(model);
        assert_int_equal(pcs_context_heap_bytes(ctx), empty);
    }
    pcs_context_destroy(ctx);
}

// ---- Warm start ----

// Every step solved from r = 0 instead of the last impulses: the same motion to the tolerance of
// the solver, relative to the speeds, over as many steps as the motion is not chaotic.
static void test_cold_start_agrees(void **state)
{
    (void)state;
    scene warm, cold;
    static const double mass[3] = {1, 1, 20};
    scene *both[] = {&warm, &cold}; // flat boxes: tall ones would tip over
    for (int i = 0; i < 2; ++i) {
        scene_stack(both[i], 3, 3, (pcs_vec3){0.37, 0.41, 0.05}, mass, 0.5);
        pcs_force_def push = pcs_force_default(); // slides the top box
        push.name = "push";
        push.body = 2;
        push.force[0] = pcs_expression("120*min(1,4*t)");
        scene_force(both[i], &push);
        scene_finish(both[i], 1e-3, 0.5);
    }
    while (!pcs_simulation_finished(warm.simulation)) {
        assert_int_equal(scene_step(&warm), PCS_OK);
        pcs_state *s = &cold.simulation->state;
        if (cold.simulation->started)
            memset(s->r, 0, sizeof(double) * 3 * (size_t)cold.model->n_slots);
        assert_int_equal(scene_step(&cold), PCS_OK);
        for (int i = 0; i < warm.model->n_v; ++i)
            assert_near(pcs_simulation_v(cold.simulation)[i], pcs_simulation_v(warm.simulation)[i],
                        1e-7);
    }
    assert_true(scene_view(&warm, 2).velocity.x > 0.01);
    scene_end(&warm);
    scene_end(&cold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_resume_gives_the_same_bits),
        cmocka_unit_test(test_steps_make_no_heap_calls),
        cmocka_unit_test(test_failing_heap),
        cmocka_unit_test(test_failing_heap_while_building),
        cmocka_unit_test(test_cold_start_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
