#include "engine/pods/pod_facts.h"

#include <assert.h>
#include <string.h>

#include "base/prefetch.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"
#include "model/reading/pod_workload.h"
#include "model/reading/selector.h"

#define PREFETCH_LISTS 512 // the lists of a pod follow it in memory

static uint32_t flags_of(const struct pod *pod, int64_t now)
{
    bool active = pod_is_active(pod);
    bool held = (active && pod_is_protected(pod, now)) || pod->meta.unreadable != NULL;
    uint32_t flags = held ? POD_HELD : 0;
    if (pod_needs_place(pod))
        flags |= POD_MOVES;
    if (active && !held && pod_is_evictable(pod, now))
        flags |= POD_EVICTABLE;
    if (pod_is_unready(pod))
        flags |= POD_UNREADY;
    if (pod_is_serving(pod))
        flags |= POD_SERVING;
    if (pod_is_leaving(pod))
        flags |= POD_LEAVING;
    if (pod_eviction_cost(pod) == 1.0 && pod_disruption_cost(pod, now) == 1.0)
        flags |= POD_COSTS_ONE;
    if (pod->spec.affinity != NULL || pod->spec.topology_spread_constraints.count > 0)
        flags |= POD_HAS_RULES;
    return flags;
}

// SCH-24, for an evictable pod.
static bool is_fully_blocked(const struct pdb_index *budgets, uint32_t flags,
                             const struct pdb_matches *matches)
{
    uint32_t count = 0, first = 0;
    vector_for_each (match, &matches->items) {
        if (budget_is_unreadable(budgets->items[*match]))
            continue; // the API server evicts regardless of the budget
        first = *match;
        count++;
    }
    if (count != 1)
        return count > 1;
    const struct pod_disruption_budget *only = budgets->items[first];
    if (text_equal(only->spec.unhealthy_pod_eviction_policy, "AlwaysAllow") &&
        (flags & POD_UNREADY) != 0)
        return false;
    const struct int_or_string *most = &only->spec.max_unavailable;
    const struct int_or_string *least = &only->spec.min_available;
    bool none_unavailable =
        most->present && (most->text != NULL ? strcmp(most->text, "0%") == 0 : most->number == 0);
    return none_unavailable ||
           (least->present && least->text != NULL && strcmp(least->text, "100%") == 0);
}

struct pod_facts pod_facts_of(const struct pdb_index *budgets, const struct pod *pod, int64_t now,
                              struct pdb_matches *matches)
{
    struct pod_facts facts = {.budget = BUDGET_NONE, .flags = flags_of(pod, now)};
    bool blocked = false;
    if ((facts.flags & POD_EVICTABLE) != 0 && budgets->count > 0) {
        pdb_index_find(budgets, pod, matches);
        if (matches->items.count > 0)
            facts.budget = matches->items.count == 1 ? matches->items.items[0] : BUDGET_SEVERAL;
        assert(facts.budget >= BUDGET_SEVERAL || facts.budget < budgets->count);
        blocked = is_fully_blocked(budgets, facts.flags, matches);
    }
    if ((facts.flags & POD_MOVES) != 0 && (facts.flags & POD_HELD) == 0 && !blocked)
        facts.flags |= POD_RESCHEDULABLE;
    return facts;
}

// True if both have the same controller and the same pod-template-hash.
static bool are_alike(const struct pod *a, const struct pod *b)
{
    static const char hash[] = "pod-template-hash";
    const struct owner_reference *x = object_controller_owner((const struct object *)a);
    const struct owner_reference *y = object_controller_owner((const struct object *)b);
    return x != NULL && y != NULL && text_equal(x->uid, y->uid) && text_equal(x->name, y->name) &&
           text_equal(x->kind, y->kind) && text_equal(a->meta.namespace, b->meta.namespace) &&
           text_equal(string_map_get(&a->meta.labels, hash), string_map_get(&b->meta.labels, hash));
}

static void prefetch(const struct pod *pod)
{
    prefetch_bytes(pod, sizeof *pod + PREFETCH_LISTS);
}

struct pod_facts *pod_facts_create(struct arena *arena, const struct state_nodes *nodes,
                                   const struct pdb_index *budgets, int64_t now)
{
    struct pod_facts *facts = arena_allocate_array(arena, nodes->running.count + 1, sizeof *facts);
    struct pdb_matches matches = {0};
    for (uint32_t i = 0; i < nodes->running.count; i++) {
        if (i + PREFETCH_AHEAD < nodes->running.count)
            prefetch(nodes->running.items[i + PREFETCH_AHEAD].pod);
        const struct pod *pod = nodes->running.items[i].pod;
        facts[i] = pod_facts_of(budgets, pod, now, &matches);
        if (i > 0 && are_alike(pod, nodes->running.items[i - 1].pod))
            facts[i].flags |= POD_AS_LAST;
    }
    vector_free(&matches.items);
    return facts;
}

void pod_facts_budgets(const struct pod_facts *facts, const struct pdb_index *budgets,
                       const struct pod *pod, struct pdb_matches *matches)
{
    matches->items.count = 0;
    if (facts->budget == BUDGET_SEVERAL)
        pdb_index_find(budgets, pod, matches);
    else if (facts->budget != BUDGET_NONE)
        vector_push(&matches->items, facts->budget);
}
