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
#include "engine/disruption/static_capacity_plan.h"

#define NAMES_SHOWN   3
#define VALUES_SHOWN  2
#define REASONS_SHOWN 4
#define WIDTH         100 // of running text
#define HOURS_A_MONTH 730.0
#define LEAST_GAP     0.05 // percent: a smaller gap rounds to nothing

// --- new nodes -----------------------------------------------------------------------------------

// The values of a finite requirement, or "any".
static void add_values(struct columns *columns, const requirement_list *requirements,
                       const char *key)
{
    struct text text = {0};
    list_for_each (requirement, requirements) {
        if (strcmp(requirement->key, key) != 0 || strcmp(requirement->operator, "In") != 0)
            continue;
        const struct string_list *values = &requirement->values;
        uint32_t shown = values->count <= VALUES_SHOWN ? values->count : 1;
        for (uint32_t i = 0; i < shown; i++)
            text_join(&text, ",", values->items[i]);
        if (shown < values->count)
            text_format(&text, " +%" PRIu32, values->count - shown);
    }
    columns_add(columns, text.length > 0 ? text.data : "any");
    text_free(&text);
}

static void add_amount(struct columns *columns, const struct resource_map *requests,
                       const char *name)
{
    char amount[QUANTITY_TEXT_MAX];
    int64_t value = resource_map_get(requests, name);
    quantity_format(name, value, amount);
    columns_add(columns, value == 0 ? "-" : amount);
}

static bool same_values(const requirement_list *a, const requirement_list *b, const char *key)
{
    const struct string_list *values[2] = {NULL, NULL};
    list_for_each (requirement, a)
        if (strcmp(requirement->key, key) == 0)
            values[0] = &requirement->values;
    list_for_each (requirement, b)
        if (strcmp(requirement->key, key) == 0)
            values[1] = &requirement->values;
    if (values[0] == NULL || values[1] == NULL)
        return values[0] == values[1];
    if (values[0]->count != values[1]->count)
        return false;
    for (uint32_t i = 0; i < values[0]->count; i++)
        if (strcmp(values[0]->items[i], values[1]->items[i]) != 0)
            return false;
    return true;
}

// Claims with identical lines become one line with a count.
static bool are_alike(const struct plan_claim *a, const struct plan_claim *b)
{
    return a->node_pool == b->node_pool && a->price == b->price && a->pods.count == b->pods.count &&
           a->types.count == b->types.count &&
           (a->types.count == 0 ||
            a->types.items[0].instance_type == b->types.items[0].instance_type) &&
           resource_map_get(&a->requests, "cpu") == resource_map_get(&b->requests, "cpu") &&
           resource_map_get(&a->requests, "memory") == resource_map_get(&b->requests, "memory") &&
           a->min_values_relaxed == b->min_values_relaxed &&
           a->price_overlaid == b->price_overlaid && a->capacity_overlaid == b->capacity_overlaid &&
           a->types_over_limits == b->types_over_limits &&
           same_values(&a->requirements, &b->requirements, LABEL_ZONE) &&
           same_values(&a->requirements, &b->requirements, LABEL_CAPACITY_TYPE);
}

static bool has_notes(const struct plan_claim *claim)
{
    return claim->min_values_relaxed || claim->price_estimated || claim->price_overlaid ||
           claim->capacity_overlaid || claim->types_over_limits > 0;
}

// Other factors in the choice of the types (SCH-531).
static void add_notes(struct columns *columns, const struct plan_claim *claim)
{
    struct text text = {0};
    if (claim->min_values_relaxed)
        text_join(&text, " ", "[min_values_relaxed]");
    if (claim->price_estimated)
        text_join(&text, " ", "[price_estimated]");
    if (claim->price_overlaid)
        text_join(&text, " ", "[price_overlaid]");
    if (claim->capacity_overlaid)
        text_join(&text, " ", "[capacity_overlaid]");
    if (claim->types_over_limits > 0)
        text_format(&text, "%s[limits: -%" PRIu32 " types]", text.length > 0 ? " " : "",
                    claim->types_over_limits);
    columns_add(columns, text.data != NULL ? text.data : "");
    text_free(&text);
}

static void add_claim(struct columns *columns, uint32_t count, const struct plan_claim *claim,
                      bool notes)
{
    columns_add_format(columns, "%" PRIu32, count);
    columns_add(columns, claim->node_pool->meta.name);
    const char *type = claim->types.count > 0 ? claim->types.items[0].instance_type->name : "-";
    if (claim->types.count > 1)
        columns_add_format(columns, "%s +%" PRIu32, type, claim->types.count - 1);
    else
        columns_add(columns, type);
    add_values(columns, &claim->requirements, LABEL_ZONE);
    add_values(columns, &claim->requirements, LABEL_CAPACITY_TYPE);
    columns_add_format(columns, "%" PRIu32, claim->pods.count);
    add_amount(columns, &claim->requests, "cpu");
    add_amount(columns, &claim->requests, "memory");
    columns_add_format(columns, "$%.4f", price_to_double(claim->price) * count);
    if (notes)
        add_notes(columns, claim);
}

