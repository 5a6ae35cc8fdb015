// Types of planned claims within the limits of their pools, and the resulting NodeClaim.
#include "model/reading/settings_read.h"
#include "support/cmocka_all.h"

#include "base/duration.h"
#include "base/log.h"
#include "base/loop_virtual.h"
#include "control/provisioning/claim_limits.h"
#include "control/state/cluster.h"
#include "control/state/node_claim_template.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "reconcile/operations.h"

static struct resource_quantity two_cpu[] = {{"cpu", 2000}}, four_cpu[] = {{"cpu", 4000}},
                                eight_cpu[] = {{"cpu", 8000}};
static struct instance_type small = {.name = "small", .capacity = {two_cpu, 1}},
                            medium = {.name = "medium", .capacity = {four_cpu, 1}},
                            large = {.name = "large", .capacity = {eight_cpu, 1}};
static struct plan_type types[] = {{&small, 1}, {&medium, 2}, {&large, 4}};

static const struct instance_type_catalog *no_types(struct cloud *cloud,
                                                    const struct node_pool *pool,
                                                    struct error *error)
{
    (void)cloud;
    (void)pool;
    error_set(error, ERROR_NOT_FOUND, "no types");
    return NULL;
}

// A mirror without a server: an empty cluster.
struct silent {
    struct kube_transport transport;
};
static struct kube_call *silent_start(struct kube_transport *transport,
                                      const struct kube_request *request,
                                      const struct kube_handlers *handlers)
{
    (void)request;
    (void)handlers;
    return (struct kube_call *)transport;
}
static void silent_cancel(struct kube_transport *transport, struct kube_call *call)
{
    (void)transport;
    (void)call;
}
static void silent_destroy(struct kube_transport *transport)
{
    free(transport);
}
static const struct kube_transport_operations silent_operations = {silent_start, silent_cancel,
                                                                   silent_destroy};

static const struct cloud_operations cloud_operations = {.instance_types = no_types};
static const enum kind_id node_classes[] = {KIND_KWOK_NODE_CLASS, KIND_COUNT};
static const struct cloud_provider provider = {
    .name = "test", .node_class = KIND_KWOK_NODE_CLASS, .serves = node_classes};
static struct cloud cloud = {&cloud_operations, &provider};
static struct settings settings;
static struct control control;
static struct node_pool pool;
static struct plan plan;
static struct arena *arena;

static int64_t now_of_test(void *context)
{
    (void)context;
    return 0;
}

static int setup(void **state)
{
    (void)state;
    struct silent *silent = memory_allocate(sizeof *silent);
    silent->transport.operations = &silent_operations;
    memset(&control, 0, sizeof control);
    memset(&pool, 0, sizeof pool);
    memset(&plan, 0, sizeof plan);
    settings_defaults(&settings);
    control.manager.loop = loop_create_virtual(0);
    control.manager.client = kube_client_create(control.manager.loop, &silent->transport,
                                                &(struct kube_client_options){0});
    control.manager.mirror = mirror_create(control.manager.loop, control.manager.client);
    mirror_watch(control.manager.mirror, KIND_NODE_CLAIM, NULL, NULL, false);
    control.cloud = &cloud;
    control.manager.settings = &settings;
    control.strategy = control_strategy_of(&settings);
    control.manager.registry = metrics_create(now_of_test, NULL);
    control_metrics_register(&control.metrics, control.manager.registry);
    control.cluster = cluster_create(&control);
    snprintf(control.node_class_label, sizeof control.node_class_label, "g/kind");
    pool.kind = kind_get(KIND_NODE_POOL);
    pool.meta.name = "p";
    pool.meta.uid = "u";
    arena = arena_create(1024);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_destroy(arena);
    cluster_destroy(control.cluster);
    mirror_destroy(control.manager.mirror);
    kube_client_destroy(control.manager.client);
    metrics_destroy(control.manager.registry);
    loop_destroy(control.manager.loop);
    settings_free(&settings);
    return 0;
}

static struct plan_claim claims[3];
static void plan_claims(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        claims[i] = (struct plan_claim){.node_pool = &pool, .types = {types, 3}};
    plan.claims.items = claims;
    plan.claims.count = count;
}

static void observe_claim(const char *name, const char *provider_id, const char *version)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:s, s:{s:s}}, s:{s:{s:{s:s}}, s:[], s:{s:s, s:s, s:s}},"
        " s:{s:s, s:{s:s}}}",
        "apiVersion", "karpenter.sh/v1", "kind", "NodeClaim", "metadata", "name", name, "uid", name,
        "resourceVersion", version, "labels", LABEL_NODE_POOL, "p", "spec", "resources", "requests",
        "cpu", "2", "requirements", "nodeClassRef", "group", "karpenter.kwok.sh", "kind",
        "KWOKNodeClass", "name", "c", "status", "providerID", provider_id, "capacity", "cpu", "2");
    struct error error = {0};
    struct object *claim =
        object_decode(document, kind_get(KIND_NODE_CLAIM), DECODE_LENIENT, &error);
    assert_non_null(claim);
    mirror_observe(control.manager.mirror, claim);
    object_release(claim);
    json_decref(document);
}

static void without_limits_all_types_stay_SCH_360(void **state)
{
    (void)state;
    plan_claims(1);
    struct claim_types *out = claims_within_limits(&control, arena, &plan);
    assert_int_equal(out[0].types.count, 3);
}

static void all_claims_together_stay_within_limits_SCH_519(void **state)
{
    (void)state;
    struct resource_quantity limit[] = {{"cpu", 9000}};
    pool.spec.limits = (struct resource_map){limit, 1};
    plan_claims(3);
    struct claim_types *out = claims_within_limits(&control, arena, &plan);
    // Each gets its cheapest type (3 x 2); the first then takes the rest (3) as far as a type fits.
    assert_int_equal(out[0].types.count, 2); // small, medium
    assert_int_equal(out[1].types.count, 1);
    assert_int_equal(out[2].types.count, 1);
    assert_string_equal(out[2].types.items[0]->name, "small");
}

