// The recent registrations of a NodePool's nodes (LIF-220 to LIF-222).
#include "support/cmocka_all.h"

#include "control/nodepool/registration_health.h"

static void registration_ring_LIF_220_to_222(void **state)
{
    (void)state;
    struct outcome_ring ring = {0};
    assert_int_equal(outcome_ring_state(&ring), REGISTRATION_UNKNOWN);
    outcome_ring_add(&ring, true);
    assert_int_equal(outcome_ring_state(&ring), REGISTRATION_HEALTHY);
    outcome_ring_add(&ring, true);
    assert_int_equal(outcome_ring_state(&ring), REGISTRATION_UNHEALTHY);
    outcome_ring_add(&ring, false); // one success does not suffice
    assert_int_equal(outcome_ring_state(&ring), REGISTRATION_UNHEALTHY);
    outcome_ring_add(&ring, false);
    outcome_ring_add(&ring, false); // the first failure is out
    assert_int_equal(outcome_ring_state(&ring), REGISTRATION_HEALTHY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registration_ring_LIF_220_to_222),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
