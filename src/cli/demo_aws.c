#include "cli/demo_aws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cli/demo_data.h"
#include "cli/output/demo_view.h"
#include "model/reading/settings_read.h"
#include "sim/aws/aws_account.h"
#include "sim/store/resources.h"
#include "sim/store/store_json.h"

#define WALL_START  (INT64_C(1767225600) * SECOND) // 2026-01-01
#define ACT_TIMEOUT (3 * HOUR)
#define LOOK        SECOND
#define WEB_PODS    32 // of both Deployments
#define NEW_ALIAS   "al2023@v20260820"
#define CLASS_NAME  "shop"

struct play {
    struct loop *loop;
    struct simulation *simulation;
    struct demo_view *view;
    struct timer *timer;
    uint32_t act;
    int64_t act_begun;
    char *interrupted; // provider ID
    bool class_told;
    int status;
};

struct act {
    const char *title;
    bool (*begin)(struct play *play, struct error *error);
    bool (*is_over)(struct play *play);
};
static bool begin_web(struct play *play, struct error *error);
static bool begin_image(struct play *play, struct error *error);
static bool begin_interruption(struct play *play, struct error *error);
static bool begin_end(struct play *play, struct error *error);
static bool all_run(struct play *play);
static bool images_are_new(struct play *play);
static bool interruption_survived(struct play *play);
static bool nothing_is_left(struct play *play);
static const struct act acts[] = {
    {"examples/web.yaml on EC2", begin_web, all_run},
    {"a newer machine image", begin_image, images_are_new},
    {"a spot interruption", begin_interruption, interruption_survived},
    {"no replicas", begin_end, nothing_is_left},
};

// --- the cluster ---------------------------------------------------------------------------------

static json_t *node_class(struct play *play)
{
    struct store *store = simulation_store(play->simulation);
    return store_get(store, store_resource_of_kind(store, "karpenter.k8s.aws/v1", "EC2NodeClass"),
                     "", CLASS_NAME);
}

static bool all_run(struct play *play)
{
    return simulation_pods_running(play->simulation) == WEB_PODS &&
           simulation_is_settled(play->simulation);
}

static bool begin_web(struct play *play, struct error *error)
{
    demo_view_say(play->view, "applied examples/web.yaml: an EC2NodeClass, two NodePools, 30 pods "
                              "over the zones and 2 with GPUs");
    return simulation_apply(play->simulation, demo_web_manifest, error);
}

static bool begin_image(struct play *play, struct error *error)
{
    demo_view_say(play->view,
                  "EC2NodeClass " CLASS_NAME ": the alias of its image is changed to " NEW_ALIAS);
    return simulation_apply(play->simulation,
                            "apiVersion: karpenter.k8s.aws/v1\n"
                            "kind: EC2NodeClass\n"
                            "metadata: {name: " CLASS_NAME "}\n"
                            "spec: {amiSelectorTerms: [{alias: " NEW_ALIAS "}]}\n",
                            error);
}

struct images {
    const json_t *amis; // of the EC2NodeClass's status
    bool old;
};

static bool look_at_image(void *context, json_t *claim)
{
    struct images *images = context;
    const char *image = json_string_value(store_path(claim, "status.imageID"));
    size_t index;
    json_t *ami;
    bool found = false;
    json_array_foreach (images->amis, index, ami)
        found = found || text_equal(json_string_value(json_object_get(ami, "id")), image);
    images->old = images->old || !found;
    return true;
}

static bool images_are_new(struct play *play)
{
    struct store *store = simulation_store(play->simulation);
    struct images images = {.amis = store_path(node_class(play), "status.amis")};
    // The status must have followed the change.
    if (json_integer_value(store_path(node_class(play), "metadata.generation")) < 2 ||
        ns_subtract(loop_monotonic_ns(play->loop), play->act_begun) < 10 * SECOND)
        return false;
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               look_at_image, &images);
    return !images.old && all_run(play);
}

static bool begin_interruption(struct play *play, struct error *error)
{
    struct simulation_machine machine;
    for (uint32_t i = 0; simulation_machine_at(play->simulation, i, &machine); i++) {
        const char *slash = strrchr(machine.provider_id, '/');
        if (!text_equal(machine.capacity_type, CAPACITY_TYPE_SPOT) || slash == NULL)
            continue;
        demo_view_say(play->view,
                      "EC2 announces that it takes the spot instance %s (%s) back in "
                      "two minutes",
                      slash + 1, machine.instance_type);
        play->interrupted = memory_copy_string(machine.provider_id);
        return aws_account_interrupt(simulation_account(play->simulation), slash + 1) ||
               error_set(error, ERROR_INTERNAL, "the instance %s is gone", slash + 1);
    }
    return error_set(error, ERROR_INTERNAL, "no spot instance is running");
}

