#include "engine/packing/packing_machines.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/packing/covering_lp.h"
#include "engine/packing/packing.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/node_cost.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

static int64_t volumes_limit(const struct node_template *template, uint32_t driver, uint32_t row)
{
    for (uint32_t i = 0; i < template->volume_limits_count; i++)
        if (template->volume_limits[i].driver == driver)
            return template->volume_limits[i].by_row[row];
    return INT64_MAX;
}

static int64_t own_room(const struct node_template *template, uint32_t row,
                        const struct overhead_group *group, uint32_t dimension)
{
    if (dimension >= PACKING_VOLUMES)
        return volumes_limit(template, dimension - PACKING_VOLUMES, row);
    int64_t room = template->table->rows[row].allocatable[dimension];
    return group == NULL ? room : quantity_subtract(room, group->overhead[dimension]);
}

uint32_t packing_dimension_of(const struct packing *packing, uint32_t dimension)
{
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (packing->dimensions[d] == dimension)
            return d;
    return NONE;
}

void packing_machines_room(const struct packing *packing, const struct node_template *template,
                           uint32_t row, int64_t *room)
{
    assert(row < template->table->count);
    const struct overhead_group *group = NULL;
    for (uint32_t g = 0; g < template->groups_count && group == NULL; g++)
        if (bitset_has(template->groups[g].rows, row))
            group = &template->groups[g];
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        room[d] = own_room(template, row, group, packing->dimensions[d]);
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (packing->dimensions[d] == DIMENSION_PODS && room[d] > template->most_pods)
            room[d] = template->most_pods; // SCH-521
}

static bool holds(const struct packing *packing, const int64_t *room, const int64_t *used)
{
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (used[d] > room[d])
            return false;
    return true;
}

// True if a machine of no higher price has as much of everything.
static bool is_dominated(const struct packing *packing, const struct packing_machines *machines,
                         const struct packing_machine *machine)
{
    for (uint32_t i = machines->count; i > 0; i--)
        if (machines->items[i - 1].price <= machine->price &&
            holds(packing, machines->items[i - 1].room, machine->room))
            return true;
    return false;
}

typedef VECTOR(struct packing_machine) machine_list;

// --- comparison prices ---------------------------------------------------------------------------

#define CHOICES_SPOT      15 // instance types that a node should have to choose from (SCH-503)
#define CHOICES_ON_DEMAND 5
#define BURST_STEPS       1

// Of the linear program that estimates the price of everything.
#define SCALE_DEMAND  1000 // so that amounts are about 1
#define SCALE_PENALTY 1e6
#define SCALE_PIVOTS  1000
#define SCALE_NANO    1e9

// True if a launch would use spot among equally cheap offerings: reserved capacity comes first,
// then spot.
static bool is_spot(const struct packing *packing, const struct packing_machines *machines,
                    uint32_t row)
{
    const struct problem *problem = packing->problem;
    bool spot = false;
    list_for_each (offering, &machines->template->table->rows[row].offerings) {
        if (offering->price != machines->prices[row] ||
            !sets_compatible(problem->sets, machines->set, offering->set, true))
            continue;
        const struct requirement *type =
            set_get(problem->sets, offering->set, problem->keys.capacity_type);
        const char *text = type != NULL && type->count == 1
                               ? vocabulary_value_text(problem->vocabulary, type->values[0])
                               : "";
        if (strcmp(text, CAPACITY_TYPE_RESERVED) == 0)
            return false;
        spot = spot || strcmp(text, CAPACITY_TYPE_SPOT) == 0;
    }
    return spot;
}

// True if enough machines of the list could replace this one, or if the list is short anyway.
static bool is_flexible(struct packing *packing, const struct packing_machines *machines,
                        const struct packing_machine *machine)
{
    struct problem *problem = packing->problem;
    uint32_t wanted = is_spot(packing, machines, machine->row) ? CHOICES_SPOT : CHOICES_ON_DEMAND;
    if (machines->sold_count < wanted)
        return true;
    memset(packing->asked, 0, problem->dimensions.count * sizeof *packing->asked);
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (packing->dimensions[d] < PACKING_VOLUMES)
            packing->asked[packing->dimensions[d]] = machine->room[d];
    packing->rows.bits = machines->template->table->count;
    if (!template_fits(problem, machines->template, packing->asked, packing->rows))
        return false;
    uint32_t choices = 0;
    for (uint32_t w = 0; w < bitset_words(packing->rows.bits); w++)
        choices += (uint32_t)__builtin_popcountll(packing->rows.words[w] & machines->sold.words[w]);
    return choices >= wanted;
}

