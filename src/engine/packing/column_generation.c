#include "engine/packing/column_generation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/packing/covering_lp.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_bound.h"
#include "engine/packing/packing_columns.h"
#include "engine/packing/packing_dive.h"
#include "engine/packing/packing_fill.h"
#include "engine/packing/packing_machines.h"
#include "engine/packing/packing_pricing.h"

#define ROWS_MAX              160 // more sizes share rows
#define SAMPLE_A_ROW          3
#define ROUNDS_MAX            150
#define PACKINGS              4 // first rounds, which pack everything
#define COLUMNS_A_PACKING_ROW 8 // columns of one packing, at most, for each row
#define FAILURES_A_ROUND      40
#define SMOOTHING             0.5 // weight of new duals beside old ones
#define PIVOTS_MAX            1000
#define PRICE_RATIO_MAX       1.1 // relative price limit of a column's copy in other domains
#define NANOUSD               1e9
#define PENALTY               1e7 // USD an hour for a whole row: more than any machines for it
#define STEPS_A_POD           UINT64_C(1500) // of the budget, beside the caller's

struct size { // a row
    uint32_t base_group;
    int32_t cap; // units that fit one node
    double count, *need;
    uint32_t most;                // units of all items together that fit one node, room aside
    uint32_t items[SAMPLE_A_ROW]; // the most frequent ones; NONE: no more
};
struct program {
    struct packing *packing;
    struct arena *arena;
    uint32_t *row_of;            // by item
    uint32_t *by_row, *first_of; // items by row; start of each row
    VECTOR(struct size) sizes;
    struct covering *covering;
    VECTOR(struct packing_bin *) columns;
    struct packing_pricing pricing;
};

// --- rows ----------------------------------------------------------------------------------------

static int32_t cap_of(const struct packing_item *item)
{
    int32_t cap = item->ports.count > 0 ? 1 : PACKING_NO_LIMIT;
    for (uint32_t i = 0; i < item->rules_count; i++)
        if (item->rules[i].adds > 0 && item->rules[i].limit != PACKING_NO_LIMIT &&
            item->rules[i].limit / item->rules[i].adds < cap)
            cap = item->rules[i].limit / item->rules[i].adds;
    return cap;
}

// The need in logarithmic steps of a factor of 2^(1/fineness); 0: exact.
static int64_t rounded(int64_t need, uint32_t fineness)
{
    return fineness == 0 || need <= 0 ? need : (int64_t)ceil(log2((double)need) * fineness);
}

static void add_identity(const struct packing *packing, const struct packing_item *item,
                         uint32_t fineness, struct text *text)
{
    text_clear(text);
    text_format(text, "%x %x", packing->item_groups.items[item->item_group].base_group,
                (unsigned)cap_of(item));
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        text_format(text, " %llx", (unsigned long long)rounded(item->need[d], fineness));
}

static void group_items(struct program *program, uint32_t fineness)
{
    struct packing *packing = program->packing;
    struct map *rows = map_create();
    struct text text = {0};
    program->sizes.count = 0;
    for (uint32_t k = 0; k < packing->items.count; k++) {
        const struct packing_item *item = &packing->items.items[k];
        add_identity(packing, item, fineness, &text);
        uintptr_t row = (uintptr_t)map_get(rows, text.data);
        if (row == 0) {
            struct size size = {
                packing->item_groups.items[item->item_group].base_group, cap_of(item), 0,
                arena_allocate_array(program->arena, packing->dimensions_count, sizeof(double)), 0};
            for (uint32_t i = 0; i < SAMPLE_A_ROW; i++)
                size.items[i] = NONE;
            vector_push(&program->sizes, size);
            row = program->sizes.count;
            map_set(rows, text.data, (void *)row);
        }
        struct size *size = &program->sizes.items[row - 1];
        assert(item->count > 0);
        program->row_of[k] = (uint32_t)row - 1;
        size->count += item->count;
        size->most += item->count < (uint32_t)size->cap ? item->count : (uint32_t)size->cap;
        for (uint32_t d = 0; d < packing->dimensions_count; d++)
            size->need[d] += (double)item->need[d] * item->count;
    }
    vector_for_each (size, &program->sizes)
        for (uint32_t d = 0; d < packing->dimensions_count; d++)
            size->need[d] /= size->count;
    assert(program->sizes.count <= packing->items.count);
    text_free(&text);
    map_destroy(rows, NULL);
}

