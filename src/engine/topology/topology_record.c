#include "engine/topology/topology_record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/scheduler_view.h"
#include "engine/pods/domain_universe.h"
#include "engine/pods/topology_groups.h"
#include "engine/topology/topology_counts.h"
#include "engine/topology/topology_decide.h"
#include "engine/topology/topology_domains.h"
#include "engine/topology/topology_inverse_spread.h"

// Indexes the domains once there are too many to scan.
static void index_domains(struct group_state *group)
{
    uint32_t from = group->domains.count == DOMAINS_SCANNED + 1 ? 0 : group->domains.count - 1;
    for (uint32_t i = from; i < group->domains.count; i++)
        memo_set(&group->index, group->domains.items[i].value, 0, i);
}

static uint32_t know_domain(struct group_state *group, uint32_t value)
{
    uint32_t position = group_position(group, value);
    if (position != MEMO_NONE)
        return position;
    uint32_t count = group->base != NULL ? domain_counts_get(&group->base->pods, value) : 0;
    vector_push(&group->domains, (struct domain){value, count});
    if (group->domains.count > DOMAINS_SCANNED)
        index_domains(group);
    return group->domains.count - 1;
}

static void count_domain(struct group_state *group, uint32_t value)
{
    uint32_t position = know_domain(group, value);
    group->nonempty += group->domains.items[position].count++ == 0;
}

static void uncount_domain(struct group_state *group, uint32_t value)
{
    uint32_t position = know_domain(group, value);
    assert(group->domains.items[position].count > 0);
    group->nonempty -= --group->domains.items[position].count == 0;
}

// SCH-288: adds the domains that NodePools can provide.
static void add_universe(struct pass *pass, struct group_state *group,
                         const struct group_base *base)
{
    bool any = !pass->problem->strategy->counts_launchable_zones ||
               group->definition->kind != GROUP_SPREAD;
    for (uint32_t i = 0; i < base->open_count; i++)
        if (any || topology_domain_counts(pass, group->id, base->open[i]))
            know_domain(group, base->open[i]);
}

// SCH-289: Nodes of the pass that pass the filter add the value of their label.
static void add_node_domains(struct pass *pass, struct group_state *group,
                             const struct group_base *base)
{
    for (uint32_t i = 0; i < base->nodes.items.count; i++) {
        const struct domain *nodes = &base->nodes.items.items[i];
        uint32_t left = nodes->count;
        if (left > pass->input.excluded_count)
            left -= pass->input.excluded_count; // some remain, whichever are excluded
        else
            for (uint32_t e = 0; e < pass->input.excluded_count; e++)
                left -= topology_base_domain_of_node(pass->problem, group->id,
                                                     pass->input.excluded[e]) == nodes->value;
        assert(left <= nodes->count);
        if (left > 0)
            know_domain(group, nodes->value);
    }
}

// Cheap test that most pods fail: they never count for the group.
static bool may_count(const struct group_definition *definition, const struct bound_pod *bound)
{
    return definition->kind == GROUP_INVERSE ? bound->inverse_count > 0
                                             : bitset_has(definition->selects, bound->identity);
}

static void uncount_moved(struct pass *pass, struct group_state *group)
{
    const struct group_definition *definition = group->definition;
    for (uint32_t i = 0; i < pass->input.moved_count; i++) {
        if (!may_count(definition, &pass->problem->pods.bound[pass->input.moved[i]]))
            continue;
        uint32_t value =
            topology_base_domain_of_pod(pass->problem, group->id, pass->input.moved[i]);
        if (value != SYMBOL_NONE)
            uncount_domain(group, value);
    }
}

// Copies only the domains that the pass changes.
static void count_hostnames(struct pass *pass, struct group_state *group,
                            const struct group_base *base)
{
    group->base = base;
    group->nonempty = base->pods.items.count;
    uncount_moved(pass, group);
    if (group->definition->kind != GROUP_SPREAD)
        return;
    uint32_t before = base->nodes_before;
    for (uint32_t e = 0; e < pass->input.excluded_count; e++) {
        uint32_t i = pass->input.excluded[e];
        const struct schedulable_node *node = &pass->problem->schedulable_nodes[i];
        before -= i < base->node_at && !pass->problem->nodes.items[i].marked_for_deletion &&
                  group_filter_passes(pass->problem, group->definition, node->set, node->hostname,
                                      node->taints, false);
    }
    assert(before <= base->nodes_before);
    group->node_at = base->node_at;
    group->node_known = before > 0;
}

