// adze explain budget: the next windows of each disruption budget of a NodePool (DIS-777).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/explain.h"
#include "cli/output/budget_report.h"
#include "cli/output/columns.h"
#include "cli/output/document.h"
#include "cli/output/explain_print.h"
#include "cli/output/terminal.h"
#include "model/reading/budget_windows.h"
#include "model/schema/encode.h"

#define WINDOWS_SHOWN 10

struct windows {
    struct budget_window items[WINDOWS_SHOWN];
    uint32_t count; // 0: never, or the schedule is invalid
    bool always;    // no windows then
};

static struct windows next_windows(const struct node_pool_budget *budget, int64_t now)
{
    struct windows windows = {0};
    struct budget_window window;
    while (windows.count < WINDOWS_SHOWN && budget_next_window(budget, now, &window)) {
        windows.always = window.start == INT64_MIN;
        if (windows.always)
            break;
        windows.items[windows.count++] = window;
        if (window.end == INT64_MAX)
            break;
        now = window.end;
    }
    return windows;
}

// "2 of 12 nodes", while the budget is active; NULL: the budget is invalid.
static const char *effect_of(const struct disruption_pool *pool,
                             const struct node_pool_budget *budget, char out[64])
{
    int64_t nodes;
    struct error ignored;
    if (!budget_nodes(budget, pool->total, &nodes, &ignored))
        return NULL;
    snprintf(out, 64, "%" PRId64 " of %" PRId64 " node%s", nodes, pool->total,
             pool->total == 1 ? "" : "s");
    return out;
}

// --- the text ------------------------------------------------------------------------------------

static void print_windows(const struct windows *windows, int64_t now)
{
    static const char *const titles[] = {"", "FROM", "TO", "LOCAL TIME", NULL};
    struct columns *columns = columns_create(titles);
    for (uint32_t i = 0; i < windows->count; i++) {
        const struct budget_window *window = &windows->items[i];
        char start[INSTANT_TEXT_MAX], end[INSTANT_TEXT_MAX] = "without end";
        struct text local = {0};
        instant_format(window->start, start);
        local_window_add(window, &local);
        if (window->end != INT64_MAX)
            instant_format(window->end, end);
        columns_add(columns, window->start <= now ? "now" : "");
        columns_add(columns, start);
        columns_add(columns, end);
        columns_add(columns, local.data);
        text_free(&local);
    }
    columns_print(columns, stdout);
    columns_destroy(columns);
}

static void print_budget(const struct disruption_pool *pool, uint32_t index, int64_t now)
{
    const struct node_pool_budget *budget = &pool->pool->spec.disruption.budgets.items[index];
    struct windows windows = next_windows(budget, now);
    struct error error;
    bool active;
    char effect_text[64];
    const char *effect = effect_of(pool, budget, effect_text);
    struct text text = {0};
    text_format(&text, "budgets[%" PRIu32 "]: ", index);
    budget_describe(budget, &text);
    print_wrapped(stdout, text.data, 0, text_width());
    text_free(&text);
    if (!budget_is_active(budget, now, &active, &error) || effect == NULL)
        printf("  cannot be read: nothing may be disrupted\n");
    else if (!budget_has_reasons(budget))
        printf("  never counts: it names no reason\n");
    else if (windows.always)
        printf("  counts at all times: allows %s\n", effect);
    else if (windows.count == 0)
        printf("  never counts\n");
    else
        printf("  allows %s while it counts:\n", effect);
    if (windows.count > 0 && effect != NULL && budget_has_reasons(budget))
        print_windows(&windows, now);
}

static void print_pool(const struct disruption_pool *pool, int64_t now)
{
    int64_t allowed[BUDGET_REASONS_COUNT];
    char number[24];
    budget_print_heading(pool);
    budget_allowed_at(pool, now, allowed);
    printf("  allowed now:");
    for (enum disruption_reason i = 0; i < BUDGET_REASONS_COUNT; i++)
        printf("%s %s %s", i > 0 ? "," : "", disruption_reason_name(i),
               budget_allowed_text(allowed[i], number));
    putchar('\n');
    budget_print_oddities(pool, now);
    for (uint32_t i = 0; i < pool->pool->spec.disruption.budgets.count; i++)
        print_budget(pool, i, now);
    if (pool->pool->spec.disruption.budgets.count == 0)
        printf("there are no budgets: any number of nodes may be disrupted\n");
}

