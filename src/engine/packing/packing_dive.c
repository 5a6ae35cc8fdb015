#include "engine/packing/packing_dive.h"

#include <assert.h>
#include <string.h>

#include "engine/packing/covering_lp.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_columns.h"
#include "engine/packing/packing_fill.h"
#include "engine/packing/packing_pricing.h"

#define ITEMS_MAX        200
#define BINS_MAX         48 // made one by one in a dive
#define COLUMN_ROUNDS    3  // for each of them
#define FAILURES_A_ROUND 4
#define SEARCH_NODES     100
#define PIVOTS_MAX       400
#define NANOUSD          1e9
#define PENALTY          1e7
#define STEPS            UINT64_C(6000000)
#define STEPS_A_POD      UINT64_C(6000) // of more than 1,000
#define STEPS_MAX        UINT64_C(30000000)
#define STEPS_A_COLUMN   8     // of solving the program
#define NEAR             0.97  // of its price: what a column must be worth to be tried
#define NEAR_AGAIN       0.985 // the same of the columns of earlier dives
#define COLUMNS_MAX      600   // of those
#define LEAST            1e-6  // value of a column that counts
#define SEED             UINT64_C(0x64697665)
#define TAKEN_MIN        3 // bins taken apart for another dive
#define TAKEN_MAX        12
#define AGAIN_PODS_MAX   2000 // more pods: a single dive
#define AGAIN_MAX        100
#define WITHOUT_GAIN_MAX 10 // dives in a row that end it

typedef VECTOR(struct packing_bin *) bin_list; // heap; owns its bins

struct dive {
    struct packing *packing;
    struct arena *arena;       // of one step
    struct covering *covering; // of the units left
    double *values;            // by item: of the whole program
    uint32_t *row_of;          // by item; NONE: no units left
    uint32_t rows;
    bin_list columns, best;
    uint32_t usable;          // columns that the units left suffice for: the first ones
    VECTOR(uint32_t) entered; // by column of the program: index in `columns`
    int64_t best_price;
    uint32_t base; // bins that were there before
};

static void destroy_bins(bin_list *list)
{
    vector_for_each (bin, list)
        packing_bin_destroy(*bin);
    vector_free(list);
}

// --- the program of the units left ---------------------------------------------------------------

static bool is_possible(const struct packing *packing, const struct packing_bin *bin)
{
    vector_for_each (content, &bin->contents)
        if (content->units > packing->left[content->item])
            return false;
    return true;
}

static void enter(struct dive *dive, uint32_t column)
{
    const struct packing_bin *bin = dive->columns.items[column];
    struct covering_entry entries[ITEMS_MAX];
    assert(bin->contents.count > 0 && bin->contents.count <= ITEMS_MAX);
    for (uint32_t i = 0; i < bin->contents.count; i++) {
        const struct packing_content *content = &bin->contents.items[i];
        entries[i] =
            (struct covering_entry){dive->row_of[content->item],
                                    (double)content->units / dive->packing->left[content->item]};
    }
    covering_add(dive->covering, (double)packing_bin_price(bin) / NANOUSD, entries,
                 bin->contents.count);
    vector_push(&dive->entered, column);
}

// From now on the bin is the dive's.
static void take_column(void *context, struct packing_bin *bin)
{
    struct dive *dive = context;
    vector_push(&dive->columns, bin);
    dive->columns.items[dive->columns.count - 1] = dive->columns.items[dive->usable];
    dive->columns.items[dive->usable] = bin;
    enter(dive, dive->usable++);
}

// Units do not come back during a dive: columns that ask for more than there are wait behind the
// others for the next one.
static void drop_impossible(struct dive *dive)
{
    for (uint32_t c = 0; c < dive->usable;) {
        struct packing_bin *column = dive->columns.items[c];
        if (is_possible(dive->packing, column)) {
            c++;
            continue;
        }
        dive->columns.items[c] = dive->columns.items[--dive->usable];
        dive->columns.items[dive->usable] = column;
    }
}

