// The state of zonal shifts (AWI-650 to 652, 942).
#include "support/cmocka_all.h"

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "cloud/aws/controllers/zonal_shift.h"

struct world {
    struct loop *loop;
    struct zonal_shift *shift;
};

static struct world open_world(bool upstream)
{
    struct world world = {.loop = loop_create_virtual(1000 * SECOND)};
    world.shift = zonal_shift_create(world.loop);
    zonal_shift_follow_upstream(world.shift, upstream);
    return world;
}

static void close_world(struct world *world)
{
    zonal_shift_destroy(world->shift);
    loop_destroy(world->loop);
}

static bool update(struct world *world, const char *reply)
{
    json_t *json = json_loads(reply, 0, NULL);
    assert_non_null(json);
    bool changed = zonal_shift_update(world->shift, json);
    json_decref(json);
    return changed;
}

#define SHIFT(zone, expiry, status) \
    "{\"awayFrom\":\"" zone "\",\"expiryTime\":" expiry ",\"appliedStatus\":\"" status "\"}"

static void shifts_AWI_651(void **state)
{
    (void)state;
    struct world world = open_world(false);
    assert_false(zonal_shift_has(world.shift, "usw2-az1"));
    assert_true(update(&world, "{\"zonalShifts\":[" SHIFT("usw2-az2", "1100", "APPLIED") "," SHIFT(
                                   "usw2-az1", "1060.5", "APPLIED") "," SHIFT("usw2-az3", "1100",
                                                                              "NOT_APPLIED") "]}"));
    const char *zones[SHIFTED_ZONES_MAX];
    assert_int_equal(zonal_shift_zones(world.shift, zones), 2);
    assert_string_equal(zones[0], "usw2-az1");
    assert_string_equal(zones[1], "usw2-az2");
    assert_false(zonal_shift_has(world.shift, "usw2-az3"));
    assert_false(zonal_shift_has(world.shift, NULL));
    loop_run_for(world.loop, 61 * SECOND);
    assert_false(zonal_shift_has(world.shift, "usw2-az1")); // expired
    assert_true(zonal_shift_has(world.shift, "usw2-az2"));
    // The same shifts again: the set has changed, by expiry.
    assert_true(update(&world, "{\"zonalShifts\":[" SHIFT("usw2-az2", "1100", "APPLIED") "]}"));
    assert_false(update(&world, "{\"zonalShifts\":[" SHIFT("usw2-az2", "1100", "APPLIED") "]}"));
    close_world(&world);
}

static void an_answer_replaces_the_former_one_AWI_942(void **state)
{
    (void)state;
    static const char *const both =
        "{\"zonalShifts\":[" SHIFT("a", "9000", "APPLIED") "," SHIFT("b", "9000", "APPLIED") "]}";
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world world = open_world(upstream != 0);
        assert_true(update(&world, both));
        bool changed = update(&world, "{\"zonalShifts\":[" SHIFT("b", "9000", "APPLIED") "]}");
        assert_int_equal(changed, upstream == 0);
        assert_int_equal(zonal_shift_has(world.shift, "a"), upstream != 0); // AWI-652: it stays
        assert_true(update(&world, "{\"zonalShifts\":[]}"));
        assert_false(zonal_shift_has(world.shift, "b"));
        close_world(&world);
    }
}

static void autoshifts_AWI_942(void **state)
{
    (void)state;
    static const char *const reply =
        "{\"zonalShifts\":[],\"autoshifts\":[{\"awayFrom\":\"a\",\"appliedStatus\":\"APPLIED\"},"
        "{\"awayFrom\":\"b\",\"appliedStatus\":\"NOT_APPLIED\"},{\"awayFrom\":7},3]}";
    for (int upstream = 0; upstream < 2; upstream++) {
        struct world world = open_world(upstream != 0);
        update(&world, reply);
        assert_int_equal(zonal_shift_has(world.shift, "a"), upstream == 0);
        assert_false(zonal_shift_has(world.shift, "b"));
        loop_run_for(world.loop, 11 * MINUTE); // nothing heard
        assert_false(zonal_shift_has(world.shift, "a"));
        close_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_AWI_651),
        cmocka_unit_test(an_answer_replaces_the_former_one_AWI_942),
        cmocka_unit_test(autoshifts_AWI_942),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
