// Launches, reading and ending of instances against a scripted AWS, on virtual time (AWI sections
// 6 to 8).
#include "cloud/aws/instances/aws_machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/metrics.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/fake_aws.h"
#include "cloud/aws/instances/instance_drift.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/type_stores.h"
#include "kube/fake_transport.h"
#include "model/reading/catalog.h"
#include "model/reading/pool_annotations.h"
#include "model/schema/decode.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

#define CLASS_SPEC                                                                        \
    "{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"amiSelectorTerms\":[{\"id\":\"ami-1\"}]," \
    "\"subnetSelectorTerms\":[{\"id\":\"subnet-a\"}],"                                    \
    "\"securityGroupSelectorTerms\":[{\"id\":\"sg-1\"}]}"
#define CLASS_STATUS(ready)                                                                    \
    "{\"amis\":[{\"id\":\"ami-1\",\"name\":\"n\",\"requirements\":[{\"key\":"                  \
    "\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"amd64\"]}]}],"                   \
    "\"subnets\":[{\"id\":\"subnet-a\",\"zone\":\"us-west-2a\",\"zoneID\":\"usw2-az1\"},"      \
    "{\"id\":\"subnet-b\",\"zone\":\"us-west-2b\",\"zoneID\":\"usw2-az2\"}],"                  \
    "\"securityGroups\":[{\"id\":\"sg-1\",\"name\":\"g\"}],\"instanceProfile\":\"profile-1\"," \
    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"" ready                                  \
    "\",\"reason\":\"R\",\"message\":\"no subnets\",\"observedGeneration\":1,"                 \
    "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}"
#define ANSWERS_MAX 2000

struct answer {
    struct error error;
    char reason[60], provider_id[100], type[40], zone_id[20], hash_version[8];
};
struct fixture {
    struct loop *loop;
    struct fake_transport *transport;
    struct kube_client *kube;
    struct mirror *mirror;
    struct metrics *metrics;
    struct fake_aws *aws;
    struct settings settings;
    struct cluster_facts cluster;
    struct type_stores stores;
    struct subnet_addresses *addresses;
    struct launch_templates *templates;
    struct aws_machines *machines;
    struct answer answers[ANSWERS_MAX];
    uint32_t answered, listed, list_count, with_capacity, role_missing, class_failures;
    uint32_t drift_changes, few_pools;
    const char *listed_too; // id of an instance beside i-1 and i-ending; NULL: none
    bool moves_offerings;   // NodeOverlays leave offerings in a zone without subnet only
    int64_t overlaid_cpu;   // they give m5.large so many millicores; 0: they do not
    int64_t listed_cpu;     // of the first machine
    bool list_has_capacity; // of its first machine
    struct error list_error;
    // Of the NodeClass; "fall back": and its NodePool asks for that; "lost": there is none;
    // "grouped": it selects a placement group; "bare": it has no subnets.
    const char *ready;
    uint32_t instances;
    json_t *fleets;          // ClientToken -> reply: fleets are made once
    uint32_t shortage_every; // 0: never
};

// --- the API server ------------------------------------------------------------------------------

static json_t *object_json(const char *version, const char *kind, const char *name,
                           const char *spec, const char *status)
{
    json_t *object = json_pack("{s:s, s:s, s:{s:s, s:s, s:i, s:s, s:s}, s:o}", "apiVersion",
                               version, "kind", kind, "metadata", "name", name, "uid", name,
                               "generation", 1, "resourceVersion", "5", "creationTimestamp",
                               "2026-01-01T00:00:00Z", "spec", json_loads(spec, 0, NULL));
    assert_non_null(object);
    if (status != NULL)
        json_object_set_new(object, "status", json_loads(status, 0, NULL));
    return object;
}

static json_t *items_of(const struct fixture *fixture, const char *path)
{
    json_t *items = json_array();
    if (strstr(path, "ec2nodeclasses") != NULL && !text_equal(fixture->ready, "lost")) {
        json_t *object = object_json("karpenter.k8s.aws/v1", "EC2NodeClass", "default", CLASS_SPEC,
                                     text_equal(fixture->ready, "False") ? CLASS_STATUS("False")
                                                                         : CLASS_STATUS("True"));
        if (text_equal(fixture->ready, "grouped"))
            json_object_set_new(json_object_get(object, "spec"), "placementGroupSelector",
                                json_pack("{s:s}", "name", "group-1"));
        if (text_equal(fixture->ready, "bare"))
            json_object_set_new(json_object_get(object, "status"), "subnets", json_array());
        json_array_append_new(items, object);
    }
    if (strstr(path, "nodepools") != NULL) {
        json_array_append_new(
            items,
            object_json("karpenter.sh/v1", "NodePool", "pool",
                        "{\"template\":{\"spec\":{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\""
                        ",\"kind\":\"EC2NodeClass\",\"name\":\"default\"},\"requirements\":[]}}}",
                        NULL));
        if (text_equal(fixture->ready, "fall back"))
            json_object_set_new(
                json_object_get(json_array_get(items, json_array_size(items) - 1), "metadata"),
                "annotations", json_pack("{s:s}", ANNOTATION_ON_DEMAND_FALLBACK, "true"));
    }
    return items;
}

static void serve(void *context, struct kube_call *call)
{
    struct fixture *fixture = context;
    if (call->verb == KUBE_LIST)
        fake_answer(call, 200, fake_list("10", "", items_of(fixture, call->path)));
}

// --- AWS -----------------------------------------------------------------------------------------

static const char *text_at(const json_t *object, const char *key)
{
    return text_or_empty(json_string_value(json_object_get(object, key)));
}

static json_t *first_override(const json_t *parameters)
{
    const json_t *configs = json_object_get(parameters, "LaunchTemplateConfigs");
    return json_array_get(json_object_get(json_array_get(configs, 0), "Overrides"), 0);
}

static json_t *make_fleet(struct fixture *fixture, const json_t *parameters)
{
    json_int_t wanted = json_integer_value(json_object_get(
        json_object_get(parameters, "TargetCapacitySpecification"), "TotalTargetCapacity"));
    json_t *ids = json_array(), *errors = json_array();
    json_t *override = json_pack("{s:{s:O}}", "LaunchTemplateAndOverrides", "Overrides",
                                 first_override(parameters));
    json_t *specific =
        json_object_get(json_object_get(override, "LaunchTemplateAndOverrides"), "Overrides");
    for (json_int_t i = 0; i < wanted; i++) {
        char id[40];
        snprintf(id, sizeof id, "i-%u", ++fixture->instances);
        if (fixture->shortage_every == 0 || i % fixture->shortage_every != 0)
            json_array_append_new(ids, json_string(id));
    }
    if (json_array_size(ids) < (size_t)wanted)
        json_array_append_new(errors,
                              json_pack("{s:s, s:s, s:{s:O}}", "ErrorCode",
                                        "InsufficientInstanceCapacity", "ErrorMessage", "none left",
                                        "LaunchTemplateAndOverrides", "Overrides", specific));
    json_t *instances = json_array();
    if (json_array_size(ids) > 0)
        json_array_append_new(instances,
                              json_pack("{s:O, s:s, s:{s:O}}", "InstanceIds", ids, "InstanceType",
                                        text_at(specific, "InstanceType"),
                                        "LaunchTemplateAndOverrides", "Overrides", specific));
    json_decref(ids);
    json_decref(override);
    return json_pack("{s:s, s:o, s:o}", "FleetId", "fleet-1", "Instances", instances, "Errors",
                     errors);
}

