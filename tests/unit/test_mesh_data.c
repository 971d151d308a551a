// Meshes as data: counts, volumes and groups of generated blocks and lines; the boundary as a
// closed surface; reduction and twins; what generators refuse; failing memory.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/mesh_generate.h"
#include "math/vector.h"
#include "support/near.h"

static pcs_context *begin(pcs_mesh_data *data)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    pcs_mesh_data_init(data, ctx);
    return ctx;
}

static void end(pcs_context *ctx, pcs_mesh_data *data)
{
    pcs_mesh_data_free(data);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static void make_block(pcs_mesh_data *data, pcs_vec3 size, int64_t nx, int64_t ny, int64_t nz,
                       pcs_cell_kind kind)
{
    pcs_block_def def = {.size = size, .divisions = {nx, ny, nz}, .kind = kind};
    if (pcs_mesh_generate_block(data, &def) != PCS_OK)
        fail_msg("%s", pcs_context_error(data->ctx));
}

static double total_measure(const pcs_mesh_data *data)
{
    double sum = 0;
    for (int32_t c = 0; c < data->cells.count; c++)
        sum += pcs_cell_measure(data, &data->cells.data[c]);
    return sum;
}

// Area vector of a face, bilinear if it has four nodes: half the cross product of its diagonals.
static pcs_vec3 area_vector(const pcs_mesh_data *data, const pcs_mesh_face *face)
{
    const pcs_vec3 *x = data->nodes.data;
    const int32_t *n = face->nodes;
    pcs_vec3 first = pcs_v3_sub(x[n[2]], x[n[0]]);
    pcs_vec3 second = n[3] < 0 ? pcs_v3_sub(x[n[2]], x[n[1]]) : pcs_v3_sub(x[n[3]], x[n[1]]);
    return pcs_v3_scale(0.5, pcs_v3_cross(first, second));
}

static pcs_vec3 face_centre(const pcs_mesh_data *data, const pcs_mesh_face *face)
{
    pcs_vec3 sum = {0, 0, 0};
    int32_t n = face->nodes[3] < 0 ? 3 : 4;
    for (int32_t k = 0; k < n; k++)
        sum = pcs_v3_axpy(sum, 1.0 / n, data->nodes.data[face->nodes[k]]);
    return sum;
}

// Every edge of a closed surface is walked once in each direction.
static void assert_closed(const pcs_mesh_faces *faces)
{
    for (int32_t f = 0; f < faces->count; f++) {
        int32_t n = faces->data[f].nodes[3] < 0 ? 3 : 4;
        for (int32_t k = 0; k < n; k++) {
            int32_t from = faces->data[f].nodes[k], to = faces->data[f].nodes[(k + 1) % n];
            int32_t along = 0, against = 0;
            for (int32_t g = 0; g < faces->count; g++) {
                int32_t m = faces->data[g].nodes[3] < 0 ? 3 : 4;
                for (int32_t j = 0; j < m; j++) {
                    int32_t a = faces->data[g].nodes[j], b = faces->data[g].nodes[(j + 1) % m];
                    along += a == from && b == to;
                    against += a == to && b == from;
                }
            }
            assert_int_equal(along, 1);
            assert_int_equal(against, 1);
        }
    }
}

static void test_blocks(void **state)
{
    (void)state;
    const pcs_vec3 size = {0.713, 0.291, 1.37};
    const double volume = size.x * size.y * size.z;
    for (int kind = PCS_CELL_TETRAHEDRON; kind <= PCS_CELL_HEXAHEDRON; kind++) {
        pcs_mesh_data data;
        pcs_context *ctx = begin(&data);
        make_block(&data, size, 4, 2, 3, (pcs_cell_kind)kind);
        const int32_t per_brick = kind == PCS_CELL_HEXAHEDRON ? 1 : 6;
        const int32_t per_square = kind == PCS_CELL_HEXAHEDRON ? 1 : 2;
        assert_int_equal(data.nodes.count, 5 * 3 * 4);
        assert_int_equal(data.cells.count, 24 * per_brick);
        for (int32_t c = 0; c < data.cells.count; c++) {
            assert_near(pcs_cell_measure(&data, &data.cells.data[c]), volume / data.cells.count,
                        64 * DBL_EPSILON * volume);
            assert_true(pcs_cell_quality(&data, &data.cells.data[c]) > 0);
        }
        assert_near(total_measure(&data), volume, 512 * DBL_EPSILON * volume);
        // node (i, j, k), and symmetry about the centre
        pcs_vec3 x = data.nodes.data[3 + 5 * (1 + 3 * 2)];
        assert_near(x.x, size.x / 4, DBL_EPSILON);
        assert_near(x.y, 0, 0);
        assert_near(x.z, size.z / 6, DBL_EPSILON);
        for (int32_t i = 0; i < data.nodes.count; i++) {
            pcs_vec3 a = data.nodes.data[i], b = data.nodes.data[data.nodes.count - 1 - i];
            assert_true(a.x == -b.x && a.y == -b.y && a.z == -b.z);
        }
        pcs_mesh_faces boundary = {0};
        assert_int_equal(pcs_mesh_data_boundary(&data, &boundary), PCS_OK);
        assert_int_equal(boundary.count, 2 * (4 * 2 + 2 * 3 + 4 * 3) * per_square);
        assert_closed(&boundary);
        // outward, and Gauss' theorem: 3 V = sum of x.A
        double flux = 0;
        for (int32_t f = 0; f < boundary.count; f++) {
            double out = pcs_v3_dot(face_centre(&data, &boundary.data[f]),
                                    area_vector(&data, &boundary.data[f]));
            assert_true(out > 0);
            flux += out;
        }
        assert_near(flux / 3, volume, 512 * DBL_EPSILON * volume);
        PCS_ARRAY_FREE(ctx, &boundary);
        end(ctx, &data);
    }
}

static void test_block_groups(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int axis, n_nodes, n_squares;
        double side;
    } rows[] = {{"x_min", 0, 12, 6, -1}, {"x_max", 0, 12, 6, 1},  {"y_min", 1, 20, 12, -1},
                {"y_max", 1, 20, 12, 1}, {"z_min", 2, 15, 8, -1}, {"z_max", 2, 15, 8, 1}};
    const double half[3] = {0.3565, 0.1455, 0.685};
    for (int kind = PCS_CELL_TETRAHEDRON; kind <= PCS_CELL_HEXAHEDRON; kind++) {
        pcs_mesh_data data;
        pcs_context *ctx = begin(&data);
        make_block(&data, (pcs_vec3){0.713, 0.291, 1.37}, 4, 2, 3, (pcs_cell_kind)kind);
        assert_int_equal(data.groups.count, 6);
        for (size_t r = 0; r < 6; r++) {
            const pcs_mesh_data_group *group = pcs_mesh_data_find_group(&data, rows[r].name);
            assert_non_null(group);
            assert_int_equal(group->nodes.count, rows[r].n_nodes);
            assert_int_equal(group->faces.count,
                             rows[r].n_squares * (kind == PCS_CELL_HEXAHEDRON ? 1 : 2));
            for (int32_t i = 0; i < group->nodes.count; i++) {
                double x[3];
                pcs_v3_store(x, data.nodes.data[group->nodes.data[i]]);
                assert_near(x[rows[r].axis], rows[r].side * half[rows[r].axis], DBL_EPSILON);
            }
            double area = 0;
            for (int32_t f = 0; f < group->faces.count; f++) {
                double a[3];
                pcs_v3_store(a, area_vector(&data, &group->faces.data[f]));
                assert_true(rows[r].side * a[rows[r].axis] > 0);
                area += fabs(a[rows[r].axis]);
            }
            const double product = 8 * half[0] * half[1] * half[2];
            assert_near(area, product / (2 * half[rows[r].axis]), 64 * DBL_EPSILON);
        }
        end(ctx, &data);
    }
}

