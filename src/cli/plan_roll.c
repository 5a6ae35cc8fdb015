#include "cli/plan_roll.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/input/progress.h"
#include "cli/output/columns.h"
#include "cli/output/document.h"
#include "cli/output/forecast_table.h"
#include "cli/output/plan_table.h"
#include "cli/output/terminal.h"
#include "engine/forecast/roll.h"

#define NANO 1e9

// --- the table -----------------------------------------------------------------------------------

static void add_nodes(struct columns *columns, const struct forecast *forecast, uint32_t step,
                      int fate)
{
    list_for_each (node, &forecast->nodes) {
        if (node->round != step || (int)node->fate != fate)
            continue;
        columns_add_format(columns, "%" PRIu32, step);
        columns_add_format(columns, "%s %s", fate == NODE_COMES ? "+" : "-", node->name);
        columns_add(columns, text_or_empty(node->type));
        columns_add(columns, text_or_empty(node->zone));
        columns_add_format(columns, "%" PRIu32, node->pods);
        columns_add_format(columns, "$%.4f", (double)node->price / NANO);
    }
}

// The order matters, so all steps are shown.
static void print_steps(const struct forecast *forecast)
{
    static const char *const titles[] = {">STEP", "  NODE",   "TYPE", "ZONE",
                                         ">PODS", ">PRICE/H", NULL};
    struct columns *columns = columns_create(titles);
    for (uint32_t step = 1; step <= forecast->rounds.count; step++) {
        add_nodes(columns, forecast, step, NODE_COMES);
        add_nodes(columns, forecast, step, NODE_GOES);
    }
    print_heading("STEPS");
    if (forecast->rounds.count > 0)
        columns_print(columns, stdout);
    else
        printf("none\n");
    putchar('\n');
    columns_destroy(columns);
}

static void print_held(const struct roll *roll)
{
    if (roll->held.count == 0)
        return;
    print_heading("NODES THAT STAY");
    list_for_each (held, &roll->held)
        print_paragraph(0, "%s: %s", held->node, held->why);
    putchar('\n');
}

static uint32_t count_others(const struct forecast *forecast, const char *to)
{
    uint32_t count = 0;
    list_for_each (node, &forecast->nodes)
        count += node->fate == NODE_COMES && !text_equal(node->node_pool, to);
    return count;
}

static void print_end(const struct roll *roll, const char *to)
{
    const struct forecast *forecast = roll->forecast;
    uint32_t others = count_others(forecast, to), steps = forecast->rounds.count;
    putchar('\n');
    print_paragraph(0, "%" PRIu32 " of %" PRIu32 " node%s with %s=%s go in %" PRIu32 " step%s",
                    roll->nodes - roll->held.count, roll->nodes, text_plural(roll->nodes),
                    roll->label, roll->value, steps, text_plural(steps));
    if (others > 0)
        print_paragraph(0,
                        "%" PRIu32 " new node%s of other NodePools than %s: their weight is "
                        "higher, or %s cannot take the pods",
                        others, others == 1 ? " is" : "s are", to, to);
    if (roll->bare_pods > 0)
        print_paragraph(0, "%" PRIu32 " pod%s without a controller: drained, they do not come back",
                        roll->bare_pods, roll->bare_pods == 1 ? " is" : "s are");
    if (steps > 0)
        print_paragraph(0, "First cordon all of them and let nothing launch more of their kind "
                           "(docs/what-if.md). Then, step by step: drain the nodes marked -, and "
                           "go on when all pods are ready again.");
}

// --- JSON ----------------------------------------------------------------------------------------

static json_t *names_of(const struct forecast *forecast, uint32_t step, int fate)
{
    json_t *names = json_array();
    list_for_each (node, &forecast->nodes)
        if (node->round == step && (int)node->fate == fate)
            json_array_append_new(names, json_string(node->name));
    return names;
}

static json_t *encode(const struct roll *roll, const char *to)
{
    json_t *json = json_object(), *steps = json_array(), *held = json_array();
    const struct forecast *forecast = roll->forecast;
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("ClusterRoll"));
    json_object_set_new(json, "from",
                        json_pack("{s:s, s:s}", "label", roll->label, "value", roll->value));
    json_object_set_new(json, "to", json_string(to));
    for (uint32_t step = 1; step <= forecast->rounds.count; step++)
        json_array_append_new(steps,
                              json_pack("{s:o, s:o}", "nodes", names_of(forecast, step, NODE_GOES),
                                        "launched", names_of(forecast, step, NODE_COMES)));
    list_for_each (node, &roll->held)
        json_array_append_new(held, json_pack("{s:s, s:s}", "node", node->node, "why", node->why));
    forecast_encode_into(json, forecast);
    json_object_del(json, "rounds");
    json_object_set_new(json, "steps", steps);
    json_object_set_new(json, "held", held);
    json_object_set_new(json, "podsWithoutController", json_integer(roll->bare_pods));
    return json;
}

static int print(const struct input_options *input, const struct roll *roll, const char *to,
                 int64_t lines)
{
    int status = roll->held.count > 0 ? EXIT_UNPLACED : 0;
    if (document_is_wanted(input->common.format)) {
        int printed = document_print(&command_plan, input->common.format, NULL,
                                     input_with_notes(input, encode(roll, to)));
        return printed != 0 ? printed : status;
    }
    plan_print_catalog(input->catalog_text);
    print_steps(roll->forecast);
    print_held(roll);
    forecast_print_moves(roll->forecast, lines);
    costs_print(&roll->forecast->before, &roll->forecast->after);
    print_end(roll, to);
    return status;
}

static const char *const labels[] = {LABEL_NODE_POOL,
                                     "karpenter.sh/provisioner-name",
                                     "eks.amazonaws.com/nodegroup",
                                     "alpha.eksctl.io/nodegroup-name",
                                     "kops.k8s.io/instancegroup",
                                     NULL};

int plan_roll(struct input_options *input, const char *request, int64_t lines)
{
    struct error error = {0};
    struct roll roll = {0};
    CLEANUP_FREE char *from = memory_copy_string(request);
    char *equals = strrchr(from, '=');
    if (equals == NULL || equals == from || equals[1] == '\0')
        return command_usage_error(&command_plan, "--roll takes FROM=TO, not %s", request);
    *equals = '\0';
    struct snapshot *snapshot = snapshot_create();
    bool done = input_read(input, snapshot, &error);
    progress_begin("planning the roll");
    done = done &&
           roll_find(snapshot, &(struct roll_request){from, equals + 1, labels}, &roll, &error);
    progress_end();
    int status =
        done ? print(input, &roll, equals + 1, lines) : command_failed(&command_plan, &error);
    roll_free(&roll);
    snapshot_destroy(snapshot);
    return status;
}
