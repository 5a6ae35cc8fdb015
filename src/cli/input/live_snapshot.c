#include "cli/input/live_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/loop_real.h"
#include "base/text.h"
#include "cli/input/progress.h"
#include "cloud/port/record_settings.h"
#include "cloud/providers.h"
#include "kube/client.h"
#include "kube/client_list.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

// The kinds that a decision depends on (FMT-1). `optional`: may be missing from the cluster or
// forbidden.
static const struct {
    enum kind_id kind;
    bool optional;
} wanted[] = {
    {KIND_NODE_POOL, false},
    {KIND_NODE_CLAIM, false},
    {KIND_NODE, false},
    {KIND_POD, false},
    {KIND_NAMESPACE, false},
    {KIND_DAEMON_SET, false},
    {KIND_REPLICA_SET, false},
    {KIND_DEPLOYMENT, false},
    {KIND_STATEFUL_SET, false},
    {KIND_JOB, true},
    {KIND_POD_DISRUPTION_BUDGET, false},
    {KIND_PERSISTENT_VOLUME_CLAIM, false},
    {KIND_PERSISTENT_VOLUME, false},
    {KIND_STORAGE_CLASS, false},
    {KIND_CSI_NODE, false},
    {KIND_LIMIT_RANGE, true},
    {KIND_PRIORITY_CLASS, true},
    {KIND_SERVICE, true},
    {KIND_REPLICATION_CONTROLLER, true},
    {KIND_NODE_OVERLAY, true},
    {KIND_CAPACITY_BUFFER, true},
    {KIND_POD_TEMPLATE, true},
    {KIND_RESOURCE_CLAIM, true},
    {KIND_RESOURCE_CLAIM_TEMPLATE, true},
    {KIND_DEVICE_CLASS, true},
    {KIND_RESOURCE_SLICE, true},
};

// The node classes of all providers are read, too, in the order of kinds.
static bool is_node_class(enum kind_id kind)
{
    for (const struct cloud_provider *const *at = providers; *at != NULL; at++)
        for (const enum kind_id *id = (*at)->serves; *id != KIND_COUNT; id++)
            if (*id == kind)
                return true;
    return false;
}

struct reading {
    struct loop *loop;
    struct kube_client *client;
    struct snapshot *snapshot;
    struct error *error;
    json_t *provider_records; // ConfigMaps; NULL: listing is forbidden
    uint32_t left;            // lists still under way
    bool failed;
};

struct listing {
    struct reading *reading;
    enum kind_id kind;
    bool optional;
    char *forbidden; // the server's words
};

static bool counts_unread(enum kind_id kind)
{
    return kind == KIND_POD || kind == KIND_POD_DISRUPTION_BUDGET || kind == KIND_NODE ||
           kind == KIND_NODE_CLAIM;
}

static void take_items(const struct listing *listing, const json_t *items)
{
    size_t index;
    json_t *item;
    json_array_foreach (items, index, item) {
        struct error ignored = {0};
        // The controller salvages objects that do not decode in the same way (API-318, API-603).
        const struct kind *kind = kind_get(listing->kind);
        struct object *object = object_decode(item, kind, DECODE_LENIENT, &ignored);
        if (object == NULL && counts_unread(listing->kind))
            object = object_salvage(item, kind);
        if (object != NULL)
            snapshot_add(listing->reading->snapshot, object);
        object_release(object);
    }
}

static const char remedy[] =
    " (is the cluster up? --kubeconfig and --context choose another, -f reads files)";

static void listed(void *context, const struct kube_result *result)
{
    struct listing *listing = context;
    struct reading *reading = listing->reading;
    enum error_kind kind = result->error.kind;
    bool absent = kind == ERROR_NOT_FOUND || (listing->optional && kind == ERROR_FORBIDDEN);
    if (kind == ERROR_NONE) {
        take_items(listing, json_object_get(result->body, "items"));
    } else if (kind == ERROR_FORBIDDEN && !listing->optional) {
        listing->forbidden = memory_copy_string(result->error.message);
    } else if (!(absent && (listing->optional || kind_get(listing->kind)->custom)) &&
               !reading->failed) {
        reading->failed = true;
        error_set(reading->error, kind, "listing %s: %s%s", kind_get(listing->kind)->plural,
                  result->error.message, kind == ERROR_UNAVAILABLE ? remedy : "");
    }
    if (--reading->left == 0 || reading->failed)
        loop_stop(reading->loop);
}

