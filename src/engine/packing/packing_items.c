#include "engine/packing/packing_items.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_fill.h"
#include "engine/packing/packing_machines.h"
#include "engine/pass/pass_state.h"
#include "engine/pods/topology_groups.h"
#include "engine/pods/workload_replicas.h"
#include "engine/topology/topology.h"

#define SHARES_FROM 0x80000000u // groups from here on are shares of workloads

struct sorter {
    struct packing *packing;
    struct bitset live;        // groups that some placed pod owns
    struct map *item_ids;      // identity text -> index + 1
    struct memo item_group_of; // (base group, set and pins as a pair) -> item group
    struct memo pairs;         // (set, set) -> number
    uint32_t pairs_count;
    struct memo base_group_of;         // (choice of templates, set and loose set as a pair)
    struct memo known;                 // (class, set of the claim) -> item
    VECTOR(struct packing_rule) rules; // scratch
    struct text text;
};

static const struct group_list *selecting(const struct sorter *sorter, uint32_t class)
{
    const struct pass *pass = sorter->packing->greedy;
    return &pass->work->selecting[class_at(pass->problem, class)->identity];
}

static const struct group_definition *definition(const struct sorter *sorter, uint32_t group)
{
    return sorter->packing->problem->topology.groups.items[group];
}

static void find_live_groups(struct sorter *sorter)
{
    const struct pass *pass = sorter->packing->greedy;
    sorter->live = bitset_create(sorter->packing->arena, pass->problem->topology.groups.count);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind == NOT_PLACED)
            continue;
        const struct pod_class *class = class_at(pass->problem, pass->placements[i].class);
        for (uint32_t g = 0; g < class->groups_count; g++)
            bitset_set(sorter->live, class->groups[g]);
    }
}

// --- domains -------------------------------------------------------------------------------------

static void pin_key(struct sorter *sorter, const struct claim *claim, uint32_t group,
                    uint32_t *pins)
{
    struct problem *problem = sorter->packing->problem;
    uint32_t key = definition(sorter, group)->key;
    uint32_t requirement =
        key == problem->keys.hostname ? REQUIREMENT_NONE : set_find(problem->sets, claim->set, key);
    if (requirement != REQUIREMENT_NONE)
        *pins = set_add_known(problem->sets, *pins, requirement);
}

// The node affinity term of the pod that the claim satisfies (SCH-508).
static uint32_t term_set(struct sorter *sorter, const struct claim *claim,
                         const struct shape *shape, uint32_t required_set)
{
    struct requirement_sets *sets = sorter->packing->problem->sets;
    for (uint32_t i = 0; i < shape->terms_count; i++)
        if (shape->terms[i].set == required_set)
            return required_set;
    for (uint32_t i = 0; i < shape->terms_count; i++)
        if (sets_compatible(sets, claim->set, shape->terms[i].set, true))
            return shape->terms[i].set;
    return SET_EMPTY;
}

// The claim's requirements on every key by which a rule counts the class's pods.
static uint32_t pins_of(struct sorter *sorter, const struct claim *claim, uint32_t class_id)
{
    const struct pass *pass = sorter->packing->greedy;
    const struct pod_class *class = class_at(pass->problem, class_id);
    uint32_t pins = SET_EMPTY;
    for (uint32_t g = 0; g < class->groups_count; g++)
        pin_key(sorter, claim, class->groups[g], &pins);
    const struct group_list *list = selecting(sorter, class_id);
    for (uint32_t g = 0; g < list->count; g++)
        if (bitset_has(sorter->live, list->items[g]))
            pin_key(sorter, claim, list->items[g], &pins);
    const struct group_list *repelling = &pass->work->repelling[class->identity];
    for (uint32_t g = 0; g < repelling->count; g++)
        pin_key(sorter, claim, repelling->items[g], &pins);
    return pins;
}

// The alternative of the pod's volumes that the claim has taken.
static uint32_t volumes_set(struct sorter *sorter, const struct claim *claim,
                            const struct shape *shape)
{
    struct requirement_sets *sets = sorter->packing->problem->sets;
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->alternatives_count; i++)
        if (sets_compatible(sets, claim->set, shape->volumes->alternatives[i].set, true))
            return shape->volumes->alternatives[i].set;
    return SET_EMPTY;
}

// --- groups of items -----------------------------------------------------------------------------

