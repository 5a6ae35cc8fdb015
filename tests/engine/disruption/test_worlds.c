// Random running clusters: every node is in a command or has one verdict (which the fixture
// checks), and without the named reason the outcome differs (DIS-770).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/disruption/disrupt_fixture.h"
#include "engine/disruption/emptiness.h"
#include "engine/forecast/rebalance.h"

// Fewer with sanitizers; `make test-e2e` has them all in a release build.
#ifdef __SANITIZE_ADDRESS__
#define WORLDS 300
#else
#define WORLDS 1000
#endif
#define BUFFER_WORLDS 500 // few of them have what that test looks for
#define POOLS_MAX     2
#define NODES_MAX     6
#define PODS_MAX      12

static const char *const node_names[NODES_MAX] = {"n0", "n1", "n2", "n3", "n4", "n5"};
static const char *const pod_names[PODS_MAX] = {"p0", "p1", "p2", "p3", "p4",  "p5",
                                                "p6", "p7", "p8", "p9", "p10", "p11"};
static const char *const pool_names[POOLS_MAX] = {"pool", "more"};

struct world {
    struct test_pool pools[POOLS_MAX];
    struct {
        const char *budgets, *after, *policy;
    } disruption[POOLS_MAX];
    char disruption_text[POOLS_MAX][300];
    struct test_node nodes[NODES_MAX];
    struct test_pod pods[PODS_MAX];
    uint32_t pools_count, nodes_count, pods_count;
    const char *budget; // of pods, or ""
};

