// The walk over the keys of model files, for listings and the reference.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "percuss/io.h"

typedef struct tally {
    int32_t count, stop_after;
    bool sphere, rotation_axis;
} tally;

static pcs_status note(void *user, const pcs_model_key *key)
{
    tally *t = user;
    assert_true(*key->path && *key->owner && *key->key && *key->value);
    assert_non_null(key->help);
    if (strcmp(key->path, "bodies.NAME.shapes.0.sphere") == 0) {
        assert_string_equal(key->owner, "a shape");
        assert_string_equal(key->value, "a number or formula");
        assert_null(key->inside);
        assert_false(key->required);
        t->sphere = true;
    }
    if (strcmp(key->path, "contacts.NAME.a.rotation.axis") == 0) {
        assert_string_equal(key->owner, "a rotation");
        assert_true(key->required);
        t->rotation_axis = true;
    }
    return ++t->count == t->stop_after ? PCS_ERROR_ARGUMENT : PCS_OK;
}

static void test_every_key_is_visited(void **state)
{
    (void)state;
    tally t = {0};
    assert_int_equal(pcs_model_file_keys(note, &t), PCS_OK);
    assert_true(t.count > 100 && t.sphere && t.rotation_axis);
}

static void test_an_error_ends_the_walk(void **state)
{
    (void)state;
    for (int32_t n = 1; n < 60; n++) {
        tally t = {.stop_after = n};
        assert_int_equal(pcs_model_file_keys(note, &t), PCS_ERROR_ARGUMENT);
        assert_int_equal(t.count, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_visited),
        cmocka_unit_test(test_an_error_ends_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
