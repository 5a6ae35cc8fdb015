// Table of EC2NodeClass (API-85 to 98). Its lists have no list type: they are atomic by default.
#include "model/schema/ec2_node_class.h"

#include <stddef.h>

#include "model/schema/schema.h"
#include "model/schema/tables.h"
#include "model/tables/karpenter_tables.h"
#include "model/tables/rules.h"

#define SPEC      MEMBER(struct ec2_node_class, spec)
#define STATUS    MEMBER(struct ec2_node_class, status)
#define TERMS_MAX 30
#define TAGS_MAX  20
#define METADATA_OPTIONS_DEFAULT                                       \
    "{\"httpEndpoint\":\"enabled\",\"httpProtocolIPv6\":\"disabled\"," \
    "\"httpPutResponseHopLimit\":1,\"httpTokens\":\"required\"}"

// --- selector terms ------------------------------------------------------------------------------
#define TAGS_FIELD                                                                   \
    FIELD(struct ec2_selector_term, tags, "tags", STRING_MAP, .max_items = TAGS_MAX, \
          RULES(rules_selector_tags),                                                \
          .documentation = "Tags that must all be there; * matches "                 \
                           "any value.")
static const struct field ami_term_fields[] = {
    FIELD(struct ec2_selector_term, alias, "alias", STRING, .max_length = 30, RULES(rules_alias),
          .documentation = "Family and version of a public image, such as al2023@latest."),
    FIELD(struct ec2_selector_term, id, "id", STRING, .pattern = "ami-[0-9a-z]+",
          .documentation = "Id of the image."),
    FIELD(struct ec2_selector_term, name, "name", STRING, .documentation = "Name of the image."),
    FIELD(struct ec2_selector_term, owner, "owner", STRING,
          .documentation = "Account that owns the image, or amazon, self, aws-marketplace."),
    FIELD(struct ec2_selector_term, ssm_parameter, "ssmParameter", STRING,
          .documentation = "SSM parameter that holds the id of the image."),
    TAGS_FIELD,
};
static const struct type type_ami_term =
    TYPE("AMISelectorTerm", struct ec2_selector_term, ami_term_fields);

static const struct field subnet_term_fields[] = {
    FIELD(struct ec2_selector_term, id, "id", STRING, .pattern = "subnet-[0-9a-z]+",
          .documentation = "Id of the subnet."),
    TAGS_FIELD,
};
static const struct type type_subnet_term =
    TYPE("SubnetSelectorTerm", struct ec2_selector_term, subnet_term_fields);

static const struct field security_group_term_fields[] = {
    FIELD(struct ec2_selector_term, id, "id", STRING, .pattern = "sg-[0-9a-z]+",
          .documentation = "Id of the security group."),
    FIELD(struct ec2_selector_term, name, "name", STRING,
          .documentation = "Name of the security group, as in its field, not its tag."),
    TAGS_FIELD,
};
static const struct type type_security_group_term =
    TYPE("SecurityGroupSelectorTerm", struct ec2_selector_term, security_group_term_fields);

static const char *const match_criteria[] = {"open", "targeted", NULL};
#define PATTERN_RESERVATION "^cr-[0-9a-z]+$"
#define PATTERN_ACCOUNT     "^[0-9]{12}$"
static const struct field reservation_term_fields[] = {
    FIELD(struct ec2_selector_term, id, "id", STRING, .pattern = PATTERN_RESERVATION,
          .documentation = "Id of the capacity reservation."),
    FIELD(struct ec2_selector_term, instance_match_criteria, "instanceMatchCriteria", STRING,
          .enum_values = match_criteria,
          .documentation = "How instances come into the reservation."),
    FIELD(struct ec2_selector_term, owner_id, "ownerID", STRING, .pattern = PATTERN_ACCOUNT,
          .documentation = "Account that owns the reservation."),
    TAGS_FIELD,
};
static const struct type type_reservation_term =
    TYPE("CapacityReservationSelectorTerm", struct ec2_selector_term, reservation_term_fields);