// One of the texts, evenly.
#define PICK(random, ...)                             \
    ((const char *const[]){__VA_ARGS__}[random_below( \
        (random), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

// --- making a world ------------------------------------------------------------------------------

static void make_pool(struct random *random, struct world *world, uint32_t index)
{
    world->disruption[index].budgets =
        PICK(random, "[{nodes: 100%}]", "[{nodes: 100%}]", "[{nodes: '1'}]", "[{nodes: '0'}]",
             "[{nodes: 50%}, {nodes: '0', reasons: [Underutilized]}]",
             "[{nodes: '5'}, {nodes: '0', schedule: '0 20 * * *', duration: 8h}]",
             "[{nodes: '5'}, {nodes: '1', reasons: [Drifted], schedule: bad, duration: 1h}]");
    world->disruption[index].after = PICK(random, "0s", "0s", "1m", "Never");
    world->disruption[index].policy = PICK(random, "WhenEmptyOrUnderutilized",
                                           "WhenEmptyOrUnderutilized", "WhenEmpty", "Balanced");
    world->pools[index] =
        (struct test_pool){.name = pool_names[index],
                           .spec = random_chance(random, 0.1) ? "replicas: 2, " : NULL,
                           .not_ready = random_chance(random, 0.1)};
}

static void make_node(struct random *random, struct world *world, uint32_t index)
{
    const char *type = PICK(random, "small", "medium", "large", "large");
    struct test_node node = {
        .name = node_names[index],
        .pool = pool_names[random_below(random, world->pools_count)],
        .type = random_chance(random, 0.05) ? "gone" : type,
        .zone = PICK(random, "a", "b", "c"),
        .capacity_type = PICK(random, "on-demand", "on-demand", "spot"),
        .cpu = strcmp(type, "small") == 0    ? "1900m"
               : strcmp(type, "medium") == 0 ? "3900m"
                                             : NULL,
        .drifted = random_chance(random, 0.15) ? "2025-12-31T00:00:00Z" : NULL,
        .annotations = random_chance(random, 0.08) ? "karpenter.sh/do-not-disrupt: 'true'" : NULL,
        .claim_spec = random_chance(random, 0.1) ? "terminationGracePeriod: 1h" : NULL,
        .claim_status =
            random_chance(random, 0.3) ? "lastPodEventTime: '2025-12-31T23:59:30Z'" : NULL,
        .no_condition = random_chance(random, 0.2) ? "Consolidatable" : NULL,
        .not_ready = random_chance(random, 0.08),
        .unmanaged = random_chance(random, 0.06),
        .uninitialized = random_chance(random, 0.06),
        .deleting = random_chance(random, 0.06)};
    world->nodes[index] = node;
}

static void make_pod(struct random *random, struct world *world, uint32_t index)
{
    world->pods[index] = (struct test_pod){
        .name = pod_names[index],
        .node = random_chance(random, 0.1) ? NULL
                                           : node_names[random_below(random, world->nodes_count)],
        .cpu = PICK(random, "100m", "500m", "1", "1500m"),
        .spec =
            random_chance(random, 0.15) ? "nodeSelector: {topology.kubernetes.io/zone: a}, " : NULL,
        .labels = PICK(random, "app: a", "app: b", "app: c"),
        .annotations = random_chance(random, 0.05) ? "karpenter.sh/do-not-disrupt: 'true'" : NULL,
        .owner = PICK(random, "ReplicaSet", "ReplicaSet", "ReplicaSet", "DaemonSet")};
}

static struct world make_world(uint64_t seed)
{
    struct world world = {0};
    struct random random;
    random_seed(&random, seed);
    world.pools_count = 1 + (uint32_t)random_below(&random, POOLS_MAX);
    world.nodes_count = 1 + (uint32_t)random_below(&random, NODES_MAX);
    world.pods_count = (uint32_t)random_below(&random, PODS_MAX + 1);
    for (uint32_t i = 0; i < world.pools_count; i++)
        make_pool(&random, &world, i);
    for (uint32_t i = 0; i < world.nodes_count; i++)
        make_node(&random, &world, i);
    for (uint32_t i = 0; i < world.pods_count; i++)
        make_pod(&random, &world, i);
#define BUDGET(name, app, allowed)                                                              \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name ", namespace: " \
    "default}, spec: {minAvailable: 1, selector: {matchLabels: {app: " app "}}}, status: "      \
    "{disruptionsAllowed: " allowed "}}\n---\n"
    world.budget = PICK(&random, "", "", BUDGET("b", "a", "0"), BUDGET("b", "b", "1"),
                        BUDGET("b", "c", "1") BUDGET("d", "c", "1"));
    return world;
}

static struct plan_fixture decide_beside(struct world *world, const char *method,
                                         const char *settings, const struct string_list *busy)
{
    struct text text = {0};
    for (uint32_t i = 0; i < world->pools_count; i++) {
        snprintf(world->disruption_text[i], sizeof world->disruption_text[i],
                 "budgets: %s, consolidateAfter: %s, consolidationPolicy: %s",
                 world->disruption[i].budgets, world->disruption[i].after,
                 world->disruption[i].policy);
        world->pools[i].disruption = world->disruption_text[i];
        add_pool(&text, world->pools[i]);
    }
    for (uint32_t i = 0; i < world->nodes_count; i++)
        add_node(&text, world->nodes[i]);
    for (uint32_t i = 0; i < world->pods_count; i++)
        add_pod(&text, world->pods[i]);
    text_add(&text, world->budget);
    return busy == NULL ? disrupt(&text, method, settings)
                        : disrupt_running(&text, method, settings,
                                          &(struct disruption_inputs){.busy = busy});
}

static struct plan_fixture decide(struct world *world, const char *method, const char *settings)
{
    return decide_beside(world, method, settings, NULL);
}

// --- a world without the reason ------------------------------------------------------------------

static uint32_t pool_index(const struct test_node *node)
{
    return strcmp(node->pool, pool_names[0]) == 0 ? 0 : 1;
}

static void empty_node(struct world *world, const char *node)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < world->pods_count; i++)
        if (!text_equal(world->pods[i].node, node))
            world->pods[left++] = world->pods[i];
    world->pods_count = left;
}

// False: no simple way exists.
static bool remove_reason(struct world *world, uint32_t index, const char *rule)
{
    struct test_node *node = &world->nodes[index];
    uint32_t pool = pool_index(node);
    if (strcmp(rule, "DIS-32 #2") == 0)
        node->unmanaged = false;
    else if (strcmp(rule, "DIS-32 #4") == 0)
        node->uninitialized = false;
    else if (strcmp(rule, "DIS-32 #5") == 0)
        node->deleting = false;
    else if (strcmp(rule, "DIS-32 #7") == 0)
        node->annotations = NULL;
    else if (strcmp(rule, "DIS-85") == 0 || strcmp(rule, "DIS-86") == 0)
        node->no_condition = NULL;
    else if (strcmp(rule, "DIS-97") == 0)
        world->disruption[pool].policy = "WhenEmptyOrUnderutilized";
    else if (strcmp(rule, "DIS-98") == 0)
        world->disruption[pool].after = "0s";
    else if (strcmp(rule, "DIS-120") == 0 || strcmp(rule, "DIS-121") == 0 ||
             strcmp(rule, "DIS-127") == 0 || strcmp(rule, "DIS-132") == 0)
        world->disruption[pool].budgets = "[]";
    else if (strcmp(rule, "DIS-220") == 0)
        world->pools[pool].spec = NULL;
    else if (strcmp(rule, "DIS-44") == 0 || strcmp(rule, "DIS-45") == 0)
        world->budget = "";
    else if (strcmp(rule, "DIS-40") == 0 || strcmp(rule, "DIS-161") == 0 ||
             strcmp(rule, "DIS-163") == 0 || strcmp(rule, "DIS-169") == 0 ||
             strcmp(rule, "DIS-223") == 0)
        empty_node(world, node->name);
    else
        return false;
    return true;
}

static const char *rule_about(const struct plan *plan, const char *name)
{
    list_for_each (verdict, &plan->verdicts)
        if (strcmp(verdict->name, name) == 0)
            return verdict->rule;
    return ""; // it is in a command
}

static uint32_t check_reasons(const struct world *world, const struct plan *plan, uint64_t seed)
{
    uint32_t checked = 0;
    for (uint32_t i = 0; i < world->nodes_count; i++) {
        struct world other = *world;
        const char *rule = rule_about(plan, world->nodes[i].name);
        if (!remove_reason(&other, i, rule))
            continue;
        PLAN changed = decide(&other, NULL, NULL);
        if (strcmp(rule_about(changed.plan, world->nodes[i].name), rule) == 0)
            fail_msg("seed %llu: %s stays by %s also without that", (unsigned long long)seed,
                     world->nodes[i].name, rule);
        checked++;
    }
    return checked;
}

static void every_node_goes_or_has_a_reason_DIS_770(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL,    NULL,     "emptiness",    "drift",
                                          "multi", "single", "static-drift", "expiry"};
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct world world = make_world(seed);
        PLAN p =
            decide(&world, methods[seed % ARRAY_LENGTH(methods)], seed % 4 == 0 ? UPSTREAM : NULL);
    }
}