// The volume of a distorted hexahedron with bilinear faces by Gauss' theorem, face by face:
// integral of x.dA over a bilinear patch by 3 x 3 Gauss points (degree 3 in each parameter).
static double patch_flux(const pcs_vec3 x[4])
{
    static const double at[3] = {-0.774596669241483377, 0, 0.774596669241483377};
    static const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            pcs_vec3 p = {0, 0, 0}, u = {0, 0, 0}, w = {0, 0, 0};
            for (int k = 0; k < 4; k++) {
                double a = 1 + at[i] * corner[k][0], b = 1 + at[j] * corner[k][1];
                p = pcs_v3_axpy(p, a * b / 4, x[k]);
                u = pcs_v3_axpy(u, corner[k][0] * b / 4, x[k]);
                w = pcs_v3_axpy(w, a * corner[k][1] / 4, x[k]);
            }
            sum += weight[i] * weight[j] * pcs_v3_dot(p, pcs_v3_cross(u, w));
        }
    }
    return sum;
}

static void test_hexahedron_volume(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 20261116);
    for (int trial = 0; trial < 20; trial++) {
        pcs_mesh_data data;
        pcs_context *ctx = begin(&data);
        make_block(&data, (pcs_vec3){1.3, 0.9, 1.1}, 1, 1, 1, PCS_CELL_HEXAHEDRON);
        for (int32_t i = 0; i < 8; i++) {
            pcs_vec3 shake = {pcs_random_between(&random, -0.2, 0.2),
                              pcs_random_between(&random, -0.2, 0.2),
                              pcs_random_between(&random, -0.2, 0.2)};
            data.nodes.data[i] = pcs_v3_add(data.nodes.data[i], shake);
        }
        double flux = 0;
        for (int32_t f = 0; f < 6; f++) {
            pcs_mesh_face face = pcs_cell_face(&data.cells.data[0], f);
            pcs_vec3 x[4];
            for (int k = 0; k < 4; k++)
                x[k] = data.nodes.data[face.nodes[k]];
            flux += patch_flux(x);
        }
        assert_near(pcs_cell_measure(&data, &data.cells.data[0]), flux / 3, 256 * DBL_EPSILON);
        end(ctx, &data);
    }
}

