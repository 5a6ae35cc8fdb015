#include "cli/output/plan_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cli/output/blocked_print.h"
#include "cli/output/columns.h"
#include "cli/output/explain_print.h"
#include "cli/output/new_nodes_print.h"
#include "cli/output/terminal.h"
#include "engine/disruption/static_capacity_plan.h"
#include "engine/forecast/static_price.h"

#define NAMES_SHOWN   3
#define REASONS_SHOWN 4
#define LEAST_SHOWN   50000 // nano-USD: less rounds to nothing
#define LEAST_GAP     0.05  // percent: a smaller gap rounds to nothing

// --- existing nodes ------------------------------------------------------------------------------

static void print_placements(const struct plan *plan)
{
    static const char *const titles[] = {"NAME", ">PODS", "WHICH", NULL};
    if (plan->placements.count == 0)
        return;
    struct columns *columns = columns_create(titles);
    list_for_each (placement, &plan->placements) {
        struct text names = {0};
        for (uint32_t i = 0; i < placement->pods.count && i < NAMES_SHOWN; i++) {
            const struct object_meta *meta = &placement->pods.items[i]->meta;
            text_format(&names, "%s%s/%s", i > 0 ? " " : "", meta->namespace, meta->name);
        }
        if (placement->pods.count > NAMES_SHOWN)
            text_format(&names, " +%" PRIu32, placement->pods.count - NAMES_SHOWN);
        columns_add(columns, placement->name);
        columns_add_format(columns, "%" PRIu32, placement->pods.count);
        columns_add(columns, names.length > 0 ? names.data : "");
        text_free(&names);
    }
    print_heading("EXISTING NODES");
    columns_print(columns, stdout);
    putchar('\n');
    columns_destroy(columns);
}

// --- unschedulable pods --------------------------------------------------------------------------

// The NodePool is for other pods: in a cluster with many it is seldom what is wrong.
static bool turns_away(const struct plan_reason *reason)
{
    return reason->code == REASON_TAINT_NOT_TOLERATED ||
           reason->code == REASON_REQUIREMENT_MISMATCH;
}

// Those of NodePools (or, without any, the others) that turn the pod away, or the rest. Returns how
// many were printed.
static uint32_t print_some(const struct plan_unschedulable *entry, bool of_pools, bool turned_away,
                           uint32_t most)
{
    uint32_t told = 0;
    list_for_each (reason, &entry->reasons) {
        if ((reason->node_pool != NULL) != of_pools || turns_away(reason) != turned_away ||
            told == most)
            continue;
        CLEANUP_FREE char *text = explain_short_reason(reason);
        print_wrapped(stdout, text, 4, text_width());
        told++;
    }
    return told;
}

// Each NodePool's first cause, in short, those that could take the pod before those that are for
// others; for an explained pod, everything.
static void print_reasons(const struct plan_unschedulable *entry)
{
    uint32_t pools = 0, away = 0;
    list_for_each (reason, &entry->reasons) {
        pools += reason->node_pool != NULL;
        away += reason->node_pool != NULL && turns_away(reason);
    }
    uint32_t told = print_some(entry, pools > 0, false, REASONS_SHOWN);
    if (told == 0 || away <= REASONS_SHOWN - told || pools == 0)
        told += print_some(entry, pools > 0, true, REASONS_SHOWN - told);
    if (pools > told && pools - told == away)
        print_paragraph(4, "and %" PRIu32 " NodePool%s for other pods (taints, requirements)", away,
                        text_plural(away));
    else if (pools > told)
        printf("    and %" PRIu32 " more NodePool%s\n", pools - told, text_plural(pools - told));
    if (told == 0)
        print_wrapped(stdout, entry->message, 4, text_width());
    if (entry->explanation != NULL)
        explain_print(entry->explanation, 4);
}

// Neighbors with the same reasons are grouped.
static bool is_like(const struct plan_unschedulable *a, const struct plan_unschedulable *b)
{
    return a->explanation == b->explanation && strcmp(a->message, b->message) == 0;
}

static void print_unschedulable(const struct plan *plan)
{
    if (plan->unschedulable.count == 0)
        return;
    print_heading("PODS WITHOUT A PLACE");
    const struct plan_unschedulable *items = plan->unschedulable.items;
    for (uint32_t i = 0, end; i < plan->unschedulable.count; i = end) {
        for (end = i + 1; end < plan->unschedulable.count && is_like(&items[i], &items[end]);)
            end++;
        struct text names = {0};
        for (uint32_t j = i; j < end && j < i + NAMES_SHOWN; j++)
            text_format(&names, "%s%s/%s", j > i ? " " : "", items[j].pod->meta.namespace,
                        items[j].pod->meta.name);
        if (end - i > NAMES_SHOWN)
            text_format(&names, " and %" PRIu32 " more", end - i - NAMES_SHOWN);
        print_wrapped(stdout, names.data, 0, text_width());
        text_free(&names);
        print_reasons(&items[i]);
    }
    putchar('\n');
}

// --- the rest ------------------------------------------------------------------------------------

static void print_disruptions(const struct plan *plan)
{
    if (!plan->has_disruptions)
        return;
    print_heading("DISRUPTIONS");
    if (plan->disruptions.count == 0)
        printf("none\n");
    list_for_each (disruption, &plan->disruptions)
        disruption_print(disruption);
    putchar('\n');
    if (plan->verdicts.items != NULL)
        verdicts_print(plan);
}

