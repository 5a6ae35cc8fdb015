#include "cloud/aws/nodeclass/launch_template_content.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/families/block_devices.h"
#include "cloud/aws/families/user_data.h"
#include "cloud/aws/nodeclass/launch_template_interfaces.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "cloud/aws/nodeclass/partition_choice.h"

#define NAME_PREFIX      "karpenter.k8s.aws/"
#define RESOURCE_SANDBOX "eks.amazonaws.com/nitro-sandbox"

// AWN-213: they refuse HttpProtocolIpv6.
static const char *const regions_without_ipv6_metadata[] = {
    "us-iso-east-1",  "us-iso-west-1",   "us-isob-east-1",
    "us-isob-west-1", "us-isof-south-1", "us-isof-east-1",
};

static char *base64(struct arena *arena, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text), next = 0;
    const unsigned char *bytes = (const unsigned char *)text;
    char *out = arena_allocate(arena, (length + 2) / 3 * 4 + 1);
    for (size_t i = 0; i < length; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (i + 1 < length)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < length)
            group |= bytes[i + 2];
        out[next++] = digits[group >> 18];
        out[next++] = digits[group >> 12 & 63];
        out[next++] = i + 1 < length ? digits[group >> 6 & 63] : '=';
        out[next++] = i + 2 < length ? digits[group & 63] : '=';
    }
    return out;
}

static void set_text(json_t *object, const char *key, const char *value)
{
    if (value != NULL)
        json_object_set_new(object, key, json_string(value));
}

// AWN-213, 719: without defaults of the API the same values, except for upstream's own.
static json_t *metadata_options(const struct launch_template_input *input)
{
    static const struct ec2_metadata_options none = {0};
    const struct ec2_metadata_options *given = input->request->node_class->spec.metadata_options;
    bool fallback = given == NULL && input->settings->compatibility_upstream;
    bool ipv6 = fallback && cluster_is_ipv6(input->cluster);
    if (given == NULL)
        given = &none;
    json_t *options = json_object();
    const char *endpoint = fallback ? "disabled" : "enabled";
    set_text(options, "HttpEndpoint",
             given->http_endpoint != NULL ? given->http_endpoint : endpoint);
    bool left_out = false;
    for (size_t i = 0; i < ARRAY_LENGTH(regions_without_ipv6_metadata); i++)
        left_out = left_out || text_equal(input->cluster->region, regions_without_ipv6_metadata[i]);
    const char *protocol = ipv6 ? "enabled" : "disabled";
    if (!left_out)
        set_text(options, "HttpProtocolIpv6",
                 given->http_protocol_ipv6 != NULL ? given->http_protocol_ipv6 : protocol);
    json_object_set_new(options, "HttpPutResponseHopLimit",
                        json_integer(given->http_put_response_hop_limit.present
                                         ? given->http_put_response_hop_limit.value
                                         : (fallback ? 2 : 1)));
    set_text(options, "HttpTokens", given->http_tokens != NULL ? given->http_tokens : "required");
    set_text(options, "InstanceMetadataTags", "disabled");
    return options;
}

static json_t *placement(const struct launch_template_input *input)
{
    const struct launch_template_request *request = input->request;
    json_t *out =
        json_pack("{s:s}", "Tenancy", request->tenancy != NULL ? request->tenancy : "default");
    if (request->group == NULL)
        return out;
    set_text(out, "GroupId", request->group->id);
    const char *partition =
        partition_choice(request->claim, request->group, input->settings->compatibility_upstream);
    int64_t number;
    if (text_equal(request->group->strategy, "partition") && partition != NULL &&
        text_parse_int64(partition, &number))
        json_object_set_new(out, "PartitionNumber", json_integer(number));
    return out;
}

// AWN-352, 353.
static void add_reservation(json_t *data, const struct launch_template_input *input)
{
    if (!input->settings->gate_reserved_capacity)
        return;
    const struct launch_template_group *group = input->group;
    json_t *specification = json_object();
    set_text(specification, "CapacityReservationPreference",
             group->reservation_id != NULL ? "capacity-reservations-only" : "none");
    if (group->reservation_id != NULL)
        json_object_set_new(specification, "CapacityReservationTarget",
                            json_pack("{s:s}", "CapacityReservationId", group->reservation_id));
    json_object_set_new(data, "CapacityReservationSpecification", specification);
    const char *market = NULL;
    if (text_equal(group->reservation_type, "capacity-block"))
        market = "capacity-block";
    else if (group->interruptible)
        market = "interruptible-capacity-reservation";
    if (market != NULL)
        json_object_set_new(data, "InstanceMarketOptions",
                            json_pack("{s:s}", "MarketType", market));
}

static json_t *tag_specification(const char *type, const json_t *tags)
{
    return json_pack("{s:s, s:o}", "ResourceType", type, "Tags", tag_list_json(tags));
}

