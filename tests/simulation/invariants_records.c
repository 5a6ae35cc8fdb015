// The observer's memory of NodeClaims, Nodes, pods and NodePools (invariants_internal.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/invariants_internal.h"

#define POD_KEPT_NS (30 * SECOND)

// --- NodeClaims ----------------------------------------------------------------------------------

struct claim_record *claim_record(struct invariants *invariants, const char *uid)
{
    struct claim_record *record = map_get(invariants->claims, uid);
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        record->uid = memory_copy_string(uid);
        record->seen_ns = now_ns(invariants);
        map_set(invariants->claims, uid, record);
    }
    return record;
}

void free_claim_record(void *value)
{
    struct claim_record *record = value;
    free(record->name);
    free(record->uid);
    free(record->node);
    free(record->provider_id);
    free(record->command);
    free(record);
}

void free_pool_record(void *value)
{
    vector_free(&((struct pool_record *)value)->members);
    free(value);
}

static struct pool_record *pool_record(struct invariants *invariants, const char *name)
{
    return map_ensure(invariants->pools, name, sizeof(struct pool_record));
}

// DIS-125: initialized, and its instance not terminating.
static void count_claim(struct invariants *invariants, struct claim_record *record,
                        const json_t *claim)
{
    const char *pool = label_of(claim, LABEL_NODE_POOL);
    bool initialized = record->present && pool != NULL &&
                       condition_is(claim, "Initialized", "True") &&
                       !condition_is(claim, "InstanceTerminating", "True");
    if (initialized == record->initialized)
        return;
    record->initialized = initialized;
    pool_record(invariants, pool)->nodes_now += initialized ? 1 : -1;
}

// The members of the NodePool; the last one takes the place of one that leaves.
static void count_member(struct invariants *invariants, struct claim_record *record,
                         const json_t *claim, bool was_present)
{
    const char *name = label_of(claim, LABEL_NODE_POOL);
    if (record->present == was_present || name == NULL)
        return;
    struct pool_record *pool = pool_record(invariants, name);
    if (record->present) {
        record->member = pool->members.count;
        vector_push(&pool->members, record);
        return;
    }
    pool->members.items[record->member] = pool->members.items[--pool->members.count];
    pool->members.items[record->member]->member = record->member;
}

static void note_machine(char **name, const json_t *object)
{
    if (text_equal(*name, store_name(object)))
        return;
    free(*name);
    *name = memory_copy_string(store_name(object));
}

void note_claim_event(struct invariants *invariants, const char *type, json_t *claim)
{
    struct claim_record *record = claim_record(invariants, store_uid(claim));
    const char *provider_id = text_at(claim, "status.providerID");
    const char *node = text_at(claim, "status.nodeName");
    bool was_present = record->present;
    record->present = strcmp(type, "DELETED") != 0;
    record->named = condition_is(claim, "DisruptionReason", "True");
    count_member(invariants, record, claim, was_present);
    if (node != NULL && !text_equal(record->node, node)) {
        free(record->node);
        record->node = memory_copy_string(node);
    }
    if (record->name == NULL)
        record->name = memory_copy_string(store_name(claim));
    if (record->deleting_ns == 0 && (is_deleting(claim) || !record->present))
        record->deleting_ns = now_ns(invariants);
    if (provider_id != NULL && record->present)
        note_machine(&machine_record(invariants, provider_id)->claim, claim);
    if (record->present && record->named)
        map_set(invariants->accused, store_name(claim), record);
    else
        map_remove(invariants->accused, store_name(claim));
    count_claim(invariants, record, claim);
    if (record->command == NULL)
        join_replacement(invariants, claim);
}

// --- Nodes ---------------------------------------------------------------------------------------