// The surcharge on machines that few others can replace.
static int64_t scarcity(struct packing *packing, const struct packing_machines *machines,
                        const struct packing_machine *machine)
{
    if (packing->margin <= 0 || is_flexible(packing, machines, machine))
        return 0;
    packing->margin_counted = true;
    int64_t price = machines->prices[machine->row];
    return (int64_t)((double)price * (1 + packing->margin)) - price;
}

static int compare_machines(const void *a, const void *b, void *context)
{
    const struct packing_machine *x = a, *y = b;
    const struct type_table *table = context;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    int names = strcmp(table->rows[x->row].type->name, table->rows[y->row].type->name);
    return names != 0 ? names : x->row < y->row ? -1 : x->row > y->row;
}

// SCH-245: enough instance types have the room of this one.
static bool leaves_min_values(struct packing *packing, const struct packing_machines *machines,
                              uint32_t row)
{
    assert(machines->prices[row] != INT64_MAX);
    if (!machines->template->has_min_values)
        return true;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct problem *problem = packing->problem;
    const struct type_table *table = machines->template->table;
    int64_t *room = arena_allocate_array(scratch, packing->dimensions_count, sizeof *room);
    int64_t *other = arena_allocate_array(scratch, packing->dimensions_count, sizeof *other);
    struct bitset rows = bitset_create(scratch, table->count);
    packing_machines_room(packing, machines->template, row, room);
    for (uint32_t r = 0; r < table->count; r++) {
        if (machines->prices[r] == INT64_MAX)
            continue;
        packing_machines_room(packing, machines->template, r, other);
        if (holds(packing, other, room))
            bitset_set(rows, r);
    }
    uint32_t *keys =
        arena_allocate_array(scratch, problem->sets->sets[machines->set].count + 1, sizeof *keys);
    return unmet_min_values(problem, table, rows, machines->set, keys) == 0;
}

static void find_prices(struct packing *packing, struct packing_machines *machines,
                        const struct row_filter *filter)
{
    const struct node_template *template = machines->template;
    uint32_t count = template->table->count;
    machines->prices = arena_allocate_array(packing->arena, count + 1, sizeof(int64_t));
    machines->sold = bitset_create(packing->arena, count);
    for (uint32_t r = 0; r < count; r++) {
        bool sold = bitset_has(filter->both, r) && bitset_has(template->rows, r) &&
                    bitset_has(template->nonnegative, r) && filter->cheapest[r] < INT64_MAX;
        machines->prices[r] = sold ? filter->cheapest[r] : INT64_MAX;
        if (!sold)
            continue;
        bitset_set(machines->sold, r);
        machines->sold_count++;
    }
}

// Adds a machine of the row with this much room, unless a machine of the list is better. Takes the
// room if it returns true. The list is in heap memory.
static bool add_machine(struct packing *packing, struct packing_machines *machines,
                        machine_list *list, uint32_t row, int64_t burst, const int64_t *room)
{
    int64_t price = quantity_add(machines->prices[row], burst);
    int64_t beside =
        node_costs_beside(price, packing->price_scale, packing->problem->catalog.node_cost);
    struct packing_machine machine = {row, quantity_add(price, beside), room};
    machines->items = list->items;
    machines->count = list->count;
    if (!machines->template->has_limits && is_dominated(packing, machines, &machine))
        return false;
    machine.price = quantity_add(machine.price, scarcity(packing, machines, &machine));
    if (!leaves_min_values(packing, machines, row))
        return false;
    vector_push(list, machine);
    return true;
}

