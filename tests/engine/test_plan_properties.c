// Properties of plans over generated worlds: SCH-540 (permutation), SCH-541 (irrelevance),
// completeness of accounts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "engine/plan_fixture.h"
#include "model/snapshot/plan_explanation.h"

#define WORLDS    40
#define DOCUMENTS 120

struct world {
    char *documents[DOCUMENTS];
    uint32_t count, pods;
};

static const char *pick(struct random *random, const char *const *items, uint32_t count)
{
    return items[random_below(random, count)];
}

static void add(struct world *world, struct text *text)
{
    text_add(text, "\n---\n");
    world->documents[world->count++] = text_take(text);
}

static void add_types(struct random *random, struct world *world)
{
    for (uint32_t i = 0, n = 2 + (uint32_t)random_below(random, 4); i < n; i++) {
        uint32_t cpu = 2u << random_below(random, 4);
        struct text text = {0};
        text_format(&text,
                    "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: c%u}, spec: "
                    "{instanceTypes: [{name: t%u-%u, "
                    "requirements: [{key: kubernetes.io/arch, operator: In, values: [%s]}], "
                    "capacity: {cpu: '%u', memory: %uGi, pods: '%u'}, "
                    "overhead: {kubeReserved: {cpu: 100m}}, offerings: [",
                    i, cpu, i, random_chance(random, 0.7) ? "amd64" : "arm64", cpu, 2 * cpu,
                    10 + cpu);
        for (int o = 0; o < 4; o++)
            text_format(&text,
                        "{price: %u.%u, available: %s, requirements: [{key: "
                        "topology.kubernetes.io/zone, operator: In, values: [%c]}, "
                        "{key: karpenter.sh/capacity-type, operator: In, values: [%s]}]}%s",
                        cpu / 4, (uint32_t)random_below(random, 9),
                        random_chance(random, 0.9) ? "true" : "false", 'a' + o % 3,
                        o < 3 ? "on-demand" : "spot", o < 3 ? ", " : "");
        text_add(&text, "]}]}}");
        add(world, &text);
    }
}

static void add_pools(struct random *random, struct world *world)
{
    for (uint32_t i = 0, n = 1 + (uint32_t)random_below(random, 3); i < n; i++) {
        struct text text = {0};
        text_format(
            &text,
            "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool%u, uid: pool%u}, "
            "spec: {weight: %u, %stemplate: {metadata: {labels: "
            "{team: t%u}}, spec: {nodeClassRef: {group: g, kind: C, name: c}%s%s}}}}",
            i, i, 1 + (uint32_t)random_below(random, 2),
            random_chance(random, 0.3) ? "limits: {cpu: '40'}, " : "", i,
            random_chance(random, 0.3) ? ", taints: [{key: t, effect: PreferNoSchedule}]" : "",
            random_chance(random, 0.3) ? ", requirements: [{key: topology.kubernetes.io/zone, "
                                         "operator: NotIn, values: [c]}]"
                                       : "");
        add(world, &text);
    }
}

static void add_nodes(struct random *random, struct world *world)
{
    static const char *const zones[] = {"a", "b", "d"};
    for (uint32_t i = 0, n = (uint32_t)random_below(random, 5); i < n; i++) {
        struct text text = {0};
        text_format(&text,
                    "{apiVersion: v1, kind: Node, metadata: {name: node%u, labels: "
                    "{kubernetes.io/hostname: node%u, topology.kubernetes.io/zone: %s}}, "
                    "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}",
                    i, i, pick(random, zones, 3));
        add(world, &text);
        for (uint32_t b = 0, m = (uint32_t)random_below(random, 3); b < m; b++) {
            text_format(&text,
                        "{apiVersion: v1, kind: Pod, metadata: {name: bound%u-%u, uid: b%u-%u, "
                        "labels: {app: w%u}}, spec: {nodeName: node%u, containers: "
                        "[{name: c, image: i, resources: {requests: {cpu: 500m}}}]}, status: "
                        "{phase: Running}}",
                        i, b, i, b, (uint32_t)random_below(random, 3), i);
            add(world, &text);
        }
    }
}

