// The reconcilers of EC2NodeClasses against a simulated account and API server: recorded
// NodeClasses become what was recorded, and leave nothing behind when they are deleted.
#include "cloud/aws/nodeclass/node_class_controllers.h"

#include <stdio.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/metrics.h"
#include "base/text.h"
#include "kube/event_recorder.h"
#include "model/reading/settings_read.h"
#include "reconcile/operations.h"
#include "sim/apiserver/api_server.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/aws/aws_account.h"
#include "sim/store/resources.h"
#include "sim/store/store.h"
#include "sim/store/store_remove.h"
#include "support/cmocka_all.h"

#define EPOCH (INT64_C(1792000000) * SECOND) // October 2026, as the recordings

struct run {
    struct loop *loop;
    struct store *store;
    struct api_server *server;
    struct kube_client *kube;
    struct mirror *mirror;
    struct settings settings;
    struct metrics *metrics;
    struct event_recorder *recorder;
    struct manager manager;
    struct aws_account *account;
    struct aws_http *http;
    struct aws_credentials_source *credentials;
    struct aws_client *client;
    struct cluster_facts cluster;
    json_t *environment;
    struct ec2_prices *prices;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    struct subnet_addresses *addresses;
    struct ec2_types *types;
    struct launch_templates *templates;
    struct node_class_controllers *controllers;
    const struct store_resource *resource;
    uint32_t creations;
};

static int64_t monotonic(void *loop)
{
    return loop_monotonic_ns(loop);
}

