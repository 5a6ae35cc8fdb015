// adze demo: the whole path on an embedded cluster with a simulated cloud, on real time.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/loop_real.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/demo_aws.h"
#include "cli/demo_data.h"
#include "cli/input/options.h"
#include "cli/output/demo_view.h"
#include "cloud/providers.h"
#include "cloud/sim/sim_provider.h"
#include "model/manifest/input.h"
#include "model/reading/settings_read.h"
#include "sim/apiserver/http_server.h"
#include "sim/apiserver/kubeconfig_writer.h"
#include "sim/aws/aws_account.h"
#include "sim/store/store_json.h"

#define ACT_TIMEOUT       (60 * SECOND)
#define APPLIED_NAMES_MAX 10
#define JOB_POD_RUN       (5 * SECOND) // docs/cli.md tells it
#define LOOK              (50 * MILLISECOND)

struct act {
    const char *title;
    int64_t replicas; // < 0: the manifest's
};

static const struct act acts[] = {
    {"5 replicas", -1},
    {"200 replicas", 200},
    {"no replicas", 0},
};

struct demo {
    bool serve, quiet;
    const char *manifest_path, *kubeconfig, *catalog;
    const char *log_level;
    int port;
    uint64_t seed;
    struct loop *loop;
    struct simulation *simulation;
    struct demo_view *view;
    struct http_server *server;
    struct kubeconfig_file written; // to be removed at the end
    struct timer *timer;
    size_t act;
    int64_t act_begun;
    bool interrupted;
    int status;
    struct documents documents; // of manifest_path
    char *aws_cluster;          // they have an EC2NodeClass: the simulated account's cluster
};

// --- the scenario --------------------------------------------------------------------------------

static bool act_is_over(const struct demo *demo)
{
    struct simulation *simulation = demo->simulation;
    const struct act *act = &acts[demo->act];
    struct world_counts counts = world_counts(simulation_world(simulation));
    if (act->replicas == 0)
        return counts.pods == 0 && counts.nodes == 0 &&
               simulation_count(simulation, "karpenter.sh/v1", "NodeClaim") == 0 &&
               sim_instances_count(simulation_park(simulation)) == 0;
    uint32_t wanted = act->replicas < 0 ? 5 : (uint32_t)act->replicas;
    return counts.pods_running == wanted && simulation_is_settled(simulation);
}

static bool act_begin(struct demo *demo)
{
    const struct act *act = &acts[demo->act];
    struct error error = {0};
    demo->act_begun = loop_monotonic_ns(demo->loop);
    if (act->replicas < 0)
        return true;
    demo_view_say(demo->view, "Deployment inflate: scaled to %lld", (long long)act->replicas);
    if (simulation_scale(demo->simulation, "inflate", act->replicas, &error))
        return true;
    fprintf(stderr, "adze demo: %s\n", error.message);
    return false;
}

static void finish(struct demo *demo, int status)
{
    demo->status = status;
    loop_stop(demo->loop);
}

static void look(void *context)
{
    struct demo *demo = context;
    timer_start(demo->timer, LOOK);
    if (act_is_over(demo)) {
        demo_view_picture(demo->view, acts[demo->act].title);
        if (++demo->act == ARRAY_LENGTH(acts)) {
            demo_view_say(demo->view, "done: no node and no machine is left");
            finish(demo, 0);
        } else if (!act_begin(demo)) {
            finish(demo, 1);
        }
    } else if (ns_subtract(loop_monotonic_ns(demo->loop), demo->act_begun) > ACT_TIMEOUT) {
        demo_view_picture(demo->view, "stuck");
        fprintf(stderr, "adze demo: \"%s\" was not reached in %lld s\n", acts[demo->act].title,
                (long long)(ACT_TIMEOUT / SECOND));
        finish(demo, 1);
    }
}

static void interrupted(void *context)
{
    struct demo *demo = context;
    demo->interrupted = true;
    finish(demo, demo->serve ? 0 : 130);
}

// --- setting up ----------------------------------------------------------------------------------

static void name_applied(struct text *names, const json_t *object, uint32_t before)
{
    if (before >= APPLIED_NAMES_MAX)
        return;
    const json_t *replicas = json_object_get(json_object_get(object, "spec"), "replicas");
    text_format(names, "%s%.100s %.100s", before > 0 ? ", " : "",
                json_string_value(json_object_get(object, "kind")), store_name(object));
    if (json_is_integer(replicas))
        text_format(names, " (%lld replicas)", (long long)json_integer_value(replicas));
}

// A file, a folder, or "-".
static bool apply_documents(struct demo *demo, const struct documents *documents,
                            struct error *error)
{
    struct text names = {0};
    uint32_t count = 0;
    bool done = true;
    for (uint32_t i = 0; done && i < documents->count; i++) {
        const struct document *document = &documents->items[i];
        if (document->value == NULL)
            continue;
        done = simulation_apply_object(demo->simulation, document->value, error) ||
               error_prefix(error, "%s:%u", document->file, document->line);
        if (done)
            name_applied(&names, document->value, count++);
    }
    for (uint32_t i = 0; i < documents->skipped.count; i++)
        fprintf(stderr, "adze: %s\n", documents->skipped.items[i]);
    if (done && count == 0)
        done =
            error_set(error, ERROR_INVALID, "%s: there is no object to apply", demo->manifest_path);
    if (done && count > APPLIED_NAMES_MAX)
        text_format(&names, " and %u more", count - APPLIED_NAMES_MAX);
    if (done)
        demo_view_say(demo->view, "applied %s: %s", demo->manifest_path, names.data);
    text_free(&names);
    return done;
}