static void print_claims(const struct plan *plan)
{
    const char *titles[] = {"COUNT", "NODEPOOL", "TYPE +OTHERS", "ZONE",  "CAPACITY", ">PODS",
                            ">CPU",  ">MEMORY",  ">PRICE/H",     "NOTES", NULL};
    bool notes = false;
    if (plan->claims.count == 0)
        return;
    list_for_each (claim, &plan->claims)
        notes = notes || has_notes(claim);
    if (!notes)
        titles[ARRAY_LENGTH(titles) - 2] = NULL;
    struct columns *columns = columns_create(titles);
    bool *told = memory_allocate_array(plan->claims.count, sizeof *told);
    for (uint32_t i = 0; i < plan->claims.count; i++) {
        uint32_t count = 0;
        for (uint32_t j = i; !told[i] && j < plan->claims.count; j++) {
            if (told[j] || !are_alike(&plan->claims.items[i], &plan->claims.items[j]))
                continue;
            count++;
            told[j] = j > i;
        }
        if (count > 0)
            add_claim(columns, count, &plan->claims.items[i], notes);
    }
    printf("NEW NODES\n");
    columns_print(columns, stdout);
    putchar('\n');
    columns_destroy(columns);
    free(told);
}

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
    printf("EXISTING NODES\n");
    columns_print(columns, stdout);
    putchar('\n');
    columns_destroy(columns);
}

// --- unschedulable pods --------------------------------------------------------------------------

// Each NodePool's first cause, in short; for an explained pod, everything.
static void print_reasons(const struct plan_unschedulable *entry)
{
    uint32_t told = 0, pools = 0;
    list_for_each (reason, &entry->reasons)
        pools += reason->node_pool != NULL;
    list_for_each (reason, &entry->reasons) {
        if ((reason->node_pool == NULL && pools > 0) || told == REASONS_SHOWN)
            continue;
        CLEANUP_FREE char *text = explain_short_reason(reason);
        print_wrapped(stdout, text, 4, WIDTH);
        told++;
    }
    if (pools > REASONS_SHOWN)
        printf("    and %" PRIu32 " more NodePools\n", pools - REASONS_SHOWN);
    if (told == 0)
        print_wrapped(stdout, entry->message, 4, WIDTH);
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
    printf("PODS WITHOUT A PLACE\n");
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
        print_wrapped(stdout, names.data, 0, WIDTH);
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
    printf("DISRUPTIONS\n");
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
    if (gap < LEAST_GAP)
        printf("no other packing of these pods costs less\n");
    else
        printf("no other packing of these pods costs less than $%.4f an hour%s: %.1f %% less at "
               "most\n",
               price_to_double(plan->lower_bound), with, gap);
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
                price_to_double(sum) * HOURS_A_MONTH);
    for (size_t i = 0; i < PLAN_COST_PARTS; i++)
        if (parts[i].price != 0)
            text_format(&text, "%s %s $%.4f", i > 0 ? "," : "", parts[i].text,
                        price_to_double(parts[i].price));
    print_wrapped(stdout, text.data, 0, WIDTH);
    text_free(&text);
}

static void print_totals(const struct plan *plan)
{
    uint32_t unplaced = plan->unschedulable.count, nodes = plan->claims.count;
    printf("%" PRIu32 " pod%s placed", plan->pods_placed, text_plural(plan->pods_placed));
    if (unplaced > 0)
        printf(", %" PRIu32 " without a place", unplaced);
    printf("; %" PRIu32 " new node%s, $%.4f an hour\n", nodes, text_plural(nodes),
           price_to_double(plan->price));
    print_costs(&plan->costs);
    print_gap(plan);
}

static void print_warnings(const struct plan *plan)
{
    list_for_each (warning, &plan->warnings) {
        struct text text = {0};
        text_format(&text, "warning: %s", *warning);
        print_wrapped(stdout, text.data, 0, WIDTH);
        text_free(&text);
    }
    if (plan->warnings.count > 0)
        putchar('\n');
}

// LIF-232, LIF-233.
static void print_static_pools(const struct snapshot *snapshot)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct static_capacity_plan plan = static_capacity_plan_of(arena, snapshot);
    if (plan.pools.count > 0)
        printf("STATIC NODEPOOLS\n");
    list_for_each (entry, &plan.pools) {
        printf("%s: %" PRId64 " of %" PRId64 " NodeClaims", entry->pool->meta.name, entry->active,
               (int64_t)entry->pool->spec.replicas.value);
        int64_t lacking = entry->pool->spec.replicas.value - entry->active;
        if (lacking > 0)
            printf("; %" PRId64 " would be created%s", entry->missing,
                   entry->missing < lacking ? ", as limits.nodes has no room for more" : "");
        for (uint32_t i = 0; i < entry->excess.count; i++)
            printf("%s%s", i == 0 ? "; would be deleted: " : ", ", entry->excess.items[i]);
        printf("\n");
    }
    if (plan.pools.count > 0)
        printf("\n");
}

// The first line is the source; each of the others is a remark.
void plan_print_catalog(const char *catalog)
{
    size_t length = strcspn(catalog, "\n");
    printf("instance types: %.*s\n", (int)length, catalog);
    while (catalog[length] == '\n') {
        catalog += length + 1;
        length = strcspn(catalog, "\n");
        struct text line = {0};
        text_format(&line, "%.*s", (int)length, catalog);
        print_wrapped(stdout, text_or_empty(line.data), 0, WIDTH);
        text_free(&line);
    }
    putchar('\n');
}

void plan_print_table(const struct plan *plan, const struct snapshot *snapshot, const char *catalog)
{
    plan_print_catalog(catalog);
    print_claims(plan);
    print_placements(plan);
    print_unschedulable(plan);
    print_disruptions(plan);
    print_static_pools(snapshot);
    print_warnings(plan);
    print_totals(plan);
}