// --- volumes -------------------------------------------------------------------------------------
static const char *const volume_types[] = {"standard", "io1", "io2", "gp2",
                                           "sc1",      "st1", "gp3", NULL};
// 1 to 59000 Gi, 64000 G, 58 Ti, 64 T. Upstream's pattern refuses some sizes in Ti and accepts a
// bare unit (API-604).
#define PATTERN_VOLUME_SIZE                                       \
    "^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|" \
    "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G|"    \
    "([1-9]|[1-4][0-9]|5[0-8])Ti|([1-9]|[1-5][0-9]|6[0-4])T)$"
static const struct field ebs_fields[] = {
    FIELD(struct ec2_block_device, delete_on_termination, "deleteOnTermination", OPTIONAL_BOOL,
          .flags = FIELD_HASHED, .documentation = "Whether the volume goes with the instance."),
    FIELD(struct ec2_block_device, encrypted, "encrypted", OPTIONAL_BOOL, .flags = FIELD_HASHED,
          .documentation = "Whether the volume is encrypted."),
    FIELD(struct ec2_block_device, iops, "iops", OPTIONAL_INT, .flags = FIELD_HASHED,
          .documentation = "I/O operations a second (io1, io2, gp3)."),
    FIELD(struct ec2_block_device, kms_key_id, "kmsKeyID", STRING, .flags = FIELD_HASHED,
          .documentation = "Key that encrypts the volume."),
    FIELD(struct ec2_block_device, snapshot_id, "snapshotID", STRING, .flags = FIELD_HASHED,
          .documentation = "Snapshot that the volume is made from."),
    FIELD(struct ec2_block_device, throughput, "throughput", OPTIONAL_INT, .flags = FIELD_HASHED,
          .documentation = "MiB a second (gp3)."),
    FIELD(struct ec2_block_device, volume_initialization_rate, "volumeInitializationRate",
          OPTIONAL_INT32, .flags = FIELD_HASHED | FIELD_HAS_MINIMUM | FIELD_HAS_MAXIMUM,
          .minimum = 100, .maximum = 300,
          .documentation = "MiB a second at which a snapshot is loaded."),
    FIELD(struct ec2_block_device, volume_size, "volumeSize", STRING, .flags = FIELD_HASHED,
          .pattern = PATTERN_VOLUME_SIZE, .documentation = "Size with a unit: Gi, G, Ti or T."),
    FIELD(struct ec2_block_device, volume_type, "volumeType", STRING, .flags = FIELD_HASHED,
          .enum_values = volume_types, .documentation = "Type of the volume."),
};
static const struct type type_ebs =
    TYPE("BlockDevice", struct ec2_block_device, ebs_fields, RULES(rules_ebs));

static const struct field block_device_mapping_fields[] = {
    FIELD(struct ec2_block_device_mapping, device_name, "deviceName", STRING, .flags = FIELD_HASHED,
          .documentation = "Name of the device, such as /dev/xvda."),
    FIELD(struct ec2_block_device_mapping, ebs, "ebs", POINTER, .flags = FIELD_HASHED,
          .type = &type_ebs, .documentation = "The volume."),
    FIELD(struct ec2_block_device_mapping, root_volume, "rootVolume", BOOL, .flags = FIELD_HASHED,
          .documentation = "Whether this is the volume that the kubelet uses."),
};
static const struct type type_block_device_mapping =
    TYPE("BlockDeviceMapping", struct ec2_block_device_mapping, block_device_mapping_fields);

