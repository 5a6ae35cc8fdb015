// adze plan: what would be launched, removed or replaced, and what it costs. Changes nothing.
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vector.h"
#include "cli/catalogs.h"
#include "cli/command.h"
#include "cli/live_snapshot.h"
#include "cli/plan_table.h"
#include "engine/engine.h"
#include "model/yaml_write.h"

struct request {
    VECTOR(const char *) files;
    struct live_options live;
    struct plan_options options;
    const char *catalog, *format;
    bool strict, explain;
    char *catalog_text; // where the instance types come from, for people
};

static bool read_arguments(int argc, char **argv, struct request *request, int *status);
static bool read_input(struct request *request, struct snapshot *snapshot, struct error *error);
static void print_plan(const struct request *request, const struct plan *plan);

static int plan_snapshot(struct request *request, struct snapshot *snapshot)
{
    struct error error = {0};
    if (!read_input(request, snapshot, &error))
        return command_failed(&command_plan, &error);
    request->options.explain = true; // FMT-10: every pod without a place has its reasons
    struct plan *plan = engine_plan(snapshot, &request->options, &error);
    if (plan == NULL)
        return command_failed(&command_plan, &error);
    if (request->options.disrupt && !plan->has_disruptions)
        fprintf(stderr, "adze plan: note: this version plans no disruptions yet\n");
    print_plan(request, plan);
    int status = plan->unschedulable.count > 0 ? EXIT_UNPLACED : 0;
    plan_destroy(plan);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {.format = "table"};
    int status = 0;
    if (read_arguments(argc, argv, &request, &status)) {
        struct snapshot *snapshot = snapshot_create();
        status = plan_snapshot(&request, snapshot);
        snapshot_destroy(snapshot);
    }
    vector_free(&request.files);
    free(request.catalog_text);
    return status;
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

static bool check_arguments(struct request *request, int *status)
{
    static const char *const formats[] = {"table", "json", "yaml", NULL};
    static const char *const providers[] = {"kwok", "sim", NULL};
    static const char *const methods[] = {"emptiness", "drift",  "static-drift",
                                          "multi",     "single", NULL};
    if (!is_one_of(request->format, formats))
        *status = command_usage_error(&command_plan, "-o takes table, json or yaml, not %s",
                                      request->format);
    else if (request->options.method != NULL && !is_one_of(request->options.method, methods))
        *status = command_usage_error(
            &command_plan, "--method takes emptiness, drift, static-drift, multi or single, not %s",
            request->options.method);
    else if (request->live.provider != NULL && !is_one_of(request->live.provider, providers))
        *status = command_usage_error(&command_plan, "--provider takes kwok or sim, not %s",
                                      request->live.provider);
    else if (request->files.count > 0 &&
             (request->live.kubeconfig != NULL || request->live.context != NULL))
        *status = command_usage_error(&command_plan, "-f reads files, --kubeconfig and --context a "
                                                     "live cluster: give one or the other");
    else
        return true;
    return false;
}

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    static const struct option options[] = {
        {"file", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'},
        {"explain", no_argument, NULL, 'e'},
        {"strict", no_argument, NULL, 's'},
        {"catalog", required_argument, NULL, 'c'},
        {"disrupt", no_argument, NULL, 'd'},
        {"method", required_argument, NULL, 'm'},
        {"kubeconfig", required_argument, NULL, 'k'},
        {"context", required_argument, NULL, 'x'},
        {"provider", required_argument, NULL, 'p'},
        {0},
    };
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "f:o:", options, NULL)) != -1)
        switch (option) {
        case 'f':
            vector_push(&request->files, optarg);
            break;
        case 'o':
            request->format = optarg;
            break;
        case 'e':
            request->explain = true;
            break;
        case 's':
            request->strict = true;
            break;
        case 'c':
            request->catalog = optarg;
            break;
        case 'm':
            request->options.method = optarg;
            request->options.disrupt = true;
            break;
        case 'd':
            request->options.disrupt = true;
            break;
        case 'k':
            request->live.kubeconfig = optarg;
            break;
        case 'x':
            request->live.context = optarg;
            break;
        case 'p':
            request->live.provider = optarg;
            break;
        default:
            *status = command_usage_error(&command_plan, "unknown or incomplete option %s",
                                          argv[optind - 1]);
            return false;
        }
    if (optind < argc) {
        *status = command_usage_error(&command_plan, "unexpected argument %s (files go with -f)",
                                      argv[optind]);
        return false;
    }
    return check_arguments(request, status);
}

// --- the instance types
// ----------------------------------------------------------------------------

static void describe_catalogs(struct request *request, const struct snapshot *snapshot,
                              const char *source)
{
    struct text text = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        count += catalog->spec.instance_types.count;
    }
    text_format(&text, "%" PRIu32 " %s", count, source);
    request->catalog_text = text_take(&text);
}

