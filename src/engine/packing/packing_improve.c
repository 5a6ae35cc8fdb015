#include "engine/packing/packing_improve.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/packing/packing.h"
#include "engine/packing/packing_bin.h"
#include "engine/packing/packing_fill.h"

#define SEED                    UINT64_C(0x61647a65)
#define ROUNDS_MAX              1000
#define ROUNDS_WITHOUT_GAIN_MAX 300 // consecutive rounds without gain that end the improvement
#define DRAWN                   3
#define TAKEN_MAX               5

static double loss(const struct packing_bin *bin)
{
    return (double)packing_bin_price(bin) - bin->value;
}

static uint32_t worst_of_drawn(const struct packing *packing, struct random *random)
{
    assert(packing->bins.count > 0);
    uint32_t worst = 0;
    double most = 0;
    for (uint32_t i = 0; i < DRAWN; i++) {
        uint32_t drawn = (uint32_t)random_below(random, packing->bins.count);
        double own = loss(packing->bins.items[drawn]);
        if (i == 0 || own > most) {
            worst = drawn;
            most = own;
        }
    }
    return worst;
}

static uint32_t take_some(struct packing *packing, struct random *random,
                          struct packing_bin **taken)
{
    uint32_t most = 2 + (uint32_t)random_below(random, TAKEN_MAX - 1), count = 0;
    packing_withdraw(packing, worst_of_drawn(packing, random), &taken[count++]);
    while (count < most && packing->bins.count > 0)
        packing_withdraw(packing, (uint32_t)random_below(random, packing->bins.count),
                         &taken[count++]);
    assert(count <= TAKEN_MAX + 1);
    return count;
}

static void tilt(struct packing *packing, struct random *random)
{
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        packing->tilt[d] = 0.6 + 0.8 * random_unit(random);
}

// True if the bins from `before` on are better than the withdrawn ones.
static bool is_gain(const struct packing *packing, uint32_t before,
                    struct packing_bin *const *taken, uint32_t count)
{
    assert(before <= packing->bins.count);
    int64_t was = 0, is = 0;
    for (uint32_t i = 0; i < count; i++)
        was += packing_bin_price(taken[i]);
    for (uint32_t b = before; b < packing->bins.count; b++)
        is += packing_bin_price(packing->bins.items[b]);
    return is < was || (is == was && packing->bins.count - before < count);
}

static void put_back(struct packing *packing, uint32_t before, struct packing_bin **taken,
                     uint32_t count)
{
    while (packing->bins.count > before) {
        struct packing_bin *bin;
        packing_withdraw(packing, packing->bins.count - 1, &bin);
        packing_bin_destroy(bin);
    }
    assert(packing->bins.count == before);
    for (uint32_t i = 0; i < count; i++)
        packing_commit(packing, taken[i]);
}

// True if the round gained.
static bool improve_once(struct packing *packing, struct random *random)
{
    struct packing_bin *taken[TAKEN_MAX + 1];
    uint32_t count = take_some(packing, random, taken), before = packing->bins.count;
    tilt(packing, random);
    if (!packing_fill(packing) || !is_gain(packing, before, taken, count)) {
        put_back(packing, before, taken, count);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        packing_bin_destroy(taken[i]);
    return true;
}

void packing_improve(struct packing *packing)
{
    struct random random;
    random_seed(&random, SEED);
    uint32_t fruitless = 0;
    for (uint32_t round = 0; round < ROUNDS_MAX && fruitless < ROUNDS_WITHOUT_GAIN_MAX &&
                             packing->bins.count > 0 && packing->steps < packing->steps_max;
         round++)
        fruitless = improve_once(packing, &random) ? 0 : fruitless + 1;
}