// --- smaller parts of spec -----------------------------------------------------------------------
static const char *const on_off[] = {"enabled", "disabled", NULL};
static const char *const token_uses[] = {"required", "optional", NULL};
static const struct field metadata_options_fields[] = {
    FIELD(struct ec2_metadata_options, http_endpoint, "httpEndpoint", STRING, .flags = FIELD_HASHED,
          .default_json = "\"enabled\"", .enum_values = on_off,
          .documentation = "Whether instances can ask for their metadata."),
    FIELD(struct ec2_metadata_options, http_protocol_ipv6, "httpProtocolIPv6", STRING,
          .flags = FIELD_HASHED, .default_json = "\"disabled\"", .enum_values = on_off,
          .documentation = "Whether they can over IPv6."),
    FIELD(struct ec2_metadata_options, http_put_response_hop_limit, "httpPutResponseHopLimit",
          OPTIONAL_INT, .flags = FIELD_HASHED | FIELD_HAS_MINIMUM | FIELD_HAS_MAXIMUM,
          .default_json = "1", .minimum = 1, .maximum = 64,
          .documentation = "How many hops the answer may take; pods need 2."),
    FIELD(struct ec2_metadata_options, http_tokens, "httpTokens", STRING, .flags = FIELD_HASHED,
          .default_json = "\"required\"", .enum_values = token_uses,
          .documentation = "Whether version 2 of the service is required."),
};
static const struct type type_metadata_options =
    TYPE("MetadataOptions", struct ec2_metadata_options, metadata_options_fields);

#define TIMEOUT(member, name, least, most, text)                                           \
    FIELD(struct ec2_connection_tracking, member, name, OPTIONAL_INT32,                    \
          .flags = FIELD_HASHED | FIELD_HAS_MINIMUM | FIELD_HAS_MAXIMUM, .minimum = least, \
          .maximum = most, .documentation = text)
static const struct field connection_tracking_fields[] = {
    TIMEOUT(tcp_established_timeout, "tcpEstablishedTimeout", 60, 432000,
            "Seconds until an idle TCP connection is forgotten."),
    TIMEOUT(udp_stream_timeout, "udpStreamTimeout", 60, 180,
            "Seconds until a UDP stream is forgotten."),
    TIMEOUT(udp_timeout, "udpTimeout", 30, 60, "Seconds until a single UDP exchange is forgotten."),
};
static const struct type type_connection_tracking =
    TYPE("ConnectionTracking", struct ec2_connection_tracking, connection_tracking_fields,
         RULES(rules_connection_tracking));

static const struct field cpu_options_fields[] = {
    FIELD(struct ec2_cpu_options, nested_virtualization, "nestedVirtualization", STRING,
          .flags = FIELD_HASHED, .enum_values = on_off,
          .documentation = "Whether the instance may run virtual machines."),
};
static const struct type type_cpu_options =
    TYPE("CPUOptions", struct ec2_cpu_options, cpu_options_fields);

static const char *const interface_types[] = {"interface", "efa-only", NULL};
static const struct field network_interface_fields[] = {
    FIELD(struct ec2_network_interface, device_index, "deviceIndex", INT32,
          .flags = FIELD_REQUIRED | FIELD_HASHED | FIELD_HAS_MINIMUM, .minimum = 0,
          .documentation = "Position on the network card."),
    FIELD(struct ec2_network_interface, interface_type, "interfaceType", STRING,
          .flags = FIELD_REQUIRED | FIELD_HASHED, .enum_values = interface_types,
          .documentation = "interface for IP traffic, efa-only for EFA alone."),
    FIELD(struct ec2_network_interface, network_card_index, "networkCardIndex", INT32,
          .flags = FIELD_REQUIRED | FIELD_HASHED | FIELD_HAS_MINIMUM, .minimum = 0,
          .documentation = "The network card."),
};
static const struct type type_network_interface =
    TYPE("NetworkInterface", struct ec2_network_interface, network_interface_fields);

static const struct field placement_group_fields[] = {
    FIELD(struct ec2_placement_group_selector, id, "id", STRING, .flags = FIELD_HASHED,
          .pattern = "^pg-[0-9a-z]+$", .documentation = "Id of the placement group."),
    FIELD(struct ec2_placement_group_selector, name, "name", STRING, .flags = FIELD_HASHED,
          .min_length = 1, .documentation = "Name of the placement group."),
};
static const struct type type_placement_group =
    TYPE("PlacementGroupSelector", struct ec2_placement_group_selector, placement_group_fields,
         RULES(rules_placement_group));