static void find_rows(struct program *program)
{
    struct packing *packing = program->packing;
    program->row_of =
        arena_allocate_array(program->arena, packing->items.count + 1, sizeof *program->row_of);
    group_items(program, 0);
    uint32_t rows = 0;
    for (uint32_t k = 0; k < packing->items.count; k++) {
        packing->items.items[k].stands_for_all = program->row_of[k] == rows;
        packing->items.items[k].alike = program->sizes.items[program->row_of[k]].most;
        rows += program->row_of[k] == rows;
    }
    for (uint32_t fineness = 16; program->sizes.count > ROWS_MAX && fineness > 0; fineness /= 2)
        group_items(program, fineness);
}

// --- values --------------------------------------------------------------------------------------

// Updates the items' values: the row's dual, scaled by the item's need against the row's average.
// `share` weighs the new value against the old one: duals oscillate, and smoothed values converge
// faster.
static void take_values(struct program *program, double share)
{
    struct packing *packing = program->packing;
    for (uint32_t k = 0; k < packing->items.count; k++) {
        struct packing_item *item = &packing->items.items[k];
        const struct size *size = &program->sizes.items[program->row_of[k]];
        assert(size->count > 0);
        double ratio = 0, parts = 0;
        for (uint32_t d = 0; d < packing->dimensions_count; d++)
            if (size->need[d] > 0) {
                ratio += (double)item->need[d] / size->need[d];
                parts++;
            }
        double dual = covering_dual(program->covering, program->row_of[k]) / size->count;
        item->value =
            (1 - share) * item->value + share * dual * NANOUSD * (parts > 0 ? ratio / parts : 1);
    }
}

// --- columns -------------------------------------------------------------------------------------

static void add_column(struct program *program, struct packing_bin *bin)
{
    assert(bin->machine < bin->machines->count);
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct covering_entry *entries =
        arena_allocate_array(scratch, bin->contents.count, sizeof *entries);
    uint32_t count = 0;
    vector_for_each (content, &bin->contents) {
        uint32_t row = program->row_of[content->item], i = 0;
        while (i < count && entries[i].row != row)
            i++;
        if (i == count)
            entries[count++] = (struct covering_entry){row, 0};
        entries[i].amount += content->units / program->sizes.items[row].count;
    }
    assert(count <= program->sizes.count);
    covering_add(program->covering, (double)packing_bin_price(bin) / NANOUSD, entries, count);
    vector_push(&program->columns, bin);
}

static void take_column(void *program, struct packing_bin *bin)
{
    add_column(program, bin);
}

// The items that represent a row: the most frequent ones.
static void sample_items(struct program *program)
{
    struct packing *packing = program->packing;
    for (uint32_t k = 0; k < packing->items.count; k++) {
        uint32_t *best = program->sizes.items[program->row_of[k]].items, place = SAMPLE_A_ROW;
        while (place > 0 &&
               (best[place - 1] == NONE ||
                packing->items.items[k].count > packing->items.items[best[place - 1]].count))
            place--;
        if (place == SAMPLE_A_ROW)
            continue;
        memmove(best + place + 1, best + place, (SAMPLE_A_ROW - place - 1) * sizeof *best);
        best[place] = k;
    }
    vector_for_each (size, &program->sizes)
        for (uint32_t i = 0; i < SAMPLE_A_ROW && size->items[i] != NONE; i++)
            packing->items.items[size->items[i]].sampled = true;
}

// One machine for each row, with one of its items only, so that a solution exists.
static bool add_first_columns(struct program *program)
{
    vector_for_each (size, &program->sizes) {
        assert(size->items[0] != NONE);
        struct packing_bin *bin = packing_fill_alone(program->packing, size->items[0]);
        if (bin == NULL)
            return false;
        add_column(program, bin);
    }
    return true;
}