static bool apply_manifest(struct demo *demo, struct error *error)
{
    if (demo->manifest_path == NULL) {
        if (!simulation_apply(demo->simulation, demo_manifest, error))
            return false;
        demo_view_say(demo->view, "applied examples/inflate.yaml: a NodePool and the Deployment "
                                  "inflate, 5 pods of 1 cpu");
        return true;
    }
    return apply_documents(demo, &demo->documents, error);
}

// The cluster that an EC2NodeClass's selectors look for: the account has its tags.
static const char *discovered_cluster(const json_t *node_class)
{
    const json_t *terms = store_path(node_class, "spec.subnetSelectorTerms");
    size_t index;
    json_t *term;
    json_array_foreach (terms, index, term) {
        const json_t *tags = json_object_get(term, "tags");
        const char *value = json_string_value(json_object_get(tags, "karpenter.sh/discovery"));
        if (value != NULL && value[0] != '\0' && value[0] != '*')
            return value;
    }
    return "demo";
}

static bool read_manifest(struct demo *demo, struct error *error)
{
    if (demo->manifest_path == NULL)
        return true;
    if (!documents_read(&demo->documents, demo->manifest_path, false, error)) {
        if (error->kind == ERROR_NOT_FOUND) // FMT-14: bad input
            error->kind = ERROR_INVALID;
        return false;
    }
    for (uint32_t i = 0; i < demo->documents.count && demo->aws_cluster == NULL; i++) {
        const json_t *value = demo->documents.items[i].value;
        if (text_equal(json_string_value(json_object_get(value, "kind")), "EC2NodeClass"))
            demo->aws_cluster = memory_copy_string(discovered_cluster(value));
    }
    return true;
}

