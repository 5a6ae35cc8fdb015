// adze cost: what the nodes of a cluster cost, and whom the money is spent on.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cli/input/command.h"
#include "cli/input/input.h"
#include "cli/input/progress.h"
#include "cli/input/provider_options.h"
#include "cli/output/columns.h"
#include "cli/output/document.h"
#include "cli/output/plan_table.h"
#include "engine/cost/cluster_cost.h"
#include "engine/cost/fresh_snapshot.h"
#include "engine/engine.h"

#define LINES_SHOWN 20
#define LINES_MAX   1000000
#define NANO        1e9

struct request {
    struct input_options input;
    int64_t lines; // of namespaces and workloads in a table
};
struct bill {
    struct cluster_cost cost;
    const struct plan *pending; // of the pending pods
    const struct plan *fresh;   // of all pods, as if no NodePool had a node
};

// --- table ---------------------------------------------------------------------------------------

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void add_price(struct columns *columns, int64_t price)
{
    columns_add_format(columns, "$%.4f", (double)price / NANO);
    columns_add_format(columns, "$%.2f", (double)price_a_month(price) / NANO);
}

static void print_pools(const struct cluster_cost *cost)
{
    static const char *const titles[] = {"NODEPOOL", ">NODES", ">PODS",  ">PRICE/H",
                                         ">A MONTH", ">IDLE",  ">SHARE", NULL};
    struct columns *columns = columns_create(titles);
    list_for_each (line, &cost->pools) {
        columns_add(columns, line->name != NULL ? line->name : "(none)");
        columns_add_format(columns, "%" PRIu32, line->nodes);
        columns_add_format(columns, "%" PRIu32, line->pods);
        add_price(columns, line->price);
        columns_add_format(columns, "%.0f %%", percent(line->idle, line->price));
        columns_add_format(columns, "%.0f %%", percent(line->price, cost->total.price));
    }
    columns_print(columns, stdout);
    columns_destroy(columns);
}

static void print_users(const struct request *request, const struct cluster_cost *cost,
                        const cost_line_list *lines, const char *title)
{
    const char *titles[] = {title, ">PODS", ">PRICE/H", ">A MONTH", ">SHARE", NULL};
    struct columns *columns = columns_create(titles);
    int64_t left = request->lines, price = 0;
    list_for_each (line, lines) {
        if (left-- <= 0) {
            price = quantity_add(price, line->price);
            continue;
        }
        bool of_workload = line->namespace != NULL;
        columns_add_format(columns, "%s%s%s", of_workload ? line->namespace : "",
                           of_workload ? " " : "", text_or_empty(line->name));
        columns_add_format(columns, "%" PRIu32, line->pods);
        add_price(columns, line->price);
        columns_add_format(columns, "%.0f %%", percent(line->price, cost->total.price));
    }

    putchar('\n');
    columns_print(columns, stdout);
    if (left < 0)
        printf("and %" PRId64 " more for $%.4f an hour (--lines)\n", -left, (double)price / NANO);
    columns_destroy(columns);
}

static int64_t pools_price(const struct cluster_cost *cost)
{
    int64_t price = 0;
    list_for_each (line, &cost->pools)
        if (line->name != NULL)
            price = quantity_add(price, line->price);
    return price;
}

