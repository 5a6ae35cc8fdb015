#include "model/reading/budget_windows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cron.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "base/text.h"

#define DAY           (24 * HOUR)
#define LOOK_AHEAD_NS (5 * 366 * DAY) // range of the search for a schedule's match (DIS-113)

static bool is_scheduled(const struct node_pool_budget *budget)
{
    return budget->schedule != NULL || budget->duration.text != NULL;
}

static bool read_schedule(const struct node_pool_budget *budget, struct cron *cron,
                          struct error *error)
{
    const char *schedule = budget->schedule != NULL ? budget->schedule : "";
    struct error why = {0};
    if (cron_parse(schedule, cron, &why))
        return true;
    return error_set(error, ERROR_INVALID, "invariant violated, invalid cron, %s (cron=%s)",
                     why.message, schedule);
}

// The first match still active at `instant`, or the next one.
static int64_t first_hit(const struct node_pool_budget *budget, const struct cron *cron,
                         int64_t instant)
{
    return cron_next(cron, ns_subtract(instant, budget->duration.nanoseconds));
}

bool budget_is_active(const struct node_pool_budget *budget, int64_t now, bool *active,
                      struct error *error)
{
    assert(active != NULL);
    *active = true;
    if (!is_scheduled(budget))
        return true;
    struct cron cron;
    if (!read_schedule(budget, &cron, error))
        return false;
    int64_t hit = first_hit(budget, &cron, now);
    *active = hit == INT64_MAX || hit <= now;
    return true;
}

// --- windows -------------------------------------------------------------------------------------

// The span from a day's first match to its last, if no gap between matches exceeds `duration`; else
// 0. It lets a day of minutely matches be skipped at once.
static int64_t covered_span(const struct cron *cron, int64_t duration)
{
    int first = -1, last = -1;
    for (int minute = 0; minute < 24 * 60; minute++) {
        if ((cron->hours >> (minute / 60) & 1) == 0 || (cron->minutes >> (minute % 60) & 1) == 0)
            continue;
        if (first < 0)
            first = minute;
        else if (ns_multiply(minute - last, MINUTE) > duration)
            return 0;
        last = minute;
    }
    assert(last >= first);
    return ns_multiply(last - first, MINUTE);
}

// The end of the window that contains the match at `hit`.
static int64_t window_end(const struct cron *cron, int64_t hit, int64_t duration)
{
    assert(duration > 0);
    int64_t span = covered_span(cron, duration), limit = ns_add(hit, LOOK_AHEAD_NS);
    for (;;) {
        int64_t next = cron_next(cron, hit);
        if (next == INT64_MAX || next > ns_add(hit, duration))
            return ns_add(hit, duration);
        bool new_day = next / DAY != hit / DAY;
        hit = new_day ? ns_add(next, span) : next;
        if (hit >= limit)
            return INT64_MAX;
    }
}

bool budget_next_window(const struct node_pool_budget *budget, int64_t instant,
                        struct budget_window *window)
{
    *window = (struct budget_window){INT64_MIN, INT64_MAX};
    if (!is_scheduled(budget))
        return true;
    struct cron cron;
    struct error error;
    if (!read_schedule(budget, &cron, &error))
        return false;
    int64_t hit = first_hit(budget, &cron, instant);
    if (hit == INT64_MAX)
        return true;
    if (budget->duration.nanoseconds <= 0)
        return false;
    *window = (struct budget_window){hit, window_end(&cron, hit, budget->duration.nanoseconds)};
    assert(window->start < window->end);
    assert(window->end > instant);
    return true;
}

// --- values --------------------------------------------------------------------------------------

bool budget_nodes(const struct node_pool_budget *budget, int64_t total, int64_t *nodes,
                  struct error *error)
{
    assert(total >= 0);
    assert(nodes != NULL);
    const char *text = budget->nodes != NULL ? budget->nodes : "";
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    char number[32];
    if (length == 0 || length >= sizeof number)
        return error_set(error, ERROR_INVALID, "invalid nodes \"%.200s\"", text);
    memcpy(number, text, length + 1);
    if (percent)
        number[length - 1] = '\0';
    if (!text_parse_int64(number, nodes) || *nodes < 0)
        return error_set(error, ERROR_INVALID, "invalid nodes \"%s\"", text);
    if (percent)
        *nodes = (quantity_multiply(*nodes, total) + 99) / 100;
    else if ((*nodes = (int32_t)(uint32_t)*nodes) < 0) // upstream reads it as 32 bits
        *nodes = 0;
    return true;
}

bool budget_has_reason(const struct node_pool_budget *budget, enum disruption_reason reason)
{
    assert(reason < DISRUPTION_REASONS_COUNT);
    return budget->reasons.items == NULL ||
           string_list_has(&budget->reasons, disruption_reason_name(reason));
}

bool budget_has_reasons(const struct node_pool_budget *budget)
{
    return budget->reasons.items == NULL || budget->reasons.count > 0;
}

// Lists the reasons by name, whatever their order in the NodePool (DIS-796).
static void describe_reasons(const struct string_list *reasons, struct text *out)
{
    CLEANUP_FREE const char **sorted = memory_allocate_array(reasons->count + 1, sizeof *sorted);
    for (uint32_t i = 0; i < reasons->count; i++)
        sorted[i] = reasons->items[i];
    qsort(sorted, reasons->count, sizeof *sorted, text_compare);
    for (uint32_t i = 0; i < reasons->count; i++)
        text_format(out, "%s%s",
                    i == 0                   ? " for "
                    : i + 1 < reasons->count ? ", "
                                             : " and ",
                    sorted[i]);
}

void budget_describe(const struct node_pool_budget *budget, struct text *out)
{
    text_format(out, "nodes \"%s\"", budget->nodes != NULL ? budget->nodes : "");
    if (!budget_has_reasons(budget))
        text_add(out, " for no reason");
    describe_reasons(&budget->reasons, out);
    if (budget->schedule != NULL)
        text_format(out, ", schedule \"%s\"", budget->schedule);
    if (budget->duration.text != NULL)
        text_format(out, " for %s", budget->duration.text);
}