static json_t *create_fleet(void *context, enum aws_action action, const json_t *parameters)
{
    struct fixture *fixture = context;
    (void)action;
    const char *token = text_at(parameters, "ClientToken");
    assert_string_not_equal(token, "");
    json_t *reply = json_object_get(fixture->fleets, token);
    if (reply == NULL) {
        reply = make_fleet(fixture, parameters);
        json_object_set_new(fixture->fleets, token, reply);
    }
    return json_incref(reply);
}

static json_t *create_template(void *context, enum aws_action action, const json_t *parameters)
{
    (void)context;
    (void)action;
    return json_pack("{s:{s:s, s:s}}", "LaunchTemplate", "LaunchTemplateId", "lt-1",
                     "LaunchTemplateName", text_at(parameters, "LaunchTemplateName"));
}

// Instances with "gone" in their id are unknown; those with "odd" are of an unknown type, those
// with "stray" of an unknown NodePool.
static json_t *describe(void *context, enum aws_action action, const json_t *parameters)
{
    const struct fixture *fixture = context;
    (void)action;
    json_t *instances = json_array();
    const json_t *id;
    json_t *ids = json_incref(json_object_get(parameters, "InstanceIds"));
    size_t i;
    if (ids == NULL)
        ids = json_pack("[s,s,s*]", "i-1", "i-ending", fixture->listed_too);
    json_array_foreach (ids, i, id) {
        const char *text = json_string_value(id);
        if (strstr(text, "gone") != NULL)
            continue;
        json_array_append_new(
            instances,
            json_pack("{s:s, s:{s:s}, s:s, s:s, s:{s:s, s:s}, s:s, s:[{s:s}], s:[{s:s, s:s}], "
                      "s:s}",
                      "InstanceId", text, "State", "Name",
                      strstr(text, "ending") != NULL ? "shutting-down" : "running", "ImageId",
                      "ami-1", "InstanceType",
                      strstr(text, "odd") != NULL ? "zz9.huge" : "m5.large", "Placement",
                      "AvailabilityZone", "us-west-2a", "AvailabilityZoneId",
                      strstr(text, "shifted") != NULL ? "shifted" : "usw2-az1", "SubnetId",
                      strstr(text, "moved") != NULL ? "subnet-x" : "subnet-a", "SecurityGroups",
                      "GroupId", "sg-1", "Tags", "Key", "karpenter.sh/nodepool", "Value",
                      strstr(text, "stray") != NULL ? "nobody" : "pool", "LaunchTime",
                      "2026-01-01T00:00:00Z"));
    }
    json_decref(ids);
    return json_pack("{s:[{s:o}]}", "Reservations", "Instances", instances);
}

static json_t *terminate(void *context, enum aws_action action, const json_t *parameters)
{
    (void)context;
    (void)action;
    json_t *changes = json_array();
    const json_t *id;
    size_t i;
    json_array_foreach (json_object_get(parameters, "InstanceIds"), i, id)
        json_array_append_new(
            changes,
            json_pack("{s:O, s:{s:s}}", "InstanceId", id, "CurrentState", "Name",
                      strstr(json_string_value(id), "slow") != NULL ? "running" : "shutting-down"));
    return json_pack("{s:o}", "TerminatingInstances", changes);
}

// --- the fixture ---------------------------------------------------------------------------------

static void spot_role_missing(void *context, const struct node_claim *claim)
{
    (void)claim;
    ((struct fixture *)context)->role_missing++;
}

static void failed_node_class(void *context, const struct object *about)
{
    (void)about;
    ((struct fixture *)context)->class_failures++;
}

static void drift_changed(void *context, const char *node_claim)
{
    assert_non_null(node_claim);
    ((struct fixture *)context)->drift_changes++;
}

static void few_spot_pools(void *context, const struct node_claim *claim, uint32_t pools);

static bool zone_is_shifted(void *context, const char *zone_id)
{
    (void)context;
    return text_equal(zone_id, "shifted");
}

// A copy of the catalogue with all offerings in another zone.
static const struct instance_type_catalog *overlaid(void *context, const struct node_pool *pool,
                                                    const struct instance_type_catalog *catalog)
{
    static const char *elsewhere[] = {"us-west-2z"};
    struct fixture *fixture = context;
    (void)pool;
    if (!fixture->moves_offerings && fixture->overlaid_cpu == 0)
        return NULL;
    struct instance_type_catalog *copy =
        (struct instance_type_catalog *)object_copy((const struct object *)catalog);
    list_for_each (type, &copy->spec.instance_types) {
        list_for_each (amount, &type->capacity)
            if (fixture->overlaid_cpu != 0 && text_equal(amount->name, "cpu"))
                ((struct resource_quantity *)amount)->value = fixture->overlaid_cpu;
        list_for_each (offering, &type->offerings)
            list_for_each (requirement, &offering->requirements)
                if (fixture->moves_offerings && text_equal(requirement->key, LABEL_ZONE))
                    ((struct selector_requirement *)requirement)->values =
                        (struct string_list){elsewhere, 1};
    }
    return copy;
}

static int64_t now_of(void *context)
{
    return loop_monotonic_ns(context);
}

static void open_stores(struct fixture *fixture)
{
    struct loop *loop = fixture->loop;
    struct error error = {0};
    static const char *const zones[] = {"us-west-2a", "us-west-2b", NULL};
    type_stores_open(&fixture->stores, loop, &fixture->settings, false,
                     &(struct ec2_types_options){0});
    struct instance_infos *infos = instance_infos_built_in(&error);
    assert_non_null(infos);
    ec2_types_use(fixture->stores.types, infos, zones);
    fixture->addresses = subnet_addresses_create(loop, MINUTE);
    subnet_addresses_fetched(fixture->addresses, "subnet-a", 5000);
    subnet_addresses_fetched(fixture->addresses, "subnet-b", 5000);
}

static void open_machines(struct fixture *fixture)
{
    fixture->templates = launch_templates_create(
        &(struct launch_templates_options){.loop = fixture->loop,
                                           .client = fake_aws_client(fixture->aws),
                                           .settings = &fixture->settings,
                                           .cluster = &fixture->cluster});
    fixture->machines = aws_machines_create(
        &(struct aws_machines_environment){.loop = fixture->loop,
                                           .client = fake_aws_client(fixture->aws),
                                           .mirror = fixture->mirror,
                                           .settings = &fixture->settings,
                                           .cluster = &fixture->cluster,
                                           .types = fixture->stores.types,
                                           .unavailable = fixture->stores.unavailable,
                                           .reservations = fixture->stores.reservations,
                                           .groups = fixture->stores.groups,
                                           .addresses = fixture->addresses,
                                           .templates = fixture->templates,
                                           .zone_is_shifted = zone_is_shifted,
                                           .spot_role_missing = spot_role_missing,
                                           .failed_node_class = failed_node_class,
                                           .drift_changed = drift_changed,
                                           .overlaid = overlaid,
                                           .few_spot_pools = few_spot_pools,
                                           .context = fixture,
                                           .metrics = fixture->metrics});
}

static void script_aws(struct fixture *fixture)
{
    struct fake_aws *aws = fixture->aws;
    fixture->fleets = json_object();
    fake_aws_error(aws, EC2_DESCRIBE_LAUNCH_TEMPLATES, 400,
                   "InvalidLaunchTemplateName.NotFoundException", "no such template");
    fake_aws_handle(aws, EC2_CREATE_LAUNCH_TEMPLATE, create_template, fixture);
    fake_aws_handle(aws, EC2_CREATE_FLEET, create_fleet, fixture);
    fake_aws_handle(aws, EC2_DESCRIBE_INSTANCES, describe, fixture);
    fake_aws_handle(aws, EC2_TERMINATE_INSTANCES, terminate, fixture);
    fake_aws_reply(aws, EC2_DELETE_LAUNCH_TEMPLATE, json_object());
    fake_aws_reply(aws, EC2_CREATE_TAGS, json_object());
}