// Without permission to list ConfigMaps, or on a server without them, the node classes decide.
static void listed_records(void *context, const struct kube_result *result)
{
    struct reading *reading = context;
    reading->provider_records = json_incref(json_object_get(result->body, "items"));
    if (--reading->left == 0)
        loop_stop(reading->loop);
}

// All kinds at once that this user may not list, with the role that is missing. False: there are
// some.
static bool may_list(struct reading *reading, const struct listing *listings, uint32_t count)
{
    struct text names = {0}, resources = {0};
    const char *words = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (listings[i].forbidden == NULL)
            continue;
        const struct kind *kind = kind_get(listings[i].kind);
        words = words != NULL ? words : listings[i].forbidden;
        text_format(&names, "%s%s", names.length > 0 ? ", " : "", kind->plural);
        text_format(&resources, "%s%s%s%s", resources.length > 0 ? "," : "", kind->plural,
                    *kind->group != '\0' ? "." : "", kind->group);
    }
    if (words != NULL)
        error_set(reading->error, ERROR_FORBIDDEN,
                  "listing %s: %.300s (a role that may: kubectl create clusterrole adze-reader "
                  "--verb=get,list --resource=%s)",
                  names.data, words, resources.data);
    text_free(&names);
    text_free(&resources);
    return words == NULL;
}

static bool read_all(struct reading *reading)
{
    struct listing listings[KIND_COUNT];
    uint32_t count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(wanted); i++)
        listings[count++] = (struct listing){reading, wanted[i].kind, wanted[i].optional, NULL};
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (is_node_class(kind))
            listings[count++] = (struct listing){reading, kind, true, NULL};
    reading->left = count + 1;
    kube_list_path(reading->client, CONFIG_MAPS_PATH, PROVIDER_RECORD_LABEL, listed_records,
                   reading);
    for (uint32_t i = 0; i < count; i++)
        kube_list(reading->client, &(struct kube_selection){listings[i].kind}, listed,
                  &listings[i]);
    loop_run(reading->loop);
    bool done = !reading->failed && may_list(reading, listings, count);
    for (uint32_t i = 0; i < count; i++)
        free(listings[i].forbidden);
    return done;
}

// The controller's own, where it has published them; else the environment's stay. A file of
// instance types is of this machine.
static bool take_settings(struct snapshot *snapshot, const struct live_provider *provider,
                          struct error *error)
{
    static const char types[] = "INSTANCE_TYPES_FILE_PATH";
    if (provider->record.settings == NULL)
        return true;
    record_settings_apply(provider->record.settings, &snapshot->settings);
    record_learned_apply(provider->record.learned, &snapshot->settings);
    return text_is_empty(getenv(types)) ||
           settings_set(&snapshot->settings, types, getenv(types), error);
}

bool live_snapshot_read(struct snapshot *snapshot, const struct live_options *options,
                        struct live_provider *provider, struct error *error)
{
    *provider = (struct live_provider){0};
    struct kube_config *config = kube_config_load(&options->cluster, error);
    if (config == NULL)
        return false;
    struct loop *loop = loop_create();
    struct http_transport_options http = {.user_agent = "adze/" ADZE_VERSION};
    struct kube_transport *transport = http_transport_create(loop, config, &http, error);
    bool done = false;
    if (transport != NULL) {
        struct kube_client_options unlimited = {0};
        struct reading reading = {
            .loop = loop,
            .client = kube_client_create(loop, transport, &unlimited),
            .snapshot = snapshot,
            .error = error,
        };
        snapshot->time = loop_now_ns(loop);
        snapshot->require_unschedulable_condition = true;
        progress_begin("reading the cluster");
        done = settings_from_environment(&snapshot->settings, error) &&
               settings_finish(&snapshot->settings, error) && read_all(&reading);
        progress_end();
        kube_client_destroy(reading.client);
        if (done) {
            live_provider_find(provider, reading.provider_records, snapshot, options->provider);
            live_provider_leave_out_others(provider, snapshot);
            done = take_settings(snapshot, provider, error);
        }
        json_decref(reading.provider_records);
    }
    loop_destroy(loop);
    kube_config_free(config);
    return done;
}