// --- spec ----------------------------------------------------------------------------------------
static const char *const ami_families[] = {"AL2",         "AL2023",      "Bottlerocket", "Custom",
                                           "Windows2019", "Windows2022", "Windows2025",  NULL};
static const char *const store_policies[] = {"RAID0", NULL};

static const struct field spec_fields[] = {
    FIELD(SPEC, ami_family, "amiFamily", STRING, .enum_values = ami_families,
          .documentation = "How the instance joins the cluster; follows from an alias."),
    FIELD(SPEC, ami_selector_terms, "amiSelectorTerms", LIST, .flags = FIELD_REQUIRED,
          .type = &type_ami_term, .min_items = 1, .max_items = TERMS_MAX, RULES(rules_ami_terms),
          .documentation = "Images to launch."),
    FIELD(SPEC, associate_public_ip_address, "associatePublicIPAddress", OPTIONAL_BOOL,
          .flags = FIELD_HASHED,
          .documentation = "Whether instances get a public address; absent: as the subnet says."),
    FIELD(SPEC, block_device_mappings, "blockDeviceMappings", LIST, .flags = FIELD_HASHED,
          .type = &type_block_device_mapping, .max_items = 50, RULES(rules_block_device_mappings),
          .documentation = "Volumes of the instances."),
    FIELD(SPEC, capacity_reservation_selector_terms, "capacityReservationSelectorTerms", LIST,
          .type = &type_reservation_term, .max_items = TERMS_MAX,
          RULES(rules_capacity_reservation_terms),
          .documentation = "Capacity reservations that may be used."),
    FIELD(SPEC, connection_tracking, "connectionTracking", POINTER, .flags = FIELD_HASHED,
          .type = &type_connection_tracking,
          .documentation = "When idle connections are forgotten."),
    FIELD(SPEC, context, "context", STRING, .flags = FIELD_HASHED,
          .documentation = "Context of the fleet, as EC2 knows it."),
    FIELD(SPEC, cpu_options, "cpuOptions", POINTER, .flags = FIELD_HASHED,
          .type = &type_cpu_options, .documentation = "Options of the processor."),
    FIELD(SPEC, detailed_monitoring, "detailedMonitoring", OPTIONAL_BOOL, .flags = FIELD_HASHED,
          .documentation = "Whether metrics are taken each minute."),
    FIELD(SPEC, instance_profile, "instanceProfile", STRING, .flags = FIELD_HASHED,
          RULES(rules_instance_profile),
          .documentation = "An instance profile that exists; in place of role."),
    FIELD(SPEC, instance_store_policy, "instanceStorePolicy", STRING, .flags = FIELD_HASHED,
          .enum_values = store_policies,
          .documentation = "RAID0 joins the local disks for pods and images."),
    FIELD(SPEC, ip_prefix_count, "ipPrefixCount", OPTIONAL_INT32, .flags = FIELD_HAS_MINIMUM,
          .minimum = 0, .documentation = "Address prefixes of the network interfaces."),
    FIELD(SPEC, kubelet, "kubelet", JSON, .flags = FIELD_HASHED,
          .documentation = "Fields of KubeletConfiguration, checked by the controller."),
    FIELD(SPEC, metadata_options, "metadataOptions", POINTER, .flags = FIELD_HASHED,
          .type = &type_metadata_options, .default_json = METADATA_OPTIONS_DEFAULT,
          .documentation = "The instance metadata service."),
    FIELD(SPEC, network_interfaces, "networkInterfaces", LIST, .flags = FIELD_HASHED,
          .type = &type_network_interface, .max_items = 150, RULES(rules_network_interfaces),
          .documentation = "Network interfaces at launch."),
    FIELD(SPEC, placement_group_selector, "placementGroupSelector", POINTER, .flags = FIELD_HASHED,
          .type = &type_placement_group, .documentation = "The placement group of the instances."),
    FIELD(SPEC, role, "role", STRING, .flags = FIELD_HASHED, RULES(rules_role),
          .documentation = "IAM role of the nodes; the instance profile is made from it."),
    FIELD(SPEC, security_group_selector_terms, "securityGroupSelectorTerms", LIST,
          .flags = FIELD_REQUIRED, .type = &type_security_group_term, .max_items = TERMS_MAX,
          RULES(rules_security_group_terms), .documentation = "Security groups, all of them used."),
    FIELD(SPEC, subnet_selector_terms, "subnetSelectorTerms", LIST, .flags = FIELD_REQUIRED,
          .type = &type_subnet_term, .max_items = TERMS_MAX, RULES(rules_subnet_terms),
          .documentation = "Subnets to launch in."),
    FIELD(SPEC, tags, "tags", STRING_MAP, .flags = FIELD_HASHED, RULES(rules_tags),
          .documentation = "Tags of everything that is made at EC2."),
    FIELD(SPEC, user_data, "userData", STRING, .flags = FIELD_HASHED,
          .documentation = "User data as plain text, merged with what the family needs."),
};
static const struct type type_spec =
    TYPE("EC2NodeClassSpec", SPEC, spec_fields, RULES(rules_ec2_spec));

