#include "support/builder_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void bench_begin(builder_bench *b, int32_t dimension)
{
    *b = (builder_bench){0};
    b->ctx = pcs_context_create(NULL);
    assert_non_null(b->ctx);
    assert_int_equal(pcs_builder_create(b->ctx, dimension, &b->builder), PCS_OK);
    static const char *const names[3] = {"one", "two", "dot"};
    for (int i = 0; i < 3; ++i) {
        pcs_body_def def = pcs_body_default();
        def.name = names[i];
        def.mass = 1.3 + i;
        def.point = i == 2;
        def.inertia = (pcs_mat3){{{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, 0.5}}};
        def.position = pcs_v3(0.37 * i, 0.5, 0);
        assert_int_equal(pcs_builder_add_body(b->builder, &def, NULL), PCS_OK);
    }
    pcs_joint_def hinge = pcs_joint_default();
    hinge.name = "hinge";
    hinge.kind = PCS_JOINT_REVOLUTE;
    hinge.b.body = 0;
    assert_int_equal(pcs_builder_add_joint(b->builder, &hinge, NULL), PCS_OK);
}

void bench_end(builder_bench *b)
{
    pcs_model_destroy(b->model);
    pcs_builder_destroy(b->builder);
    assert_int_equal(pcs_context_heap_bytes(b->ctx), 0);
    pcs_context_destroy(b->ctx);
}

void bench_expect(builder_bench *b, pcs_status found, pcs_status wanted, const char *text)
{
    const char *error = pcs_context_error(b->ctx);
    if (found != wanted)
        fail_msg("%s instead of %s (\"%s\")", pcs_status_name(found), pcs_status_name(wanted),
                 error);
    if (!strstr(error, text))
        fail_msg("\"%s\" does not contain \"%s\"", error, text);
}

pcs_body_def bench_body(void)
{
    pcs_body_def def = pcs_body_default();
    def.name = "part";
    def.mass = 1.9;
    def.inertia = (pcs_mat3){{{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, 0.5}}};
    return def;
}

pcs_joint_def bench_joint(void)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = "arm";
    def.kind = PCS_JOINT_CYLINDRICAL;
    def.a.body = 0;
    def.b.body = 1;
    return def;
}