// A burstable machine costs the more the more cpu is requested of it. It is listed several times:
// with the cpu that costs nothing beside its price, and in steps up to all of it.
static void add_burstable(struct packing *packing, struct packing_machines *machines,
                          machine_list *list, uint32_t row, const int64_t *room)
{
    uint32_t cpu = packing_dimension_of(packing, DIMENSION_CPU);
    struct row_burst burst = machines->template->bursts[row];
    int64_t whole = cpu == NONE ? 0 : room[cpu];
    int64_t least = burst.free_cpu > 0 ? burst.free_cpu : 0;
    for (int64_t step = 0; step <= BURST_STEPS; step++) {
        int64_t cap = least < whole ? least + (whole - least) * step / BURST_STEPS : whole;
        int64_t *own = arena_allocate_array(packing->arena, packing->dimensions_count, sizeof *own);
        memcpy(own, room, packing->dimensions_count * sizeof *own);
        if (cpu != NONE)
            own[cpu] = cap;
        add_machine(packing, machines, list, row, price_burst_cost(burst, cap), own);
        if (cap == whole)
            return;
    }
}

static machine_list find_machines(struct packing *packing, struct packing_machines *machines,
                                  const struct row_filter *filter)
{
    const struct node_template *template = machines->template;
    machine_list list = {0};
    int64_t *room = NULL;
    for (uint32_t i = 0; i < template->table->count; i++) {
        uint32_t row = filter->by_price[i];
        bool burstable = template->bursts != NULL && template->bursts[row].rate > 0;
        if (machines->prices[row] == INT64_MAX)
            continue;
        if (room == NULL)
            room = arena_allocate_array(packing->arena, packing->dimensions_count, sizeof *room);
        packing_machines_room(packing, template, row, room);
        if (burstable)
            add_burstable(packing, machines, &list, row, room);
        else if (add_machine(packing, machines, &list, row, 0, room))
            room = NULL;
    }
    return list;
}

static struct packing_machines *make_machines(struct packing *packing,
                                              const struct node_template *template, uint32_t set)
{
    const struct row_filter *filter = type_table_prices(packing->problem, template->table, set);
    struct packing_machines *machines = arena_allocate(packing->arena, sizeof *machines);
    *machines = (struct packing_machines){.template = template, .set = set};
    find_prices(packing, machines, filter);
    machine_list list = find_machines(packing, machines, filter);
    uint32_t count = machines->count = list.count;
    machines->items = arena_allocate_array(packing->arena, count + 1, sizeof *machines->items);
    machines->bounds = arena_allocate_array(packing->arena, count + 1, sizeof(double));
    machines->worth = arena_allocate_array(packing->arena, count + 1, sizeof(double));
    machines->fitting = arena_allocate_array(packing->arena, count + 1, sizeof *machines->fitting);
    if (count > 0)
        memcpy(machines->items, list.items, count * sizeof *list.items);
    vector_free(&list);
    qsort_r(machines->items, count, sizeof *machines->items, compare_machines, template->table);
    return machines;
}

const struct packing_machines *packing_machines_of(struct packing *packing,
                                                   const struct node_template *template,
                                                   uint32_t set)
{
    assert(template->index < packing->problem->templates.count);
    uint32_t known = memo_get(&packing->machines_index, template->index, set);
    if (known != MEMO_NONE)
        return packing->machine_lists.items[known];
    struct packing_machines *machines = make_machines(packing, template, set);
    machines->index = packing->machine_lists.count;
    vector_push(&packing->machine_lists, machines);
    memo_set(&packing->machines_index, template->index, set, machines->index);
    return machines;
}

#define NOT_NARROWED (MEMO_NONE - 1)

const struct packing_machines *packing_machines_with(struct packing *packing,
                                                     const struct packing_machines *machines,
                                                     uint32_t item_group)
{
    uint32_t known = memo_get(&packing->narrowed, machines->index, item_group);
    if (known != MEMO_NONE)
        return known == NOT_NARROWED ? NULL : packing->machine_lists.items[known];
    struct requirement_sets *sets = packing->problem->sets;
    const struct packing_item_group *wanted = &packing->item_groups.items[item_group];
    const struct packing_template_choice *template_choice =
        &packing->template_choices.items[wanted->template_choice];
    const struct packing_machines *answer = NULL;
    for (uint32_t i = 0; i < template_choice->count && answer == NULL; i++)
        if (template_choice->templates[i] == machines->template->index &&
            sets_compatible(sets, machines->set, wanted->set, true))
            answer = packing_machines_of(packing, machines->template,
                                         set_meet(sets, machines->set, wanted->set));
    memo_set(&packing->narrowed, machines->index, item_group,
             answer == NULL ? NOT_NARROWED : answer->index);
    return answer;
}

