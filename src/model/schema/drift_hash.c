#include "model/schema/drift_hash.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/ec2_node_class.h"

// --- the algebra (API-201, 202) ------------------------------------------------------------------
static void little_endian(uint64_t value, unsigned char *out, size_t bytes)
{
    assert(bytes <= 8);
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t hash_number(uint64_t value, size_t bytes)
{
    unsigned char buffer[8];
    little_endian(value, buffer, bytes);
    return hash_fnv1(buffer, bytes);
}

static uint64_t hash_ordered(uint64_t a, uint64_t b)
{
    unsigned char buffer[16];
    little_endian(a, buffer, 8);
    little_endian(b, buffer + 8, 8);
    return hash_fnv1(buffer, sizeof buffer);
}

static uint64_t hash_text(const char *text)
{
    return hash_fnv1(text, strlen(text));
}

static uint64_t hash_end(uint64_t value)
{
    return hash_number(value, 8);
}

static uint64_t hash_map(const struct string_map *map)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < map->count; i++)
        entries ^= hash_ordered(hash_text(map->items[i].key), hash_text(map->items[i].value));
    return hash_end(entries);
}

// A struct: begun with its name, then one field after the other in declared order.
static void add_field(uint64_t *hash, const char *name, uint64_t value)
{
    *hash = hash_end(*hash ^ hash_ordered(hash_text(name), value));
}

static void add_text(uint64_t *hash, const char *name, const char *text) // empty counts as zero
{
    if (text != NULL && text[0] != '\0')
        add_field(hash, name, hash_text(text));
}

static void add_text_pointer(uint64_t *hash, const char *name, const char *text)
{
    if (text != NULL)
        add_field(hash, name, hash_text(text));
}

static void add_int(uint64_t *hash, const char *name, const struct optional_int *value,
                    size_t bytes)
{
    if (value->present)
        add_field(hash, name, hash_number((uint64_t)value->value, bytes));
}

static void add_bool(uint64_t *hash, const char *name, const struct optional_bool *value)
{
    if (value->present)
        add_field(hash, name, hash_number(value->value, 1));
}

static void print(uint64_t hash, char out[24])
{
    snprintf(out, 24, "%llu", (unsigned long long)hash);
}

// --- NodePool: spec.template (API-204) -----------------------------------------------------------
// API-206: version,
// seconds since year 1 and nanoseconds in big endian, offset 0.
static uint64_t hash_instant(int64_t nanoseconds)
{
    static const int64_t year_one_to_1970 = INT64_C(62135596800);
    int64_t fraction = nanoseconds % SECOND;
    int64_t seconds = nanoseconds / SECOND - (fraction < 0);
    if (fraction < 0)
        fraction = ns_add(fraction, SECOND);
    assert(fraction >= 0);
    assert(fraction < SECOND);
    uint64_t since_year_one = (uint64_t)(seconds + year_one_to_1970);
    unsigned char buffer[15] = {1};
    for (int i = 0; i < 8; i++)
        buffer[1 + i] = (unsigned char)(since_year_one >> (56 - 8 * i));
    for (int i = 0; i < 4; i++)
        buffer[9 + i] = (unsigned char)((uint64_t)fraction >> (24 - 8 * i));
    return hash_fnv1(buffer, sizeof buffer);
}

static uint64_t hash_taint(const struct taint *taint)
{
    uint64_t hash = hash_text("Taint");
    add_text(&hash, "Key", taint->key);
    add_text(&hash, "Value", taint->value);
    add_text(&hash, "Effect", taint->effect);
    if (taint->time_added != 0) {
        uint64_t time = hash_text("Time");
        add_field(&time, "Time", hash_instant(taint->time_added));
        add_field(&hash, "TimeAdded", time);
    }
    return hash;
}

static void add_taints(uint64_t *hash, const char *name, const taint_list *taints)
{
    uint64_t entries = 0;
    if (taints->items == NULL)
        return;
    list_for_each (taint, taints)
        entries ^= hash_taint(taint);
    add_field(hash, name, entries);
}

static uint64_t hash_node_class_reference(const struct node_class_reference *reference)
{
    uint64_t hash = hash_text("NodeClassReference");
    add_text(&hash, "Kind", reference->kind);
    add_text(&hash, "Name", reference->name);
    add_text(&hash, "Group", reference->group);
    return hash;
}

// The int64 field contributes unless it is zero; the pointer to one always does.
static uint64_t hash_duration(const char *type, const struct duration *duration, bool is_pointer)
{
    uint64_t hash = hash_text(type);
    if (is_pointer || duration->nanoseconds != 0)
        add_field(&hash, "Duration", hash_number((uint64_t)duration->nanoseconds, 8));
    return hash;
}

