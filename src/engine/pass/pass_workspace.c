#include "engine/pass/pass_workspace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pods/classes.h"

static struct bitset make_bits(uint32_t bits)
{
    return (struct bitset){memory_allocate_array(bitset_words(bits) + 1, sizeof(uint64_t)), bits};
}

static struct pass_workspace *make_workspace(const struct problem *problem)
{
    assert(problem->dimensions.count >= DIMENSIONS_FIXED);
    struct pass_workspace *work = memory_allocate(sizeof *work);
    work->slots = memory_allocate_array(problem->nodes.count + 1, sizeof *work->slots);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        work->slots[i].usable = !problem->nodes.items[i].marked_for_deletion;
        assert(problem->schedulable_nodes[i].taints < problem->interned.taint_lists.count);
        work->slots[i].free = (int64_t *)(uintptr_t)problem->schedulable_nodes[i].free;
        list_for_each (taint,
                       problem->interned.taint_lists.items[problem->schedulable_nodes[i].taints])
            work->soft_taints = work->soft_taints || text_equal(taint->effect, "PreferNoSchedule");
    }
    work->identities = problem->interned.identities.count;
    work->selecting = memory_allocate_array(work->identities + 1, sizeof *work->selecting);
    work->repelling = memory_allocate_array(work->identities + 1, sizeof *work->repelling);
    work->scheduled = make_bits(problem->pods.bound_count);
    bitset_copy(work->scheduled, problem->pods.scheduled);
    work->arena = arena_create(16384);
    return work;
}

static void free_workspace(struct pass_workspace *work)
{
    for (uint32_t i = 0; i < work->identities; i++) {
        free(work->selecting[i].items);
        free(work->repelling[i].items);
    }
    free(work->selecting);
    free(work->repelling);
    free(work->slots);
    free(work->scheduled.words);
    arena_destroy(work->arena);
    vector_free(&work->classes);
    vector_free(&work->shapes);
    vector_free(&work->groups);
    vector_free(&work->used_classes);
    vector_free(&work->used_shapes);
    vector_free(&work->used_groups);
    free(work);
}

void pass_workspaces_free(struct problem *problem)
{
    while (problem->workspaces != NULL) {
        struct pass_workspace *work = problem->workspaces;
        problem->workspaces = work->next;
        free_workspace(work);
    }
}

// Reuses the workspace of an earlier pass if that has all identities.
static void take_workspace(struct pass *pass)
{
    struct problem *problem = pass->problem;
    struct pass_workspace *work = problem->workspaces;
    if (work != NULL)
        problem->workspaces = work->next;
    if (work != NULL && work->identities < problem->interned.identities.count) {
        free_workspace(work);
        work = NULL;
    }
    pass->work = work != NULL ? work : make_workspace(problem);
    assert(pass->work->identities >= problem->interned.identities.count);
    assert(pass->work->used_classes.count == 0);
    assert(pass->work->used_groups.count == 0);
    pass->arena = pass->work->arena;
    pass->slots = pass->work->slots;
    pass->soft_taints = pass->work->soft_taints;
}

void pass_workspace_take(struct pass *pass)
{
    const struct pass_input *input = &pass->input;
    take_workspace(pass);
    for (uint32_t i = 0; i < input->excluded_count; i++)
        pass->slots[input->excluded[i]].usable = false;
    for (uint32_t i = 0; i < input->moved_count; i++)
        bitset_set(pass->work->scheduled, input->moved[i]);
}

static void free_slots(struct pass *pass)
{
    const struct problem *problem = pass->problem;
    vector_for_each (touched, &pass->touched) {
        struct node_slot *slot = &pass->slots[*touched];
        assert(slot->changed);
        free(slot->pods.items);
        vector_free(&slot->ports);
        vector_free(&slot->volumes);
        *slot = (struct node_slot){
            .usable = slot->usable,
            .free = (int64_t *)(uintptr_t)problem->schedulable_nodes[*touched].free};
    }
    vector_free(&pass->touched);
    const struct pass_input *input = &pass->input;
    for (uint32_t i = 0; i < input->excluded_count; i++)
        pass->slots[input->excluded[i]].usable =
            !problem->nodes.items[input->excluded[i]].marked_for_deletion;
}

static void free_classes(struct pass_workspace *work)
{
    vector_for_each (id, &work->used_classes) {
        struct class_state *state = work->classes.items[*id];
        assert(state != NULL); // else the class is listed twice
        free(state->hostname_groups.items);
        free(state->domain_groups.items);
        free(state->counting.items);
        free(state->inverse_spreads.items);
        growing_bits_free(&state->refused_claims);
        vector_free(&state->open_claims);
        work->classes.items[*id] = NULL;
    }
    work->used_classes.count = 0;
    vector_for_each (id, &work->used_shapes) {
        struct shape_state *state = work->shapes.items[*id];
        assert(state != NULL);
        growing_bits_free(&state->refused_claims);
        work->shapes.items[*id] = NULL;
    }
    work->used_shapes.count = 0;
}

static void free_groups(struct pass_workspace *work)
{
    vector_for_each (id, &work->used_groups) {
        struct group_state *group = work->groups.items[*id];
        assert(group != NULL);
        assert(group->id == *id);
        vector_free(&group->domains);
        vector_free(&group->staying);
        memo_free(&group->index);
        memo_free(&group->owned);
        work->groups.items[*id] = NULL;
    }
    work->used_groups.count = 0;
}

void pass_workspace_return(struct pass *pass)
{
    struct pass_workspace *work = pass->work;
    assert(pass->arena == work->arena);
    assert(pass->slots == work->slots);
    free_slots(pass);
    free_classes(work);
    free_groups(work);
    for (uint32_t i = 0; i < pass->input.moved_count; i++)
        bitset_clear(work->scheduled, pass->input.moved[i]);
    bitset_for_each (identity, pass->identities)
        work->selecting[identity].count = work->repelling[identity].count = 0;
    arena_reset(work->arena);
    work->next = pass->problem->workspaces;
    pass->problem->workspaces = work;
}
