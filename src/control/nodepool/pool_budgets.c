#include "control/nodepool/pool_budgets.h"

#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "model/schema/condition_types.h"
#include "model/validate/budget_lint.h"
#include "reconcile/conditions.h"

struct findings {
    struct text text;
    uint32_t index; // of the budget
    bool any;       // of this budget
};

static void note(void *context, const struct budget_finding *oddity)
{
    struct findings *findings = context;
    findings->any = true;
    text_add(&findings->text, findings->text.length > 0 ? "; " : "");
    text_format(&findings->text, "spec.disruption.budgets[%u].%s: %s", findings->index,
                oddity->field, oddity->message);
    if (oddity->hint != NULL)
        text_format(&findings->text, " (%s)", oddity->hint);
}

// The texts name the next windows, so they last until the first of these has ended.
static int64_t until_window_ends(const struct node_pool_budget *budget, int64_t now)
{
    struct budget_window window;
    return budget_next_window(budget, now, &window) && window.end != INT64_MAX
               ? ns_subtract(window.end, now)
               : INT64_MAX;
}

int64_t pool_budgets_check(const struct node_pool *pool, struct conditions *conditions, int64_t now)
{
    struct findings findings = {0};
    int64_t again_ns = INT64_MAX;
    list_for_each (budget, &pool->spec.disruption.budgets) {
        findings.any = false;
        budget_lint(budget, INT64_MAX, now, note, &findings);
        int64_t own_ns = findings.any ? until_window_ends(budget, now) : INT64_MAX;
        again_ns = own_ns < again_ns ? own_ns : again_ns;
        findings.index++;
    }
    if (findings.text.length > 0)
        conditions_set(conditions, CONDITION_BUDGETS_QUESTIONABLE, "True",
                       CONDITION_REASON_HARDLY_MEANT, findings.text.data);
    else
        conditions_clear(conditions, CONDITION_BUDGETS_QUESTIONABLE);
    text_free(&findings.text);
    return again_ns;
}
