// The workloads of `adze bench` follow FMT-15, and are the same for the same seed.
#include "bench/bench_workload.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/selector.h"
#include "model/schema/condition_types.h"
#include "model/schema/encode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_encode.h"
#include "model/snapshot/snapshot_read.h"
#include "support/cmocka_all.h"

#define MEBIBYTE INT64_C(1048576)

static struct snapshot *make(const char *mix, uint32_t pods, uint32_t types, uint32_t nodes,
                             uint64_t seed)
{
    struct error error = {0};
    struct bench_workload workload = {.mix = bench_mix_find(mix),
                                      .pods = pods,
                                      .types = types,
                                      .nodes = nodes,
                                      .seed = seed,
                                      .policy = PACKING_GREEDY};
    assert_non_null(workload.mix);
    struct snapshot *snapshot = bench_workload_create(&workload, &error);
    if (snapshot == NULL)
        fail_msg("%s", error.message);
    return snapshot;
}

static const struct pod *pod_at(const struct snapshot *snapshot, uint32_t index)
{
    return (const struct pod *)snapshot->objects[KIND_POD].items[index];
}

static char *kind_text(const struct snapshot *snapshot, enum kind_id kind)
{
    struct text text = {0};
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
        json_t *document = object_encode(snapshot->objects[kind].items[i]);
        char *dumped = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
        text_add(&text, dumped);
        text_add(&text, "\n");
        free(dumped);
        json_decref(document);
    }
    return text_take(&text);
}

static bool same_kind(const struct snapshot *a, const struct snapshot *b, enum kind_id kind)
{
    CLEANUP_FREE char *left = kind_text(a, kind);
    CLEANUP_FREE char *right = kind_text(b, kind);
    return strcmp(left, right) == 0;
}

static void same_seed_same_snapshot_FMT_15(void **state)
{
    (void)state;
    for (const struct bench_mix *const *mix = bench_mixes(); *mix != NULL; mix++) {
        struct snapshot *first = make((*mix)->name, 60, 20, 3, 7);
        struct snapshot *second = make((*mix)->name, 60, 20, 3, 7);
        struct snapshot *other = make((*mix)->name, 60, 20, 3, 8);
        for (int kind = 0; kind < KIND_COUNT; kind++)
            if (kind != KIND_INSTANCE_TYPE_CATALOG || !(*mix)->priced) // facts, not generated
                assert_true(same_kind(first, second, (enum kind_id)kind));
        assert_false(same_kind(first, other, KIND_POD));
        snapshot_destroy(first);
        snapshot_destroy(second);
        snapshot_destroy(other);
    }
}

static void every_mix_has_the_pods_asked_for(void **state)
{
    static const uint32_t counts[] = {203, 0, 1, 4};
    (void)state;
    for (const struct bench_mix *const *mix = bench_mixes(); *mix != NULL; mix++)
        for (size_t i = 0; i < ((*mix)->priced ? 1 : ARRAY_LENGTH(counts)); i++) {
            struct snapshot *snapshot = make((*mix)->name, counts[i], 5, 0, 1);
            assert_int_equal(snapshot->objects[KIND_POD].count, counts[i]);
            assert_true(snapshot->objects[KIND_NODE_POOL].count > 0);
            assert_int_equal(snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count, 1);
            assert_int_equal(snapshot->settings.packing_policy, PACKING_GREEDY);
            snapshot_destroy(snapshot);
        }
}

// --- the synthetic types -------------------------------------------------------------------------

static void assert_offerings(const struct instance_type *type, int64_t price)
{
    static const struct {
        const char *zone, *capacity_type;
    } expected[] = {{"test-zone-1", "on-demand"},
                    {"test-zone-2", "on-demand"},
                    {"test-zone-3", "on-demand"},
                    {"test-zone-1", "spot"},
                    {"test-zone-2", "spot"}};
    assert_int_equal(type->offerings.count, ARRAY_LENGTH(expected));
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
        const struct offering *offering = &type->offerings.items[i];
        assert_string_equal(requirement_single_value(&offering->requirements, LABEL_ZONE),
                            expected[i].zone);
        assert_string_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                            expected[i].capacity_type);
        assert_true(offering->available);
        assert_int_equal(offering->price, price);
    }
}