static bool holds_placeholders(const struct plan *plan, const char *node)
{
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            if (strcmp(placement->name, node) == 0 &&
                strncmp((*pod)->meta.name, "capacity-buffer-", 16) == 0)
                return true;
    return false;
}

// A node held by buffers is never disrupted as empty; alone or with others only if their
// placeholders fit elsewhere, too.
static void buffers_hold_nodes_in_any_world_DIS_140_DIS_753(void **state)
{
    (void)state;
    uint32_t moved = 0;
    for (uint64_t seed = 1; seed <= BUFFER_WORLDS; seed++) {
        struct world world = make_world(seed);
        char buffers[1000];
        snprintf(
            buffers, sizeof buffers,
            "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {metadata: "
            "{labels: {app: b}}, spec: {containers: [{name: c, image: i, resources: {requests: "
            "{cpu: %s}}}]}}}\n---\n{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: "
            "CapacityBuffer, metadata: {name: buf, uid: b}, spec: {podTemplateRef: {name: t}, "
            "replicas: %llu}}\n---\n",
            seed % 3 == 0 ? "200m" : "1500m", (unsigned long long)(1 + seed % 5));
        world.budget = buffers;
        PLAN p =
            decide(&world, seed % 2 == 0 ? "multi" : NULL, "FEATURE_GATES: CapacityBuffer=true");
        list_for_each (command, &p.plan->disruptions)
            list_for_each (name, &command->candidates) {
                bool holds = holds_placeholders(p.plan, *name);
                assert_false(holds && command->reason == DISRUPTION_EMPTY);
                moved += holds && command->reason == DISRUPTION_UNDERUTILIZED;
            }
    }
    print_message("%u nodes with placeholders moved\n", moved);
    assert_true(moved >= 5);
}

// --- emptiness on the loop -----------------------------------------------------------------------

// Ready pods without cost, of few workloads, so that they hold each other's nodes.
static void make_empty(struct random *random, struct world *world)
{
    for (uint32_t i = 0; i < world->nodes_count; i++) {
        if (random_chance(random, 0.7))
            world->nodes[i].no_condition = NULL;
        if (random_chance(random, 0.7))
            world->nodes[i].uninitialized = false;
        world->nodes[i].deleting = false; // the plan decides where its pods go
    }
    for (uint32_t i = 0; i < world->pods_count; i++) {
        struct test_pod *pod = &world->pods[i];
        if (pod->node == NULL) // the same for pending ones (DIS-765)
            pod->node = node_names[random_below(random, world->nodes_count)];
        if (random_chance(random, 0.9))
            pod->annotations = "controller.kubernetes.io/pod-deletion-cost: '-2147483648'";
        pod->owner_name = PICK(random, "w0", "w1", "w2");
        if (random_chance(random, 0.8))
            pod->status = "phase: Running, conditions: [{type: Ready, status: 'True'}]";
    }
}

