// What a node really costs an hour (SCH-507): the list price of its machine, and beside it
//
// - its volumes, and a public IPv4 address where it gets one (VOLUME_COST, ADDRESS_COST),
// - the allowance for everything else (NODE_COST; node_cost.h). The default allowance covers the
//   volumes and the address as well, as far as it goes: they are not counted twice,
// - the expected interruptions of a spot machine (INTERRUPTION_COST),
// - the surplus credits of a burstable machine, for the use that is expected of the cpu requests on
//   it beyond its baseline (EXPECTED_CPU_USE).
//
// All comparisons use effective prices: `price` of a row_offering has everything but the allowance,
// which is the same for every node, and the surplus credits, which depend on the node's pods. The
// list price stays beside it, for people. All settings are 0 under COMPATIBILITY=upstream. Nano-USD
// an hour throughout.
#pragma once

#include "base/quantity.h"
#include "engine/problem/problem.h"
#include "model/reading/catalog.h"

struct price_terms price_terms_of(const struct snapshot *snapshot);

// What is added to an offering's list price, whatever its node carries.
int64_t price_surcharge(const struct price_terms *terms, const struct instance_type *type,
                        const struct offering *offering);
// Of a machine on which DaemonSets request `daemon_cpu` millicores beside the pods.
struct row_burst price_burst(const struct price_terms *terms, const struct instance_type *type,
                             int64_t daemon_cpu);
// The surplus credits of a machine whose pods request `cpu` millicores.
static inline int64_t price_burst_cost(struct row_burst burst, int64_t cpu)
{
    return cpu > burst.free_cpu && burst.rate > 0
               ? quantity_multiply(quantity_subtract(cpu, burst.free_cpu), burst.rate)
               : 0;
}
// Of the template's row.
static inline int64_t row_burst_cost(const struct node_template *template, uint32_t row,
                                     int64_t cpu)
{
    return template->bursts == NULL ? 0 : price_burst_cost(template->bursts[row], cpu);
}
// The parts of the price. `list` may be overlaid; `cpu`: millicores that all pods of the node
// request, DaemonSets included.
struct plan_costs price_parts(const struct price_terms *terms, const struct instance_type *type,
                              const struct offering *offering, int64_t list, int64_t cpu);