static bool start_program(struct dive *dive)
{
    struct packing *packing = dive->packing;
    double ones[ITEMS_MAX];
    dive->rows = 0;
    for (uint32_t k = 0; k < packing->items.count; k++) {
        dive->row_of[k] = packing->left[k] > 0 ? dive->rows : NONE;
        if (packing->left[k] > 0)
            ones[dive->rows++] = 1;
    }
    if (dive->rows == 0)
        return false;
    dive->covering = covering_create(dive->arena, ones, dive->rows, PENALTY);
    dive->entered.count = 0;
    drop_impossible(dive);
    for (uint32_t c = 0; c < dive->usable; c++)
        enter(dive, c);
    for (uint32_t k = 0; k < packing->items.count; k++) {
        struct packing_bin *alone = packing->left[k] > 0 ? packing_fill_alone(packing, k) : NULL;
        if (alone != NULL)
            take_column(dive, alone);
        else if (packing->left[k] > 0)
            return false;
    }
    return true;
}

static void solve(struct dive *dive)
{
    struct packing *packing = dive->packing;
    covering_solve(dive->covering, PIVOTS_MAX);
    packing->steps += STEPS_A_COLUMN * dive->entered.count;
    for (uint32_t k = 0; k < packing->items.count; k++)
        packing->items.items[k].value =
            dive->row_of[k] == NONE
                ? 0
                : covering_dual(dive->covering, dive->row_of[k]) / packing->left[k] * NANOUSD;
}

// --- packings ------------------------------------------------------------------------------------

static int64_t price_of(const struct packing *packing)
{
    int64_t sum = 0;
    vector_for_each (bin, &packing->bins)
        sum += packing_bin_price(*bin);
    return sum;
}

static void keep_best(struct dive *dive)
{
    struct packing *packing = dive->packing;
    int64_t price = price_of(packing);
    if (price >= dive->best_price)
        return;
    dive->best_price = price;
    destroy_bins(&dive->best);
    for (uint32_t b = dive->base; b < packing->bins.count; b++)
        vector_push(&dive->best, packing_bin_clone(packing, packing->bins.items[b]));
}

// Fills bins for all that is left, keeps the packing if it is the best one so far, and takes the
// bins out again, as columns.
static bool complete(struct dive *dive)
{
    struct packing *packing = dive->packing;
    uint32_t before = packing->bins.count;
    packing_rank(packing);
    bool filled = packing_fill(packing);
    if (filled)
        keep_best(dive);
    bin_list made = {0};
    while (packing->bins.count > before) {
        struct packing_bin *bin;
        packing_withdraw(packing, packing->bins.count - 1, &bin);
        vector_push(&made, bin);
    }
    vector_for_each (bin, &made) // now that all units are left again
        take_column(dive, *bin);
    vector_free(&made);
    return filled;
}

// The column with the largest share of the price; NONE: only penalties are left. Large machines
// come first: small ones fill what is left in the end with less waste.
static uint32_t largest(const struct dive *dive)
{
    uint32_t best = NONE;
    double most = 0;
    for (uint32_t c = 0; c < dive->entered.count; c++) {
        double value = covering_value(dive->covering, c);
        const struct packing_bin *bin = dive->columns.items[dive->entered.items[c]];
        double share = (value < 1 ? value : 1) * (double)packing_bin_price(bin);
        if (value < LEAST || share <= most)
            continue;
        most = share;
        best = c;
    }
    return best;
}

static bool make_bin(struct dive *dive)
{
    struct packing *packing = dive->packing;
    uint32_t column = largest(dive), before = packing->bins.count;
    if (column == NONE)
        return false;
    uint32_t copies = (uint32_t)(covering_value(dive->covering, column) + 1e-6);
    packing_commit_copies(packing, dive->columns.items[dive->entered.items[column]],
                          copies > 0 ? copies : 1);
    return packing->bins.count > before;
}

static bool step(struct dive *dive)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct packing_pricing pricing = {
        .take = take_column, .context = dive, .failures_max = FAILURES_A_ROUND};
    dive->arena = arena;
    if (!start_program(dive))
        return false;
    solve(dive);
    bool going = complete(dive);
    for (uint32_t round = 0; round < COLUMN_ROUNDS && going; round++) {
        solve(dive);
        if (!packing_price(dive->packing, &pricing, round, false))
            break;
    }
    solve(dive);
    vector_free(&pricing.trials);
    return going && make_bin(dive);
}

// --- the dive ------------------------------------------------------------------------------------