// A domain known only through rescheduled pods is unknown.
static void count_others(struct pass *pass, struct group_state *group,
                         const struct group_base *base)
{
    assert(group->nonempty == 0);
    struct group_state running = {.definition = group->definition, .id = group->id};
    vector_for_each (pods, &base->pods.items) {
        uint32_t position = know_domain(&running, pods->value);
        running.domains.items[position].count = pods->count;
    }
    running.nonempty = running.domains.count;
    uncount_moved(pass, &running);
    vector_for_each (pods, &running.domains) {
        if (pods->count == 0)
            continue;
        uint32_t position = know_domain(group, pods->value);
        group->domains.items[position].count = pods->count;
        group->nonempty++;
    }
    vector_free(&running.domains);
    memo_free(&running.index);
}

// --- pods that leave in their turn --------------------------------------------------------------
static struct domain *staying_in(struct group_state *group, uint32_t value)
{
    vector_for_each (staying, &group->staying)
        if (staying->value == value)
            return staying;
    return NULL;
}

static void stay(struct group_state *group, uint32_t value)
{
    struct domain *staying = staying_in(group, value);
    if (staying == NULL)
        vector_push(&group->staying, (struct domain){value, 1});
    else
        staying->count++;
    count_domain(group, value);
}

// The domain in which the moved pod counts for the spread; SYMBOL_NONE: in none.
static uint32_t domain_before(struct pass *pass, const struct group_state *group, uint32_t bound)
{
    return may_count(group->definition, &pass->problem->pods.bound[bound])
               ? topology_base_domain_of_pod(pass->problem, group->id, bound)
               : SYMBOL_NONE;
}

// The bound pod that leaves in the queued pod's turn; NONE: none does, or it has left.
static uint32_t bound_in_turn(const struct pass *pass, uint32_t pod)
{
    const struct queued_pod *queued = pass_pod(pass, pod);
    bool leaves = pass->input.as_scheduled && queued->running && queued->on != NULL &&
                  !bitset_has(pass->left, queued->origin);
    return leaves ? pass->input.view->bound_of[queued->origin] : NONE;
}

// A node that goes is no domain in the end, so only domains with other nodes count.
static void count_staying(struct pass *pass, struct group_state *group)
{
    if (!pass->input.as_scheduled || group->definition->kind != GROUP_SPREAD)
        return;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        uint32_t bound = bound_in_turn(pass, i);
        uint32_t value = bound != NONE ? domain_before(pass, group, bound) : SYMBOL_NONE;
        if (value != SYMBOL_NONE && group_position(group, value) != MEMO_NONE)
            stay(group, value);
    }
}

void topology_leave(struct pass *pass, uint32_t pod)
{
    uint32_t bound = bound_in_turn(pass, pod);
    if (bound == NONE)
        return;
    bitset_set(pass->left, pass_pod(pass, pod)->origin);
    vector_for_each (id, &pass->work->used_groups) {
        struct group_state *group = pass->work->groups.items[*id];
        uint32_t value = group->staying.count > 0 ? domain_before(pass, group, bound) : SYMBOL_NONE;
        struct domain *staying = value != SYMBOL_NONE ? staying_in(group, value) : NULL;
        if (staying == NULL || staying->count == 0)
            continue;
        staying->count--;
        uncount_domain(group, value);
        pass->version++; // what was refused before may fit
    }
}

// Counts the pod in every known value that the requirement allows (SCH-322).
static void count_allowed(struct pass *pass, struct group_state *group,
                          const struct requirement *allowed)
{
    struct problem *problem = pass->problem;
    if (allowed != NULL && !allowed->complement) {
        for (uint32_t i = 0; i < allowed->count; i++)
            count_domain(group, allowed->values[i]);
        return;
    }
    const struct domain_universe *universe = domain_universe(problem, group->definition->key);
    for (uint32_t i = 0; i < universe->count; i++)
        know_domain(group, universe->values[i]);
    for (uint32_t i = 0; i < group->domains.count; i++)
        if (allowed == NULL ||
            requirement_has(problem->vocabulary, allowed, group->domains.items[i].value))
            count_domain(group, group->domains.items[i].value);
}