static uint32_t template_choice_of(struct sorter *sorter, const struct node_template *template,
                                   const struct shape *shape)
{
    struct packing *packing = sorter->packing;
    struct problem *problem = packing->problem;
    struct packing_template_choice template_choice = {
        .templates =
            arena_allocate_array(packing->arena, problem->templates.count, sizeof(uint32_t))};
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        const struct node_template *other = problem->templates.items[t];
        if (other->weight == template->weight && other->lowest_price &&
            (other == template || !other->has_min_values) &&
            problem_tolerates(problem, shape->tolerations, other->taints) &&
            sets_compatible(problem->sets, other->set, shape->set, true))
            template_choice.templates[template_choice.count++] = t;
    }
    assert(template_choice.count > 0);
    for (uint32_t i = 0; i < packing->template_choices.count; i++)
        if (packing->template_choices.items[i].count == template_choice.count &&
            memcmp(packing->template_choices.items[i].templates, template_choice.templates,
                   template_choice.count * sizeof *template_choice.templates) == 0)
            return i;
    vector_push(&packing->template_choices, template_choice);
    return packing->template_choices.count - 1;
}

static uint32_t pair_of(struct sorter *sorter, uint32_t a, uint32_t b)
{
    uint32_t pair = memo_get(&sorter->pairs, a, b);
    if (pair == MEMO_NONE)
        memo_set(&sorter->pairs, a, b, pair = sorter->pairs_count++);
    return pair;
}

static uint32_t base_group_of(struct sorter *sorter, uint32_t template_choice, uint32_t set,
                              uint32_t loose)
{
    struct packing *packing = sorter->packing;
    uint32_t pair = pair_of(sorter, set, loose);
    uint32_t known = memo_get(&sorter->base_group_of, template_choice, pair);
    if (known != MEMO_NONE)
        return known;
    vector_push(&packing->base_groups, (struct packing_base_group){template_choice, set, loose});
    memo_set(&sorter->base_group_of, template_choice, pair, packing->base_groups.count - 1);
    return packing->base_groups.count - 1;
}

static uint32_t item_group_of(struct sorter *sorter, uint32_t template_choice, uint32_t open_set,
                              uint32_t pins, uint32_t loose)
{
    struct packing *packing = sorter->packing;
    uint32_t set = set_meet(packing->problem->sets, open_set, pins);
    uint32_t pair = pair_of(sorter, set, pins);
    uint32_t base_group = base_group_of(sorter, template_choice, open_set, loose);
    uint32_t known = memo_get(&sorter->item_group_of, base_group, pair);
    if (known != MEMO_NONE)
        return known;
    vector_push(&packing->item_groups,
                (struct packing_item_group){template_choice, set, pins, base_group});
    memo_set(&sorter->item_group_of, base_group, pair, packing->item_groups.count - 1);
    return packing->item_groups.count - 1;
}

// --- rules about one node ------------------------------------------------------------------------

static struct packing_rule *rule_for(struct sorter *sorter, uint32_t group)
{
    vector_for_each (rule, &sorter->rules)
        if (rule->group == group)
            return rule;
    vector_push(&sorter->rules, (struct packing_rule){group, 0, PACKING_NO_LIMIT});
    return &sorter->rules.items[sorter->rules.count - 1];
}

static bool is_about_nodes(const struct sorter *sorter, uint32_t group)
{
    return definition(sorter, group)->key == sorter->packing->problem->keys.hostname;
}

// Adds the rules of one more pod of the class: they must hold whichever pod comes first.
static void add_rules(struct sorter *sorter, uint32_t class_id)
{
    struct problem *problem = sorter->packing->problem;
    const struct pod_class *class = class_at(problem, class_id);
    for (uint32_t g = 0; g < class->groups_count; g++) {
        const struct group_definition *group = definition(sorter, class->groups[g]);
        if (!is_about_nodes(sorter, class->groups[g]) || group->kind == GROUP_AFFINITY)
            continue;
        bool self = group_selects(problem, class->groups[g], class->identity);
        int64_t limit = group->kind == GROUP_SPREAD ? group->max_skew : self;
        struct packing_rule *rule = rule_for(sorter, class->groups[g]);
        if (limit < rule->limit)
            rule->limit = (int32_t)limit;
    }
    const struct group_list *list = selecting(sorter, class_id);
    for (uint32_t g = 0; g < list->count; g++)
        if (is_about_nodes(sorter, list->items[g]) && bitset_has(sorter->live, list->items[g]) &&
            definition(sorter, list->items[g])->kind != GROUP_AFFINITY)
            rule_for(sorter, list->items[g])->adds++;
}

// True if an affinity ties the class's pods to others on their node.
static bool is_tied(const struct sorter *sorter, uint32_t class_id)
{
    const struct pod_class *class = class_at(sorter->packing->problem, class_id);
    for (uint32_t g = 0; g < class->groups_count; g++)
        if (is_about_nodes(sorter, class->groups[g]) &&
            definition(sorter, class->groups[g])->kind == GROUP_AFFINITY)
            return true;
    const struct group_list *list = selecting(sorter, class_id);
    for (uint32_t g = 0; g < list->count; g++)
        if (is_about_nodes(sorter, list->items[g]) && bitset_has(sorter->live, list->items[g]) &&
            definition(sorter, list->items[g])->kind == GROUP_AFFINITY)
            return true;
    return false;
}

