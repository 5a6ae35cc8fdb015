// EC2NodeClass (API-85 to 99): the template of AWS machines.
#pragma once

#include "model/schema/karpenter.h"

#define EC2_NODE_CLASS_GROUP        "karpenter.k8s.aws"
#define FINALIZER_EC2_NODE_CLASS    "karpenter.k8s.aws/termination"
#define ANNOTATION_EC2_HASH         "karpenter.k8s.aws/ec2nodeclass-hash"
#define ANNOTATION_EC2_HASH_VERSION "karpenter.k8s.aws/ec2nodeclass-hash-version"
// Whether the subnets of the status give their instances public IPv4 addresses
// (MapPublicIpOnLaunch): "all" of them do, "some", or "none". Written by the controller, for those
// who read the object without AWS.
#define ANNOTATION_PUBLIC_ADDRESSES "adze.dev/public-addresses"
#define ANNOTATION_EC2_PROFILE      "karpenter.k8s.aws/instance-profile-name"
#define EC2_NODE_CLASS_HASH_VERSION "v6"

// A term of any of the four selectors; each kind uses some of the fields. Fields of one term are
// and-ed, terms are or-ed.
struct ec2_selector_term {
    struct string_map tags; // value "*" matches any
    const char *id, *name;
    const char *owner, *alias, *ssm_parameter;      // AMIs
    const char *owner_id, *instance_match_criteria; // capacity reservations
};
typedef LIST(struct ec2_selector_term) ec2_selector_term_list;

struct ec2_block_device {
    struct optional_bool delete_on_termination, encrypted;
    struct optional_int iops, throughput, volume_initialization_rate;
    const char *kms_key_id, *snapshot_id, *volume_size, *volume_type;
};
struct ec2_block_device_mapping {
    const char *device_name;
    struct ec2_block_device *ebs;
    bool root_volume;
};
struct ec2_network_interface {
    int64_t network_card_index, device_index;
    const char *interface_type; // "interface", "efa-only"
};
struct ec2_metadata_options {
    const char *http_endpoint, *http_protocol_ipv6, *http_tokens;
    struct optional_int http_put_response_hop_limit;
};
struct ec2_connection_tracking { // seconds
    struct optional_int tcp_established_timeout, udp_stream_timeout, udp_timeout;
};
struct ec2_placement_group_selector {
    const char *name, *id;
};
struct ec2_cpu_options {
    const char *nested_virtualization;
};

// Status.
struct ec2_ami {
    const char *id, *name;
    bool deprecated;
    requirement_list requirements;
};
struct ec2_capacity_reservation {
    const char *id, *availability_zone, *instance_type, *instance_match_criteria, *owner_id;
    const char *reservation_type, *state;
    int64_t end_time;
    bool interruptible;
};
struct ec2_security_group {
    const char *id, *name;
};
struct ec2_subnet {
    const char *id, *zone, *zone_id;
};

struct ec2_node_class {
    OBJECT_HEADER;
    struct {
        const char *ami_family;
        ec2_selector_term_list ami_selector_terms, subnet_selector_terms;
        ec2_selector_term_list security_group_selector_terms, capacity_reservation_selector_terms;
        struct optional_bool associate_public_ip_address, detailed_monitoring;
        LIST(struct ec2_block_device_mapping) block_device_mappings;
        struct ec2_connection_tracking *connection_tracking;
        const char *context;
        struct ec2_cpu_options *cpu_options;
        const char *role, *instance_profile, *instance_store_policy;
        struct optional_int ip_prefix_count;
        const char *kubelet; // JSON text of the object as given, or NULL
        struct ec2_metadata_options *metadata_options;
        LIST(struct ec2_network_interface) network_interfaces;
        struct ec2_placement_group_selector *placement_group_selector;
        struct string_map tags;
        const char *user_data;
    } spec;
    struct {
        LIST(struct ec2_ami) amis;
        LIST(struct ec2_capacity_reservation) capacity_reservations;
        LIST(struct ec2_security_group) security_groups;
        LIST(struct ec2_subnet) subnets;
        const char *instance_profile;
        condition_list conditions;
    } status;
};