static void synthetic_types_have_resources_and_prices_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("diverse", 0, 400, 0, 1);
    const struct instance_type_catalog *catalog =
        (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
            .items[0];
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    assert_int_equal(catalog->spec.instance_types.count, 400);
    for (uint32_t i = 0; i < 400; i++) {
        const struct instance_type *type = &catalog->spec.instance_types.items[i];
        int64_t memory = INT64_C(2) * (i + 1) * 1024 * MEBIBYTE;
        assert_int_equal(resource_map_get(&type->capacity, "cpu"), (i + 1) * 1000);
        assert_int_equal(resource_map_get(&type->capacity, "memory"), memory);
        assert_int_equal(resource_map_get(&type->capacity, "pods"), 10 * (i + 1));
        struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
        assert_int_equal(resource_map_get(&allocatable, "cpu"), (i + 1) * 1000 - 100);
        assert_int_equal(resource_map_get(&allocatable, "memory"), memory - 10 * MEBIBYTE);
        // 0.1 USD = 10^8 nano-USD a vCPU, and the same for 10^9 bytes.
        int64_t price = (i + 1) * INT64_C(100000000) + (memory + 5) / 10;
        assert_offerings(type, price);
    }
    snapshot_destroy(snapshot);
}

static void synthetic_pool_has_no_restrictions_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("diverse", 0, 1, 0, 1);
    assert_int_equal(snapshot->objects[KIND_NODE_POOL].count, 1);
    const struct node_pool *pool =
        (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[0];
    assert_int_equal(pool->spec.template.spec.requirements.count, 0);
    assert_int_equal(pool->spec.template.spec.taints.count, 0);
    assert_int_equal(pool->spec.limits.count, 0);
    snapshot_destroy(snapshot);
}

// --- the mix "diverse" ---------------------------------------------------------------------------

static bool is_letter(const char *text)
{
    return text != NULL && strlen(text) == 1 && text[0] >= 'a' && text[0] <= 'g';
}

static void assert_requests(const struct pod *pod)
{
    static const int64_t cpus[] = {100, 250, 500, 1000, 1500};
    static const int64_t mebibytes[] = {100, 256, 512, 1024, 2048, 4096};
    const struct resource_map *requests = &pod->spec.containers.items[0].resources.requests;
    bool cpu_known = false, memory_known = false;
    for (size_t i = 0; i < ARRAY_LENGTH(cpus); i++)
        cpu_known = cpu_known || resource_map_get(requests, "cpu") == cpus[i];
    for (size_t i = 0; i < ARRAY_LENGTH(mebibytes); i++)
        memory_known =
            memory_known || resource_map_get(requests, "memory") == mebibytes[i] * MEBIBYTE;
    assert_int_equal(pod->spec.containers.count, 1);
    assert_int_equal(requests->count, 2);
    assert_true(cpu_known && memory_known);
}

struct counts {
    uint32_t generic, zonal_spread, hostname_spread, zonal_affinity, hostname_anti_affinity;
    uint32_t crossed; // spread pods with a selector for another label
};

static void check_spread(const struct pod *pod, struct counts *counts)
{
    const struct topology_spread_constraint *constraint =
        &pod->spec.topology_spread_constraints.items[0];
    const char *selected = string_map_get(&constraint->label_selector->match_labels, "my-label");
    assert_int_equal(pod->spec.topology_spread_constraints.count, 1);
    assert_int_equal(constraint->max_skew, 1);
    assert_string_equal(constraint->when_unsatisfiable, "DoNotSchedule");
    assert_true(is_letter(selected));
    assert_true(is_letter(object_label((const struct object *)pod, "my-label")));
    counts->crossed += strcmp(selected, object_label((const struct object *)pod, "my-label")) != 0;
    if (strcmp(constraint->topology_key, LABEL_ZONE) == 0)
        counts->zonal_spread++;
    else if (strcmp(constraint->topology_key, LABEL_HOSTNAME) == 0)
        counts->hostname_spread++;
    else
        fail_msg("spread over %s", constraint->topology_key);
}