static uint64_t hash_template_spec(const struct node_claim_spec *spec, bool *is_zero)
{
    uint64_t name = hash_text("NodeClaimTemplateSpec"), hash = name;
    bool expires =
        spec->expire_after.text != NULL && spec->expire_after.nanoseconds != DURATION_NEVER;
    add_taints(&hash, "Taints", &spec->taints);
    add_taints(&hash, "StartupTaints", &spec->startup_taints);
    if (spec->node_class_ref != NULL)
        add_field(&hash, "NodeClassRef", hash_node_class_reference(spec->node_class_ref));
    if (spec->termination_grace_period.text != NULL)
        add_field(&hash, "TerminationGracePeriod",
                  hash_duration("Duration", &spec->termination_grace_period, false));
    if (expires)
        add_field(&hash, "ExpireAfter",
                  hash_duration("NillableDuration", &spec->expire_after, true));
    *is_zero = hash == name && spec->requirements.items == NULL;
    return hash;
}

void node_pool_hash(const struct node_pool *pool, char out[24])
{
    const struct string_map *labels = &pool->spec.template.metadata.labels;
    const struct string_map *annotations = &pool->spec.template.metadata.annotations;
    uint64_t hash = hash_text("NodeClaimTemplate");
    if (labels->items != NULL || annotations->items != NULL) {
        uint64_t meta = hash_text("ObjectMeta");
        if (labels->items != NULL)
            add_field(&meta, "Labels", hash_map(labels));
        if (annotations->items != NULL)
            add_field(&meta, "Annotations", hash_map(annotations));
        add_field(&hash, "ObjectMeta", meta);
    }
    bool is_zero;
    uint64_t spec = hash_template_spec(&pool->spec.template.spec, &is_zero);
    if (!is_zero)
        add_field(&hash, "Spec", spec);
    print(hash, out);
}

// --- EC2NodeClass (AWN-75) -----------------------------------------------------------------------
static void canonical_quantity(const char *text, char *out, size_t size);

static uint64_t hash_volume(const struct ec2_block_device *ebs)
{
    uint64_t hash = hash_text("BlockDevice");
    char size[64];
    add_bool(&hash, "DeleteOnTermination", &ebs->delete_on_termination);
    add_bool(&hash, "Encrypted", &ebs->encrypted);
    add_int(&hash, "IOPS", &ebs->iops, 8);
    add_text_pointer(&hash, "KMSKeyID", ebs->kms_key_id);
    add_text_pointer(&hash, "SnapshotID", ebs->snapshot_id);
    add_int(&hash, "Throughput", &ebs->throughput, 8);
    add_int(&hash, "VolumeInitializationRate", &ebs->volume_initialization_rate, 4);
    if (ebs->volume_size != NULL) {
        canonical_quantity(ebs->volume_size, size, sizeof size);
        add_field(&hash, "VolumeSize", hash_text(size));
    }
    add_text_pointer(&hash, "VolumeType", ebs->volume_type);
    return hash;
}

static uint64_t hash_mapping(const struct ec2_block_device_mapping *mapping)
{
    uint64_t hash = hash_text("BlockDeviceMapping");
    add_text_pointer(&hash, "DeviceName", mapping->device_name);
    if (mapping->ebs != NULL)
        add_field(&hash, "EBS", hash_volume(mapping->ebs));
    if (mapping->root_volume)
        add_field(&hash, "RootVolume", hash_number(1, 1));
    return hash;
}

static uint64_t hash_interface(const struct ec2_network_interface *interface)
{
    uint64_t hash = hash_text("NetworkInterface");
    if (interface->network_card_index != 0)
        add_field(&hash, "NetworkCardIndex",
                  hash_number((uint64_t)interface->network_card_index, 4));
    if (interface->device_index != 0)
        add_field(&hash, "DeviceIndex", hash_number((uint64_t)interface->device_index, 4));
    add_text(&hash, "InterfaceType", interface->interface_type);
    return hash;
}

static uint64_t hash_metadata_options(const struct ec2_metadata_options *options)
{
    uint64_t hash = hash_text("MetadataOptions");
    add_text_pointer(&hash, "HTTPEndpoint", options->http_endpoint);
    add_text_pointer(&hash, "HTTPProtocolIPv6", options->http_protocol_ipv6);
    add_int(&hash, "HTTPPutResponseHopLimit", &options->http_put_response_hop_limit, 8);
    add_text_pointer(&hash, "HTTPTokens", options->http_tokens);
    return hash;
}

static uint64_t hash_connection_tracking(const struct ec2_connection_tracking *tracking)
{
    uint64_t hash = hash_text("ConnectionTracking");
    add_int(&hash, "TCPEstablishedTimeout", &tracking->tcp_established_timeout, 4);
    add_int(&hash, "UDPStreamTimeout", &tracking->udp_stream_timeout, 4);
    add_int(&hash, "UDPTimeout", &tracking->udp_timeout, 4);
    return hash;
}

static uint64_t hash_placement_group(const struct ec2_placement_group_selector *selector)
{
    uint64_t hash = hash_text("PlacementGroupSelector");
    add_text(&hash, "Name", selector->name);
    add_text(&hash, "ID", selector->id);
    return hash;
}

