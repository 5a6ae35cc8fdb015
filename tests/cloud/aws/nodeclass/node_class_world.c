#include "node_class_world.h"

#include <stdio.h>
#include <string.h>

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
    json_array_append_new(run->requests,
                          json_pack("{s:s, s:O, s:s}", "action", request->action, "params",
                                    request->params, "error", text_or_empty(request->error_code)));
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
    run->recorder = event_recorder_create(run->loop, run->kube, "karpenter");
    settings_defaults(&run->settings);
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

static void open_controllers(struct run *run)
{
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
}

void open_run(struct run *run)
{
    open_run_with(run, NULL);
}

void open_run_with(struct run *run, void (*adjust)(struct run *run))
{
    *run = (struct run){.loop = loop_create_virtual(EPOCH), .requests = json_array()};
    open_cluster(run);
    open_account(run);
    if (adjust != NULL)
        adjust(run);
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
    open_controllers(run);
    loop_run_for(run->loop, 10 * SECOND);
    assert_true(mirror_synced(run->mirror));
    manager_lead(&run->manager);
    manager_start_queues(&run->manager);
    run->resource = store_resource_find(run->store, "karpenter.k8s.aws", "v1", "ec2nodeclasses");
    assert_non_null(run->resource);
}

void close_run(struct run *run)
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
    json_decref(run->requests);
    mirror_destroy(run->mirror);
    event_recorder_destroy(run->recorder);
    kube_client_destroy(run->kube);
    operations_destroy(run->manager.operations);
    manager_free(&run->manager);
    metrics_destroy(run->metrics);
    api_server_destroy(run->server);
    store_destroy(run->store);
    settings_free(&run->settings);
    loop_destroy(run->loop);
}

size_t requests_of(const struct run *run, const char *action)
{
    size_t count = 0, index;
    json_t *request;
    json_array_foreach (run->requests, index, request)
        count += text_equal(json_string_value(json_object_get(request, "action")), action);
    return count;
}

const json_t *last_request(const struct run *run, const char *action)
{
    for (size_t i = json_array_size(run->requests); i-- > 0;) {
        const json_t *request = json_array_get(run->requests, i);
        if (text_equal(json_string_value(json_object_get(request, "action")), action))
            return json_object_get(request, "params");
    }
    return NULL;
}

void forget_requests(struct run *run)
{
    json_array_clear(run->requests);
}

json_t *node_class_now(struct run *run, const char *name)
{
    return store_get(run->store, run->resource, NULL, name);
}
