// The order of a spread workload's pods after kube-scheduler's queue has moved on (SCH-516).
#include "control/nomination/spread_mend.h"

#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

static const char *const zones[] = {"a", "b", "c"};

// Pods with a place each, in kube-scheduler's order: "abca" is a pod in zone a, then one in b, ...
// Each place is on a node of its own.
static struct spread_places *places_of(const char *order)
{
    struct spread_places *places = calloc(1, sizeof *places);
    places->key = "topology.kubernetes.io/zone";
    places->max_skew = 1;
    for (size_t i = 0; i < ARRAY_LENGTH(zones); i++)
        vector_push(&places->domains, (struct place_domain){.name = zones[i]});
    for (uint32_t i = 0; i < strlen(order); i++) {
        vector_push(&places->hosts, (struct place_host){.left = 1, .nominated = 1});
        struct place place = {.host = i, .domain = (uint32_t)(order[i] - 'a')};
        vector_push(&places->places, place);
        struct mover mover = {.turn = i, .place = i};
        vector_push(&places->pods, mover);
    }
    return places;
}

static void expect_order(const struct spread_places *places, const char *order)
{
    char found[32] = {0};
    assert_int_equal(places->pods.count, strlen(order));
    for (uint32_t i = 0; i < places->pods.count; i++)
        found[i] = (char)('a' + places->places.items[places->pods.items[i].place].domain);
    assert_string_equal(found, order);
}

// As kube-scheduler binds them: no zone may get two pods more than another has.
static void expect_valid(const struct spread_places *places)
{
    uint32_t pods[ARRAY_LENGTH(zones)] = {0};
    vector_for_each (mover, &places->pods) {
        uint32_t domain = places->places.items[mover->place].domain, least = UINT32_MAX;
        for (size_t i = 0; i < ARRAY_LENGTH(zones); i++)
            least = pods[i] < least ? pods[i] : least;
        assert_true(pods[domain] + 1 - least <= 1);
        pods[domain]++;
    }
}

static void an_order_that_holds_is_left_alone_SCH_516(void **state)
{
    (void)state;
    struct spread_places *places = places_of("abcbcaab");
    assert_int_equal(spread_places_mend(places), 0);
    expect_order(places, "abcbcaab");
    vector_for_each (mover, &places->pods)
        assert_false(mover->has_moved);
    spread_places_destroy(places);
}

// The second pod was tried in vain and comes last.
static void a_pod_that_comes_last_now_exchanges_its_place_SCH_516(void **state)
{
    (void)state;
    struct spread_places *places = places_of("abcabcab");
    places->pods.items[1].turn = 100; // zone b
    assert_int_equal(spread_places_mend(places), 1);
    expect_order(places, "acbbcaba"); // of "acabcabb"
    expect_valid(places);
    uint32_t moved = 0;
    vector_for_each (mover, &places->pods)
        moved += mover->has_moved;
    assert_int_equal(moved, 2);
    spread_places_destroy(places);
}

static void every_shuffled_order_is_mended_SCH_516(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        struct spread_places *places = places_of("abcabcabcabcabcabc");
        for (uint32_t i = 0; i < places->pods.count; i++)
            places->pods.items[i].turn = rand() % 1000 * 100 + i;
        spread_places_mend(places);
        expect_valid(places);
        spread_places_destroy(places);
    }
}

// kube-scheduler counts the other nominated pod as being on the node: with it zone a has two pods.
static void two_pods_of_a_node_wait_for_each_other_SCH_516(void **state)
{
    (void)state;
    struct spread_places *places = places_of("abcabc");
    places->places.items[3].host = 0;
    places->hosts.items[0].nominated = 2;
    places->domains.items[0].pods = 1; // a round has begun
    assert_true(spread_places_mend(places) > 0);
    assert_true(places->pods.items[0].has_moved);
    spread_places_destroy(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_that_holds_is_left_alone_SCH_516),
        cmocka_unit_test(a_pod_that_comes_last_now_exchanges_its_place_SCH_516),
        cmocka_unit_test(every_shuffled_order_is_mended_SCH_516),
        cmocka_unit_test(two_pods_of_a_node_wait_for_each_other_SCH_516),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