static bool same_contents(const struct packing_bin *a, const struct packing_bin *b)
{
    return a->machines == b->machines && a->contents.count == b->contents.count &&
           memcmp(a->contents.items, b->contents.items,
                  a->contents.count * sizeof *a->contents.items) == 0;
}

// Packs everything by the present values and adds the bins as columns, which fit each other.
static void add_packing(struct program *program)
{
    assert(program->packing->bins.count == 0);
    struct packing *packing = program->packing;
    const struct packing_bin *last = NULL;
    packing_rank(packing);
    packing_fill(packing);
    uint32_t stride = packing->bins.count / (COLUMNS_A_PACKING_ROW * program->sizes.count) + 1;
    while (packing->bins.count > 0) {
        struct packing_bin *bin;
        packing_withdraw(packing, packing->bins.count - 1, &bin);
        if ((last != NULL && same_contents(last, bin)) || packing->bins.count % stride != 0) {
            packing_bin_destroy(bin);
            continue;
        }
        add_column(program, bin);
        last = bin;
    }
}

// Makes the machine lists of the base groups; columns are fillings of these machines.
static void make_machine_lists(struct packing *packing)
{
    vector_for_each (base_group, &packing->base_groups) {
        const struct packing_template_choice *template_choice =
            &packing->template_choices.items[base_group->template_choice];
        for (uint32_t i = 0; i < template_choice->count; i++) {
            const struct node_template *template =
                packing->problem->templates.items[template_choice->templates[i]];
            packing_machines_of(packing, template,
                                set_meet(packing->problem->sets, template->set, base_group->set));
        }
    }
    packing->base_machines_count = packing->machine_lists.count;
}

// --- bins ----------------------------------------------------------------------------------------

// The item of the row with most units left, at least `units`, that fits the bin; the first of
// equals.
static uint32_t similar_item(const struct program *program, const struct packing_bin *bin,
                             uint32_t row, uint32_t units)
{
    struct packing *packing = program->packing;
    uint32_t best = NONE;
    for (uint32_t i = program->first_of[row]; i < program->first_of[row + 1]; i++) {
        uint32_t k = program->by_row[i];
        if (packing->left[k] < units || packing_bin_most(bin, &packing->items.items[k]) < units ||
            (best != NONE && packing->left[k] <= packing->left[best]))
            continue;
        if (packing_machines_with(packing, bin->machines, packing->items.items[k].item_group) !=
            NULL)
            best = k;
    }
    return best;
}

// Fills a copy of the column with other items of the same rows; false if its price is much higher.
static bool fill_similar(struct program *program, const struct packing_bin *column,
                         struct packing_bin *bin)
{
    struct packing *packing = program->packing;
    packing_bin_clear(
        packing, bin,
        packing_machines_of(packing, column->machines->template, column->machines->template->set));
    vector_for_each (content, &column->contents) {
        uint32_t k = similar_item(program, bin, program->row_of[content->item], content->units);
        if (k == NONE)
            return false;
        packing_bin_add(
            packing, bin, k, content->units,
            packing_machines_with(packing, bin->machines, packing->items.items[k].item_group));
    }
    bin->machine = packing_machines_find(packing, bin->machines, bin->used, 0);
    return bin->machine < bin->machines->count &&
           (double)packing_bin_price(bin) <= PRICE_RATIO_MAX * (double)packing_bin_price(column);
}

static void list_rows(struct program *program)
{
    uint32_t items = program->packing->items.count, rows = program->sizes.count;
    program->by_row = arena_allocate_array(program->arena, items + 1, sizeof(uint32_t));
    program->first_of = arena_allocate_array(program->arena, rows + 2, sizeof(uint32_t));
    for (uint32_t k = 0; k < items; k++)
        program->first_of[program->row_of[k] + 1]++;
    for (uint32_t r = 0; r < rows; r++)
        program->first_of[r + 1] += program->first_of[r];
    uint32_t *next = memory_copy(program->first_of, (rows + 1) * sizeof *next);
    for (uint32_t k = 0; k < items; k++)
        program->by_row[next[program->row_of[k]]++] = k;
    assert(program->first_of[rows] == items);
    free(next);
}