// A replacement may pass its mark to its Node (LIF-42): only the taint makes a candidate.
static void note_mark(struct invariants *invariants, struct node_record *record, json_t *node)
{
    struct command_record *command = is_tainted(node) ? command_of(invariants, node) : NULL;
    const char *id = command != NULL ? command->id : "";
    if (strcmp(record->command, id) == 0)
        return;
    if (record->command[0] != '\0' && id[0] != '\0')
        violate(invariants, "Node %s is in command %s and in command %s (DIS-310)",
                store_name(node), record->command, id);
    // Earlier allowances of another reason's budgets do not cover new commands.
    if (command != NULL)
        check_begun_of_others(invariants, label_of(node, LABEL_NODE_POOL), command->reason);
    snprintf(record->command, sizeof record->command, "%s", id);
    if (command != NULL)
        join_candidate(invariants, command, node);
}

void note_node_event(struct invariants *invariants, const char *type, json_t *node)
{
    struct node_record *record = map_get(invariants->nodes, store_name(node));
    if (strcmp(type, "DELETED") == 0) {
        free(map_remove(invariants->nodes, store_name(node)));
        return;
    }
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        record->unready_ns = now_ns(invariants);
        map_set(invariants->nodes, store_name(node), record);
    }
    if (condition_is(node, "Ready", "True"))
        record->unready_ns = 0;
    else if (record->unready_ns == 0)
        record->unready_ns = now_ns(invariants);
    const char *provider_id = text_at(node, "spec.providerID");
    if (provider_id != NULL && !text_ends_with(store_name(node), "-again"))
        note_machine(&machine_record(invariants, provider_id)->node, node);
    record->marked = annotation_of(node, MARK) != NULL;
    record->tainted = is_tainted(node);
    record->deleting = is_deleting(node);
    note_mark(invariants, record, node);
}

// --- pods ----------------------------------------------------------------------------------------

void free_pod_record(void *value)
{
    struct pod_record *record = value;
    free(record->uid);
    free(record->name);
    free(record->namespace);
    free(record->node);
    free(record->app);
    free(record->protection);
    free(record->moved_by);
    free(record);
}

void free_app_record(void *value)
{
    vector_free(&((struct app_record *)value)->pods);
    free(value);
}

void free_occupants(void *value)
{
    vector_free(&((struct occupants *)value)->pods);
    free(value);
}

struct app_record *app_record(struct invariants *invariants, const char *app)
{
    return map_ensure(invariants->apps, app, sizeof(struct app_record));
}

const struct occupants *occupants_of(const struct invariants *invariants, const char *node_name)
{
    return map_get(invariants->occupants, node_name);
}

static void note_occupant(struct invariants *invariants, struct pod_record *record)
{
    struct occupants *occupants =
        map_ensure(invariants->occupants, record->node, sizeof *occupants);
    vector_push(&occupants->pods, record);
}

static void take_out(pod_records *pods, const struct pod_record *record)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pods->count; i++)
        if (pods->items[i] != record)
            pods->items[kept++] = pods->items[i];
    pods->count = kept;
}

json_t *pod_of(const struct invariants *invariants, const struct pod_record *record)
{
    json_t *pod = store_get(invariants->store, resource(invariants, "v1", "Pod"), record->namespace,
                            record->name);
    return pod != NULL && text_equal(store_uid(pod), record->uid) ? pod : NULL;
}

static struct pod_record *pod_record(struct invariants *invariants, const json_t *pod)
{
    struct pod_record *record = map_get(invariants->pods, store_uid(pod));
    if (record != NULL)
        return record;
    const char *app = label_of(pod, "app");
    record = memory_allocate(sizeof *record);
    record->uid = memory_copy_string(store_uid(pod));
    record->name = memory_copy_string(store_name(pod));
    record->namespace = memory_copy_string(store_namespace(pod));
    record->app = app != NULL ? memory_copy_string(app) : NULL;
    record->of_daemon_set = is_owned_by(pod, "DaemonSet");
    note_new_pod(invariants, record, pod);
    map_set(invariants->pods, record->uid, record);
    if (app != NULL)
        vector_push(&app_record(invariants, app)->pods, record);
    return record;
}