static void print_totals(const struct bill *bill)
{
    const struct cost_line *total = &bill->cost.total;
    print_paragraph(0,
                    "%" PRIu32
                    " node%s, $%.4f an hour, $%.2f a month; %.0f %% of it for room that no pod "
                    "requests",
                    total->nodes, text_plural(total->nodes), (double)total->price / NANO,
                    (double)price_a_month(total->price) / NANO, percent(total->idle, total->price));
    if (total->effective != total->price)
        print_paragraph(0,
                        "effective price $%.4f an hour, $%.2f a month: volumes, addresses, burst "
                        "credits, interruptions and NODE_COST included",
                        (double)total->effective / NANO,
                        (double)price_a_month(total->effective) / NANO);
    if (total->unpriced > 0)
        print_paragraph(0,
                        "%" PRIu32
                        " of the nodes have no known price (no instance type, or one that the "
                        "catalog does not list) and count as free",
                        total->unpriced);
    const struct plan *pending = bill->pending, *fresh = bill->fresh;
    if (pending->claims.count > 0)
        printf("pending pods would add %" PRIu32 " node%s for $%.4f an hour\n",
               pending->claims.count, text_plural(pending->claims.count),
               (double)pending->price / NANO);
    if (pending->unschedulable.count > 0)
        printf("%" PRIu32 " pending pod%s no place (`adze plan` says why)\n",
               pending->unschedulable.count, pending->unschedulable.count == 1 ? " has" : "s have");
    if (fresh->claims.count == 0)
        return;
    int64_t present = pools_price(&bill->cost);
    printf("all pods on new nodes of the NodePools: %" PRIu32 " node%s, $%.4f an hour",
           fresh->claims.count, text_plural(fresh->claims.count), (double)fresh->price / NANO);
    if (pending->claims.count == 0 && present > 0)
        printf(", %.0f %% %s", fabs(percent(quantity_subtract(present, fresh->price), present)),
               fresh->price <= present ? "less" : "more");
    putchar('\n');
    if (plan_costs_sum(&fresh->costs) != fresh->price)
        printf("(effective price $%.4f an hour)\n", (double)plan_costs_sum(&fresh->costs) / NANO);
    if (fresh->lower_bound > 0)
        print_paragraph(0,
                        "no packing of these pods on new nodes costs less than $%.4f an hour in "
                        "all",
                        (double)fresh->lower_bound / NANO);
    if (fresh->unschedulable.count > pending->unschedulable.count)
        printf("(without %" PRIu32 " pods that would have no place then)\n",
               fresh->unschedulable.count);
}

static void print_table(const struct request *request, const struct bill *bill)
{
    plan_print_catalog(request->input.catalog_text);

    if (bill->cost.total.nodes > 0) {
        print_pools(&bill->cost);
        print_users(request, &bill->cost, &bill->cost.namespaces, "NAMESPACE");
        print_users(request, &bill->cost, &bill->cost.workloads, "WORKLOAD");
        putchar('\n');
    }
    print_totals(bill);
}

// --- JSON ----------------------------------------------------------------------------------------

static void set_price(json_t *json, const char *key, int64_t price)
{
    json_object_set_new(json, key, json_real((double)price / NANO));
}

static json_t *encode_line(const struct cost_line *line, const char *name_key)
{
    json_t *json = json_object();
    if (line->namespace != NULL)
        json_object_set_new(json, "namespace", json_string(line->namespace));
    if (name_key != NULL)
        json_object_set_new(json, name_key,
                            line->name != NULL ? json_string(line->name) : json_null());
    if (line->nodes > 0)
        json_object_set_new(json, "nodes", json_integer(line->nodes));
    json_object_set_new(json, "pods", json_integer(line->pods));
    set_price(json, "pricePerHour", line->price);
    if (line->nodes > 0) {
        set_price(json, "effectivePricePerHour", line->effective);
        set_price(json, "idlePerHour", line->idle);
    }
    if (line->unpriced > 0)
        json_object_set_new(json, line->nodes > 0 ? "nodesWithoutPrice" : "podsWithoutPrice",
                            json_integer(line->unpriced));
    return json;
}

static json_t *encode_lines(const cost_line_list *lines, const char *name_key)
{
    json_t *list = json_array();
    list_for_each (line, lines)
        json_array_append_new(list, encode_line(line, name_key));
    return list;
}

// All pods on new nodes.
static json_t *encode_plan(const struct plan *plan)
{
    json_t *json = json_object();
    json_object_set_new(json, "nodes", json_integer(plan->claims.count));
    set_price(json, "pricePerHour", plan->price);
    set_price(json, "effectivePricePerHour", plan_costs_sum(&plan->costs));
    if (plan->lower_bound > 0)
        set_price(json, "lowerBound", plan->lower_bound);
    if (plan->unschedulable.count > 0)
        json_object_set_new(json, "unschedulable", json_integer(plan->unschedulable.count));
    return json;
}

