// Events and drawings in results, whole quantities, names and units; files of older programs that
// have neither events nor drawings.
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "percuss/io.h"
#include "support/scenes.h"

static char folder[64], path[96];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/percuss-records-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/run.h5", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder) != 0 || H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0;
}

static pcs_result_writer *create(scene *s)
{
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    def.path = path;
    scene_require(s, pcs_result_create(s->ctx, s->simulation, &def, &writer));
    return writer;
}

// Runs to the end; a frame every `every` steps, events noted after each step if `note`.
static void run(scene *s, int every, bool note)
{
    scene_require(s, pcs_simulation_start(s->simulation));
    pcs_result_writer *writer = create(s);
    scene_require(s, pcs_result_append(writer, s->simulation));
    for (int i = 1; !pcs_simulation_finished(s->simulation); i++) {
        scene_require(s, scene_step(s));
        if (note)
            scene_require(s, pcs_result_note(writer, s->simulation));
        if (i % every == 0)
            scene_require(s, pcs_result_append(writer, s->simulation));
    }
    scene_require(s, pcs_result_close(writer, s->simulation, true));
}

static pcs_result *open_result(scene *s)
{
    pcs_result *result = NULL;
    scene_require(s, pcs_result_open(s->ctx, path, &result));
    return result;
}

static pcs_event *read_events(scene *s, pcs_result *result)
{
    int64_t count = pcs_result_event_count(result);
    pcs_event *events = calloc((size_t)count + 1, sizeof *events);
    scene_require(s, pcs_result_events(result, 0, count, events));
    return events;
}

static int64_t count_kind(const pcs_event *events, int64_t count, pcs_event_kind kind)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += events[i].kind == kind;
    return found;
}

// ---- Events ----

// However rarely frames are stored, every impact is there, with its time and speed.
static void test_impacts_of_a_bouncing_ball(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        scene s;
        scene_bouncing_ball(&s, 9.81, 1.3, 1, 0, 0.8);
        scene_finish(&s, 1e-3, 5);
        run(&s, way == 0 ? 1 : 1000000, way == 2);
        pcs_result *result = open_result(&s);
        pcs_event *events = read_events(&s, result);
        const int64_t count = pcs_result_event_count(result);
        const pcs_statistics *statistics = pcs_result_statistics(result);
        assert_true(statistics->impacts > 10);
        assert_int_equal(count_kind(events, count, PCS_EVENT_IMPACT), statistics->impacts);
        assert_int_equal(pcs_result_events_dropped(result), 0);
        assert_int_equal(count, pcs_simulation_event_count(s.simulation));
        for (int64_t i = 0; i < count; i++) {
            pcs_event own;
            assert_true(pcs_simulation_event(s.simulation, i, &own));
            assert_true(own.time == events[i].time && own.value == events[i].value &&
                        own.kind == events[i].kind && own.object == events[i].object);
        }
        assert_int_equal(events[0].kind, PCS_EVENT_IMPACT);
        // Falls 1 m: t = sqrt(2 h/g), v = sqrt(2 g h), to the step.
        assert_true(fabs(events[0].time - sqrt(2 / 9.81)) < 2e-3);
        assert_true(fabs(events[0].value - sqrt(2 * 9.81)) < 2e-2);
        free(events);
        pcs_result_destroy(result);
        scene_end(&s);
    }
}

// A block on a spring, pulled by a belt: it sticks and slips in turn.
static void test_stick_and_slip_alternate(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, -9.81, 0});
    pcs_body_id block = scene_point(&s, "block", 1.3, (pcs_vec3){0, 0, 0}, (pcs_vec3){0, 0, 0});
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "spring";
    spring.kind = PCS_SPRING_POINT;
    spring.a = scene_frame(PCS_GROUND, (pcs_vec3){-2, 0, 0}, (pcs_vec3){0, 0, 0});
    spring.b = scene_frame(block, (pcs_vec3){0, 0, 0}, (pcs_vec3){0, 0, 0});
    spring.stiffness = 50;
    spring.damping = 3;
    spring.rest = 2;
    scene_spring(&s, &spring);
    pcs_contact_def belt = scene_contact_def(
        "belt", PCS_CONTACT_POINT_PLANE,
        scene_frame(PCS_GROUND, (pcs_vec3){0, 0, 0}, (pcs_vec3){0, 0, 0}), block,
        (pcs_law){.friction = 0.4});
    belt.surface_speed[0] = pcs_expression("0.5*sin(3*t)"); // turns back: sticks at each turn
    scene_contact(&s, &belt);
    scene_finish(&s, 1e-3, 8);
    run(&s, 10, true);
    pcs_result *result = open_result(&s);
    pcs_event *events = read_events(&s, result);
    const int64_t count = pcs_result_event_count(result);
    int64_t changes = 0;
    pcs_event_kind last = PCS_EVENT_KIND_COUNT;
    for (int64_t i = 0; i < count; i++) {
        if (events[i].kind != PCS_EVENT_STICK && events[i].kind != PCS_EVENT_SLIP)
            continue;
        assert_true(events[i].kind != last); // one, then the other
        last = events[i].kind;
        changes++;
    }
    assert_true(changes >= 4);
    free(events);
    pcs_result_destroy(result);
    scene_end(&s);
}