static const char *no_environment(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static void on_request(void *context, const struct aws_account_request *request)
{
    struct run *run = context;
    if (getenv("SHOW_CALLS") != NULL) {
        char *params = json_dumps(request->params, JSON_SORT_KEYS);
        fprintf(stderr, "%s %s %s\n", request->action, text_or_empty(request->error_code), params);
        free(params);
    }
    if (strcmp(request->action, "CreateLaunchTemplate") == 0 && request->error_code == NULL)
        run->creations++;
}

static void on_types(void *context, const struct error *error)
{
    (void)context;
    assert_int_equal(error->kind, ERROR_NONE);
}

static void open_cluster(struct run *run)
{
    run->store = store_create(run->loop, 1);
    resources_register(run->store);
    run->server = api_server_create(run->loop, run->store);
    run->kube = kube_client_create(
        run->loop, sim_transport_create(run->loop, run->server, &(struct sim_transport_options){0}),
        &(struct kube_client_options){0});
    run->mirror = mirror_create(run->loop, run->kube);
    run->metrics = metrics_create(monotonic, run->loop);
    settings_defaults(&run->settings);
    run->recorder = event_recorder_create(run->loop, run->kube, "adze");
    manager_init(&run->manager, &(struct manager_options){.loop = run->loop,
                                                          .client = run->kube,
                                                          .mirror = run->mirror,
                                                          .settings = &run->settings,
                                                          .metrics = run->metrics,
                                                          .recorder = run->recorder,
                                                          .seed = 1});
    run->manager.operations = operations_create(&run->manager);
    static const enum kind_id kinds[] = {KIND_EC2_NODE_CLASS, KIND_NODE_CLAIM, KIND_NODE_POOL};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_watch(run->mirror, kinds[i], NULL, NULL, true);
}

static const char *fact(const struct run *run, const char *key)
{
    return json_string_value(json_object_get(json_object_get(run->environment, "cluster"), key));
}

static void open_account(struct run *run)
{
    struct error error = {0};
    run->account = aws_account_create(&(struct aws_account_options){.loop = run->loop,
                                                                    .seed = 1,
                                                                    .folder = ACCOUNT_FOLDER,
                                                                    .catalogue = "m[56]g?\\..*",
                                                                    .latency_min = MILLISECOND,
                                                                    .latency_max = SECOND / 5,
                                                                    .requested = on_request,
                                                                    .context = run},
                                      &error);
    if (run->account == NULL)
        fail_msg("%s", error.message);
    run->http = aws_account_http(run->account);
    run->credentials =
        aws_credentials_fixed(&(struct aws_credentials){.access_key_id = AWS_ACCOUNT_ACCESS_KEY,
                                                        .secret_access_key = AWS_ACCOUNT_SECRET_KEY,
                                                        .expires = INT64_MAX});
    run->client = aws_client_create(&(struct aws_client_options){.loop = run->loop,
                                                                 .http = run->http,
                                                                 .credentials = run->credentials,
                                                                 .region = "us-west-2",
                                                                 .environment = no_environment},
                                    &error);
    run->environment = json_incref((json_t *)aws_account_environment(run->account));
    run->cluster = (struct cluster_facts){.name = "test-cluster",
                                          .region = "us-west-2",
                                          .partition = "aws",
                                          .account = "111122223333",
                                          .endpoint = fact(run, "endpoint"),
                                          .ca_bundle = "Y2EtYnVuZGxl",
                                          .cidr = "10.96.0.0/16",
                                          .kube_dns = "10.96.0.10",
                                          .version = "1.35"};
}

static void open_run(struct run *run)
{
    *run = (struct run){.loop = loop_create_virtual(EPOCH)};
    open_cluster(run);
    open_account(run);
    run->prices =
        ec2_prices_create(&(struct ec2_prices_options){.loop = run->loop, .region = "us-west-2"});
    run->unavailable =
        unavailable_offerings_create(&(struct unavailable_options){.loop = run->loop});
    run->reservations = reservation_counts_create(run->loop);
    run->groups = placement_groups_create();
    run->addresses = subnet_addresses_create(run->loop, MINUTE);
    run->types = ec2_types_create(&(struct ec2_types_options){.loop = run->loop,
                                                              .settings = &run->settings,
                                                              .region = "us-west-2",
                                                              .prices = run->prices,
                                                              .unavailable = run->unavailable,
                                                              .reservations = run->reservations,
                                                              .groups = run->groups});
    ec2_types_refresh(run->types, run->client, on_types, NULL);
    run->templates =
        launch_templates_create(&(struct launch_templates_options){.loop = run->loop,
                                                                   .client = run->client,
                                                                   .settings = &run->settings,
                                                                   .cluster = &run->cluster,
                                                                   .metrics = run->metrics,
                                                                   .types = run->types});
    run->controllers = node_class_controllers_create(
        &run->manager, &(struct node_class_environment){.client = run->client,
                                                        .cluster = &run->cluster,
                                                        .types = run->types,
                                                        .addresses = run->addresses,
                                                        .reservations = run->reservations,
                                                        .groups = run->groups,
                                                        .templates = run->templates});
    loop_run_for(run->loop, 10 * SECOND);
    assert_true(mirror_synced(run->mirror));
    manager_lead(&run->manager);
    manager_start_queues(&run->manager);
    run->resource = store_resource_find(run->store, "karpenter.k8s.aws", "v1", "ec2nodeclasses");
    assert_non_null(run->resource);
}

static void close_run(struct run *run)
{
    manager_stop(&run->manager);
    node_class_controllers_destroy(run->controllers);
    launch_templates_destroy(run->templates);
    ec2_types_destroy(run->types);
    subnet_addresses_destroy(run->addresses);
    placement_groups_destroy(run->groups);
    reservation_counts_destroy(run->reservations);
    unavailable_offerings_destroy(run->unavailable);
    ec2_prices_destroy(run->prices);
    aws_client_destroy(run->client);
    run->credentials->operations->destroy(run->credentials);
    run->http->operations->destroy(run->http);
    aws_account_destroy(run->account);
    json_decref(run->environment);
    event_recorder_destroy(run->recorder);
    mirror_destroy(run->mirror);
    kube_client_destroy(run->kube);
    operations_destroy(run->manager.operations);
    manager_free(&run->manager);
    metrics_destroy(run->metrics);
    api_server_destroy(run->server);
    store_destroy(run->store);
    settings_free(&run->settings);
    loop_destroy(run->loop);
}

static json_t *load_case(const char *name)
{
    char path[500];
    snprintf(path, sizeof path, CASES_FOLDER "/%s.json", name);
    json_error_t problem;
    json_t *scenario = json_load_file(path, 0, &problem);
    if (scenario == NULL)
        fail_msg("%s: %s", path, problem.text);
    return scenario;
}

static json_t *node_class_now(struct run *run, const char *name)
{
    return store_get(run->store, run->resource, NULL, name);
}

static void compare_list(const json_t *expected, const json_t *actual, const char *key)
{
    json_t *want = json_object_get(expected, key), *have = json_object_get(actual, key);
    if (json_equal(want, have) || (json_array_size(want) == 0 && json_array_size(have) == 0))
        return;
    char *text = json_dumps(have, JSON_SORT_KEYS);
    char *other = json_dumps(want, JSON_SORT_KEYS);
    fail_msg("%s:\n%s\ninstead of\n%s", key, text, other);
}

static void compare_conditions(const json_t *expected, const json_t *actual)
{
    size_t index, other_index;
    json_t *want, *have;
    json_array_foreach (json_object_get(expected, "conditions"), index, want) {
        const char *type = json_string_value(json_object_get(want, "type"));
        bool found = false;
        json_array_foreach (json_object_get(actual, "conditions"), other_index, have) {
            if (strcmp(json_string_value(json_object_get(have, "type")), type) != 0)
                continue;
            found = true;
            static const char *const keys[] = {"status", "reason"};
            for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
                if (!json_equal(json_object_get(want, keys[i]), json_object_get(have, keys[i])))
                    fail_msg("%s: %s (%s) instead of %s", type,
                             json_string_value(json_object_get(have, keys[i])),
                             json_string_value(json_object_get(have, "message")),
                             json_string_value(json_object_get(want, keys[i])));
            if (strcmp(type, "Ready") == 0)
                assert_string_equal(json_string_value(json_object_get(have, "message")),
                                    json_string_value(json_object_get(want, "message")));
        }
        if (!found)
            fail_msg("no condition %s", type);
    }
}

static void replay(const char *name)
{
    print_message("%s\n", name);
    struct run run;
    open_run(&run);
    json_t *scenario = load_case(name);
    json_t *object = json_object_get(json_object_get(scenario, "input"), "nodeClass");
    struct error error = {0};
    const char *version =
        json_string_value(json_object_get(json_object_get(scenario, "settings"), "version"));
    if (version != NULL)
        run.cluster.version = version;
    if (store_add(run.store, run.resource, NULL, object, &error) == NULL)
        fail_msg("%s: %s", name, error.message);
    const char *object_name =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
    loop_run_for(run.loop, 30 * SECOND);
    json_t *expected = json_object_get(
        json_object_get(json_object_get(scenario, "expect"), "nodeClass"), "status");
    json_t *actual = json_object_get(node_class_now(&run, object_name), "status");
    compare_list(expected, actual, "amis");
    compare_list(expected, actual, "subnets");
    compare_list(expected, actual, "securityGroups");
    compare_conditions(expected, actual);
    uint32_t made = run.creations;
    loop_run_for(run.loop, 20 * MINUTE); // no call is repeated
    assert_int_equal(run.creations, made);
    store_remove(run.store, run.resource, NULL, object_name,
                 &(struct store_delete_options){.grace_period_seconds = -1}, &error);
    loop_run_for(run.loop, MINUTE);
    assert_null(node_class_now(&run, object_name));
    json_decref(scenario);
    close_run(&run);
}

static void recorded_node_classes_AWN_32_37(void **state)
{
    (void)state;
    static const char *const names[] = {"discover-ami-mixed",
                                        "discover-ami-alias-latest",
                                        "discover-ami-br-latest",
                                        "discover-ami-al2-k135",
                                        "discover-ami-deprecated",
                                        "discover-ami-id-unknown",
                                        "discover-ami-name-owner",
                                        "discover-ami-ssm-odd",
                                        "discover-cr-id",
                                        "discover-cr-over",
                                        "discover-nothing-matches",
                                        "discover-pg-deleted",
                                        "discover-pg-id",
                                        "discover-sg-none",
                                        "discover-subnet-id-and-tags",
                                        "discover-subnet-tags",
                                        "discover-subnet-wildcard-value",
                                        "kubelet-al2-any",
                                        "kubelet-bad-unknown",
                                        "options-interfaces-public",
                                        "options-role-path"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        replay(names[i]);
}

struct event_count {
    const char *text; // of the message
    uint32_t count;   // of repetitions, too
};

static bool count_event(void *context, json_t *event)
{
    struct event_count *wanted = context;
    const char *reason = json_string_value(json_object_get(event, "reason"));
    const char *message = json_string_value(json_object_get(event, "message"));
    if (text_equal(reason, "UserDataUnused") && strstr(message, wanted->text) != NULL)
        wanted->count += (uint32_t)json_integer_value(json_object_get(event, "count"));
    return true;
}

static uint32_t events_of(struct run *run, const char *text)
{
    struct event_count wanted = {.text = text};
    store_each(run->store, store_resource_of_kind(run->store, "v1", "Event"), NULL, count_event,
               &wanted);
    return wanted.count;
}

// What of the user data has no effect is told once an hour, and stops nothing.
static void unused_user_data_is_told_AWN_711(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct run run;
        struct error error = {0};
        open_run(&run);
        run.settings.compatibility_upstream = upstream;
        json_t *scenario = load_case("discover-ami-br-latest");
        json_t *object = json_object_get(json_object_get(scenario, "input"), "nodeClass");
        json_object_set_new(json_object_get(object, "spec"), "userData",
                            json_string("[other]\na = 1\n"));
        const char *name =
            json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
        assert_non_null(store_add(run.store, run.resource, NULL, object, &error));
        loop_run_for(run.loop, 40 * MINUTE);
        assert_int_equal(events_of(&run, "other is left out"), !upstream);
        const json_t *status = json_object_get(node_class_now(&run, name), "status");
        compare_conditions(
            json_object_get(json_object_get(json_object_get(scenario, "expect"), "nodeClass"),
                            "status"),
            status);
        json_decref(scenario);
        close_run(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_node_classes_AWN_32_37),
                                       cmocka_unit_test(unused_user_data_is_told_AWN_711)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