static void check_affinity(const struct pod *pod, struct counts *counts)
{
    const struct affinity *affinity = pod->spec.affinity;
    if (affinity->pod_affinity != NULL) {
        const struct pod_affinity_term *term = &affinity->pod_affinity->required.items[0];
        const char *label = object_label((const struct object *)pod, "my-affinity");
        assert_int_equal(affinity->pod_affinity->required.count, 1);
        assert_string_equal(term->topology_key, LABEL_ZONE);
        assert_true(is_letter(label));
        assert_string_equal(string_map_get(&term->label_selector->match_labels, "my-affinity"),
                            label);
        counts->zonal_affinity++;
        return;
    }
    const struct pod_affinity_term *term = &affinity->pod_anti_affinity->required.items[0];
    assert_int_equal(affinity->pod_anti_affinity->required.count, 1);
    assert_string_equal(term->topology_key, LABEL_HOSTNAME);
    assert_true(label_selector_matches(term->label_selector, &pod->meta.labels));
    counts->hostname_anti_affinity++;
}

static void diverse_is_five_equal_parts_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("diverse", 1003, 400, 0, 42);
    struct counts counts = {0};
    for (uint32_t i = 0; i < 1003; i++) {
        const struct pod *pod = pod_at(snapshot, i);
        assert_requests(pod);
        assert_null(pod->spec.node_name);
        if (pod->spec.topology_spread_constraints.count > 0) {
            check_spread(pod, &counts);
        } else if (pod->spec.affinity != NULL) {
            check_affinity(pod, &counts);
        } else {
            assert_true(is_letter(object_label((const struct object *)pod, "my-label")));
            counts.generic++;
        }
    }
    assert_int_equal(counts.generic, 203);
    assert_int_equal(counts.zonal_spread, 200);
    assert_int_equal(counts.hostname_spread, 200);
    assert_int_equal(counts.zonal_affinity, 200);
    assert_int_equal(counts.hostname_anti_affinity, 200);
    assert_true(counts.crossed > 250); // 6 of 7
    snapshot_destroy(snapshot);
}

// "All of that part": any two of them repel each other.
static void anti_affinity_is_among_the_whole_part_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("diverse", 50, 10, 0, 42);
    const struct pod *first = NULL;
    for (uint32_t i = 0; i < 50; i++) {
        const struct pod *pod = pod_at(snapshot, i);
        if (pod->spec.affinity == NULL || pod->spec.affinity->pod_anti_affinity == NULL)
            continue;
        if (first == NULL)
            first = pod;
        assert_true(label_selector_matches(
            first->spec.affinity->pod_anti_affinity->required.items[0].label_selector,
            &pod->meta.labels));
    }
    assert_non_null(first);
    snapshot_destroy(snapshot);
}

static void preferences_are_three_a_pod_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("preferences", 40, 400, 0, 42);
    for (uint32_t i = 0; i < 40; i++) {
        const struct pod *pod = pod_at(snapshot, i);
        const struct affinity *affinity = pod->spec.affinity;
        assert_requests(pod);
        assert_string_equal(object_label((const struct object *)pod, "app"), "nginx");
        assert_null(affinity->node_affinity->required);
        assert_int_equal(affinity->node_affinity->preferred.count, 1);
        const struct preferred_scheduling_term *zone = &affinity->node_affinity->preferred.items[0];
        assert_int_equal(zone->weight, 1);
        assert_string_equal(zone->preference.match_expressions.items[0].key, LABEL_ZONE);
        assert_int_equal(affinity->pod_anti_affinity->required.count, 0);
        assert_int_equal(affinity->pod_anti_affinity->preferred.count, 2);
        const struct weighted_pod_affinity_term *apart =
            affinity->pod_anti_affinity->preferred.items;
        assert_int_equal(apart[0].weight, 10);
        assert_string_equal(apart[0].pod_affinity_term.topology_key, LABEL_ZONE);
        assert_int_equal(apart[1].weight, 1);
        assert_string_equal(apart[1].pod_affinity_term.topology_key, LABEL_HOSTNAME);
        for (int term = 0; term < 2; term++)
            assert_true(label_selector_matches(apart[term].pod_affinity_term.label_selector,
                                               &pod->meta.labels));
    }
    snapshot_destroy(snapshot);
}

