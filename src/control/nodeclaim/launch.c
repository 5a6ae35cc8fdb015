#include "control/nodeclaim/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/launch/launch_backoff.h"
#include "control/nodeclaim/claim_pass.h"
#include "control/state/cluster.h"
#include "control/state/disruption_counters.h"
#include "model/schema/condition_types.h"
#include "model/schema/encode.h"

#define MESSAGE_BYTES_MAX 300 // LIF-33
#define RETRY_FIRST_NS    SECOND
#define RETRY_MAX_NS      MINUTE

// LIF-33, LIF-469: cut between characters; failed() adds the number of attempts.
static const char *shorten(struct arena *arena, const char *message)
{
    size_t length = strlen(message);
    if (length <= MESSAGE_BYTES_MAX)
        return arena_copy_string(arena, message);
    length = MESSAGE_BYTES_MAX;
    while (length > 0 && ((unsigned char)message[length] & 0xc0) == 0x80)
        length--;
    return arena_format(arena, "%.*s...", (int)length, message);
}

// --- the cloud's answer --------------------------------------------------------------------------
static struct string_map copy_strings(struct arena *arena, const struct string_map *map)
{
    struct string_map copy = {arena_allocate_array(arena, map->count + 1, sizeof *copy.items),
                              map->count};
    for (uint32_t i = 0; i < map->count; i++)
        copy.items[i] = (struct string_pair){arena_copy_string(arena, map->items[i].key),
                                             arena_copy_string(arena, map->items[i].value)};
    return copy;
}

static struct resource_map copy_resources(struct arena *arena, const struct resource_map *map)
{
    struct resource_map copy = {arena_allocate_array(arena, map->count + 1, sizeof *copy.items),
                                map->count};
    for (uint32_t i = 0; i < map->count; i++)
        copy.items[i] = (struct resource_quantity){arena_copy_string(arena, map->items[i].name),
                                                   map->items[i].value};
    return copy;
}

static void record_failure(struct claim_record *record, const struct machine_result *result,
                           int64_t now_ns)
{
    record->launch_error = result->error;
    free(record->launch_reason);
    record->launch_reason = memory_copy_string(result->reason);
    int64_t delay = RETRY_FIRST_NS;
    for (uint32_t i = 0; i < record->launch_failures && delay < RETRY_MAX_NS; i++)
        delay = ns_multiply(2, delay);
    record->launch_failures++;
    record->retry_at_ns = ns_add(now_ns, delay < RETRY_MAX_NS ? delay : RETRY_MAX_NS); // LIF-35
}

void record_launch_result(struct claim_record *record, const struct machine_result *result,
                          int64_t now_ns)
{
    if (result->error.kind != ERROR_NONE) {
        record_failure(record, result, now_ns);
        return;
    }
    const struct machine *machine = result->machine;
    struct arena *arena = arena_create(4096);
    arena_destroy(record->machine_arena);
    record->machine_arena = arena;
    record->machine =
        (struct machine){.provider_id = arena_copy_string(arena, machine->provider_id),
                         .image_id = arena_copy_string(arena, machine->image_id),
                         .node_name = arena_copy_string(arena, machine->node_name),
                         .labels = copy_strings(arena, &machine->labels),
                         .annotations = copy_strings(arena, &machine->annotations),
                         .capacity = copy_resources(arena, &machine->capacity),
                         .allocatable = copy_resources(arena, &machine->allocatable),
                         .created = machine->created};
    record->launch_error.kind = ERROR_NONE;
}

// --- the pass ------------------------------------------------------------------------------------
// LIF-30: the NodeClaim's own labels win, the cloud's annotations win. Only missing ones are
// written.
static void merge_metadata(struct claim_pass *pass, const struct machine *machine)
{
    list_for_each (label, &machine->labels) {
        if (string_map_get(&pass->claim->meta.labels, label->key) != NULL)
            continue;
        if (pass->labels == NULL)
            pass->labels = json_object();
        json_object_set_new(pass->labels, label->key, json_string(label->value));
    }
    list_for_each (annotation, &machine->annotations) {
        const char *own = string_map_get(&pass->claim->meta.annotations, annotation->key);
        if (text_equal(own, annotation->value))
            continue;
        if (pass->annotations == NULL)
            pass->annotations = json_object();
        json_object_set_new(pass->annotations, annotation->key, json_string(annotation->value));
    }
}

