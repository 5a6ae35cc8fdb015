#include "cli/plan_rebalance.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/input/progress.h"
#include "cli/output/columns.h"
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
static void print_ways(const struct rebalance *rebalance)
{
    const struct forecast *goal = rebalance->goal, *by_itself = rebalance->by_itself;
    int64_t before = goal->before.total.price, after = goal->after.total.price;
    int64_t bound = rebalance->packed->first->lower_bound;
    printf("\n%" PRIu32 " node%s may go, %" PRIu32 " may not be disrupted\n"
           "(`adze plan --disrupt --explain` says why)\n",
           rebalance->free, text_plural(rebalance->free), rebalance->held);
    if (after >= before)
        printf("nothing is saved: the cluster is as cheap as packing it anew makes it\n");
    else
        printf("$%.4f an hour less, %.0f %%\n", dollars(before - after),
               100 * dollars(before - after) / dollars(before));
    printf("disruption by itself, step by step: $%.4f an hour after %" PRIu32 " step%s\n",
           dollars(by_itself->after.total.price), by_itself->rounds.count,
           text_plural(by_itself->rounds.count));
    if (goal == by_itself)
        print_paragraph(0,
                        "that is the goal: packing the nodes anew that may go now would come to "
                        "$%.4f; more become free on the way",
                        dollars(rebalance->packed->after.total.price));
    else if (bound > 0)
        print_paragraph(0,
                        "the pods that are packed anew cost at least $%.4f an hour with NODE_COST, "
                        "however they are packed",
                        dollars(bound));
    if (goal->unplaced > 0)
        printf("%" PRIu32 " pod%s would have no place\n", goal->unplaced,
               text_plural(goal->unplaced));
}

static json_t *encode(const struct rebalance *rebalance)
{
    json_t *json = json_object(), *disruption = json_object();
    const struct forecast *by_itself = rebalance->by_itself;
    int64_t bound = rebalance->packed->first->lower_bound;
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("ClusterRebalance"));
    json_object_set_new(json, "goal",
                        json_string(rebalance->goal == by_itself ? "disruption" : "packing"));
    json_object_set_new(json, "nodesFree", json_integer(rebalance->free));
    json_object_set_new(json, "nodesHeld", json_integer(rebalance->held));
    if (bound > 0)
        json_object_set_new(json, "lowerBound", json_real(dollars(bound)));
    json_object_set_new(disruption, "pricePerHour",
                        json_real(dollars(by_itself->after.total.price)));
    json_object_set_new(disruption, "rounds", json_integer(by_itself->rounds.count));
    json_object_set_new(json, "byDisruption", disruption);
    forecast_encode_into(json, rebalance->goal);
    return json;
}

static int print(const struct input_options *input, const struct rebalance *rebalance,
                 int64_t lines)
{
    if (document_is_wanted(input->common.format))
        return document_print(&command_plan, input->common.format, NULL,
                              input_with_notes(input, encode(rebalance)));
    plan_print_catalog(input->catalog_text);
    forecast_print_nodes(rebalance->goal, NULL, lines);
    forecast_print_moves(rebalance->goal, lines);
    costs_print(&rebalance->goal->before, &rebalance->goal->after);
    print_ways(rebalance);
    return 0;
}

int plan_rebalance(struct input_options *input, int64_t lines)
{
    struct error error = {0};
    struct rebalance rebalance = {0};
    struct snapshot *snapshot = snapshot_create();
    bool done = input_read(input, snapshot, &error);
    progress_begin("packing the cluster anew");
    done = done && rebalance_find(snapshot, FORECAST_ROUNDS_MAX, &rebalance, &error);
    progress_end();
    int status = done ? print(input, &rebalance, lines) : command_failed(&command_plan, &error);
    rebalance_free(&rebalance);
    snapshot_destroy(snapshot);
    return status;
}