static struct fixture *open_fixture(const char *ready)
{
    struct fixture *fixture = memory_allocate(sizeof *fixture);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    fixture->ready = ready;
    fixture->loop = loop_create_virtual(INT64_C(1700000000) * SECOND);
    fixture->settings.vm_memory_overhead_percent = 0.075;
    fixture->cluster = (struct cluster_facts){.name = "c1",
                                              .region = "us-west-2",
                                              .partition = "aws",
                                              .account = "111122223333",
                                              .endpoint = "https://c1.example",
                                              .ca_bundle = "Q0E=",
                                              .cidr = "10.100.0.0/16",
                                              .kube_dns = "10.100.0.10",
                                              .version = "1.35"};
    fixture->transport = fake_transport_create(fixture->loop, serve, fixture);
    fixture->kube = kube_client_create(fixture->loop, &fixture->transport->base,
                                       &(struct kube_client_options){.qps = 200, .burst = 300});
    fixture->mirror = mirror_create(fixture->loop, fixture->kube);
    fixture->metrics = metrics_create(now_of, fixture->loop);
    fixture->aws = fake_aws_create(fixture->loop);
    script_aws(fixture);
    open_stores(fixture);
    open_machines(fixture);
    mirror_watch(fixture->mirror, KIND_EC2_NODE_CLASS, NULL, NULL, false);
    mirror_watch(fixture->mirror, KIND_NODE_POOL, NULL, NULL, false);
    mirror_watch(fixture->mirror, KIND_NODE_CLAIM, NULL, NULL, false);
    loop_run_for(fixture->loop, 100 * MILLISECOND);
    assert_true(mirror_synced(fixture->mirror));
    return fixture;
}

static int setup(void **state)
{
    *state = open_fixture("True");
    return 0;
}

static int setup_fall_back(void **state)
{
    *state = open_fixture("fall back");
    return 0;
}

static int setup_lost(void **state)
{
    *state = open_fixture("lost");
    return 0;
}

static int setup_grouped(void **state)
{
    *state = open_fixture("grouped");
    return 0;
}

static int setup_bare(void **state)
{
    *state = open_fixture("bare");
    return 0;
}

static int setup_not_ready(void **state)
{
    *state = open_fixture("False");
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_destroy(fixture->machines);
    launch_templates_destroy(fixture->templates);
    subnet_addresses_destroy(fixture->addresses);
    type_stores_close(&fixture->stores);
    fake_aws_destroy(fixture->aws);
    mirror_destroy(fixture->mirror);
    kube_client_destroy(fixture->kube);
    metrics_destroy(fixture->metrics);
    json_decref(fixture->fleets);
    loop_destroy(fixture->loop);
    free(fixture);
    return 0;
}

// --- asking --------------------------------------------------------------------------------------

static void answered(void *context, const struct machine_result *result)
{
    struct fixture *fixture = context;
    assert_true(fixture->answered < ANSWERS_MAX);
    struct answer *answer = &fixture->answers[fixture->answered++];
    *answer = (struct answer){.error = result->error};
    snprintf(answer->reason, sizeof answer->reason, "%s", text_or_empty(result->reason));
    if (result->machine == NULL)
        return;
    const struct machine *machine = result->machine;
    snprintf(answer->provider_id, sizeof answer->provider_id, "%s", machine->provider_id);
    snprintf(answer->type, sizeof answer->type, "%s",
             text_or_empty(string_map_get(&machine->labels, LABEL_INSTANCE_TYPE)));
    snprintf(answer->zone_id, sizeof answer->zone_id, "%s",
             text_or_empty(string_map_get(&machine->labels, "topology.k8s.aws/zone-id")));
    snprintf(answer->hash_version, sizeof answer->hash_version, "%s",
             text_or_empty(string_map_get(&machine->annotations, ANNOTATION_EC2_HASH_VERSION)));
}

static const struct object *claim_of(const char *uid, const char *capacity_type,
                                     const char *provider_id)
{
    struct error error = {0};
    char spec[600], status[200];
    snprintf(spec, sizeof spec,
             "{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\","
             "\"name\":\"default\"},\"requirements\":[{\"key\":\"karpenter.sh/capacity-type\","
             "\"operator\":\"In\",\"values\":[\"%s\"]},{\"key\":\"node.kubernetes.io/"
             "instance-type\",\"operator\":\"In\",\"values\":[\"m5.large\",\"m5.xlarge\"]}],"
             "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}",
             capacity_type);
    snprintf(status, sizeof status, "{\"providerID\":\"%s\",\"imageID\":\"ami-1\"}", provider_id);
    json_t *document = object_json("karpenter.sh/v1", "NodeClaim", uid, spec,
                                   provider_id[0] != '\0' ? status : NULL);
    json_object_set_new(json_object_get(document, "metadata"), "labels",
                        json_pack("{s:s, s:s}", "karpenter.sh/nodepool", "pool",
                                  "node.kubernetes.io/instance-type", "m5.large"));
    struct object *claim = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    if (claim == NULL)
        fail_msg("%s", error.message);
    return claim;
}

static void launch(struct fixture *fixture, const char *uid)
{
    const struct object *claim = claim_of(uid, "on-demand", "");
    aws_machines_launch(fixture->machines, (const struct node_claim *)claim, answered, fixture);
    object_release(claim);
}

static void run(struct fixture *fixture)
{
    loop_run_for(fixture->loop, 20 * SECOND);
}

static uint32_t fleets(const struct fixture *fixture)
{
    return fake_aws_calls(fixture->aws, EC2_CREATE_FLEET);
}

static struct text logged;

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_format(&logged, "%s\n", line);
}

static void listen(void)
{
    struct log_options all = {.level = LOG_DEBUG, .sink = keep_line};
    assert_true(log_configure(&all, NULL));
}

static void expect_logged(const char *const *parts, size_t count)
{
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    for (size_t i = 0; i < count; i++)
        if (strstr(text_or_empty(logged.data), parts[i]) == NULL)
            fail_msg("%s lacks %s", text_or_empty(logged.data), parts[i]);
    text_free(&logged);
}

// --- launches ------------------------------------------------------------------------------------

static void one_claim_is_launched_AWI_250_264(void **state)
{
    struct fixture *fixture = *state;
    launch(fixture, "u1");
    assert_int_equal(fixture->answered, 0); // never before the call returns
    run(fixture);
    assert_int_equal(fixture->answered, 1);
    assert_string_equal(fixture->answers[0].error.message, "");
    assert_string_equal(fixture->answers[0].provider_id, "aws:///us-west-2a/i-1");
    assert_string_equal(fixture->answers[0].type, "m5.large");
    assert_string_equal(fixture->answers[0].zone_id, "usw2-az1");
    assert_string_equal(fixture->answers[0].hash_version, "v6"); // AWN-40
    // The same claim again gives the same machine, without a call.
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fleets(fixture), 1);
    assert_string_equal(fixture->answers[1].provider_id, "aws:///us-west-2a/i-1");
}

static void a_thousand_claims_are_one_fleet_AWI_361(void **state)
{
    struct fixture *fixture = *state;
    char uid[20];
    for (int i = 0; i < 1000; i++) {
        snprintf(uid, sizeof uid, "u%d", i);
        launch(fixture, uid);
    }
    run(fixture);
    assert_int_equal(fixture->answered, 1000);
    assert_in_range(fleets(fixture), 1, 3); // the subnets may change in between (AWI-366)
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(fixture->answers[i].error.kind, ERROR_NONE);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(fixture->answers[i].provider_id,
                                    fixture->answers[k].provider_id);
    }
}