static void forget_catalogs(struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++)
        object_release(snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items[i]);
    snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count = 0;
}

// --catalog, else what the input brings, else the provider's: EC2's for files, for a live cluster
// what its node classes ask for.
static bool add_catalog(struct request *request, struct snapshot *snapshot, struct error *error)
{
    if (request->catalog == NULL && snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count > 0) {
        describe_catalogs(request, snapshot, "of the input");
        return true;
    }
    bool is_live = request->files.count == 0;
    const char *provider = request->live.provider != NULL ? request->live.provider
                           : is_live                      ? provider_of_node_pools(snapshot)
                                                          : "sim";
    const char *path =
        request->catalog != NULL ? request->catalog : snapshot->settings.instance_types_file_path;
    const struct instance_type_catalog *catalog = catalog_of_provider(provider, path, error);
    if (catalog == NULL)
        return false;
    forget_catalogs(snapshot);
    snapshot_add(snapshot, (const struct object *)catalog);
    object_release((const struct object *)catalog);
    if (path != NULL && path[0] != '\0') {
        CLEANUP_FREE char *source = NULL;
        if (asprintf(&source, "of %s", path) < 0)
            abort();
        describe_catalogs(request, snapshot, source);
    } else {
        describe_catalogs(request, snapshot, catalog_text_of_provider(provider));
    }
    return true;
}

static bool is_empty(const struct snapshot *snapshot)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (snapshot->objects[kind].count > 0)
            return false;
    return true;
}

static bool read_input(struct request *request, struct snapshot *snapshot, struct error *error)
{
    if (request->files.count == 0 && !live_snapshot_read(snapshot, &request->live, error))
        return false;
    for (uint32_t i = 0; i < request->files.count; i++)
        if (!snapshot_read(snapshot, request->files.items[i], request->strict, error))
            return false;
    snapshot_merge_duplicates(snapshot);
    if (request->files.count > 0 && is_empty(snapshot))
        return error_set(
            error, ERROR_INVALID,
            "%s%s: nothing to plan: no object of a kind that matters, such as NodePool, "
            "Deployment or Pod",
            request->files.items[0], request->files.count > 1 ? " and others" : "");
    if (snapshot->time == 0) { // FMT-9: the time of the run
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snapshot->time = now.tv_sec * SECOND + now.tv_nsec;
    }
    return add_catalog(request, snapshot, error) && snapshot_complete(snapshot, error);
}

static void print_plan(const struct request *request, const struct plan *plan)
{
    if (strcmp(request->format, "table") == 0) {
        plan_print_table(plan, request->catalog_text, request->explain);
        return;
    }
    json_t *json = plan_encode(plan);
    if (strcmp(request->format, "json") == 0) {
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else {
        struct text text = {0};
        yaml_write(json, &text);
        fputs(text.data != NULL ? text.data : "", stdout);
        text_free(&text);
    }
    json_decref(json);
}

const struct command command_plan = {
    .name = "plan",
    .arguments = "[-f FILE|DIR|-]... [-o table|json|yaml]",
    .summary = "what would be launched, removed or replaced, and what it costs; changes nothing",
    .help =
        "  -f, --file FILE      manifests or a saved snapshot (YAML or JSON; a directory; - for\n"
        "                       standard input); may be repeated. Without it: the live cluster\n"
        "  -o, --output FORMAT  table (default), json or yaml\n"
        "      --explain        why pods have no place on each existing node, not only in each "
        "NodePool\n"
        "                       (json and yaml always say so)\n"
        "      --strict         refuse unknown kinds and fields\n"
        "      --catalog FILE   the instance types on offer, in place of the input's and the "
        "built-in\n"
        "                       ones: an InstanceTypeCatalog, or the kwok provider's JSON\n"
        "      --provider NAME  whose built-in instance types, if the input has none: sim (EC2's, "
        "with\n"
        "                       list prices) or kwok (generic ones). Default: sim; for a live "
        "cluster\n"
        "                       with KWOKNodeClasses: kwok\n"
        "      --disrupt        also what the next disruption would be\n"
        "      --method NAME    only emptiness, drift, static-drift, multi or single\n"
        "      --kubeconfig FILE  the live cluster; default: $KUBECONFIG, the service account,\n"
        "                       ~/.kube/config\n"
        "      --context NAME   of the kubeconfig; default: the current one\n"
        "\n"
        "Exit status: 0 every pod has a place, 3 some have none, 2 bad input, 1 it failed (a file "
        "or\n"
        "cluster that cannot be read).\n"
        "\n"
        "  adze plan -f examples/inflate.yaml\n"
        "  kubectl get nodepools,nodes,pods -A -o yaml | adze plan -f - -o json\n",
    .run = run,
};
