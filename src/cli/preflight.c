// adze preflight: what would change if adze took over a cluster now, and the way back.
#include "cli/preflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_real.h"
#include "base/vector.h"
#include "cli/input/options.h"
#include "cli/output/document.h"
#include "cli/preflight/definitions.h"
#include "cli/preflight/facts.h"
#include "cli/preflight/report.h"
#include "cli/preflight/running.h"
#include "cli/preflight/swap.h"
#include "cli/preflight_rights.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"
#include "model/reading/settings_read.h"
#include "model/tables/rules_json.h"

struct request {
    struct file_options input;
    struct kube_choice cluster;
    const char *account, *ca_bundle;
    struct facts facts;
    struct preflight_report report;
    struct settings settings;   // those of the running Karpenter
    const struct settings *own; // of the controller that asks; NULL: none does
    struct documents documents;
};

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    static const char *const formats[] = {"text", "json", "yaml", JSONPATH_FORMAT, NULL};
    const struct option_row rows[] = {{"service-account", .text = &request->account},
                                      {"ca-bundle", .text = &request->ca_bundle},
                                      {NULL}};
    return file_options_read(&command_preflight, argc, argv, rows, &request->input,
                             &request->cluster, status) &&
           file_options_check(&command_preflight, &request->input, formats, status);
}

// The time of a SnapshotContext; 0: there is none.
static int64_t input_time(const struct documents *documents)
{
    for (uint32_t i = 0; i < documents->count; i++) {
        const json_t *value = documents->items[i].value;
        const char *time = json_text(json_object_get(value, "spec"), "time");
        int64_t at;
        struct error ignored;
        if (json_text_is(value, "kind", "SnapshotContext") && time != NULL &&
            instant_parse(time, &at, &ignored))
            return at;
    }
    return 0;
}

static void check_all(struct request *request, struct kube_client *client, struct loop *loop)
{
    int64_t now = client != NULL ? wall_clock_ns() : input_time(&request->documents);
    struct swap_options swap = {.ca_bundle = request->ca_bundle,
                                .now = now != 0 ? now : wall_clock_ns()};
    const struct settings *settings = request->own != NULL ? request->own : &request->settings;
    struct preflight_report *report = &request->report;
    check_definitions(&request->facts, report);
    check_running(&request->facts, &request->settings, now, report);
    if (swap.ca_bundle == NULL && settings->cluster_ca_bundle[0] != '\0')
        swap.ca_bundle = settings->cluster_ca_bundle;
    if (client != NULL)
        check_rights(client, loop, settings, request->cluster.namespace, request->account, report);
    else
        report_add(report, "rbac", VERDICT_SKIPPED, NULL, "rights are asked of a live cluster");
    check_swap(&request->facts, &swap, report);
}

static bool examine_live(struct request *request, struct error *error)
{
    struct kube_config *config = kube_config_load(&request->cluster, error);
    if (config == NULL)
        return false;
    if (request->cluster.namespace == NULL)
        request->cluster.namespace = config->namespace;
    struct loop *loop = loop_create();
    struct http_transport_options http = {.user_agent = "adze/" ADZE_VERSION};
    struct kube_transport *transport = http_transport_create(loop, config, &http, error);
    if (transport != NULL) {
        struct kube_client_options unlimited = {0};
        struct kube_client *client = kube_client_create(loop, transport, &unlimited);
        facts_read_live(&request->facts, loop, client);
        check_all(request, client, loop);
        kube_client_destroy(client);
    }
    loop_destroy(loop);
    kube_config_free(config);
    return transport != NULL;
}

static bool examine_files(struct request *request, struct error *error)
{
    for (uint32_t i = 0; i < request->input.files.count; i++) {
        input_await(request->input.files.items[i]);
        if (!documents_read(&request->documents, request->input.files.items[i], false, error)) {
            error->kind = error->kind == ERROR_NOT_FOUND ? ERROR_INVALID : error->kind;
            return false;
        }
    }
    facts_read_documents(&request->facts, &request->documents);
    check_all(request, NULL, NULL);
    return true;
}

