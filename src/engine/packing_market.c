// Machines that a node of given requirements can be (packing.h; SCH-550 step 2, SCH-505, SCH-507).
#include <string.h>

#include "base/quantity.h"
#include "engine/instance_types.h"
#include "engine/packing.h"
#include "engine/templates.h"

void packing_market_room(const struct packing *packing, const struct node_template *template,
                         uint32_t row, int64_t *room)
{
    const struct row *machine = &template->table->rows[row];
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        room[d] = machine->allocatable[packing->dimensions[d]];
    for (uint32_t g = 0; g < template->groups_count; g++) {
        if (!bitset_has(template->groups[g].rows, row))
            continue;
        for (uint32_t d = 0; d < packing->dimensions_count; d++)
            room[d] =
                quantity_subtract(room[d], template->groups[g].overhead[packing->dimensions[d]]);
        return;
    }
}

static bool holds(const struct packing *packing, const int64_t *room, const int64_t *used)
{
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (used[d] > room[d])
            return false;
    return true;
}

// Whether a machine that costs no more has as much of everything.
static bool is_dominated(const struct packing *packing, const struct packing_market *market,
                         const int64_t *room)
{
    for (uint32_t i = market->count; i > 0; i--)
        if (holds(packing, market->offers[i - 1].room, room))
            return true;
    return false;
}

// SCH-245: enough kinds of machine would carry whatever this one does.
static bool leaves_min_values(struct packing *packing, const struct packing_market *market,
                              uint32_t row)
{
    if (!market->template->has_min_values)
        return true;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct problem *problem = packing->problem;
    const struct type_table *table = market->template->table;
    int64_t *room = arena_allocate_array(scratch, packing->dimensions_count, sizeof *room);
    int64_t *other = arena_allocate_array(scratch, packing->dimensions_count, sizeof *other);
    struct bitset rows = bitset_create(scratch, table->count);
    packing_market_room(packing, market->template, row, room);
    for (uint32_t r = 0; r < table->count; r++) {
        if (market->prices[r] == INT64_MAX)
            continue;
        packing_market_room(packing, market->template, r, other);
        if (holds(packing, other, room))
            bitset_set(rows, r);
    }
    uint32_t *keys =
        arena_allocate_array(scratch, problem->sets->sets[market->set].count + 1, sizeof *keys);
    return unmet_min_values(problem, table, rows, market->set, keys) == 0;
}

static struct packing_market *make_market(struct packing *packing,
                                          const struct node_template *template, uint32_t set)
{
    struct type_table *table = template->table;
    const struct row_filter *filter = type_table_prices(packing->problem, table, set);
    struct packing_market *market = arena_allocate(packing->arena, sizeof *market);
    *market = (struct packing_market){.template = template, .set = set};
    market->prices = arena_allocate_array(packing->arena, table->count + 1, sizeof(int64_t));
    for (uint32_t r = 0; r < table->count; r++) {
        bool sold = bitset_has(filter->both, r) && bitset_has(template->rows, r) &&
                    bitset_has(template->nonnegative, r);
        market->prices[r] = sold ? filter->cheapest[r] : INT64_MAX;
    }
    VECTOR(struct packing_offer) offers = {0};
    int64_t *room = NULL;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t row = filter->by_price[i];
        if (market->prices[row] == INT64_MAX)
            continue;
        if (room == NULL)
            room = arena_allocate_array(packing->arena, packing->dimensions_count, sizeof *room);
        packing_market_room(packing, template, row, room);
        market->offers = offers.items;
        market->count = offers.count;
        bool useless = !template->has_limits && is_dominated(packing, market, room);
        if (useless || !leaves_min_values(packing, market, row))
            continue;
        vector_push(&offers, (struct packing_offer){row, market->prices[row], room});
        room = NULL;
    }
    market->count = offers.count;
    market->offers =
        arena_allocate_array(packing->arena, offers.count + 1, sizeof *market->offers);
    market->bounds = arena_allocate_array(packing->arena, offers.count + 1, sizeof(double));
    market->fitting =
        arena_allocate_array(packing->arena, offers.count + 1, sizeof *market->fitting);
    market->worth = arena_allocate_array(packing->arena, offers.count + 1, sizeof(double));
    if (offers.count > 0)
        memcpy(market->offers, offers.items, offers.count * sizeof *offers.items);
    vector_free(&offers);
    return market;
}

const struct packing_market *packing_market_of(struct packing *packing,
                                               const struct node_template *template, uint32_t set)
{
    uint32_t known = memo_get(&packing->market_index, template->index, set);
    if (known != MEMO_NONE)
        return packing->markets.items[known];
    struct packing_market *market = make_market(packing, template, set);
    market->index = packing->markets.count;
    vector_push(&packing->markets, market);
    memo_set(&packing->market_index, template->index, set, market->index);
    return market;
}

#define NO_LEAD (MEMO_NONE - 1)

const struct packing_market *packing_market_with(struct packing *packing,
                                                 const struct packing_market *market,
                                                 uint32_t flavour)
{
    uint32_t known = memo_get(&packing->leads, market->index, flavour);
    if (known != MEMO_NONE)
        return known == NO_LEAD ? NULL : packing->markets.items[known];
    struct requirement_sets *sets = packing->problem->sets;
    const struct packing_flavour *wanted = &packing->flavours.items[flavour];
    const struct packing_menu *menu = &packing->menus.items[wanted->menu];
    const struct packing_market *answer = NULL;
    for (uint32_t i = 0; i < menu->count && answer == NULL; i++)
        if (menu->templates[i] == market->template->index &&
            sets_compatible(sets, market->set, wanted->set, true))
            answer = packing_market_of(packing, market->template,
                                       set_meet(sets, market->set, wanted->set));
    memo_set(&packing->leads, market->index, flavour, answer == NULL ? NO_LEAD : answer->index);
    return answer;
}

// SCH-519: one more machine of the row would still be within the limits.
static bool within_limits(const struct packing *packing, const struct packing_market *market,
                          uint32_t row)
{
    const struct node_template *template = market->template;
    const int64_t *left = packing->limits[template->index];
    if (left == NULL)
        return true;
    if (template->has_node_limit && left[DIMENSION_NODES] <= 0)
        return false;
    for (uint32_t d = 0; d < packing->problem->dimensions; d++)
        if (template->limits[d] != INT64_MAX &&
            template->table->rows[row].capacity[d] > left[d])
            return false;
    return true;
}

uint32_t packing_market_find(const struct packing *packing, const struct packing_market *market,
                             const int64_t *used, uint32_t from)
{
    for (uint32_t i = from; i < market->count; i++)
        if (holds(packing, market->offers[i].room, used) &&
            within_limits(packing, market, market->offers[i].row))
            return i;
    return market->count;
}