static uint64_t hash_cpu_options(const struct ec2_cpu_options *options)
{
    uint64_t hash = hash_text("CPUOptions");
    add_text_pointer(&hash, "NestedVirtualization", options->nested_virtualization);
    return hash;
}

static uint64_t hash_ec2_spec(const __typeof__(((struct ec2_node_class *)0)->spec) *spec)
{
    uint64_t hash = hash_text("EC2NodeClassSpec"), entries = 0;
    if (spec->placement_group_selector != NULL)
        add_field(&hash, "PlacementGroupSelector",
                  hash_placement_group(spec->placement_group_selector));
    add_bool(&hash, "AssociatePublicIPAddress", &spec->associate_public_ip_address);
    add_text_pointer(&hash, "UserData", spec->user_data);
    add_text(&hash, "Role", spec->role);
    add_text_pointer(&hash, "InstanceProfile", spec->instance_profile);
    if (spec->tags.items != NULL)
        add_field(&hash, "Tags", hash_map(&spec->tags));
    if (spec->block_device_mappings.items != NULL) {
        list_for_each (mapping, &spec->block_device_mappings)
            entries ^= hash_mapping(mapping);
        add_field(&hash, "BlockDeviceMappings", entries);
    }
    add_text_pointer(&hash, "InstanceStorePolicy", spec->instance_store_policy);
    if (spec->network_interfaces.items != NULL) {
        entries = 0;
        list_for_each (interface, &spec->network_interfaces)
            entries ^= hash_interface(interface);
        add_field(&hash, "NetworkInterfaces", entries);
    }
    add_bool(&hash, "DetailedMonitoring", &spec->detailed_monitoring);
    if (spec->metadata_options != NULL)
        add_field(&hash, "MetadataOptions", hash_metadata_options(spec->metadata_options));
    if (spec->connection_tracking != NULL)
        add_field(&hash, "ConnectionTracking", hash_connection_tracking(spec->connection_tracking));
    add_text_pointer(&hash, "Context", spec->context);
    if (spec->cpu_options != NULL)
        add_field(&hash, "CPUOptions", hash_cpu_options(spec->cpu_options));
    return hash;
}

// AWN-4: amiFamily if set, else the family of an alias, else "Custom".
static const char *ec2_node_class_family(const struct ec2_node_class *node_class)
{
    static const char *const families[][2] = {
        {"al2@", "AL2"},
        {"al2023@", "AL2023"},
        {"bottlerocket@", "Bottlerocket"},
        {"windows2019@", "Windows2019"},
        {"windows2022@", "Windows2022"},
        {"windows2025@", "Windows2025"},
    };
    if (node_class->spec.ami_family != NULL)
        return node_class->spec.ami_family;
    list_for_each (term, &node_class->spec.ami_selector_terms)
        for (size_t i = 0; term->alias != NULL && i < ARRAY_LENGTH(families); i++)
            if (text_starts_with(term->alias, families[i][0]))
                return families[i][1];
    return "Custom";
}

// Keys sorted, no blanks (AWN-73).
static char *canonical_kubelet(const char *kubelet)
{
    json_t *object = kubelet != NULL ? json_loads(kubelet, JSON_DECODE_ANY, NULL) : NULL;
    char *text = json_object_size(object) > 0
                     ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17))
                     : memory_copy_string("null");
    json_decref(object);
    return text;
}

void ec2_node_class_hash(const struct ec2_node_class *node_class, const char *ca_bundle,
                         char out[24])
{
    char *kubelet = canonical_kubelet(node_class->spec.kubelet);
    uint64_t hash = hash_ec2_spec(&node_class->spec);
    hash ^= hash_text(ec2_node_class_family(node_class));
    hash ^= hash_text(ca_bundle != NULL ? ca_bundle : "");
    hash ^= hash_text(kubelet);
    print(hash, out);
    free(kubelet);
}

// --- quantities in their normal form -------------------------------------------------------------
// Volume sizes are
// whole numbers with a unit. The normal form keeps the kind of unit, binary or decimal, and takes
// the largest that leaves a whole number: 1024Gi is 1Ti, 1000G is 1T.
static void canonical_quantity(const char *text, char *out, size_t size)
{
    assert(size > 0);
    static const char binary[][3] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    static const char decimal[][3] = {"", "k", "M", "G", "T", "P", "E"};
    char *unit;
    unsigned long long number = strtoull(text, &unit, 10);
    bool is_binary = strlen(unit) == 2 && unit[1] == 'i';
    const char(*units)[3] = is_binary ? binary : decimal;
    size_t position = 0;
    while (position < ARRAY_LENGTH(binary) && strcmp(units[position], unit) != 0)
        position++;
    if (unit == text || position == ARRAY_LENGTH(binary)) { // another form: unchanged
        snprintf(out, size, "%s", text);
        return;
    }
    unsigned base = is_binary ? 1024 : 1000;
    while (number != 0 && number % base == 0 && position + 1 < ARRAY_LENGTH(binary)) {
        number /= base;
        position++;
    }
    if (number == 0)
        position = 0;
    snprintf(out, size, "%llu%s", number, units[position]);
}