static int compare_rules(const void *a, const void *b)
{
    const struct packing_rule *x = a, *y = b;
    return x->group < y->group ? -1 : x->group > y->group;
}

// --- items ---------------------------------------------------------------------------------------

// Volumes of the driver that no other pod of the pass uses; pods that share a volume may share a
// node.
static int64_t volumes_need(const struct packing *packing, const struct shape *shape,
                            uint32_t driver)
{
    int64_t count = 0;
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->uses.count; i++) {
        const struct volume_use *use = &shape->volumes->uses.items[i];
        count +=
            use->driver == driver && memo_get(&packing->volume_users, use->claim, use->driver) == 1;
    }
    return count;
}

static int64_t own_need(const struct packing *packing, const struct shape *shape,
                        uint32_t dimension)
{
    return dimension >= PACKING_VOLUMES ? volumes_need(packing, shape, dimension - PACKING_VOLUMES)
                                        : shape->requests[dimension];
}

static void add_need(const struct packing *packing, int64_t *need, const struct shape *shape)
{
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        need[d] = quantity_add(need[d], own_need(packing, shape, packing->dimensions[d]));
}

static uint32_t make_item(struct sorter *sorter, uint32_t item_group, const int64_t *need,
                          uint32_t unit)
{
    struct packing *packing = sorter->packing;
    struct packing_item item = {.item_group = item_group, .unit = unit, .need = need};
    item.rules_count = sorter->rules.count;
    item.rules = arena_allocate_array(packing->arena, item.rules_count + 1, sizeof *item.rules);
    if (item.rules_count > 0)
        memcpy(item.rules, sorter->rules.items, item.rules_count * sizeof *item.rules);
    vector_push(&packing->items, item);
    return packing->items.count - 1;
}

static void add_identity(struct sorter *sorter, uint32_t item_group, const int64_t *need,
                         const struct shape *shape)
{
    text_clear(&sorter->text);
    text_format(&sorter->text, "%x", item_group);
    for (uint32_t d = 0; d < sorter->packing->dimensions_count; d++)
        text_format(&sorter->text, " %llx", (unsigned long long)need[d]);
    vector_for_each (rule, &sorter->rules)
        text_format(&sorter->text, " %x:%x:%x", rule->group, (unsigned)rule->adds,
                    (unsigned)rule->limit);
    list_for_each (port, &shape->ports)
        text_format(&sorter->text, "|%s %s %lld", port->ip, port->protocol, (long long)port->port);
}

// Adds the bound on a workload's share of a node as a rule of its own group (SCH-521).
static void add_share(struct sorter *sorter, const struct claim *claim, uint32_t pod)
{
    struct problem *problem = sorter->packing->problem;
    if (claim->template->most_share >= 100)
        return;
    uint32_t workload = workload_of_pod(problem, pass_pod(sorter->packing->greedy, pod)->pod);
    if (workload == NONE)
        return;
    struct packing_rule *rule = rule_for(sorter, SHARES_FROM + workload);
    rule->adds++;
    rule->limit = (int32_t)workload_node_share(problem, claim->template, workload);
}

static uint32_t item_of(struct sorter *sorter, const struct claim *claim, uint32_t pod)
{
    struct packing *packing = sorter->packing;
    struct problem *problem = packing->problem;
    uint32_t class_id = packing->greedy->placements[pod].class;
    assert(packing->greedy->placements[pod].index == claim->index);
    uint32_t required_set = pass_required_set(packing->greedy, pod);
    bool alike = !problem->templates.shares_bound && required_set == SET_EMPTY;
    uint32_t known = alike ? memo_get(&sorter->known, class_id, claim->set) : MEMO_NONE;
    if (known != MEMO_NONE)
        return known;
    const struct shape *shape = shape_of(problem, class_at(problem, class_id));
    uint32_t volumes = volumes_set(sorter, claim, shape);
    uint32_t pins = set_meet(problem->sets, pins_of(sorter, claim, class_id), volumes);
    uint32_t open_set = set_meet(problem->sets, shape->set, volumes);
    open_set = set_meet(problem->sets, open_set, required_set);
    open_set = set_meet(problem->sets, open_set, term_set(sorter, claim, shape, required_set));
    uint32_t template_choice = template_choice_of(sorter, claim->template, shape);
    uint32_t item_group = item_group_of(sorter, template_choice, open_set, pins, shape->set);
    sorter->rules.count = 0;
    add_rules(sorter, class_id);
    add_share(sorter, claim, pod);
    if (sorter->rules.count > 1)
        qsort(sorter->rules.items, sorter->rules.count, sizeof *sorter->rules.items, compare_rules);
    int64_t *need = arena_allocate_array(packing->arena, packing->dimensions_count, sizeof *need);
    add_need(packing, need, shape);
    add_identity(sorter, item_group, need, shape);
    uintptr_t item = (uintptr_t)map_get(sorter->item_ids, sorter->text.data);
    if (item == 0) {
        item = make_item(sorter, item_group, need, 1) + 1;
        packing->items.items[item - 1].ports = shape->ports;
        map_set(sorter->item_ids, sorter->text.data, (void *)item);
    }
    if (alike)
        memo_set(&sorter->known, class_id, claim->set, (uint32_t)item - 1);
    return (uint32_t)item - 1;
}

