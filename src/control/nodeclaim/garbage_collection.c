#include "control/nodeclaim/garbage_collection.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/command/interruptions.h"
#include "control/runtime/control.h"
#include "control/runtime/machine_operations.h"
#include "control/state/cluster.h"
#include "control/state/disruption_counters.h"
#include "model/schema/condition_types.h"

#define CLAIMS_KEY          "nodeclaims"
#define INSTANCES_KEY       "instances"
#define PERIOD_NS           (2 * MINUTE)
#define INSTANCES_EARLY_NS  (10 * SECOND)
#define INSTANCES_EARLY     20
#define INSTANCE_AGE_MIN_NS (30 * SECOND)
#define PARALLEL_CLAIMS     20
#define PARALLEL_INSTANCES  100

struct listing { // the provider's answer, until it is processed
    bool fresh;
    struct map *machines; // provider ID -> struct seen
};
struct seen {
    int64_t created;
    char *claim_uid;
};

struct owners {                      // of instances
    struct map *provider_ids, *uids; // of NodeClaims, unreadable ones, too
    bool known;                      // false: a NodeClaim without a readable UID may own any
};

struct ended { // an instance whose end was asked for
    struct garbage_collection *collection;
    bool has_ended;
};

struct garbage_collection {
    struct control *control;
    struct interruptions *interruptions;
    struct reconcile_queue *claims_queue, *instances_queue;
    struct listing claims, instances;
    struct owners listed; // of the NodeClaims listed from the API server after `instances`
    bool is_listed;
    struct map *ended; // provider ID -> struct ended, until its Nodes are deleted
    uint32_t instance_passes;
};

static void owners_clear(struct owners *owners);
static struct reconcile_result reconcile_claims(void *context, struct work_item *item,
                                                struct error *error);
static struct reconcile_result reconcile_instances(void *context, struct work_item *item,
                                                   struct error *error);

struct garbage_collection *garbage_collection_create(struct control *control,
                                                     struct interruptions *interruptions)
{
    struct garbage_collection *collection = memory_allocate(sizeof *collection);
    collection->control = control;
    collection->interruptions = interruptions;
    collection->ended = map_create();
    collection->claims_queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "nodeclaim.garbagecollection",
                                                             .reconcile = reconcile_claims,
                                                             .context = collection});
    collection->instances_queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "instance.garbagecollection",
                                                             .reconcile = reconcile_instances,
                                                             .context = collection});
    reconcile_queue_add(collection->claims_queue, CLAIMS_KEY);
    reconcile_queue_add(collection->instances_queue, INSTANCES_KEY);
    return collection;
}

static void seen_destroy(void *value)
{
    free(((struct seen *)value)->claim_uid);
    free(value);
}

static void listing_clear(struct listing *listing)
{
    map_destroy(listing->machines, seen_destroy);
    *listing = (struct listing){0};
}

void garbage_collection_destroy(struct garbage_collection *collection)
{
    if (collection == NULL)
        return;
    if (collection->claims.machines != NULL)
        listing_clear(&collection->claims);
    if (collection->instances.machines != NULL)
        listing_clear(&collection->instances);
    owners_clear(&collection->listed);
    map_destroy(collection->ended, free);
    free(collection);
}

static enum operation_outcome note_list(void *context, const char *key,
                                        const struct machine_list_result *result)
{
    struct garbage_collection *collection = context;
    struct listing *listing =
        text_equal(key, CLAIMS_KEY) ? &collection->claims : &collection->instances;
    if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    if (listing->machines != NULL)
        listing_clear(listing);
    *listing = (struct listing){.fresh = true, .machines = map_create()};
    for (uint32_t i = 0; i < result->count; i++) {
        const struct machine *machine = &result->items[i];
        if (machine->terminating || machine->provider_id == NULL)
            continue;
        struct seen *seen = memory_allocate(sizeof *seen);
        *seen = (struct seen){machine->created, memory_copy_string(machine->node_claim_uid)};
        struct seen *before = map_set(listing->machines, machine->provider_id, seen);
        if (before != NULL)
            seen_destroy(before);
    }
    return OPERATION_NOTED;
}

static struct reconcile_result list_machines(struct garbage_collection *collection,
                                             struct work_item *item, const char *controller)
{
    if (!mirror_synced(collection->control->manager.mirror))
        return reconcile_after(SECOND);
    return start_machine_list(collection->control,
                              &(struct operation_about){.manager = &collection->control->manager,
                                                        .item = item,
                                                        .doing = controller,
                                                        .context = collection},
                              note_list);
}