static void assert_same_choice(const struct plan_fixture *p, const struct string_list *busy,
                               uint64_t seed)
{
    struct plan *found = emptiness_plan(p->snapshot, busy, NULL, 0);
    const struct plan_disruption *command =
        p->plan->disruptions.count > 0 ? &p->plan->disruptions.items[0] : NULL;
    uint32_t count = command != NULL ? command->candidates.count : 0;
    bool same = found->disruptions.count == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = found->disruptions.items[i].candidates.count == 1 &&
               strcmp(found->disruptions.items[i].candidates.items[0],
                      command->candidates.items[i]) == 0;
    if (!same)
        fail_msg("seed %llu: %u nodes by emptiness alone, %u in the plan", (unsigned long long)seed,
                 (unsigned)found->disruptions.count, (unsigned)count);
    plan_destroy(found);
}

static bool any_pod_on(const struct world *world, const struct plan_disruption *command)
{
    for (uint32_t i = 0; i < world->pods_count; i++)
        if (string_list_has(&command->candidates, world->pods[i].node) &&
            strcmp(world->pods[i].owner, "DaemonSet") != 0)
            return true;
    return false;
}

#define CHEAP_LARGE                                                                             \
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o}, spec: "        \
    "{requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [large]}], " \
    "price: '0.01'}}\n---\n"

// The sums over budgets of pods and the rest of workloads give the same answer in both.
static void emptiness_chooses_the_same_on_the_loop_DIS_142_760_761(void **state)
{
    (void)state;
    uint32_t with_pods = 0;
    for (uint64_t seed = 1; seed <= 2 * WORLDS; seed++) {
        struct world world = make_world(seed);
        struct random random;
        random_seed(&random, seed ^ 0xe);
        make_empty(&random, &world);
        char more[2000];
        snprintf(more, sizeof more, "%s%s", world.budget, seed % 3 == 0 ? CHEAP_LARGE : "");
        world.budget = more;
        struct string_list busy = {(const char **)(uintptr_t)node_names, seed % 5 == 0};
        const char *settings = seed % 7 == 0   ? UPSTREAM
                               : seed % 3 == 0 ? "FEATURE_GATES: NodeOverlay=true"
                                               : NULL;
        PLAN p = decide_beside(&world, "emptiness", settings, &busy);
        assert_same_choice(&p, &busy, seed);
        if (p.plan->disruptions.count > 0)
            with_pods += any_pod_on(&world, &p.plan->disruptions.items[0]);
    }
    print_message("%u of the choices have nodes with pods\n", with_pods);
    assert_true(with_pods > WORLDS / 10);
}

static void without_its_reason_the_outcome_is_another_DIS_770(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (uint64_t seed = 1; seed <= WORLDS / 5; seed++) {
        struct world world = make_world(seed);
        PLAN p = decide(&world, NULL, NULL);
        checked += check_reasons(&world, p.plan, seed);
    }
    assert_true(checked > WORLDS / 5);
}

static bool is_deleting(const struct world *world, const char *node)
{
    for (uint32_t i = 0; i < world->nodes_count; i++)
        if (strcmp(world->nodes[i].name, node) == 0)
            return world->nodes[i].deleting && !world->nodes[i].unmanaged;
    return false;
}

// The goal of `adze plan --rebalance`: it places as many pods as disruption by itself, and costs no
// more.
static void rebalancing_is_never_dearer_than_disruption(void **state)
{
    (void)state;
    uint32_t packed = 0, saves = 0;
    for (uint64_t seed = 1; seed <= WORLDS / 10; seed++) {
        struct world world = make_world(seed);
        struct rebalance rebalance;
        struct error error = {0};
        PLAN p = decide(&world, "emptiness", NULL);
        assert_true(rebalance_find(p.snapshot, 20, &rebalance, &error));
        const struct forecast *goal = rebalance.goal, *by_itself = rebalance.by_itself;
        assert_true(goal->unplaced < by_itself->unplaced ||
                    (goal->unplaced == by_itself->unplaced &&
                     goal->after.total.price <= by_itself->after.total.price));
        list_for_each (node, &goal->nodes)
            assert_true(node->fate == NODE_GOES || !is_deleting(&world, node->name));
        packed += goal == rebalance.packed;
        saves += goal->after.total.price < by_itself->after.total.price;
        rebalance_free(&rebalance);
    }
    print_message("packing is the goal of %u worlds, and saves more in %u\n", packed, saves);
    assert_true(packed > WORLDS / 40 && saves > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_hold_nodes_in_any_world_DIS_140_DIS_753),
        cmocka_unit_test(emptiness_chooses_the_same_on_the_loop_DIS_142_760_761),
        cmocka_unit_test(every_node_goes_or_has_a_reason_DIS_770),
        cmocka_unit_test(rebalancing_is_never_dearer_than_disruption),
        cmocka_unit_test(without_its_reason_the_outcome_is_another_DIS_770),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
