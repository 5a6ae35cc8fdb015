#include "bench/bench_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_knapsack.h"
#include "engine/packing/covering_lp.h"
#include "engine/templates/effective_price.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"

#define NANO 1e9

static const double IMPROVEMENT_MIN = 2e-4; // of a column, relatively to its machine's price
static const double GAP_MIN = 4e-4;         // between bound and program: close enough
static const double BOUND_SLACK = 1e-9;     // allowance for rounding
static const uint32_t SIZES_MAX = 400;      // above it the bound by totals has to do
static const uint32_t ROUNDS_MAX = 1000;
static const uint32_t RATE_PARTS = 4; // steps of a burstable machine's rate
static const uint32_t PIVOTS_MAX = 1000000;
// Limits of the knapsack's partial fillings, widened when nothing better is found.
static const uint32_t STATES[] = {32, 500, 8000};
static const uint32_t WIDEST_ROUNDS_MAX = 4; // of rounds at the last width, which are slow

struct machine {
    int64_t price; // effective, without surplus credits, with NODE_COST
    int64_t size[KNAPSACK_SIZES];
    struct row_burst burst; // rate 0: not burstable
    uint32_t part;          // of the rate that bounded it best, last time
};

struct program {
    struct arena *arena;
    struct machine *machines; // no other is cheaper and larger
    uint32_t machines_count;
    struct knapsack_item *sizes; // distinct pods; `most`: their number
    uint32_t sizes_count;
    struct covering *covering;
    struct covering_entry *entries; // scratch of a column
    double *dual, *best_dual;       // by size: of this round, and of the best bound
    double best_bound;
    uint32_t columns;
};

static bool collect_sizes(struct program *program, const struct snapshot *snapshot);
static bool collect_machines(struct program *program, const struct snapshot *snapshot);
static bool every_size_fits(const struct program *program);
static void bound_by_totals(struct program *program);
static void start_program(struct program *program);
static uint32_t generate(struct program *program);

bool bench_bound_compute(const struct snapshot *snapshot, struct bench_bound *bound)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 20);
    struct program program = {.arena = arena};
    if (!collect_sizes(&program, snapshot) || !collect_machines(&program, snapshot) ||
        !every_size_fits(&program))
        return false;
    *bound = (struct bench_bound){.sizes = program.sizes_count, .machines = program.machines_count};
    bound_by_totals(&program);
    if (program.sizes_count <= SIZES_MAX) {
        start_program(&program);
        bound->rounds = generate(&program);
        bound->program_nanousd = (int64_t)ceil(covering_cost(program.covering) * NANO);
    }
    bound->columns = program.columns;
    bound->price_nanousd = (int64_t)(program.best_bound * (1 - BOUND_SLACK) * NANO);
    return true;
}

// --- machines and sizes --------------------------------------------------------------------------

static void read_sizes(const struct resource_map *map, int64_t size[KNAPSACK_SIZES])
{
    static const char *const names[KNAPSACK_SIZES] = {"cpu", "memory", "pods"};
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        size[k] = resource_map_get(map, names[k]);
}

static int by_size(const void *a, const void *b)
{
    const struct knapsack_item *x = a, *y = b;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (x->size[k] != y->size[k])
            return x->size[k] > y->size[k] ? -1 : 1;
    return 0;
}

static bool collect_sizes(struct program *program, const struct snapshot *snapshot)
{
    uint32_t count = snapshot->objects[KIND_POD].count, kept = 0;
    struct knapsack_item *sizes = arena_allocate_array(program->arena, count + 1, sizeof *sizes);
    for (uint32_t i = 0; i < count; i++) {
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        struct resource_map requests = pod_requests(scratch, pod);
        read_sizes(&requests, sizes[i].size);
        sizes[i].most = 1;
    }
    qsort(sizes, count, sizeof *sizes, by_size);
    for (uint32_t i = 0; i < count; i++)
        if (kept > 0 && by_size(&sizes[kept - 1], &sizes[i]) == 0)
            sizes[kept - 1].most++;
        else
            sizes[kept++] = sizes[i];
    program->sizes = sizes;
    program->sizes_count = kept;
    return kept > 0;
}

