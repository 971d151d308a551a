// Checkpoint files: a run goes on from one with the same bits; a damaged one is refused with the
// reason.
#include <sys/stat.h>
#include <unistd.h>

#include "support/result_fixture.h"

static void test_checkpoint_file(void **state)
{
    result_fixture *f = *state;
    for (int i = 0; i < 120; i++)
        assert_true(pcs_simulation_step(f->simulation) >= 0);
    assert_int_equal(pcs_checkpoint_write(f->ctx, f->simulation, f->path), PCS_OK);
    assert_false(result_exists(f->part));
    pcs_simulation *other = result_simulate(f->ctx, f->model);
    if (pcs_checkpoint_read(f->ctx, other, f->path) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    for (int i = 0; i < 200; i++) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_true(pcs_simulation_step(other) >= 0);
    }
    pcs_body_view a, b;
    for (int32_t body = 0; body < 2; body++) {
        pcs_simulation_body(f->simulation, body, &a);
        pcs_simulation_body(other, body, &b);
        assert_same_bits(a.position.x, b.position.x);
        assert_same_bits(a.position.y, b.position.y);
        assert_same_bits(a.velocity.y, b.velocity.y);
        assert_same_bits(a.angular_velocity.z, b.angular_velocity.z);
    }
    assert_same_bits(pcs_simulation_time(f->simulation), pcs_simulation_time(other));
    pcs_simulation_destroy(other);
}

static void assert_checkpoint_refused(result_fixture *f, pcs_status status, const char *message)
{
    assert_int_equal(pcs_checkpoint_read(f->ctx, f->simulation, f->path), status);
    result_assert_message(f, message);
}

static void test_bad_checkpoints_are_refused(void **state)
{
    result_fixture *f = *state;
    struct stat info;
    assert_checkpoint_refused(f, PCS_ERROR_IO, "no such file");
    result_write_text(f->path, "title: a model, and no checkpoint at all\n");
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "not a checkpoint");
    result_write_text(f->path, "PCSCHECK");
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "cut off");
    assert_int_equal(pcs_checkpoint_write(f->ctx, f->simulation, f->path), PCS_OK);
    assert_int_equal(stat(f->path, &info), 0);
    result_change_byte(f->path, (long)info.st_size - 3, 0x40);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "checksum");
    result_change_byte(f->path, (long)info.st_size - 3, 0x40);
    result_change_byte(f->path, 8, 0x02);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "version");
    result_change_byte(f->path, 8, 0x02);
    result_change_byte(f->path, 12, 0x7f);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "byte order");
    result_change_byte(f->path, 12, 0x7f);
    assert_int_equal(truncate(f->path, info.st_size - 1), 0);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "bytes of state");
    assert_int_equal(pcs_checkpoint_write(f->ctx, f->simulation, f->path), PCS_OK);
    assert_int_equal(pcs_checkpoint_read(f->ctx, f->simulation, f->path), PCS_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, result_set_up, result_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_checkpoint_file),
        TEST(test_bad_checkpoints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