// --- the priced mixes ----------------------------------------------------------------------------

static void priced_mixes_use_the_whole_ec2_catalog(void **state)
{
    static const char *const names[] = {"web", "batch", "memory-heavy", "mixed", "constrained"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct snapshot *snapshot = make(names[i], 10, 1, 0, 1);
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[0];
        assert_true(catalog->spec.instance_types.count > 1000);
        assert_true(bench_mix_find(names[i])->priced);
        snapshot_destroy(snapshot);
    }
}

// GiB of memory a vCPU, over all pods.
static double memory_per_vcpu(const char *mix)
{
    struct snapshot *snapshot = make(mix, 500, 1, 0, 3);
    double cpu = 0, memory = 0;
    for (uint32_t i = 0; i < 500; i++) {
        const struct pod *pod = pod_at(snapshot, i);
        const struct resource_map *requests = &pod->spec.containers.items[0].resources.requests;
        cpu += (double)resource_map_get(requests, "cpu") / 1000;
        memory += (double)resource_map_get(requests, "memory") / (1024.0 * (double)MEBIBYTE);
        assert_null(pod->spec.affinity);
        assert_int_equal(pod->spec.topology_spread_constraints.count, 0);
        assert_int_equal(pod->spec.node_selector.count, 0);
    }
    snapshot_destroy(snapshot);
    return memory / cpu;
}

static void unconstrained_mixes_differ_in_memory(void **state)
{
    (void)state;
    assert_true(memory_per_vcpu("batch") < 3.5);
    assert_true(memory_per_vcpu("web") < 5);
    assert_true(memory_per_vcpu("memory-heavy") > 7);
    (void)memory_per_vcpu("mixed");
}

static void constrained_has_every_kind_of_constraint(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("constrained", 3000, 1, 0, 1);
    uint32_t spreads = 0, selectors = 0, affinities = 0, apart = 0, together = 0, tolerations = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        const struct pod *pod = pod_at(snapshot, i);
        const struct affinity *affinity = pod->spec.affinity;
        spreads += pod->spec.topology_spread_constraints.count > 0;
        selectors += pod->spec.node_selector.count > 0;
        affinities += affinity != NULL && affinity->node_affinity != NULL;
        apart += affinity != NULL && affinity->pod_anti_affinity != NULL;
        together += affinity != NULL && affinity->pod_affinity != NULL;
        tolerations += pod->spec.tolerations.count > 0;
    }
    assert_true(spreads > 0 && selectors > 0 && affinities > 0 && apart > 0 && together > 0 &&
                tolerations > 0);
    assert_int_equal(snapshot->objects[KIND_DAEMON_SET].count, 2);
    assert_int_equal(snapshot->objects[KIND_NODE_POOL].count, 3);
    snapshot_destroy(snapshot);
}

// --- existing nodes ------------------------------------------------------------------------------

static const struct node *node_named(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++)
        if (strcmp(snapshot->objects[KIND_NODE].items[i]->meta.name, name) == 0)
            return (const struct node *)snapshot->objects[KIND_NODE].items[i];
    return NULL;
}

static void assert_nodes_hold_their_pods(const struct snapshot *snapshot)
{
    for (uint32_t n = 0; n < snapshot->objects[KIND_NODE].count; n++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[n];
        int64_t cpu = 0, memory = 0, count = 0;
        for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
            const struct pod *pod = pod_at(snapshot, i);
            if (!text_equal(pod->spec.node_name, node->meta.name))
                continue;
            const struct resource_map *requests = &pod->spec.containers.items[0].resources.requests;
            cpu += resource_map_get(requests, "cpu");
            memory += resource_map_get(requests, "memory");
            count++;
        }
        assert_true(count > 0);
        assert_true(cpu <= resource_map_get(&node->status.allocatable, "cpu"));
        assert_true(memory <= resource_map_get(&node->status.allocatable, "memory"));
        assert_true(count <= resource_map_get(&node->status.allocatable, "pods"));
    }
}