// AWI-252: the prefix of errors; AWI-365: instances in the order of requests, errors to the rest.
static void a_shortage_is_learned_once_AWI_332_341_926(void **state)
{
    struct fixture *fixture = *state;
    static const char *const parts[] = {
        "\"aws-error-code\":\"UnfulfillableCapacity\"", "\"aws-operation-name\":\"CreateFleet\"",
        "\"aws-service-name\":\"EC2\"", "\"aws-status-code\":200", "\"aws-request-id\":\""};
    listen();
    fixture->shortage_every = 2; // every second instance, beginning with the first
    launch(fixture, "u1");
    launch(fixture, "u2");
    launch(fixture, "u3");
    run(fixture);
    expect_logged(parts, ARRAY_LENGTH(parts)); // AWI-341
    assert_int_equal(fixture->answered, 3);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NONE);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(fixture->answers[i].error.kind, ERROR_INSUFFICIENT_CAPACITY);
        assert_string_equal(fixture->answers[i].error.message,
                            "creating instance, with fleet error(s), "
                            "InsufficientInstanceCapacity: none left");
    }
    struct unavailable_pool pool = {"m5.large", "us-west-2a", "on-demand", NULL, NULL};
    assert_true(unavailable_has_pool(fixture->stores.unavailable, &pool));
    struct metric *failures =
        metrics_find(fixture->metrics, "karpenter_cloudprovider_instance_launch_failures_total");
    assert_int_equal(
        (int)metric_read(failures, "us-west-2a", "usw2-az1", "on-demand", "LaunchFailed"), 1);
}

static json_t *no_spot_fleet(void *context, enum aws_action action, const json_t *parameters)
{
    struct fixture *fixture = context;
    const char *wanted = text_at(json_object_get(parameters, "TargetCapacitySpecification"),
                                 "DefaultTargetCapacityType");
    fixture->shortage_every = text_equal(wanted, "spot") ? 1 : 0;
    return create_fleet(context, action, parameters);
}

static void launch_of_both(struct fixture *fixture, const char *uid)
{
    const struct object *claim = claim_of(uid, "spot\",\"on-demand", "");
    aws_machines_launch(fixture->machines, (const struct node_claim *)claim, answered, fixture);
    object_release(claim);
}

// The NodePool asks for on-demand in the same pass.
static void on_demand_where_spot_has_no_capacity_AWI_930(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_handle(fixture->aws, EC2_CREATE_FLEET, no_spot_fleet, fixture);
    launch_of_both(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answered, 1);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NONE);
    assert_int_equal(fleets(fixture), 2);
    struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};
    assert_true(unavailable_has_pool(fixture->stores.unavailable, &pool));
}

static void few_spot_pools(void *context, const struct node_claim *claim, uint32_t pools)
{
    struct fixture *fixture = context;
    assert_non_null(claim);
    fixture->few_pools = pools;
}

static double spot_launches(const struct fixture *fixture)
{
    struct metric *metric = metrics_find(fixture->metrics, "adze_spot_launch_pools");
    assert_non_null(metric);
    return metric_read(metric, "pool");
}

// Two types with a price of spot in one zone: two pools. Each launch of spot counts, and no other.
static void flexibility_of_spot_is_told_AWI_932(void **state)
{
    struct fixture *fixture = *state;
    launch(fixture, "u1"); // on demand
    run(fixture);
    assert_int_equal(spot_launches(fixture), 0);
    launch_of_both(fixture, "u2");
    run(fixture);
    assert_int_equal(fixture->answers[1].error.kind, ERROR_NONE);
    assert_int_equal(spot_launches(fixture), 1);
    assert_int_equal(fixture->few_pools, 2);
    fixture->few_pools = 0;
    fixture->settings.compatibility_upstream = true;
    launch_of_both(fixture, "u3");
    run(fixture);
    assert_int_equal(spot_launches(fixture), 2);
    assert_int_equal(fixture->few_pools, 0);
}

static void few_types_on_demand_are_told_AWI_294(void **state)
{
    struct fixture *fixture = *state;
    static const char *const parts[] = {
        "failed while checking on-demand fallback",
        "at least 5 instance types are recommended when flexible to spot but requesting on-demand, "
        "the current provisioning request only has 2 instance type options"};
    unavailable_mark_capacity_type(fixture->stores.unavailable, "spot");
    listen();
    launch_of_both(fixture, "u1");
    run(fixture);
    expect_logged(parts, ARRAY_LENGTH(parts));
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NONE); // it goes on
    listen();
    launch(fixture, "u2"); // on demand alone: nothing to tell
    run(fixture);
    assert_null(strstr(text_or_empty(logged.data), "checking on-demand fallback"));
    expect_logged(NULL, 0);
}

static void no_group_is_known_AWI_944(void **state)
{
    struct fixture *fixture = *state;
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answered, 1);
    assert_int_not_equal(fixture->answers[0].error.kind, ERROR_NONE);
    assert_string_equal(fixture->answers[0].reason, "PlacementGroupResolutionFailed");
    assert_int_equal(fleets(fixture), 0);
}

static void no_fall_back_unasked_AWI_281_930(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_handle(fixture->aws, EC2_CREATE_FLEET, no_spot_fleet, fixture);
    launch_of_both(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_INSUFFICIENT_CAPACITY);
    assert_int_equal(fleets(fixture), 1);
}

// There are offerings by the catalogue, but no subnet for any of them (AWI-293).
static void nothing_to_ask_for_is_a_shortage_AWI_293_933(void **state)
{
    struct fixture *fixture = *state;
    fixture->moves_offerings = fixture->settings.gate_node_overlay = true;
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_INSUFFICIENT_CAPACITY);
    assert_string_equal(fixture->answers[0].error.message,
                        "creating instance, no capacity offerings are currently available given "
                        "the constraints");
    fixture->settings.compatibility_upstream = true;
    launch(fixture, "u2");
    run(fixture);
    assert_int_equal(fixture->answers[1].error.kind, ERROR_INTERNAL); // tried again
    assert_string_equal(fixture->answers[1].reason, "LaunchFailed");
    assert_string_equal(fixture->answers[1].error.message,
                        "Error getting launch template configs: no capacity offerings are "
                        "currently available given the constraints");
    assert_int_equal(fleets(fixture), 0);
}

static void a_lost_answer_is_asked_for_again_AWI_927(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_handle(fixture->aws, EC2_CREATE_FLEET, NULL, NULL);
    for (int i = 0; i < 3; i++) // the attempts of one call
        fake_aws_lose_once(fixture->aws, EC2_CREATE_FLEET);
    launch(fixture, "u1");
    launch(fixture, "u2");
    run(fixture);
    assert_int_equal(fixture->answered, 2);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_INTERNAL);
    assert_non_null(strstr(fixture->answers[0].error.message, "Error creating fleet request: "));
    uint32_t before = fleets(fixture);
    char token[60];
    snprintf(token, sizeof token, "%s",
             text_at(fake_aws_last(fixture->aws, EC2_CREATE_FLEET), "ClientToken"));
    fake_aws_handle(fixture->aws, EC2_CREATE_FLEET, create_fleet, fixture);
    launch(fixture, "u2"); // the whole fleet of the two is sent again
    loop_run_for(fixture->loop, 10 * MINUTE);
    assert_true(fleets(fixture) > before);
    assert_string_equal(text_at(fake_aws_last(fixture->aws, EC2_CREATE_FLEET), "ClientToken"),
                        token);
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answered, 4);
    assert_string_not_equal(fixture->answers[2].provider_id, fixture->answers[3].provider_id);
    assert_int_equal(fixture->instances, 2); // none is made twice
}

