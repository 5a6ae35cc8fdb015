// adze plan: nodes to launch, remove or replace, with their costs. Changes nothing.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/input/command.h"
#include "cli/input/input.h"
#include "cli/input/progress.h"
#include "cli/input/provider_options.h"
#include "cli/output/document.h"
#include "cli/output/forecast_table.h"
#include "cli/output/plan_table.h"
#include "cli/plan_diff.h"
#include "cli/plan_rebalance.h"
#include "cli/plan_roll.h"
#include "engine/engine.h"
#include "model/snapshot/plan_encode.h"

struct request {
    struct input_options input;
    struct plan_options options;
    struct edit_options edits; // of --diff
    VECTOR(const char *) snapshots;
    const char *method;
    bool diff, rebalance;
    const char *roll; // "FROM=TO"
    const char *lines_text;
    int64_t lines;
};

static bool read_arguments(int argc, char **argv, struct request *request, int *status);
static int print_plan(const struct request *request, const struct snapshot *snapshot,
                      const struct plan *plan);

static int plan_snapshot(struct request *request, struct snapshot *snapshot)
{
    struct error error = {0};
    if (!input_read(&request->input, snapshot, &error))
        return command_failed(&command_plan, &error);
    progress_begin("planning");
    struct plan *plan = engine_plan(snapshot, &request->options, &error);
    progress_end();
    if (plan == NULL)
        return command_failed(&command_plan, &error);
    region_mark_estimates(&request->input.region, plan);
    int status = print_plan(request, snapshot, plan);
    if (status == 0 && plan->unschedulable.count > 0)
        status = EXIT_UNPLACED;
    plan_destroy(plan);
    return status;
}

static int run(int argc, char **argv)
{
    // FMT-10: every unschedulable pod has its reasons.
    struct request request = {.input = {.common = {.format = "table"}, .admission = true},
                              .options = {.explain = EXPLAIN_REASONS},
                              .lines = LINES_SHOWN};
    int status = 0;
    if (!read_arguments(argc, argv, &request, &status)) {
        // status has it
    } else if (request.rebalance) {
        status = plan_rebalance(&request.input, request.lines);
    } else if (request.roll != NULL) {
        status = plan_roll(&request.input, request.roll, request.lines);
    } else if (request.diff) {
        status = plan_diff(&request.input, &request.edits, request.lines);
    } else {
        struct snapshot *snapshot = snapshot_create();
        status = plan_snapshot(&request, snapshot);
        snapshot_destroy(snapshot);
    }
    edit_options_free(&request.edits);
    vector_free(&request.snapshots);
    input_free(&request.input);
    return status;
}

static bool take_method(struct request *request, const char *name, int *status)
{
    static const char *const names[] = {"emptiness", "drift", "static-drift", "expiry", "multi",
                                        "single",    NULL};
    enum disruption_method method = METHOD_ANY;
    if (!option_is_one_of(&command_plan, "--method", name, names, status) ||
        !disruption_method_parse(name, &method))
        return false;
    request->options.methods = disruption_methods_of(method);
    return true;
}

enum {
    EXPLAIN = INPUT_OPTIONS_END,
    DISRUPT,
    METHOD,
    DIFF,
    REBALANCE,
    ROLL,
    DELETE,
    LINES,
    SNAPSHOT
};

// False: it is none of them, or its value is none.
static bool take_option(struct request *request, int option)
{
    switch (option) {
    case EXPLAIN:
        request->options.explain = EXPLAIN_FULL;
        request->options.verdicts = true;
        return true;
    case METHOD:
        request->method = optarg;
        request->options.disrupt = true;
        return true;
    case DISRUPT:
        request->options.disrupt = true;
        return true;
    case DIFF:
        request->diff = true;
        return true;
    case REBALANCE:
        request->rebalance = true;
        return true;
    case ROLL:
        request->roll = optarg;
        return true;
    case DELETE:
        vector_push(&request->edits.deletions, optarg);
        return true;
    case LINES:
        request->lines_text = optarg;
        return true;
    case SNAPSHOT:
        vector_push(&request->snapshots, optarg);
        return true;
    default:
        return input_take_option(&request->input, option);
    }
}