// Adds the tied pods of a claim as one unit of a new item.
static void add_bundle(struct sorter *sorter, const struct claim *claim, const uint32_t *pods,
                       uint32_t count)
{
    assert(count > 0);
    struct packing *packing = sorter->packing;
    struct problem *problem = packing->problem;
    uint32_t pins = SET_EMPTY, open_set = SET_EMPTY, loose = SET_EMPTY, template_choice = 0,
             ports = 0;
    int64_t *need = arena_allocate_array(packing->arena, packing->dimensions_count, sizeof *need);
    sorter->rules.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t class_id = packing->greedy->placements[pods[i]].class;
        const struct shape *shape = shape_of(problem, class_at(problem, class_id));
        uint32_t volumes = volumes_set(sorter, claim, shape);
        uint32_t own_choice = template_choice_of(sorter, claim->template, shape);
        if (i == 0 || packing->template_choices.items[own_choice].count <
                          packing->template_choices.items[template_choice].count)
            template_choice = own_choice;
        pins = set_meet(problem->sets, pins, pins_of(sorter, claim, class_id));
        pins = set_meet(problem->sets, pins, volumes);
        loose = set_meet(problem->sets, loose, shape->set);
        open_set = set_meet(problem->sets, open_set, shape->set);
        uint32_t required_set = pass_required_set(packing->greedy, pods[i]);
        open_set = set_meet(problem->sets, open_set, required_set);
        open_set = set_meet(problem->sets, open_set, term_set(sorter, claim, shape, required_set));
        add_need(packing, need, shape);
        add_rules(sorter, class_id);
        add_share(sorter, claim, pods[i]);
        ports += shape->ports.count;
    }
    uint32_t item = make_item(sorter, item_group_of(sorter, template_choice, open_set, pins, loose),
                              need, count);
    struct packing_item *made = &packing->items.items[item];
    made->count = 1;
    made->ports.items = arena_allocate_array(packing->arena, ports + 1, sizeof *made->ports.items);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t class_id = packing->greedy->placements[pods[i]].class;
        const struct shape *shape = shape_of(problem, class_at(problem, class_id));
        list_for_each (port, &shape->ports)
            made->ports.items[made->ports.count++] = *port;
        vector_push(&made->pods, pods[i]);
    }
}

static void sort_claim(struct sorter *sorter, const struct claim *claim)
{
    struct packing *packing = sorter->packing;
    if (!claim->template->lowest_price || !bitset_empty(claim->reservations) ||
        claim->min_values_relaxed) {
        vector_push(&packing->kept, claim->index);
        return;
    }
    uint32_t *tied = memory_allocate_array(claim->pods.count + 1, sizeof *tied), tied_count = 0;
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        uint32_t pod = claim->pods.items[i], class = packing->greedy->placements[pod].class;
        if (is_tied(sorter, class)) {
            tied[tied_count++] = pod;
            continue;
        }
        uint32_t index = item_of(sorter, claim, pod);
        struct packing_item *item = &packing->items.items[index];
        vector_push(&item->pods, pod);
        item->count++;
    }
    if (tied_count > 0)
        add_bundle(sorter, claim, tied, tied_count);
    free(tied);
}

void packing_items_sort(struct packing *packing)
{
    struct sorter sorter = {.packing = packing, .item_ids = map_create()};
    find_live_groups(&sorter);
    vector_for_each (claim, &packing->greedy->claims)
        sort_claim(&sorter, *claim);
    map_destroy(sorter.item_ids, NULL);
    memo_free(&sorter.item_group_of);
    memo_free(&sorter.pairs);
    memo_free(&sorter.base_group_of);
    memo_free(&sorter.known);
    vector_free(&sorter.rules);
    text_free(&sorter.text);
}