// --- status --------------------------------------------------------------------------------------
static const struct field status_requirement_fields[] = {
    FIELD(struct selector_requirement, key, "key", STRING, .flags = FIELD_REQUIRED,
          .documentation = "The label."),
    FIELD(struct selector_requirement, operator, "operator", STRING, .flags = FIELD_REQUIRED,
          .documentation = "How the label relates to the values."),
    FIELD(struct selector_requirement, values, "values", STRING_LIST, .flags = FIELD_LIST_ATOMIC,
          .documentation = "The values."),
};
static const struct type type_status_requirement =
    TYPE("NodeSelectorRequirement", struct selector_requirement, status_requirement_fields);

static const struct field ami_fields[] = {
    FIELD(struct ec2_ami, deprecated, "deprecated", BOOL,
          .documentation = "Whether the image is deprecated."),
    FIELD(struct ec2_ami, id, "id", STRING, .flags = FIELD_REQUIRED,
          .documentation = "Id of the image."),
    FIELD(struct ec2_ami, name, "name", STRING, .documentation = "Name of the image."),
    FIELD(struct ec2_ami, requirements, "requirements", LIST, .flags = FIELD_REQUIRED,
          .type = &type_status_requirement,
          .documentation = "Instance types that the image is for."),
};
static const struct type type_ami = TYPE("AMI", struct ec2_ami, ami_fields);

static const char *const reservation_types[] = {"default", "capacity-block", NULL};
static const char *const reservation_states[] = {"active", "expiring", NULL};
static const struct field reservation_fields[] = {
    FIELD(struct ec2_capacity_reservation, availability_zone, "availabilityZone", STRING,
          .flags = FIELD_REQUIRED, .documentation = "Zone of the reservation."),
    FIELD(struct ec2_capacity_reservation, end_time, "endTime", TIME,
          .documentation = "When the reservation ends."),
    FIELD(struct ec2_capacity_reservation, id, "id", STRING, .flags = FIELD_REQUIRED,
          .pattern = PATTERN_RESERVATION, .documentation = "Id of the reservation."),
    FIELD(struct ec2_capacity_reservation, instance_match_criteria, "instanceMatchCriteria", STRING,
          .flags = FIELD_REQUIRED, .enum_values = match_criteria,
          .documentation = "How instances come into the reservation."),
    FIELD(struct ec2_capacity_reservation, instance_type, "instanceType", STRING,
          .flags = FIELD_REQUIRED, .documentation = "Instance type of the reservation."),
    FIELD(struct ec2_capacity_reservation, interruptible, "interruptible", BOOL,
          .documentation = "Whether EC2 may take the instances back."),
    FIELD(struct ec2_capacity_reservation, owner_id, "ownerID", STRING, .flags = FIELD_REQUIRED,
          .pattern = PATTERN_ACCOUNT, .documentation = "Account that owns the reservation."),
    FIELD(struct ec2_capacity_reservation, reservation_type, "reservationType", STRING,
          .default_json = "\"default\"", .enum_values = reservation_types,
          .documentation = "Whether it is a capacity block."),
    FIELD(struct ec2_capacity_reservation, state, "state", STRING, .default_json = "\"active\"",
          .enum_values = reservation_states, .documentation = "Whether it is about to end."),
};
static const struct type type_reservation =
    TYPE("CapacityReservation", struct ec2_capacity_reservation, reservation_fields);

