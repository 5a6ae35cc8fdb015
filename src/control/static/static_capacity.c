#include "control/static/static_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "control/command/commands.h"
#include "control/state/cluster.h"
#include "control/state/cluster_sync.h"
#include "control/state/state_node.h"
#include "model/reading/state_node_rules.h"

struct reservations { // of one pool
    VECTOR(char *) names;
};

struct static_capacity {
    struct control *control;
    const struct commands *commands;
    struct map *pools; // name -> struct reservations, none empty
};

struct static_capacity *static_capacity_create(struct control *control,
                                               const struct commands *commands)
{
    struct static_capacity *capacity = memory_allocate(sizeof *capacity);
    capacity->control = control;
    capacity->commands = commands;
    capacity->pools = map_create();
    return capacity;
}

static void reservations_destroy(void *value)
{
    struct reservations *reservations = value;
    for (uint32_t i = 0; i < reservations->names.count; i++)
        free(reservations->names.items[i]);
    vector_free(&reservations->names);
    free(reservations);
}

void static_capacity_destroy(struct static_capacity *capacity)
{
    if (capacity == NULL)
        return;
    map_destroy(capacity->pools, reservations_destroy);
    free(capacity);
}

bool static_capacity_is_known(const struct static_capacity *capacity)
{
    return cluster_synced(capacity->control->cluster) && commands_are_recovered(capacity->commands);
}

enum static_standing static_standing_of(const struct static_capacity *capacity,
                                        const struct node_claim *claim)
{
    const struct state_node *state =
        cluster_state(capacity->control->cluster, claim->status.provider_id);
    if (node_claim_is_ending(claim))
        return STATIC_DELETING;
    const struct node *node =
        state != NULL && state->nodes.count > 0 ? state_main_node(state) : NULL;
    bool leaving = node != NULL && commands_has(capacity->commands, node->meta.name);
    return leaving || (state != NULL && state->marked) ? STATIC_PENDING : STATIC_ACTIVE;
}

static void drop(struct static_capacity *capacity, const char *pool, uint32_t index)
{
    struct reservations *reservations = map_get(capacity->pools, pool);
    free(reservations->names.items[index]);
    reservations->names.items[index] = reservations->names.items[--reservations->names.count];
    if (reservations->names.count == 0)
        reservations_destroy(map_remove(capacity->pools, pool));
}

// A reservation whose NodeClaim exists counts as the NodeClaim.
static int64_t count_reserved(struct static_capacity *capacity, const char *pool)
{
    const struct reservations *reservations = map_get(capacity->pools, pool);
    for (uint32_t i = reservations != NULL ? reservations->names.count : 0; i-- > 0;)
        if (find_claim(capacity->control, reservations->names.items[i]) != NULL)
            drop(capacity, pool, i);
    reservations = map_get(capacity->pools, pool);
    return reservations != NULL ? reservations->names.count : 0;
}

struct static_counts static_counts_of(struct static_capacity *capacity, const char *pool)
{
    struct control *control = capacity->control;
    struct static_counts counts = {0};
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        if (!text_equal(object_label(object, LABEL_NODE_POOL), pool))
            continue;
        enum static_standing standing =
            static_standing_of(capacity, (const struct node_claim *)object);
        counts.active += standing == STATIC_ACTIVE;
        counts.deleting += standing == STATIC_DELETING;
        counts.pending += standing == STATIC_PENDING;
    }
    iterator = (struct mirror_iterator){0};
    for (const struct object *object;
         (object = mirror_next_salvaged(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) !=
         NULL;)
        counts.active += text_equal(object_label(object, LABEL_NODE_POOL), pool); // API-603
    counts.reserved = count_reserved(capacity, pool);
    return counts;
}

int64_t static_room(const struct static_counts *counts, const struct node_pool *pool)
{
    if (!resource_map_has(&pool->spec.limits, "nodes"))
        return INT64_MAX;
    int64_t used = counts->active + counts->deleting + counts->pending + counts->reserved;
    int64_t limit = resource_map_get(&pool->spec.limits, "nodes");
    return limit > used ? limit - used : 0;
}

void static_reserve(struct static_capacity *capacity, const char *pool, const char *claim)
{
    struct reservations *reservations = map_ensure(capacity->pools, pool, sizeof *reservations);
    vector_push(&reservations->names, memory_copy_string(claim));
}

void static_release(struct static_capacity *capacity, const char *pool, const char *claim)
{
    const struct reservations *reservations = map_get(capacity->pools, pool);
    for (uint32_t i = 0; reservations != NULL && i < reservations->names.count; i++)
        if (strcmp(reservations->names.items[i], claim) == 0) {
            drop(capacity, pool, i);
            return;
        }
}

const struct node_pool *static_pool(const struct control *control, const char *name)
{
    const struct node_pool *pool = find_pool(control, name);
    return pool != NULL && managed_pool(control, pool) && pool->spec.replicas.present &&
                   !object_is_deleting((const struct object *)pool)
               ? pool
               : NULL;
}
