#include "control/buffers/buffer_placements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "engine/pods/placeholders.h"

struct place { // of one placeholder
    bool is_claim;
    char name[]; // of the NodeClaim, or of a Node without one
};

struct buffer_placements {
    struct control *control;
    struct map *places;   // struct place by placeholder UID
    struct map *outcomes; // struct buffer_outcome by "namespace/name" of the buffer
    bool knows;
};

struct buffer_placements *buffer_placements_create(struct control *control)
{
    struct buffer_placements *ledger = memory_allocate(sizeof *ledger);
    ledger->control = control;
    ledger->places = map_create();
    ledger->outcomes = map_create();
    return ledger;
}

void buffer_placements_destroy(struct buffer_placements *ledger)
{
    map_destroy(ledger->places, free);
    map_destroy(ledger->outcomes, free);
    free(ledger);
}

bool buffer_placements_knows(const struct buffer_placements *ledger)
{
    return ledger->knows;
}

static void put(struct map *places, const char *uid, bool is_claim, const char *name)
{
    size_t length = strlen(name) + 1;
    struct place *place = memory_allocate(sizeof *place + length);
    place->is_claim = is_claim;
    memcpy(place->name, name, length);
    free(map_set(places, uid, place));
}

// --- a pass's placements -------------------------------------------------------------------------
static void outcome_key(const char *namespace, const char *name, char out[600])
{
    snprintf(out, 600, "%s/%s", namespace != NULL ? namespace : "", name);
}

static struct buffer_outcome *outcome_of(struct buffer_placements *ledger, const struct pod *pod)
{
    char key[600];
    outcome_key(pod->meta.namespace,
                string_map_get(&pod->meta.annotations, ANNOTATION_PLACEHOLDER_BUFFER), key);
    struct buffer_outcome *outcome = map_ensure(ledger->outcomes, key, sizeof *outcome);
    outcome->placeholders++;
    return outcome;
}

const struct buffer_outcome *buffer_placements_outcome(const struct buffer_placements *ledger,
                                                       const char *namespace, const char *name)
{
    char key[600];
    outcome_key(namespace, name, key);
    return map_get(ledger->outcomes, key);
}

static bool same_places(const struct map *before, struct map *after)
{
    if (map_count(before) != map_count(after))
        return false;
    for (struct map_entry *entry = map_first(after); entry != NULL; entry = map_next(entry)) {
        const struct place *place = map_value(entry), *old = map_get(before, map_key(entry));
        if (old == NULL || strcmp(old->name, place->name) != 0)
            return false;
    }
    return true;
}

// Placeholders that kept their place: bound pods of the snapshot.
static void note_kept(struct buffer_placements *ledger, const struct snapshot *snapshot,
                      struct map *places)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (!pod_is_placeholder(pod))
            continue;
        outcome_of(ledger, pod)->on_new++;
        put(places, pod->meta.uid, true, pod->spec.node_name);
    }
}

bool buffer_placements_note_plan(struct buffer_placements *ledger, const struct snapshot *snapshot,
                                 const struct plan *plan)
{
    struct map *places = map_create();
    map_destroy(ledger->outcomes, free);
    ledger->outcomes = map_create();
    note_kept(ledger, snapshot, places);
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            if (pod_is_placeholder(*pod)) {
                bool is_claim = placement->node_claim != NULL;
                outcome_of(ledger, *pod);
                put(places, (*pod)->meta.uid, is_claim,
                    is_claim ? placement->node_claim->meta.name : placement->node->meta.name);
            }
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            if (pod_is_placeholder(*pod))
                outcome_of(ledger, *pod)->on_new++;
    list_for_each (entry, &plan->unschedulable)
        if (pod_is_placeholder(entry->pod))
            outcome_of(ledger, entry->pod)->failed++;
    bool moved = !same_places(ledger->places, places) || !ledger->knows;
    map_destroy(ledger->places, free);
    ledger->places = places;
    ledger->knows = true;
    return moved;
}

