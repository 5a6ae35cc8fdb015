#include "cloud/aws/nodeclass/resolve_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#define PAGE_SIZE     1000
#define EXPIRING_TIME (40 * MINUTE)

static const char *member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// --- capacity reservations -----------------------------------------------------------------------
static void note_counts(void *context, const json_t *reply, int64_t asked_at)
{
    size_t index;
    json_t *entry;
    json_array_foreach (json_object_get(reply, "CapacityReservations"), index, entry)
        if (member(entry, "CapacityReservationId") != NULL)
            reservation_counts_fetched(
                context, member(entry, "CapacityReservationId"),
                json_integer_value(json_object_get(entry, "AvailableInstanceCount")), asked_at);
}

// Adds the reservations of a query to `found`, by id. False: pending or failed.
static bool query(struct class_pass *pass, json_t *parameters, bool pages, json_t *found)
{
    char *dump CLEANUP_FREE = json_dumps(parameters, JSON_SORT_KEYS | JSON_COMPACT);
    const char *key = arena_format(pass->arena, "reservations/%s", dump);
    const struct answer *answer =
        pass_ask(pass, &(struct question){.key = key,
                                          .action = EC2_DESCRIBE_CAPACITY_RESERVATIONS,
                                          .parameters = parameters,
                                          .all_pages = pages,
                                          .lifetime_ns = MINUTE,
                                          .absent_lifetime_ns = MINUTE,
                                          .fetched = note_counts,
                                          .context = pass->controllers->environment.reservations});
    if (answer == NULL || answer->state == ANSWER_FAILED) {
        if (answer != NULL)
            pass_fail(pass, CONDITION_CAPACITY_RESERVATIONS_READY, answer);
        return false;
    }
    size_t index;
    json_t *entry;
    json_array_foreach (json_object_get(answer->value, "CapacityReservations"), index, entry)
        if (member(entry, "CapacityReservationId") != NULL)
            json_object_set(found, member(entry, "CapacityReservationId"), entry);
    return true;
}

static json_t *active(void)
{
    return json_pack("[o]", filter_of("state", json_pack("[s]", "active")));
}

static bool query_term(struct class_pass *pass, const struct ec2_selector_term *term, json_t *found)
{
    bool complete = true;
    if (term->id != NULL)
        complete = query(
            pass,
            json_pack("{s:o, s:[s]}", "Filters", active(), "CapacityReservationIds", term->id),
            false, found);
    if (term->tags.count == 0 && term->instance_match_criteria == NULL)
        return complete;
    json_t *filters = active();
    if (term->owner_id != NULL)
        json_array_append_new(filters, filter_of("owner-id", json_pack("[s]", term->owner_id)));
    json_t *tags = tag_filters(&term->tags);
    json_array_extend(filters, tags);
    json_decref(tags);
    if (term->instance_match_criteria != NULL)
        json_array_append_new(filters, filter_of("instance-match-criteria",
                                                 json_pack("[s]", term->instance_match_criteria)));
    return query(pass, json_pack("{s:o, s:i}", "Filters", filters, "MaxResults", PAGE_SIZE), true,
                 found) &&
           complete;
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
    return text_equal(text, a) || text_equal(text, b);
}

// AWN-132, 133. NULL: not for the status.
static json_t *status_entry(struct class_pass *pass, const json_t *entry)
{
    const char *id = member(entry, "CapacityReservationId");
    const char *type = member(entry, "ReservationType");
    const char *criteria = member(entry, "InstanceMatchCriteria");
    int64_t now = manager_now(pass->controllers->manager), end = 0;
    const char *end_text = member(entry, "EndDate");
    if (end_text != NULL && instant_parse(end_text, &end, NULL) && end <= now)
        return NULL;
    if (text_is_empty(type))
        type = "default";
    if (!is_one_of(type, "default", "capacity-block") || !is_one_of(criteria, "open", "targeted")) {
        log_error("capacity reservation of an unknown kind", "s:id", id, "s:type", type,
                  "s:instance-match-criteria", text_or_empty(criteria));
        return NULL;
    }
    if (end != 0)
        class_pass_requeue(pass, ns_subtract(end, now));
    bool expiring =
        end != 0 && strcmp(type, "capacity-block") == 0 && ns_subtract(end, now) <= EXPIRING_TIME;
    bool interruptible = json_is_true(json_object_get(entry, "Interruptible"));
    json_t *out =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "id", id, "availabilityZone",
                  text_or_empty(member(entry, "AvailabilityZone")), "instanceMatchCriteria",
                  criteria, "instanceType", text_or_empty(member(entry, "InstanceType")), "ownerID",
                  text_or_empty(member(entry, "OwnerId")), "reservationType", type, "state",
                  expiring ? "expiring" : "active", "interruptible", (int)interruptible);
    if (end != 0) {
        char time[INSTANT_TEXT_MAX];
        instant_format(end, time);
        json_object_set_new(out, "endTime", json_string(time));
    }
    return out;
}