static void add_rules(struct random *random, struct text *text, uint32_t app)
{
    static const char *const keys[] = {"topology.kubernetes.io/zone", "kubernetes.io/hostname",
                                       "karpenter.sh/capacity-type"};
    static const char *const when[] = {"DoNotSchedule", "ScheduleAnyway"};
    if (random_chance(random, 0.5))
        text_format(text,
                    "topologySpreadConstraints: [{maxSkew: %u, topologyKey: %s, whenUnsatisfiable: "
                    "%s, labelSelector: {matchLabels: {app: w%u}}}], ",
                    1 + (uint32_t)random_below(random, 2), pick(random, keys, 3),
                    pick(random, when, 2), app);
    if (random_chance(random, 0.4))
        text_format(text,
                    "affinity: {%s: {requiredDuringSchedulingIgnoredDuringExecution: "
                    "[{topologyKey: %s, labelSelector: {matchLabels: {app: w%u}}}]}}, ",
                    random_chance(random, 0.5) ? "podAffinity" : "podAntiAffinity",
                    pick(random, keys, 2), (uint32_t)random_below(random, 4));
    if (random_chance(random, 0.2))
        text_format(text, "nodeSelector: {topology.kubernetes.io/zone: %c}, ",
                    (int)('a' + random_below(random, 3)));
    if (random_chance(random, 0.1))
        text_add(text, "tolerations: [{operator: Exists}], ");
}

static void add_pods(struct random *random, struct world *world)
{
    static const char *const sizes[] = {"100m", "500m", "1", "1500m", "3"};
    for (uint32_t workload = 0; workload < 6; workload++) {
        uint32_t app = (uint32_t)random_below(random, 4),
                 replicas = 1 + (uint32_t)random_below(random, 7);
        struct text rules = {0};
        add_rules(random, &rules, app);
        const char *size = pick(random, sizes, 5);
        for (uint32_t i = 0; i < replicas; i++) {
            struct text text = {0};
            text_format(&text,
                        "{apiVersion: v1, kind: Pod, metadata: {name: pod%u-%u, uid: uid-%08x, "
                        "labels: {app: w%u}}, spec: {%scontainers: [{name: c, image: i, "
                        "resources: {requests: {cpu: %s}}}]}}",
                        workload, i, (uint32_t)random_next(random), app,
                        rules.data != NULL ? rules.data : "", size);
            add(world, &text);
            world->pods++;
        }
        text_free(&rules);
    }
}

static struct world make_world(uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct world world = {0};
    add_types(&random, &world);
    add_pools(&random, &world);
    add_nodes(&random, &world);
    add_pods(&random, &world);
    return world;
}

static void shuffle(struct world *world, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    for (uint32_t i = world->count; i > 1; i--) {
        uint32_t j = (uint32_t)random_below(&random, i);
        char *swap = world->documents[i - 1];
        world->documents[i - 1] = world->documents[j];
        world->documents[j] = swap;
    }
}

static struct plan_fixture plan_documents(const struct world *world, const char *extra,
                                          const struct plan_options *options)
{
    struct text text = {0};
    for (uint32_t i = 0; i < world->count; i++)
        text_add(&text, world->documents[i]);
    text_add(&text, extra);
    struct plan_fixture fixture = plan_yaml_bare_with(text.data, NULL, options);
    text_free(&text);
    return fixture;
}

static char *plan_world(const struct world *world, const char *extra, uint32_t *accounted)
{
    const struct plan_options options = {.explain = EXPLAIN_REASONS};
    PLAN fixture = plan_documents(world, extra, &options);
    *accounted = fixture.plan->pods_placed + fixture.plan->unschedulable.count;
    return plan_json(fixture.plan);
}

static void free_world(struct world *world)
{
    for (uint32_t i = 0; i < world->count; i++)
        free(world->documents[i]);
}