static void test_lines(void **state)
{
    (void)state;
    pcs_mesh_data data;
    pcs_context *ctx = begin(&data);
    const pcs_vec3 corners[3] = {{0.1, -0.2, 0.3}, {1.4, 0.7, -0.5}, {2.2, 0.7, 0.9}};
    const int64_t divisions[2] = {7, 3};
    pcs_line_def def = {.points = corners, .n_points = 3, .divisions = divisions};
    assert_int_equal(pcs_mesh_generate_line(&data, &def), PCS_OK);
    assert_int_equal(data.nodes.count, 11);
    assert_int_equal(data.cells.count, 10);
    double length = pcs_v3_norm(pcs_v3_sub(corners[1], corners[0])) +
                    pcs_v3_norm(pcs_v3_sub(corners[2], corners[1]));
    assert_near(total_measure(&data), length, 64 * DBL_EPSILON);
    assert_memory_equal(&data.nodes.data[7], &corners[1], sizeof(pcs_vec3));
    assert_int_equal(pcs_mesh_data_find_group(&data, "start")->nodes.data[0], 0);
    assert_int_equal(pcs_mesh_data_find_group(&data, "end")->nodes.data[0], 10);
    assert_int_equal(pcs_mesh_data_nearest(&data, corners[1]), 7);
    assert_int_equal(pcs_mesh_data_find_tag(&data, 10), 10);
    assert_int_equal(pcs_mesh_data_find_tag(&data, 11), -1);
    pcs_mesh_data_free(&data);

    const int64_t around[3] = {2, 3, 4};
    def = (pcs_line_def){.points = corners, .n_points = 3, .divisions = around, .closed = true};
    assert_int_equal(pcs_mesh_generate_line(&data, &def), PCS_OK);
    assert_int_equal(data.nodes.count, 9);
    assert_int_equal(data.cells.count, 9);
    assert_int_equal(data.cells.data[8].nodes[1], 0);
    assert_int_equal(data.groups.count, 0);
    assert_near(total_measure(&data), length + pcs_v3_norm(pcs_v3_sub(corners[2], corners[0])),
                64 * DBL_EPSILON);
    end(ctx, &data);
}

