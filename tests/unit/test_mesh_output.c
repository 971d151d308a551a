// What comes out of a run with meshes: views, signals, the result file, ParaView files, the report.
// All of them show the same numbers, which the state of the simulation has.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/flexible.h"

enum { FRAMES = 12, PATH_SIZE = 256 };

typedef struct fixture {
    char folder[64], path[128];
    pcs_context *ctx;
    pcs_model *model;
    pcs_simulation *simulation;
} fixture;

static fixture *make(pcs_context *ctx, pcs_model *model)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/percuss-mesh-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/run.h5", f->folder);
    f->ctx = ctx;
    f->model = model;
    pcs_simulation_def def = pcs_simulation_default();
    def.step = 1e-3;
    def.end = 1;
    assert_int_equal(pcs_simulation_create(ctx, model, &def, &f->simulation), PCS_OK);
    assert_int_equal(pcs_simulation_start(f->simulation), PCS_OK);
    return f;
}

static int set_up_planar(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    *state = make(ctx, flexible_planar(ctx));
    return 0;
}

static int set_up_spatial(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    *state = make(ctx, flexible_spatial(ctx, 2));
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    pcs_simulation_destroy(f->simulation);
    pcs_model_destroy(f->model);
    pcs_context_destroy(f->ctx);
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void step(fixture *f, int count)
{
    for (int i = 0; i < count; ++i)
        assert_true(pcs_simulation_step(f->simulation) >= 0);
}

static double signal_now(const fixture *f, const char *path)
{
    pcs_signal signal;
    if (pcs_model_find_signal(f->ctx, f->model, path, &signal) != PCS_OK)
        fail_msg("%s: %s", path, pcs_context_error(f->ctx));
    return pcs_simulation_signal(f->simulation, signal);
}

// ---- Views and signals ----

static void views_and_signals_agree(void **state)
{
    fixture *f = *state;
    char path[PATH_SIZE];
    step(f, 7);
    for (int32_t k = 0; k < pcs_model_mesh_count(f->model); ++k) {
        const char *name = pcs_model_mesh_name(f->model, k);
        const int32_t n = pcs_model_mesh_node_count(f->model, k), i = n / 2;
        double *x = calloc((size_t)(6 * n), sizeof *x), *v = x + 3 * n;
        pcs_body_view view;
        pcs_simulation_mesh_nodes(f->simulation, k, x, v);
        pcs_simulation_mesh_node(f->simulation, k, i, &view);
        assert_memory_equal(&view.position, x + 3 * i, sizeof view.position);
        assert_memory_equal(&view.velocity, v + 3 * i, sizeof view.velocity);
        snprintf(path, sizeof path, "mesh.%s.node.%d.position.y", name, (int)i);
        assert_true(signal_now(f, path) == x[3 * i + 1]);
        snprintf(path, sizeof path, "mesh.%s.node.%d.velocity.x", name, (int)i);
        assert_true(signal_now(f, path) == v[3 * i]);
        assert_true(v[3 * i] != 0 || v[3 * i + 1] != 0);
        // The group "all" is the mean over all nodes, summed in their order.
        double sum = 0;
        for (int32_t j = 0; j < n; ++j)
            sum += x[3 * j + 1];
        snprintf(path, sizeof path, "mesh.%s.all.position.y", name);
        assert_true(signal_now(f, path) == sum / n);
        free(x);
    }
}

// The results of a part, and the extremes that signals tell.
static void results_and_extremes_agree(void **state)
{
    fixture *f = *state;
    char path[PATH_SIZE];
    step(f, 7);
    for (int32_t k = 0; k < pcs_model_mesh_count(f->model); ++k) {
        const pcs_mesh_part_view part = pcs_model_mesh_part(f->model, k, 0);
        double *results = calloc((size_t)(part.n_elements * part.n_results), sizeof *results);
        pcs_simulation_mesh_results(f->simulation, k, 0, results);
        for (int32_t i = 0; i < part.n_results; ++i) {
            double least = INFINITY, most = -INFINITY;
            for (int32_t e = 0; e < part.n_elements; ++e) {
                const double value = results[e * part.n_results + i];
                least = fmin(least, value);
                most = fmax(most, value);
                snprintf(path, sizeof path, "mesh.%s.element.%d.%s",
                         pcs_model_mesh_name(f->model, k), (int)e, part.results_names[i]);
                assert_true(signal_now(f, path) == value);
            }
            snprintf(path, sizeof path, "mesh.%s.%s.max", pcs_model_mesh_name(f->model, k),
                     part.results_names[i]);
            assert_true(signal_now(f, path) == most);
            snprintf(path, sizeof path, "mesh.%s.%s.min", pcs_model_mesh_name(f->model, k),
                     part.results_names[i]);
            assert_true(signal_now(f, path) == least);
        }
        assert_true(results[0] != 0);
        free(results);
    }
}

// Energies of the meshes and of the body are those of the model, but for gravity and the spring.
static void energies_are_those_of_the_model(void **state)
{
    fixture *f = *state;
    pcs_body_view ball;
    step(f, 7);
    double kinetic = 0;
    for (int32_t k = 0; k < pcs_model_mesh_count(f->model); ++k) {
        const pcs_mesh_energy energy = pcs_simulation_mesh_energy(f->simulation, k);
        assert_true(energy.kinetic > 0 && energy.strain > 0);
        kinetic += energy.kinetic;
    }
    pcs_simulation_body(f->simulation, 0, &ball);
    kinetic += 0.5 * 0.173 *
                   (ball.velocity.x * ball.velocity.x + ball.velocity.y * ball.velocity.y) +
               0.5 * 1.3e-4 * ball.angular_velocity.z * ball.angular_velocity.z;
    const double whole = signal_now(f, "energy.kinetic");
    assert_true(fabs(kinetic - whole) <= 64 * 2.3e-16 * whole); // sums of some ten terms
}

static void assert_message(fixture *f, const char *path, const char *part)
{
    pcs_signal signal;
    assert_true(pcs_model_find_signal(f->ctx, f->model, path, &signal) == PCS_ERROR_INPUT);
    if (!strstr(pcs_context_error(f->ctx), part))
        fail_msg("'%s' does not say '%s'", pcs_context_error(f->ctx), part);
}

static void wrong_paths_get_a_remedy(void **state)
{
    fixture *f = *state;
    assert_message(f, "mesh.beam.node.5.position.x",
                   "nodes of mesh 'beam' have the numbers 0 to 4");
    assert_message(f, "mesh.beam.element.4.axial_force", "the numbers 0 to 3");
    assert_message(f, "mesh.beam.node.3.positon.x", "'mesh.beam.node.3.position.x'");
    assert_message(f, "mesh.beam.tip.angel", "'mesh.beam.tip.angle'");
    assert_message(f, "mesh.chain.tip.angle", "there is no signal");
    assert_message(f, "mesh.beam.node.99999999999.angle", "the numbers 0 to 4");
    assert_message(f, "mesh.beam.node.", "there is no signal");
    assert_message(f, "mesh.beam.node.3", "there is no signal");
    assert_message(f, "mesh.bean.tip.angle", "'mesh.beam.tip.angle'");
}

// ---- Result file ----

typedef struct record {
    char (*paths)[PATH_SIZE];
    pcs_signal *signals;
    double *values; // by frame
    int32_t count;
} record;

static void add_path(fixture *f, record *r, const char *path)
{
    r->paths = realloc(r->paths, sizeof *r->paths * (size_t)(r->count + 1));
    r->signals = realloc(r->signals, sizeof *r->signals * (size_t)(r->count + 1));
    assert_true(r->paths && r->signals);
    snprintf(r->paths[r->count], PATH_SIZE, "%s", path);
    assert_int_equal(pcs_model_find_signal(f->ctx, f->model, path, &r->signals[r->count]), PCS_OK);
    r->count++;
}

// All listed signals, and all that the nodes of the first mesh have.
static record choose_signals(fixture *f)
{
    static const char *const tails[] = {
        "position.x", "position.y", "position.z", "velocity.x",         "velocity.z",
        "angle",      "rotation.w", "rotation.z", "angular_velocity.x", "angular_velocity.z"};
    record r = {0};
    char path[PATH_SIZE];
    pcs_signal signal;
    for (int32_t i = 0; pcs_model_signal_path(f->model, i, path, sizeof path); ++i)
        add_path(f, &r, path);
    for (int32_t k = 0; k < pcs_model_mesh_count(f->model); ++k)
        for (int32_t n = 0; n < pcs_model_mesh_node_count(f->model, k); ++n)
            for (size_t t = 0; t < sizeof tails / sizeof *tails; ++t) {
                snprintf(path, sizeof path, "mesh.%s.node.%d.%s", pcs_model_mesh_name(f->model, k),
                         (int)n, tails[t]);
                if (pcs_model_find_signal(f->ctx, f->model, path, &signal) == PCS_OK)
                    add_path(f, &r, path);
            }
    r.values = calloc((size_t)(FRAMES * r.count), sizeof *r.values);
    assert_non_null(r.values);
    return r;
}

static void free_record(record *r)
{
    free(r->paths);
    free(r->signals);
    free(r->values);
}

static void write_run(fixture *f, record *r)
{
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    def.path = f->path;
    def.title = "flexible";
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_OK);
    for (int frame = 0; frame < FRAMES; ++frame) {
        assert_int_equal(pcs_result_append(writer, f->simulation), PCS_OK);
        if (r)
            pcs_simulation_signals(f->simulation, r->signals, r->count,
                                   r->values + frame * r->count);
        step(f, 3);
    }
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
}

