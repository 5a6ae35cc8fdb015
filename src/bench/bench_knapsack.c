#include "bench/bench_knapsack.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_knapsack_bound.h"

static const uint32_t LOOK_BACK = 8;      // states that a state is compared with
static const uint32_t SKETCH_STATES = 32; // of the first, narrow search

// Bounds are computed for rooms on a grid: each side is the capacity times a power of this.
#define GRID_STEP   0.8
#define GRID_LEVELS 16

struct state { // a filling with the first items of the order
    int64_t left[KNAPSACK_SIZES];
    double value, bound;
    uint32_t parent, taken; // index of the state in the layer before; number of its item
};

struct trace { // the kept part of a layer
    uint32_t parent, taken;
};

struct step {
    int64_t left; // of size 1
    double value;
};

struct usage { // how much the items from one on can use
    double total[KNAPSACK_SIZES];
    double share[KNAPSACK_SIZES][KNAPSACK_SIZES]; // of a size for each unit of another, at most
};

struct search {
    struct arena *arena;
    uint32_t count, states_max;
    struct knapsack_item *items; // largest first
    struct relaxation relaxation;
    int64_t grid[KNAPSACK_SIZES][GRID_LEVELS];
    struct room_bound **bounds; // by first item, then room; NULL: none known yet
    struct state *states, *next;
    uint32_t states_count, next_count, room;
    struct trace **traces;
    struct usage *usage; // by first item
    struct step *stairs;
    uint32_t stairs_count;
    double cutoff;  // only larger values matter
    double dropped; // the best bound of the dropped states
    double floor;   // of bounds in this layer, once states were dropped
};

static int by_left_and_value(const void *a, const void *b)
{
    const struct state *x = a, *y = b;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (x->left[k] != y->left[k])
            return x->left[k] > y->left[k] ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->parent < y->parent ? -1 : x->parent > y->parent;
}

static int by_bound(const void *a, const void *b)
{
    const struct state *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    return by_left_and_value(a, b);
}

static bool dominates(const struct state *a, const struct state *b)
{
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (a->left[k] < b->left[k])
            return false;
    return a->value >= b->value;
}

// The first step whose room in size 1 is at least `left`; values fall from step to step.
static uint32_t stairs_find(const struct search *search, int64_t left)
{
    uint32_t low = 0, high = search->stairs_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (search->stairs[middle].left < left)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void stairs_add(struct search *search, int64_t left, double value)
{
    uint32_t end = stairs_find(search, left), first;
    if (end < search->stairs_count && search->stairs[end].left == left)
        end++;
    for (first = end; first > 0 && search->stairs[first - 1].value <= value; first--)
        continue;
    memmove(search->stairs + first + 1, search->stairs + end,
            (search->stairs_count - end) * sizeof *search->stairs);
    search->stairs[first] = (struct step){left, value};
    search->stairs_count += first + 1 - end;
}

// Drops states with no more room and no more value than another one. They arrive with falling room
// in size 0; the stairs hold the relevant ones of those before with all the room in size 2.
static void thin_out(struct search *search)
{
    struct state *states = search->next;
    qsort(states, search->next_count, sizeof *states, by_left_and_value);
    search->stairs_count = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->next_count; i++) {
        const struct state state = states[i];
        uint32_t step = stairs_find(search, state.left[1]);
        bool dominated = step < search->stairs_count && search->stairs[step].value >= state.value;
        for (uint32_t back = 1; back <= LOOK_BACK && back <= kept && !dominated; back++)
            dominated = dominates(&states[kept - back], &state);
        if (dominated)
            continue;
        states[kept++] = state;
        if (state.left[2] == search->grid[2][0])
            stairs_add(search, state.left[1], state.value);
    }
    search->next_count = kept;
}

static void drop(struct search *search, double bound)
{
    search->dropped = fmax(search->dropped, bound);
}

// Keeps the most promising states; from now on this layer refuses states that promise less.
static void limit_states(struct search *search)
{
    if (search->next_count <= search->states_max)
        return;
    qsort(search->next, search->next_count, sizeof *search->next, by_bound);
    search->floor = search->next[search->states_max].bound;
    drop(search, search->floor);
    search->next_count = search->states_max;
}