// All but the user data.
static json_t *template_data(const struct launch_template_input *input)
{
    const struct launch_template_request *request = input->request;
    const struct ec2_node_class *node_class = request->node_class;
    json_t *data = json_object();
    set_text(data, "ImageId", input->group->ami->id);
    if (!text_is_empty(node_class->status.instance_profile))
        json_object_set_new(data, "IamInstanceProfile",
                            json_pack("{s:s}", "Name", node_class->status.instance_profile));
    json_object_set_new(
        data, "Monitoring",
        json_pack("{s:b}", "Enabled", (int)node_class->spec.detailed_monitoring.value));
    json_t *devices = block_devices_json(node_class);
    if (devices != NULL)
        json_object_set_new(data, "BlockDeviceMappings", devices);
    if (node_class->spec.cpu_options != NULL &&
        node_class->spec.cpu_options->nested_virtualization != NULL)
        json_object_set_new(data, "CpuOptions",
                            json_pack("{s:s}", "NestedVirtualization",
                                      node_class->spec.cpu_options->nested_virtualization));
    json_object_set_new(data, "MetadataOptions", metadata_options(input));
    json_object_set_new(
        data, "NetworkInterfaces",
        launch_template_interfaces(node_class, input->cluster, input->group->efa_interfaces));
    json_object_set_new(data, "Placement", placement(input));
    bool sandbox = resource_map_get(&request->claim->spec.resources.requests, RESOURCE_SANDBOX) > 0;
    json_object_set_new(data, "EnclaveOptions", json_pack("{s:b}", "Enabled", (int)sandbox));
    json_t *tags = json_array();
    json_array_append_new(tags, tag_specification("network-interface", request->tags));
    if (text_equal(request->capacity_type, CAPACITY_TYPE_SPOT))
        json_array_append_new(tags, tag_specification("spot-instances-request", request->tags));
    json_object_set_new(data, "TagSpecifications", tags);
    add_reservation(data, input);
    return data;
}

static int by_taint(const void *a, const void *b)
{
    const struct taint *left = a, *right = b;
    int order = strcmp(text_or_empty(left->key), text_or_empty(right->key));
    if (order == 0)
        order = strcmp(text_or_empty(left->effect), text_or_empty(right->effect));
    return order != 0 ? order : strcmp(text_or_empty(left->value), text_or_empty(right->value));
}

static taint_list sorted(struct arena *arena, const taint_list *taints)
{
    taint_list out = {arena_allocate_array(arena, taints->count + 1, sizeof *taints->items),
                      taints->count};
    if (taints->count > 0)
        memcpy(out.items, taints->items, taints->count * sizeof *taints->items);
    qsort(out.items, out.count, sizeof *out.items, by_taint);
    return out;
}

static struct user_data_options options_of(const struct launch_template_input *input)
{
    const struct node_claim *claim = input->request->claim;
    return (struct user_data_options){
        .node_class = input->request->node_class,
        .cluster = input->cluster,
        .kubelet = input->kubelet,
        .values = &input->group->values,
        .max_pods = input->group->max_pods,
        .labels = claim->meta.labels,
        .capacity_type = input->request->capacity_type,
        .taints = &claim->spec.taints,
        .startup_taints = &claim->spec.startup_taints,
        .compatibility_upstream = input->settings->compatibility_upstream,
    };
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The text of a value, whatever the order of keys and lists; the caller frees it.
static char *text_without_order(const json_t *value)
{
    if (!json_is_array(value) && !json_is_object(value))
        return json_dumps(value, JSON_ENCODE_ANY);
    struct text out = {0};
    VECTOR(char *) parts = {0};
    size_t index;
    const char *key;
    json_t *item;
    json_array_foreach (value, index, item)
        vector_push(&parts, text_without_order(item));
    json_object_foreach ((json_t *)value, key, item) {
        char *member CLEANUP_FREE = text_without_order(item);
        struct text part = {0};
        text_format(&part, "%s:%s", key, member);
        vector_push(&parts, text_take(&part));
    }
    if (parts.count > 0)
        qsort(parts.items, parts.count, sizeof *parts.items, by_text);
    text_add_char(&out, json_is_array(value) ? '[' : '{');
    vector_for_each (part, &parts) {
        text_format(&out, "%s,", *part);
        free(*part);
    }
    text_add_char(&out, json_is_array(value) ? ']' : '}');
    vector_free(&parts);
    return text_take(&out);
}

// The order of lists plays no part in the name (AWN-341), nor that of taints (AWN-316): it is made
// of a sorted rendering.
static const char *name_of(struct arena *arena, const struct launch_template_input *input,
                           const json_t *data, struct error *error)
{
    struct user_data_options options = options_of(input);
    taint_list taints = sorted(arena, options.taints);
    taint_list startup_taints = sorted(arena, options.startup_taints);
    options.taints = &taints;
    options.startup_taints = &startup_taints;
    const char *user_data = user_data_render(&options, arena, error);
    if (user_data == NULL)
        return NULL;
    char *dump CLEANUP_FREE = text_without_order(data);
    struct text all = {0};
    text_format(&all, "%s\n%s\n%s\n%s\n", input->cluster->name,
                text_or_empty(input->cluster->endpoint), input->request->node_class->meta.name,
                text_or_empty(input->request->capacity_type));
    text_add(&all, dump);
    text_add_char(&all, '\n');
    text_add(&all, user_data);
    char digest[65];
    hash_sha256_hex(all.data, all.length, digest);
    text_free(&all);
    digest[16] = '\0';
    return arena_format(arena, NAME_PREFIX "%llu", strtoull(digest, NULL, 16));
}

bool launch_template_content_make(struct launch_template_content *content, struct arena *arena,
                                  const struct launch_template_input *input, struct error *error)
{
    assert(input->group->ami != NULL);
    assert(input->request->tags != NULL);
    struct user_data_options options = options_of(input);
    const char *user_data = user_data_render(&options, arena, error);
    if (user_data == NULL)
        return false;
    json_t *data = template_data(input);
    const char *name = name_of(arena, input, data, error);
    if (name == NULL) {
        json_decref(data);
        return false;
    }
    set_text(data, "UserData", base64(arena, user_data));
    json_t *tags = json_array();
    json_array_append_new(tags, tag_specification("launch-template", input->request->tags));
    *content = (struct launch_template_content){
        .name = name,
        .parameters = json_pack("{s:s, s:o, s:o}", "LaunchTemplateName", name, "LaunchTemplateData",
                                data, "TagSpecifications", tags),
        .user_data_bytes = (uint32_t)strlen(user_data)};
    return true;
}
