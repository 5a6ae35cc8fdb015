#include "engine/topology_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/topology_decide.h"
#include "engine/topology_groups.h"

#define DOMAINS_IN_ERROR 25

static uint32_t know_domain(struct group_state *group, uint32_t value)
{
    uint32_t position = memo_get(&group->index, value, 0);
    if (position != MEMO_NONE)
        return position;
    vector_push(&group->domains, (struct domain){value, 0});
    memo_set(&group->index, value, 0, group->domains.count - 1);
    return group->domains.count - 1;
}

static void count_domain(struct group_state *group, uint32_t value)
{
    uint32_t position = know_domain(group, value);
    group->nonempty += group->domains.items[position].count++ == 0;
}

// SCH-288: the domains of pools; with Honor only of those whose taints the owner tolerates.
static void add_universe(struct pass *pass, struct group_state *group)
{
    struct problem *problem = pass->problem;
    const struct group_definition *definition = group->definition;
    const struct domain_universe *universe = domain_universe(problem, definition->key);
    bool all = definition->kind == GROUP_SPREAD && !definition->honor_taints;
    bool upstream = problem->settings->compatibility_upstream;
    for (uint32_t i = 0; i < universe->count; i++) {
        bool open = all;
        for (uint32_t t = 0; t < problem->templates_count && !open; t++)
            open = (universe->templates[(size_t)i * universe->words + t / 64] >> (t % 64) & 1) &&
                   problem_tolerates_hard(problem, definition->tolerations,
                                          problem->templates[t]->taints);
        if (open && (upstream || definition->kind != GROUP_SPREAD ||
                     topology_domain_counts(pass, definition, universe->values[i])))
            know_domain(group, universe->values[i]);
    }
}

// SCH-289: Nodes of the pass that pass the filter add their label's value.
static void add_node_domains(struct pass *pass, struct group_state *group)
{
    struct problem *problem = pass->problem;
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct place *place = &problem->places[i];
        if (!pass->slots[i].usable ||
            (place->state->node == NULL && problem->settings->compatibility_upstream))
            continue;
        const struct requirement *label =
            set_get(problem->sets, place->set, group->definition->key);
        if (label == NULL || label->complement || label->count != 1)
            continue;
        uint32_t value = label->values[0];
        if (memo_get(&group->index, value, 0) == MEMO_NONE &&
            group_filter_passes(problem, group->definition, place->set, place->hostname,
                                place->real_taints, false))
            know_domain(group, value);
    }
}

// The domain that a Node is in, or SYMBOL_NONE.
static uint32_t node_domain(const struct problem *problem, const struct node_object *node,
                            const struct group_definition *definition)
{
    if (definition->key == problem->key_hostname) {
        bool labelled = string_map_get(node->labels, LABEL_HOSTNAME) != NULL;
        return labelled || definition->kind != GROUP_INVERSE ? node->hostname_value : SYMBOL_NONE;
    }
    const struct requirement *label = set_get(problem->sets, node->set, definition->key);
    return label != NULL && !label->complement && label->count == 1 ? label->values[0]
                                                                    : SYMBOL_NONE;
}

static void count_bound(struct pass *pass, struct group_state *group)
{
    struct problem *problem = pass->problem;
    const struct group_definition *definition = group->definition;
    // Terminating pods keep others away until they are gone, and bind those that look for their own
    // kind (SCH-515).
    bool all = !problem->settings->compatibility_upstream &&
               (definition->kind == GROUP_ANTI_AFFINITY ||
                (definition->kind == GROUP_AFFINITY && definition->mutual));
    for (uint32_t i = 0; i < problem->bound_count; i++) {
        const struct bound_pod *bound = &problem->bound[i];
        if ((!bound->counted && !all) || bitset_has(pass->input.scheduled, i) ||
            !bitset_has(definition->selects, bound->identity))
            continue;
        const struct node_object *node = &problem->node_objects[bound->node];
        uint32_t value = node_domain(problem, node, definition);
        if (value != SYMBOL_NONE &&
            group_filter_passes(problem, definition, node->set, node->hostname_value, node->taints,
                                false))
            count_domain(group, value);
    }
}

