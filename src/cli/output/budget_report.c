#include "cli/output/budget_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/output/columns.h"
#include "cli/output/terminal.h"
#include "engine/disruption/nodepool_budgets.h"
#include "model/validate/budget_lint.h"

// --- instants ------------------------------------------------------------------------------------

static struct tm local_of(int64_t instant)
{
    time_t seconds = (time_t)(instant / SECOND - (instant % SECOND < 0));
    struct tm local = {0};
    localtime_r(&seconds, &local);
    return local;
}

void local_time_format(int64_t instant, char out[LOCAL_TEXT_MAX])
{
    struct tm local = local_of(instant);
    if (strftime(out, LOCAL_TEXT_MAX, "%a %d %b %Y %H:%M %Z", &local) == 0)
        out[0] = '\0';
}

static void add_instant(const struct tm *time, bool day, bool zone, struct text *out)
{
    char part[LOCAL_TEXT_MAX];
    if (day && strftime(part, sizeof part, "%a %d %b ", time) > 0)
        text_add(out, part);
    if (strftime(part, sizeof part, "%H:%M", time) > 0)
        text_add(out, part);
    if (zone && strftime(part, sizeof part, " %Z", time) > 0)
        text_add(out, part);
}

// Without years, which stand beside in UTC.
void local_window_add(const struct budget_window *window, struct text *out)
{
    struct tm start = local_of(window->start), end = local_of(window->end);
    bool same_day = start.tm_year == end.tm_year && start.tm_yday == end.tm_yday;
    bool same_zone = start.tm_gmtoff == end.tm_gmtoff, endless = window->end == INT64_MAX;
    add_instant(&start, true, endless || !same_day || !same_zone, out);
    text_add(out, endless ? " to without end" : " to ");
    if (!endless)
        add_instant(&end, !same_day || !same_zone, true, out);
}

void budget_encode_instant(json_t *json, const char *utc_key, const char *local_key,
                           int64_t instant)
{
    char utc[INSTANT_TEXT_MAX], local[LOCAL_TEXT_MAX];
    struct tm time = local_of(instant);
    instant_format(instant, utc);
    json_object_set_new(json, utc_key, json_string(utc));
    if (strftime(local, sizeof local, "%Y-%m-%dT%H:%M:%S%z", &time) > 0)
        json_object_set_new(json, local_key, json_string(local));
}

// --- what is allowed -----------------------------------------------------------------------------

void budget_allowed_at(const struct disruption_pool *pool, int64_t instant,
                       int64_t allowed[BUDGET_REASONS_COUNT])
{
    for (enum disruption_reason i = 0; i < BUDGET_REASONS_COUNT; i++) {
        struct error ignored; // an oddity
        if (!nodepool_budgets_allowed(pool->pool, i, pool->total, instant, &allowed[i], &ignored))
            allowed[i] = 0;
    }
}

json_t *budget_encode_allowed(const int64_t allowed[BUDGET_REASONS_COUNT])
{
    json_t *json = json_object();
    for (enum disruption_reason i = 0; i < BUDGET_REASONS_COUNT; i++)
        json_object_set_new(json, disruption_reason_name(i),
                            allowed[i] >= BUDGET_UNLIMITED ? json_null()
                                                           : json_integer(allowed[i]));
    return json;
}

const char *budget_allowed_text(int64_t allowed, char out[24])
{
    if (allowed >= BUDGET_UNLIMITED)
        return "any";
    snprintf(out, 24, "%" PRId64, allowed);
    return out;
}

void budget_print_heading(const struct disruption_pool *pool)
{
    printf("NodePool %s: %" PRId64 " node%s", pool->pool->meta.name, pool->total,
           pool->total == 1 ? "" : "s");
    if (pool->disrupting > 0)
        printf(", %" PRId64 " of them being disrupted or not ready", pool->disrupting);
    putchar('\n');
}

// --- oddities ------------------------------------------------------------------------------------

struct teller {
    uint32_t index;
    json_t *list; // NULL: print
};

static void tell(void *context, const struct budget_finding *oddity)
{
    const struct teller *teller = context;
    if (teller->list != NULL) {
        json_array_append_new(teller->list,
                              json_pack("{s:I, s:s, s:s, s:s, s:s*}", "budget",
                                        (json_int_t)teller->index, "code", oddity->code, "field",
                                        oddity->field, "message", oddity->message, "hint",
                                        oddity->hint));
        return;
    }
    struct text text = {0};
    text_format(&text, "budgets[%" PRIu32 "].%s: %s", teller->index, oddity->field,
                oddity->message);
    if (oddity->hint != NULL)
        text_format(&text, " (%s)", oddity->hint);
    print_wrapped(stdout, text.data, 2, text_width());
    text_free(&text);
}

static void tell_all(const struct disruption_pool *pool, int64_t now, json_t *list)
{
    for (uint32_t i = 0; i < pool->pool->spec.disruption.budgets.count; i++) {
        struct teller teller = {i, list};
        budget_lint(&pool->pool->spec.disruption.budgets.items[i], pool->total, now, tell, &teller);
    }
}

void budget_print_oddities(const struct disruption_pool *pool, int64_t now)
{
    tell_all(pool, now, NULL);
}

json_t *budget_encode_oddities(const struct disruption_pool *pool, int64_t now)
{
    json_t *list = json_array();
    tell_all(pool, now, list);
    return list;
}