// How much cheaper another packing of the same pods could be (SCH-550 step 10), by effective prices
// (SCH-507).
static void print_gap(const struct plan *plan)
{
    if (plan->lower_bound <= 0 || plan->price <= 0)
        return;
    double cost = (double)plan_costs_sum(&plan->costs);
    const char *with = plan_costs_sum(&plan->costs) != plan->price ? " in all" : "";
    double gap = 100 * (cost - (double)plan->lower_bound) / cost;
    struct text text = {0};
    text_add(&text, "no other packing of these pods costs less");
    if (gap >= LEAST_GAP)
        text_format(&text, " than $%.4f an hour%s: %.1f %% less at most",
                    price_to_double(plan->lower_bound), with, gap);
    print_wrapped(stdout, text.data, 0, text_width());
    text_free(&text);
}

// What makes the difference to the list price (SCH-507).
static void print_costs(const struct plan_costs *costs)
{
    int64_t sum = plan_costs_sum(costs);
    if (sum == costs->list)
        return;
    struct plan_cost_part parts[PLAN_COST_PARTS];
    plan_costs_parts(costs, parts);
    struct text text = {0};
    text_format(&text, "effective price $%.4f an hour, $%.2f a month:", price_to_double(sum),
                price_to_double(price_a_month(sum)));
    for (size_t i = 0; i < PLAN_COST_PARTS; i++)
        if (parts[i].price >= LEAST_SHOWN)
            text_format(&text, "%s %s $%.4f", i > 0 ? "," : "", parts[i].text,
                        price_to_double(parts[i].price));
    print_wrapped(stdout, text.data, 0, text_width());
    text_free(&text);
}

static void print_totals(const struct plan *plan)
{
    uint32_t unplaced = plan->unschedulable.count, nodes = plan->claims.count;
    printf("%" PRIu32 " pod%s placed", plan->pods_placed, text_plural(plan->pods_placed));
    if (unplaced > 0)
        printf(", %" PRIu32 " without a place", unplaced);
    printf("; %" PRIu32 " new node%s, $%.4f an hour", nodes, text_plural(nodes),
           price_to_double(plan->price));
    if (plan->price > 0)
        printf(", $%.2f a month", price_to_double(price_a_month(plan->price)));
    putchar('\n');
    print_costs(&plan->costs);
    print_gap(plan);
}

static void print_warnings(const struct plan *plan)
{
    list_for_each (warning, &plan->warnings)
        print_paragraph(0, "warning: %s", *warning);
    if (plan->warnings.count > 0)
        putchar('\n');
}

struct static_sum { // nano-USD an hour
    int64_t list, effective;
};

// "2 would be created, at $0.0960 an hour each (m5.large)".
static void describe_missing(struct arena *arena, const struct snapshot *snapshot,
                             const struct static_pool_plan *entry, struct text *text,
                             struct static_sum *sum)
{
    int64_t lacking = entry->pool->spec.replicas.value - entry->active;
    if (lacking <= 0)
        return;
    text_format(text, "; %" PRId64 " would be created%s", entry->missing,
                entry->missing < lacking ? ", as limits.nodes has no room for more" : "");
    struct static_price price;
    if (entry->missing == 0)
        return;
    if (!static_price_find(arena, snapshot, entry->pool, &price)) {
        text_format(text, ", but no instance type is known for them");
        return;
    }
    text_format(text, ", at $%.4f an hour each (%s)", price_to_double(price.costs.list),
                price.instance_type);
    sum->list = quantity_add(sum->list, quantity_multiply(price.costs.list, entry->missing));
    sum->effective = quantity_add(sum->effective,
                                  quantity_multiply(plan_costs_sum(&price.costs), entry->missing));
}

static void print_static_sum(const struct static_sum *sum)
{
    if (sum->list == 0)
        return;
    print_paragraph(0,
                    "new static nodes $%.4f an hour, $%.2f a month; effective price $%.4f an "
                    "hour, $%.2f a month",
                    price_to_double(sum->list), price_to_double(price_a_month(sum->list)),
                    price_to_double(sum->effective),
                    price_to_double(price_a_month(sum->effective)));
}

// LIF-232, LIF-233. Their nodes come whatever pods there are: the plan's totals leave them out.
static void print_static_pools(const struct snapshot *snapshot)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct static_capacity_plan plan = static_capacity_plan_of(arena, snapshot);
    struct static_sum sum = {0};
    struct text text = {0};
    if (plan.pools.count > 0)
        print_heading("STATIC NODEPOOLS");
    list_for_each (entry, &plan.pools) {
        text_format(&text, "%s: %" PRId64 " of %" PRId64 " NodeClaims", entry->pool->meta.name,
                    entry->active, (int64_t)entry->pool->spec.replicas.value);
        describe_missing(arena, snapshot, entry, &text, &sum);
        for (uint32_t i = 0; i < entry->excess.count; i++)
            text_format(&text, "%s%s", i == 0 ? "; would be deleted: " : ", ",
                        entry->excess.items[i]);
        print_wrapped(stdout, text.data, 0, text_width());
        text_clear(&text);
    }
    print_static_sum(&sum);
    if (plan.pools.count > 0)
        printf("\n");
    text_free(&text);
}

// The first line is the source; each of the others is a remark.
void plan_print_catalog(const char *catalog)
{
    size_t length = strcspn(catalog, "\n");
    print_paragraph(0, "instance types: %.*s", (int)length, catalog);
    while (catalog[length] == '\n') {
        catalog += length + 1;
        length = strcspn(catalog, "\n");
        print_paragraph(0, "%.*s", (int)length, catalog);
    }
    putchar('\n');
}

void plan_print_table(const struct plan *plan, const struct snapshot *snapshot, const char *catalog)
{
    plan_print_catalog(catalog);
    new_nodes_print(plan);
    print_placements(plan);
    print_unschedulable(plan);
    print_disruptions(plan);
    print_static_pools(snapshot);
    print_warnings(plan);
    print_totals(plan);
}