// SCH-519: the limits allow one more machine of the row.
static bool within_limits(const struct packing *packing, const struct packing_machines *machines,
                          uint32_t row)
{
    const struct node_template *template = machines->template;
    const int64_t *left = packing->limits[template->index];
    if (left == NULL)
        return true;
    if (template->has_node_limit && left[DIMENSION_NODES] <= 0)
        return false;
    for (uint32_t d = 0; d < packing->problem->dimensions.count; d++)
        if (template->limits[d] != INT64_MAX && template->table->rows[row].capacity[d] > left[d])
            return false;
    return true;
}

uint32_t packing_machines_find(const struct packing *packing,
                               const struct packing_machines *machines, const int64_t *used,
                               uint32_t from)
{
    for (uint32_t i = from; i < machines->count; i++)
        if (holds(packing, machines->items[i].room, used) &&
            within_limits(packing, machines, machines->items[i].row))
            return i;
    return machines->count;
}

// --- estimate of the total price -----------------------------------------------------------------

struct scale {
    struct packing *packing;
    struct covering *covering;
    double *needed; // by dimension; 0: none, or no machine has any
    int64_t *room;
    struct covering_entry *entries;
};

// Adds the template's machines, used whole, as columns; amounts are relative to what is needed.
static void add_columns(struct scale *scale, const struct node_template *template)
{
    struct packing *packing = scale->packing;
    const struct row_filter *prices =
        type_table_prices(packing->problem, template->table, template->set);
    uint32_t cpu = packing_dimension_of(packing, DIMENSION_CPU);
    bitset_for_each (r, template->rows) {
        uint32_t count = 0, row = 0;
        if (prices->cheapest[r] == INT64_MAX)
            continue;
        packing_machines_room(packing, template, r, scale->room);
        for (uint32_t d = 0; d < packing->dimensions_count; d++) {
            if (scale->needed[d] > 0 && scale->room[d] > 0)
                scale->entries[count++] = (struct covering_entry){
                    row, SCALE_DEMAND * (double)scale->room[d] / scale->needed[d]};
            row += scale->needed[d] > 0;
        }
        int64_t burst = cpu != NONE ? row_burst_cost(template, r, scale->room[cpu]) : 0;
        covering_add(scale->covering, price_to_double(quantity_add(prices->cheapest[r], burst)),
                     scale->entries, count);
    }
}

// The dimensions that some machine has, as rows.
static uint32_t find_needed(struct scale *scale, double *demand)
{
    struct packing *packing = scale->packing;
    uint32_t rows = 0;
    for (uint32_t d = 0; d < packing->dimensions_count; d++) {
        bool offered = false;
        for (uint32_t t = 0; t < packing->problem->templates.count && !offered; t++) {
            const struct node_template *template = packing->problem->templates.items[t];
            if (!template->lowest_price)
                continue;
            const struct row_filter *prices =
                type_table_prices(packing->problem, template->table, template->set);
            bitset_for_each (r, template->rows) {
                packing_machines_room(packing, template, r, scale->room);
                offered = offered || (scale->room[d] > 0 && prices->cheapest[r] < INT64_MAX);
            }
        }
        vector_for_each (item, &packing->items)
            scale->needed[d] += offered ? (double)item->need[d] * item->count : 0;
        if (scale->needed[d] > 0)
            demand[rows++] = SCALE_DEMAND;
    }
    return rows;
}

double packing_machines_scale(struct packing *packing)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    uint32_t dimensions = packing->dimensions_count;
    struct scale scale = {.packing = packing};
    double *demand = arena_allocate_array(arena, dimensions + 1, sizeof *demand);
    scale.needed = arena_allocate_array(arena, dimensions + 1, sizeof *scale.needed);
    scale.room = arena_allocate_array(arena, dimensions + 1, sizeof *scale.room);
    scale.entries = arena_allocate_array(arena, dimensions + 1, sizeof *scale.entries);
    uint32_t rows = find_needed(&scale, demand);
    if (rows == 0)
        return 0;
    scale.covering = covering_create(arena, demand, rows, SCALE_PENALTY);
    for (uint32_t t = 0; t < packing->problem->templates.count; t++)
        if (packing->problem->templates.items[t]->lowest_price)
            add_columns(&scale, packing->problem->templates.items[t]);
    covering_solve(scale.covering, SCALE_PIVOTS);
    return covering_cost(scale.covering) * SCALE_NANO;
}
