#include "cli/output/new_nodes_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/input/output_style.h"
#include "cli/output/columns.h"
#include "model/schema/karpenter.h"

#define VALUES_SHOWN 2
#define LINES_MAX    20 // a longer table is summed up by type

// Nodes that share a line.
struct line {
    const struct plan_claim *first;
    uint32_t nodes, pods;
    int64_t cpu, memory, price, effective;
    struct string_list zones, capacity_types; // borrowed values; empty: any
    bool any_zone, any_capacity_type;
    bool min_values_relaxed, price_estimated, price_overlaid, capacity_overlaid;
    uint32_t types_over_limits; // the most of one node
};
typedef VECTOR(struct line) lines;

// --- which nodes share a line --------------------------------------------------------------------

// The values of a finite requirement, or NULL.
static const struct string_list *values_of(const struct plan_claim *claim, const char *key)
{
    list_for_each (requirement, &claim->requirements)
        if (strcmp(requirement->key, key) == 0 && strcmp(requirement->operator, "In") == 0)
            return &requirement->values;
    return NULL;
}

static bool same_values(const struct plan_claim *a, const struct plan_claim *b, const char *key)
{
    const struct string_list *x = values_of(a, key), *y = values_of(b, key);
    if (x == NULL || y == NULL || x->count != y->count)
        return x == y;
    for (uint32_t i = 0; i < x->count; i++)
        if (strcmp(x->items[i], y->items[i]) != 0)
            return false;
    return true;
}

static bool same_type(const struct plan_claim *a, const struct plan_claim *b)
{
    return a->node_pool == b->node_pool && (a->types.count == 0) == (b->types.count == 0) &&
           (a->types.count == 0 ||
            a->types.items[0].instance_type == b->types.items[0].instance_type) &&
           same_values(a, b, LABEL_CAPACITY_TYPE);
}

static bool are_alike(const struct plan_claim *a, const struct plan_claim *b)
{
    return same_type(a, b) && a->price == b->price && a->pods.count == b->pods.count &&
           a->types.count == b->types.count &&
           resource_map_get(&a->requests, "cpu") == resource_map_get(&b->requests, "cpu") &&
           resource_map_get(&a->requests, "memory") == resource_map_get(&b->requests, "memory") &&
           a->min_values_relaxed == b->min_values_relaxed &&
           a->price_overlaid == b->price_overlaid && a->capacity_overlaid == b->capacity_overlaid &&
           a->types_over_limits == b->types_over_limits && same_values(a, b, LABEL_ZONE);
}

// --- lines ---------------------------------------------------------------------------------------

static void add_values(struct string_list *out, bool *any, const struct plan_claim *claim,
                       const char *key)
{
    const struct string_list *values = values_of(claim, key);
    *any = *any || values == NULL;
    for (uint32_t i = 0; values != NULL && i < values->count; i++) {
        if (string_list_has(out, values->items[i]))
            continue;
        out->items = memory_resize(out->items, (out->count + 1) * sizeof *out->items);
        out->items[out->count++] = values->items[i];
    }
}

static void add_node(struct line *line, const struct plan_claim *claim)
{
    line->nodes++;
    line->pods += claim->pods.count;
    line->cpu = quantity_add(line->cpu, resource_map_get(&claim->requests, "cpu"));
    line->memory = quantity_add(line->memory, resource_map_get(&claim->requests, "memory"));
    line->price = quantity_add(line->price, claim->price);
    line->effective = quantity_add(line->effective, plan_costs_sum(&claim->costs));
    line->min_values_relaxed = line->min_values_relaxed || claim->min_values_relaxed;
    line->price_estimated = line->price_estimated || claim->price_estimated;
    line->price_overlaid = line->price_overlaid || claim->price_overlaid;
    line->capacity_overlaid = line->capacity_overlaid || claim->capacity_overlaid;
    if (claim->types_over_limits > line->types_over_limits)
        line->types_over_limits = claim->types_over_limits;
    add_values(&line->zones, &line->any_zone, claim, LABEL_ZONE);
    add_values(&line->capacity_types, &line->any_capacity_type, claim, LABEL_CAPACITY_TYPE);
}

static void collect(const struct plan *plan,
                    bool (*share)(const struct plan_claim *, const struct plan_claim *), lines *out)
{
    list_for_each (claim, &plan->claims) {
        struct line *found = NULL;
        vector_for_each (line, out)
            if (found == NULL && share(line->first, claim))
                found = line;
        if (found == NULL) {
            vector_push(out, (struct line){.first = claim});
            found = &out->items[out->count - 1];
        }
        add_node(found, claim);
    }
}