// --- for programs --------------------------------------------------------------------------------

static json_t *encode_budget(const struct disruption_pool *pool, uint32_t index, int64_t now)
{
    const struct node_pool_budget *budget = &pool->pool->spec.disruption.budgets.items[index];
    struct windows windows = next_windows(budget, now);
    struct error error = {0};
    bool active;
    int64_t nodes;
    json_t *json = json_object(), *list = json_array();
    for (uint32_t i = 0; i < windows.count; i++) {
        json_t *window = json_object();
        budget_encode_instant(window, "start", "localStart", windows.items[i].start);
        if (windows.items[i].end != INT64_MAX)
            budget_encode_instant(window, "end", "localEnd", windows.items[i].end);
        json_array_append_new(list, window);
    }
    json_object_set_new(json, "budget", json_integer(index));
    json_object_set_new(json, "nodes", json_string(budget->nodes != NULL ? budget->nodes : ""));
    if (budget->reasons.items != NULL)
        json_object_set_new(json, "reasons", string_list_encode(&budget->reasons));
    if (budget->schedule != NULL)
        json_object_set_new(json, "schedule", json_string(budget->schedule));
    if (budget->duration.text != NULL)
        json_object_set_new(json, "duration", json_string(budget->duration.text));
    bool readable = budget_is_active(budget, now, &active, &error) &&
                    budget_nodes(budget, pool->total, &nodes, &error);
    json_object_set_new(json, "active", json_boolean(readable && active));
    if (readable)
        json_object_set_new(json, "allows", json_integer(nodes));
    else
        json_object_set_new(json, "error", json_string(error.message));
    json_object_set_new(json, "always", json_boolean(windows.always));
    json_object_set_new(json, "windows", list);
    return json;
}

static json_t *encode_pool(const struct disruption_pool *pool, int64_t now)
{
    json_t *json = json_object(), *budgets = json_array();
    int64_t allowed[BUDGET_REASONS_COUNT];
    for (uint32_t i = 0; i < pool->pool->spec.disruption.budgets.count; i++)
        json_array_append_new(budgets, encode_budget(pool, i, now));
    budget_allowed_at(pool, now, allowed);
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("BudgetExplanation"));
    json_object_set_new(json, "nodePool", json_string(pool->pool->meta.name));
    json_object_set_new(json, "nodes", json_integer(pool->total));
    json_object_set_new(json, "disrupting", json_integer(pool->disrupting));
    json_object_set_new(json, "allowed", budget_encode_allowed(allowed));
    json_object_set_new(json, "budgets", budgets);
    json_object_set_new(json, "oddities", budget_encode_oddities(pool, now));
    return json;
}

// --- together ------------------------------------------------------------------------------------

static int run(const struct input_options *options, const struct snapshot *snapshot,
               char *const *names)
{
    struct error error = {0};
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    const struct candidate_options candidate_options = {.reason = DISRUPTION_EMPTY};
    struct candidate_table table = candidates_build(arena, snapshot, &candidate_options);
    list_for_each (pool, &table.pools) {
        if (!text_equal(pool->pool->meta.name, names[0]))
            continue;
        if (document_is_wanted(options->common.format))
            return document_print(&command_explain, options->common.format, NULL,
                                  encode_pool(pool, snapshot->time));
        print_pool(pool, snapshot->time);
        return 0;
    }
    error_set(&error, ERROR_INVALID, "there is no NodePool %s among those that were read",
              names[0]);
    return command_failed(&command_explain, &error);
}

const struct explain_noun explain_noun_budget = {
    .name = "budget",
    .plural = "budgets",
    .arguments = "NODEPOOL",
    .run = run,
};