static json_t *encode_bill(const struct bill *bill)
{
    json_t *json = json_object(), *totals = encode_line(&bill->cost.total, NULL);
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("ClusterCost"));
    set_price(totals, "pricePerMonth", price_a_month(bill->cost.total.price));
    set_price(totals, "pendingPerHour", bill->pending->price);
    json_object_set_new(totals, "newNodes", encode_plan(bill->fresh));
    json_object_set_new(json, "totals", totals);
    json_object_set_new(json, "nodePools", encode_lines(&bill->cost.pools, "nodePool"));
    json_object_set_new(json, "namespaces", encode_lines(&bill->cost.namespaces, "namespace"));
    json_object_set_new(json, "workloads", encode_lines(&bill->cost.workloads, "workload"));
    return json;
}

// --- the command ---------------------------------------------------------------------------------

// -o name.
static const char pool_names[] = "{range .nodePools[?(@.nodePool != null)]}"
                                 "nodepool.karpenter.sh/{.nodePool}{\"\\n\"}{end}";

static int print_bill(const struct request *request, const struct bill *bill)
{
    if (document_is_wanted(request->input.common.format))
        return document_print(&command_cost, request->input.common.format, pool_names,
                              input_with_notes(&request->input, encode_bill(bill)));
    print_table(request, bill);
    return 0;
}

// Prints the bill unless a plan fails.
static bool plan_bill(const struct request *request, const struct snapshot *snapshot,
                      struct bill *bill, int *status, struct error *error)
{
    const struct plan_options options = {0};
    struct snapshot *empty = fresh_snapshot_create(snapshot);
    progress_begin("planning");
    struct plan *pending = engine_plan(snapshot, &options, error);
    struct plan *fresh = pending != NULL ? engine_plan(empty, &options, error) : NULL;
    progress_end();
    bool planned = fresh != NULL;
    bill->pending = pending;
    bill->fresh = fresh;
    if (planned)
        *status = print_bill(request, bill);
    plan_destroy(fresh);
    plan_destroy(pending);
    snapshot_destroy(empty);
    return planned;
}

static int bill_snapshot(struct request *request, struct snapshot *snapshot)
{
    struct error error = {0};
    struct bill bill = {0};
    int status = 0;
    if (!input_read(&request->input, snapshot, &error))
        return command_failed(&command_cost, &error);
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    if (!cluster_cost_find(arena, snapshot, &bill.cost, &error) ||
        !plan_bill(request, snapshot, &bill, &status, &error))
        return command_failed(&command_cost, &error);
    return status;
}

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    enum { LINES = INPUT_OPTIONS_END };
    static const struct option options[] = {
        INPUT_OPTIONS, {"lines", required_argument, NULL, LINES}, {0}};
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, INPUT_OPTIONS_SHORT, options, NULL)) != -1) {
        if (option == LINES) {
            if (option_is_count(&command_cost, "--lines", optarg, LINES_MAX, &request->lines,
                                status))
                continue;
            return false;
        }
        if (!input_take_option(&request->input, option)) {
            *status = option_refused(&command_cost, argv, options);
            return false;
        }
    }
    if (optind < argc) {
        *status = command_usage_error(&command_cost, "unexpected argument %s (files go with -f)",
                                      argv[optind]);
        return false;
    }
    return input_check_options(&command_cost, &request->input, status);
}

static int run(int argc, char **argv)
{
    struct request request = {.input = {.common = {.format = "table"}, .admission = true},
                              .lines = LINES_SHOWN};
    int status = 0;
    if (read_arguments(argc, argv, &request, &status)) {
        struct snapshot *snapshot = snapshot_create();
        status = bill_snapshot(&request, snapshot);
        snapshot_destroy(snapshot);
    }
    input_free(&request.input);
    return status;
}

const struct command command_cost = {
    .name = "cost",
    .arguments = "[-f FILE|DIR|-]... [--lines N] [-o FORMAT]",
    .summary = "what the nodes cost, by NodePool, namespace and workload; changes nothing",
    .help = INPUT_HELP
    "      --lines N        namespaces and workloads shown in a table (20)\n"
    "\n"
    "A pod's share of its node goes by the node's scarcer resource: by the part that it\n"
    "requests of the one of which all its pods together request most. The rest is idle.\n"
    "A month has 730 hours.\n"
    "\n"
    "  adze cost\n"
    "  kubectl get nodepools,nodes,pods -A -o yaml | adze cost -f - --lines 5\n",
    .more_help = providers_offered_help,
    .run = run,
};
