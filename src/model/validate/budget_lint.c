#include "model/validate/budget_lint.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cron.h"

#define WINDOWS_SHOWN 2

struct report {
    const struct node_pool_budget *budget;
    int64_t now;
    void (*call)(void *context, const struct budget_finding *oddity);
    void *context;
};

static void tell(const struct report *report, const char *code, const char *field, const char *hint,
                 const char *format, ...) PRINTF_LIKE(5, 6);
static void tell(const struct report *report, const char *code, const char *field, const char *hint,
                 const char *format, ...)
{
    assert(code != NULL);
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_repair(message);
    const struct budget_finding oddity = {code, field, message, hint};
    report->call(report->context, &oddity);
}

// --- schedules -----------------------------------------------------------------------------------

static const char *schedule_hint(const char *schedule)
{
    if (strncmp(schedule, "TZ=", 3) == 0 || strncmp(schedule, "CRON_TZ=", 8) == 0)
        return "leave the time zone out: times are UTC";
    if (strncmp(schedule, "@every", 6) == 0)
        return "write five fields: minute hour day-of-month month day-of-week; times are UTC";
    return "five fields: minute hour day-of-month month day-of-week; times are UTC";
}

// Returns false if the schedule is invalid or never matches.
static bool tell_schedule(const struct report *report)
{
    const char *schedule = report->budget->schedule;
    struct cron cron;
    struct error error;
    if (!cron_parse(schedule, &cron, &error)) {
        tell(report, "W-cron", "schedule", schedule_hint(schedule),
             "\"%s\" is no schedule: %s; it blocks every disruption of the pool", schedule,
             error.message);
        return false;
    }
    // Any instant will do: a schedule without a match in the five years after one never matches.
    if (cron_next(&cron, 0) != INT64_MAX)
        return true;
    tell(report, "W-cron-never", "schedule", NULL,
         "\"%s\" never comes: the budget counts at all times", schedule);
    return false;
}

static void tell_duration(const struct report *report)
{
    const struct duration *duration = &report->budget->duration;
    if (duration->text != NULL && duration->nanoseconds == 0)
        tell(report, "W-budget-never", "duration", "write how long the budget is to count",
             "\"%s\" is no time at all: the budget never counts", duration->text);
}

// " (next: 2026-01-05T09:00:00Z to 2026-01-05T17:00:00Z, ...)"; nothing for budgets that are always
// or never active.
static void add_windows(const struct report *report, struct text *text)
{
    int64_t instant = report->now;
    struct budget_window window;
    uint32_t shown = 0;
    while (report->now != 0 && shown < WINDOWS_SHOWN &&
           budget_next_window(report->budget, instant, &window) && window.start != INT64_MIN) {
        char start[INSTANT_TEXT_MAX], end[INSTANT_TEXT_MAX] = "";
        instant_format(window.start, start);
        if (window.end != INT64_MAX)
            instant_format(window.end, end);
        text_format(text, "%s%s to %s", shown++ == 0 ? " (next: " : ", ", start, end);
        if (window.end == INT64_MAX)
            break;
        instant = window.end;
    }
    text_add(text, shown > 0 ? ")" : "");
}

// --- the rest ------------------------------------------------------------------------------------

static void tell_reasons(const struct report *report)
{
    if (!budget_has_reasons(report->budget))
        tell(report, "W-budget-no-reason", "reasons", "leave the list out for all reasons",
             "an empty list names no reason: the budget never counts");
}

static void tell_number(const struct report *report)
{
    const char *nodes = report->budget->nodes;
    int64_t number, value;
    struct error error;
    struct text windows = {0};
    if (nodes[strlen(nodes) - 1] == '%' || strspn(nodes, "0123456789") != strlen(nodes))
        return;
    add_windows(report, &windows);
    const char *next = windows.data != NULL ? windows.data : "";
    if (!text_parse_int64(nodes, &number))
        tell(report, "W-budget-nodes", "nodes", "write a number below 2147483648",
             "%s is too large to be read: while the budget counts%s, it blocks every disruption of "
             "the pool",
             nodes, next);
    else if (number > INT32_MAX && budget_nodes(report->budget, 0, &value, &error))
        tell(report, "W-budget-nodes", "nodes", "write a number below 2147483648",
             "%s is cut to 32 bits: while the budget counts%s, it allows %" PRId64, nodes, next,
             value);
    text_free(&windows);
}

// DIS-764.
static void tell_rounding(const struct report *report, int64_t most_nodes)
{
    const char *nodes = report->budget->nodes;
    int64_t percent = strtoll(nodes, NULL, 10);
    if (most_nodes == 1 && nodes[strlen(nodes) - 1] == '%' && percent > 0 && percent < 100)
        tell(report, "W-budget-one-node", "nodes", "nodes: \"0\" protects it",
             "%s of one node is rounded up to that node: the whole pool may be disrupted at once",
             nodes);
}

void budget_lint(const struct node_pool_budget *budget, int64_t most_nodes, int64_t now,
                 void (*call)(void *context, const struct budget_finding *oddity), void *context)
{
    assert(call != NULL);
    const struct report report = {budget, now, call, context};
    if (budget->schedule != NULL && tell_schedule(&report))
        tell_duration(&report);
    tell_reasons(&report);
    if (budget->nodes == NULL || budget->nodes[0] == '\0')
        return;
    tell_number(&report);
    tell_rounding(&report, most_nodes);
}

bool budget_always_blocks(const struct node_pool_budget *budget)
{
    const char *nodes = budget->nodes;
    struct budget_window window;
    return nodes != NULL && nodes[0] != '\0' && strspn(nodes, "0%") == strlen(nodes) &&
           budget_has_reasons(budget) && budget_next_window(budget, 0, &window) &&
           window.end == INT64_MAX;
}
