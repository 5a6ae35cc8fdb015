// Launch templates beyond the recorded ones: what the name depends on, fallbacks, refusals.
#include <string.h>

#include "base/loop_virtual.h"
#include "base/text.h"
#include "cloud/aws/fake_aws.h"
#include "cloud/aws/nodeclass/launch_template_content.h"
#include "cloud/aws/nodeclass/launch_templates.h"
#include "model/reading/settings_read.h"
#include "node_class_fixture.h"

#define STATUS                                                                           \
    "{'amis': [{'id': 'ami-1', 'name': 'one', 'requirements': []}], 'instanceProfile': " \
    "'profile', 'securityGroups': [{'id': 'sg-1', 'name': 'a'}, {'id': 'sg-2', 'name': 'b'}]}"
#define CLASS(more) "{'amiSelectorTerms': [{'alias': 'al2023@latest'}]" more "}"
#define TAINTED(a, b)                                                                 \
    "{'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n'}, 'requirements': [], " \
    "'taints': [" a ", " b "]}"
#define RED  "{'key': 'red', 'effect': 'NoSchedule'}"
#define BLUE "{'key': 'blue', 'value': 'x', 'effect': 'NoExecute'}"

struct input { // of a template; NULL: the usual
    const char *spec, *status, *claim;
    const struct cluster_facts *cluster;
    bool upstream, no_metadata_options;
    const char *image, *capacity_type, *reservation;
};
struct made {
    char name[100];
    json_t *parameters;
};

static struct made make(const struct input *input)
{
    struct made made = {0};
    struct arena *arena = arena_create(4096);
    struct error error = {0};
    struct settings settings;
    settings_defaults(&settings);
    settings.compatibility_upstream = input->upstream;
    settings.gate_reserved_capacity = true;
    struct ec2_node_class *node_class =
        node_class_of(input->spec != NULL ? input->spec : CLASS(""),
                      input->status != NULL ? input->status : STATUS);
    struct node_claim *claim =
        node_claim_of(input->claim != NULL ? input->claim : TAINTED(RED, BLUE));
    if (input->no_metadata_options)
        node_class->spec.metadata_options = NULL;
    struct kubelet_config kubelet;
    assert_true(kubelet_config_read(&kubelet, arena, node_class->spec.kubelet, &error));
    struct ec2_ami ami = {.id = input->image != NULL ? input->image : "ami-1", .name = "one"};
    struct launch_template_group group = {
        .ami = &ami, .max_pods = 29, .reservation_id = input->reservation};
    json_t *tags = json_pack("{s:s}", "karpenter.sh/nodepool", "default");
    struct launch_template_request request = {
        .node_class = node_class,
        .claim = claim,
        .capacity_type = input->capacity_type != NULL ? input->capacity_type : "on-demand",
        .tenancy = "default",
        .tags = tags};
    struct launch_template_content content;
    bool good = launch_template_content_make(
        &content, arena,
        &(struct launch_template_input){.request = &request,
                                        .group = &group,
                                        .kubelet = &kubelet,
                                        .cluster =
                                            input->cluster != NULL ? input->cluster : &test_cluster,
                                        .settings = &settings},
        &error);
    if (!good)
        fail_msg("%s", error.message);
    snprintf(made.name, sizeof made.name, "%s", content.name);
    made.parameters = content.parameters;
    json_decref(tags);
    kubelet_config_free(&kubelet);
    object_release((struct object *)claim);
    object_release((struct object *)node_class);
    settings_free(&settings);
    arena_destroy(arena);
    return made;
}

static bool is_same_name(const struct input *a, const struct input *b)
{
    struct made left = make(a), right = make(b);
    json_decref(left.parameters);
    json_decref(right.parameters);
    return strcmp(left.name, right.name) == 0;
}

#define SAME(...)  assert_true(is_same_name(&(struct input){0}, &(struct input){__VA_ARGS__}))
#define OTHER(...) assert_false(is_same_name(&(struct input){0}, &(struct input){__VA_ARGS__}))

