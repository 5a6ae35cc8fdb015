// What is learned of the cluster before anything is decided, against the simulated account and API
// server.
#include "cloud/aws/cluster_discovery.h"
#include "cloud/aws/cluster_fact_forms.h"

#include <stdio.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/text.h"
#include "model/reading/settings_read.h"
#include "sim/apiserver/api_server.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/aws/aws_account.h"
#include "sim/store/resources.h"
#include "sim/store/store.h"
#include "support/cmocka_all.h"

struct scene {
    struct loop *loop;
    struct store *store;
    struct api_server *server;
    struct kube_client *kube;
    struct settings settings;
    struct aws_account *account;
    struct aws_http *http;
    struct aws_credentials_source *credentials;
    struct aws_client *client;
    struct cluster_discovery *discovery;
    json_t *actions; // in order
    uint32_t begun, refreshed;
    struct error error; // of the last refresh
};

static const char *no_environment(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static void on_request(void *context, const struct aws_account_request *request)
{
    struct scene *scene = context;
    json_array_append_new(scene->actions, json_string(request->action));
}

static void on_begun(void *context)
{
    ((struct scene *)context)->begun++;
}

static void open_account(struct scene *scene)
{
    struct error error = {0};
    scene->account = aws_account_create(&(struct aws_account_options){.loop = scene->loop,
                                                                      .seed = 1,
                                                                      .folder = ACCOUNT_FOLDER,
                                                                      .catalogue = "m5.large",
                                                                      .requested = on_request,
                                                                      .context = scene},
                                        &error);
    assert_non_null(scene->account);
    scene->http = aws_account_http(scene->account);
    scene->credentials =
        aws_credentials_fixed(&(struct aws_credentials){.access_key_id = AWS_ACCOUNT_ACCESS_KEY,
                                                        .secret_access_key = AWS_ACCOUNT_SECRET_KEY,
                                                        .expires = INT64_MAX});
    scene->client =
        aws_client_create(&(struct aws_client_options){.loop = scene->loop,
                                                       .http = scene->http,
                                                       .credentials = scene->credentials,
                                                       .region = "us-west-2",
                                                       .environment = no_environment},
                          &error);
    assert_non_null(scene->client);
}

static int open_scene(void **state)
{
    struct scene *scene = memory_allocate(sizeof *scene);
    *scene = (struct scene){.loop = loop_create_virtual(INT64_C(1792000000) * SECOND),
                            .actions = json_array()};
    scene->store = store_create(scene->loop, 1);
    resources_register(scene->store);
    scene->server = api_server_create(scene->loop, scene->store);
    scene->kube = kube_client_create(
        scene->loop,
        sim_transport_create(scene->loop, scene->server, &(struct sim_transport_options){0}),
        &(struct kube_client_options){0});
    settings_defaults(&scene->settings);
    scene->settings.cluster_name = "test-cluster";
    open_account(scene);
    *state = scene;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    cluster_discovery_destroy(scene->discovery);
    aws_client_destroy(scene->client);
    scene->credentials->operations->destroy(scene->credentials);
    scene->http->operations->destroy(scene->http);
    aws_account_destroy(scene->account);
    kube_client_destroy(scene->kube);
    api_server_destroy(scene->server);
    store_destroy(scene->store);
    json_decref(scene->actions);
    scene->settings.cluster_name = NULL;
    scene->settings.cluster_endpoint = NULL;
    scene->settings.cluster_ca_bundle = NULL;
    settings_free(&scene->settings);
    loop_destroy(scene->loop);
    free(scene);
    return 0;
}

static const struct cluster_facts *discover(struct scene *scene, const char *ca)
{
    struct error error = {0};
    scene->discovery =
        cluster_discovery_create(&(struct cluster_discovery_options){.loop = scene->loop,
                                                                     .client = scene->client,
                                                                     .kube = scene->kube,
                                                                     .settings = &scene->settings,
                                                                     .api_ca = ca},
                                 &error);
    if (scene->discovery == NULL)
        fail_msg("%s", error.message);
    cluster_discovery_begin(scene->discovery, on_begun, scene);
    loop_run_for(scene->loop, MINUTE);
    return cluster_discovery_facts(scene->discovery);
}

static void add_dns(struct scene *scene, const char *address)
{
    struct error error = {0};
    json_t *service = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s}}", "apiVersion", "v1", "kind",
                                "Service", "metadata", "name", "kube-dns", "namespace",
                                "kube-system", "spec", "clusterIP", address);
    const struct store_resource *resource = store_resource_find(scene->store, "", "v1", "services");
    assert_non_null(resource);
    if (store_add(scene->store, resource, "kube-system", service, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(service);
}

static const char *action_at(const struct scene *scene, size_t index)
{
    return text_or_empty(json_string_value(json_array_get(scene->actions, index)));
}

static void all_is_learned_in_order_AWN_500_502_505_506(void **state)
{
    struct scene *scene = *state;
    add_dns(scene, "10.96.0.10");
    const struct cluster_facts *facts = discover(scene, "PEM");
    assert_int_equal(scene->begun, 1);
    assert_string_equal(action_at(scene, 0), "DescribeInstanceTypes");
    assert_string_equal(action_at(scene, 1), "DescribeCluster");
    assert_int_equal(json_array_size(scene->actions), 2);
    assert_string_equal(facts->endpoint, "https://test-cluster.example");
    assert_string_equal(facts->kube_dns, "10.96.0.10");
    assert_string_equal(facts->ca_bundle, "UEVN");
    assert_string_equal(facts->region, "us-west-2");
}

static void settings_come_first_AWN_502_506(void **state)
{
    struct scene *scene = *state;
    scene->settings.cluster_endpoint = "https://own.example:6443";
    scene->settings.cluster_ca_bundle = "b3du";
    const struct cluster_facts *facts = discover(scene, "PEM");
    assert_int_equal(scene->begun, 1);
    assert_int_equal(json_array_size(scene->actions), 1); // EKS is not asked
    assert_string_equal(facts->endpoint, "https://own.example:6443");
    assert_string_equal(facts->ca_bundle, "b3du");
    assert_null(facts->kube_dns); // no Service: tolerated
}

static void endpoints_are_absolute_AWN_502(void **state)
{
    struct scene *scene = *state;
    static const char *const bad[] = {"own.example", "https://", "://x", "https:///path",
                                      "https://a b"};
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct error error = {0};
        scene->settings.cluster_endpoint = (char *)bad[i];
        assert_null(cluster_discovery_create(
            &(struct cluster_discovery_options){.loop = scene->loop,
                                                .client = scene->client,
                                                .kube = scene->kube,
                                                .settings = &scene->settings},
            &error));
        assert_non_null(strstr(error.message, "CLUSTER_ENDPOINT"));
    }
    struct error error = {0};
    scene->settings.cluster_name = "";
    assert_null(
        cluster_discovery_create(&(struct cluster_discovery_options){.loop = scene->loop,
                                                                     .client = scene->client,
                                                                     .kube = scene->kube,
                                                                     .settings = &scene->settings},
                                 &error));
    assert_non_null(strstr(error.message, "CLUSTER_NAME"));
}