// A contact that opens and closes at every step for longer than the simulation's memory of events.
static void test_lost_events_are_counted(void **state)
{
    (void)state;
    scene s;
    enum { BALLS = 400 };
    scene_begin(&s, 2, (pcs_vec3){0, -9.81, 0});
    for (int i = 0; i < BALLS; i++) { // all bounce at every few steps
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        pcs_body_id ball = scene_point(&s, name, 1, (pcs_vec3){i, 1e-5, 0}, (pcs_vec3){0, 0, 0});
        pcs_contact_def floor = scene_contact_def(
            name, PCS_CONTACT_POINT_PLANE,
            scene_frame(PCS_GROUND, (pcs_vec3){0, 0, 0}, (pcs_vec3){0, 0, 0}), ball,
            (pcs_law){.restitution = 1});
        scene_contact(&s, &floor);
    }
    scene_finish(&s, 1e-3, 0.6);
    scene_set(&s, "projection", "none"); // bounces below the speed of rest go on
    run(&s, 1000000, false);
    const int64_t all = pcs_simulation_event_count(s.simulation);
    pcs_result *result = open_result(&s);
    assert_true(all > 70000);
    assert_true(pcs_result_events_dropped(result) > 0);
    assert_int_equal(pcs_result_events_dropped(result) + pcs_result_event_count(result), all);
    pcs_result_destroy(result);
    scene_restart(&s, 1e-3, 0.6);
    scene_set(&s, "projection", "none");
    run(&s, 1000000, true); // with a note after each step nothing is lost
    result = open_result(&s);
    assert_int_equal(pcs_result_events_dropped(result), 0);
    assert_int_equal(pcs_result_event_count(result), all);
    pcs_result_destroy(result);
    scene_end(&s);
}

// ---- Drawings ----

typedef struct walk {
    const pcs_result *result;
    int32_t count;
    bool seen[PCS_DRAWING_KIND_COUNT], joint_seen[PCS_JOINT_KIND_COUNT];
} walk;

static pcs_status compare(void *user, const pcs_drawing *d)
{
    walk *w = user;
    const pcs_drawing *r = pcs_result_drawing(w->result, w->count++);
    assert_non_null(r);
    assert_int_equal(r->kind, d->kind);
    assert_int_equal(r->owner, d->owner);
    assert_int_equal(r->object, d->object);
    assert_int_equal(r->joint_kind, d->joint_kind);
    assert_int_equal(r->closed, d->closed);
    assert_string_equal(r->name, d->name);
    assert_int_equal(r->a.body, d->a.body);
    assert_int_equal(r->b.body, d->b.body);
    assert_memory_equal(&r->a.position, &d->a.position, sizeof d->a.position);
    assert_memory_equal(&r->a.rotation, &d->a.rotation, sizeof d->a.rotation);
    assert_memory_equal(&r->b.position, &d->b.position, sizeof d->b.position);
    assert_memory_equal(&r->b.rotation, &d->b.rotation, sizeof d->b.rotation);
    assert_memory_equal(&r->size, &d->size, sizeof d->size);
    assert_int_equal(r->n_vertices, d->n_vertices);
    if (d->n_vertices > 0)
        assert_memory_equal(r->vertices, d->vertices, (size_t)d->n_vertices * sizeof *d->vertices);
    w->seen[d->kind] = true;
    if (d->owner == PCS_DRAWING_OF_JOINT)
        w->joint_seen[d->joint_kind] = true;
    return PCS_OK;
}

