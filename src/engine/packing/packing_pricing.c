#include "engine/packing/packing_pricing.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/packing/packing_columns.h"

#define CHECK_AGAIN_AFTER 6    // rounds after which a hopeless machine is checked again
#define HOPELESS          0.98 // of its price: a machine whose value bound is lower
#define COLUMNS_A_ROUND   16
#define IMPROVEMENT       1e-3

static int compare_trials(const void *a, const void *b)
{
    const struct packing_trial *x = a, *y = b;
    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    if (x->machines != y->machines)
        return x->machines->index < y->machines->index ? -1 : 1;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

// Lists the machines that may be worth filling, best first. `all`: checks all machines; else skips
// those that were hopeless lately.
static void list_machines(struct packing *packing, struct packing_pricing *pricing, uint32_t round,
                          bool all)
{
    pricing->trials.count = 0;
    for (uint32_t m = 0; m < packing->base_machines_count; m++) {
        struct packing_machines *machines = packing->machine_lists.items[m];
        for (uint32_t o = 0; o < machines->count; o++) {
            double price = (double)machines->items[o].price;
            if (!all && round > 0 && machines->bounds[o] < HOPELESS * price &&
                (round + o) % CHECK_AGAIN_AFTER != 0)
                continue;
            double bound = packing_fill_bound(packing, machines, o);
            if (bound >= HOPELESS * price)
                vector_push(&pricing->trials, (struct packing_trial){machines, o, bound / price});
        }
    }
    if (pricing->trials.count > 1)
        qsort(pricing->trials.items, pricing->trials.count, sizeof *pricing->trials.items,
              compare_trials);
}

bool packing_price(struct packing *packing, struct packing_pricing *pricing, uint32_t round,
                   bool all)
{
    list_machines(packing, pricing, round, all);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < pricing->trials.count && taken < COLUMNS_A_ROUND &&
                         i - taken < (all ? 8 : 1) * pricing->failures_max;
         i++) {
        const struct packing_trial *trial = &pricing->trials.items[i];
        struct packing_bin *bin =
            packing_fill_machine(packing, trial->machines, trial->machine, 1 + IMPROVEMENT);
        if (bin == NULL)
            continue;
        pricing->take(pricing->context, bin);
        taken++;
    }
    return taken > 0;
}