// Turns columns into bins as often as their value is a whole number. If a column's own items run
// out, items of the same rows in other domains replace them.
static void take_whole_columns(struct program *program)
{
    struct packing *packing = program->packing;
    struct packing_bin *other = packing_bin_create(packing, NULL);
    list_rows(program);
    for (uint32_t c = 0; c < program->columns.count; c++) {
        double wanted = covering_value(program->covering, c);
        assert(program->columns.items[c]->contents.count > 0);
        if (wanted < 1 - 1e-6)
            continue;
        uint32_t copies = (uint32_t)(wanted + 1e-6), before = packing->bins.count;
        packing_commit_copies(packing, program->columns.items[c], copies);
        while (packing->bins.count - before < copies) {
            uint32_t had = packing->bins.count;
            if (fill_similar(program, program->columns.items[c], other))
                packing_commit_copies(packing, other, 1);
            if (packing->bins.count == had)
                break;
        }
    }
    packing_bin_destroy(other);
}

// More pods take more rounds to the optimum. Rows of many unlike items are averages: being near
// their optimum does not make the packing of the items cheaper, so they get no more than others.
static void extend_steps(struct program *program)
{
    struct packing *packing = program->packing;
    if (packing->items.count <= SAMPLE_A_ROW * program->sizes.count)
        packing->steps_max += packing->greedy->input.queue_count * STEPS_A_POD;
}

// Adds columns until none is worth adding or the last rounds together gain too little.
static void solve(struct program *program)
{
    struct packing *packing = program->packing;
    double costs[ROUNDS_MAX];
    bool found = true;
    uint32_t packings = PACKINGS;
    // Rounds are cheaper and gain more if every row is one item.
    bool simple = packing->base_groups.count == 1 && packing->items.count == program->sizes.count;
    uint32_t patience = simple ? 16 : 5;
    packing->search_nodes = simple ? 3000 : 1000;
    double progress = simple ? 0.0005 : 0.002;
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        covering_solve(program->covering, PIVOTS_MAX);
        costs[round] = covering_cost(program->covering);
        bool last = round + 1 == ROUNDS_MAX || packing->steps >= packing->steps_max ||
                    (round >= packings + patience &&
                     costs[round] > costs[round - patience] * (1 - progress));
        bool exact = last || round < packings || !found;
        take_values(program, exact ? 1 : SMOOTHING);
        if (last)
            return;
        if (round < packings) {
            add_packing(program);
            if (packing->steps > packing->steps_max / 3)
                packings = round + 1;
            continue;
        }
        found = packing_price(packing, &program->pricing, round, false) ||
                packing_price(packing, &program->pricing, round, true);
        if (!found && exact)
            return;
    }
}

void column_generation(struct packing *packing)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct program program = {.packing = packing, .arena = arena};
    program.pricing.take = take_column;
    program.pricing.failures_max = FAILURES_A_ROUND;
    program.pricing.context = &program;
    make_machine_lists(packing);
    find_rows(&program);
    sample_items(&program);
    if (program.sizes.count == 0)
        return; // all claims stay as they are
    double *ones = arena_allocate_array(arena, program.sizes.count, sizeof *ones);
    for (uint32_t i = 0; i < program.sizes.count; i++)
        ones[i] = 1;
    program.covering = covering_create(arena, ones, program.sizes.count, PENALTY);
    extend_steps(&program);
    if (add_first_columns(&program)) {
        solve(&program);
        packing_bound(packing);
        packing_rank(packing);
        take_whole_columns(&program);
        packing_dive(packing, program.columns.items, program.columns.count);
    }
    vector_for_each (column, &program.columns)
        packing_bin_destroy(*column);
    vector_free(&program.columns);
    vector_free(&program.pricing.trials);
    vector_free(&program.sizes);
}