// --- NodeClaims without instance -----------------------------------------------------------------
static bool claim_is_orphan(const struct garbage_collection *collection,
                            const struct node_claim *claim)
{
    const struct control *control = collection->control;
    if (!managed_claim(control, claim) || object_is_deleting((const struct object *)claim) ||
        !condition_is_true(&claim->status.conditions, CONDITION_REGISTERED) ||
        claim->status.provider_id == NULL ||
        map_get(collection->claims.machines, claim->status.provider_id) != NULL ||
        node_is_unreadable(control, claim))
        return false;
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    return node == NULL || !condition_is_true(&node->status.conditions, CONDITION_READY);
}

static enum operation_outcome note_claim_deleted(void *context, const char *key,
                                                 const struct kube_result *result)
{
    struct garbage_collection *collection = context;
    struct control *control = collection->control;
    (void)key;
    // A retry lists the machines anew.
    if (result->error.kind != ERROR_NONE)
        collection->claims.fresh = false;
    if (result->error.kind != ERROR_NONE || result->object == NULL ||
        result->object->kind->id != KIND_NODE_CLAIM)
        return OPERATION_PASS;
    const struct node_claim *claim = (const struct node_claim *)result->object;
    log_debug("garbage collecting nodeclaim with no cloudprovider representation", "s:controller",
              "nodeclaim.garbagecollection", "o:NodeClaim", claim->meta.name, "s:provider-id",
              claim->status.provider_id);
    count_disrupted_node(control, claim, "garbage_collected");
    interruptions_note(collection->interruptions, claim);
    return OPERATION_PASS;
}

static struct reconcile_result reconcile_claims(void *context, struct work_item *item,
                                                struct error *error)
{
    struct garbage_collection *collection = context;
    struct control *control = collection->control;
    (void)error;
    if (!collection->claims.fresh)
        return list_machines(collection, item, "nodeclaim.garbagecollection");
    uint32_t started = 0;
    struct mirror_iterator iterator = {0};
    VECTOR(const struct object *) orphans = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (orphans.count < PARALLEL_CLAIMS &&
            claim_is_orphan(collection, (const struct node_claim *)object))
            vector_push(&orphans, object);
    struct operation_about about = {.manager = &control->manager,
                                    .item = item,
                                    .doing = "deleting nodeclaim",
                                    .record = note_claim_deleted,
                                    .context = collection};
    for (uint32_t i = 0; i < orphans.count; i++, started++)
        start_delete(&about, orphans.items[i], -1);
    vector_free(&orphans);
    if (started > 0)
        return reconcile_running(); // and continues with the same list
    collection->claims.fresh = false;
    return reconcile_after(PERIOD_NS);
}

// --- instances without NodeClaim -----------------------------------------------------------------
// By the mirror.
static struct owners owners_read(const struct control *control)
{
    struct owners owners = {map_create(), map_create(), true};
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (claim->status.provider_id != NULL)
            map_set(owners.provider_ids, claim->status.provider_id, (void *)object);
        if (claim->meta.uid != NULL)
            map_set(owners.uids, claim->meta.uid, (void *)object);
    }
    iterator = (struct mirror_iterator){0};
    uint32_t known = 0;
    for (const struct object *object;
         (object = mirror_next_salvaged(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) !=
         NULL;)
        if (object->meta.uid != NULL) {
            const char *machine = ((const struct node_claim *)object)->status.provider_id;
            if (machine != NULL)
                map_set(owners.provider_ids, machine, (void *)object);
            map_set(owners.uids, object->meta.uid, (void *)object);
            known++;
        }
    owners.known = known == mirror_invalid_count(control->manager.mirror, KIND_NODE_CLAIM);
    return owners;
}

static void owners_clear(struct owners *owners)
{
    if (owners->provider_ids != NULL)
        map_destroy(owners->provider_ids, NULL);
    if (owners->uids != NULL)
        map_destroy(owners->uids, NULL);
    *owners = (struct owners){0};
}

static void note_owners(void *context, const json_t *page, bool first)
{
    struct garbage_collection *collection = context;
    struct owners *owners = &collection->listed;
    size_t index;
    const json_t *claim;
    if (first) {
        owners_clear(owners);
        *owners = (struct owners){map_create(), map_create()};
    }
    json_array_foreach (json_object_get(page, "items"), index, claim) {
        const char *uid =
            json_string_value(json_object_get(json_object_get(claim, "metadata"), "uid"));
        const char *provider_id =
            json_string_value(json_object_get(json_object_get(claim, "status"), "providerID"));
        if (uid != NULL)
            map_set(owners->uids, uid, collection);
        if (provider_id != NULL)
            map_set(owners->provider_ids, provider_id, collection);
    }
}

static enum operation_outcome note_listed(void *context, const char *key,
                                          const struct kube_result *result)
{
    struct garbage_collection *collection = context;
    (void)key;
    collection->is_listed = result->error.kind == ERROR_NONE && collection->listed.uids != NULL;
    return OPERATION_PASS;
}

