#include "engine/packing/packing_replay.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/packing/packing.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/new_claim.h"
#include "engine/placement/node_check.h"
#include "engine/placement/pass.h"
#include "engine/placement/pass_run.h"
#include "engine/placement/place_node.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_record.h"

struct replay {
    struct packing *packing;
    struct pass *pass;
    uint32_t *order;       // pods placed by the greedy pass, in its order
    uint32_t *target;      // by pod: bin, or bins + kept claim of the greedy pass
    struct claim **claims; // by target: opened
    bool *failed;          // by target: could not be opened
    uint32_t count;
};

static int compare_order(const void *a, const void *b, void *context)
{
    const struct pass *greedy = context;
    uint64_t x = greedy->placements[*(const uint32_t *)a].order;
    uint64_t y = greedy->placements[*(const uint32_t *)b].order;
    return x < y ? -1 : x > y;
}

static void find_order(struct replay *replay, struct arena *arena)
{
    const struct pass *greedy = replay->packing->greedy;
    uint32_t queued = greedy->input.queue_count;
    replay->order = arena_allocate_array(arena, queued + 1, sizeof *replay->order);
    for (uint32_t i = 0; i < queued; i++)
        if (greedy->placements[i].kind != NOT_PLACED)
            replay->order[replay->count++] = i;
    qsort_r(replay->order, replay->count, sizeof *replay->order, compare_order,
            (void *)(uintptr_t)greedy);
}

static void assign_targets(struct replay *replay, uint32_t bin,
                           const struct packing_content *content)
{
    struct packing_item *item = &replay->packing->items.items[content->item];
    assert(item->taken + content->units <= item->count);
    for (uint32_t i = 0; i < content->units * item->unit; i++)
        replay->target[item->pods.items[item->taken * item->unit + i]] = bin;
    item->taken += content->units;
}

static void find_targets(struct replay *replay, struct arena *arena)
{
    struct packing *packing = replay->packing;
    uint32_t targets = packing->bins.count + packing->greedy->claims.count;
    replay->target =
        arena_allocate_array(arena, packing->greedy->input.queue_count + 1, sizeof *replay->target);
    replay->claims = arena_allocate_array(arena, targets + 1, sizeof(struct claim *));
    replay->failed = arena_allocate_array(arena, targets + 1, sizeof *replay->failed);
    for (uint32_t i = 0; i < packing->greedy->input.queue_count; i++)
        replay->target[i] = NONE;
    vector_for_each (item, &packing->items)
        item->taken = 0;
    for (uint32_t b = 0; b < packing->bins.count; b++)
        vector_for_each (content, &packing->bins.items[b]->contents)
            assign_targets(replay, b, content);
    vector_for_each (kept, &packing->kept) {
        const struct claim *claim = packing->greedy->claims.items[*kept];
        assert(claim->index == *kept);
        for (uint32_t i = 0; i < claim->pods.count; i++)
            replay->target[claim->pods.items[i]] = packing->bins.count + *kept;
    }
}

static struct claim *open_target(struct replay *replay, uint32_t target, uint32_t pod,
                                 uint32_t class)
{
    assert(target < replay->packing->bins.count + replay->packing->greedy->claims.count);
    struct packing *packing = replay->packing;
    if (target >= packing->bins.count) {
        struct node_template *template =
            packing->greedy->claims.items[target - packing->bins.count]->template;
        return claim_open(replay->pass, template, SET_EMPTY, NULL, pod, class);
    }
    const struct packing_bin *bin = packing->bins.items[target];
    struct node_template *template =
        packing->problem->templates.items[bin->machines->template->index];
    uint32_t row = bin->machines->items[bin->machine].row;
    return claim_open(replay->pass, template, bin->pins, template->table->rows[row].capacity, pod,
                      class);
}

static void place_on_target(struct replay *replay, uint32_t pod, uint32_t class)
{
    uint32_t target = replay->target[pod];
    if (target == NONE || replay->failed[target])
        return;
    if (replay->claims[target] != NULL) {
        claim_join(replay->pass, replay->claims[target], pod, class);
        return;
    }
    replay->claims[target] = open_target(replay, target, pod, class);
    replay->failed[target] = replay->claims[target] == NULL;
}

static void place_on_node(struct replay *replay, uint32_t node, uint32_t pod, uint32_t class)
{
    if (!pass_class(replay->pass, class)->prepared)
        topology_prepare(replay->pass, class);
    if (node_check(replay->pass, node, class) == ACCEPTED)
        node_accept(replay->pass, node, pod, class);
}

void packing_replay(struct packing *packing, struct pass *pass)
{
    assert(pass->problem == packing->problem);
    assert(pass->version == 0);
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct replay replay = {.packing = packing, .pass = pass};
    find_order(&replay, arena);
    find_targets(&replay, arena);
    for (uint32_t i = 0; i < replay.count; i++) {
        uint32_t pod = replay.order[i];
        const struct placement *was = &packing->greedy->placements[pod];
        if (was->kind == ON_NODE)
            place_on_node(&replay, was->index, pod, was->class);
        else
            place_on_target(&replay, pod, was->class);
    }
    pass_run(pass);
}