static bool interruption_survived(struct play *play)
{
    struct simulation_machine machine;
    for (uint32_t i = 0; simulation_machine_at(play->simulation, i, &machine); i++)
        if (text_equal(machine.provider_id, play->interrupted))
            return false;
    return all_run(play);
}

static bool begin_end(struct play *play, struct error *error)
{
    demo_view_say(play->view, "Deployments web and training: scaled to 0");
    return simulation_scale(play->simulation, "web", 0, error) &&
           simulation_scale(play->simulation, "training", 0, error);
}

static bool nothing_is_left(struct play *play)
{
    struct world_counts counts = world_counts(simulation_world(play->simulation));
    return counts.pods == 0 && counts.nodes == 0 &&
           simulation_count(play->simulation, "karpenter.sh/v1", "NodeClaim") == 0 &&
           aws_account_instances(simulation_account(play->simulation)) == 0;
}

// --- the play ------------------------------------------------------------------------------------

static void finish(struct play *play, int status)
{
    play->status = status;
    loop_stop(play->loop);
}

static void begin_act(struct play *play)
{
    struct error error = {0};
    play->act_begun = loop_monotonic_ns(play->loop);
    if (acts[play->act].begin(play, &error))
        return;
    fprintf(stderr, "adze demo: %s\n", error.message);
    finish(play, EXIT_FAILURE);
}

static void tell_class(struct play *play)
{
    json_t *class = node_class(play);
    if (play->class_told || class == NULL || !store_condition_is_true(class, CONDITION_READY))
        return;
    play->class_told = true;
    demo_view_say(play->view,
                  "EC2NodeClass " CLASS_NAME " is Ready: %zu subnets, %zu security "
                  "groups, images for %zu kinds of instance types",
                  json_array_size(store_path(class, "status.subnets")),
                  json_array_size(store_path(class, "status.securityGroups")),
                  json_array_size(store_path(class, "status.amis")));
}

static void look(void *context)
{
    struct play *play = context;
    timer_start(play->timer, LOOK);
    tell_class(play);
    if (acts[play->act].is_over(play)) {
        demo_view_picture(play->view, acts[play->act].title);
        if (++play->act < ARRAY_LENGTH(acts)) {
            begin_act(play);
        } else {
            demo_view_say(play->view, "done: no node and no instance is left");
            finish(play, EXIT_SUCCESS);
        }
    } else if (ns_subtract(loop_monotonic_ns(play->loop), play->act_begun) > ACT_TIMEOUT) {
        demo_view_picture(play->view, "stuck");
        fprintf(stderr, "adze demo: \"%s\" was not reached\n", acts[play->act].title);
        finish(play, EXIT_FAILURE);
    }
}

void demo_aws_options(struct aws_account_options *account, struct settings *settings,
                      const char *cluster)
{
    *account = (struct aws_account_options){.latency_min = 20 * MILLISECOND,
                                            .latency_max = 200 * MILLISECOND,
                                            .lag_max = 2 * SECOND,
                                            .cluster = cluster,
                                            .queue = cluster,
                                            .state_messages = true};
    settings->cluster_name = cluster;
    settings->interruption_queue = cluster;
    settings->eks_control_plane = true;
}

static bool set_stage(struct play *play, struct settings *settings, uint64_t seed)
{
    struct simulation_options options;
    struct error error = {0};
    struct aws_account_options account;
    simulation_options_defaults(&options);
    demo_aws_options(&account, settings, CLASS_NAME);
    options.loop = play->loop;
    options.seed = seed;
    options.settings = settings;
    options.aws = &account;
    options.aws_error = &error;
    options.boot_delay_min = 25 * SECOND;
    options.boot_delay_max = 40 * SECOND;
    play->simulation = simulation_create(&options);
    if (play->simulation == NULL)
        fprintf(stderr, "adze demo: %s\n", error.message);
    return play->simulation != NULL;
}

int demo_aws_play(uint64_t seed, bool quiet)
{
    struct play play = {.loop = loop_create_virtual(WALL_START), .status = EXIT_FAILURE};
    struct settings settings;
    settings_defaults(&settings);
    printf("\nThe same on AWS: a simulated account, whose calls, images, prices and interruptions "
           "take their time;\nthe clock jumps from event to event.\n\n");
    if (set_stage(&play, &settings, seed)) {
        play.view = demo_view_create(play.loop, play.simulation, quiet);
        play.timer = timer_create_on(play.loop, look, &play);
        simulation_start_controller(play.simulation);
        begin_act(&play);
        timer_start(play.timer, LOOK);
        loop_run(play.loop);
    }
    timer_destroy(play.timer);
    demo_view_destroy(play.view);
    simulation_destroy(play.simulation);
    loop_destroy(play.loop);
    free(play.interrupted);
    settings_free(&settings);
    return play.status;
}
