// The pods that a pass plans out of too many (SCH-150, SCH-527).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pods/backlog_chunk.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

static void add_pod(struct snapshot *snapshot, const char *name, const char *cpu, int priority,
                    bool waits)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:s}, s:{s:i, s:[{s:s, s:{s:{s:s}}}]}, s:{s:[{s:s, s:s, s:s}]}}",
        "apiVersion", "v1", "kind", "Pod", "metadata", "name", name, "namespace", "n", "uid", name,
        "spec", "priority", priority, "containers", "name", "c", "resources", "requests", "cpu",
        cpu, "status", "conditions", "type", "PodScheduled", "status", "False", "reason",
        waits ? "Unschedulable" : "SchedulingGated");
    struct error error = {0};
    struct object *pod = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    assert_non_null(pod);
    snapshot_add(snapshot, pod);
    object_release(pod);
}

static struct snapshot *five_pods(void)
{
    struct snapshot *snapshot = snapshot_create();
    snapshot->require_unschedulable_condition = true;
    add_pod(snapshot, "small", "1", 0, true);
    add_pod(snapshot, "gated", "9", 0, false);
    add_pod(snapshot, "large", "4", 0, true);
    add_pod(snapshot, "urgent", "1", 10, true);
    add_pod(snapshot, "middle", "2", 0, true);
    return snapshot;
}

static bool was_tried(void *context, const struct pod *pod)
{
    return context != NULL && strcmp(context, pod->meta.name) == 0;
}

static void assert_names(const struct snapshot *snapshot, const char *expected)
{
    char names[200] = "";
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        strcat(names, snapshot->objects[KIND_POD].items[i]->meta.name);
        strcat(names, " ");
    }
    assert_string_equal(names, expected);
}

static void the_first_of_the_queue_are_planned_SCH_150(void **state)
{
    (void)state;
    struct snapshot *snapshot = five_pods();
    const struct backlog_chunk_options two = {.pods_max = 2, .was_tried = was_tried};
    assert_int_equal(backlog_chunk_choose(snapshot, &two), 2);
    assert_names(snapshot, "gated urgent large "); // pods that do not wait stay
    snapshot_destroy(snapshot);
}

static void who_was_tried_comes_last(void **state)
{
    (void)state;
    struct snapshot *snapshot = five_pods();
    char tried[] = "urgent";
    const struct backlog_chunk_options three = {
        .pods_max = 3, .was_tried = was_tried, .context = tried};
    assert_int_equal(backlog_chunk_choose(snapshot, &three), 0);
    assert_names(snapshot, "gated large middle small ");
    snapshot_destroy(snapshot);
}

static void few_pods_are_planned_at_once_SCH_16(void **state)
{
    (void)state;
    struct snapshot *snapshot = five_pods();
    const struct backlog_chunk_options four = {.pods_max = 4, .was_tried = was_tried},
                                       unbounded = {.was_tried = was_tried};
    assert_int_equal(backlog_chunk_choose(snapshot, &four), 0);
    assert_int_equal(backlog_chunk_choose(snapshot, &unbounded), 0);
    assert_names(snapshot, "small gated large urgent middle ");
    snapshot_destroy(snapshot);
}

static void what_a_pass_plans_follows_the_memory_limit_STO_6(void **state)
{
    const int64_t mebibyte = 1024 * 1024;
    (void)state;
    assert_int_equal(backlog_chunk_pods_max(-1), 20000);
    assert_int_equal(backlog_chunk_pods_max(4096 * mebibyte), 20000);
    assert_int_equal(backlog_chunk_pods_max(64 * mebibyte), 4096);
    assert_int_equal(backlog_chunk_pods_max(1), 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_queue_are_planned_SCH_150),
        cmocka_unit_test(who_was_tried_comes_last),
        cmocka_unit_test(what_a_pass_plans_follows_the_memory_limit_STO_6),
        cmocka_unit_test(few_pods_are_planned_at_once_SCH_16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