static bool holds(const struct machine *machine, const int64_t size[KNAPSACK_SIZES])
{
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (size[k] > machine->size[k])
            return false;
    return true;
}

static int by_price_and_size(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        if (x->size[k] != y->size[k])
            return x->size[k] > y->size[k] ? -1 : 1;
    return 0;
}

static void add_machines(struct program *program, const struct instance_type *type,
                         const struct price_terms *terms, uint32_t *room)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const struct offering *offering = &type->offerings.items[i];
        const char *capacity =
            requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
        if (!offering->available || capacity == NULL ||
            strcmp(capacity, CAPACITY_TYPE_ON_DEMAND) != 0)
            continue;
        struct machine machine = {
            .price = offering->price + price_surcharge(terms, type, offering) + terms->allowance,
            .burst = price_burst(terms, type, 0)};
        struct resource_map allocatable = instance_type_allocatable(scratch, type, offering);
        read_sizes(&allocatable, machine.size);
        if (machine.size[0] <= 0 || machine.size[1] <= 0 || machine.size[2] <= 0)
            continue;
        if (program->machines_count == *room) {
            *room = *room == 0 ? 1024 : 2 * *room;
            struct machine *grown =
                arena_allocate_array(program->arena, *room, sizeof *program->machines);
            if (program->machines_count > 0)
                memcpy(grown, program->machines, program->machines_count * sizeof *grown);
            program->machines = grown;
        }
        program->machines[program->machines_count++] = machine;
    }
}

static bool collect_machines(struct program *program, const struct snapshot *snapshot)
{
    uint32_t room = 0, kept = 0;
    const struct price_terms terms = price_terms_of(snapshot);
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        for (uint32_t j = 0; j < catalog->spec.instance_types.count; j++)
            add_machines(program, &catalog->spec.instance_types.items[j], &terms, &room);
    }
    if (program->machines_count == 0)
        return false;
    struct machine *machines = program->machines;
    qsort(machines, program->machines_count, sizeof *machines, by_price_and_size);
    for (uint32_t i = 0; i < program->machines_count; i++) {
        bool dominated = false;
        for (uint32_t j = 0; j < kept && !dominated; j++)
            dominated = machines[j].burst.rate == 0 && holds(&machines[j], machines[i].size);
        if (!dominated)
            machines[kept++] = machines[i];
    }
    program->machines_count = kept;
    return true;
}

// By price, so that the first one that holds a pod is the cheapest.
static const struct machine *cheapest_for(const struct program *program,
                                          const struct knapsack_item *size)
{
    for (uint32_t i = 0; i < program->machines_count; i++)
        if (holds(&program->machines[i], size->size))
            return &program->machines[i];
    return NULL;
}

static bool every_size_fits(const struct program *program)
{
    for (uint32_t i = 0; i < program->sizes_count; i++)
        if (cheapest_for(program, &program->sizes[i]) == NULL)
            return false;
    return true;
}

static double usd(const struct machine *machine)
{
    return (double)machine->price / NANO;
}

static double usd_filled(const struct program *program, const struct machine *machine,
                         const uint32_t *counts)
{
    int64_t cpu = 0;
    for (uint32_t i = 0; i < program->sizes_count; i++)
        cpu += counts[i] * program->sizes[i].size[0];
    return usd(machine) + (double)price_burst_cost(machine->burst, cpu) / NANO;
}

// --- bounds --------------------------------------------------------------------------------------