// The bound of the smallest grid room that contains the rest, for the items from `first` on.
static double bound_of(struct search *search, uint32_t first, const int64_t left[KNAPSACK_SIZES])
{
    uint32_t index = 0;
    int64_t room[KNAPSACK_SIZES];
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++) {
        uint32_t level = 0;
        while (level + 1 < GRID_LEVELS && left[k] <= search->grid[k][level + 1])
            level++;
        room[k] = search->grid[k][level];
        index = index * GRID_LEVELS + level;
    }
    if (search->bounds[first] == NULL)
        search->bounds[first] = arena_allocate_array(
            search->arena, GRID_LEVELS * GRID_LEVELS * GRID_LEVELS, sizeof *search->bounds[first]);
    struct room_bound *bound = &search->bounds[first][index];
    if (!bound->known)
        *bound = relaxation_bound(&search->relaxation, search->items + first, search->count - first,
                                  room);
    double result = bound->rest;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        result += bound->price[k] * (double)left[k];
    return result;
}

// Room that no later item can use counts as full, so that more states are alike. One size after the
// other: the size that limits another must stay as it is.
static void lift(const struct search *search, uint32_t first, int64_t left[KNAPSACK_SIZES])
{
    const struct usage *usage = &search->usage[first];
    for (uint32_t k = KNAPSACK_SIZES; k-- > 0;) {
        double used = usage->total[k];
        for (uint32_t other = 0; other < KNAPSACK_SIZES; other++)
            if (other != k && isfinite(usage->share[k][other]))
                used = fmin(used, usage->share[k][other] * (double)left[other]);
        if ((double)left[k] >= used * (1 + BOUND_SLACK))
            left[k] = search->grid[k][0];
    }
}

static void make_room(struct search *search)
{
    if (search->next_count < search->room)
        return;
    thin_out(search);
    if (search->next_count > search->room / 2)
        limit_states(search);
}

// All fitting numbers of the item, except those worth too little.
static void extend(struct search *search, uint32_t item, uint32_t parent)
{
    const struct knapsack_item *of = &search->items[item];
    const struct state from = search->states[parent];
    uint32_t most = knapsack_item_fits(of, from.left);
    for (uint32_t taken = 0; taken <= most; taken++) {
        struct state state = from;
        state.value += taken * of->value;
        state.parent = parent;
        state.taken = taken;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            state.left[k] -= taken * of->size[k];
        double bound = state.value;
        if (item + 1 < search->count)
            bound += bound_of(search, item + 1, state.left);
        if (bound < state.bound)
            state.bound = bound;
        if (state.bound <= search->cutoff)
            continue;
        if (state.bound <= search->floor) {
            drop(search, state.bound);
            continue;
        }
        lift(search, item + 1, state.left);
        make_room(search);
        search->next[search->next_count++] = state;
    }
}

static void search_layers(struct search *search)
{
    search->states_count = 1;
    memset(&search->states[0], 0, sizeof search->states[0]);
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        search->states[0].left[k] = search->grid[k][0];
    search->states[0].bound = DBL_MAX;
    for (uint32_t item = 0; item < search->count; item++) {
        search->next_count = 0;
        search->floor = 0;
        for (uint32_t i = 0; i < search->states_count; i++)
            extend(search, item, i);
        thin_out(search);
        limit_states(search);
        struct trace *trace = search->traces[item] =
            arena_allocate_array(search->arena, search->next_count + 1, sizeof *trace);
        for (uint32_t i = 0; i < search->next_count; i++)
            trace[i] = (struct trace){search->next[i].parent, search->next[i].taken};
        struct state *swap = search->states;
        search->states = search->next;
        search->next = swap;
        search->states_count = search->next_count;
    }
}

// Takes the best of the last layer if it is worth more than the best so far.
static void take_best(struct search *search, uint32_t *taken, double *value)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < search->states_count; i++)
        if (search->states[i].value > search->cutoff &&
            (best == UINT32_MAX || search->states[i].value > search->states[best].value))
            best = i;
    if (best == UINT32_MAX)
        return;
    *value = search->cutoff = search->states[best].value;
    for (uint32_t item = search->count; item-- > 0;) {
        taken[item] = search->traces[item][best].taken;
        best = search->traces[item][best].parent;
    }
}

// Items that fit and are worth something, the largest first: late small items fill any gap, so that
// bounds are tight. `origin` are their indices.
struct ranked {
    double weight;
    uint32_t index;
};

