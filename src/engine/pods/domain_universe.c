#include "engine/pods/domain_universe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/templates/type_table.h"

struct universe_builder {
    struct problem *problem;
    struct domain_universe *universe;
    uint32_t capacity;
};

static void add_domain(struct universe_builder *builder, uint32_t value, uint32_t template)
{
    assert(template <builder->universe->words * 64);
    struct domain_universe *universe = builder->universe;
    uint32_t at = 0;
    while (at < universe->count && universe->values[at] != value)
        at++;
    if (at == universe->count) {
        if (universe->count == builder->capacity) {
            builder->capacity = builder->capacity == 0 ? 8 : 2 * builder->capacity;
            universe->values =
                memory_resize(universe->values, builder->capacity * sizeof *universe->values);
            universe->templates =
                memory_resize(universe->templates, (size_t)builder->capacity * universe->words *
                                                       sizeof *universe->templates);
        }
        universe->values[at] = value;
        memset(universe->templates + (size_t)at * universe->words, 0,
               universe->words * sizeof *universe->templates);
        universe->count++;
    }
    universe->templates[(size_t)at * universe->words + template / 64] |= UINT64_C(1)
                                                                         << (template % 64);
}

static void add_values(struct universe_builder *builder, uint32_t set, uint32_t key,
                       uint32_t template)
{
    const struct requirement *requirement = set_get(builder->problem->sets, set, key);
    for (uint32_t i = 0; requirement != NULL && !requirement->complement && i < requirement->count;
         i++)
        add_domain(builder, requirement->values[i], template);
}

// SCH-286: adds the values of possible launches.
static void add_template_domains(struct universe_builder *builder,
                                 const struct node_template *template, uint32_t key)
{
    struct problem *problem = builder->problem;
    uint32_t base = template->own_set;
    if (!type_table_has_key(template->table, key)) {
        add_values(builder, base, key, template->index);
        return;
    }
    struct memo done = {0}; // (requirement of the row, of the offering)
    bitset_for_each (r, template->rows) {
        const struct row *row = &template->table->rows[r];
        uint32_t of_row = set_find(problem->sets, row->set, key);
        list_for_each (offering, &row->offerings) {
            uint32_t of_offering = set_find(problem->sets, offering->set, key);
            if (memo_get(&done, of_row, of_offering) != MEMO_NONE ||
                !sets_compatible(problem->sets, template->set, offering->set, true))
                continue;
            memo_set(&done, of_row, of_offering, 1);
            uint32_t set = base;
            if (of_row != REQUIREMENT_NONE)
                set = set_add_known(problem->sets, set, of_row);
            if (of_offering != REQUIREMENT_NONE)
                set = set_add_known(problem->sets, set, of_offering);
            add_values(builder, set, key, template->index);
        }
    }
    memo_free(&done);
}

static int compare_domain_texts(const void *a, const void *b, void *context)
{
    const struct universe_builder *builder = context;
    const struct vocabulary *vocabulary = builder->problem->vocabulary;
    return strcmp(
        vocabulary_value_text(vocabulary, builder->universe->values[*(const uint32_t *)a]),
        vocabulary_value_text(vocabulary, builder->universe->values[*(const uint32_t *)b]));
}

// Moves the domains into the arena, by name.
static void settle(struct universe_builder *builder)
{
    struct domain_universe *universe = builder->universe;
    struct arena *arena = builder->problem->arena;
    uint32_t *order = memory_allocate_array(universe->count + 1, sizeof *order);
    for (uint32_t i = 0; i < universe->count; i++)
        order[i] = i;
    qsort_r(order, universe->count, sizeof *order, compare_domain_texts, builder);
    uint32_t *values = arena_allocate_array(arena, universe->count + 1, sizeof *values);
    uint64_t *templates = arena_allocate_array(arena, (size_t)universe->count * universe->words + 1,
                                               sizeof *templates);
    for (uint32_t i = 0; i < universe->count; i++) {
        values[i] = universe->values[order[i]];
        memcpy(templates + (size_t)i * universe->words,
               universe->templates + (size_t)order[i] * universe->words,
               universe->words * sizeof *templates);
    }
    free(order);
    free(universe->values);
    free(universe->templates);
    universe->values = values;
    universe->templates = templates;
}

const struct domain_universe *domain_universe(struct problem *problem, uint32_t key)
{
    while (problem->topology.universes.count <= key)
        vector_push(&problem->topology.universes, NULL);
    if (problem->topology.universes.items[key] != NULL)
        return problem->topology.universes.items[key];
    assert(key < vocabulary_key_count(problem->vocabulary));
    struct domain_universe *universe = arena_allocate(problem->arena, sizeof *universe);
    universe->words = problem->templates.count / 64 + 1;
    struct universe_builder builder = {problem, universe, 0};
    for (uint32_t t = 0; t < problem->templates.count; t++)
        add_template_domains(&builder, problem->templates.items[t], key);
    settle(&builder);
    problem->topology.universes.items[key] = universe;
    return universe;
}