static pcs_result *open_run(fixture *f)
{
    pcs_result *result = NULL;
    if (pcs_result_open(f->ctx, f->path, &result) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    assert_int_equal(pcs_result_frames(result), FRAMES);
    assert_string_equal(pcs_result_warning(result), "");
    return result;
}

static void every_signal_reads_back(void **state)
{
    fixture *f = *state;
    record r = choose_signals(f);
    write_run(f, &r);
    pcs_result *result = open_run(f);
    double values[FRAMES];
    for (int32_t i = 0; i < r.count; ++i) {
        if (pcs_result_signal(result, r.paths[i], values) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
        for (int frame = 0; frame < FRAMES; ++frame)
            if (values[frame] != r.values[frame * r.count + i])
                fail_msg("%s: %.17g, not %.17g", r.paths[i], values[frame],
                         r.values[frame * r.count + i]);
    }
    // Both list the same signals.
    char path[PATH_SIZE], other[PATH_SIZE];
    int32_t listed = 0, found = 0;
    while (pcs_model_signal_path(f->model, listed, path, sizeof path))
        listed++;
    while (pcs_result_signal_path(result, found, other, sizeof other)) {
        pcs_signal signal;
        assert_non_null(pcs_result_signal_unit(result, found));
        assert_int_equal(pcs_model_find_signal(f->ctx, f->model, other, &signal), PCS_OK);
        found++;
    }
    assert_int_equal(listed, found);
    pcs_result_destroy(result);
    free_record(&r);
}

static void meshes_read_back(void **state)
{
    fixture *f = *state;
    write_run(f, NULL);
    pcs_result *result = open_run(f);
    assert_int_equal(pcs_result_mesh_count(result), pcs_model_mesh_count(f->model));
    assert_null(pcs_result_mesh(result, pcs_model_mesh_count(f->model)).name);
    for (int32_t k = 0; k < pcs_model_mesh_count(f->model); ++k) {
        const pcs_result_mesh_view mesh = pcs_result_mesh(result, k);
        const int32_t n = pcs_model_mesh_node_count(f->model, k);
        assert_string_equal(mesh.name, pcs_model_mesh_name(f->model, k));
        assert_int_equal(mesh.n_nodes, n);
        assert_true(mesh.mass == pcs_model_mesh_mass(f->model, k));
        assert_true((mesh.first_frame >= 0) == pcs_model_mesh_turns(f->model, k));
        assert_memory_equal(mesh.start, pcs_model_mesh_start(f->model, k),
                            sizeof(pcs_vec3) * (size_t)n);
        const pcs_mesh_part_view a = pcs_model_mesh_part(f->model, k, 0),
                                 b = pcs_result_mesh_part(result, k, 0, NULL);
        assert_string_equal(a.name, b.name);
        assert_int_equal(a.kind, b.kind);
        assert_int_equal(a.n_elements, b.n_elements);
        assert_int_equal(a.n_results, b.n_results);
        assert_string_equal(a.results_names[a.n_results - 1], b.results_names[b.n_results - 1]);
        assert_memory_equal(a.nodes, b.nodes,
                            sizeof(int32_t) * (size_t)(a.n_elements * a.nodes_per_element));
        assert_true(a.section->drawn.x == b.section->drawn.x &&
                    a.section->round == b.section->round);
        int32_t g = 0;
        for (pcs_mesh_group_view p; (p = pcs_model_mesh_group(f->model, k, g)).name; ++g) {
            const pcs_mesh_group_view q = pcs_result_mesh_group(result, k, g);
            assert_string_equal(p.name, q.name);
            assert_int_equal(p.n_nodes, q.n_nodes);
            assert_int_equal(p.n_faces, q.n_faces);
            assert_memory_equal(p.nodes, q.nodes, sizeof(int32_t) * (size_t)p.n_nodes);
            if (p.n_faces > 0)
                assert_memory_equal(p.faces, q.faces, sizeof *p.faces * (size_t)p.n_faces);
        }
        assert_null(pcs_result_mesh_group(result, k, g).name);
        assert_int_equal(mesh.n_groups, g);
    }
    pcs_result_destroy(result);
}

// Results of elements are stored in single precision, and nothing but that happens to them.
static void results_are_stored_in_single_precision(void **state)
{
    fixture *f = *state;
    const pcs_mesh_part_view part = pcs_model_mesh_part(f->model, 0, 0);
    double *now = calloc((size_t)(part.n_elements * part.n_results), sizeof *now);
    pcs_simulation_mesh_results(f->simulation, 0, 0, now);
    write_run(f, NULL);
    pcs_result *result = open_run(f);
    const int64_t width = pcs_result_width(result, "mesh/result");
    double *values = calloc((size_t)width, sizeof *values);
    int64_t first = -1;
    (void)pcs_result_mesh_part(result, 0, 0, &first);
    assert_int_equal(first, 0);
    assert_true(width >= part.n_elements * part.n_results);
    assert_int_equal(pcs_result_read(result, "mesh/result", (pcs_frame_range){0, 1, 1}, values),
                     PCS_OK);
    for (int32_t i = 0; i < part.n_elements * part.n_results; ++i)
        assert_true(values[i] == (double)(float)now[i]);
    pcs_result_destroy(result);
    free(values);
    free(now);
}

// The spring between a node and a body or the ground is drawn at the node.
static void drawings_name_their_node(void **state)
{
    fixture *f = *state;
    write_run(f, NULL);
    pcs_result *result = open_run(f);
    int found = 0;
    for (int32_t i = 0; i < pcs_result_drawing_count(result); ++i) {
        const pcs_drawing *d = pcs_result_drawing(result, i);
        if (d->owner != PCS_DRAWING_OF_SPRING)
            continue;
        ++found;
        const char *group = pcs_model_dimension(f->model) == 2 ? "tip" : "corner";
        pcs_mesh_group_view g;
        int32_t k = 0;
        while (strcmp((g = pcs_result_mesh_group(result, 0, k)).name, group) != 0)
            ++k;
        assert_int_equal(d->a.node, g.nodes[0] + 1);
        assert_int_equal(d->b.node, 0);
    }
    assert_int_equal(found, 1);
    pcs_result_destroy(result);
}

// ---- Exports ----

static void paraview_files_are_written(void **state)
{
    fixture *f = *state;
    char folder[128], path[256];
    struct stat info;
    write_run(f, NULL);
    pcs_result *result = open_run(f);
    snprintf(folder, sizeof folder, "%s/vtk", f->folder);
    if (pcs_export_vtk(f->ctx, result, folder, NULL) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    snprintf(path, sizeof path, "%s/meshes.pvd", folder);
    assert_int_equal(stat(path, &info), 0);
    snprintf(path, sizeof path, "%s/frames/meshes_%08d.vtu", folder, FRAMES - 1);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size > 1000);
    const char *keep = getenv("PERCUSS_KEEP"); // for a look at the files
    if (keep) {
        char command[512];
        snprintf(command, sizeof command, "cp -r %s %s", f->folder, keep);
        assert_int_equal(system(command), 0);
    }
    pcs_result_destroy(result);
}

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(*size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    fclose(file);
    return text;
}

static void write_page(fixture *f, char *path, size_t size)
{
    pcs_result *result = open_run(f);
    const char *name = "run.h5";
    snprintf(path, size, "%s/run.html", f->folder);
    if (pcs_report_write(f->ctx, &result, &name, 1, path) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    pcs_result_destroy(result);
}

static void the_page_has_the_meshes(void **state)
{
    fixture *f = *state;
    char path[256];
    size_t size = 0;
    if (!pcs_report_is_available())
        skip();
    write_run(f, NULL);
    write_page(f, path, sizeof path);
    char *text = read_text(path, &size);
    const bool planar = pcs_model_dimension(f->model) == 2;
    assert_non_null(strstr(text, "\"meshes\":{\"fields\":[{\"name\":\"speed\",\"unit\":\"m/s\""));
    assert_non_null(strstr(text, planar ? "\"name\":\"bending_moment\",\"unit\":\"N m\""
                                        : "\"name\":\"mises\",\"unit\":\"Pa\""));
    // Torsion is none of a planar beam's results.
    assert_true((strstr(text, "\"name\":\"torque\"") != NULL) == !planar);
    // The spring sits on a drawn point.
    assert_non_null(strstr(text, "\"body\":-1,\"mesh\":0,\"point\":"));
    free(text);
}

// 2402 contact points: 20 x 20 x 20 elements have as many nodes on their surface.
static void many_contact_points_fit(void **state)
{
    fixture *f = *state;
    enum { POINTS = 2402 };
    char path[256];
    size_t size = 0;
    assert_int_equal(pcs_model_contact_count(f->model), POINTS);
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    def.path = f->path;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_OK);
    for (int frame = 0; frame < FRAMES; ++frame)
        assert_int_equal(pcs_result_append(writer, f->simulation), PCS_OK);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    pcs_result *result = open_run(f);
    char last[PATH_SIZE];
    snprintf(last, sizeof last, "contact.%s.gap", pcs_model_contact_name(f->model, POINTS - 1));
    double gap[FRAMES], height[FRAMES];
    assert_int_equal(pcs_result_signal(result, last, gap), PCS_OK);
    snprintf(last, sizeof last, "mesh.net.node.%d.position.y", POINTS - 1);
    assert_int_equal(pcs_result_signal(result, last, height), PCS_OK);
    assert_true(height[FRAMES - 1] == 0.013 + 0.01);
    assert_true(fabs(gap[FRAMES - 1] - height[FRAMES - 1]) <= 1e-15);
    pcs_result_destroy(result);
    if (!pcs_report_is_available())
        return;
    write_page(f, path, sizeof path);
    free(read_text(path, &size));
    assert_true(size < 25000000);
}

static int set_up_net(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    *state = make(ctx, flexible_net(ctx));
    return 0;
}

int main(void)
{
#define BOTH(test)                                                   \
    cmocka_unit_test_setup_teardown(test, set_up_planar, tear_down), \
        cmocka_unit_test_setup_teardown(test, set_up_spatial, tear_down)
    const struct CMUnitTest tests[] = {
        BOTH(views_and_signals_agree),
        BOTH(results_and_extremes_agree),
        cmocka_unit_test_setup_teardown(energies_are_those_of_the_model, set_up_planar, tear_down),
        cmocka_unit_test_setup_teardown(wrong_paths_get_a_remedy, set_up_planar, tear_down),
        BOTH(every_signal_reads_back),
        BOTH(meshes_read_back),
        BOTH(results_are_stored_in_single_precision),
        BOTH(drawings_name_their_node),
        BOTH(paraview_files_are_written),
        BOTH(the_page_has_the_meshes),
        cmocka_unit_test_setup_teardown(many_contact_points_fit, set_up_net, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