static void lines_free(lines *list)
{
    vector_for_each (line, list) {
        free(line->zones.items);
        free(line->capacity_types.items);
    }
    vector_free(list);
}

// --- the table -----------------------------------------------------------------------------------

static void print_values(struct columns *columns, struct string_list *values, bool any)
{
    struct text text = {0};
    bool all = values->count <= VALUES_SHOWN || output_style()->wide;
    uint32_t shown = all ? values->count : 1;
    if (values->count > 0)
        qsort(values->items, values->count, sizeof *values->items, text_compare);
    for (uint32_t i = 0; i < shown && !any; i++)
        text_join(&text, ",", values->items[i]);
    if (shown < values->count && !any)
        text_format(&text, " +%" PRIu32, values->count - shown);
    columns_add(columns, text.length > 0 ? text.data : "any");
    text_free(&text);
}

static void print_amount(struct columns *columns, const char *resource, int64_t value)
{
    char amount[QUANTITY_TEXT_MAX];
    quantity_format(resource, value, amount);
    columns_add(columns, value == 0 ? "-" : amount);
}

static void print_sums(struct columns *columns, const struct line *line)
{
    columns_add_format(columns, "%" PRIu32, line->pods);
    print_amount(columns, "cpu", line->cpu);
    print_amount(columns, "memory", line->memory);
    columns_add_format(columns, "$%.4f", price_to_double(line->price));
    if (output_style()->wide)
        columns_add_format(columns, "$%.4f", price_to_double(line->effective));
}

// Other factors in the choice of the types (SCH-531).
static void print_notes(struct columns *columns, const struct line *line)
{
    struct text text = {0};
    if (line->min_values_relaxed)
        text_join(&text, " ", "[min_values_relaxed]");
    if (line->price_estimated)
        text_join(&text, " ", "[price_estimated]");
    if (line->price_overlaid)
        text_join(&text, " ", "[price_overlaid]");
    if (line->capacity_overlaid)
        text_join(&text, " ", "[capacity_overlaid]");
    if (line->types_over_limits > 0)
        text_format(&text, "%s[limits: -%" PRIu32 " types]", text.length > 0 ? " " : "",
                    line->types_over_limits);
    if (text.length > 0)
        columns_add_note(columns, text.data);
    text_free(&text);
}

static void print_line(struct columns *columns, struct line *line)
{
    const struct plan_claim *first = line->first;
    columns_add_format(columns, "%" PRIu32, line->nodes);
    columns_add(columns, first->node_pool->meta.name);
    const char *type = first->types.count > 0 ? first->types.items[0].instance_type->name : "-";
    if (first->types.count > 1)
        columns_add_format(columns, "%s +%" PRIu32, type, first->types.count - 1);
    else
        columns_add(columns, type);
    print_values(columns, &line->zones, line->any_zone);
    print_values(columns, &line->capacity_types, line->any_capacity_type);
    print_sums(columns, line);
    print_notes(columns, line);
}

static void print_total(struct columns *columns, const lines *list)
{
    struct line total = {.first = NULL};
    vector_for_each (line, list) {
        total.nodes += line->nodes;
        total.pods += line->pods;
        total.cpu = quantity_add(total.cpu, line->cpu);
        total.memory = quantity_add(total.memory, line->memory);
        total.price = quantity_add(total.price, line->price);
        total.effective = quantity_add(total.effective, line->effective);
    }
    columns_add_format(columns, "%" PRIu32, total.nodes);
    columns_add(columns, "in all");
    for (int i = 0; i < 3; i++)
        columns_add(columns, "");
    print_sums(columns, &total);
}

void new_nodes_print(const struct plan *plan)
{
    bool wide = output_style()->wide;
    const char *const titles[] = {
        "COUNT", "NODEPOOL", "TYPE +OTHERS", "ZONE",     "CAPACITY",
        ">PODS", ">CPU",     ">MEMORY",      ">PRICE/H", wide ? ">EFFECTIVE/H" : NULL,
        NULL};
    lines list = {0};
    if (plan->claims.count == 0)
        return;
    collect(plan, are_alike, &list);
    bool summed_up = list.count > LINES_MAX && !wide;
    if (summed_up) {
        lines_free(&list);
        list = (lines){0};
        collect(plan, same_type, &list);
    }
    struct columns *columns = columns_create(titles);
    vector_for_each (line, &list)
        print_line(columns, line);
    if (list.count > 1)
        print_total(columns, &list);
    print_heading(summed_up ? "NEW NODES, by NodePool and cheapest type" : "NEW NODES");
    columns_print(columns, stdout);
    putchar('\n');
    columns_destroy(columns);
    lines_free(&list);
}
