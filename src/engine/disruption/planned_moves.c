#include "engine/disruption/planned_moves.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/placement/drain_guidance.h"

static int by_pod(const void *a, const void *b)
{
    const struct object_meta *x = &((const struct plan_move *)a)->pod->meta;
    const struct object_meta *y = &((const struct plan_move *)b)->pod->meta;
    int order = strcmp(x->namespace, y->namespace);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static const char *name_of(struct arena *arena, const struct state_node *state)
{
    return arena_copy_string(arena, state->name);
}

static struct plan_move move_of(struct arena *arena, const struct pass *pass, uint32_t index,
                                struct claim *const *replacements, uint32_t count)
{
    const struct placement *placement = &pass->placements[index];
    struct plan_move move = {
        .pod = pass_pod(pass, index)->pod, .where = MOVE_NOWHERE, .turn = index};
    if (placement->kind == ON_NODE) {
        move.where = MOVE_TO_NODE;
        move.is_led = pass->input.guided && pod_is_led(move.pod) &&
                      node_can_get_taint(&pass->problem->nodes.items[placement->index]);
        move.name = name_of(arena, &pass->problem->nodes.items[placement->index]);
    } else if (placement->kind == ON_CLAIM) {
        const struct claim *claim = pass->claims.items[placement->index];
        move.where = MOVE_TO_NEW_NODE;
        move.name = claim->template->pool->meta.name;
        for (uint32_t i = 0; i < count; i++)
            if (replacements[i] == claim) {
                move.where = MOVE_TO_REPLACEMENT;
                move.replacement = i;
            }
    }
    return move;
}

void planned_moves_find(struct disruption *disruption, const struct pass *pass,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        struct claim *const *replacements, uint32_t replacements_count,
                        struct plan_moves *moves)
{
    assert(moves->count == 0);
    const struct problem *problem = disruption->problem;
    struct arena *arena = disruption->plan->arena;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset gone = bitset_create(scratch, problem->nodes.count);
    uint32_t most = 0;
    if (!disruption->strategy->plans_moves)
        return;
    for (uint32_t i = 0; i < count; i++) {
        bitset_set(gone, (uint32_t)(candidates[i]->state - problem->nodes.items));
        most += candidates[i]->reschedulable;
    }
    moves->items = arena_allocate_array(arena, most + 1, sizeof *moves->items);
    for (uint32_t i = 0; i < pass->input.queue_count && moves->count < most; i++) {
        const struct state_node *on = pass_pod(pass, i)->on;
        if (on != NULL && bitset_has(gone, (uint32_t)(on - problem->nodes.items)))
            moves->items[moves->count++] =
                move_of(arena, pass, i, replacements, replacements_count);
    }
    if (moves->count > 1)
        qsort(moves->items, moves->count, sizeof *moves->items, by_pod);
}