static void take_near_columns(struct dive *dive, struct packing_bin *const *columns, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++)
        if (columns[c]->value >= NEAR * (double)packing_bin_price(columns[c]))
            vector_push(&dive->columns, packing_bin_clone(dive->packing, columns[c]));
}

static void commit_best(struct dive *dive)
{
    struct packing *packing = dive->packing;
    while (packing->bins.count > dive->base) {
        struct packing_bin *bin;
        packing_withdraw(packing, packing->bins.count - 1, &bin);
        packing_bin_destroy(bin);
    }
    vector_for_each (bin, &dive->best)
        packing_commit(packing, *bin);
    vector_free(&dive->best);
}

// Makes bins for the units left if they cost less than best_price with those there are.
static bool go_down(struct dive *dive)
{
    dive->base = dive->packing->bins.count;
    dive->usable = dive->columns.count;
    for (uint32_t i = 0; i < BINS_MAX && step(dive); i++)
        continue;
    bool found = dive->best.count > 0;
    commit_best(dive);
    return found;
}

// Columns that are near their price by the program's values stay; there are always more.
static void forget_columns(struct dive *dive)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < dive->columns.count; c++) {
        struct packing_bin *column = dive->columns.items[c];
        double value = 0;
        vector_for_each (content, &column->contents)
            value += dive->values[content->item] * content->units;
        if (kept < COLUMNS_MAX && value >= NEAR_AGAIN * (double)packing_bin_price(column))
            dive->columns.items[kept++] = column;
        else
            packing_bin_destroy(column);
    }
    dive->columns.count = kept;
}

// Takes some bins apart and dives again.
static bool again(struct dive *dive, struct random *random)
{
    struct packing *packing = dive->packing;
    bin_list taken = {0};
    dive->best_price = price_of(packing);
    forget_columns(dive);
    uint32_t count = TAKEN_MIN + (uint32_t)random_below(random, TAKEN_MAX - TAKEN_MIN + 1);
    while (taken.count < count && packing->bins.count > 0) {
        struct packing_bin *bin;
        packing_withdraw(packing, (uint32_t)random_below(random, packing->bins.count), &bin);
        vector_push(&taken, bin);
        vector_push(&dive->columns, packing_bin_clone(packing, bin));
    }
    if (go_down(dive)) {
        destroy_bins(&taken);
        return true;
    }
    vector_for_each (bin, &taken)
        packing_commit(packing, *bin);
    vector_free(&taken);
    return false;
}

static void dive_again(struct dive *dive)
{
    const struct packing *packing = dive->packing;
    struct random random;
    random_seed(&random, SEED);
    uint32_t vain = 0;
    for (uint32_t i = 0;
         i < AGAIN_MAX && vain < WITHOUT_GAIN_MAX && packing->steps < packing->steps_max; i++)
        vain = again(dive, &random) ? 0 : vain + 1;
}

// Each machine made costs a completion of all others: more pods take more steps.
static uint64_t steps_for(uint64_t pods)
{
    uint64_t more = pods > 1000 ? (pods - 1000) * STEPS_A_POD : 0;
    return more < STEPS_MAX - STEPS ? STEPS + more : STEPS_MAX;
}

void packing_dive(struct packing *packing, struct packing_bin *const *columns, uint32_t count)
{
    uint32_t items = packing->items.count, pods = packing->greedy->input.queue_count;
    if (items > ITEMS_MAX)
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct dive dive = {.packing = packing, .best_price = INT64_MAX};
    dive.values = arena_allocate_array(arena, items + 1, sizeof *dive.values);
    dive.row_of = arena_allocate_array(arena, items + 1, sizeof *dive.row_of);
    for (uint32_t k = 0; k < items; k++)
        dive.values[k] = packing->items.items[k].value;
    packing->steps_max = packing->steps + steps_for(pods);
    packing->search_nodes = SEARCH_NODES;
    take_near_columns(&dive, columns, count);
    packing->dived = go_down(&dive);
    if (packing->dived && pods <= AGAIN_PODS_MAX)
        dive_again(&dive);
    for (uint32_t k = 0; k < items; k++)
        packing->items.items[k].value = dive.values[k];
    packing_rank(packing);
    destroy_bins(&dive.columns);
    vector_free(&dive.entered);
}