static void errors_of_the_call_AWI_311(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_handle(fixture->aws, EC2_CREATE_FLEET, NULL, NULL);
    fake_aws_error(fixture->aws, EC2_CREATE_FLEET, 403, "UnauthorizedOperation", "not you");
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_INTERNAL);
    assert_string_equal(fixture->answers[0].reason, "Unauthorized");
    assert_int_equal(fleets(fixture), 1);
}

static void templates_that_are_gone_are_made_again_AWN_363(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_error_once(fixture->aws, EC2_CREATE_FLEET, 400,
                        "InvalidLaunchTemplateName.NotFoundException", "gone");
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answered, 1);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NONE);
    assert_int_equal(fleets(fixture), 2);
}

static void classes_that_are_not_ready_AWN_39(void **state)
{
    struct fixture *fixture = *state;
    launch(fixture, "u1");
    run(fixture);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NODE_CLASS_NOT_READY);
    assert_string_equal(fixture->answers[0].error.message, "no subnets");
}

// --- reading and ending --------------------------------------------------------------------------

// AWI-416: from the cache, or of EC2.
static void get_describes_once_AWI_405_406(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-8", answered, fixture);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-gone", answered, fixture);
    aws_machines_get(fixture->machines, "strange", answered, fixture);
    run(fixture);
    assert_int_equal(fixture->answered, 4);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_INVALID);
    assert_string_equal(fixture->answers[1].provider_id, "aws:///us-west-2a/i-7");
    assert_string_equal(fixture->answers[1].type, "m5.large");
    assert_int_equal(fixture->answers[3].error.kind, ERROR_NOT_FOUND);
    // One for the three, one for the one that was not found (AWI-367).
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 2);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 2);
    assert_string_equal(fixture->answers[4].provider_id, "aws:///us-west-2a/i-7");
}

// AWI-421: the caller repeats it until the instance is not found.
static void delete_is_repeated_until_it_is_gone_AWI_420(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-1", answered, fixture);
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-slow", answered, fixture);
    run(fixture);
    assert_int_equal(fixture->answered, 2);
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NONE);
    // Both at once, and the one that still ran once more (AWI-368).
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_TERMINATE_INSTANCES), 2);
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-ending", answered, fixture);
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-gone", answered, fixture);
    run(fixture);
    assert_int_equal(fixture->answers[2].error.kind, ERROR_NONE);
    assert_int_equal(fixture->answers[3].error.kind, ERROR_NOT_FOUND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_TERMINATE_INSTANCES), 2);
}

static void listed(void *context, const struct machine_list_result *result)
{
    struct fixture *fixture = context;
    assert_int_equal(result->error.kind, ERROR_NONE);
    fixture->listed++;
    fixture->list_count = result->count;
    fixture->list_has_capacity = result->count > 0 && result->items[0].capacity.count > 0;
}

static void list_failed(void *context, const struct machine_list_result *result)
{
    ((struct fixture *)context)->list_error = result->error;
}

static void failed_and_empty_lists_AWI_411(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_handle(fixture->aws, EC2_DESCRIBE_INSTANCES, NULL, NULL);
    fake_aws_error_once(fixture->aws, EC2_DESCRIBE_INSTANCES, 403, "UnauthorizedOperation", "no");
    aws_machines_list(fixture->machines, list_failed, fixture);
    run(fixture);
    assert_non_null(strstr(fixture->list_error.message, "describing ec2 instances, "));
    fake_aws_reply(fixture->aws, EC2_DESCRIBE_INSTANCES, json_object());
    aws_machines_list(fixture->machines, listed, fixture);
    run(fixture);
    assert_int_equal(fixture->listed, 1);
    assert_int_equal(fixture->list_count, 0);
}

static void lists_clear_the_cache_AWI_413(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-shifted", answered, fixture);
    run(fixture);
    aws_machines_list(fixture->machines, listed, fixture); // i-1, i-ending
    run(fixture);
    uint32_t calls = fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-1", answered, fixture);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-shifted", answered, fixture);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), calls);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), calls + 1);
}

static void types_of_listed_machines_AWI_415(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_list(fixture->machines, listed, fixture);
    run(fixture);
    assert_int_equal(fixture->list_count, 1);
    assert_true(fixture->list_has_capacity);
    assert_int_equal(fixture->class_failures, 0);
}

// The NodePool's NodeClass is missing: the instance exists all the same.
static void lists_without_types_AWI_16_415(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_list(fixture->machines, listed, fixture);
    run(fixture);
    assert_int_equal(fixture->listed, 1);
    assert_int_equal(fixture->list_count, 1);
    assert_false(fixture->list_has_capacity);
    assert_true(fixture->class_failures > 0); // told of the NodePool
}

static void list_taken(void *context, const struct machine_list_result *result)
{
    struct fixture *fixture = context;
    fixture->list_error = result->error;
    fixture->list_count = result->count;
    fixture->with_capacity = 0;
    fixture->listed_cpu =
        result->count > 0 ? resource_map_get(&result->items[0].capacity, "cpu") : 0;
    for (uint32_t i = 0; i < result->count; i++)
        fixture->with_capacity += result->items[i].capacity.count > 0;
}

static int unresolved(const struct fixture *fixture, const char *reason)
{
    struct metric *metric = metrics_find(fixture->metrics, "adze_instances_without_type_total");
    assert_non_null(metric);
    return (int)metric_read(metric, "pool", reason);
}

// One instance's type is unknown: it is there all the same, and the error is counted and named.
static void an_unknown_type_hides_no_instance_AWI_900(void **state)
{
    struct fixture *fixture = *state;
    static const char *const parts[] = {
        "listing instances without their capacity", "\"instances\":1", "\"instance-id\":\"i-odd\"",
        "resolving instance type, instance type zz9.huge not found in cache"};
    fixture->listed_too = "i-odd";
    listen();
    aws_machines_list(fixture->machines, list_taken, fixture);
    run(fixture);
    expect_logged(parts, ARRAY_LENGTH(parts));
    assert_int_equal(fixture->list_error.kind, ERROR_NONE);
    assert_int_equal(fixture->list_count, 2);
    assert_int_equal(fixture->with_capacity, 1);
    assert_int_equal(unresolved(fixture, "instance_type_unknown"), 1);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-odd", answered, fixture);
    run(fixture);
    assert_string_equal(fixture->answers[0].provider_id, "aws:///us-west-2a/i-odd");
    assert_int_equal(unresolved(fixture, "instance_type_unknown"), 2);
}

static void an_unknown_type_fails_upstreams_list_AWI_415_416(void **state)
{
    struct fixture *fixture = *state;
    fixture->settings.compatibility_upstream = true;
    fixture->listed_too = "i-odd";
    aws_machines_list(fixture->machines, list_taken, fixture);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-odd", answered, fixture);
    run(fixture);
    assert_string_equal(fixture->list_error.message,
                        "resolving instance type, instance type zz9.huge not found in cache");
    assert_int_equal(fixture->list_count, 0);
    assert_string_equal(fixture->answers[0].error.message, fixture->list_error.message);
}

// The NodeClass has lost its subnets: there are no types at all.
static void lists_without_subnets_AWI_415_900(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_list(fixture->machines, list_taken, fixture);
    run(fixture);
    assert_int_equal(fixture->list_error.kind, ERROR_NONE);
    assert_int_equal(fixture->list_count, 1);
    assert_int_equal(fixture->with_capacity, 0);
    assert_int_equal(unresolved(fixture, "instance_types_missing"), 1);
    assert_int_equal(fixture->class_failures, 0);
    fixture->settings.compatibility_upstream = true;
    aws_machines_list(fixture->machines, list_taken, fixture);
    run(fixture);
    assert_string_equal(fixture->list_error.message, "resolving instance type, no subnets found");
}

