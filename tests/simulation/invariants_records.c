// What the observer remembers of NodeClaims, Nodes, pods and NodePools (invariants_internal.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/invariants_internal.h"

#define POD_KEPT_NS (30 * SECOND)

// --- NodeClaims ------------------------------------------------------------------------------

struct claim_record *claim_record(struct invariants *invariants, const char *uid)
{
    struct claim_record *record = map_get(invariants->claims, uid);
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        record->seen_ns = now_ns(invariants);
        map_set(invariants->claims, uid, record);
    }
    return record;
}

void free_claim_record(void *value)
{
    struct claim_record *record = value;
    free(record->provider_id);
    free(record->command);
    free(record);
}

void note_claim_event(struct invariants *invariants, const char *type, json_t *claim)
{
    struct claim_record *record = claim_record(invariants, store_uid(claim));
    if (record->deleting_ns == 0 && (is_deleting(claim) || strcmp(type, "DELETED") == 0))
        record->deleting_ns = now_ns(invariants);
    if (record->command == NULL)
        join_replacement(invariants, claim);
}

// --- Nodes -----------------------------------------------------------------------------------

// A replacement may hand its mark down to its Node (LIF-42): only the taint makes a candidate.
static void note_mark(struct invariants *invariants, struct node_record *record, json_t *node)
{
    struct command_record *command = is_tainted(node) ? command_of(invariants, node) : NULL;
    const char *id = command != NULL ? command->id : "";
    if (strcmp(record->command, id) == 0)
        return;
    if (record->command[0] != '\0' && id[0] != '\0')
        violate(invariants, "Node %s is in command %s and in command %s (DIS-310)",
                store_name(node), record->command, id);
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
    record->tainted = is_tainted(node);
    record->deleting = is_deleting(node);
    note_mark(invariants, record, node);
}

// --- pods ------------------------------------------------------------------------------------

void free_pod_record(void *value)
{
    struct pod_record *record = value;
    free(record->name);
    free(record->namespace);
    free(record->node);
    free(record->app);
    free(record->protection);
    free(record->moved_by);
    free(record);
}

static struct pod_record *pod_record(struct invariants *invariants, const json_t *pod)
{
    struct pod_record *record = map_get(invariants->pods, store_uid(pod));
    if (record != NULL)
        return record;
    const char *app = label_of(pod, "app");
    record = memory_allocate(sizeof *record);
    record->name = memory_copy_string(store_name(pod));
    record->namespace = memory_copy_string(store_namespace(pod));
    record->app = app != NULL ? memory_copy_string(app) : NULL;
    record->of_daemon_set = is_owned_by(pod, "DaemonSet");
    note_new_pod(invariants, record, pod);
    map_set(invariants->pods, store_uid(pod), record);
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

static void count_healthy(struct invariants *invariants, const char *app, int64_t more)
{
    struct app_record *record = map_get(invariants->apps, app);
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        map_set(invariants->apps, app, record);
    }
    record->healthy += more;
}

void note_pod_event(struct invariants *invariants, const char *type, json_t *pod)
{
    struct pod_record *record = pod_record(invariants, pod);
    const char *node = text_at(pod, "spec.nodeName");
    note_protection(invariants, record, pod);
    if (record->node == NULL && node != NULL) {
        record->node = memory_copy_string(node);
        record->protected_ns = now_ns(invariants); // on this node
    }
    bool leaving = is_deleting(pod) || has_ended(pod) || strcmp(type, "DELETED") == 0;
    bool ready = !leaving && condition_is(pod, "Ready", "True");
    if (ready || record->ready)
        record->ready_ns = now_ns(invariants);
    if (record->app != NULL && ready != record->ready)
        count_healthy(invariants, record->app, ready ? 1 : -1);
    record->ready = ready;
    if (leaving && !record->leaving)
        record->leaving_ns = now_ns(invariants);
    record->leaving = leaving;
}

void forget_old_pods(struct invariants *invariants)
{
    VECTOR(const char *) old = {0};
    for (struct map_entry *e = map_first(invariants->pods); e != NULL; e = map_next(e)) {
        const struct pod_record *record = map_value(e);
        if (record->leaving && now_ns(invariants) - record->leaving_ns > POD_KEPT_NS)
            vector_push(&old, map_key(e));
    }
    vector_for_each (uid, &old)
        free_pod_record(map_remove(invariants->pods, *uid));
    vector_free(&old);
}

// --- NodePools -------------------------------------------------------------------------------

// DIS-125: initialized, and their instances not on the way out.
static bool note_claim(void *context, json_t *claim)
{
    struct invariants *invariants = context;
    const char *pool = label_of(claim, LABEL_NODE_POOL);
    struct pool_record *record = pool != NULL ? map_get(invariants->pools, pool) : NULL;
    if (record != NULL && condition_is(claim, "Initialized", "True") &&
        !condition_is(claim, "InstanceTerminating", "True"))
        record->nodes_now++;
    return true;
}

static bool note_pool(void *context, json_t *pool)
{
    struct invariants *invariants = context;
    struct pool_record *record = map_get(invariants->pools, store_name(pool));
    int64_t generation = json_integer_value(store_path(pool, "metadata.generation"));
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        map_set(invariants->pools, store_name(pool), record);
    }
    if (record->generation != generation || strcmp(record->uid, store_uid(pool)) != 0)
        record->changed_ns = invariants->meddled_ns = now_ns(invariants);
    record->generation = generation;
    snprintf(record->uid, sizeof record->uid, "%s", store_uid(pool));
    record->nodes_now = 0;
    return true;
}

void count_nodes(struct invariants *invariants)
{
    store_each(invariants->store, resource(invariants, "karpenter.sh/v1", "NodePool"), NULL,
               note_pool, invariants);
    store_each(invariants->store, claims_of(invariants), NULL, note_claim, invariants);
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