static void record_in(struct pass *pass, struct group_state *group, uint32_t set, uint32_t hostname,
                      uint32_t taints, bool is_claim)
{
    const struct group_definition *definition = group->definition;
    if (definition->kind == GROUP_SPREAD &&
        !group_filter_passes(pass->problem, definition, set, hostname, taints,
                             is_claim && pass->problem->strategy->counts_as_scheduler))
        return;
    if (definition->key == pass->problem->keys.hostname) {
        count_domain(group, hostname);
        if (pass->doubling.active && !is_claim && definition->kind == GROUP_SPREAD &&
            definition->hard && group_count(group, hostname) > definition->max_skew)
            group_list_add(&pass->doubling.groups, group->id);
        return;
    }
    const struct requirement *label = set_get(pass->problem->sets, set, definition->key);
    if (label == NULL && !is_claim)
        return;
    if (definition->kind == GROUP_ANTI_AFFINITY || definition->kind == GROUP_INVERSE) {
        struct requirement copy = label != NULL ? *label : (struct requirement){0};
        count_allowed(pass, group, label != NULL ? &copy : NULL);
    } else if (label != NULL && !label->complement && label->count == 1) {
        count_domain(group, label->values[0]);
    }
}

void topology_record(struct pass *pass, uint32_t pod, uint32_t class_id, uint32_t set,
                     uint32_t hostname, uint32_t taints, bool is_claim)
{
    assert(pod < pass->input.queue_count);
    assert(pass->placements[pod].kind != NOT_PLACED);
    assert(pass->placements[pod].class == class_id);
    const struct pod_class *class = class_at(pass->problem, class_id);
    if (pass->problem->strategy->decides_domains)
        topology_stop_waiting(pass, pod);
    if (pass->problem->strategy->heeds_other_spreads)
        topology_note_owner(pass, class, set, hostname);
    const struct group_list *selecting = &pass->work->selecting[class->identity];
    for (uint32_t i = 0; i < selecting->count; i++)
        record_in(pass, pass->work->groups.items[selecting->items[i]], set, hostname, taints,
                  is_claim);
    for (uint32_t i = 0; i < class->inverse_count; i++)
        record_in(pass, pass->work->groups.items[class->inverse[i]], set, hostname, taints,
                  is_claim);
}

// SCH-293: counts earlier placements for a group that is made late.
static void replay(struct pass *pass, struct group_state *group)
{
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct placement *placement = &pass->placements[i];
        if (placement->kind == NOT_PLACED ||
            !bitset_has(group->definition->selects,
                        class_at(pass->problem, placement->class)->identity))
            continue;
        if (placement->kind == ON_NODE) {
            const struct schedulable_node *node =
                &pass->problem->schedulable_nodes[placement->index];
            record_in(pass, group, node->set, node->hostname, node->taints, false);
        } else {
            assert(placement->index < pass->claims.count);
            const struct claim *claim = pass->claims.items[placement->index];
            record_in(pass, group, claim->set, claim->hostname, claim->template->taints, true);
        }
    }
}

// Lists the group for the identities of the queue that it selects.
static void list_group(struct pass *pass, uint32_t id)
{
    struct bitset selects = pass->problem->topology.groups.items[id]->selects;
    bool inverse = pass->problem->topology.groups.items[id]->kind == GROUP_INVERSE;
    struct group_list *lists = inverse ? pass->work->repelling : pass->work->selecting;
    uint32_t words = bitset_words(selects.bits);
    if (bitset_words(pass->identities.bits) < words)
        words = bitset_words(pass->identities.bits);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t both = selects.words[w] & pass->identities.words[w]; both != 0;
             both &= both - 1) // a group and an identity meet once, when the later one is new
            group_list_push(&lists[w * 64 + (uint32_t)__builtin_ctzll(both)], id);
}

static struct group_state *need_group(struct pass *pass, uint32_t id)
{
    while (pass->work->groups.count <= id)
        vector_push(&pass->work->groups, NULL);
    if (pass->work->groups.items[id] != NULL)
        return pass->work->groups.items[id];
    assert(id < pass->problem->topology.groups.count);
    struct group_state *group = arena_allocate(pass->arena, sizeof *group);
    group->definition = pass->problem->topology.groups.items[id];
    group->id = id;
    pass->work->groups.items[id] = group;
    vector_push(&pass->work->used_groups, id);
    bool hostname = group->definition->key == pass->problem->keys.hostname;
    bool inverse = group->definition->kind == GROUP_INVERSE;
    const struct group_base *base = topology_base_of(pass->problem, id);
    if (!inverse && !hostname) {
        add_universe(pass, group, base);
        add_node_domains(pass, group, base);
    }
    if (hostname)
        count_hostnames(pass, group, base);
    else
        count_others(pass, group, base);
    if (!inverse && !hostname)
        count_staying(pass, group);
    if (!inverse && pass->version > 0)
        replay(pass, group);
    list_group(pass, id);
    return group;
}

