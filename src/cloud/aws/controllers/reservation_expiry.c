#include "cloud/aws/controllers/reservation_expiry.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "cloud/aws/controllers/aws_operations.h"
#include "cloud/aws/controllers/periodic.h"

#define CONTROLLER        "capacityreservation.expiration"
#define INTERVAL_NS       MINUTE
#define EXPIRING_NS       (40 * MINUTE) // AWN-133
#define IDS_OF_CALL       100
#define DELETIONS_MAX     10 // at a time
#define LABEL_RESERVATION EC2_NODE_CLASS_GROUP "/capacity-reservation-id"

struct reservation_expiry {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct periodic *periodic;
    struct map *expiring; // ids of reservations
    struct map *deleted;  // names of NodeClaims, in this pass
    bool one_by_one;      // EC2 refuses a list with an unknown id
};

static bool begin(void *context, struct operation_about *about);
static bool go_on(void *context, struct operation_about *about);

struct reservation_expiry *reservation_expiry_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    struct reservation_expiry *expiry = memory_allocate(sizeof *expiry);
    expiry->manager = manager;
    expiry->environment = environment;
    expiry->expiring = map_create();
    expiry->deleted = map_create();
    expiry->one_by_one = manager->settings->compatibility_upstream;
    expiry->periodic =
        periodic_create(manager, &(struct periodic_options){.name = CONTROLLER,
                                                            .interval_ns = INTERVAL_NS,
                                                            .begin = begin,
                                                            .go_on = go_on,
                                                            .context = expiry});
    return expiry;
}

void reservation_expiry_destroy(struct reservation_expiry *expiry)
{
    if (expiry == NULL)
        return;
    periodic_destroy(expiry->periodic);
    map_destroy(expiry->expiring, NULL);
    map_destroy(expiry->deleted, NULL);
    free(expiry);
}

static void note_reservation(struct reservation_expiry *expiry, const json_t *reservation)
{
    const char *id = json_string_value(json_object_get(reservation, "CapacityReservationId"));
    const char *type = json_string_value(json_object_get(reservation, "ReservationType"));
    const char *end = json_string_value(json_object_get(reservation, "EndDate"));
    int64_t ends, now = manager_now(expiry->manager);
    if (id == NULL || !text_equal(type, "capacity-block") || end == NULL)
        return;
    if (!instant_parse(end, &ends, NULL)) {
        log_error("a capacity reservation cannot be read", "s:controller", CONTROLLER,
                  "s:capacity-reservation-id", id);
        return;
    }
    if (ns_subtract(ends, now) <= EXPIRING_NS)
        map_set(expiry->expiring, id, expiry);
}

static enum operation_outcome note_reservations(void *context, const struct aws_result *result)
{
    struct reservation_expiry *expiry = context;
    const json_t *reservation;
    size_t index;
    if (result->fault == AWS_FAULT_NOT_FOUND) { // AWN-131
        if (expiry->one_by_one)
            return OPERATION_NOTED;
        expiry->one_by_one = true;
        return OPERATION_RETRY;
    }
    if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    json_array_foreach (json_object_get(result->reply, "CapacityReservations"), index, reservation)
        note_reservation(expiry, reservation);
    return OPERATION_NOTED;
}

static void ask(struct reservation_expiry *expiry, const struct operation_about *about, json_t *ids)
{
    struct aws_request request = {.action = EC2_DESCRIBE_CAPACITY_RESERVATIONS,
                                  .parameters = json_pack("{s:[{s:s, s:[s]}], s:o}", "Filters",
                                                          "Name", "state", "Values", "active",
                                                          "CapacityReservationIds", ids),
                                  .all_pages = true};
    start_aws_call(about, expiry->environment->client, &request, note_reservations, expiry);
}

// AWI-945: each reservation once, in few calls.
static bool begin(void *context, struct operation_about *about)
{
    struct reservation_expiry *expiry = context;
    struct map *ids = map_create();
    struct mirror_iterator iterator = {0};
    map_destroy(expiry->expiring, NULL);
    expiry->expiring = map_create();
    map_destroy(expiry->deleted, NULL);
    expiry->deleted = map_create();
    for (const struct object *claim;
         (claim = mirror_next(expiry->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const char *id = object_label(claim, LABEL_RESERVATION);
        if (!text_is_empty(id))
            map_set(ids, id, expiry);
    }
    about->doing = "getting capacity reservations";
    uint32_t most = expiry->one_by_one ? 1 : IDS_OF_CALL;
    bool any = map_count(ids) > 0;
    for (struct map_entry *at = map_first(ids); at != NULL;) {
        json_t *part = json_array();
        for (; at != NULL && json_array_size(part) < most; at = map_next(at))
            json_array_append_new(part, json_string(map_key(at)));
        ask(expiry, about, part);
    }
    map_destroy(ids, NULL);
    return any;
}

static bool go_on(void *context, struct operation_about *about)
{
    struct reservation_expiry *expiry = context;
    struct mirror_iterator iterator = {0};
    uint32_t started = 0;
    about->doing = "deleting nodeclaim of a capacity block";
    expiry->one_by_one = expiry->manager->settings->compatibility_upstream;
    for (const struct object *claim;
         started < DELETIONS_MAX &&
         (claim = mirror_next(expiry->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const char *id = object_label(claim, LABEL_RESERVATION);
        if (text_is_empty(id) || map_get(expiry->expiring, id) == NULL ||
            object_is_deleting(claim) || map_set(expiry->deleted, claim->meta.name, expiry) != NULL)
            continue;
        log_info("initiating delete for capacity block expiration", "s:controller", CONTROLLER,
                 "o:NodeClaim", claim->meta.name, "s:capacity-reservation-id", id);
        start_delete(about, claim, -1);
        started++;
    }
    return started > 0;
}