// With --diff, -f is the edit and --snapshot the cluster; without, both are the input.
static bool sort_files(struct request *request, int *status)
{
    struct file_options *common = &request->input.common;
    __typeof__(common->files) files = common->files;
    common->files.items = NULL;
    common->files.count = common->files.capacity = 0;
    vector_for_each (snapshot, &request->snapshots)
        vector_push(&common->files, *snapshot);
    vector_for_each (file, &files)
        if (request->diff)
            vector_push(&request->edits.files, *file);
        else
            vector_push(&common->files, *file);
    vector_free(&files);
    vector_free(&request->snapshots);
    const struct edit_options *edits = &request->edits;
    if (!request->diff && edits->deletions.count > 0)
        *status = command_usage_error(&command_plan, "--delete is for --diff");
    else if (request->diff && edits->files.count + edits->deletions.count == 0)
        *status = command_usage_error(&command_plan,
                                      "--diff takes the edited manifests with -f, or --delete "
                                      "KIND/NAME; --snapshot is the cluster, if not the live one");
    else if (request->diff + request->rebalance + (request->roll != NULL) +
                 request->options.disrupt >
             1)
        *status = command_usage_error(
            &command_plan, "give one of --diff, --rebalance, --roll and --disrupt (--method)");
    else
        return true;
    return false;
}

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    static const struct option options[] = {
        {"snapshot", required_argument, NULL, SNAPSHOT}, // before that of every command
        INPUT_OPTIONS,
        {"explain", no_argument, NULL, EXPLAIN},
        {"disrupt", no_argument, NULL, DISRUPT},
        {"method", required_argument, NULL, METHOD},
        {"diff", no_argument, NULL, DIFF},
        {"rebalance", no_argument, NULL, REBALANCE},
        {"roll", required_argument, NULL, ROLL},
        {"delete", required_argument, NULL, DELETE},
        {"lines", required_argument, NULL, LINES},
        {0},
    };
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, INPUT_OPTIONS_SHORT, options, NULL)) != -1)
        if (!take_option(request, option)) {
            *status = option_refused(&command_plan, argv, options);
            return false;
        }
    if (optind < argc) {
        *status = command_usage_error(&command_plan, "unexpected argument %s (files go with -f)",
                                      argv[optind]);
        return false;
    }
    return sort_files(request, status) &&
           input_check_options(&command_plan, &request->input, status) &&
           (request->lines_text == NULL ||
            option_is_count(&command_plan, "--lines", request->lines_text, LINES_MAX,
                            &request->lines, status)) &&
           (request->method == NULL || take_method(request, request->method, status));
}

// The region of built-in instance types, if the input, an option or the environment names it.
static json_t *encode(const struct input_options *input, const struct plan *plan)
{
    json_t *json = plan_encode(plan);
    if (input->region.name[0] != '\0')
        json_object_set_new(json, "region", json_string(input->region.name));
    return input_with_notes(input, json);
}

// What the pending pods and the next disruption make of the cluster's price; NULL: nothing to tell.
static struct forecast *outcome_of(const struct request *request, const struct snapshot *snapshot,
                                   const struct plan *plan)
{
    struct error ignored = {0};
    return request->options.disrupt ? forecast_of_plan(snapshot, plan, &ignored) : NULL;
}

static void print_outcome(const struct request *request, const struct forecast *outcome)
{
    putchar('\n');
    forecast_print_moves(outcome, request->lines);
    costs_print(&outcome->before, &outcome->after);
}

// -o name: the nodes that go.
static const char candidate_names[] = "{range .disruptions[*].candidates[*]}node/{@}{\"\\n\"}{end}";

static int print_plan(const struct request *request, const struct snapshot *snapshot,
                      const struct plan *plan)
{
    struct forecast *outcome = outcome_of(request, snapshot, plan);
    int status = 0;
    if (!document_is_wanted(request->input.common.format)) {
        plan_print_table(plan, snapshot, request->input.catalog_text);
        if (outcome != NULL)
            print_outcome(request, outcome);
    } else {
        json_t *json = encode(&request->input, plan), *cost = json_object();
        if (outcome != NULL)
            costs_encode_into(cost, &outcome->before, &outcome->after);
        if (outcome != NULL)
            json_object_set(json, "cost", cost);
        json_decref(cost);
        status = document_print(&command_plan, request->input.common.format,
                                request->options.disrupt ? candidate_names : NULL, json);
    }
    forecast_destroy(outcome);
    return status;
}

const struct command command_plan = {
    .name = "plan",
    .arguments = "[-f FILE|DIR|-]... [-o FORMAT]",
    .summary = "what would be launched, removed or replaced, and what it costs; changes nothing",
    .help = INPUT_HELP
    "      --explain        what each check leaves of nodes and instance types for pods\n"
    "                       without a place, what would help, and what narrowed new nodes;\n"
    "                       with --disrupt, why each other node stays\n"
    "      --disrupt        also what the next disruption would be, which pods move where, and\n"
    "                       what the cluster costs now and then\n"
    "      --method NAME    only emptiness, drift, static-drift, expiry, multi or single\n"
    "      --diff           -f is an edit of a cluster: which nodes drift, go and come, which\n"
    "                       pods move, and what it costs; the cluster is the live one, or that\n"
    "                       of --snapshot FILE\n"
    "      --rebalance      what the whole cluster could cost, if its pods were packed anew, and\n"
    "                       the moves that lead there\n"
    "      --roll FROM=TO   the order in which the nodes of a NodePool, Provisioner or node group\n"
    "                       give way to those of the NodePool TO, as budgets allow; FROM may\n"
    "                       also be LABEL:VALUE\n"
    "      --delete OBJECT  with --diff, also without this: nodepool/NAME,\n"
    "                       deployment/NAMESPACE/NAME; may be repeated\n"
    "      --lines N        of nodes and pods that a table shows (20)\n"
    "\n"
    "Exit status: 0 every pod has a place, 3 some have none, 2 bad input (such as a file that\n"
    "is not there), 1 it failed (a file or cluster that cannot be read).\n"
    "\n"
    "  adze plan -f examples/inflate.yaml\n"
    "  kubectl get nodepools,nodes,pods -A -o yaml | adze plan -f - -o json\n"
    "  adze plan --diff -f edited.yaml --snapshot cluster.json\n",
    .more_help = providers_offered_help,
    .run = run,
};
