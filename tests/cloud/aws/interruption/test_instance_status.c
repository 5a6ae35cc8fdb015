// Findings of EC2's status checks (AWI-582, 583).
#include "cloud/aws/interruption/instance_status.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "support/cmocka_all.h"

#define NOW (INT64_C(1767225600) * SECOND) // 2026-01-01T00:00:00Z

static struct instance_findings read_one(const char *members)
{
    struct instance_findings findings = {0};
    struct text text = {0};
    text_format(&text, "{\"InstanceStatuses\":[{\"InstanceId\":\"i-1\",%s}]}", members);
    json_t *reply = json_loads(text.data, 0, NULL);
    assert_non_null(reply);
    struct map *found = map_create();
    instance_status_read(found, reply, NOW, true);
    if (map_get(found, "i-1") != NULL)
        findings = *(struct instance_findings *)map_get(found, "i-1");
    map_destroy(found, free);
    json_decref(reply);
    text_free(&text);
    return findings;
}

#define DETAIL(status, since) "{\"Name\":\"reachability\",\"Status\":\"" status "\"" since "}"
#define SINCE(time)           ",\"ImpairedSince\":\"" time "\""
#define CHECK(name, details)  "\"" name "\":{\"Status\":\"impaired\",\"Details\":[" details "]}"

static void failed_for_two_minutes_AWI_582(void **state)
{
    (void)state;
    struct instance_findings findings =
        read_one(CHECK("InstanceStatus", DETAIL("failed", SINCE("2025-12-31T23:58:01Z"))));
    assert_false(findings.found[STATUS_INSTANCE]); // 119 s
    findings = read_one(CHECK("InstanceStatus", DETAIL("failed", SINCE("2025-12-31T23:58:00Z"))));
    assert_true(findings.found[STATUS_INSTANCE]);
    assert_false(findings.found[STATUS_SYSTEM]);
    findings = read_one(CHECK("SystemStatus", DETAIL("failed", ""))); // long ago
    assert_true(findings.found[STATUS_SYSTEM]);
    findings =
        read_one(CHECK("SystemStatus", DETAIL("insufficient-data", "") "," DETAIL("Failed", "")));
    assert_false(findings.found[STATUS_SYSTEM]); // exactly "failed"
    findings = read_one(CHECK("AttachedEbsStatus", DETAIL("failed", "")));
    assert_true(findings.found[STATUS_EBS]);
}

static void events_count_at_once_AWI_582(void **state)
{
    (void)state;
    struct instance_findings findings =
        read_one("\"Events\":[{\"Code\":\"whatever\",\"Description\":\"any text\"}]");
    assert_true(findings.found[STATUS_EVENT]);
    assert_int_equal(findings.since, NOW);
}

static void categories_and_the_earliest_time_AWI_583(void **state)
{
    (void)state;
    struct instance_findings findings = read_one(CHECK(
        "InstanceStatus", DETAIL("failed", SINCE("2025-12-31T23:00:00Z")) "," //
        DETAIL("failed",
               SINCE("2025-12-31T22:00:00Z"))) "," CHECK("SystemStatus",
                                                         DETAIL("failed",
                                                                SINCE("2025-12-31T23:30:00Z"))));
    assert_true(findings.found[STATUS_INSTANCE]);
    assert_true(findings.found[STATUS_SYSTEM]);
    assert_int_equal(findings.since, NOW - 2 * HOUR);
    assert_int_equal(status_category_kind(STATUS_INSTANCE), INTERRUPTION_INSTANCE_STATUS);
    assert_int_equal(status_category_kind(STATUS_SYSTEM), INTERRUPTION_SYSTEM_STATUS);
    assert_int_equal(status_category_kind(STATUS_EVENT), INTERRUPTION_EVENT_STATUS);
    assert_string_equal(status_category_name(STATUS_SYSTEM), "SystemStatus");
}

// AWI-581: of several answers for an instance the first counts.
static void the_first_answer_counts_AWI_581(void **state)
{
    (void)state;
    struct map *found = map_create();
    json_t *first = json_loads(
        "{\"InstanceStatuses\":[{\"InstanceId\":\"i-1\",\"Events\":[{\"Code\":\"x\"}]}]}", 0, NULL);
    json_t *second = json_loads("{\"InstanceStatuses\":[{\"InstanceId\":\"i-1\"," CHECK(
                                    "SystemStatus", DETAIL("failed", "")) "}]}",
                                0, NULL);
    instance_status_read(found, first, NOW, true);
    instance_status_read(found, second, NOW, true);
    const struct instance_findings *findings = map_get(found, "i-1");
    assert_true(findings->found[STATUS_EVENT]);
    assert_false(findings->found[STATUS_SYSTEM]);
    map_destroy(found, free);
    json_decref(first);
    json_decref(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_for_two_minutes_AWI_582),
        cmocka_unit_test(events_count_at_once_AWI_582),
        cmocka_unit_test(categories_and_the_earliest_time_AWI_583),
        cmocka_unit_test(the_first_answer_counts_AWI_581),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
