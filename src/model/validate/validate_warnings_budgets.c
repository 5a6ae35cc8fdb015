#include "model/validate/validate_warnings_budgets.h"

#include <string.h>

#include "base/quantity.h"
#include "model/schema/karpenter.h"
#include "model/tables/rules_json.h"
#include "model/validate/budget_lint.h"
#include "model/validate/validate_warnings_values.h"

enum { REASON_UNDERUTILIZED = 1, REASON_EMPTY = 2, REASON_DRIFTED = 4 };

static unsigned reasons_of(const json_t *budget)
{
    const json_t *list = json_object_get(budget, "reasons");
    if (list == NULL)
        return BUDGET_REASONS_ALL;
    unsigned reasons = 0;
    size_t index;
    json_t *reason;
    json_array_foreach (list, index, reason) {
        const char *word = json_is_string(reason) ? json_string_value(reason) : "";
        reasons |= strcmp(word, "Underutilized") == 0 ? REASON_UNDERUTILIZED
                   : strcmp(word, "Empty") == 0       ? REASON_EMPTY
                   : strcmp(word, "Drifted") == 0     ? REASON_DRIFTED
                                                      : 0;
    }
    return reasons;
}

// The fields for budget_lint(); of the reasons only whether there are any.
static struct node_pool_budget budget_of(const json_t *budget, int64_t duration)
{
    static const char *const listed[] = {""};
    const json_t *list = json_object_get(budget, "reasons");
    struct node_pool_budget result = {.nodes = json_text(budget, "nodes"),
                                      .schedule = json_text(budget, "schedule"),
                                      .duration = {json_text(budget, "duration"), duration}};
    if (list != NULL)
        result.reasons = (struct string_list){.items = (const char **)(uintptr_t)listed,
                                              .count = json_array_size(list) > 0};
    return result;
}

struct budget_place {
    struct validation *validation;
    const struct place *place;
};

static void report_finding(void *context, const struct budget_finding *finding)
{
    const struct budget_place *budget = context;
    struct place field = {budget->place, finding->field, 0};
    validation_warn(budget->validation, &field, finding->code, finding->hint, "%s",
                    finding->message);
}

// The maximum of nodes by the NodePool's spec.
static int64_t most_nodes_of(const json_t *spec)
{
    const json_t *replicas = json_object_get(spec, "replicas");
    const json_t *limit = json_object_get(json_object_get(spec, "limits"), "nodes");
    int64_t most = INT64_MAX, nodes = INT64_MAX;
    struct error error;
    if (json_is_integer(replicas))
        most = json_integer_value(replicas);
    if (json_is_integer(limit))
        nodes = json_integer_value(limit);
    else if (json_is_string(limit) &&
             !quantity_parse("nodes", json_string_value(limit), &nodes, &error))
        nodes = INT64_MAX;
    return nodes < most ? nodes : most;
}

static const char *reasons_text(unsigned reasons)
{
    static const char *const texts[] = {"",
                                        "Underutilized",
                                        "Empty",
                                        "Underutilized and Empty",
                                        "Drifted",
                                        "Underutilized and Drifted",
                                        "Empty and Drifted",
                                        "any reason"};
    return texts[reasons];
}

unsigned warn_budgets(struct validation *validation, const struct place *disruption_place,
                      const json_t *spec)
{
    const json_t *disruption = json_object_get(spec, "disruption");
    struct place list_place = {disruption_place, "budgets", 0};
    unsigned blocked = 0;
    size_t index;
    json_t *budget;
    json_array_foreach (json_object_get(disruption, "budgets"), index, budget) {
        struct place place = {&list_place, NULL, index};
        struct place duration_place = {&place, "duration", 0};
        struct budget_place about = {validation, &place};
        int64_t duration;
        warn_duration(validation, &duration_place, budget, &duration);
        struct node_pool_budget typed = budget_of(budget, duration);
        budget_lint(&typed, most_nodes_of(spec), validation->options->now, report_finding, &about);
        unsigned reasons = reasons_of(budget);
        if (reasons == 0 || !budget_always_blocks(&typed))
            continue;
        validation_warn(validation, &place, "W-budget-blocks",
                        "add a schedule and a duration, or allow a number of nodes",
                        "no node is ever disrupted for %s", reasons_text(reasons));
        blocked |= reasons;
    }
    return blocked;
}
