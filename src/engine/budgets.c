#include "engine/budgets.h"

#include <string.h>

#include "base/cron.h"
#include "base/quantity.h"
#include "base/text.h"

// DIS-110 to DIS-113: active iff some hit h has h <= now < h + duration.
static bool is_active(const struct node_pool_budget *budget, int64_t now, bool *active,
                      struct error *error)
{
    *active = true;
    if (budget->schedule == NULL && budget->duration.text == NULL)
        return true;
    struct cron cron;
    struct error why = {0};
    if (!cron_parse(budget->schedule != NULL ? budget->schedule : "", &cron, &why))
        return error_set(error, ERROR_INVALID, "invariant violated, invalid cron, %s (cron=%s)",
                         why.message, budget->schedule != NULL ? budget->schedule : "");
    int64_t checkpoint = quantity_subtract(now, budget->duration.nanoseconds);
    int64_t hit = cron_next(&cron, checkpoint);
    *active = hit == INT64_MAX || hit <= now;
    return true;
}

// DIS-118.
static bool nodes_value(const char *nodes, int64_t total, int64_t *value, struct error *error)
{
    size_t length = nodes != NULL ? strlen(nodes) : 0;
    bool percent = length > 0 && nodes[length - 1] == '%';
    char number[32];
    if (length == 0 || length >= sizeof number)
        return error_set(error, ERROR_INVALID, "invalid nodes \"%s\"", nodes != NULL ? nodes : "");
    memcpy(number, nodes, length + 1);
    if (percent)
        number[length - 1] = '\0';
    if (!text_parse_int64(number, value) || *value < 0)
        return error_set(error, ERROR_INVALID, "invalid nodes \"%s\"", nodes);
    if (percent)
        *value = (quantity_multiply(*value, total) + 99) / 100;
    return true;
}

static bool applies(const struct node_pool_budget *budget, const char *reason)
{
    return budget->reasons.items == NULL || string_list_has(&budget->reasons, reason);
}

bool budgets_allowed(const struct node_pool *pool, const char *reason, int64_t total, int64_t now,
                     int64_t *allowed, struct error *error)
{
    *allowed = BUDGET_UNLIMITED;
    list_for_each (budget, &pool->spec.disruption.budgets) {
        bool active;
        int64_t value = 0;
        if (!is_active(budget, now, &active, error) ||
            (active && !nodes_value(budget->nodes, total, &value, error))) {
            *allowed = 0;
            return false;
        }
        if (active && applies(budget, reason) && value < *allowed)
            *allowed = value;
    }
    return true;
}
