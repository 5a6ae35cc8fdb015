// adze snapshot: saves everything a decision depends on to one file.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/input/cluster_options.h"
#include "cli/input/live_snapshot.h"
#include "cli/input/options.h"
#include "cli/input/plan_settings.h"
#include "cli/input/price_file.h"
#include "cli/input/provider_options.h"
#include "model/reading/settings_read.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_encode.h"

static bool write_snapshot(const struct snapshot *snapshot, const char *path, struct error *error)
{
    json_t *list = snapshot_encode(snapshot);
    bool to_stdout = path == NULL || strcmp(path, "-") == 0;
    // It may contain secrets from manifests: readable by the owner only.
    mode_t mask = umask(077);
    FILE *file = to_stdout ? stdout : fopen(path, "w");
    umask(mask);
    bool written = file != NULL && json_dumpf(list, file, JSON_INDENT(1) | JSON_SORT_KEYS) == 0 &&
                   fputc('\n', file) != EOF;
    if (file != NULL && !to_stdout)
        written = fclose(file) == 0 && written;
    json_decref(list);
    return written ||
           error_set(error, ERROR_INTERNAL, "cannot write %s: %m", path != NULL ? path : "-");
}

static void report(const struct snapshot *snapshot, const char *path)
{
    uint32_t pods = snapshot->objects[KIND_POD].count, nodes = snapshot->objects[KIND_NODE].count;
    uint32_t pools = snapshot->objects[KIND_NODE_POOL].count;
    fprintf(stderr, "saved %u pod%s, %u node%s and %u NodePool%s to %s\n", pods, text_plural(pods),
            nodes, text_plural(nodes), pools, text_plural(pools), path);
}

struct request {
    struct live_options live;
    struct plan_settings settings;
    const char *path, *catalog;
    bool no_catalog;
};

static bool add_catalog(const struct request *request, struct live_provider *provider,
                        struct snapshot *snapshot, struct error *error)
{
    if (request->no_catalog)
        return true;
    const char *path =
        request->catalog != NULL ? request->catalog : snapshot->settings.instance_types_file_path;
    const struct instance_type_catalog *catalog = NULL;
    if (live_provider_find_region(provider, path, request->live.region, snapshot, error))
        catalog = live_provider_catalog(provider, path, snapshot, error);
    if (catalog == NULL)
        return false;
    snapshot_add(snapshot, (const struct object *)catalog);
    live_provider_add_class_catalogs(provider, path, catalog, snapshot, NULL);
    object_release((const struct object *)catalog);
    return price_file_apply(snapshot, live_provider_built_in(provider, path), error);
}

// The catalogue has the prices of the file now, which means nothing where the snapshot is read.
static bool forget_price_file(struct snapshot *snapshot, struct error *error)
{
    return text_is_empty(snapshot->settings.prices_file) ||
           settings_set(&snapshot->settings, "PRICES", "", error);
}

static int save(const struct request *request)
{
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    struct live_provider provider;
    const char *path = request->path;
    struct text set = {0};
    bool done = live_snapshot_read(snapshot, &request->live, &provider, &error) &&
                plan_settings_take(&request->settings, snapshot, &set, &error) &&
                add_catalog(request, &provider, snapshot, &error) &&
                forget_price_file(snapshot, &error) && snapshot_complete(snapshot, &error) &&
                write_snapshot(snapshot, path, &error);
    live_provider_free(&provider);
    text_free(&set);
    int status = done ? 0 : command_failed(&command_snapshot, &error);
    if (done && path != NULL && strcmp(path, "-") != 0)
        report(snapshot, path);
    snapshot_destroy(snapshot);
    return status;
}

static int run(int argc, char **argv)
{
    enum { NO_CATALOG = 1, SET, SETTINGS };
    static const struct option options[] = {
        CLUSTER_OPTIONS,
        {"file", required_argument, NULL, 'f'},
        {"provider", required_argument, NULL, 'p'},
        {"region", required_argument, NULL, 'r'},
        {"no-catalog", no_argument, NULL, NO_CATALOG},
        {"catalog", required_argument, NULL, 'C'},
        {"set", required_argument, NULL, SET},
        {"settings", required_argument, NULL, SETTINGS},
        {0},
    };
    struct request request = {0};
    struct live_options *live = &request.live;
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "f:" CLUSTER_OPTIONS_SHORT, options, NULL)) != -1)
        switch (option) {
        case 'f':
            request.path = optarg;
            break;
        case 'p':
            live->provider = optarg;
            break;
        case 'r':
            live->region = optarg;
            break;
        case NO_CATALOG:
            request.no_catalog = true;
            break;
        case SET:
        case SETTINGS:
            plan_settings_add(&request.settings, optarg, option == SETTINGS);
            break;
        case 'C':
            request.catalog = optarg;
            break;
        default:
            if (cluster_options_take(&live->cluster, option))
                break;
            return option_refused(&command_snapshot, argv, options);
        }
    if (optind < argc)
        return command_usage_error(&command_snapshot, "unexpected argument %s", argv[optind]);
    int status;
    if (provider_is_offered(&command_snapshot, live->provider, &status))
        status = save(&request);
    plan_settings_free(&request.settings);
    return status;
}

const struct command command_snapshot = {
    .name = "snapshot",
    .arguments = "[-f FILE] [--context NAME] [--catalog FILE | --no-catalog]",
    .summary = "save everything that a decision depends on to one file",
    .help = "  -f, --file FILE      where to write it (default: standard output)\n"
            "  --catalog FILE       the instance types to include; default: the controller's\n"
            "  --provider NAME      those built in for a provider (see below); default: what the\n"
            "                       cluster's controller has published\n"
            "  --region NAME        whose built-in types; default: that of the cluster's zones\n"
            "  --no-catalog         leave the instance types out\n"
            "  --set NAME=VALUE     a setting of the controller, in place of its own\n"
            "  --settings FILE      several, as plan reads them\n" CLUSTER_HELP(
                "taken as kubectl's is; no difference\n") "\n"
                                                          "`adze plan -f FILE` then gives the plan "
                                                          "of this moment, anywhere.\n",
    .more_help = providers_offered_help,
    .run = run,
};
