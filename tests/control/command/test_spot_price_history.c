// Recent spot prices (DIS-750).
#include "control/command/spot_price_history.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"
#include "support/cmocka_all.h"

static struct snapshot *at(int64_t minutes, double price)
{
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    char text[1024];
    snprintf(text, sizeof text,
             "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: c}, spec: "
             "{instanceTypes: [{name: t, capacity: {cpu: '1'}, offerings: [{price: %.4f, "
             "available: true, requirements: [{key: topology.kubernetes.io/zone, operator: In, "
             "values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}, "
             "{price: 9, available: true, requirements: [{key: topology.kubernetes.io/zone, "
             "operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: "
             "[on-demand]}]}]}]}}\n",
             price);
    if (!snapshot_read_text(snapshot, text, strlen(text), "test", true, &error) ||
        !snapshot_complete(snapshot, &error))
        fail_msg("%s", error.message);
    snapshot->time = 1000 * 24 * HOUR + minutes * MINUTE;
    return snapshot;
}

// Observes the price at the minute; then the lowest and highest are as expected, in 0.0001 USD.
static void check(struct spot_price_history *prices, int64_t minutes, double price, int64_t lowest,
                  int64_t highest)
{
    struct snapshot *snapshot = at(minutes, price);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    spot_price_history_observe(prices, snapshot);
    struct spot_price_list list = spot_price_history_list(prices, snapshot, arena);
    assert_int_equal(list.count, 1); // not the price on demand
    assert_string_equal(list.items[0].type, "t");
    assert_string_equal(list.items[0].zone, "a");
    assert_int_equal(list.items[0].lowest, lowest * 100000);
    assert_int_equal(list.items[0].highest, highest * 100000);
    snapshot_destroy(snapshot);
}

static void the_lowest_and_highest_of_six_hours_DIS_750(void **state)
{
    (void)state;
    struct spot_price_history *prices = spot_price_history_create();
    check(prices, 0, 0.1, 1000, 1000);
    check(prices, 60, 0.105, 1000, 1050);
    check(prices, 120, 0.095, 950, 1050);
    check(prices, 180, 0.06, 600, 1050);
    check(prices, 60 + 6 * 60 + 31, 0.06, 600, 950); // the second is over
    check(prices, 120 + 6 * 60 + 31, 0.06, 600, 600);
    spot_price_history_destroy(prices);
}

static void once_a_minute_is_enough_DIS_750(void **state)
{
    (void)state;
    struct spot_price_history *prices = spot_price_history_create();
    check(prices, 0, 0.1, 1000, 1000);
    check(prices, 0, 0.2, 1000, 1000);
    check(prices, 1, 0.2, 1000, 2000);
    spot_price_history_destroy(prices);
}

static void without_a_window_nothing_is_known_DIS_750(void **state)
{
    (void)state;
    struct spot_price_history *prices = spot_price_history_create();
    struct snapshot *snapshot = at(0, 0.1);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    snapshot->settings.spot_price_window = 0;
    spot_price_history_observe(prices, snapshot);
    assert_int_equal(spot_price_history_list(prices, snapshot, arena).count, 0);
    snapshot_destroy(snapshot);
    spot_price_history_destroy(prices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_and_highest_of_six_hours_DIS_750),
        cmocka_unit_test(once_a_minute_is_enough_DIS_750),
        cmocka_unit_test(without_a_window_nothing_is_known_DIS_750),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
