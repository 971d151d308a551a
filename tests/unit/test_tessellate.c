// Surfaces of shapes: closed, outward, and with area and volume that approach the closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/tessellate.h"
#include "math/rotation.h"

static const pcs_vec3 SIZE = {0.2385, 0.731, 1.137};

typedef struct measures {
    double area, volume;
} measures;

// Volume by the divergence theorem: positive only if the normals point outwards.
static measures measure(const pcs_triangles *t)
{
    measures m = {0, 0};
    for (int32_t i = 0; i < t->corners.count; i += 3) {
        pcs_vec3 a = t->points.data[t->corners.data[i]], b = t->points.data[t->corners.data[i + 1]],
                 c = t->points.data[t->corners.data[i + 2]];
        pcs_vec3 n = pcs_v3_cross(pcs_v3_sub(b, a), pcs_v3_sub(c, a));
        m.area += pcs_v3_norm(n) / 2;
        m.volume += pcs_v3_dot(n, a) / 6;
    }
    return m;
}

static measures exact(pcs_shape_kind kind)
{
    double r = SIZE.x, l = SIZE.z, thin = PCS_TESSELLATE_ROD_RADIUS * l;
    switch (kind) {
    case PCS_SHAPE_SPHERE:
        return (measures){4 * PCS_PI * r * r, 4.0 / 3 * PCS_PI * r * r * r};
    case PCS_SHAPE_BOX:
        return (measures){2 * (SIZE.x * SIZE.y + SIZE.y * SIZE.z + SIZE.z * SIZE.x),
                          SIZE.x * SIZE.y * SIZE.z};
    case PCS_SHAPE_CYLINDER:
        return (measures){2 * PCS_PI * r * (r + l), PCS_PI * r * r * l};
    case PCS_SHAPE_CAPSULE:
        return (measures){2 * PCS_PI * r * (2 * r + l), PCS_PI * r * r * (4.0 / 3 * r + l)};
    case PCS_SHAPE_ROD:
        return (measures){2 * PCS_PI * thin * (thin + l), PCS_PI * thin * thin * l};
    }
    return (measures){0, 0};
}

static int compare_edges(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// Every directed edge occurs once, and its reverse too: closed, and oriented all alike.
static void check_closed(const pcs_triangles *t)
{
    size_t n = (size_t)t->corners.count;
    int32_t(*edges)[2] = malloc(n * sizeof *edges), back[2];
    assert_non_null(edges);
    for (int32_t i = 0; i < t->corners.count; i++) {
        edges[i][0] = t->corners.data[i];
        edges[i][1] = t->corners.data[i % 3 == 2 ? i - 2 : i + 1];
    }
    qsort(edges, n, sizeof *edges, compare_edges);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            assert_int_not_equal(compare_edges(edges[i], edges[i - 1]), 0);
        back[0] = edges[i][1];
        back[1] = edges[i][0];
        assert_non_null(bsearch(back, edges, n, sizeof *edges, compare_edges));
    }
    free(edges);
}

static void test_shapes_are_closed_and_outward(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    (void)state;
    for (int kind = 0; pcs_shape_kind_name((pcs_shape_kind)kind); kind++)
        for (int32_t segments = 3; segments < 40; segments += 1 + segments / 4) {
            pcs_triangles t = {0};
            assert_int_equal(pcs_tessellate_shape(ctx, (pcs_shape_kind)kind, SIZE, segments, &t),
                             PCS_OK);
            check_closed(&t);
            assert_true(measure(&t).volume > 0);
            for (int32_t i = 0; i < t.corners.count; i += 3) { // convex: each face looks outwards
                pcs_vec3 a = t.points.data[t.corners.data[i]];
                pcs_vec3 b = t.points.data[t.corners.data[i + 1]];
                pcs_vec3 c = t.points.data[t.corners.data[i + 2]];
                pcs_vec3 n = pcs_v3_cross(pcs_v3_sub(b, a), pcs_v3_sub(c, a));
                assert_true(pcs_v3_norm(n) > 0);
                assert_true(pcs_v3_dot(n, pcs_v3_add(a, pcs_v3_add(b, c))) > 0);
            }
            pcs_triangles_free(ctx, &t);
        }
    pcs_context_destroy(ctx);
}

// Inscribed polygons: the error is C / n^2, so doubling n divides it by four.
static void test_area_and_volume_converge(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    (void)state;
    for (int kind = 0; pcs_shape_kind_name((pcs_shape_kind)kind); kind++) {
        measures truth = exact((pcs_shape_kind)kind), error[3];
        for (int k = 0; k < 3; k++) {
            pcs_triangles t = {0};
            assert_int_equal(pcs_tessellate_shape(ctx, (pcs_shape_kind)kind, SIZE, 24 << k, &t),
                             PCS_OK);
            measures m = measure(&t);
            error[k] = (measures){1 - m.area / truth.area, 1 - m.volume / truth.volume};
            pcs_triangles_free(ctx, &t);
        }
        if (kind == PCS_SHAPE_BOX) {
            assert_true(fabs(error[0].area) < 1e-14 && fabs(error[0].volume) < 1e-14);
            continue;
        }
        for (int k = 0; k < 2; k++) {
            assert_true(error[k].area > 0 && error[k].volume > 0); // from below
            double order_area = log2(error[k].area / error[k + 1].area);
            double order_volume = log2(error[k].volume / error[k + 1].volume);
            assert_true(order_area > 1.95 && order_area < 2.05);
            assert_true(order_volume > 1.95 && order_volume < 2.05);
        }
        assert_true(error[0].volume < 0.03);
    }
    pcs_context_destroy(ctx);
}

static void test_patch(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_triangles t = {0};
    (void)state;
    assert_int_equal(pcs_tessellate_patch(ctx, (pcs_vec2){0.3, -0.7}, (pcs_vec2){1.5, 2.25}, &t),
                     PCS_OK);
    assert_int_equal(t.corners.count, 6);
    assert_true(fabs(measure(&t).area - 4 * 1.5 * 2.25) < 1e-14);
    for (int32_t i = 0; i < 4; i++) {
        assert_true(fabs(fabs(t.points.data[i].x - 0.3) - 1.5) < 1e-15);
        assert_true(fabs(fabs(t.points.data[i].y + 0.7) - 2.25) < 1e-15);
    }
    pcs_triangles_free(ctx, &t);
    pcs_context_destroy(ctx);
}

static void test_bad_input(void **state)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_triangles t = {0};
    (void)state;
    assert_int_equal(pcs_tessellate_shape(ctx, PCS_SHAPE_SPHERE, SIZE, 2, &t), PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_tessellate_shape(ctx, PCS_SHAPE_SPHERE, SIZE, 5000, &t),
                     PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_tessellate_shape(ctx, (pcs_shape_kind)17, SIZE, 8, &t),
                     PCS_ERROR_ARGUMENT);
    assert_int_equal(t.points.count, 0);
    for (uint64_t n = 1; n < 200; n++) { // every heap call may fail
        pcs_context_fail_heap_call(ctx, n);
        pcs_status status = pcs_tessellate_shape(ctx, PCS_SHAPE_CAPSULE, SIZE, 16, &t);
        pcs_context_fail_heap_call(ctx, 0);
        pcs_triangles_free(ctx, &t);
        assert_int_equal(pcs_context_heap_bytes(ctx), 0);
        if (status == PCS_OK)
            break;
        assert_int_equal(status, PCS_ERROR_MEMORY);
    }
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_are_closed_and_outward),
        cmocka_unit_test(test_area_and_volume_converge),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