// Nothing could be asked: the cluster does not answer at all.
static const char *unreachable(const struct facts *facts)
{
    for (int i = 0; i < FACT_COUNT; i++)
        if (facts->items[i] != NULL)
            return NULL;
    return facts->is_live ? facts->problems[FACT_CRDS] : NULL;
}

static int report_all(const struct request *request)
{
    const char *problem = unreachable(&request->facts);
    if (problem != NULL) {
        struct error error = {0};
        error_set(&error, ERROR_UNAVAILABLE, "the cluster does not answer: %s", problem);
        return command_failed(&command_preflight, &error);
    }
    int status = 0;
    if (document_is_wanted(request->input.format))
        status = document_print(&command_preflight, request->input.format, NULL,
                                report_encode(&request->report));
    else
        report_print_text(&request->report);
    return status == 0 && report_failed(&request->report) ? EXIT_FAILURE : status;
}

static void request_free(struct request *request)
{
    vector_free(&request->input.files);
    facts_free(&request->facts);
    report_free(&request->report);
    settings_free(&request->settings);
    documents_free(&request->documents);
}

int preflight_for_controller(const struct kube_choice *cluster, const struct settings *settings)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct request request = {.input = {.format = "text"},
                              .cluster = *cluster,
                              .facts = {.arena = arena},
                              .report = {.arena = arena},
                              .own = settings};
    struct error error = {0};
    settings_defaults(&request.settings);
    bool examined = examine_live(&request, &error) && unreachable(&request.facts) == NULL;
    int status = examined ? report_all(&request) : EXIT_BAD_INPUT;
    if (error.kind == ERROR_NONE && !examined)
        error_set(&error, ERROR_UNAVAILABLE, "the cluster does not answer: %s",
                  unreachable(&request.facts));
    if (!examined)
        command_failed(&command_controller, &error);
    request_free(&request);
    return status;
}

static int run(int argc, char **argv)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct request request = {.input = {.format = "text"},
                              .cluster = {.namespace = "kube-system"},
                              .facts = {.arena = arena},
                              .report = {.arena = arena}};
    struct error error = {0};
    int status = 0;
    settings_defaults(&request.settings);
    if (read_arguments(argc, argv, &request, &status)) {
        bool examined = request.input.files.count > 0 ? examine_files(&request, &error)
                                                      : examine_live(&request, &error);
        status = examined ? report_all(&request) : command_failed(&command_preflight, &error);
    }
    request_free(&request);
    return status;
}

const struct command command_preflight = {
    .name = "preflight",
    .arguments = "[options] [FILE|DIR|-]...",
    .summary = "what would change if adze took over this cluster now, and the way back",
    .help =
        "Looks at CRDs and their stored versions, left-overs of older versions, the rights of the "
        "controller,\nthe lease, other autoscalers, drift hashes, and the nodes that would be "
        "replaced (none should be).\nReads the settings of the running Karpenter from its "
        "Deployment and says which carry over. Nothing is\nchanged. Without FILE it asks the live "
        "cluster; FILE is the output of kubectl get -o yaml.\n"
        "\n"
        "  -f, --file FILE               the same as FILE\n"
        "  -o, --output FORMAT           text (default), json, yaml or jsonpath=TEMPLATE\n"
        "  --color WHEN                  auto (default: on a terminal), always or never\n"
        "  --service-account NS:NAME     asks for the rights of this account instead of yours\n"
        "  --ca-bundle BASE64            the cluster's, which is part of an EC2NodeClass's drift "
        "hash\n" CLUSTER_HELP(
            "where adze will run (kube-system)\n") "\n"
                                                   "Exit codes: 0 nothing failed (there may be "
                                                   "warnings), 1 a check failed, 2 bad usage or "
                                                   "input.\n"
                                                   "\n"
                                                   "  adze preflight --service-account "
                                                   "kube-system:adze\n"
                                                   "  kubectl get "
                                                   "crds,nodepools,nodeclaims,ec2nodeclasses -o "
                                                   "yaml | adze preflight -\n",
    .run = run,
};