// A refused start is told and tried again; nothing begins meanwhile.
static void a_step_that_fails_is_repeated_AWN_500(void **state)
{
    struct scene *scene = *state;
    aws_account_add_fault(scene->account,
                          &(struct aws_account_fault){.action = (char *)"DescribeInstanceTypes",
                                                      .code = (char *)"UnauthorizedOperation",
                                                      .message = (char *)"no",
                                                      .status = 403,
                                                      .times = -1,
                                                      .dry_run = -1});
    (void)discover(scene, NULL);
    assert_int_equal(scene->begun, 0);
    assert_true(json_array_size(scene->actions) >= 4);
    aws_account_clear_faults(scene->account);
    loop_run_for(scene->loop, MINUTE);
    assert_int_equal(scene->begun, 1);
}

static void on_refreshed(void *context, const struct error *error)
{
    struct scene *scene = context;
    scene->refreshed++;
    scene->error = error != NULL ? *error : (struct error){0};
}

static void refresh(struct scene *scene)
{
    cluster_discovery_refresh_version(scene->discovery, on_refreshed, scene);
    loop_run_for(scene->loop, MINUTE);
}

static void set_version(struct scene *scene, const char *version)
{
    json_t *cluster = json_object_get(aws_account_environment(scene->account), "cluster");
    json_object_set_new(cluster, "version", json_string(version));
}

