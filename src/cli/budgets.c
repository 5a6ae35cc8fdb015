// adze budgets: the number of nodes that may be disrupted, now and as windows open and close
// (DIS-777).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "cli/input/command.h"
#include "cli/input/input.h"
#include "cli/input/provider_options.h"
#include "cli/output/budget_report.h"
#include "cli/output/columns.h"
#include "cli/output/document.h"
#include "engine/disruption/nodepool_budgets.h"

#define DAY         (24 * HOUR)
#define CHANGES_MAX 1000 // of one NodePool
#define NEXT_MAX    (5 * 365 * DAY)

struct request {
    struct input_options input;
    int64_t next_ns;
    char *const *names; // NodePools; none: all
};

// --- changes -------------------------------------------------------------------------------------

struct change {
    int64_t instant;
    int64_t allowed[BUDGET_REASONS_COUNT];
};
struct changes {
    struct change *items; // the first is now
    uint32_t count;
    bool cut; // more were left out
};

static struct changes find_changes(const struct disruption_pool *pool, int64_t now, int64_t next_ns)
{
    struct changes changes = {.items = memory_allocate_array(CHANGES_MAX, sizeof *changes.items)};
    int64_t end = ns_add(now, next_ns), instant = now;
    while (instant <= end && instant != INT64_MAX) {
        struct change change = {.instant = instant};
        budget_allowed_at(pool, instant, change.allowed);
        const struct change *last = changes.count > 0 ? &changes.items[changes.count - 1] : NULL;
        bool same =
            last != NULL && memcmp(last->allowed, change.allowed, sizeof change.allowed) == 0;
        if (!same && changes.count == CHANGES_MAX) {
            changes.cut = true;
            break;
        }
        if (!same)
            changes.items[changes.count++] = change;
        instant = nodepool_budgets_next_change(pool->pool, instant);
    }
    return changes;
}

// --- printing ------------------------------------------------------------------------------------

static void print_changes(const struct disruption_pool *pool, const struct changes *changes)
{
    static const char *const titles[] = {"FROM",     "LOCAL TIME",     ">EMPTY",
                                         ">DRIFTED", ">UNDERUTILIZED", NULL};
    struct columns *columns = columns_create(titles);
    char number[24];
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        char utc[INSTANT_TEXT_MAX], local[LOCAL_TEXT_MAX];
        instant_format(change->instant, utc);
        local_time_format(change->instant, local);
        columns_add(columns, i == 0 ? "now" : utc);
        columns_add(columns, local);
        for (size_t r = 0; r < BUDGET_REASONS_COUNT; r++)
            columns_add(columns, budget_allowed_text(change->allowed[r], number));
        if (i > 0 || pool->disrupting == 0)
            continue;
        columns_add(columns, "left now");
        columns_add(columns, "");
        for (size_t r = 0; r < BUDGET_REASONS_COUNT; r++) {
            int64_t left = change->allowed[r] - pool->disrupting;
            bool unlimited = change->allowed[r] >= BUDGET_UNLIMITED;
            columns_add(columns, budget_allowed_text(unlimited  ? BUDGET_UNLIMITED
                                                     : left > 0 ? left
                                                                : 0,
                                                     number));
        }
    }
    columns_print(columns, stdout);
    if (changes->cut)
        printf("and more changes later\n");
    columns_destroy(columns);
}

static json_t *encode_pool(const struct disruption_pool *pool, const struct changes *changes,
                           int64_t now)
{
    json_t *json = json_object(), *list = json_array();
    for (uint32_t i = 1; i < changes->count; i++) {
        json_t *change = json_object();
        budget_encode_instant(change, "time", "localTime", changes->items[i].instant);
        json_object_set_new(change, "allowed", budget_encode_allowed(changes->items[i].allowed));
        json_array_append_new(list, change);
    }
    json_object_set_new(json, "nodePool", json_string(pool->pool->meta.name));
    json_object_set_new(json, "nodes", json_integer(pool->total));
    json_object_set_new(json, "disrupting", json_integer(pool->disrupting));
    json_object_set_new(json, "allowed", budget_encode_allowed(changes->items[0].allowed));
    json_object_set_new(json, "changes", list);
    if (changes->cut)
        json_object_set_new(json, "cut", json_true());
    json_object_set_new(json, "oddities", budget_encode_oddities(pool, now));
    return json;
}

static bool is_asked(const struct request *request, const struct disruption_pool *pool)
{
    for (char *const *name = request->names; *name != NULL; name++)
        if (text_equal(*name, pool->pool->meta.name))
            return true;
    return request->names[0] == NULL;
}

// -o name.
static const char pool_names[] =
    "{range .nodePools[*]}nodepool.karpenter.sh/{.nodePool}{\"\\n\"}{end}";