static void nodes_are_initialized_and_carry_pods(void **state)
{
    static const char *const names[] = {"diverse", "constrained"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct snapshot *snapshot = make(names[i], 100, 400, 20, 1);
        assert_int_equal(snapshot->objects[KIND_NODE].count, 20);
        assert_int_equal(snapshot->objects[KIND_NODE_CLAIM].count, 20);
        for (uint32_t n = 0; n < 20; n++) {
            const struct node_claim *claim =
                (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[n];
            const struct node *node = node_named(snapshot, claim->status.node_name);
            assert_non_null(node);
            assert_string_equal(node->spec.provider_id, claim->status.provider_id);
            assert_string_equal(object_label((const struct object *)node, LABEL_INITIALIZED),
                                "true");
            assert_non_null(object_label((const struct object *)node, LABEL_ZONE));
            assert_non_null(object_label((const struct object *)node, LABEL_INSTANCE_TYPE));
            assert_string_equal(object_label((const struct object *)node, LABEL_CAPACITY_TYPE),
                                "on-demand");
            assert_true(condition_is_true(&node->status.conditions, CONDITION_READY));
        }
        assert_nodes_hold_their_pods(snapshot);
        snapshot_destroy(snapshot);
    }
}

static void nodes_leave_the_pending_pods_alone(void **state)
{
    (void)state;
    struct snapshot *without = make("diverse", 50, 40, 0, 5);
    struct snapshot *with = make("diverse", 50, 40, 4, 5);
    assert_true(with->objects[KIND_POD].count > 50);
    for (uint32_t i = 0; i < 50; i++) {
        json_t *left = object_encode(without->objects[KIND_POD].items[i]);
        json_t *right = object_encode(with->objects[KIND_POD].items[i]);
        assert_true(json_equal(left, right));
        json_decref(left);
        json_decref(right);
    }
    snapshot_destroy(without);
    snapshot_destroy(with);
}

// --- dumps ---------------------------------------------------------------------------------------

static void dump_reads_back_as_the_same_snapshot(void **state)
{
    static const char *const names[] = {"diverse", "preferences", "constrained"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct error error = {0};
        struct snapshot *made = make(names[i], 60, 10, 2, 5);
        json_t *document = snapshot_encode(made);
        CLEANUP_FREE char *text = json_dumps(document, JSON_COMPACT);
        json_decref(document);
        struct snapshot *read = snapshot_create();
        if (!snapshot_read_text(read, text, strlen(text), "dump", true, &error))
            fail_msg("%s", error.message);
        assert_true(same_kind(made, read, KIND_INSTANCE_TYPE_CATALOG));
        if (!snapshot_complete(read, &error))
            fail_msg("%s", error.message);
        assert_true(read->time == made->time);
        assert_int_equal(read->settings.packing_policy, PACKING_GREEDY);
        assert_true(same_kind(made, read, KIND_NODE));
        assert_true(same_kind(made, read, KIND_DAEMON_SET));
        assert_int_equal(read->objects[KIND_POD].count, made->objects[KIND_POD].count);
        snapshot_destroy(made);
        snapshot_destroy(read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_snapshot_FMT_15),
        cmocka_unit_test(every_mix_has_the_pods_asked_for),
        cmocka_unit_test(synthetic_types_have_resources_and_prices_FMT_15),
        cmocka_unit_test(synthetic_pool_has_no_restrictions_FMT_15),
        cmocka_unit_test(diverse_is_five_equal_parts_FMT_15),
        cmocka_unit_test(anti_affinity_is_among_the_whole_part_FMT_15),
        cmocka_unit_test(preferences_are_three_a_pod_FMT_15),
        cmocka_unit_test(priced_mixes_use_the_whole_ec2_catalog),
        cmocka_unit_test(unconstrained_mixes_differ_in_memory),
        cmocka_unit_test(constrained_has_every_kind_of_constraint),
        cmocka_unit_test(nodes_are_initialized_and_carry_pods),
        cmocka_unit_test(nodes_leave_the_pending_pods_alone),
        cmocka_unit_test(dump_reads_back_as_the_same_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
