// Readings of state nodes: the object that describes a machine, and its counted resources.
#include "support/cmocka_all.h"

#include "control/state/cluster.h"
#include "control/state/state_node.h"

static struct node first, second;
static struct node_claim claim;
static struct state_node state;
static struct arena *arena;
static const struct node *nodes[2];
static const struct node_claim *claims[1];

static int setup(void **unused)
{
    (void)unused;
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    memset(&claim, 0, sizeof claim);
    memset(&state, 0, sizeof state);
    first.meta.name = "first";
    second.meta.name = "second";
    claim.meta.name = "claim";
    nodes[0] = &first;
    nodes[1] = &second;
    claims[0] = &claim;
    state.nodes.items = nodes;
    state.claims.items = claims;
    arena = arena_create(256);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    arena_destroy(arena);
    return 0;
}

static void unmanaged_nodes_are_always_ready_to_use_LIF_303(void **unused)
{
    (void)unused;
    state.nodes.count = 1;
    assert_true(state_registered(&state) && state_initialized(&state));
    assert_string_equal(state_name(&state), "first");
}

static void claim_speaks_until_registration_LIF_304(void **unused)
{
    (void)unused;
    state.nodes.count = state.claims.count = 1;
    assert_false(state_registered(&state));
    assert_string_equal(state_name(&state), "claim");
    struct string_pair labels[] = {{LABEL_REGISTERED, "true"}};
    first.meta.labels = (struct string_map){labels, 1};
    assert_true(state_registered(&state));
    assert_false(state_initialized(&state));
    assert_string_equal(state_name(&state), "first");
}

static void registered_node_speaks_for_its_machine(void **unused)
{
    (void)unused;
    state.nodes.count = 2;
    state.claims.count = 1;
    assert_ptr_equal(state_main_node(&state), &first);
    claim.status.node_name = "second";
    assert_ptr_equal(state_main_node(&state), &second);
    assert_null(state_only_node(&state)); // two remain two (LIF-442)
}

static void capacity_is_filled_in_until_initialized_LIF_306(void **unused)
{
    (void)unused;
    struct resource_quantity of_node[] = {{"cpu", 3900}, {"gpu", 0}};
    struct resource_quantity of_claim[] = {{"cpu", 4000}, {"gpu", 1}, {"memory", 7}};
    first.status.capacity = (struct resource_map){of_node, 2};
    claim.status.capacity = (struct resource_map){of_claim, 3};
    state.nodes.count = state.claims.count = 1;
    struct resource_map capacity = state_capacity(arena, &state);
    assert_int_equal(capacity.count, 3);
    assert_int_equal(resource_map_get(&capacity, "cpu"), 3900);
    assert_int_equal(resource_map_get(&capacity, "gpu"), 1);
    assert_int_equal(resource_map_get(&capacity, "memory"), 7);
    struct string_pair labels[] = {{LABEL_INITIALIZED, "true"}, {LABEL_REGISTERED, "true"}};
    first.meta.labels = (struct string_map){labels, 2};
    capacity = state_capacity(arena, &state);
    assert_int_equal(resource_map_get(&capacity, "gpu"), 0);
    state.nodes.count = 0; // in flight: all from the NodeClaim
    capacity = state_capacity(arena, &state);
    assert_int_equal(resource_map_get(&capacity, "cpu"), 4000);
}

static void marks_LIF_309(void **unused)
{
    (void)unused;
    state.nodes.count = state.claims.count = 1;
    assert_false(state_marked(&state));
    state.marked = true;
    assert_true(state_marked(&state));
    state.marked = false;
    first.meta.deletion_timestamp = 1; // the deletion of a managed Node alone is no mark yet
    assert_false(state_marked(&state));
    claim.meta.deletion_timestamp = 1;
    assert_true(state_marked(&state));
    claim.meta.deletion_timestamp = 0;
    state.claims.count = 0;
    assert_true(state_marked(&state));
    struct condition terminating = {.type = "InstanceTerminating", .status = "True"};
    first.meta.deletion_timestamp = 0;
    claim.status.conditions.items = &terminating;
    claim.status.conditions.count = 1;
    state.claims.count = 1;
    assert_true(state_marked(&state));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(unmanaged_nodes_are_always_ready_to_use_LIF_303),
        TEST(claim_speaks_until_registration_LIF_304),
        TEST(registered_node_speaks_for_its_machine),
        TEST(capacity_is_filled_in_until_initialized_LIF_306),
        TEST(marks_LIF_309),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