static bool open_server(struct demo *demo, struct error *error)
{
    char path[300], token[37];
    struct random random;
    random_seed(&random, random_entropy());
    random_uuid(&random, token); // keeps out other users of this machine
    struct http_server_options options = {.port = (uint16_t)demo->port, .token = token};
    demo->server =
        http_server_create(demo->loop, simulation_api(demo->simulation), &options, error);
    if (demo->server == NULL)
        return false;
    if (demo->kubeconfig != NULL)
        snprintf(path, sizeof path, "%s", demo->kubeconfig);
    else
        snprintf(path, sizeof path, "%s/adze-demo-%d.kubeconfig",
                 getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", (int)getuid());
    if (!kubeconfig_write(&demo->written, path, http_server_private_url(demo->server), NULL, error))
        return false;
    demo_view_say(demo->view, "serving the cluster at %s", http_server_url(demo->server));
    printf("\n  export KUBECONFIG=%s\n  kubectl get nodepools,nodeclaims,nodes,pods\n\n", path);
    fflush(stdout);
    return true;
}

static bool set_stage(struct demo *demo, const struct instance_type_catalog *catalog,
                      struct error *error)
{
    struct simulation_options options;
    simulation_options_defaults(&options);
    options.loop = demo->loop;
    options.seed = demo->seed;
    options.catalog = catalog;
    options.record_namespace = "kube-system";
    options.catalog_is_built_in = demo->catalog == NULL;
    options.furnished = true;
    options.world.comforts = true;
    options.world.pod_run_ns = JOB_POD_RUN;
    struct aws_account_options account;
    struct settings settings;
    settings_defaults(&settings);
    if (demo->aws_cluster != NULL) {
        demo_aws_options(&account, &settings, demo->aws_cluster);
        options.aws = &account;
        options.aws_error = error;
        options.settings = &settings;
    }
    demo->simulation = simulation_create(&options);
    settings_free(&settings);
    if (demo->simulation == NULL)
        return false;
    demo->view = demo_view_create(demo->loop, demo->simulation, demo->quiet);
    simulation_start_controller(demo->simulation);
    return apply_manifest(demo, error) && (!demo->serve || open_server(demo, error));
}

static bool open_log(const struct demo *demo, struct error *error)
{
    struct log_options options = {
        .level = demo->log_level == NULL                ? LOG_NONE
                 : text_equal(demo->log_level, "debug") ? LOG_DEBUG
                 : text_equal(demo->log_level, "error") ? LOG_ERROR
                                                        : LOG_INFO,
        .format = LOG_CONSOLE,
        .output_paths = "stderr",
    };
    return log_configure(&options, error);
}

static const struct instance_type_catalog *read_types(const struct demo *demo, struct error *error)
{
    if (demo->catalog != NULL && demo->catalog[0] != '\0')
        return providers_read_catalog(demo->catalog, error);
    return sim_provider.catalog(error);
}

static int play(struct demo *demo)
{
    struct error error = {0};
    const struct instance_type_catalog *catalog =
        open_log(demo, &error) ? read_types(demo, &error) : NULL;
    demo->loop = loop_create();
    loop_on_signal(demo->loop, SIGINT, interrupted, demo);
    loop_on_signal(demo->loop, SIGTERM, interrupted, demo);
    loop_on_signal(demo->loop, SIGHUP, interrupted, demo);
    signal(SIGPIPE, SIG_IGN); // a closed output does not end the cluster
    if (catalog == NULL || !read_manifest(demo, &error) || !set_stage(demo, catalog, &error)) {
        demo->status = command_failed(&command_demo, &error);
    } else {
        if (!demo->serve) {
            demo->timer = timer_create_on(demo->loop, look, demo);
            act_begin(demo);
            timer_start(demo->timer, LOOK);
        }
        loop_run(demo->loop);
    }
    kubeconfig_remove(&demo->written);
    timer_destroy(demo->timer);
    if (demo->server != NULL)
        http_server_destroy(demo->server);
    demo_view_destroy(demo->view);
    simulation_destroy(demo->simulation);
    loop_destroy(demo->loop);
    object_release((const struct object *)catalog);
    documents_free(&demo->documents);
    free(demo->aws_cluster);
    return demo->status;
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"serve", no_argument, NULL, 's'},
        {"file", required_argument, NULL, 'f'},
        {"port", required_argument, NULL, 'p'},
        {"kubeconfig", required_argument, NULL, 'k'},
        {"catalog", required_argument, NULL, 'c'},
        {"quiet", no_argument, NULL, 'q'},
        {"log-level", required_argument, NULL, 'l'},
        {"seed", required_argument, NULL, 'e'},
        {"color", required_argument, NULL, COLOR_OPTION},
        {0},
    };
    static const char *const levels[] = {"debug", "info", "error", NULL};
    static const char *const formats[] = {"text", NULL};
    struct demo demo = {.seed = 1};
    struct file_options output = {.format = "text"};
    int64_t number;
    int option, status;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "f:q", options, NULL)) != -1)
        switch (option) {
        case 's':
            demo.serve = true;
            break;
        case 'f':
            demo.manifest_path = optarg;
            break;
        case 'q':
            demo.quiet = true;
            break;
        case 'k':
            demo.kubeconfig = optarg;
            break;
        case 'c':
            demo.catalog = optarg;
            break;
        case 'l':
            demo.log_level = optarg;
            break;
        case 'p':
            if (!text_parse_int64(optarg, &number) || number < 0 || number > 65535)
                return command_usage_error(&command_demo, "--port: %s is not a port", optarg);
            demo.port = (int)number;
            break;
        case 'e':
            if (!text_parse_int64(optarg, &number))
                return command_usage_error(&command_demo, "--seed: %s is not a number", optarg);
            demo.seed = (uint64_t)number;
            break;
        case COLOR_OPTION:
            output.color = optarg;
            break;
        default:
            return option_refused(&command_demo, argv, options);
        }
    if (optind < argc)
        return command_usage_error(&command_demo, "unexpected argument %s", argv[optind]);
    if (!file_options_check(&command_demo, &output, formats, &status) ||
        (demo.log_level != NULL &&
         !option_is_one_of(&command_demo, "--log-level", demo.log_level, levels, &status)))
        return status;
    if (demo.manifest_path != NULL && !demo.serve)
        return command_usage_error(
            &command_demo, "-f goes with --serve: the play is written for its own manifest");
    printf("adze demo: an embedded cluster with a simulated cloud of EC2's instance types\n"
           "(on-demand list prices; spot prices of 2025-05-28)\n\n");
    status = play(&demo);
    return status != 0 || demo.serve ? status : demo_aws_play(demo.seed, demo.quiet);
}

const struct command command_demo = {
    .name = "demo",
    .arguments = "[--serve] [-f FILE] [--port N] [--kubeconfig FILE] [--catalog FILE] [--quiet]",
    .summary = "embedded cluster, simulated cloud and controller, on real manifests",
    .help = "Scales the Deployment of examples/inflate.yaml to 5, to 200 and to 0 pods and shows "
            "what happens; then plays examples/web.yaml on a simulated AWS account: a new machine "
            "image, a spot\ninterruption, the end.\n\n"
            "  --serve              stay up instead, and serve the cluster to kubectl\n"
            "  -f, --file FILE      with --serve: apply this manifest instead of the example (a "
            "folder, or \"-\", as well);\n"
            "                       with an EC2NodeClass in it the machines are instances of a "
            "simulated AWS account\n"
            "  --port N             of the served cluster; default: any\n"
            "  --kubeconfig FILE    where to write the kubeconfig, which must not be there yet and "
            "is removed at the end;\n"
            "                       default: in the folder for temporary files\n"
            "  --catalog FILE       instance types; default: EC2's, built in\n"
            "  --log-level LEVEL    also show the controller's log: debug, info, error\n"
            "  --seed N             of delays and names; default: 1\n"
            "  --color WHEN         auto (default: on a terminal), always or never\n"
            "  -q, --quiet          only the picture at the end of each act\n",
    .run = run,
};