static void order_of_the_input_does_not_matter_SCH_472_540(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct world world = make_world(seed);
        uint32_t accounted;
        char *expected = plan_world(&world, "", &accounted);
        assert_int_equal(accounted, world.pods);
        for (uint64_t turn = 0; turn < 3; turn++) {
            shuffle(&world, seed * 100 + turn);
            char *shuffled = plan_world(&world, "", &accounted);
            if (strcmp(expected, shuffled) != 0) {
                print_error("seed %u, turn %u\n", (unsigned)seed, (unsigned)turn);
                assert_string_equal(expected, shuffled);
            }
            free(shuffled);
        }
        free(expected);
        free_world(&world);
    }
}

// A pool that no pod tolerates and a type that fits no pod change nothing.
static void what_nobody_can_use_does_not_matter_SCH_541(void **state)
{
    (void)state;
    static const char extra[] =
        "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: dwarf}, spec: "
        "{instanceTypes: [{name: dwarf, capacity: {cpu: 1m, memory: 1Mi, "
        "pods: '1'}, offerings: [{price: 0.001, available: false, requirements: [{key: "
        "topology.kubernetes.io/zone, operator: In, values: [a]}, {key: "
        "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}]}]}}\n---\n";
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct world world = make_world(seed);
        uint32_t accounted;
        char *expected = plan_world(&world, "", &accounted),
             *other = plan_world(&world, extra, &accounted);
        assert_string_equal(expected, other);
        free(expected);
        free(other);
        free_world(&world);
    }
}

// The first placed pod's name, or a name that does not exist.
static char *some_pod(const struct plan *plan)
{
    const struct pod *pod = NULL;
    list_for_each (claim, &plan->claims)
        if (pod == NULL)
            pod = claim->pods.items[0];
    struct text name = {0};
    text_format(&name, "%s/%s", pod != NULL ? pod->meta.namespace : "no",
                pod != NULL ? pod->meta.name : "pod");
    return text_take(&name);
}

// The plan with all explanations, as text.
static char *explain_world(const struct world *world, const char *pod)
{
    const struct plan_options options = {.explain = EXPLAIN_FULL, .explain_pod = pod};
    PLAN fixture = plan_documents(world, "", &options);
    struct text text = {0};
    CLEANUP_FREE char *plan = plan_json(fixture.plan);
    text_add(&text, plan);
    if (fixture.plan->choice != NULL) {
        json_t *json = plan_choice_encode(fixture.plan->choice);
        CLEANUP_FREE char *choice = json_dumps(json, JSON_INDENT(1));
        text_add(&text, choice);
        json_decref(json);
    }
    return text_take(&text);
}

static void explanations_depend_on_no_order_and_change_nothing_SCH_520_540(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct world world = make_world(seed);
        const struct plan_options silent = {0}, full = {.explain = EXPLAIN_FULL};
        PLAN plain = plan_documents(&world, "", &silent);
        PLAN told = plan_documents(&world, "", &full);
        CLEANUP_FREE char *pod = some_pod(plain.plan);
        assert_int_equal(plain.plan->price, told.plan->price);
        assert_int_equal(plain.plan->claims.count, told.plan->claims.count);
        assert_int_equal(plain.plan->unschedulable.count, told.plan->unschedulable.count);
        for (uint32_t i = 0; i < told.plan->unschedulable.count; i++)
            assert_string_equal(plain.plan->unschedulable.items[i].message,
                                told.plan->unschedulable.items[i].message);
        CLEANUP_FREE char *expected = explain_world(&world, pod);
        shuffle(&world, seed);
        CLEANUP_FREE char *shuffled = explain_world(&world, pod);
        assert_string_equal(expected, shuffled);
        free_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_the_input_does_not_matter_SCH_472_540),
        cmocka_unit_test(what_nobody_can_use_does_not_matter_SCH_541),
        cmocka_unit_test(explanations_depend_on_no_order_and_change_nothing_SCH_520_540),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
