#include "cli/output/blocked_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cli/output/columns.h"
#include "cli/output/terminal.h"
#include "model/snapshot/verdict_rules.h"

#define NAMES_SHOWN        10
#define REPLACEMENTS_SHOWN 3

// --- nodes that stay -----------------------------------------------------------------------------

struct group { // of verdicts in `order`
    uint32_t start, count;
};

static int by_text(const void *a, const void *b)
{
    const struct plan_verdict *x = *(const struct plan_verdict *const *)a;
    const struct plan_verdict *y = *(const struct plan_verdict *const *)b;
    int order = strcmp(x->rule, y->rule);
    order = order != 0 ? order : strcmp(x->message, y->message);
    return order != 0 ? order : x < y ? -1 : x > y; // by name
}

static int by_size(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void print_group(const struct plan_verdict *const *verdicts, uint32_t count)
{
    struct text text = {0};
    text_format(&text, "%s, %s: %" PRIu32 " node%s", verdicts[0]->rule,
                verdict_rule_words(verdicts[0]->rule), count, text_plural(count));
    for (uint32_t i = 0; i < count && i < NAMES_SHOWN; i++)
        text_format(&text, " %s", verdicts[i]->name);
    if (count > NAMES_SHOWN)
        text_format(&text, " +%" PRIu32, count - NAMES_SHOWN);
    print_wrapped(stdout, text.data, 0, text_width());
    print_wrapped(stdout, verdicts[0]->message, 4, text_width());
    text_free(&text);
}

void verdicts_print(const struct plan *plan)
{
    uint32_t count = plan->verdicts.count, groups_count = 0;
    const struct plan_verdict **order = memory_allocate_array(count + 1, sizeof *order);
    struct group *groups = memory_allocate_array(count + 1, sizeof *groups);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &plan->verdicts.items[i];
    qsort(order, count, sizeof *order, by_text);
    for (uint32_t i = 0; i < count; i++) {
        bool same = i > 0 && strcmp(order[i - 1]->rule, order[i]->rule) == 0 &&
                    strcmp(order[i - 1]->message, order[i]->message) == 0;
        if (!same)
            groups[groups_count++] = (struct group){.start = i};
        groups[groups_count - 1].count++;
    }
    qsort(groups, groups_count, sizeof *groups, by_size);
    print_heading("NODES THAT STAY");
    if (count == 0)
        printf("none\n");
    for (uint32_t i = 0; i < groups_count; i++)
        print_group(order + groups[i].start, groups[i].count);
    putchar('\n');
    free(order);
    free(groups);
}

// --- commands ------------------------------------------------------------------------------------

// "m5.large +3 (spot, us-west-2a)"
static void add_replacement(struct text *text, const struct plan_claim *claim)
{
    const char *const keys[] = {LABEL_CAPACITY_TYPE, LABEL_ZONE};
    text_add(text, claim->types.count > 0 ? claim->types.items[0].instance_type->name
                                          : claim->node_pool->meta.name);
    if (claim->types.count > 1)
        text_format(text, " +%" PRIu32, claim->types.count - 1);
    const char *separator = " (";
    for (size_t k = 0; k < ARRAY_LENGTH(keys); k++)
        list_for_each (requirement, &claim->requirements) {
            if (strcmp(requirement->key, keys[k]) != 0 || strcmp(requirement->operator, "In") != 0)
                continue;
            for (uint32_t i = 0; i < requirement->values.count; i++) {
                text_format(text, "%s%s", separator, requirement->values.items[i]);
                separator = ", ";
            }
        }
    if (strcmp(separator, ", ") == 0)
        text_add(text, ")");
}

void disruption_print(const struct plan_disruption *disruption)
{
    struct text text = {0};
    const struct string_list *names = &disruption->candidates;
    text_add(&text, disruption_reason_name(disruption->reason));
    if (disruption->consolidation != CONSOLIDATION_NONE)
        text_format(&text, " (%s)", consolidation_type_name(disruption->consolidation));
    text_format(&text, ": %" PRIu32 " node%s", names->count, text_plural(names->count));
    for (uint32_t i = 0; i < names->count && i < NAMES_SHOWN; i++)
        text_format(&text, " %s", names->items[i]);
    if (names->count > NAMES_SHOWN)
        text_format(&text, " +%" PRIu32, names->count - NAMES_SHOWN);
    if (disruption->replacements.count == 0)
        text_add(&text, "; no replacement");
    else
        text_format(&text, "; %" PRIu32 " replacement%s", disruption->replacements.count,
                    text_plural(disruption->replacements.count));
    for (uint32_t i = 0; i < disruption->replacements.count && i < REPLACEMENTS_SHOWN; i++) {
        text_add(&text, i == 0 ? ": " : "; ");
        add_replacement(&text, &disruption->replacements.items[i]);
    }
    if (disruption->replacements.count > REPLACEMENTS_SHOWN)
        text_format(&text, "; +%" PRIu32, disruption->replacements.count - REPLACEMENTS_SHOWN);
    if (disruption->savings > 0)
        text_format(&text, "; saves $%.4f an hour", price_to_double(disruption->savings));
    if (disruption->reason == DISRUPTION_EMPTY && disruption->moves.count > 0) { // DIS-755
        text_add(&text, "; ");
        plan_moves_describe(&disruption->moves, &text);
    }
    print_wrapped(stdout, text.data, 0, text_width());
    text_free(&text);
}