static void add_shapes(scene *s)
{
    pcs_shape_def shapes[5];
    for (int k = 0; k < 5; k++) {
        shapes[k] = pcs_shape_default();
        shapes[k].kind = (pcs_shape_kind)k;
        shapes[k].size = (pcs_vec3){0.11 + k, 0.12 + k, 0.13 + k};
        shapes[k].position = (pcs_vec3){0.1 * k, -0.2 * k, 0};
        shapes[k].density = 100;
    }
    pcs_body_def body = pcs_body_default();
    body.name = "shapes";
    body.shapes = shapes;
    body.n_shapes = 5;
    body.mass = 3;
    body.inertia = (pcs_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    body.position = (pcs_vec3){50, 50, 0};
    scene_body(s, &body);
}

static const pcs_vec3 none = {0, 0, 0};

// A kind as a name: "sphere-plane" is "prefixsphere_plane".
static const char *make_name(char name[48], const char *prefix, const char *kind)
{
    snprintf(name, 48, "%s%s", prefix, kind);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    return name;
}

static const pcs_curve_piece ramp[] = {
    {.kind = PCS_CURVE_LINE, .from = {2, 0}, .to = {1, 0.3}},
    {.kind = PCS_CURVE_ARC, .from = {1, 0.3}, .through = {0.4, 0.35}, .to = {0, 0}},
};
static const pcs_curve_def curve = {ramp, 2, false};

static void add_contacts(scene *s, int dimension)
{
    static const pcs_vec2 vertices[] = {{0, 0}, {1, 0.3}, {2, 0}};
    for (int k = 0; k < PCS_CONTACT_KIND_COUNT; k++) {
        if (!pcs_contact_kind_allowed((pcs_contact_kind)k, dimension))
            continue;
        const pcs_vec3 place = {10.0 * k, 100, dimension == 3 ? 5 : 0};
        const bool inside = k == PCS_CONTACT_SPHERE_IN_SPHERE || k == PCS_CONTACT_PIN_IN_HOLE ||
                            k == PCS_CONTACT_SLIDER_GUIDE;
        const pcs_vec3 body = {place.x, inside ? 100 : 120, dimension == 3 ? (inside ? 5 : 25) : 0};
        char name[48];
        make_name(name, "", pcs_contact_kind_name((pcs_contact_kind)k));
        pcs_body_id id = scene_sphere(s, name, 1.3, 0.1, body, none);
        pcs_contact_def c = scene_contact_def(name, (pcs_contact_kind)k,
                                              scene_frame(PCS_GROUND, place, none), id,
                                              (pcs_law){.friction = 0.3});
        c.radius_a = 0.9;
        c.radius_b = 0.2;
        c.size = (pcs_vec3){0.3, 0.2, 0.1};
        c.width = 0.5;
        if (k == PCS_CONTACT_POINT_POLYLINE) {
            c.vertices = vertices;
            c.n_vertices = 3;
        }
        if (k == PCS_CONTACT_POINT_CURVE)
            c.curve = curve;
        if (k == PCS_CONTACT_POINT_PLANE)
            c.extent = (pcs_vec2){1.5, 2.5};
        scene_contact(s, &c);
    }
}

static void add_joints(scene *s, int dimension)
{
    for (int k = 0; k < PCS_JOINT_KIND_COUNT; k++) {
        if (!pcs_joint_kind_allowed((pcs_joint_kind)k, dimension))
            continue;
        char name[48], own[48];
        make_name(name, "on_", pcs_joint_kind_name((pcs_joint_kind)k));
        pcs_body_id body = scene_sphere(s, name, 1.3, 0.1, (pcs_vec3){10.0 * k, -100, 0}, none);
        pcs_joint_def joint = pcs_joint_default();
        joint.name = make_name(own, "", pcs_joint_kind_name((pcs_joint_kind)k));
        joint.kind = (pcs_joint_kind)k;
        joint.a.position = (pcs_vec3){10.0 * k - (k == PCS_JOINT_DISTANCE), -100, 0};
        joint.b.body = body;
        joint.pitch = 0.01;
        if (k == PCS_JOINT_POINT_ON_CURVE) {
            joint.curve = curve;
            joint.a.position.x -= 2; // the curve's first point
        }
        scene_joint(s, &joint);
    }
}

static void add_springs(scene *s, int dimension)
{
    static const char *const names[] = {"coil", "spiral", "bushing"};
    for (int k = 0; k < 3; k++) {
        pcs_body_id body = scene_sphere(s, names[k], 1.3, 0.1, (pcs_vec3){200.0 + k, 0, 0}, none);
        pcs_spring_def spring = pcs_spring_default();
        spring.name = names[k];
        spring.kind = (pcs_spring_kind)k;
        spring.a.position = (pcs_vec3){199.0 + k, 0, 0};
        spring.b.body = body;
        spring.stiffness = 10;
        for (int i = 0; i < 6; i++)
            spring.stiffness6[i] = dimension == 3 || i < 2 || i == 5 ? 10 : 0;
        scene_spring(s, &spring);
    }
}

static void test_every_drawing_reads_back(void **state)
{
    (void)state;
    walk both = {0};
    for (int dimension = 2; dimension <= 3; dimension++) {
        scene s;
        scene_begin(&s, dimension, none);
        add_shapes(&s);
        add_contacts(&s, dimension);
        add_joints(&s, dimension);
        add_springs(&s, dimension);
        scene_finish(&s, 1e-3, 2e-3);
        run(&s, 1, false);
        pcs_result *result = open_result(&s);
        walk w = {.result = result};
        assert_int_equal(pcs_model_draw(s.model, compare, &w), PCS_OK);
        assert_int_equal(pcs_result_drawing_count(result), w.count);
        assert_null(pcs_result_drawing(result, w.count));
        assert_null(pcs_result_drawing(result, -1));
        for (int k = 0; k < PCS_DRAWING_KIND_COUNT; k++)
            both.seen[k] |= w.seen[k];
        for (int k = 0; k < PCS_JOINT_KIND_COUNT; k++)
            both.joint_seen[k] |= w.joint_seen[k];
        pcs_result_destroy(result);
        scene_end(&s);
    }
    for (int k = 0; k < PCS_DRAWING_KIND_COUNT; k++)
        assert_true(both.seen[k]);
    for (int k = 0; k < PCS_JOINT_KIND_COUNT; k++)
        assert_true(both.joint_seen[k]);
}

// ---- Names, units, whole quantities ----

static void test_names_and_units(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 3, none);
    add_joints(&s, 3);
    add_contacts(&s, 3);
    scene_finish(&s, 1e-3, 2e-3);
    run(&s, 1, false);
    pcs_result *result = open_result(&s);
    assert_int_equal(pcs_result_dimension(result), 3);
    assert_int_equal(pcs_result_body_count(result), pcs_model_body_count(s.model));
    assert_int_equal(pcs_result_joint_count(result), pcs_model_joint_count(s.model));
    assert_int_equal(pcs_result_contact_count(result), pcs_model_contact_count(s.model));
    for (int32_t i = 0; i < pcs_model_contact_count(s.model); i++)
        assert_string_equal(pcs_result_contact_name(result, i), pcs_model_contact_name(s.model, i));
    assert_null(pcs_result_body_name(result, -1));
    assert_null(pcs_result_joint_name(result, pcs_model_joint_count(s.model)));
    static const char *const units[][2] = {
        {"time", "s"},
        {"energy.kinetic", "J"},
        {"solver.residual", "1"},
        {"body.on_revolute.velocity.x", "m/s"},
        {"joint.revolute.angle", "rad"},
        {"joint.revolute.rate", "rad/s"},
        {"joint.prismatic.displacement", "m"},
        {"joint.prismatic.speed", "m/s"},
        {"joint.cylindrical.displacement", "m"},
        {"joint.cylindrical.angle", "rad"},
        {"joint.spherical.rotation_x", "rad"},
        {"joint.distance.length", "m"},
        {"joint.revolute.torque.z", "N m"},
        {"contact.sphere_plane.gap", "m"},
    };
    char text[256];
    size_t found = 0;
    int32_t i = 0;
    for (; pcs_result_signal_path(result, i, text, sizeof text); i++) {
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            if (strcmp(text, units[k][0]) != 0)
                continue;
            assert_string_equal(pcs_result_signal_unit(result, i), units[k][1]);
            found++;
        }
    }
    assert_int_equal(found, sizeof units / sizeof *units);
    assert_null(pcs_result_signal_unit(result, i));
    pcs_result_destroy(result);
    scene_end(&s);
}