void resolve_capacity_reservations(struct class_pass *pass)
{
    json_t *found = json_object();
    bool complete = true;
    class_pass_requeue(pass, MINUTE);
    list_for_each (term, &pass->node_class->spec.capacity_reservation_selector_terms)
        complete = query_term(pass, term, found) && complete;
    if (complete) {
        size_t count = json_object_size(found), next = 0;
        const char **ids CLEANUP_FREE = memory_allocate_array(count + 1, sizeof *ids);
        const char *id;
        json_t *entry;
        json_object_foreach (found, id, entry)
            ids[next++] = id;
        qsort(ids, count, sizeof *ids, text_compare);
        pass->capacity_reservations = json_array();
        for (size_t i = 0; i < count; i++) {
            json_t *out = status_entry(pass, json_object_get(found, ids[i]));
            if (out != NULL)
                json_array_append_new(pass->capacity_reservations, out);
        }
        conditions_set_true(&pass->conditions, CONDITION_CAPACITY_RESERVATIONS_READY);
    }
    json_decref(found);
}

// --- placement group -----------------------------------------------------------------------------
// AWN-706: EC2 knows several codes for a group that does not exist.
static bool is_unknown_group(const struct aws_result *result)
{
    return text_starts_with(result->code, "InvalidPlacementGroup");
}

static void set_group(struct class_pass *pass, const char *key, const json_t *reply)
{
    struct placement_groups *groups = pass->controllers->environment.groups;
    const json_t *first = json_array_get(json_object_get(reply, "PlacementGroups"), 0);
    const char *id = member(first, "GroupId");
    if (id == NULL) {
        const struct ec2_placement_group_selector *selector =
            pass->node_class->spec.placement_group_selector;
        placement_groups_resolved(groups, key, NULL);
        conditions_set(
            &pass->conditions, CONDITION_PLACEMENT_GROUP_READY, "False",
            CONDITION_REASON_PLACEMENT_GROUP_NOT_FOUND,
            arena_format(pass->arena, "no available placement group \"%s\" exists in %s",
                         text_or_empty(selector->id != NULL ? selector->id : selector->name),
                         pass->controllers->environment.cluster->region));
        return;
    }
    struct placement_group group = {
        .id = id,
        .name = text_or_empty(member(first, "GroupName")),
        .strategy = text_or_empty(member(first, "Strategy")),
        .spread_level = member(first, "SpreadLevel"),
        .partitions = json_integer_value(json_object_get(first, "PartitionCount"))};
    placement_groups_resolved(groups, key, &group);
    conditions_set_true(&pass->conditions, CONDITION_PLACEMENT_GROUP_READY);
}

void resolve_placement_group(struct class_pass *pass)
{
    char key[300];
    const char *found = placement_group_key(pass->node_class, key);
    if (found == NULL) {
        conditions_set_true(&pass->conditions, CONDITION_PLACEMENT_GROUP_READY);
        return;
    }
    const struct ec2_placement_group_selector *selector =
        pass->node_class->spec.placement_group_selector;
    json_t *parameters =
        json_pack("{s:[o]}", "Filters", filter_of("state", json_pack("[s]", "available")));
    bool by_id = selector->id != NULL;
    json_object_set_new(parameters, by_id ? "GroupIds" : "GroupNames",
                        json_pack("[s]", text_or_empty(by_id ? selector->id : selector->name)));
    bool upstream = pass->settings->compatibility_upstream;
    const char *question_key = arena_format(pass->arena, "placement-group/%s", found);
    const struct answer *answer =
        pass_ask(pass, &(struct question){.key = question_key,
                                          .action = EC2_DESCRIBE_PLACEMENT_GROUPS,
                                          .parameters = parameters,
                                          .lifetime_ns = MINUTE,
                                          .absent_lifetime_ns = upstream ? 0 : MINUTE,
                                          .is_absent = is_unknown_group});
    if (answer == NULL)
        return;
    if (answer->state == ANSWER_READY) {
        set_group(pass, found, answer->value);
        return;
    }
    pass_note_error(pass, &answer->error);
    conditions_set(&pass->conditions, CONDITION_PLACEMENT_GROUP_READY, "False",
                   CONDITION_REASON_PLACEMENT_GROUP_RESOLUTION_FAILED, pass_refusal(pass, answer));
}