// Machines in fractions, filled with cpu, memory and pod slots. Its duals price the sizes: no
// filling of a machine is worth more than the machine.
static void bound_by_totals(struct program *program)
{
    double total[KNAPSACK_SIZES] = {0}, dearest = 0;
    for (uint32_t i = 0; i < program->sizes_count; i++)
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            total[k] += (double)program->sizes[i].size[k] * program->sizes[i].most;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        total[k] = total[k] > 1 ? total[k] : 1;
    for (uint32_t i = 0; i < program->machines_count; i++)
        dearest = usd(&program->machines[i]) > dearest ? usd(&program->machines[i]) : dearest;
    // In thousandths of the totals, so that amounts of machines are about 1.
    const double demand[KNAPSACK_SIZES] = {1000, 1000, 1000};
    struct covering *covering =
        covering_create(program->arena, demand, KNAPSACK_SIZES, 1000 * dearest);
    for (uint32_t i = 0; i < program->machines_count; i++) {
        struct covering_entry entries[KNAPSACK_SIZES];
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            entries[k] =
                (struct covering_entry){k, 1000 * (double)program->machines[i].size[k] / total[k]};
        covering_add(covering, usd(&program->machines[i]), entries, KNAPSACK_SIZES);
    }
    covering_solve(covering, PIVOTS_MAX);
    double price[KNAPSACK_SIZES], most = 1;
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        price[k] = 1000 * covering_dual(covering, k) / total[k];
    for (uint32_t i = 0; i < program->machines_count; i++) {
        double worth = 0;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            worth += price[k] * (double)program->machines[i].size[k];
        if (worth > most * usd(&program->machines[i]))
            most = worth / usd(&program->machines[i]);
    }
    program->dual = arena_allocate_array(program->arena, program->sizes_count, sizeof(double));
    program->best_dual = arena_allocate_array(program->arena, program->sizes_count, sizeof(double));
    for (uint32_t i = 0; i < program->sizes_count; i++) {
        double *dual = &program->best_dual[i];
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            *dual += price[k] / most * (double)program->sizes[i].size[k];
        program->best_bound += *dual * program->sizes[i].most;
    }
}

// Adds a filling as a column.
static void add_filling(struct program *program, const struct machine *machine,
                        const uint32_t *counts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->sizes_count; i++)
        if (counts[i] > 0)
            program->entries[count++] = (struct covering_entry){i, counts[i]};
    covering_add(program->covering, usd_filled(program, machine, counts), program->entries, count);
    program->columns++;
}

// A row a size; each size alone on the cheapest machine that holds it.
static void start_program(struct program *program)
{
    double *demand = arena_allocate_array(program->arena, program->sizes_count, sizeof *demand);
    uint32_t *counts = arena_allocate_array(program->arena, program->sizes_count, sizeof *counts);
    double dearest = 0;
    for (uint32_t i = 0; i < program->sizes_count; i++) {
        double price = usd(cheapest_for(program, &program->sizes[i]));
        demand[i] = program->sizes[i].most;
        dearest = price > dearest ? price : dearest;
    }
    program->entries =
        arena_allocate_array(program->arena, program->sizes_count, sizeof *program->entries);
    program->covering = covering_create(program->arena, demand, program->sizes_count, 2 * dearest);
    for (uint32_t i = 0; i < program->sizes_count; i++) {
        const struct machine *machine = cheapest_for(program, &program->sizes[i]);
        uint32_t fit = program->sizes[i].most;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            if (program->sizes[i].size[k] > 0 && machine->size[k] / program->sizes[i].size[k] < fit)
                fit = (uint32_t)(machine->size[k] / program->sizes[i].size[k]);
        counts[i] = fit;
        add_filling(program, machine, counts);
        counts[i] = 0;
    }
}

// A burstable machine costs at least the line price + part * rate * (cpu - free), for any part of
// its rate from 0 to 1. So fillings are valued less what their cpu costs by the line, against the
// line's value at 0. That bounds them for any part, and the lowest bound counts.
static double line_base(const struct machine *machine, uint32_t part)
{
    double slope = (double)machine->burst.rate * part / RATE_PARTS;
    return machine->burst.rate == 0 ? usd(machine)
                                    : usd(machine) - slope * (double)machine->burst.free_cpu / NANO;
}

