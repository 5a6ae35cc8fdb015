#include "cloud/aws/instances/fleet_answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/metrics.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/nodeclass/launch_failure.h"
#include "cloud/aws/types/shortage_cause.h"
#include "model/reading/catalog.h"

#define SPREAD_LIMIT      "limit of instances in this spread placement group"
#define NO_ADDRESSES_CODE "InsufficientFreeAddressesInSubnet"
#define INSTANCES_MAX     10000
#define ERRORS_MAX        10000

// --- reading -------------------------------------------------------------------------------------

static const char *text_in(const json_t *object, const char *key)
{
    return text_or_empty(json_string_value(json_object_get(object, key)));
}

static struct fleet_override override_in(const json_t *entry)
{
    const json_t *pair = json_object_get(entry, "LaunchTemplateAndOverrides");
    return fleet_override_of(json_object_get(pair, "Overrides"));
}

// An answer need not repeat all of the override: the rest is the request's.
static struct fleet_override completed(const json_t *request, const json_t *entry)
{
    struct fleet_override override = override_in(entry), own;
    if (override.instance_type[0] == '\0')
        override.instance_type = text_in(entry, "InstanceType");
    if (override.subnet_id[0] == '\0')
        override.subnet_id = text_in(entry, "SubnetId");
    if (override.zone[0] == '\0')
        override.zone = text_in(entry, "AvailabilityZone");
    if (fleet_request_find(request, override.instance_type, override.subnet_id, &own))
        return own;
    return override;
}

static void read_instances(struct arena *arena, const json_t *request, const json_t *entries,
                           struct fleet_answer *answer)
{
    const json_t *entry, *id;
    size_t i, k, most = 0;
    json_array_foreach (entries, i, entry)
        most += json_array_size(json_object_get(entry, "InstanceIds"));
    if (most > INSTANCES_MAX)
        most = INSTANCES_MAX;
    answer->items = arena_allocate_array(arena, most + 1, sizeof *answer->items);
    json_array_foreach (entries, i, entry) {
        struct fleet_override override = completed(request, entry);
        json_array_foreach (json_object_get(entry, "InstanceIds"), k, id)
            if (!text_is_empty(json_string_value(id)) && answer->count < most)
                answer->items[answer->count++] =
                    (struct fleet_instance){json_string_value(id), override};
    }
}

void fleet_answer_read(struct arena *arena, const json_t *request, const json_t *reply,
                       struct fleet_answer *answer)
{
    const json_t *errors = json_object_get(reply, "Errors"), *entry;
    size_t i, most = json_array_size(errors) < ERRORS_MAX ? json_array_size(errors) : ERRORS_MAX;
    *answer = (struct fleet_answer){.fleet_id = text_in(reply, "FleetId")};
    read_instances(arena, request, json_object_get(reply, "Instances"), answer);
    answer->errors = arena_allocate_array(arena, most + 1, sizeof *answer->errors);
    json_array_foreach (errors, i, entry) {
        if (answer->errors_count == most)
            break;
        answer->errors[answer->errors_count++] = (struct fleet_error){
            text_in(entry, "ErrorCode"), text_in(entry, "ErrorMessage"), override_in(entry)};
    }
}

// --- learning (AWI-330 to 336) -------------------------------------------------------------------

static const char *zone_id_of(const struct ec2_node_class *node_class, const char *zone)
{
    list_for_each (subnet, &node_class->status.subnets)
        if (text_equal(subnet->zone, zone))
            return text_or_empty(subnet->zone_id);
    return "";
}

static const char *text_of(struct text *text, const struct fleet_error *error)
{
    text_clear(text);
    text_format(text, "%s: %s", error->code, error->message);
    return text->data;
}

static void count_failure(const struct fleet_learning *learning, const struct fleet_launch *launch,
                          const struct fleet_error *error)
{
    struct text text = {0};
    if (learning->failures != NULL)
        metric_add(learning->failures, 1, error->override.zone,
                   zone_id_of(launch->node_class, error->override.zone), launch->capacity_type,
                   launch_failure_of(text_of(&text, error)).reason);
    text_free(&text);
}

const struct offering *fleet_reserved_offering(const struct launch_candidates *candidates,
                                               const char *instance_type, const char *zone)
{
    for (uint32_t i = 0; i < candidates->count; i++) {
        if (!text_equal(candidates->items[i]->name, instance_type))
            continue;
        list_for_each (offering, &candidates->items[i]->offerings)
            if (text_equal(offering_capacity_type(offering), CAPACITY_TYPE_RESERVED) &&
                text_equal(requirement_single_value(&offering->requirements, LABEL_ZONE), zone))
                return offering;
    }
    return NULL;
}