// The instance's NodePool is gone: no type, and no error, by either mode.
static void instances_of_no_pool_AWI_415(void **state)
{
    struct fixture *fixture = *state;
    fixture->listed_too = "i-stray";
    for (int upstream = 0; upstream < 2; upstream++) {
        fixture->settings.compatibility_upstream = upstream != 0;
        aws_machines_list(fixture->machines, list_taken, fixture);
        run(fixture);
        assert_int_equal(fixture->list_error.kind, ERROR_NONE);
        assert_int_equal(fixture->list_count, 2);
        assert_int_equal(fixture->with_capacity, 1);
    }
    assert_int_equal(fixture->class_failures, 0);
    assert_int_equal(unresolved(fixture, "instance_type_unknown"), 0);
    assert_int_equal(unresolved(fixture, "instance_types_missing"), 0);
}

static void lists_are_overlaid_AWI_415(void **state)
{
    struct fixture *fixture = *state;
    fixture->overlaid_cpu = 7000;
    aws_machines_list(fixture->machines, list_taken, fixture); // without the gate
    run(fixture);
    int64_t plain = fixture->listed_cpu;
    assert_true(plain > 0);
    fixture->settings.gate_node_overlay = true;
    aws_machines_list(fixture->machines, list_taken, fixture);
    run(fixture);
    assert_int_not_equal(fixture->listed_cpu, plain);
    assert_int_equal(fixture->listed_cpu, 7000);
}

static const struct instance_type_catalog *types_of(struct fixture *fixture, const char *node_class,
                                                    const char *requirements, struct error *error)
{
    char spec[600];
    snprintf(spec, sizeof spec,
             "{\"template\":{\"spec\":{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\","
             "\"kind\":\"EC2NodeClass\",\"name\":\"%s\"},\"requirements\":[%s]}}}",
             node_class, requirements);
    json_t *document = object_json("karpenter.sh/v1", "NodePool", "other", spec, NULL);
    struct object *pool = document_decode(document, DECODE_LENIENT, error);
    json_decref(document);
    assert_non_null(pool);
    const struct instance_type_catalog *types =
        aws_machines_instance_types(fixture->machines, (const struct node_pool *)pool, error);
    object_release(pool);
    return types;
}

// Without NodeClass the list is empty, and the NodePool is told of; its requirements play no part.
static void types_of_pools_AWI_16(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    const struct instance_type_catalog *all = types_of(fixture, "default", "", &error);
    const struct instance_type_catalog *some =
        types_of(fixture, "default",
                 "{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"In\",\"values\":"
                 "[\"m5.large\"]}",
                 &error);
    assert_int_equal(error.kind, ERROR_NONE);
    assert_true(all->spec.instance_types.count > 500);
    assert_ptr_equal(all, some);
    assert_int_equal(fixture->class_failures, 0);
    const struct instance_type_catalog *none = types_of(fixture, "missing", "", &error);
    assert_int_equal(error.kind, ERROR_NONE);
    assert_non_null(none);
    assert_int_equal(none->spec.instance_types.count, 0);
    assert_int_equal(fixture->class_failures, 1);
    object_release((const struct object *)all);
    object_release((const struct object *)some);
    object_release((const struct object *)none);
}

static void types_of_a_class_without_subnets_AWI_16(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    assert_null(types_of(fixture, "default", "", &error));
    assert_string_equal(error.message, "no subnets found"); // AWI-10
    assert_int_equal(fixture->class_failures, 0);
}

static void failed_terminations_are_counted_AWI_706(void **state)
{
    struct fixture *fixture = *state;
    struct metric *failures = metrics_find(
        fixture->metrics, "karpenter_cloudprovider_instance_termination_failures_total");
    assert_non_null(failures);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-shifted", answered, fixture);
    run(fixture);
    fake_aws_handle(fixture->aws, EC2_TERMINATE_INSTANCES, NULL, NULL);
    fake_aws_error(fixture->aws, EC2_TERMINATE_INSTANCES, 403, "UnauthorizedOperation", "no");
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-shifted", answered, fixture);
    run(fixture);
    assert_int_equal(fixture->answered, 4);
    assert_int_not_equal(fixture->answers[2].error.kind, ERROR_NONE);
    assert_int_not_equal(fixture->answers[3].error.kind, ERROR_NONE);
    assert_int_equal((int)metric_read(failures, "us-west-2a", "usw2-az1"), 1);
    assert_int_equal((int)metric_read(failures, "us-west-2a", "shifted"), 0);
}

// A window closes with the item of the limit, and after a second of requests without a pause.
static void reads_are_cut_AWI_362_363(void **state)
{
    struct fixture *fixture = *state;
    char id[60];
    for (int i = 0; i < 500; i++) {
        snprintf(id, sizeof id, "aws:///us-west-2a/i-%d", i);
        aws_machines_get(fixture->machines, id, answered, fixture);
    }
    loop_run_for(fixture->loop, 10 * MILLISECOND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 1);
    run(fixture);
    for (int i = 0; i < 500; i++) {
        snprintf(id, sizeof id, "aws:///us-west-2a/i-%d", i);
        aws_machines_delete(fixture->machines, id, answered, fixture);
    }
    loop_run_for(fixture->loop, 10 * MILLISECOND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_TERMINATE_INSTANCES), 1);
    run(fixture);
    assert_int_equal(fixture->answered, 1000);
    uint32_t calls = fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES);
    for (int i = 0; i < 13; i++) {
        snprintf(id, sizeof id, "aws:///us-west-2a/i-9%03d", i);
        aws_machines_get(fixture->machines, id, answered, fixture);
        loop_run_for(fixture->loop, 90 * MILLISECOND);
    }
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), calls + 1);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), calls + 2);
}

static void lists_find_their_own_AWN_464(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_list(fixture->machines, listed, fixture);
    loop_run_for(fixture->loop, SECOND);
    const json_t *filters =
        json_object_get(fake_aws_last(fixture->aws, EC2_DESCRIBE_INSTANCES), "Filters");
    char *text = json_dumps(filters, JSON_COMPACT | JSON_SORT_KEYS);
    static const char *const parts[] = {"karpenter.sh/nodepool",
                                        "karpenter.k8s.aws/ec2nodeclass",
                                        "\"tag:eks:eks-cluster-name\"",
                                        "\"pending\"",
                                        "\"running\"",
                                        "\"stopping\"",
                                        "\"stopped\"",
                                        "\"shutting-down\""};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("%s lacks %s", text, parts[i]);
    assert_null(strstr(text, "terminated"));
    free(text);
}

#define STATES                                                                            \
    "{\"Name\":\"instance-state-name\",\"Values\":[\"pending\",\"running\",\"stopping\"," \
    "\"stopped\",\"shutting-down\"]}"

static void expect_filters(struct fixture *fixture, const char *wanted)
{
    const json_t *sent =
        json_object_get(fake_aws_last(fixture->aws, EC2_DESCRIBE_INSTANCES), "Filters");
    char *text = json_dumps(sent, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, wanted);
    free(text);
}

static json_t *page_of(const char *id, const char *next)
{
    return json_pack("{s:[{s:[{s:s, s:{s:s}, s:s}]}], s:s*}", "Reservations", "Instances",
                     "InstanceId", id, "State", "Name", "running", "InstanceType", "m5.large",
                     "NextToken", next);
}

