#include "cli/plan_rebalance.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/input/progress.h"
#include "cli/output/document.h"
#include "cli/output/forecast_table.h"
#include "cli/output/plan_table.h"
#include "cli/plan_diff.h"
#include "engine/forecast/rebalance.h"

#define NANO 1e9

static double dollars(int64_t price)
{
    return (double)price / NANO;
}

// The goal beside what consolidation comes to by itself, with its budgets and thresholds.
static void print_ways(const struct rebalance *rebalance, const struct forecast *by_itself)
{
    const struct forecast *forecast = rebalance->forecast;
    int64_t before = forecast->before.total.price, after = forecast->after.total.price;
    printf("\n%" PRIu32 " node%s may go, %" PRIu32 " may not be disrupted (`adze plan --disrupt "
           "--explain` says why)\n",
           rebalance->free, text_plural(rebalance->free), rebalance->held);
    if (after >= before)
        printf("nothing is saved: the cluster is as cheap as packing it anew makes it\n");
    else
        printf("$%.4f an hour less, %.0f %%\n", dollars(before - after),
               100 * dollars(before - after) / dollars(before));
    printf("disruption by itself, step by step: $%.4f an hour after %" PRIu32 " step%s\n",
           dollars(by_itself->after.total.price), by_itself->rounds.count,
           text_plural(by_itself->rounds.count));
    if (forecast->first->lower_bound > 0)
        printf("the pods that are packed anew cost at least $%.4f an hour with NODE_COST, however "
               "they are packed\n",
               dollars(forecast->first->lower_bound));
    if (forecast->unplaced > 0)
        printf("%" PRIu32 " pod%s would have no place\n", forecast->unplaced,
               text_plural(forecast->unplaced));
}

static json_t *encode(const struct rebalance *rebalance, const struct forecast *by_itself)
{
    json_t *json = json_object(), *disruption = json_object();
    const struct plan *plan = rebalance->forecast->first;
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("ClusterRebalance"));
    json_object_set_new(json, "nodesFree", json_integer(rebalance->free));
    json_object_set_new(json, "nodesHeld", json_integer(rebalance->held));
    if (plan->lower_bound > 0)
        json_object_set_new(json, "lowerBound", json_real(dollars(plan->lower_bound)));
    json_object_set_new(disruption, "pricePerHour",
                        json_real(dollars(by_itself->after.total.price)));
    json_object_set_new(disruption, "rounds", json_integer(by_itself->rounds.count));
    json_object_set_new(json, "byDisruption", disruption);
    forecast_encode_into(json, rebalance->forecast);
    return json;
}

static int print(const struct input_options *input, const struct rebalance *rebalance,
                 const struct forecast *by_itself, int64_t lines)
{
    if (document_is_wanted(input->common.format))
        return document_print(&command_plan, input->common.format, NULL,
                              input_with_notes(input, encode(rebalance, by_itself)));
    plan_print_catalog(input->catalog_text);
    forecast_print_nodes(rebalance->forecast, NULL, lines);
    forecast_print_moves(rebalance->forecast, lines);
    costs_print(&rebalance->forecast->before, &rebalance->forecast->after);
    print_ways(rebalance, by_itself);
    return 0;
}

int plan_rebalance(struct input_options *input, int64_t lines)
{
    struct error error = {0};
    struct rebalance rebalance = {0};
    struct snapshot *snapshot = snapshot_create();
    struct forecast *by_itself = NULL;
    int status = 0;
    bool is_read = input_read(input, snapshot, &error);
    progress_begin("packing the cluster anew");
    if (is_read && rebalance_find(snapshot, &rebalance, &error))
        by_itself = forecast_create(
            snapshot, &(struct forecast_options){.rounds_max = FORECAST_ROUNDS_MAX}, &error);
    progress_end();
    if (by_itself != NULL)
        status = print(input, &rebalance, by_itself, lines);
    else
        status = command_failed(&command_plan, &error);
    forecast_destroy(by_itself);
    forecast_destroy(rebalance.forecast);
    snapshot_destroy(snapshot);
    return status;
}
