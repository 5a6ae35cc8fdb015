// The room of a static NodePool under `limits.nodes`.
#include "support/cmocka_all.h"

#include "control/static/static_capacity.h"

static void room_within_the_limit_LIF_232(void **state)
{
    (void)state;
    struct resource_quantity limit = {"nodes", 7};
    struct node_pool pool = {0};
    struct static_counts counts = {.active = 3, .deleting = 1, .pending = 1, .reserved = 1};
    assert_true(static_room(&counts, &pool) == INT64_MAX);
    pool.spec.limits = (struct resource_map){&limit, 1};
    assert_int_equal(static_room(&counts, &pool), 1);
    counts.deleting = 5;
    assert_int_equal(static_room(&counts, &pool), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_within_the_limit_LIF_232),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