void buffer_placements_note_claim(struct buffer_placements *ledger, const struct pod *placeholder,
                                  const char *claim)
{
    put(ledger->places, placeholder->meta.uid, true, claim);
}

bool buffer_placements_trim(struct buffer_placements *ledger, const char *buffer_uid, int64_t size)
{
    VECTOR(char *) gone = {0};
    size_t length = strlen(buffer_uid);
    for (struct map_entry *entry = map_first(ledger->places); entry != NULL;
         entry = map_next(entry)) {
        const char *uid = map_key(entry);
        int64_t number;
        if (strncmp(uid, buffer_uid, length) == 0 && uid[length] == '-' &&
            text_parse_int64(uid + length + 1, &number) && number > size)
            vector_push(&gone, memory_copy_string(uid));
    }
    bool any = gone.count > 0;
    for (uint32_t i = 0; i < gone.count; i++) {
        free(map_remove(ledger->places, gone.items[i]));
        free(gone.items[i]);
    }
    vector_free(&gone);
    return any;
}

// --- for the next decision -----------------------------------------------------------------------
static const struct node_claim *living_claim(const struct buffer_placements *ledger,
                                             const struct place *place)
{
    const struct node_claim *claim =
        place->is_claim ? find_claim(ledger->control, place->name) : NULL;
    return claim != NULL && !object_is_deleting((const struct object *)claim) ? claim : NULL;
}

void buffer_placements_add_bound(struct buffer_placements *ledger, struct snapshot *snapshot,
                                 const struct capacity_buffer *buffer,
                                 const struct pod_template *template, int64_t size)
{
    char uid[600];
    for (uint32_t number = 1; number <= size; number++) {
        snprintf(uid, sizeof uid, "%s-%" PRIu32, buffer->meta.uid, number);
        const struct place *place = map_get(ledger->places, uid);
        const struct node_claim *claim = place != NULL ? living_claim(ledger, place) : NULL;
        if (claim == NULL || cluster_state(ledger->control->cluster, claim->status.provider_id))
            continue;
        struct pod *pod =
            placeholder_make(snapshot->arena, buffer, template, number, snapshot->time);
        pod->spec.node_name = arena_copy_string(snapshot->arena, claim->meta.name);
        snapshot_add(snapshot, (const struct object *)pod);
    }
}

static const char *node_name(const struct buffer_placements *ledger, const struct place *place)
{
    if (!place->is_claim)
        return place->name;
    const struct node_claim *claim = living_claim(ledger, place);
    const struct state_node *state =
        claim != NULL ? cluster_state(ledger->control->cluster, claim->status.provider_id) : NULL;
    return state != NULL ? state_name(state) : place->name;
}

void buffer_placements_name_nodes(struct buffer_placements *ledger, struct snapshot *snapshot)
{
    struct map *seen = map_create();
    for (struct map_entry *entry = map_first(ledger->places); entry != NULL;
         entry = map_next(entry))
        map_set(seen, node_name(ledger, map_value(entry)), seen);
    struct string_list *names = &snapshot->buffer_nodes;
    names->items = arena_allocate_array(snapshot->arena, map_count(seen) + 1, sizeof *names->items);
    names->count = 0;
    for (struct map_entry *entry = map_first(seen); entry != NULL; entry = map_next(entry))
        names->items[names->count++] = arena_copy_string(snapshot->arena, map_key(entry));
    map_destroy(seen, NULL);
}

bool buffer_placements_holds(const struct buffer_placements *ledger, const struct node *node)
{
    const struct node_claim *claim = cluster_claim_of(ledger->control->cluster, node, NULL);
    const char *name = claim != NULL ? claim->meta.name : node->meta.name;
    for (struct map_entry *entry = map_first(ledger->places); entry != NULL;
         entry = map_next(entry))
        if (strcmp(((const struct place *)map_value(entry))->name, name) == 0)
            return true;
    return false;
}