// All pages of 1,000, by the tags of the cluster, with all states but terminated.
static void a_list_is_asked_for_page_by_page_AWI_410(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_handle(fixture->aws, EC2_DESCRIBE_INSTANCES, NULL, NULL);
    fake_aws_reply_once(fixture->aws, EC2_DESCRIBE_INSTANCES, page_of("i-1", "more"));
    fake_aws_reply_once(fixture->aws, EC2_DESCRIBE_INSTANCES, page_of("i-2", NULL));
    aws_machines_list(fixture->machines, list_taken, fixture);
    run(fixture);
    assert_int_equal(fixture->list_count, 2);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 2);
    const json_t *sent = fake_aws_last(fixture->aws, EC2_DESCRIBE_INSTANCES);
    assert_int_equal(json_integer_value(json_object_get(sent, "MaxResults")), 1000);
    assert_string_equal(text_at(sent, "NextToken"), "more");
    expect_filters(fixture,
                   "[{\"Name\":\"tag-key\",\"Values\":[\"karpenter.sh/nodepool\"]},"
                   "{\"Name\":\"tag-key\",\"Values\":[\"karpenter.k8s.aws/ec2nodeclass\"]},"
                   "{\"Name\":\"tag:eks:eks-cluster-name\",\"Values\":[\"c1\"]}," STATES "]");
}

static void get_of(struct fixture *fixture, const char *provider_id)
{
    aws_machines_get(fixture->machines, provider_id, answered, fixture);
    run(fixture);
}

static void one_instance_is_asked_for_AWI_406(void **state)
{
    struct fixture *fixture = *state;
    struct fake_aws *aws = fixture->aws;
    fake_aws_handle(aws, EC2_DESCRIBE_INSTANCES, NULL, NULL);
    fake_aws_reply_once(aws, EC2_DESCRIBE_INSTANCES, page_of("i-7", NULL));
    get_of(fixture, "aws:///us-west-2a/i-7");
    assert_string_equal(fixture->answers[0].provider_id, "aws:////i-7");
    expect_filters(fixture, "[" STATES "]");
    const json_t *ids = json_object_get(fake_aws_last(aws, EC2_DESCRIBE_INSTANCES), "InstanceIds");
    assert_int_equal(json_array_size(ids), 1);
    assert_string_equal(json_string_value(json_array_get(ids, 0)), "i-7");
    fake_aws_reply_once(aws, EC2_DESCRIBE_INSTANCES, page_of("i-8", NULL)); // another one
    get_of(fixture, "aws:///us-west-2a/i-9");
    assert_string_equal(fixture->answers[1].error.message, "expected a single instance");
    assert_int_equal(fixture->answers[1].error.kind, ERROR_INTERNAL);
    fake_aws_reply_once(aws, EC2_DESCRIBE_INSTANCES, json_object());
    get_of(fixture, "aws:///us-west-2a/i-9");
    assert_string_equal(fixture->answers[2].error.message, "instance not found");
    assert_int_equal(fixture->answers[2].error.kind, ERROR_NOT_FOUND);
    fake_aws_error_once(aws, EC2_DESCRIBE_INSTANCES, 400, "InvalidInstanceID.NotFound", "no");
    get_of(fixture, "aws:///us-west-2a/i-9");
    assert_int_equal(fixture->answers[3].error.kind, ERROR_NOT_FOUND);
    fake_aws_error_once(aws, EC2_DESCRIBE_INSTANCES, 403, "UnauthorizedOperation", "no");
    get_of(fixture, "aws:///us-west-2a/i-9");
    assert_int_not_equal(fixture->answers[4].error.kind, ERROR_NOT_FOUND);
    assert_true(
        text_starts_with(fixture->answers[4].error.message, "failed to describe ec2 instances, "));
    // The cached one is asked for anew to end it; not found, it is forgotten.
    uint32_t calls = fake_aws_calls(aws, EC2_DESCRIBE_INSTANCES);
    get_of(fixture, "aws:///us-west-2a/i-7");
    assert_int_equal(fake_aws_calls(aws, EC2_DESCRIBE_INSTANCES), calls);
    fake_aws_error_once(aws, EC2_DESCRIBE_INSTANCES, 400, "InvalidInstanceID.NotFound", "no");
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    run(fixture);
    assert_int_equal(fixture->answers[6].error.kind, ERROR_NOT_FOUND);
    assert_int_equal(fake_aws_calls(aws, EC2_TERMINATE_INSTANCES), 0);
    fake_aws_reply_once(aws, EC2_DESCRIBE_INSTANCES, page_of("i-7", NULL));
    get_of(fixture, "aws:///us-west-2a/i-7");
    assert_int_equal(fake_aws_calls(aws, EC2_DESCRIBE_INSTANCES), calls + 2);
}

// --- addresses -----------------------------------------------------------------------------------

static int64_t free_in(const struct fixture *fixture, const char *subnet)
{
    return subnet_addresses_free(fixture->addresses, subnet);
}

// A launch with fresh counts; returns the index of its answer.
static uint32_t launch_anew(struct fixture *fixture, const char *uid)
{
    uint32_t index = fixture->answered;
    subnet_addresses_fetched(fixture->addresses, "subnet-a", 5000);
    subnet_addresses_fetched(fixture->addresses, "subnet-b", 5000);
    launch(fixture, uid);
    run(fixture);
    assert_int_equal(fixture->answered, index + 1);
    return index;
}

static void expect_free(const struct fixture *fixture, int64_t a, int64_t b)
{
    assert_int_equal(free_in(fixture, "subnet-a"), a);
    assert_int_equal(free_in(fixture, "subnet-b"), b);
}

// After each end of a launch: given back where no instance is, taken where one is.
static void addresses_in_flight_are_corrected_AWI_310_AWN_105(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_latency(fixture->aws, SECOND);
    launch(fixture, "u1");
    loop_run_for(fixture->loop, 500 * MILLISECOND);
    int64_t least = 5000 - free_in(fixture, "subnet-a"); // the pods of an m5.large
    assert_true(least > 0);
    expect_free(fixture, 5000 - least, 5000 - least);
    run(fixture); // it is in subnet-a
    assert_int_equal(fixture->answers[0].error.kind, ERROR_NONE);
    expect_free(fixture, 5000 - least, 5000);
    fixture->shortage_every = 1; // an answer without instance
    uint32_t index = launch_anew(fixture, "u2");
    assert_int_equal(fixture->answers[index].error.kind, ERROR_INSUFFICIENT_CAPACITY);
    expect_free(fixture, 5000, 5000);
    fake_aws_handle(fixture->aws, EC2_CREATE_FLEET, NULL, NULL); // refused
    fake_aws_error_once(fixture->aws, EC2_CREATE_FLEET, 403, "UnauthorizedOperation", "not you");
    index = launch_anew(fixture, "u3");
    assert_string_equal(fixture->answers[index].reason, "Unauthorized");
    expect_free(fixture, 5000, 5000);
    for (int i = 0; i < 3; i++) // no answer at all
        fake_aws_lose_once(fixture->aws, EC2_CREATE_FLEET);
    index = launch_anew(fixture, "u4");
    assert_int_equal(fixture->answers[index].error.kind, ERROR_INTERNAL);
    expect_free(fixture, 5000, 5000);
    fixture->moves_offerings = fixture->settings.gate_node_overlay = true; // nothing to ask for
    index = launch_anew(fixture, "u5");
    assert_int_equal(fixture->answers[index].error.kind, ERROR_INSUFFICIENT_CAPACITY);
    expect_free(fixture, 5000, 5000);
}