static void the_name_follows_the_content_AWN_341(void **state)
{
    (void)state;
    struct cluster_facts cluster = test_cluster;
    struct made made = make(&(struct input){0});
    assert_true(text_starts_with(made.name, "karpenter.k8s.aws/"));
    assert_int_equal(strspn(made.name + strlen("karpenter.k8s.aws/"), "0123456789"),
                     strlen(made.name) - strlen("karpenter.k8s.aws/"));
    json_decref(made.parameters);
    SAME(.upstream = false);
    OTHER(.image = "ami-2");
    OTHER(.capacity_type = "spot");
    OTHER(.reservation = "cr-1");
    OTHER(.spec = CLASS(", 'userData': 'echo'"));
    OTHER(.spec = CLASS(", 'ipPrefixCount': 1"));
    OTHER(.spec = CLASS(", 'associatePublicIPAddress': false"));
    OTHER(.spec = CLASS(", 'detailedMonitoring': true"));
    OTHER(.spec = CLASS(", 'instanceStorePolicy': 'RAID0'"));
    OTHER(.spec = CLASS(", 'connectionTracking': {'udpTimeout': 30}"));
    OTHER(.spec = CLASS(", 'kubelet': {'cpuCFSQuota': false}"));
    OTHER(.spec = CLASS(", 'kubelet': {'registryPullQPS': 3}"));
    OTHER(.spec = CLASS(", 'metadataOptions': {'httpPutResponseHopLimit': 2}"));
    cluster.name = "c2";
    OTHER(.cluster = &cluster);
    cluster = test_cluster;
    cluster.ca_bundle = "T1Q=";
    OTHER(.cluster = &cluster);
    // Images that the template does not use play no part.
    SAME(.status = "{'amis': [{'id': 'ami-1', 'name': 'one', 'requirements': []}, {'id': 'ami-9', "
                   "'name': 'nine', 'requirements': []}], 'instanceProfile': 'profile', "
                   "'securityGroups': [{'id': 'sg-1', 'name': 'a'}, {'id': 'sg-2', 'name': 'b'}]}");
}

static void order_plays_no_part_AWN_316_341(void **state)
{
    (void)state;
    static const char *const families[] = {"AL2", "AL2023", "Bottlerocket", "Windows2022",
                                           "Custom"};
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++) {
        struct text spec = {0};
        text_format(&spec, "{'amiFamily': '%s', 'amiSelectorTerms': [{'id': 'ami-1'}]}",
                    families[i]);
        assert_true(is_same_name(&(struct input){.spec = spec.data, .claim = TAINTED(RED, BLUE)},
                                 &(struct input){.spec = spec.data, .claim = TAINTED(BLUE, RED)}));
        text_free(&spec);
    }
    SAME(.status = "{'amis': [{'id': 'ami-1', 'name': 'one', 'requirements': []}], "
                   "'instanceProfile': 'profile', 'securityGroups': [{'id': 'sg-2', 'name': 'b'}, "
                   "{'id': 'sg-1', 'name': 'a'}]}");
#define DEVICE(name) "{'deviceName': '" name "', 'ebs': {'volumeSize': '20Gi'}}"
    assert_true(is_same_name(&(struct input){.spec = CLASS(", 'blockDeviceMappings': [" DEVICE(
                                                 "/dev/a") ", " DEVICE("/dev/b") "]")},
                             &(struct input){.spec = CLASS(", 'blockDeviceMappings': [" DEVICE(
                                                 "/dev/b") ", " DEVICE("/dev/a") "]")}));
#define CARD(card, device) \
    "{'networkCardIndex': " card ", 'deviceIndex': " device ", 'interfaceType': 'interface'}"
    assert_true(is_same_name(&(struct input){.spec = CLASS(", 'networkInterfaces': [" CARD(
                                                 "0", "0") ", " CARD("1", "1") "]")},
                             &(struct input){.spec = CLASS(", 'networkInterfaces': [" CARD(
                                                 "1", "1") ", " CARD("0", "0") "]")}));
}

