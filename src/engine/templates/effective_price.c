#include "engine/templates/effective_price.h"

#include <assert.h>
#include <math.h>

#include "engine/templates/node_cost.h"
#include "model/reading/settings_read.h"

#define HOURS_A_MONTH  730.0
#define PODS_USUAL     10      // of an interrupted node
#define NANO_MILLICORE 1000000 // 10^-9 vCPU in a millicore

static int64_t interruption_cost(const struct settings *settings)
{
    if (settings_given(settings, "INTERRUPTION_COST") || settings->interruption_cost <= 0)
        return price_from_double(settings->interruption_cost);
    return price_from_double(settings->launch_cost +
                             PODS_USUAL * settings->disruption_cost_per_pod);
}

struct price_terms price_terms_of(const struct snapshot *snapshot)
{
    const struct settings *settings = &snapshot->settings;
    return (struct price_terms){
        .allowance = node_cost_of(snapshot),
        .allowance_covers = !settings_given(settings, "NODE_COST"),
        .volume_factor = settings->volume_cost,
        .address = price_from_double(settings->address_cost),
        .interruption = interruption_cost(settings),
        .cpu_use = settings->expected_cpu_use,
    };
}

static int64_t volumes(const struct price_terms *terms, const struct instance_type *type)
{
    return (int64_t)llround((double)type->volume_price * terms->volume_factor);
}

static int64_t address(const struct price_terms *terms, const struct instance_type *type)
{
    return type->public_address ? terms->address : 0;
}

static int64_t interruptions(const struct price_terms *terms, const struct offering *offering)
{
    return (int64_t)llround((double)offering->interruptions / 1e9 / HOURS_A_MONTH *
                            (double)terms->interruption);
}

// The part of these costs that the allowance covers.
static int64_t covered(const struct price_terms *terms, int64_t costs)
{
    int64_t most = terms->allowance_covers ? terms->allowance : 0;
    return costs < most ? costs : most;
}

int64_t price_surcharge(const struct price_terms *terms, const struct instance_type *type,
                        const struct offering *offering)
{
    int64_t beside = quantity_add(volumes(terms, type), address(terms, type));
    return quantity_add(beside - covered(terms, beside), interruptions(terms, offering));
}

struct row_burst price_burst(const struct price_terms *terms, const struct instance_type *type,
                             int64_t daemon_cpu)
{
    struct row_burst burst = {.free_cpu = INT64_MAX};
    if (type->burst.surplus_price <= 0 || terms->cpu_use <= 0)
        return burst;
    double free_cpu = (double)type->burst.baseline / NANO_MILLICORE / terms->cpu_use;
    burst.free_cpu = (int64_t)fmin(free_cpu, 1e12) - daemon_cpu;
    burst.rate = (int64_t)llround((double)type->burst.surplus_price * terms->cpu_use / 1000);
    return burst;
}

struct plan_costs price_parts(const struct price_terms *terms, const struct instance_type *type,
                              const struct offering *offering, int64_t list, int64_t cpu)
{
    struct plan_costs parts = {.list = list,
                               .volumes = volumes(terms, type),
                               .address = address(terms, type),
                               .interruptions = interruptions(terms, offering)};
    struct row_burst burst = price_burst(terms, type, 0);
    parts.burst = price_burst_cost(burst, cpu);
    int64_t beside = quantity_add(parts.volumes, parts.address);
    parts.allowance = terms->allowance - covered(terms, beside);
    assert(parts.allowance >= 0);
    return parts;
}