// Arcs of a circle in a tilted plane: nodes at equal angles, both for less and for more than half.
static void test_arcs(void **state)
{
    (void)state;
    const double pi = acos(-1.0), radius = 1.7;
    const pcs_vec3 centre = {0.3, -0.4, 0.8};
    const pcs_vec3 u = {0.6, 0.8, 0}, w = {-0.48, 0.36, 0.8};
    static const double angles[3] = {0.7, 3.1, 5.9};
    for (int trial = 0; trial < 3; trial++) {
        pcs_mesh_data data;
        pcs_context *ctx = begin(&data);
        const double total = angles[trial];
        pcs_vec3 points[3];
        for (int k = 0; k < 3; k++) {
            double phi = total * (k == 1 ? 0.37 : k / 2);
            points[k] = pcs_v3_axpy(pcs_v3_axpy(centre, radius * cos(phi), u), radius * sin(phi),
                                    w);
        }
        const int64_t divisions = 13;
        pcs_line_def def = {.points = points, .n_points = 3, .divisions = &divisions, .arc = true};
        assert_int_equal(pcs_mesh_generate_line(&data, &def), PCS_OK);
        assert_int_equal(data.nodes.count, 14);
        for (int32_t i = 0; i <= 13; i++) {
            double phi = total * i / 13;
            pcs_vec3 x = pcs_v3_axpy(pcs_v3_axpy(centre, radius * cos(phi), u), radius * sin(phi),
                                     w);
            // the centre of three points 0.7 rad apart loses a factor 1/0.26^2
            assert_near(pcs_v3_norm(pcs_v3_sub(x, data.nodes.data[i])), 0, 1024 * DBL_EPSILON);
        }
        assert_near(total_measure(&data), 13 * 2 * radius * sin(total / 26), 1024 * DBL_EPSILON);
        end(ctx, &data);
    }
    assert_true(angles[1] < pi && angles[2] > pi);
}

static void assert_refused(pcs_status status, pcs_mesh_data *data, const char *text)
{
    assert_int_equal(status, PCS_ERROR_INPUT);
    if (!strstr(pcs_context_error(data->ctx), text))
        fail_msg("'%s' is not in '%s'", text, pcs_context_error(data->ctx));
    pcs_mesh_data_free(data);
}

static void test_refusals(void **state)
{
    (void)state;
    pcs_mesh_data data;
    pcs_context *ctx = begin(&data);
    pcs_block_def block = {.size = {1, 1, 1}, .divisions = {3, 0, 2}, .kind = PCS_CELL_HEXAHEDRON};
    assert_refused(pcs_mesh_generate_block(&data, &block), &data, "divisions: 0; at least 1");
    block.divisions[1] = INT64_MAX / 2;
    assert_refused(pcs_mesh_generate_block(&data, &block), &data, "too many");
    block = (pcs_block_def){
        .size = {1, 1, 1}, .divisions = {99, 99, 100}, .kind = PCS_CELL_TETRAHEDRON};
    assert_refused(pcs_mesh_generate_block(&data, &block), &data, "1.01e+06 nodes");
    block = (pcs_block_def){
        .size = {1, -0.2, 1}, .divisions = {1, 1, 1}, .kind = PCS_CELL_HEXAHEDRON};
    assert_refused(pcs_mesh_generate_block(&data, &block), &data, "one is -0.2");
    const pcs_vec3 points[3] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}};
    const int64_t divisions[3] = {2, 2, 2};
    pcs_line_def line = {.points = points, .n_points = 1, .divisions = divisions};
    assert_refused(pcs_mesh_generate_line(&data, &line), &data, "at least 2");
    line = (pcs_line_def){.points = points, .n_points = 2, .divisions = divisions, .closed = true};
    assert_refused(pcs_mesh_generate_line(&data, &line), &data, "at least 3");
    line = (pcs_line_def){.points = points, .n_points = 3, .divisions = divisions, .arc = true};
    assert_refused(pcs_mesh_generate_line(&data, &line), &data, "straight line");
    const pcs_vec3 twice[3] = {{0, 0, 0}, {1, 1, 0}, {1, 1, 0}};
    line = (pcs_line_def){.points = twice, .n_points = 3, .divisions = divisions};
    assert_refused(pcs_mesh_generate_line(&data, &line), &data, "points 1 and 2");
    end(ctx, &data);
}