static const char *metadata_of(const struct made *made, const char *key)
{
    const json_t *options =
        json_object_get(json_object_get(made->parameters, "LaunchTemplateData"), "MetadataOptions");
    const json_t *value = json_object_get(options, key);
    static char number[30];
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        return number;
    }
    return json_string_value(value);
}

static void without_metadata_options_AWN_213_719(void **state)
{
    (void)state;
    struct made made = make(&(struct input){.upstream = true, .no_metadata_options = true});
    assert_string_equal(metadata_of(&made, "HttpEndpoint"), "disabled");
    assert_string_equal(metadata_of(&made, "HttpTokens"), "required");
    assert_string_equal(metadata_of(&made, "HttpPutResponseHopLimit"), "2");
    assert_string_equal(metadata_of(&made, "HttpProtocolIpv6"), "disabled");
    json_decref(made.parameters);
    struct cluster_facts cluster = test_cluster;
    cluster.kube_dns = "fd00::a";
    made =
        make(&(struct input){.upstream = true, .no_metadata_options = true, .cluster = &cluster});
    assert_string_equal(metadata_of(&made, "HttpProtocolIpv6"), "enabled");
    json_decref(made.parameters);
    static const char *const regions[] = {"us-iso-east-1",  "us-iso-west-1",   "us-isob-east-1",
                                          "us-isob-west-1", "us-isof-south-1", "us-isof-east-1"};
    for (size_t i = 0; i < ARRAY_LENGTH(regions); i++) {
        cluster.region = regions[i];
        made = make(&(struct input){.cluster = &cluster});
        assert_null(metadata_of(&made, "HttpProtocolIpv6"));
        json_decref(made.parameters);
    }
    // adze: as the API's own defaults.
    made = make(&(struct input){.no_metadata_options = true});
    assert_string_equal(metadata_of(&made, "HttpEndpoint"), "enabled");
    assert_string_equal(metadata_of(&made, "HttpPutResponseHopLimit"), "1");
    assert_string_equal(metadata_of(&made, "HttpTokens"), "required");
    json_decref(made.parameters);
}

static void on_templates(void *context, const struct launch_templates_result *result)
{
    *(struct error *)context = result->error;
}

static void nothing_is_made_of_an_incomplete_status_AWN_364(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *status, *message;
    } cases[] = {
        {CLASS(""), "{'amis': [{'id': 'ami-1', 'name': 'one', 'requirements': []}]}",
         "no security groups in the status"},
        {CLASS(""), "{'securityGroups': [{'id': 'sg-1', 'name': 'a'}]}", "no AMIs in the status"},
        {CLASS(", 'kubelet': {'maxPods': []}"), STATUS, "spec.kubelet"},
    };
    struct loop *loop = loop_create_virtual(0);
    struct fake_aws *aws = fake_aws_create(loop);
    struct settings settings;
    settings_defaults(&settings);
    struct launch_templates *templates =
        launch_templates_create(&(struct launch_templates_options){.loop = loop,
                                                                   .client = fake_aws_client(aws),
                                                                   .settings = &settings,
                                                                   .cluster = &test_cluster});
    struct node_claim *claim = node_claim_of(TAINTED(RED, BLUE));
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct error error = {0};
        struct ec2_node_class *node_class = node_class_of(cases[i].spec, cases[i].status);
        launch_templates_ensure(templates,
                                &(struct launch_template_request){.node_class = node_class,
                                                                  .claim = claim,
                                                                  .capacity_type = "on-demand"},
                                on_templates, &error);
        loop_run_for(loop, SECOND);
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s", error.message);
        object_release((struct object *)node_class);
    }
    assert_int_equal(fake_aws_calls(aws, EC2_CREATE_LAUNCH_TEMPLATE), 0);
    object_release((struct object *)claim);
    launch_templates_destroy(templates);
    settings_free(&settings);
    fake_aws_destroy(aws);
    loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_follows_the_content_AWN_341),
        cmocka_unit_test(order_plays_no_part_AWN_316_341),
        cmocka_unit_test(without_metadata_options_AWN_213_719),
        cmocka_unit_test(nothing_is_made_of_an_incomplete_status_AWN_364),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