static const struct field security_group_fields[] = {
    FIELD(struct ec2_security_group, id, "id", STRING, .flags = FIELD_REQUIRED,
          .documentation = "Id of the security group."),
    FIELD(struct ec2_security_group, name, "name", STRING,
          .documentation = "Name of the security group."),
};
static const struct type type_security_group =
    TYPE("SecurityGroup", struct ec2_security_group, security_group_fields);

static const struct field subnet_fields[] = {
    FIELD(struct ec2_subnet, id, "id", STRING, .flags = FIELD_REQUIRED,
          .documentation = "Id of the subnet."),
    FIELD(struct ec2_subnet, zone, "zone", STRING, .flags = FIELD_REQUIRED,
          .documentation = "Zone of the subnet."),
    FIELD(struct ec2_subnet, zone_id, "zoneID", STRING,
          .documentation = "Id of the zone, the same in every account."),
};
static const struct type type_subnet = TYPE("Subnet", struct ec2_subnet, subnet_fields);

static const struct field status_fields[] = {
    FIELD(STATUS, amis, "amis", LIST, .type = &type_ami, .documentation = "The images found."),
    FIELD(STATUS, capacity_reservations, "capacityReservations", LIST, .type = &type_reservation,
          .documentation = "The capacity reservations found."),
    CONDITIONS_FIELD(STATUS, type_status_condition, .flags = 0),
    FIELD(STATUS, instance_profile, "instanceProfile", STRING,
          .documentation = "The instance profile in use."),
    FIELD(STATUS, security_groups, "securityGroups", LIST, .type = &type_security_group,
          .documentation = "The security groups found."),
    FIELD(STATUS, subnets, "subnets", LIST, .type = &type_subnet,
          .documentation = "The subnets found."),
};
static const struct type type_status = TYPE("EC2NodeClassStatus", STATUS, status_fields);

// --- the kind ------------------------------------------------------------------------------------
static const struct field ec2_node_class_fields[] = {
    FIELD_METADATA(struct ec2_node_class),
    FIELD(struct ec2_node_class, spec, "spec", OBJECT, .type = &type_spec,
          .documentation = "What is wanted."),
    STATUS_FIELD(struct ec2_node_class, .type = &type_status,
                 .documentation = "What has been observed."),
};
const struct type type_ec2_node_class =
    TYPE("EC2NodeClass", struct ec2_node_class, ec2_node_class_fields,
         .documentation = "An EC2NodeClass says how EC2 instances are made.");

static const char *const short_names[] = {"ec2nc", "ec2ncs", NULL};
static const struct printer_column columns[] = {
    {.name = "Ready",
     .column_type = "string",
     .json_path = ".status.conditions[?(@.type==\"Ready\")].status"},
    {.name = "Age", .column_type = "date", .json_path = ".metadata.creationTimestamp"},
    {.name = "Role", .column_type = "string", .json_path = ".spec.role", .priority = 1},
};
const struct custom_kind custom_ec2_node_class = {
    .short_names = short_names,
    .category = "karpenter",
    .columns = columns,
    .columns_count = sizeof columns / sizeof columns[0],
    .status_subresource = true,
};