// Every value that the requirement allows, among those known to anybody (SCH-322).
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
                             is_claim && topology_better(pass)))
        return;
    if (definition->key == pass->problem->key_hostname) {
        count_domain(group, hostname);
        if (pass->doubling && !is_claim && definition->kind == GROUP_SPREAD && definition->hard &&
            group_count(group, hostname) > definition->max_skew)
            group_list_add(&pass->doubled, group->id);
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
    const struct pod_class *class = class_at(pass->problem, class_id);
    if (topology_better(pass))
        topology_stop_waiting(pass, pod);
    if (topology_better(pass))
        topology_note_owner(pass, class, set, hostname);
    const struct group_list *selecting = &pass->selecting[class->identity];
    for (uint32_t i = 0; i < selecting->count; i++)
        record_in(pass, pass->groups.items[selecting->items[i]], set, hostname, taints, is_claim);
    for (uint32_t i = 0; i < class->inverse_count; i++)
        record_in(pass, pass->groups.items[class->inverse[i]], set, hostname, taints, is_claim);
}

// SCH-293: a group that is made late sees what was placed before.
static void replay(struct pass *pass, struct group_state *group)
{
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct placement *placement = &pass->placements[i];
        if (placement->kind == NOT_PLACED ||
            !bitset_has(group->definition->selects,
                        class_at(pass->problem, placement->class)->identity))
            continue;
        if (placement->kind == ON_NODE) {
            const struct place *place = &pass->problem->places[placement->index];
            record_in(pass, group, place->set, place->hostname, place->taints, false);
        } else {
            const struct claim *claim = pass->claims.items[placement->index];
            record_in(pass, group, claim->set, claim->hostname, claim->template->taints, true);
        }
    }
}

static struct group_state *need_group(struct pass *pass, uint32_t id)
{
    while (pass->groups.count <= id)
        vector_push(&pass->groups, NULL);
    if (pass->groups.items[id] != NULL)
        return pass->groups.items[id];
    struct group_state *group = arena_allocate(pass->arena, sizeof *group);
    group->definition = pass->problem->groups.items[id];
    group->id = id;
    pass->groups.items[id] = group;
    bool inverse = group->definition->kind == GROUP_INVERSE;
    if (!inverse) {
        if (group->definition->key != pass->problem->key_hostname) {
            add_universe(pass, group);
            add_node_domains(pass, group);
        }
        count_bound(pass, group);
        if (pass->version > 0)
            replay(pass, group);
    }
    bitset_for_each (identity, group->definition->selects)
        group_list_add(inverse ? &pass->repelling[identity] : &pass->selecting[identity], id);
    return group;
}