// An instance whose NodeClaim exists is being launched: its provider ID is not written yet.
static bool instance_is_orphan(const struct owners *owners, const char *provider_id,
                               const struct seen *seen, int64_t now)
{
    return ns_subtract(now, seen->created) > INSTANCE_AGE_MIN_NS &&
           map_get(owners->provider_ids, provider_id) == NULL &&
           (seen->claim_uid == NULL || map_get(owners->uids, seen->claim_uid) == NULL);
}

static bool any_orphan(const struct garbage_collection *collection, const struct owners *owners)
{
    for (struct map_entry *entry = map_first(collection->instances.machines); entry != NULL;
         entry = map_next(entry))
        if (instance_is_orphan(owners, map_key(entry), map_value(entry),
                               manager_now(&collection->control->manager)))
            return true;
    return false;
}

static enum operation_outcome note_instance_deleted(void *context, const char *key,
                                                    const struct machine_result *result)
{
    struct ended *ended = context;
    (void)key;
    ended->has_ended = result->error.kind == ERROR_NONE;
    if (ended->has_ended)
        log_debug("garbage collected cloudprovider instance", "s:controller",
                  "instance.garbagecollection");
    else if (result->error.kind != ERROR_NOT_FOUND)
        ended->collection->instances.fresh = false; // the pass has failed: a retry lists anew
    return result->error.kind == ERROR_NOT_FOUND ? OPERATION_NOTED : OPERATION_PASS;
}

static void collect(struct garbage_collection *collection, struct work_item *item,
                    const char *provider_id)
{
    struct ended *ended = map_ensure(collection->ended, provider_id, sizeof *ended);
    ended->collection = collection;
    start_machine_delete(collection->control,
                         &(struct operation_about){.manager = &collection->control->manager,
                                                   .item = item,
                                                   .doing = "instance.garbagecollection",
                                                   .context = ended},
                         provider_id, note_instance_deleted);
}

// AWI-440: the Nodes of instances whose end has begun, and of no others. Returns their number.
static uint32_t delete_nodes(struct garbage_collection *collection, struct work_item *item)
{
    struct control *control = collection->control;
    struct operation_about about = {
        .manager = &control->manager, .item = item, .doing = "deleting node"};
    uint32_t started = 0;
    for (struct map_entry *entry = map_first(collection->ended), *next; entry != NULL;
         entry = next) {
        next = map_next(entry);
        const struct ended *ended = map_value(entry);
        const struct node_list *nodes = cluster_nodes_with(control->cluster, map_key(entry));
        for (uint32_t i = 0; i < nodes->count && ended->has_ended; i++) {
            const struct object *node = (const struct object *)nodes->items[i];
            if (object_is_deleting(node))
                continue;
            start_delete(&about, node, -1);
            started++;
            log_debug("garbage collected node", "s:controller", "instance.garbagecollection",
                      "o:Node", node->meta.name, "s:provider-id", map_key(entry));
        }
        free(map_remove(collection->ended, map_key(entry)));
    }
    return started;
}

static struct reconcile_result reconcile_instances(void *context, struct work_item *item,
                                                   struct error *error)
{
    struct garbage_collection *collection = context;
    struct control *control = collection->control;
    (void)error;
    if (delete_nodes(collection, item) > 0)
        return reconcile_running();
    if (!collection->instances.fresh) {
        collection->is_listed = false;
        return list_machines(collection, item, "instance.garbagecollection");
    }
    struct owners owners = owners_read(control);
    uint32_t started = 0;
    if (owners.known && !collection->is_listed && any_orphan(collection, &owners)) {
        owners_clear(&owners);
        return start_list(&(struct operation_about){.manager = &control->manager,
                                                    .item = item,
                                                    .doing = "instance.garbagecollection",
                                                    .record = note_listed,
                                                    .context = collection},
                          KIND_NODE_CLAIM, note_owners);
    }
    for (struct map_entry *entry = map_first(collection->instances.machines), *next;
         owners.known && collection->is_listed && entry != NULL && started < PARALLEL_INSTANCES;
         entry = next) {
        next = map_next(entry);
        int64_t now = manager_now(&control->manager);
        if (!instance_is_orphan(&owners, map_key(entry), map_value(entry), now) ||
            !instance_is_orphan(&collection->listed, map_key(entry), map_value(entry), now))
            continue;
        collect(collection, item, map_key(entry));
        seen_destroy(map_remove(collection->instances.machines, map_key(entry)));
        started++;
    }
    owners_clear(&owners);
    if (started > 0)
        return reconcile_running();
    collection->instances.fresh = collection->is_listed = false;
    owners_clear(&collection->listed);
    collection->instance_passes++;
    return reconcile_after(collection->instance_passes <= INSTANCES_EARLY ? INSTANCES_EARLY_NS
                                                                          : PERIOD_NS);
}
