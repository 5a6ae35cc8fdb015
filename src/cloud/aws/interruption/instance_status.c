#include "cloud/aws/interruption/instance_status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#define IMPAIRED_NS   (2 * MINUTE) // AWI-582
#define EVENT_NEAR_NS (24 * HOUR)  // AWI-955
#define INSTANCES_MAX 100000

const char *status_category_name(enum status_category category)
{
    static const char *const names[] = {"InstanceStatus", "SystemStatus", "EventStatus",
                                        "EBSStatus"};
    static_assert(sizeof names / sizeof *names == STATUS_CATEGORY_COUNT, "every one has a name");
    assert(category < STATUS_CATEGORY_COUNT);
    return names[category];
}

enum interruption_kind status_category_kind(enum status_category category)
{
    static const enum interruption_kind kinds[] = {
        INTERRUPTION_INSTANCE_STATUS, INTERRUPTION_SYSTEM_STATUS, INTERRUPTION_EVENT_STATUS,
        INTERRUPTION_SYSTEM_STATUS};
    assert(category < STATUS_CATEGORY_COUNT);
    return kinds[category];
}

// RFC 3339, or seconds since the epoch. 0: absent, or not readable.
static int64_t instant_of(const json_t *value)
{
    int64_t instant;
    if (json_is_number(value))
        return ns_from_seconds(json_number_value(value));
    const char *text = json_string_value(value);
    return text != NULL && instant_parse(text, &instant, NULL) ? instant : 0;
}

static void note(struct instance_findings *findings, enum status_category category, int64_t since,
                 bool *any)
{
    findings->found[category] = true;
    findings->since = *any ? ns_minimum(findings->since, since) : since;
    *any = true;
}

static void read_check(struct instance_findings *findings, enum status_category category,
                       const json_t *check, int64_t now, bool *any)
{
    const json_t *detail;
    size_t index;
    json_array_foreach (json_object_get(check, "Details"), index, detail) {
        int64_t since = instant_of(json_object_get(detail, "ImpairedSince"));
        if (text_equal(json_string_value(json_object_get(detail, "Status")), "failed") &&
            ns_subtract(now, since) >= IMPAIRED_NS)
            note(findings, category, since, any);
    }
}

static bool is_over(const char *description)
{
    return text_starts_with(description, "[Completed]") ||
           text_starts_with(description, "[Canceled]");
}

static void read_events(struct instance_findings *findings, const json_t *events, int64_t now,
                        bool upstream, bool *any)
{
    const json_t *event;
    size_t index;
    json_array_foreach (events, index, event) {
        int64_t starts = instant_of(json_object_get(event, "NotBefore"));
        if (!upstream && is_over(json_string_value(json_object_get(event, "Description"))))
            continue;
        if (upstream || ns_subtract(starts, now) <= EVENT_NEAR_NS)
            note(findings, STATUS_EVENT, now, any);
        else
            findings->event_ahead = true;
    }
}

void instance_status_read(struct map *instances, const json_t *reply, int64_t now, bool upstream)
{
    static const char *const checks[] = {[STATUS_INSTANCE] = "InstanceStatus",
                                         [STATUS_SYSTEM] = "SystemStatus",
                                         [STATUS_EBS] = "AttachedEbsStatus"};
    const json_t *status;
    size_t index;
    json_array_foreach (json_object_get(reply, "InstanceStatuses"), index, status) {
        const char *id = json_string_value(json_object_get(status, "InstanceId"));
        struct instance_findings findings = {0};
        bool any = false;
        if (text_is_empty(id) || map_get(instances, id) != NULL ||
            map_count(instances) >= INSTANCES_MAX)
            continue;
        for (size_t i = 0; i < ARRAY_LENGTH(checks); i++)
            if (checks[i] != NULL)
                read_check(&findings, (enum status_category)i, json_object_get(status, checks[i]),
                           now, &any);
        read_events(&findings, json_object_get(status, "Events"), now, upstream, &any);
        if (any || findings.event_ahead)
            map_set(instances, id, memory_copy(&findings, sizeof findings));
    }
}