static void learn_reserved(const struct fleet_learning *learning, const struct fleet_launch *launch,
                           const struct fleet_error *error)
{
    const struct offering *offering = fleet_reserved_offering(
        launch->candidates, error->override.instance_type, error->override.zone);
    const char *id = offering != NULL
                         ? requirement_single_value(&offering->requirements, LABEL_RESERVATION_ID)
                         : NULL;
    if (id == NULL || strstr(error->message, SPREAD_LIMIT) != NULL)
        return;
    reservation_counts_exhausted(learning->reservations, id);
    log_debug("marking capacity reservation unavailable", "s:reason", error->code,
              "s:instance-type", error->override.instance_type, "s:zone", error->override.zone,
              "s:capacity-reservation-id", id);
}

// AWI-332, 333.
static void learn_pool(const struct fleet_learning *learning, const struct fleet_launch *launch,
                       const struct fleet_error *error, const char *fleet_id)
{
    struct unavailable_pool pool = {
        .instance_type = error->override.instance_type,
        .zone = error->override.zone,
        .capacity_type = launch->capacity_type,
        .group_id = launch->group != NULL ? launch->group->id : NULL,
    };
    if (pool.zone[0] == '\0')
        return;
    if (strstr(error->message, SPREAD_LIMIT) != NULL) {
        for (uint32_t i = 0; i < launch->candidates->count; i++) {
            pool.instance_type = launch->candidates->items[i]->name;
            unavailable_mark_pool(learning->unavailable, &pool, error->code, fleet_id);
        }
        return;
    }
    if (pool.group_id != NULL)
        pool.partition = launch->partition;
    if (pool.instance_type[0] != '\0')
        unavailable_mark_pool(learning->unavailable, &pool, error->code, fleet_id);
}

static bool learn_error(const struct fleet_learning *learning, const struct fleet_launch *launch,
                        const struct fleet_error *error, const char *fleet_id)
{
    count_failure(learning, launch, error);
    if (text_equal(error->code, NO_ADDRESSES_CODE) && error->override.subnet_id[0] != '\0') {
        unavailable_mark_subnet(learning->unavailable, error->override.subnet_id);
        subnet_addresses_exhausted(learning->addresses, error->override.subnet_id);
    }
    if (fault_is_spot_role(error->code)) {
        unavailable_mark_capacity_type(learning->unavailable, CAPACITY_TYPE_SPOT);
        return true;
    }
    if (!fault_is_capacity(error->code))
        return false;
    if (text_equal(launch->capacity_type, CAPACITY_TYPE_RESERVED))
        learn_reserved(learning, launch, error);
    else
        learn_pool(learning, launch, error, fleet_id);
    return false;
}

bool fleet_errors_learn(const struct fleet_learning *learning, const struct fleet_launch *launch,
                        const struct fleet_answer *answer)
{
    bool role_missing = false;
    for (uint32_t i = 0; i < answer->errors_count; i++)
        role_missing |= learn_error(learning, launch, &answer->errors[i], answer->fleet_id);
    return role_missing;
}

// --- the result without instance (AWI-340) -------------------------------------------------------

struct texts {
    VECTOR(char *) texts;
};

// Sorted, each once; frees them.
static void join_texts(struct texts *list, struct text *joined)
{
    uint32_t count = list->texts.count;
    char **items = list->texts.items;
    if (count > 1)
        qsort(items, count, sizeof *items, text_compare);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || strcmp(items[i], items[i - 1]) != 0)
            text_join(joined, "; ", items[i]);
    for (uint32_t i = 0; i < count; i++)
        free(items[i]);
    vector_free(&list->texts);
}

static void join_errors(const struct fleet_answer *answer, struct text *joined)
{
    struct texts list = {0};
    for (uint32_t i = 0; i < answer->errors_count; i++) {
        struct text text = {0};
        text_of(&text, &answer->errors[i]);
        vector_push(&list.texts, text_take(&text));
    }
    join_texts(&list, joined);
}

void fleet_quota_advice(const struct fleet_answer *answer, const char *capacity_type,
                        const char *region, struct text *out)
{
    struct texts list = {0};
    for (uint32_t i = 0; i < answer->errors_count; i++) {
        const struct fleet_error *error = &answer->errors[i];
        struct text text = {0};
        if (error->override.instance_type[0] != '\0' &&
            shortage_quota_advise(error->code, error->override.instance_type, capacity_type, region,
                                  &text))
            vector_push(&list.texts, text_take(&text));
    }
    join_texts(&list, out);
}

void fleet_failure(const struct fleet_answer *answer, struct error *error, const char **reason)
{
    struct text texts = {0};
    bool shortage = true;
    for (uint32_t i = 0; i < answer->errors_count; i++)
        shortage = shortage && (fault_is_capacity(answer->errors[i].code) ||
                                fault_is_spot_role(answer->errors[i].code));
    join_errors(answer, &texts);
    *reason = NULL;
    if (shortage) {
        error_set(error, ERROR_INSUFFICIENT_CAPACITY, "with fleet error(s), %s",
                  texts.length > 0 ? texts.data : "too few instances returned");
    } else {
        struct launch_failure failure = launch_failure_of(texts.data);
        *reason = failure.reason;
        error_set(error, ERROR_INTERNAL, "%s (with fleet error(s), %s)", failure.message,
                  texts.data);
    }
    text_repair(error->message);
    text_free(&texts);
}