static void claim_beyond_the_limit_is_not_created_SCH_365(void **state)
{
    (void)state;
    struct resource_quantity limit[] = {{"cpu", 5000}};
    pool.spec.limits = (struct resource_map){limit, 1};
    plan_claims(3);
    struct claim_types *out = claims_within_limits(&control, arena, &plan);
    assert_int_equal(out[0].types.count, 1);
    assert_int_equal(out[1].types.count, 1);
    assert_int_equal(out[2].types.count, 0);
}

static void every_claim_counts_as_a_node_SCH_363(void **state)
{
    (void)state;
    struct resource_quantity limit[] = {{"nodes", 2}};
    pool.spec.limits = (struct resource_map){limit, 1};
    plan_claims(3);
    struct claim_types *out = claims_within_limits(&control, arena, &plan);
    assert_int_equal(out[1].types.count, 3);
    assert_int_equal(out[2].types.count, 0);
}

static void existing_and_unlaunched_claims_count_LIF_458(void **state)
{
    (void)state;
    struct resource_quantity limit[] = {{"cpu", 6000}};
    pool.spec.limits = (struct resource_map){limit, 1};
    observe_claim("launched", "sim:///a", "1");
    observe_claim("unlaunched", "", "2");
    plan_claims(2);
    struct claim_types *out = claims_within_limits(&control, arena, &plan);
    assert_int_equal(out[0].types.count, 1); // 2 of the 6 cpu are left
    assert_int_equal(out[1].types.count, 0);
}

static void node_claim_object_SCH_376_377_378(void **state)
{
    (void)state;
    const char *zone_values[] = {"a"}, *spot[] = {"spot"}, *on_demand[] = {"on-demand"};
    struct selector_requirement offering_spot[] = {
        {.key = LABEL_CAPACITY_TYPE, .operator= "In", .values = {spot, 1}},
        {.key = LABEL_ZONE, .operator= "In", .values = {zone_values, 1}}};
    const char *other_zone[] = {"b"};
    struct selector_requirement offering_on_demand[] = {
        {.key = LABEL_CAPACITY_TYPE, .operator= "In", .values = {on_demand, 1}},
        {.key = LABEL_ZONE, .operator= "In", .values = {other_zone, 1}}};
    struct offering offerings[] = {{.requirements = {offering_spot, 2}, .available = true},
                                   {.requirements = {offering_on_demand, 2}, .available = true}};
    struct instance_type type = small;
    type.offerings.items = offerings;
    type.offerings.count = 2;
    struct selector_requirement requirements[] = {
        {.key = LABEL_HOSTNAME, .operator= "In", .values = {zone_values, 1}},
        {.key = LABEL_ZONE, .operator= "In", .values = {zone_values, 1}}};
    struct node_class_reference reference = {"karpenter.kwok.sh", "KWOKNodeClass", "default"};
    struct taint startup[] = {{.key = "s", .effect = "NoSchedule"}};
    pool.spec.template.spec.node_class_ref = &reference;
    pool.spec.template.spec.startup_taints.items = startup;
    pool.spec.template.spec.startup_taints.count = 1;
    pool.spec.template.spec.expire_after = (struct duration){"720h", 720 * HOUR};
    struct plan_claim claim = {
        .node_pool = &pool, .requirements = {requirements, 2}, .requests = {two_cpu, 1}};
    const struct instance_type *chosen[] = {&medium, &type};
    struct claim_types of = {.types = {chosen, 2}};
    json_t *body = node_claim_body(&control, &claim, &of, "p-abcde");
    char *text = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(
        text,
        "{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"annotations\":{},"
        "\"finalizers\":[\"karpenter.sh/termination\"],\"labels\":{\"g/kind\":\"default\","
        "\"karpenter.sh/"
        "nodepool\":\"p\"},\"name\":\"p-abcde\",\"ownerReferences\":[{\"apiVersion\":"
        "\"karpenter.sh/"
        "v1\",\"blockOwnerDeletion\":true,\"kind\":\"NodePool\",\"name\":\"p\",\"uid\":"
        "\"u\"}]},\"spec\":{\"expireAfter\":\"720h\",\"nodeClassRef\":{\"group\":\"karpenter.kwok."
        "sh\",\"kind\":"
        "\"KWOKNodeClass\","
        "\"name\":\"default\"},\"requirements\":[{\"key\":\"topology.kubernetes.io/"
        "zone\",\"operator\":"
        "\"In\",\"values\":[\"a\"]},{\"key\":\"node.kubernetes.io/"
        "instance-type\",\"operator\":\"In\","
        "\"values\":[\"medium\",\"small\"]},{\"key\":\"karpenter.sh/"
        "capacity-type\",\"operator\":\"In\","
        "\"values\":[\"spot\"]}],\"resources\":{\"requests\":{\"cpu\":\"2\"}},\"startupTaints\":[{"
        "\"effect\":\"NoSchedule\",\"key\":\"s\"}]}}");
    free(text);
    json_decref(body);
    struct text described = {0};
    describe_types(&of, &described);
    assert_string_equal(described.data, "medium, small");
    text_free(&described);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(without_limits_all_types_stay_SCH_360),
        TEST(all_claims_together_stay_within_limits_SCH_519),
        TEST(claim_beyond_the_limit_is_not_created_SCH_365),
        TEST(every_claim_counts_as_a_node_SCH_363),
        TEST(existing_and_unlaunched_claims_count_LIF_458),
        TEST(node_claim_object_SCH_376_377_378),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
