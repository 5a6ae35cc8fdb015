#include "engine/pods/pdb.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "model/reading/selector.h"

static uint64_t text_hash(const char *text)
{
    return hash_string(text_or_empty(text));
}

static uint64_t label_hash(uint64_t namespace, const struct string_pair *label)
{
    return hash_mix(hash_mix(namespace, text_hash(label->key)), text_hash(label->value));
}

// Any label that the selector requires will do. Without one, the budget is a candidate for every
// pod of its namespace.
static uint64_t budget_hash(const struct pod_disruption_budget *budget)
{
    uint64_t namespace = text_hash(budget->meta.namespace);
    const struct label_selector *selector = budget->spec.selector;
    return selector == NULL || selector->match_labels.count == 0 || budget_is_unreadable(budget)
               ? namespace
               : label_hash(namespace, &selector->match_labels.items[0]);
}

static int compare_budgets(const void *a, const void *b)
{
    const struct object_meta *x = &(*(const struct pod_disruption_budget *const *)a)->meta;
    const struct object_meta *y = &(*(const struct pod_disruption_budget *const *)b)->meta;
    int order = strcmp(text_or_empty(x->namespace), text_or_empty(y->namespace));
    return order != 0 ? order : strcmp(text_or_empty(x->name), text_or_empty(y->name));
}

struct pdb_index *pdb_index_create(struct arena *arena, const struct snapshot *snapshot)
{
    struct pdb_index *budgets = arena_allocate(arena, sizeof *budgets);
    uint32_t count = snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count, heads = 1;
    while (heads < 2 * count)
        heads *= 2;
    budgets->mask = heads - 1;
    budgets->heads = arena_allocate_array(arena, heads, sizeof *budgets->heads);
    budgets->entries = arena_allocate_array(arena, count + 1, sizeof *budgets->entries);
    budgets->items = arena_allocate_array(arena, count + 1, sizeof *budgets->items);
    for (uint32_t i = 0; i < count; i++)
        budgets->items[budgets->count++] =
            (const struct pod_disruption_budget *)snapshot->objects[KIND_POD_DISRUPTION_BUDGET]
                .items[i];
    if (count > 1)
        qsort(budgets->items, count, sizeof *budgets->items, compare_budgets);
    budgets->unreadable = arena_allocate_array(arena, count + 1, sizeof *budgets->unreadable);
    for (uint32_t i = 0; i < count; i++) {
        if (budget_is_unreadable(budgets->items[i]))
            budgets->unreadable[budgets->unreadable_count++] = i;
        uint64_t hash = budget_hash(budgets->items[i]);
        uint32_t *head = &budgets->heads[hash & budgets->mask];
        budgets->entries[i] = (struct pdb_index_entry){hash, i, *head};
        *head = i + 1;
    }
    return budgets;
}

static void insert(struct pdb_matches *matches, uint32_t budget)
{
    vector_push(&matches->items, budget);
    for (uint32_t i = matches->items.count - 1;
         i > 0 && matches->items.items[i - 1] > matches->items.items[i]; i--) {
        uint32_t other = matches->items.items[i - 1];
        matches->items.items[i - 1] = matches->items.items[i];
        matches->items.items[i] = other;
    }
}

static void find_by_hash(const struct pdb_index *budgets, const struct pod *pod, uint64_t hash,
                         struct pdb_matches *matches)
{
    for (uint32_t at = budgets->heads[hash & budgets->mask]; at != 0;
         at = budgets->entries[at - 1].next) {
        const struct pdb_index_entry *entry = &budgets->entries[at - 1];
        assert(entry->budget < budgets->count);
        const struct pod_disruption_budget *budget = budgets->items[entry->budget];
        if (entry->hash == hash && budget_covers(budget, &pod->meta))
            insert(matches, entry->budget);
    }
}

void pdb_index_find(const struct pdb_index *budgets, const struct pod *pod,
                    struct pdb_matches *matches)
{
    matches->items.count = 0;
    if (budgets->count == 0)
        return;
    uint64_t namespace = text_hash(pod->meta.namespace);
    find_by_hash(budgets, pod, namespace, matches);
    list_for_each (label, &pod->meta.labels)
        find_by_hash(budgets, pod, label_hash(namespace, label), matches);
}

const struct pod_disruption_budget *pdb_index_unreadable(const struct pdb_index *budgets,
                                                         const char *namespace)
{
    for (uint32_t i = 0; i < budgets->unreadable_count; i++)
        if (text_equal(budgets->items[budgets->unreadable[i]]->meta.namespace, namespace))
            return budgets->items[budgets->unreadable[i]];
    return NULL;
}
