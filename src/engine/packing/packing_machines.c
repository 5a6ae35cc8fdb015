#include "engine/packing/packing_machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/packing/packing.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/node_cost.h"
#include "engine/templates/templates.h"

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

void packing_machines_room(const struct packing *packing, const struct node_template *template,
                           uint32_t row, int64_t *room)
{
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

// Whether a machine that counts for no more has as much of everything.
static bool is_dominated(const struct packing *packing, const struct packing_machines *market,
                         const struct packing_machine *offer)
{
    for (uint32_t i = market->count; i > 0; i--)
        if (market->offers[i - 1].price <= offer->price &&
            holds(packing, market->offers[i - 1].room, offer->room))
            return true;
    return false;
}

// --- what a machine counts as --------------------------------------------------------------------

#define CHOICES_SPOT      15 // instance types that a node should have to choose from (SCH-503)
#define CHOICES_ON_DEMAND 5

// What would be launched of the offerings that cost the same: reserved capacity, then spot.
static bool is_spot(const struct packing *packing, const struct packing_machines *market,
                    uint32_t row)
{
    const struct problem *problem = packing->problem;
    bool spot = false;
    list_for_each (offering, &market->template->table->rows[row].offerings) {
        if (offering->price != market->prices[row] ||
            !sets_compatible(problem->sets, market->set, offering->set, true))
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

// Whether enough machines of the market could stand in for this one. Where there are not so many
// machines at all, nothing is lost.
static bool is_flexible(struct packing *packing, const struct packing_machines *market,
                        const struct packing_machine *offer)
{
    struct problem *problem = packing->problem;
    uint32_t wanted = is_spot(packing, market, offer->row) ? CHOICES_SPOT : CHOICES_ON_DEMAND;
    if (market->sold_count < wanted)
        return true;
    memset(packing->asked, 0, problem->dimensions.count * sizeof *packing->asked);
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        if (packing->dimensions[d] < PACKING_VOLUMES)
            packing->asked[packing->dimensions[d]] = offer->room[d];
    packing->rows.bits = market->template->table->count;
    if (!template_fits(problem, market->template, packing->asked, packing->rows))
        return false;
    uint32_t choices = 0;
    for (uint32_t w = 0; w < bitset_words(packing->rows.bits); w++)
        choices += (uint32_t)__builtin_popcountll(packing->rows.words[w] & market->sold.words[w]);
    return choices >= wanted;
}

// What machines count for that few others can stand in for, beyond what they cost.
static int64_t scarcity(struct packing *packing, const struct packing_machines *market,
                        const struct packing_machine *offer)
{
    if (packing->margin <= 0 || is_flexible(packing, market, offer))
        return 0;
    packing->margin_counted = true;
    int64_t price = market->prices[offer->row];
    return (int64_t)((double)price * (1 + packing->margin)) - price;
}

static int compare_offers(const void *a, const void *b, void *context)
{
    const struct packing_machine *x = a, *y = b;
    const struct type_table *table = context;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    int names = strcmp(table->rows[x->row].type->name, table->rows[y->row].type->name);
    return names != 0 ? names : x->row < y->row ? -1 : x->row > y->row;
}

// SCH-245: enough kinds of machine would carry whatever this one does.
static bool leaves_min_values(struct packing *packing, const struct packing_machines *market,
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
    packing_machines_room(packing, market->template, row, room);
    for (uint32_t r = 0; r < table->count; r++) {
        if (market->prices[r] == INT64_MAX)
            continue;
        packing_machines_room(packing, market->template, r, other);
        if (holds(packing, other, room))
            bitset_set(rows, r);
    }
    uint32_t *keys =
        arena_allocate_array(scratch, problem->sets->sets[market->set].count + 1, sizeof *keys);
    return unmet_min_values(problem, table, rows, market->set, keys) == 0;
}

static void find_prices(struct packing *packing, struct packing_machines *market,
                        const struct row_filter *filter)
{
    const struct node_template *template = market->template;
    uint32_t count = template->table->count;
    market->prices = arena_allocate_array(packing->arena, count + 1, sizeof(int64_t));
    market->sold = bitset_create(packing->arena, count);
    for (uint32_t r = 0; r < count; r++) {
        bool sold = bitset_has(filter->both, r) && bitset_has(template->rows, r) &&
                    bitset_has(template->nonnegative, r) && filter->cheapest[r] < INT64_MAX;
        market->prices[r] = sold ? filter->cheapest[r] : INT64_MAX;
        if (!sold)
            continue;
        bitset_set(market->sold, r);
        market->sold_count++;
    }
}

// The offers, in heap memory; market->offers and market->count follow.
static struct packing_machine *find_offers(struct packing *packing, struct packing_machines *market,
                                           const struct row_filter *filter)
{
    const struct node_template *template = market->template;
    VECTOR(struct packing_machine) offers = {0};
    int64_t *room = NULL;
    for (uint32_t i = 0; i < template->table->count; i++) {
        uint32_t row = filter->by_price[i];
        if (market->prices[row] == INT64_MAX)
            continue;
        if (room == NULL)
            room = arena_allocate_array(packing->arena, packing->dimensions_count, sizeof *room);
        packing_machines_room(packing, template, row, room);
        market->offers = offers.items;
        market->count = offers.count;
        int64_t beside = node_costs_beside(market->prices[row], packing->price_scale,
                                           packing->problem->catalog.node_cost);
        struct packing_machine offer = {row, quantity_add(market->prices[row], beside), room};
        if (!template->has_limits && is_dominated(packing, market, &offer))
            continue;
        offer.price = quantity_add(offer.price, scarcity(packing, market, &offer));
        if (!leaves_min_values(packing, market, row))
            continue;
        vector_push(&offers, offer);
        room = NULL;
    }
    market->count = offers.count;
    return offers.items;
}

static struct packing_machines *make_market(struct packing *packing,
                                            const struct node_template *template, uint32_t set)
{
    const struct row_filter *filter = type_table_prices(packing->problem, template->table, set);
    struct packing_machines *market = arena_allocate(packing->arena, sizeof *market);
    *market = (struct packing_machines){.template = template, .set = set};
    find_prices(packing, market, filter);
    struct packing_machine *offers = find_offers(packing, market, filter);
    uint32_t count = market->count;
    market->offers = arena_allocate_array(packing->arena, count + 1, sizeof *market->offers);
    market->bounds = arena_allocate_array(packing->arena, count + 1, sizeof(double));
    market->worth = arena_allocate_array(packing->arena, count + 1, sizeof(double));
    market->fitting = arena_allocate_array(packing->arena, count + 1, sizeof *market->fitting);
    if (count > 0)
        memcpy(market->offers, offers, count * sizeof *offers);
    free(offers);
    qsort_r(market->offers, count, sizeof *market->offers, compare_offers, template->table);
    return market;
}

const struct packing_machines *packing_machines_of(struct packing *packing,
                                                   const struct node_template *template,
                                                   uint32_t set)
{
    uint32_t known = memo_get(&packing->market_index, template->index, set);
    if (known != MEMO_NONE)
        return packing->markets.items[known];
    struct packing_machines *market = make_market(packing, template, set);
    market->index = packing->markets.count;
    vector_push(&packing->markets, market);
    memo_set(&packing->market_index, template->index, set, market->index);
    return market;
}

#define NO_LEAD (MEMO_NONE - 1)

const struct packing_machines *packing_machines_with(struct packing *packing,
                                                     const struct packing_machines *market,
                                                     uint32_t flavour)
{
    uint32_t known = memo_get(&packing->leads, market->index, flavour);
    if (known != MEMO_NONE)
        return known == NO_LEAD ? NULL : packing->markets.items[known];
    struct requirement_sets *sets = packing->problem->sets;
    const struct packing_item_group *wanted = &packing->flavours.items[flavour];
    const struct packing_menu *menu = &packing->menus.items[wanted->menu];
    const struct packing_machines *answer = NULL;
    for (uint32_t i = 0; i < menu->count && answer == NULL; i++)
        if (menu->templates[i] == market->template->index &&
            sets_compatible(sets, market->set, wanted->set, true))
            answer = packing_machines_of(packing, market->template,
                                         set_meet(sets, market->set, wanted->set));
    memo_set(&packing->leads, market->index, flavour, answer == NULL ? NO_LEAD : answer->index);
    return answer;
}

// SCH-519: one more machine of the row would still be within the limits.
static bool within_limits(const struct packing *packing, const struct packing_machines *market,
                          uint32_t row)
{
    const struct node_template *template = market->template;
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

uint32_t packing_machines_find(const struct packing *packing, const struct packing_machines *market,
                               const int64_t *used, uint32_t from)
{
    for (uint32_t i = from; i < market->count; i++)
        if (holds(packing, market->offers[i].room, used) &&
            within_limits(packing, market, market->offers[i].row))
            return i;
    return market->count;
}

// --- about what everything costs -----------------------------------------------------------------

// Lowers the prices of a unit, by packing dimension, to those of the template's machines.
static void lower_units(struct packing *packing, const struct node_template *template,
                        double *units, int64_t *room)
{
    const struct row_filter *prices =
        type_table_prices(packing->problem, template->table, template->set);
    bitset_for_each (r, template->rows) {
        if (prices->cheapest[r] == INT64_MAX)
            continue;
        packing_machines_room(packing, template, r, room);
        for (uint32_t d = 0; d < packing->dimensions_count; d++)
            if (room[d] > 0 && (double)prices->cheapest[r] < units[d] * (double)room[d])
                units[d] = (double)prices->cheapest[r] / (double)room[d];
    }
}

double packing_machines_scale(struct packing *packing)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    uint32_t dimensions = packing->dimensions_count;
    double *units = arena_allocate_array(scratch, dimensions + 1, sizeof *units), most = 0;
    int64_t *room = arena_allocate_array(scratch, dimensions + 1, sizeof *room);
    for (uint32_t d = 0; d < dimensions; d++)
        units[d] = INFINITY;
    for (uint32_t t = 0; t < packing->problem->templates.count; t++)
        if (packing->problem->templates.items[t]->lowest_price)
            lower_units(packing, packing->problem->templates.items[t], units, room);
    for (uint32_t d = 0; d < dimensions; d++) {
        double needed = 0;
        vector_for_each (kind, &packing->kinds)
            needed += (double)kind->need[d] * kind->count;
        double paid = isinf(units[d]) ? 0 : needed * units[d];
        most = paid > most ? paid : most;
    }
    return most;
}