static void version_of_the_control_plane_AWN_503_504_722(void **state)
{
    struct scene *scene = *state;
    scene->settings.eks_control_plane = true;
    const struct cluster_facts *facts = discover(scene, NULL);
    assert_string_equal(facts->version, "1.35");
    set_version(scene, "1.36");
    refresh(scene);
    assert_string_equal(facts->version, "1.36");
    assert_int_equal(scene->error.kind, ERROR_NONE);
    aws_account_add_fault(scene->account,
                          &(struct aws_account_fault){.action = (char *)"DescribeCluster",
                                                      .code = (char *)"AccessDeniedException",
                                                      .message = (char *)"no",
                                                      .status = 403,
                                                      .times = 1,
                                                      .dry_run = -1});
    refresh(scene);
    assert_true(scene->error.kind != ERROR_NONE);
    assert_string_equal(facts->version, "1.36"); // a failure keeps the old one
    static const char *const unsupported[] = {"1.37", "1.25"};
    for (size_t i = 0; i < ARRAY_LENGTH(unsupported); i++) {
        set_version(scene, unsupported[i]);
        refresh(scene);
        assert_non_null(strstr(scene->error.message, unsupported[i]));
        refresh(scene); // once for each version; operation goes on
        assert_int_equal(scene->error.kind, ERROR_NONE);
        assert_string_equal(facts->version, unsupported[i]);
        loop_run_for(scene->loop, 24 * HOUR); // AWN-722: again, as it lasts
        scene->settings.compatibility_upstream = i == 1;
        refresh(scene);
        assert_int_equal(scene->error.kind, i == 1 ? ERROR_NONE : ERROR_INVALID);
    }
    set_version(scene, "1.26");
    refresh(scene);
    assert_int_equal(scene->error.kind, ERROR_NONE);
}

static void version_of_the_api_server_AWN_503(void **state)
{
    struct scene *scene = *state;
    const struct cluster_facts *facts = discover(scene, NULL);
    assert_non_null(facts->version);
    assert_true(text_starts_with(facts->version, "1."));
    assert_null(strchr(facts->version, '+'));
    scene->refreshed = 0;
    refresh(scene);
    assert_int_equal(scene->refreshed, 1);
    assert_int_equal(scene->error.kind, ERROR_NONE);
}

static void on_cidr(void *context, const struct aws_result *result)
{
    struct scene *scene = context;
    scene->refreshed++;
    scene->error = result->error;
}

static void services_have_a_range_AWN_501(void **state)
{
    struct scene *scene = *state;
    scene->settings.cluster_endpoint = "https://own.example";
    const struct cluster_facts *facts = discover(scene, NULL);
    assert_null(facts->cidr);
    cluster_discovery_need_cidr(scene->discovery, on_cidr, scene);
    loop_run_for(scene->loop, MINUTE);
    assert_int_equal(scene->refreshed, 1);
    assert_string_equal(facts->cidr, "10.96.0.0/16");
    json_t *cluster = json_object_get(aws_account_environment(scene->account), "cluster");
    json_object_del(cluster, "serviceIpv4Cidr");
    json_object_set_new(cluster, "serviceIpv6Cidr", json_string("fd00::/108"));
    cluster_discovery_need_cidr(scene->discovery, on_cidr, scene);
    loop_run_for(scene->loop, MINUTE);
    assert_string_equal(facts->cidr, "fd00::/108");
}

// They go into user data of nodes.
static void forms_of_facts_are_checked_AWN_501_502_505(void **state)
{
    static const char *const urls[] = {"https://ABC.gr7.us-west-2.eks.amazonaws.com",
                                       "https://[fd00::1]:6443/path", "http://10.0.0.1"};
    static const char *const others[] = {"",
                                         "host",
                                         "https://",
                                         "https:///x",
                                         "https://a b",
                                         "https://a\nb",
                                         "https://a'b",
                                         "https://a\"b",
                                         "https://$(reboot)",
                                         "https://`x`",
                                         "https://a;b",
                                         "https://a|b",
                                         "https://{x}",
                                         "https://a\\b"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(urls); i++)
        assert_true(fact_is_plain_url(urls[i]));
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        assert_false(fact_is_plain_url(others[i]));
    assert_false(fact_is_plain_url(NULL));
    assert_true(fact_is_cidr("10.100.0.0/16") && fact_is_cidr("fd30::/108"));
    assert_false(fact_is_cidr("10.100.0.0/33") || fact_is_cidr("10.100.0.0") ||
                 fact_is_cidr("10.100.0.0/16;x") || fact_is_cidr("/16"));
    assert_true(fact_is_address("10.100.0.10") && fact_is_address("fd30::a"));
    assert_false(fact_is_address(NULL) || fact_is_address("None") || fact_is_address("") ||
                 fact_is_address("10.100.0.10\nx"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_facts_are_checked_AWN_501_502_505),
        TEST(all_is_learned_in_order_AWN_500_502_505_506),
        TEST(settings_come_first_AWN_502_506),
        TEST(endpoints_are_absolute_AWN_502),
        TEST(a_step_that_fails_is_repeated_AWN_500),
        TEST(version_of_the_control_plane_AWN_503_504_722),
        TEST(version_of_the_api_server_AWN_503),
        TEST(services_have_a_range_AWN_501),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