// Values the sizes by `value`, less what `most` times the line's slope takes.
static void set_values(struct program *program, const struct machine *machine, uint32_t part,
                       const double *value, double most)
{
    double slope = (double)machine->burst.rate * part / RATE_PARTS / NANO;
    for (uint32_t i = 0; i < program->sizes_count; i++) {
        double charged = value[i] - most * slope * (double)program->sizes[i].size[0];
        program->sizes[i].value = charged > 0 ? charged : 0;
    }
}

// Adds the filling as a column if the duals pay for it.
static bool add_if_it_pays(struct program *program, const struct machine *machine,
                           const uint32_t *counts)
{
    double gain = 0;
    for (uint32_t i = 0; i < program->sizes_count; i++)
        gain += counts[i] * program->dual[i];
    if (gain <= usd_filled(program, machine, counts) * (1 + IMPROVEMENT_MIN))
        return false;
    add_filling(program, machine, counts);
    return true;
}

// What any filling of the machine is worth relatively to its cost, at most. Adds a column if one
// pays.
static double worth_of(struct program *program, struct machine *machine, const double *value,
                       uint32_t states, double most, uint32_t *added)
{
    double lowest = INFINITY;
    bool paid = false;
    uint32_t first = machine->part, parts = machine->burst.rate > 0 ? RATE_PARTS + 1 : 1;
    for (uint32_t i = 0; i < parts && lowest > 1 + IMPROVEMENT_MIN; i++) {
        CLEANUP_ARENA struct arena *scratch = arena_create(1 << 12);
        uint32_t part = (first + i) % parts;
        double base = line_base(machine, part);
        if (base <= 0)
            continue;
        set_values(program, machine, part, value, most);
        struct knapsack_filling filling =
            knapsack_fill(scratch, program->sizes, program->sizes_count, machine->size,
                          base * (1 + IMPROVEMENT_MIN), states);
        if (filling.bound / base < lowest) {
            lowest = filling.bound / base;
            machine->part = part;
        }
        paid = paid || add_if_it_pays(program, machine, filling.counts);
    }
    *added += paid;
    return lowest;
}

// The best filling of every machine at prices `value` of the pods; those that pay by the duals of
// the program become columns. Records Farley's bound: prices lowered until no filling is worth more
// than its machine.
static uint32_t add_columns(struct program *program, const double *value, uint32_t states)
{
    uint32_t added = 0;
    double most = 1, worth = 0;
    for (uint32_t i = 0; i < program->sizes_count; i++)
        worth += value[i] * program->sizes[i].most;
    for (uint32_t i = 0; i < program->machines_count; i++) {
        double own = worth_of(program, &program->machines[i], value, states, most, &added);
        most = own > most ? own : most;
    }
    if (worth / most > program->best_bound) {
        program->best_bound = worth / most;
        for (uint32_t i = 0; i < program->sizes_count; i++)
            program->best_dual[i] = value[i] / most;
    }
    return added;
}

// Rounds of the program and of better columns. Prices halfway between the program's duals and those
// of the best bound settle sooner than the duals, which oscillate. Where they give no column, the
// duals themselves are tried.
static uint32_t generate(struct program *program)
{
    double *middle = arena_allocate_array(program->arena, program->sizes_count, sizeof *middle);
    uint32_t width = 0, widest = ARRAY_LENGTH(STATES) - 1, rounds = 0, widest_rounds = 0;
    while (rounds < ROUNDS_MAX && widest_rounds < WIDEST_ROUNDS_MAX) {
        rounds++;
        widest_rounds += width == widest;
        covering_solve(program->covering, PIVOTS_MAX);
        for (uint32_t i = 0; i < program->sizes_count; i++) {
            program->dual[i] = covering_dual(program->covering, i);
            middle[i] = (program->dual[i] + program->best_dual[i]) / 2;
        }
        if (program->best_bound >= covering_cost(program->covering) * (1 - GAP_MIN))
            break;
        bool better = add_columns(program, middle, STATES[width]) > 0 ||
                      add_columns(program, program->dual, STATES[width]) > 0;
        if (!better && width == widest)
            break;
        width = better ? (width > 0 ? width - 1 : 0) : width + 1;
    }
    covering_solve(program->covering, PIVOTS_MAX);
    return rounds;
}