static void launched(struct claim_pass *pass)
{
    const struct machine *machine = &pass->record->machine;
    merge_metadata(pass, machine);
    pass->status = json_object();
    json_object_set_new(pass->status, "providerID", json_string(machine->provider_id));
    if (machine->image_id != NULL)
        json_object_set_new(pass->status, "imageID", json_string(machine->image_id));
    json_object_set_new(pass->status, "capacity", resource_map_encode(&machine->capacity));
    json_object_set_new(pass->status, "allocatable", resource_map_encode(&machine->allocatable));
    conditions_set_true(&pass->conditions, CONDITION_LAUNCHED);
    pass->record->reports_launched = true;
}

static void give_up(struct claim_pass *pass, const struct error *failure)
{
    const struct object *claim = (const struct object *)pass->claim;
    bool capacity = failure->kind == ERROR_INSUFFICIENT_CAPACITY;
    if (pass->record->delete_reason == NULL) { // once, not on every attempt to delete
        struct text message = {0};
        text_format(&message, "%s%s",
                    capacity ? "insufficient capacity, " : "NodeClassRef not ready, ",
                    failure->message);
        log_error("failed launching nodeclaim", "s:controller", "nodeclaim.lifecycle",
                  "o:NodeClaim", pass->claim->meta.name, "s:error", message.data);
        publish(&pass->control->manager, claim,
                capacity ? EVENT_INSUFFICIENT_CAPACITY_ERROR : EVENT_NODE_CLASS_NOT_READY,
                "NodeClaim %s event: %s", pass->claim->meta.name,
                shorten(pass->arena, message.data));
        text_free(&message);
        if (capacity)
            launch_backoff_no_capacity(pass->parts->launch_backoff, pass->claim, failure->message,
                                       pass->record->launch_reason);
        else
            launch_backoff_failed(pass->parts->launch_backoff, pass->claim, "nodeclass_not_ready");
    }
    pass->delete_reason = capacity ? "insufficient_capacity" : "nodeclass_not_ready";
}

static void failed(struct claim_pass *pass)
{
    const struct claim_record *record = pass->record;
    const struct error *failure = &record->launch_error;
    if (failure->kind == ERROR_INSUFFICIENT_CAPACITY ||
        failure->kind == ERROR_NODE_CLASS_NOT_READY) {
        give_up(pass, failure);
        return;
    }
    const char *message = shorten(pass->arena, failure->message);
    if (record->launch_failures > 1 && pass->control->strategy->counts_launch_attempts)
        message = arena_format(pass->arena, "%s (attempt %u)", message, record->launch_failures);
    conditions_set_named(&pass->conditions, CONDITION_LAUNCHED, "Unknown",
                         record->launch_reason != NULL
                             ? record->launch_reason
                             : condition_reason_name(CONDITION_REASON_LAUNCH_FAILED),
                         message);
    int64_t now_ns = loop_monotonic_ns(pass->control->manager.loop);
    if (now_ns >= record->retry_at_ns)
        pass->create = true;
    else
        pass_requeue(pass, ns_subtract(record->retry_at_ns, now_ns));
}

static void create(struct claim_pass *pass)
{
    count_disrupted_begin(pass->control, pass->claim, "launch_timeout");
    count_disrupted_begin(pass->control, pass->claim, "insufficient_capacity");
    pass->create = true;
}

void claim_launch(struct claim_pass *pass)
{
    struct claim_record *record = pass->record;
    if (!conditions_are(&pass->conditions, CONDITION_LAUNCHED, "Unknown")) {
        arena_destroy(record->machine_arena); // the NodeClaim has it now
        record->machine_arena = NULL;
        record->launch_error.kind = ERROR_NONE;
        if (conditions_are(&pass->conditions, CONDITION_LAUNCHED, "True"))
            conditions_set_true(&pass->conditions, CONDITION_LAUNCHED); // LIF-16
        return;
    }
    if (record->machine_arena != NULL)
        launched(pass);
    else if (record->launch_error.kind != ERROR_NONE)
        failed(pass);
    else
        create(pass);
}