static void push_group_cell(pcs_mesh_data *data, const char *name, int32_t cell)
{
    int32_t g;
    assert_int_equal(pcs_mesh_data_get_group(data, name, &g), PCS_OK);
    assert_true(PCS_PUSH(data->ctx, &data->groups.data[g].cells, cell));
}

// Twins become one cell in both groups; dropped cells take their nodes and faces with them, and
// faces that were given inside out are turned.
static void test_reduction(void **state)
{
    (void)state;
    pcs_mesh_data data;
    pcs_context *ctx = begin(&data);
    make_block(&data, (pcs_vec3){3, 1, 1}, 3, 1, 1, PCS_CELL_HEXAHEDRON);
    pcs_mesh_cell twin = data.cells.data[1];
    for (int k = 0; k < 8; k++) // turned about z by a quarter
        twin.nodes[k] = data.cells.data[1].nodes[(k / 4) * 4 + (k + 1) % 4];
    assert_true(PCS_PUSH(ctx, &data.cells, twin));
    push_group_cell(&data, "first", 1);
    push_group_cell(&data, "second", 3);
    push_group_cell(&data, "second", 2);
    assert_int_equal(pcs_mesh_data_unite_cells(&data), PCS_OK);
    assert_int_equal(data.cells.count, 3);
    const pcs_mesh_data_group *second = pcs_mesh_data_find_group(&data, "second");
    assert_int_equal(second->cells.count, 2);
    assert_int_equal(second->cells.data[0], 1);
    assert_int_equal(second->cells.data[1], 2);

    pcs_mesh_data_group *top = pcs_mesh_data_find_group(&data, "z_max");
    for (int32_t f = 0; f < top->faces.count; f++) { // inside out
        int32_t *n = top->faces.data[f].nodes, swap = n[1];
        n[1] = n[3];
        n[3] = swap;
    }
    const bool keep[3] = {false, true, true};
    assert_int_equal(pcs_mesh_data_reduce(&data, keep), PCS_OK);
    assert_int_equal(data.cells.count, 2);
    assert_int_equal(data.nodes.count, 12);
    assert_near(total_measure(&data), 2, 16 * DBL_EPSILON);
    assert_int_equal(pcs_mesh_data_find_group(&data, "x_min")->nodes.count, 0);
    assert_int_equal(pcs_mesh_data_find_group(&data, "x_min")->faces.count, 0);
    top = pcs_mesh_data_find_group(&data, "z_max");
    assert_int_equal(top->nodes.count, 6);
    assert_int_equal(top->faces.count, 2);
    for (int32_t f = 0; f < 2; f++)
        assert_near(area_vector(&data, &top->faces.data[f]).z, 1, 16 * DBL_EPSILON);
    assert_int_equal(pcs_mesh_data_find_group(&data, "first")->cells.data[0], 0);
    end(ctx, &data);
}

static void test_failing_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        pcs_mesh_data data;
        pcs_context *ctx = begin(&data);
        pcs_block_def def = {
            .size = {1, 2, 3}, .divisions = {2, 2, 2}, .kind = PCS_CELL_TETRAHEDRON};
        pcs_context_fail_heap_call(ctx, n);
        pcs_status status = pcs_mesh_generate_block(&data, &def);
        if (status >= 0)
            status = pcs_mesh_data_unite_cells(&data);
        if (status >= 0)
            status = pcs_mesh_data_reduce(&data, NULL);
        pcs_context_fail_heap_call(ctx, 0);
        end(ctx, &data);
        if (status == PCS_OK) {
            assert_true(n > 20);
            break;
        }
        assert_int_equal(status, PCS_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_block_groups),
        cmocka_unit_test(test_hexahedron_volume),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
