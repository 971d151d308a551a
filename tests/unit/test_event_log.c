// The event log forgets what a step that is given up has written, and says so of older events that
// the ring no longer has.
#include "support/near.h"

#include "base/context.h"
#include "schemes/event_log.h"

static pcs_context *ctx;
static pcs_event_log event_log;

static int set_up(void **state)
{
    (void)state;
    pcs_context_def def = pcs_context_default();
    ctx = pcs_context_create(&def);
    return ctx && pcs_event_log_init(ctx, 2, &event_log) == PCS_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    pcs_event_log_free(&event_log);
    pcs_context_destroy(ctx);
    return 0;
}

static void test_rewind(void **state)
{
    (void)state;
    const double open[2] = {PCS_OPEN, PCS_OPEN}, closed[2] = {PCS_CLOSED, PCS_OPEN};
    pcs_event event;
    pcs_event_log_reset(&event_log, open);
    const double impulse[] = {0.75, -0.125};
    pcs_event_log_impact(&event_log, 0, 2.385, impulse, 2);
    pcs_event_log_impact(&event_log, 0, 1.5, impulse, 2);
    pcs_event_log_contacts(&event_log, 0.5, closed);
    assert_int_equal(event_log.count, 1);
    assert_true(pcs_event_log_get(&event_log, 0, &event));
    assert_true(event.value == 2.385);
    assert_true(event.impulse[0] == 1.5 && event.impulse[1] == -0.25 && event.impulse[2] == 0);
    pcs_event_log_rewind(&event_log, 0, open);
    assert_false(pcs_event_log_get(&event_log, 0, &event));
    // The speed and the state of the step given up are gone too: the contact closes anew, without
    // impact.
    pcs_event_log_contacts(&event_log, 0.25, closed);
    assert_true(pcs_event_log_get(&event_log, 0, &event));
    assert_int_equal(event.kind, PCS_EVENT_CLOSE);
    assert_true(event.time == 0.25);
    assert_false(pcs_event_log_get(&event_log, 1, &event));
}

static void test_rewind_in_a_full_ring(void **state)
{
    (void)state;
    const double open[2] = {PCS_OPEN, PCS_OPEN};
    pcs_event event;
    pcs_event_log_reset(&event_log, open);
    int64_t size = 0; // of the ring: the number of events at which the first one is lost
    do {
        pcs_event_log_add(&event_log, (pcs_event){.time = (double)size++});
    } while (pcs_event_log_get(&event_log, 0, &event));
    --size;
    for (int i = 0; i < 5; ++i) // written over the oldest, then taken back
        pcs_event_log_add(&event_log, (pcs_event){.time = -1});
    pcs_event_log_rewind(&event_log, size, open);
    for (int64_t i = 0; i < size; ++i)
        if (pcs_event_log_get(&event_log, i, &event))
            assert_true(event.time == (double)i);
    assert_false(pcs_event_log_get(&event_log, 5, &event));
    assert_true(pcs_event_log_get(&event_log, 6, &event));
    assert_true(pcs_event_log_get(&event_log, size - 1, &event));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rewind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rewind_in_a_full_ring, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