static int report(const struct request *request, const struct snapshot *snapshot,
                  const struct candidate_table *table)
{
    bool is_table = !document_is_wanted(request->input.common.format);
    json_t *pools = json_array();
    list_for_each (pool, &table->pools) {
        if (!is_asked(request, pool))
            continue;
        struct changes changes = find_changes(pool, snapshot->time, request->next_ns);
        if (!is_table) {
            json_array_append_new(pools, encode_pool(pool, &changes, snapshot->time));
        } else {
            budget_print_heading(pool);
            budget_print_oddities(pool, snapshot->time);
            print_changes(pool, &changes);
            putchar('\n');
        }
        free(changes.items);
    }
    if (is_table) {
        json_decref(pools);
        return 0;
    }
    json_t *json = json_object();
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("DisruptionBudgets"));
    budget_encode_instant(json, "time", "localTime", snapshot->time);
    budget_encode_instant(json, "until", "untilLocalTime",
                          ns_add(snapshot->time, request->next_ns));
    json_object_set_new(json, "nodePools", pools);
    return document_print(&command_budgets, request->input.common.format, pool_names, json);
}

// --- the command ---------------------------------------------------------------------------------

static bool names_exist(const struct request *request, const struct candidate_table *table,
                        struct error *error)
{
    for (char *const *name = request->names; *name != NULL; name++) {
        bool found = false;
        list_for_each (pool, &table->pools)
            found = found || text_equal(pool->pool->meta.name, *name);
        if (!found)
            return error_set(error, ERROR_INVALID,
                             "there is no NodePool %s among those that were "
                             "read",
                             *name);
    }
    return true;
}

static int report_snapshot(struct request *request, struct snapshot *snapshot)
{
    struct error error = {0};
    if (!input_read(&request->input, snapshot, &error))
        return command_failed(&command_budgets, &error);
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    const struct candidate_options options = {.reason = DISRUPTION_EMPTY};
    struct candidate_table table = candidates_build(arena, snapshot, &options);
    if (!names_exist(request, &table, &error))
        return command_failed(&command_budgets, &error);
    return report(request, snapshot, &table);
}

// Go's durations, and days: "7d".
static bool read_period(const char *text, int64_t *period_ns)
{
    struct error ignored;
    int64_t days;
    size_t length = strlen(text);
    char number[24];
    if (length > 1 && length < sizeof number && text[length - 1] == 'd') {
        memcpy(number, text, length);
        number[length - 1] = '\0';
        if (!text_parse_int64(number, &days))
            return false;
        *period_ns = ns_multiply(days, DAY);
    } else if (!duration_parse(text, period_ns, &ignored)) {
        return false;
    }
    return *period_ns > 0 && *period_ns <= NEXT_MAX;
}

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    enum { NEXT = INPUT_OPTIONS_END };
    static const struct option options[] = {
        INPUT_OPTIONS, {"next", required_argument, NULL, NEXT}, {0}};
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, INPUT_OPTIONS_SHORT, options, NULL)) != -1) {
        bool known = option == NEXT || input_take_option(&request->input, option);
        if (option == NEXT && !read_period(optarg, &request->next_ns)) {
            *status = command_usage_error(&command_budgets,
                                          "--next takes a period such as 36h or 7d, at most five "
                                          "years, not %s",
                                          optarg);
            return false;
        }
        if (!known) {
            *status = option_refused(&command_budgets, argv, options);
            return false;
        }
    }
    request->names = argv + optind;
    return input_check_options(&command_budgets, &request->input, status);
}

static int run(int argc, char **argv)
{
    struct request request = {.input = {.common = {.format = "table"}}, .next_ns = 7 * DAY};
    int status = 0;
    if (read_arguments(argc, argv, &request, &status)) {
        struct snapshot *snapshot = snapshot_create();
        status = report_snapshot(&request, snapshot);
        snapshot_destroy(snapshot);
    }
    input_free(&request.input);
    return status;
}

const struct command command_budgets = {
    .name = "budgets",
    .arguments = "[NODEPOOL]... [--next PERIOD] [-f FILE|DIR|-]... [-o FORMAT]",
    .summary = "how many nodes may be disrupted, now and as windows of budgets open and close",
    .help = INPUT_HELP
    "      --next PERIOD    how far to look ahead, such as 36h or 7d (default)\n"
    "\n"
    "For each NodePool and reason of disruption (Empty, Drifted, Underutilized) the number of\n"
    "nodes that its disruption budgets allow at once, from now on, in UTC and in local time;\n"
    "and which budgets are hardly meant as written. \"left now\" is that number less the nodes\n"
    "that are being disrupted or not ready. `adze explain budget NODEPOOL` tells of each "
    "budget\n"
    "when it counts next.\n"
    "\n"
    "  adze budgets --next 14d\n"
    "  adze budgets default -f cluster.json -o json\n",
    .more_help = providers_offered_help,
    .run = run,
};