static void test_whole_quantities(void **state)
{
    (void)state;
    enum { FRAMES = 501, WIDTH = 2 * 3 };
    static double all[FRAMES * WIDTH], some[FRAMES * WIDTH], column[FRAMES];
    scene s;
    scene_begin(&s, 2, (pcs_vec3){0, -9.81, 0});
    scene_point(&s, "a", 1, none, (pcs_vec3){1, 2, 0});
    scene_point(&s, "b", 1, none, (pcs_vec3){-1, 3, 0});
    scene_finish(&s, 1e-3, 0.5);
    run(&s, 1, false);
    pcs_result *result = open_result(&s);
    const int64_t frames = pcs_result_frames(result);
    assert_int_equal(frames, FRAMES);
    assert_int_equal(pcs_result_width(result, "body/position"), WIDTH);
    assert_int_equal(pcs_result_width(result, "/body/position"), WIDTH);
    assert_int_equal(pcs_result_width(result, "time"), 1);
    assert_int_equal(pcs_result_width(result, "body/rotation"), 0); // planar
    assert_int_equal(pcs_result_width(result, "contact/gap"), 0);
    assert_int_equal(pcs_result_width(result, "no/such"), 0);
    scene_require(&s,
                  pcs_result_read(result, "body/position", (pcs_frame_range){0, FRAMES, 1}, all));
    scene_require(&s, pcs_result_signal(result, "body.b.position.y", column));
    for (int i = 0; i < FRAMES; i++)
        assert_true(all[i * WIDTH + 4] == column[i]);
    static const pcs_frame_range ranges[] = {{0, 72, 7}, {500, 1, 1}, {3, 100, 4},
                                             {17, 0, 1}, {1, 2, 499}, {501, 0, 1}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        scene_require(&s, pcs_result_read(result, "body/position", ranges[k], some));
        for (int64_t i = 0; i < ranges[k].count; i++)
            assert_memory_equal(some + i * WIDTH,
                                all + (ranges[k].first + i * ranges[k].stride) * WIDTH,
                                WIDTH * sizeof *all);
    }
    static const pcs_frame_range wrong[] = {{0, 502, 1}, {-1, 1, 1},        {0, 1, 0},
                                            {0, -1, 1},  {0, 73, 7},        {501, 1, 1},
                                            {502, 0, 1}, {1, INT64_MAX, 1}, {1, 2, INT64_MAX}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(pcs_result_read(result, "body/position", wrong[k], some),
                         PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_result_read(result, "no/such", ranges[0], some), PCS_ERROR_INPUT);
    pcs_event event;
    assert_int_equal(pcs_result_events(result, 0, 1, &event), PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_result_events(result, 0, 0, &event), PCS_OK);
    assert_string_equal(pcs_result_warning(result), "");
    assert_true(pcs_result_has_summary(result));
    pcs_result_destroy(result);
    scene_end(&s);
}

// ---- Older files ----

static void delete_object(const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    assert_true(H5Fclose(file) >= 0);
}

static void test_files_without_events_and_drawings(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, none);
    add_shapes(&s);
    add_contacts(&s, 2);
    scene_finish(&s, 1e-3, 5e-3);
    run(&s, 1, false);
    delete_object("/event");
    delete_object("/drawing");
    pcs_result *result = open_result(&s);
    assert_int_equal(pcs_result_frames(result), 6);
    assert_int_equal(pcs_result_event_count(result), 0);
    assert_int_equal(pcs_result_events_dropped(result), 0);
    assert_int_equal(pcs_result_drawing_count(result), 5); // the shapes
    const pcs_drawing *d = pcs_result_drawing(result, 4);
    assert_int_equal(d->kind, PCS_DRAWING_ROD);
    assert_int_equal(d->owner, PCS_DRAWING_OF_BODY);
    assert_string_equal(d->name, pcs_model_body_name(s.model, 0));
    assert_true(d->a.position.x == 0.1 * 4 && d->size.z == 4.13);
    pcs_result_destroy(result);
    delete_object("/body/shape");
    result = open_result(&s);
    assert_int_equal(pcs_result_drawing_count(result), 0);
    pcs_result_destroy(result);
    scene_end(&s);
}

static void test_damaged_tables_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"/drawing/names", "/drawing/vertices", "/event/object"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scene s;
        pcs_result *result = NULL;
        scene_bouncing_ball(&s, 9.81, 1.3, 1, 0, 0.8);
        scene_finish(&s, 1e-3, 5e-3);
        run(&s, 1, false);
        delete_object(names[i]);
        assert_int_equal(pcs_result_open(s.ctx, path, &result), PCS_ERROR_INPUT);
        assert_non_null(strstr(pcs_context_error(s.ctx), "damaged"));
        assert_null(result);
        scene_end(&s);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_impacts_of_a_bouncing_ball),
        TEST(test_stick_and_slip_alternate),
        TEST(test_lost_events_are_counted),
        TEST(test_every_drawing_reads_back),
        TEST(test_names_and_units),
        TEST(test_whole_quantities),
        TEST(test_files_without_events_and_drawings),
        TEST(test_damaged_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