// Lists the groups that select pods of the identity, including inverse groups of running pods
// (SCH-278 a).
static void list_groups_of_identity(struct pass *pass, uint32_t identity)
{
    if (bitset_has(pass->identities, identity) || identity >= pass->identities.bits)
        return;
    bitset_set(pass->identities, identity);
    vector_for_each (id, &pass->work->used_groups)
        if (group_selects(pass->problem, *id, identity))
            group_list_push(pass->work->groups.items[*id]->definition->kind == GROUP_INVERSE
                                ? &pass->work->repelling[identity]
                                : &pass->work->selecting[identity],
                            *id);
    const struct identity_groups *inverse = topology_base_inverse(pass->problem, identity);
    for (uint32_t i = 0; i < inverse->count; i++)
        need_group(pass, inverse->items[i]);
}

static int compare_group_ids(const void *a, const void *b, void *context)
{
    return group_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

// Sorts the list and moves the groups of each key together, to the position of the key's first.
static void sort_list(struct problem *problem, struct group_list *list)
{
    if (list->count < 2)
        return;
    qsort_r(list->items, list->count, sizeof *list->items, compare_group_ids, problem);
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t j = i + 1, end = i + 1; j < list->count; j++) {
            uint32_t moved = list->items[j];
            if (problem->topology.groups.items[moved]->key !=
                problem->topology.groups.items[list->items[i]]->key)
                continue;
            memmove(&list->items[end + 1], &list->items[end], (j - end) * sizeof moved);
            list->items[end++] = moved;
        }
}

void topology_prepare(struct pass *pass, uint32_t class_id)
{
    struct problem *problem = pass->problem;
    const struct pod_class *class = class_at(problem, class_id);
    struct class_state *state = pass_class(pass, class_id);
    assert(!state->prepared);
    list_groups_of_identity(pass, class->identity);
    const struct group_list *repelling = &pass->work->repelling[class->identity];
    for (uint32_t i = 0; i < class->groups_count + repelling->count; i++) {
        uint32_t id =
            i < class->groups_count ? class->groups[i] : repelling->items[i - class->groups_count];
        const struct group_definition *definition = need_group(pass, id)->definition;
        bool hostname = definition->key == problem->keys.hostname;
        group_list_push(hostname ? &state->hostname_groups : &state->domain_groups, id);
        state->depends_on_others =
            state->depends_on_others || definition->kind == GROUP_AFFINITY ||
            (definition->kind == GROUP_SPREAD &&
             (!hostname || pass->problem->strategy->doubles_hostname_spreads));
    }
    sort_list(problem, &state->hostname_groups);
    sort_list(problem, &state->domain_groups);
    state->choice = arena_allocate(pass->arena, sizeof *state->choice);
    uint32_t room = state->domain_groups.count + topology_prepare_counting(pass, class, state);
    state->choice->keys = arena_allocate_array(pass->arena, room + 1, sizeof *state->choice->keys);
    state->choice->decided =
        arena_allocate_array(pass->arena, room + 1, sizeof *state->choice->decided);
    state->choice->spent = &pass_class(pass, class->original)->combinations_spent;
    topology_find_inverse(pass, class, state);
    state->choice->inverse_spreads = state->inverse_spreads;
    state->prepared = true;
}

void topology_start(struct pass *pass)
{
    assert(pass->version == 0);
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        list_groups_of_identity(pass, class_at(pass->problem, pass_pod(pass, i)->class)->identity);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct pod_class *class = class_at(pass->problem, pass_pod(pass, i)->class);
        for (uint32_t g = 0; g < class->inverse_count; g++)
            need_group(pass, class->inverse[g]);
    }
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct pod_class *class = class_at(pass->problem, pass_pod(pass, i)->class);
        for (uint32_t g = 0; g < class->groups_count && class->refusal == NULL; g++)
            need_group(pass, class->groups[g]);
    }
    if (pass->problem->strategy->decides_domains)
        topology_start_waiting(pass);
}
