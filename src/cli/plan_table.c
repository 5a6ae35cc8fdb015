#include "cli/plan_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define NAMES_SHOWN 3

// The values of a finite requirement, or "any".
static void add_values(struct text *text, const requirement_list *requirements, const char *key)
{
    list_for_each (requirement, requirements) {
        if (strcmp(requirement->key, key) != 0 || strcmp(requirement->operator, "In") != 0)
            continue;
        for (uint32_t i = 0; i < requirement->values.count; i++)
            text_format(text, "%s%s", i > 0 ? "," : "", requirement->values.items[i]);
        return;
    }
    text_add(text, "any");
}

static void add_amount(struct text *text, const struct resource_map *requests, const char *name)
{
    char amount[QUANTITY_TEXT_MAX];
    quantity_format(name, resource_map_get(requests, name), amount);
    text_add(text, amount);
}

// One line of the table of new nodes, without the count: equal lines are one.
static char *describe_claim(const struct plan_claim *claim)
{
    struct text text = {0}, zone = {0}, capacity = {0}, cpu = {0}, memory = {0}, type = {0};
    text_add(&type, claim->types.count > 0 ? claim->types.items[0].instance_type->name : "-");
    if (claim->types.count > 1)
        text_format(&type, " (+%" PRIu32 ")", claim->types.count - 1);
    add_values(&zone, &claim->requirements, LABEL_ZONE);
    add_values(&capacity, &claim->requirements, LABEL_CAPACITY_TYPE);
    add_amount(&cpu, &claim->requests, "cpu");
    add_amount(&memory, &claim->requests, "memory");
    text_format(&text, "%-20s %-28s %-24s %-18s %5" PRIu32 " %8s %10s %10.5f",
                claim->node_pool->meta.name, type.data, zone.data, capacity.data, claim->pods.count,
                cpu.data, memory.data, price_to_double(claim->price));
    text_free(&type);
    text_free(&zone);
    text_free(&capacity);
    text_free(&cpu);
    text_free(&memory);
    return text_take(&text);
}

static void print_claims(const struct plan *plan)
{
    if (plan->claims.count == 0)
        return;
    printf("NEW NODES\n%5s %-20s %-28s %-24s %-18s %5s %8s %10s %10s\n", "COUNT", "NODEPOOL",
           "CHEAPEST TYPE (OTHERS)", "ZONE", "CAPACITY TYPE", "PODS", "CPU", "MEMORY", "USD/HOUR");
    char **lines = memory_allocate_array(plan->claims.count, sizeof *lines);
    for (uint32_t i = 0; i < plan->claims.count; i++)
        lines[i] = describe_claim(&plan->claims.items[i]);
    for (uint32_t i = 0; i < plan->claims.count; i++) {
        uint32_t count = 0;
        for (uint32_t j = i; lines[i] != NULL && j < plan->claims.count; j++) {
            if (lines[j] == NULL || strcmp(lines[i], lines[j]) != 0)
                continue;
            count++;
            if (j > i) {
                free(lines[j]);
                lines[j] = NULL;
            }
        }
        if (count > 0)
            printf("%5" PRIu32 " %s\n", count, lines[i]);
    }
    for (uint32_t i = 0; i < plan->claims.count; i++)
        free(lines[i]);
    free(lines);
    putchar('\n');
}

static void print_placements(const struct plan *plan)
{
    if (plan->placements.count == 0)
        return;
    printf("EXISTING NODES\n%-40s %5s  %s\n", "NAME", "PODS", "");
    list_for_each (placement, &plan->placements) {
        printf("%-40s %5" PRIu32 " ", placement->name, placement->pods.count);
        for (uint32_t i = 0; i < placement->pods.count && i < NAMES_SHOWN; i++)
            printf(" %s/%s", placement->pods.items[i]->meta.namespace,
                   placement->pods.items[i]->meta.name);
        printf("%s\n", placement->pods.count > NAMES_SHOWN ? " ..." : "");
    }
    putchar('\n');
}

static void print_unschedulable(const struct plan *plan, bool explain)
{
    if (plan->unschedulable.count == 0)
        return;
    printf("PODS WITHOUT A PLACE\n");
    const struct plan_unschedulable *before = NULL;
    list_for_each (entry, &plan->unschedulable) {
        printf("%s/%s\n", entry->pod->meta.namespace, entry->pod->meta.name);
        const struct plan_unschedulable *next =
            entry + 1 < plan->unschedulable.items + plan->unschedulable.count ? entry + 1 : NULL;
        before = entry;
        if (next != NULL && strcmp(next->message, before->message) == 0)
            continue; // the reason stands once below pods that share it
        printf("    %s\n", entry->message);
        if (explain)
            list_for_each (reason, &entry->reasons)
                printf("    - %s%s%s: %s\n", reason_code_name(reason->code),
                       reason->node_pool != NULL ? " " : "",
                       reason->node_pool != NULL ? reason->node_pool : "", reason->detail);
    }
    putchar('\n');
}

static void print_disruptions(const struct plan *plan)
{
    if (!plan->has_disruptions)
        return;
    printf("DISRUPTIONS\n");
    if (plan->disruptions.count == 0)
        printf("none\n");
    list_for_each (disruption, &plan->disruptions) {
        printf("%s (%s):", disruption->method, disruption->consolidation);
        for (uint32_t i = 0; i < disruption->candidates.count; i++)
            printf(" %s", disruption->candidates.items[i]);
        printf("; %" PRIu32 " replacement(s); saves %.5f USD an hour\n",
               disruption->replacements.count, price_to_double(disruption->savings));
    }
    putchar('\n');
}

void plan_print_table(const struct plan *plan, bool explain)
{
    print_claims(plan);
    print_placements(plan);
    print_unschedulable(plan, explain);
    print_disruptions(plan);
    list_for_each (warning, &plan->warnings)
        printf("warning: %s\n", *warning);
    printf("%" PRIu32 " pod(s) placed, %" PRIu32 " without a place, %" PRIu32
           " new node(s), %.5f USD an hour\n",
           plan->pods_placed, plan->unschedulable.count, plan->claims.count,
           price_to_double(plan->price));
}