// A window closes after 100 ms without another request.
static void reads_wait_for_company_AWI_362_363_AWN_525(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-7", answered, fixture);
    loop_run_for(fixture->loop, 90 * MILLISECOND);
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-8", answered, fixture);
    loop_run_for(fixture->loop, 90 * MILLISECOND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 0);
    loop_run_for(fixture->loop, 20 * MILLISECOND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 1);
    aws_machines_delete(fixture->machines, "aws:///us-west-2a/i-1", answered, fixture);
    loop_run_for(fixture->loop, 90 * MILLISECOND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_TERMINATE_INSTANCES), 0);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_TERMINATE_INSTANCES), 1);
}

static void lists_share_a_snapshot_AWI_410_936(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_list(fixture->machines, listed, fixture);
    aws_machines_list(fixture->machines, listed, fixture);
    loop_run_for(fixture->loop, SECOND);
    assert_int_equal(fixture->listed, 2);
    assert_int_equal(fixture->list_count, 1); // without the one that ends
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 1);
    aws_machines_list(fixture->machines, listed, fixture);
    loop_run_for(fixture->loop, SECOND);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 1);
    launch(fixture, "u1"); // the snapshot lacks it
    run(fixture);
    aws_machines_list(fixture->machines, listed, fixture);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 2);
    loop_run_for(fixture->loop, MINUTE);
    aws_machines_list(fixture->machines, listed, fixture);
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), 3);
    assert_int_equal(fixture->listed, 5);
}

static const char *drift_of(struct fixture *fixture, const char *provider_id)
{
    const struct object *claim = claim_of("c1", "on-demand", provider_id);
    const char *reason =
        aws_machines_drift_reason(fixture->machines, (const struct node_claim *)claim);
    object_release(claim);
    return reason;
}

static void drift_needs_the_instance_AWN_481(void **state)
{
    struct fixture *fixture = *state;
    assert_null(drift_of(fixture, "aws:///us-west-2a/i-moved"));
    assert_null(drift_of(fixture, "aws:///us-west-2a/i-5"));
    assert_null(drift_of(fixture, "aws:///us-west-2a/i-gone"));
    run(fixture);
    assert_int_equal(fixture->drift_changes, 2); // DIS-77: each that is known now
    assert_string_equal(drift_of(fixture, "aws:///us-west-2a/i-moved"), "SubnetDrift");
    assert_null(drift_of(fixture, "aws:///us-west-2a/i-5"));
    uint32_t calls = fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES);
    assert_null(drift_of(fixture, "aws:///us-west-2a/i-gone"));
    run(fixture);
    assert_int_equal(fake_aws_calls(fixture->aws, EC2_DESCRIBE_INSTANCES), calls); // not so soon
}

static const char *drift_by(const struct drift_inputs *common, bool upstream, bool fresh)
{
    struct drift_inputs inputs = *common;
    inputs.upstream = upstream;
    inputs.facts_are_fresh = fresh;
    return instance_drift(&inputs).reason;
}

// Upstream tells of no drift while a later look fails: here that at the reservation.
static void later_errors_hide_no_drift_AWI_455(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    const struct object *claim = claim_of("c1", "on-demand", "aws:///us-west-2a/i-1");
    const struct ec2_node_class *node_class = (const struct ec2_node_class *)mirror_get(
        fixture->mirror, KIND_EC2_NODE_CLASS, NULL, "default");
    const struct instance_type_catalog *catalog =
        ec2_types_for(fixture->stores.types, node_class, &error);
    assert_non_null(catalog);
    const struct aws_instance_facts facts = {.subnet_id = "subnet-x", .reservation_id = "cr-1"};
    const struct drift_inputs inputs = {.claim = (const struct node_claim *)claim,
                                        .node_class = node_class,
                                        .type = instance_type_catalog_find(catalog, "m5.large"),
                                        .facts = &facts,
                                        .group_state = PLACEMENT_GROUP_NONE};
    assert_string_equal(drift_by(&inputs, false, false), "SecurityGroupDrift");
    assert_null(drift_by(&inputs, true, false));
    assert_string_equal(drift_by(&inputs, true, true), "SecurityGroupDrift");
    object_release((const struct object *)catalog);
    object_release(claim);
}

static void no_group_is_known_and_none_drifts_AWI_944(void **state)
{
    struct fixture *fixture = *state;
    aws_machines_get(fixture->machines, "aws:///us-west-2a/i-5", answered, fixture);
    run(fixture);
    assert_null(drift_of(fixture, "aws:///us-west-2a/i-5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_claim_is_launched_AWI_250_264, setup, teardown),
        cmocka_unit_test_setup_teardown(a_thousand_claims_are_one_fleet_AWI_361, setup, teardown),
        cmocka_unit_test_setup_teardown(a_shortage_is_learned_once_AWI_332_341_926, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(on_demand_where_spot_has_no_capacity_AWI_930,
                                        setup_fall_back, teardown),
        cmocka_unit_test_setup_teardown(no_fall_back_unasked_AWI_281_930, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_to_ask_for_is_a_shortage_AWI_293_933, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_lost_answer_is_asked_for_again_AWI_927, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_of_the_call_AWI_311, setup, teardown),
        cmocka_unit_test_setup_teardown(templates_that_are_gone_are_made_again_AWN_363, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(classes_that_are_not_ready_AWN_39, setup_not_ready,
                                        teardown),
        cmocka_unit_test_setup_teardown(get_describes_once_AWI_405_406, setup, teardown),
        cmocka_unit_test_setup_teardown(delete_is_repeated_until_it_is_gone_AWI_420, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(lists_find_their_own_AWN_464, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_wait_for_company_AWI_362_363_AWN_525, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(lists_share_a_snapshot_AWI_410_936, setup, teardown),
        cmocka_unit_test_setup_teardown(drift_needs_the_instance_AWN_481, setup, teardown),
        cmocka_unit_test_setup_teardown(few_types_on_demand_are_told_AWI_294, setup, teardown),
        cmocka_unit_test_setup_teardown(no_group_is_known_AWI_944, setup_grouped, teardown),
        cmocka_unit_test_setup_teardown(failed_and_empty_lists_AWI_411, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_clear_the_cache_AWI_413, setup, teardown),
        cmocka_unit_test_setup_teardown(types_of_listed_machines_AWI_415, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_without_types_AWI_16_415, setup_lost, teardown),
        cmocka_unit_test_setup_teardown(an_unknown_type_hides_no_instance_AWI_900, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unknown_type_fails_upstreams_list_AWI_415_416, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(lists_without_subnets_AWI_415_900, setup_bare, teardown),
        cmocka_unit_test_setup_teardown(flexibility_of_spot_is_told_AWI_932, setup, teardown),
        cmocka_unit_test_setup_teardown(instances_of_no_pool_AWI_415, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_are_overlaid_AWI_415, setup, teardown),
        cmocka_unit_test_setup_teardown(types_of_pools_AWI_16, setup, teardown),
        cmocka_unit_test_setup_teardown(types_of_a_class_without_subnets_AWI_16, setup_bare,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_list_is_asked_for_page_by_page_AWI_410, setup, teardown),
        cmocka_unit_test_setup_teardown(one_instance_is_asked_for_AWI_406, setup, teardown),
        cmocka_unit_test_setup_teardown(addresses_in_flight_are_corrected_AWI_310_AWN_105, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(failed_terminations_are_counted_AWI_706, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_are_cut_AWI_362_363, setup, teardown),
        cmocka_unit_test_setup_teardown(later_errors_hide_no_drift_AWI_455, setup, teardown),
        cmocka_unit_test_setup_teardown(no_group_is_known_and_none_drifts_AWI_944, setup_grouped,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