static int compare_group_ids(const void *a, const void *b, void *context)
{
    return group_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

// Sorted, then the groups of each key moved together behind the key's first.
static void sort_list(struct problem *problem, struct group_list *list)
{
    if (list->count < 2)
        return;
    qsort_r(list->items, list->count, sizeof *list->items, compare_group_ids, problem);
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t j = i + 1, end = i + 1; j < list->count; j++) {
            uint32_t moved = list->items[j];
            if (problem->groups.items[moved]->key != problem->groups.items[list->items[i]]->key)
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
    const struct group_list *repelling = &pass->repelling[class->identity];
    for (uint32_t i = 0; i < class->groups_count + repelling->count; i++) {
        uint32_t id =
            i < class->groups_count ? class->groups[i] : repelling->items[i - class->groups_count];
        const struct group_definition *definition = need_group(pass, id)->definition;
        bool hostname = definition->key == problem->key_hostname;
        group_list_add(hostname ? &state->hostname_groups : &state->domain_groups, id);
        state->depends_on_others = state->depends_on_others || definition->kind == GROUP_AFFINITY ||
                                   (definition->kind == GROUP_SPREAD &&
                                    (!hostname || topology_better(pass)));
    }
    sort_list(problem, &state->hostname_groups);
    sort_list(problem, &state->domain_groups);
    state->choice = arena_allocate(pass->arena, sizeof *state->choice);
    uint32_t room = state->domain_groups.count + topology_prepare_counting(pass, class, state);
    state->choice->keys = arena_allocate_array(pass->arena, room + 1, sizeof *state->choice->keys);
    state->choice->decided =
        arena_allocate_array(pass->arena, room + 1, sizeof *state->choice->decided);
    topology_find_heeded(pass, class, state);
    state->choice->heeded = state->heeded;
    state->prepared = true;
}

static void count_inverse_of_bound(struct pass *pass)
{
    struct problem *problem = pass->problem;
    for (uint32_t i = 0; i < problem->bound_inverse_count; i++) {
        const struct bound_pod *bound = &problem->bound[problem->bound_inverse[i]];
        if (bitset_has(pass->input.scheduled, problem->bound_inverse[i]))
            continue;
        for (uint32_t g = 0; g < bound->inverse_count; g++) {
            struct group_state *group = need_group(pass, bound->inverse[g]);
            uint32_t value =
                node_domain(problem, &problem->node_objects[bound->node], group->definition);
            if (value != SYMBOL_NONE)
                count_domain(group, value);
        }
    }
}

void topology_start(struct pass *pass)
{
    count_inverse_of_bound(pass);
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
    if (topology_better(pass))
        topology_start_waiting(pass);
}

// --- errors
// -------------------------------------------------------------------------------------------

static int compare_domains(const void *a, const void *b, void *context)
{
    return strcmp(vocabulary_value_text(context, ((const struct domain *)a)->value),
                  vocabulary_value_text(context, ((const struct domain *)b)->value));
}

static void add_requirement(struct pass *pass, const struct requirement *requirement, uint32_t key)
{
    struct requirement any = requirement_exists(key);
    requirement_add_text(pass->why, pass->problem->vocabulary,
                         requirement != NULL ? requirement : &any);
}

void topology_add_error(struct pass *pass, uint32_t class_id, const struct group_state *group,
                        const struct candidate *candidate)
{
    static const char *const kinds[] = {"topology spread", "pod affinity", "pod anti-affinity",
                                        "pod anti-affinity"};
    struct problem *problem = pass->problem;
    const struct pod_class *class = class_at(problem, class_id);
    uint32_t key = group->definition->key, count = group->domains.count;
    struct domain *domains = memory_allocate_array(count + 1, sizeof *domains);
    if (count > 0)
        memcpy(domains, group->domains.items, count * sizeof *domains);
    qsort_r(domains, count, sizeof *domains, compare_domains, problem->vocabulary);
    text_format(pass->why, "unsatisfiable topology constraint for %s, key=%s (counts = ",
                kinds[group->definition->kind], vocabulary_key_text(problem->vocabulary, key));
    for (uint32_t i = 0; i < count && i < DOMAINS_IN_ERROR; i++)
        text_format(pass->why, "%s%s: %" PRIu32, i > 0 ? ", " : "",
                    vocabulary_value_text(problem->vocabulary, domains[i].value), domains[i].count);
    if (count > DOMAINS_IN_ERROR)
        text_format(pass->why, " and %" PRIu32 " other(s)", count - DOMAINS_IN_ERROR);
    free(domains);
    bool hostname = key == problem->key_hostname;
    text_add(pass->why, ", podDomains = ");
    add_requirement(pass,
                    hostname ? (class->strict_hostname == REQUIREMENT_NONE
                                    ? NULL
                                    : requirement_get(problem->sets, class->strict_hostname))
                             : set_get(problem->sets, class->strict_set, key),
                    key);
    text_add(pass->why, ", nodeDomains = ");
    struct requirement own = {.key = key, .count = 1, .values = &candidate->hostname};
    add_requirement(pass, hostname ? &own : set_get(problem->sets, candidate->set, key), key);
}
