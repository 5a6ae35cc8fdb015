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
    bool strict;
};

static bool read_arguments(int argc, char **argv, struct request *request, int *status);
static bool read_input(const struct request *request, struct snapshot *snapshot,
                       struct error *error);
static void print_plan(const struct request *request, const struct plan *plan);

static int plan_snapshot(const struct request *request, struct snapshot *snapshot)
{
    struct error error = {0};
    if (!read_input(request, snapshot, &error)) {
        fprintf(stderr, "adze plan: %s\n", error.message);
        return error.kind == ERROR_INVALID ? EXIT_BAD_INPUT : 1;
    }
    struct plan *plan = engine_plan(snapshot, &request->options, &error);
    if (plan == NULL) {
        fprintf(stderr, "adze plan: %s\n", error.message);
        return 1;
    }
    print_plan(request, plan);
    int status = plan->unschedulable.count > 0 ? EXIT_UNPLACED : 0;
    plan_destroy(plan);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {.format = "table", .live = {.catalog = true}};
    int status = 0;
    if (read_arguments(argc, argv, &request, &status)) {
        struct snapshot *snapshot = snapshot_create();
        status = plan_snapshot(&request, snapshot);
        snapshot_destroy(snapshot);
    }
    vector_free(&request.files);
    return status;
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

static bool check_arguments(const struct request *request, int *status)
{
    static const char *const formats[] = {"table", "json", "yaml", NULL};
    static const char *const methods[] = {"emptiness", "drift",  "static-drift",
                                          "multi",     "single", NULL};
    if (!is_one_of(request->format, formats))
        *status = command_usage_error(&command_plan, "-o takes table, json or yaml, not %s",
                                      request->format);
    else if (request->options.method != NULL && !is_one_of(request->options.method, methods))
        *status = command_usage_error(
            &command_plan, "--method takes emptiness, drift, static-drift, multi or single, not %s",
            request->options.method);
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
            request->options.explain = true;
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

// The provider whose types a NodePool without catalogue gets: by its node class.
static const char *provider_of(const struct request *request, const struct snapshot *snapshot)
{
    if (request->live.provider != NULL)
        return request->live.provider;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++) {
        const struct node_pool *pool =
            (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i];
        const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
        if (reference != NULL && text_equal(reference->kind, "KWOKNodeClass"))
            return "kwok";
    }
    return "sim";
}

static bool add_catalog(const struct request *request, struct snapshot *snapshot,
                        struct error *error)
{
    if (request->catalog == NULL && snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count > 0)
        return true;
    const char *path =
        request->catalog != NULL ? request->catalog : snapshot->settings.instance_types_file_path;
    const struct instance_type_catalog *catalog =
        catalog_of_provider(provider_of(request, snapshot), path, error);
    if (catalog == NULL)
        return false;
    snapshot_add(snapshot, (const struct object *)catalog);
    object_release((const struct object *)catalog);
    return true;
}

static bool read_input(const struct request *request, struct snapshot *snapshot,
                       struct error *error)
{
    if (request->files.count == 0 && !live_snapshot_read(snapshot, &request->live, error))
        return false;
    for (uint32_t i = 0; i < request->files.count; i++)
        if (!snapshot_read(snapshot, request->files.items[i], request->strict, error))
            return false;
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
        plan_print_table(plan, request->options.explain);
        return;
    }
    json_t *json = plan_encode(plan);
    if (strcmp(request->format, "json") == 0) {
        json_dumpf(json, stdout, JSON_INDENT(2));
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
        "      --explain        say why pods have no place\n"
        "      --strict         refuse unknown kinds and fields\n"
        "      --catalog FILE   the instance types on offer, if the input has none\n"
        "      --provider NAME  kwok or sim: whose types, if neither says so\n"
        "      --disrupt        also what the next disruption would be\n"
        "      --method NAME    only emptiness, drift, static-drift, multi or single\n"
        "      --kubeconfig FILE, --context NAME  which live cluster\n"
        "\n"
        "Exit status: 0 every pod has a place, 3 some have none, 2 bad input.\n"
        "\n"
        "  adze plan -f examples/inflate.yaml\n"
        "  kubectl get nodepools,nodes,pods -A -o yaml | adze plan -f - -o json\n",
    .run = run,
};