static void note_protection(struct invariants *invariants, struct pod_record *record,
                            const json_t *pod)
{
    const char *protection = annotation_of(pod, ANNOTATION_DO_NOT_DISRUPT);
    bool same = protection != NULL ? text_equal(record->protection, protection)
                                   : record->protection == NULL;
    if (same)
        return;
    free(record->protection);
    record->protection = protection != NULL ? memory_copy_string(protection) : NULL;
    record->protected_ns = now_ns(invariants);
}

void note_pod_event(struct invariants *invariants, const char *type, json_t *pod)
{
    struct pod_record *record = pod_record(invariants, pod);
    const char *node = text_at(pod, "spec.nodeName");
    note_protection(invariants, record, pod);
    if (record->node == NULL && node != NULL) {
        record->node = memory_copy_string(node);
        record->protected_ns = now_ns(invariants); // on this node
        note_occupant(invariants, record);
    }
    bool leaving = is_deleting(pod) || has_ended(pod) || strcmp(type, "DELETED") == 0;
    bool ready = !leaving && condition_is(pod, "Ready", "True");
    if (ready || record->ready)
        record->ready_ns = now_ns(invariants);
    if (record->app != NULL && ready != record->ready)
        app_record(invariants, record->app)->healthy += ready ? 1 : -1;
    record->ready = ready;
    if (leaving && !record->leaving) {
        record->leaving_ns = now_ns(invariants);
        vector_push(&invariants->leaving, record);
    }
    record->leaving = leaving;
}

static void forget(struct invariants *invariants, struct pod_record *record)
{
    if (record->app != NULL)
        take_out(&app_record(invariants, record->app)->pods, record);
    struct occupants *occupants =
        record->node != NULL ? map_get(invariants->occupants, record->node) : NULL;
    if (occupants != NULL)
        take_out(&occupants->pods, record);
    if (occupants != NULL && occupants->pods.count == 0)
        free_occupants(map_remove(invariants->occupants, record->node));
    map_remove(invariants->pods, record->uid);
    free_pod_record(record);
}

void forget_old_pods(struct invariants *invariants)
{
    pod_records *leaving = &invariants->leaving;
    while (invariants->leaving_first < leaving->count &&
           now_ns(invariants) - leaving->items[invariants->leaving_first]->leaving_ns > POD_KEPT_NS)
        forget(invariants, leaving->items[invariants->leaving_first++]);
    if (invariants->leaving_first == leaving->count)
        invariants->leaving_first = leaving->count = 0;
}

// --- NodePools -----------------------------------------------------------------------------------

static bool note_pool(void *context, json_t *pool)
{
    struct invariants *invariants = context;
    struct pool_record *record = pool_record(invariants, store_name(pool));
    int64_t generation = json_integer_value(store_path(pool, "metadata.generation"));
    if (record->generation != generation || strcmp(record->uid, store_uid(pool)) != 0)
        record->changed_ns = invariants->meddled_ns = now_ns(invariants);
    record->generation = generation;
    snprintf(record->uid, sizeof record->uid, "%s", store_uid(pool));
    return true;
}

void count_nodes(struct invariants *invariants)
{
    store_each(invariants->store, resource(invariants, "karpenter.sh/v1", "NodePool"), NULL,
               note_pool, invariants);
    for (struct map_entry *e = map_first(invariants->pools); e != NULL; e = map_next(e)) {
        struct pool_record *record = map_value(e);
        if (now_ns(invariants) - record->window_ns > 2 * STALE_NS) {
            record->nodes_before = record->nodes_most;
            record->nodes_most = 0;
            record->window_ns = now_ns(invariants);
        }
        if (record->nodes_now > record->nodes_most)
            record->nodes_most = record->nodes_now;
    }
}
