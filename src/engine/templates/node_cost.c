#include "engine/templates/node_cost.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/vector.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/snapshot/snapshot.h"

// Usual on-demand prices in USD: those of EC2's general-purpose families.
#define USUAL_CPU_HOUR 0.034
#define USUAL_GIB_HOUR 0.0035 // of memory beside the cpu
#define STEP           10.0
#define HALF_STEP      3.1622776601683795 // root of 10: prices off by less are usual
#define STEPS_MAX      9
#define ALL_ON_ONE     10                        // concentration: the price is divided by it
#define SQUARED_MAX    INT64_C(1000000000000000) // nano-USD: prices are capped here before squaring

// --- the scale -----------------------------------------------------------------------------------

// The lowest on-demand price, or the lowest of any kind without one; negative: no price.
static int64_t price_of(const struct instance_type *type)
{
    int64_t on_demand = -1, any = -1;
    list_for_each (offering, &type->offerings) {
        const char *capacity_type =
            requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
        if (any < 0 || offering->price < any)
            any = offering->price;
        if (text_equal(capacity_type, CAPACITY_TYPE_ON_DEMAND) &&
            (on_demand < 0 || offering->price < on_demand))
            on_demand = offering->price;
    }
    return on_demand >= 0 ? on_demand : any;
}

static double amount_of(const struct instance_type *type, const char *resource)
{
    list_for_each (quantity, &type->capacity)
        if (strcmp(quantity->name, resource) == 0)
            return (double)quantity->value;
    return 0;
}

// The price relative to the usual one; 0: unknown.
static double relative_price(const struct instance_type *type)
{
    double usual = USUAL_CPU_HOUR * amount_of(type, "cpu") / 1000 +
                   USUAL_GIB_HOUR * amount_of(type, "memory") / 0x1p30;
    int64_t price = price_of(type);
    return price > 0 && usual > 0 ? price_to_double(price) / usual : 0;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// The scale of the catalogs' prices: the median over all instance types of price to usual price,
// rounded to a power of ten. 1 if no type has a price.
static double scale_of(const struct snapshot *snapshot)
{
    VECTOR(double) ratios = {0};
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalog->spec.instance_types) {
            double ratio = relative_price(type);
            if (ratio > 0)
                vector_push(&ratios, ratio);
        }
    }
    double scale = 1;
    if (ratios.count > 0) {
        qsort(ratios.items, ratios.count, sizeof *ratios.items, compare_numbers);
        double median = ratios.items[ratios.count / 2];
        for (int i = 0; i < STEPS_MAX && median > scale * HALF_STEP; i++)
            scale *= STEP;
        for (int i = 0; i < STEPS_MAX && median * HALF_STEP < scale; i++)
            scale /= STEP;
    }
    vector_free(&ratios);
    assert(scale > 0);
    return scale;
}

int64_t node_cost_of(const struct snapshot *snapshot)
{
    double cost = snapshot->settings.node_cost * 1e9;
    if (cost > 0 && !settings_given(&snapshot->settings, "NODE_COST"))
        cost *= scale_of(snapshot);
    return (int64_t)(cost + 0.5);
}

// --- sets of nodes -------------------------------------------------------------------------------

void node_costs_add(struct node_costs *costs, int64_t price)
{
    costs->price = quantity_add(costs->price, price);
    int64_t squared = price < SQUARED_MAX ? price : SQUARED_MAX;
    costs->squares += (__int128)squared * squared;
    costs->nodes++;
}

int64_t node_costs_sum(const struct node_costs *costs, int64_t node_cost)
{
    return quantity_add(costs->price, quantity_multiply(node_cost, costs->nodes));
}

int64_t node_costs_concentration(const struct node_costs *costs, int64_t node_cost)
{
    if (node_cost == 0 || costs->price <= 0)
        return 0;
    return (int64_t)(costs->squares / costs->price / ALL_ON_ONE);
}

int64_t node_costs_count(const struct node_costs *costs, int64_t node_cost)
{
    return quantity_add(node_costs_sum(costs, node_cost),
                        node_costs_concentration(costs, node_cost));
}

int64_t node_costs_beside(int64_t price, double total, int64_t node_cost)
{
    if (node_cost == 0 || total <= 0)
        return node_cost;
    double share = (double)price / total;
    return node_cost + (int64_t)((double)price * (share < 1 ? share : 1) / ALL_ON_ONE);
}