static int by_weight(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void take_useful_items(struct search *search, const struct knapsack_item *items,
                              uint32_t count, const int64_t *capacity, uint32_t *origin)
{
    struct ranked *order = arena_allocate_array(search->arena, count, sizeof *order);
    search->items = arena_allocate_array(search->arena, count, sizeof *search->items);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].value <= 0 || knapsack_item_fits(&items[i], capacity) == 0)
            continue;
        double weight = 0;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            weight = fmax(weight, (double)items[i].size[k] / (double)capacity[k]);
        order[search->count++] = (struct ranked){weight, i};
    }
    qsort(order, search->count, sizeof *order, by_weight);
    for (uint32_t i = 0; i < search->count; i++) {
        origin[i] = order[i].index;
        search->items[i] = items[order[i].index];
        search->items[i].most = knapsack_item_fits(&items[order[i].index], capacity);
    }
}

static void work_out_usage(struct search *search)
{
    search->usage = arena_allocate_array(search->arena, search->count + 1, sizeof *search->usage);
    for (uint32_t i = search->count; i-- > 0;) {
        const int64_t *size = search->items[i].size;
        struct usage *usage = &search->usage[i];
        *usage = search->usage[i + 1];
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++) {
            usage->total[k] += (double)size[k] * search->items[i].most;
            for (uint32_t other = 0; other < KNAPSACK_SIZES; other++)
                if (size[k] > 0)
                    usage->share[k][other] =
                        fmax(usage->share[k][other],
                             size[other] > 0 ? (double)size[k] / (double)size[other] : INFINITY);
        }
    }
}

static void prepare(struct search *search, const int64_t capacity[KNAPSACK_SIZES])
{
    search->relaxation = relaxation_create(search->arena, search->count);
    search->bounds = arena_allocate_array(search->arena, search->count, sizeof *search->bounds);
    search->traces = arena_allocate_array(search->arena, search->count, sizeof *search->traces);
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++) {
        double side = (double)capacity[k];
        for (uint32_t level = 0; level < GRID_LEVELS; level++, side *= GRID_STEP)
            search->grid[k][level] = level == 0 ? capacity[k] : (int64_t)side;
    }
    work_out_usage(search);
}

// A narrow search finds good fillings soon, and they let the wide one drop more states.
static void search_run(struct search *search, uint32_t states_max, uint32_t *taken, double *value)
{
    uint32_t sketch = SKETCH_STATES < states_max ? SKETCH_STATES : states_max;
    search->room = 4 * states_max;
    search->states = memory_allocate_array(search->room, sizeof *search->states);
    search->next = memory_allocate_array(search->room, sizeof *search->next);
    search->stairs = memory_allocate_array(search->room + 1, sizeof *search->stairs);
    search->states_max = sketch;
    search_layers(search);
    take_best(search, taken, value);
    if (sketch < states_max && search->dropped > search->cutoff) {
        search->states_max = states_max;
        search->dropped = 0;
        search_layers(search);
        take_best(search, taken, value);
    }
    free(search->states);
    free(search->next);
    free(search->stairs);
}

struct knapsack_filling knapsack_fill(struct arena *arena, const struct knapsack_item *items,
                                      uint32_t count, const int64_t capacity[KNAPSACK_SIZES],
                                      double target, uint32_t states_max)
{
    assert(states_max > 0);
    CLEANUP_ARENA struct arena *scratch = arena_create(1 << 16);
    struct knapsack_filling filling = {.bound = target};
    filling.counts = arena_allocate_array(arena, count, sizeof *filling.counts);
    uint32_t *origin = arena_allocate_array(scratch, count, sizeof *origin);
    uint32_t *taken = arena_allocate_array(scratch, count, sizeof *taken);
    struct search search = {.arena = scratch, .cutoff = target};
    take_useful_items(&search, items, count, capacity, origin);
    if (search.count == 0)
        return filling;
    prepare(&search, capacity);
    double bound = bound_of(&search, 0, capacity) * (1 + BOUND_SLACK);
    if (bound <= target)
        return filling;
    search_run(&search, states_max, taken, &filling.value);
    double reached = fmax(search.dropped, search.cutoff) * (1 + BOUND_SLACK);
    filling.bound = fmin(reached, bound);
    for (uint32_t i = 0; i < search.count; i++)
        filling.counts[origin[i]] = taken[i];
    return filling;
}
