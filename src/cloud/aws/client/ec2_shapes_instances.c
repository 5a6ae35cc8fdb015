#include "cloud/aws/client/ec2_shapes_instances.h"

#include "cloud/aws/client/ec2_shapes.h"

AWS_LOCAL_SHAPE(ec2_ebs_block_device, {"DeleteOnTermination", NULL, AWS_BOOLEAN},
                {"Iops", NULL, AWS_INTEGER}, {"SnapshotId"}, {"VolumeSize", NULL, AWS_INTEGER},
                {"VolumeType"}, {"KmsKeyId"}, {"Throughput", NULL, AWS_INTEGER},
                {"Encrypted", NULL, AWS_BOOLEAN}, {"VolumeInitializationRate", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_block_device_mapping, {"Ebs", NULL, AWS_STRUCT, &ec2_ebs_block_device},
                {"NoDevice"}, {"DeviceName"}, {"VirtualName"});
AWS_LOCAL_SHAPE(ec2_run_instances_monitoring_enabled,
                {"MetricCategoryIds", "MetricCategoryId", AWS_LIST},
                {"Enabled", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_placement, {"AvailabilityZoneId"}, {"Affinity"}, {"GroupName"},
                {"PartitionNumber", NULL, AWS_INTEGER}, {"HostId"}, {"Tenancy"}, {"SpreadDomain"},
                {"GroupId"}, {"AvailabilityZone"});
AWS_LOCAL_SHAPE(ec2_launch_template_specification, {"LaunchTemplateId"}, {"LaunchTemplateName"},
                {"Version"});
AWS_LOCAL_SHAPE(ec2_instance_metadata_options_request, {"HttpTokens"},
                {"HttpPutResponseHopLimit", NULL, AWS_INTEGER}, {"HttpEndpoint"},
                {"HttpProtocolIpv6"}, {"InstanceMetadataTags"});
AWS_LOCAL_SHAPE(ec2_connection_tracking_specification_request,
                {"TcpEstablishedTimeout", NULL, AWS_INTEGER},
                {"UdpStreamTimeout", NULL, AWS_INTEGER}, {"UdpTimeout", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_instance_network_interface_specification,
                {"AssociatePublicIpAddress", NULL, AWS_BOOLEAN},
                {"DeleteOnTermination", NULL, AWS_BOOLEAN}, {"Description"},
                {"DeviceIndex", NULL, AWS_INTEGER}, {"Groups", "SecurityGroupId", AWS_LIST},
                {"Ipv6AddressCount", NULL, AWS_INTEGER}, {"NetworkInterfaceId"}, {"SubnetId"},
                {"InterfaceType"}, {"NetworkCardIndex", NULL, AWS_INTEGER},
                {"Ipv4PrefixCount", NULL, AWS_INTEGER}, {"Ipv6PrefixCount", NULL, AWS_INTEGER},
                {"PrimaryIpv6", NULL, AWS_BOOLEAN},
                {"ConnectionTrackingSpecification", NULL, AWS_STRUCT,
                 &ec2_connection_tracking_specification_request});
AWS_LOCAL_SHAPE(ec2_iam_instance_profile_specification, {"Arn"}, {"Name"});
AWS_SHAPE(ec2_run_instances_request,
          {"BlockDeviceMappings", "BlockDeviceMapping", AWS_LIST, &ec2_block_device_mapping},
          {"ImageId"}, {"InstanceType"}, {"KeyName"}, {"MaxCount", NULL, AWS_INTEGER},
          {"MinCount", NULL, AWS_INTEGER},
          {"Monitoring", NULL, AWS_STRUCT, &ec2_run_instances_monitoring_enabled},
          {"Placement", NULL, AWS_STRUCT, &ec2_placement},
          {"SecurityGroupIds", "SecurityGroupId", AWS_LIST},
          {"SecurityGroups", "SecurityGroup", AWS_LIST}, {"SubnetId"}, {"UserData"},
          {"TagSpecifications", "TagSpecification", AWS_LIST, &ec2_tag_specification},
          {"LaunchTemplate", NULL, AWS_STRUCT, &ec2_launch_template_specification},
          {"MetadataOptions", NULL, AWS_STRUCT, &ec2_instance_metadata_options_request},
          {"DryRun", NULL, AWS_BOOLEAN}, {"ClientToken"},
          {"NetworkInterfaces", "networkInterface", AWS_LIST,
           &ec2_instance_network_interface_specification},
          {"IamInstanceProfile", NULL, AWS_STRUCT, &ec2_iam_instance_profile_specification});
AWS_LOCAL_SHAPE(ec2_ebs_instance_block_device, {"AttachTime", NULL, AWS_TIMESTAMP},
                {"DeleteOnTermination", NULL, AWS_BOOLEAN}, {"Status"}, {"VolumeId"});
AWS_LOCAL_SHAPE(ec2_instance_block_device_mapping, {"DeviceName"},
                {"Ebs", NULL, AWS_STRUCT, &ec2_ebs_instance_block_device});
AWS_LOCAL_SHAPE(ec2_iam_instance_profile, {"Arn"}, {"Id"});
AWS_LOCAL_SHAPE(ec2_instance_network_interface_attachment, {"AttachTime", NULL, AWS_TIMESTAMP},
                {"AttachmentId"}, {"DeleteOnTermination", NULL, AWS_BOOLEAN},
                {"DeviceIndex", NULL, AWS_INTEGER}, {"Status"},
                {"NetworkCardIndex", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_group_identifier, {"GroupId"}, {"GroupName"});
AWS_LOCAL_SHAPE(ec2_instance_ipv6_address, {"Ipv6Address"}, {"IsPrimaryIpv6", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_instance_ipv4_prefix, {"Ipv4Prefix"});
AWS_LOCAL_SHAPE(ec2_instance_ipv6_prefix, {"Ipv6Prefix"});
AWS_LOCAL_SHAPE(ec2_instance_network_interface,
                {"Attachment", NULL, AWS_STRUCT, &ec2_instance_network_interface_attachment},
                {"Groups", "groupSet", AWS_LIST, &ec2_group_identifier},
                {"Ipv6Addresses", "ipv6AddressesSet", AWS_LIST, &ec2_instance_ipv6_address},
                {"MacAddress"}, {"NetworkInterfaceId"}, {"PrivateDnsName"}, {"PrivateIpAddress"},
                {"SourceDestCheck", NULL, AWS_BOOLEAN}, {"Status"}, {"SubnetId"}, {"VpcId"},
                {"InterfaceType"},
                {"Ipv4Prefixes", "ipv4PrefixSet", AWS_LIST, &ec2_instance_ipv4_prefix},
                {"Ipv6Prefixes", "ipv6PrefixSet", AWS_LIST, &ec2_instance_ipv6_prefix});
AWS_LOCAL_SHAPE(ec2_state_reason, {"Code"}, {"Message"});
AWS_LOCAL_SHAPE(ec2_cpu_options, {"CoreCount", NULL, AWS_INTEGER},
                {"ThreadsPerCore", NULL, AWS_INTEGER}, {"NestedVirtualization"});
AWS_LOCAL_SHAPE(ec2_capacity_reservation_target_response, {"CapacityReservationId"},
                {"CapacityReservationResourceGroupArn"});
AWS_LOCAL_SHAPE(ec2_capacity_reservation_specification_response, {"CapacityReservationPreference"},
                {"CapacityReservationTarget", NULL, AWS_STRUCT,
                 &ec2_capacity_reservation_target_response});
AWS_LOCAL_SHAPE(ec2_instance_metadata_options_response, {"State"}, {"HttpTokens"},
                {"HttpPutResponseHopLimit", NULL, AWS_INTEGER}, {"HttpEndpoint"},
                {"HttpProtocolIpv6"}, {"InstanceMetadataTags"});
AWS_LOCAL_SHAPE(ec2_enclave_options, {"Enabled", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_monitoring, {"MetricCategoryIds", "metricCategoryIdSet", AWS_LIST}, {"State"});
AWS_LOCAL_SHAPE(
    ec2_instance, {"Architecture"},
    {"BlockDeviceMappings", "blockDeviceMapping", AWS_LIST, &ec2_instance_block_device_mapping},
    {"EbsOptimized", NULL, AWS_BOOLEAN}, {"Hypervisor"},
    {"IamInstanceProfile", NULL, AWS_STRUCT, &ec2_iam_instance_profile}, {"InstanceLifecycle"},
    {"NetworkInterfaces", "networkInterfaceSet", AWS_LIST, &ec2_instance_network_interface},
    {"RootDeviceName"}, {"SecurityGroups", "groupSet", AWS_LIST, &ec2_group_identifier},
    {"SpotInstanceRequestId"}, {"StateReason", NULL, AWS_STRUCT, &ec2_state_reason},
    {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"CpuOptions", NULL, AWS_STRUCT, &ec2_cpu_options},
    {"CapacityReservationId"},
    {"CapacityReservationSpecification", NULL, AWS_STRUCT,
     &ec2_capacity_reservation_specification_response},
    {"MetadataOptions", NULL, AWS_STRUCT, &ec2_instance_metadata_options_response},
    {"EnclaveOptions", NULL, AWS_STRUCT, &ec2_enclave_options}, {"Ipv6Address"}, {"InstanceId"},
    {"ImageId"}, {"State", "instanceState", AWS_STRUCT, &ec2_instance_state}, {"PrivateDnsName"},
    {"PublicDnsName", "dnsName"}, {"StateTransitionReason", "reason"}, {"InstanceType"},
    {"LaunchTime", NULL, AWS_TIMESTAMP}, {"Placement", NULL, AWS_STRUCT, &ec2_placement},
    {"Platform"}, {"Monitoring", NULL, AWS_STRUCT, &ec2_monitoring}, {"SubnetId"}, {"VpcId"},
    {"PrivateIpAddress"}, {"PublicIpAddress", "ipAddress"});
AWS_SHAPE(ec2_run_instances_reply, {"ReservationId"}, {"OwnerId"},
          {"Instances", "instancesSet", AWS_LIST, &ec2_instance});
AWS_SHAPE(ec2_create_tags_request, {"DryRun", NULL, AWS_BOOLEAN},
          {"Resources", "ResourceId", AWS_LIST}, {"Tags", "Tag", AWS_LIST, &ec2_tag});
AWS_EMPTY_SHAPE(ec2_create_tags_reply);
AWS_SHAPE(ec2_terminate_instances_request, {"InstanceIds", "InstanceId", AWS_LIST},
          {"Force", NULL, AWS_BOOLEAN}, {"SkipOsShutdown", NULL, AWS_BOOLEAN},
          {"DryRun", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_instance_state_change, {"InstanceId"},
                {"CurrentState", NULL, AWS_STRUCT, &ec2_instance_state},
                {"PreviousState", NULL, AWS_STRUCT, &ec2_instance_state});
AWS_SHAPE(ec2_terminate_instances_reply,
          {"TerminatingInstances", "instancesSet", AWS_LIST, &ec2_instance_state_change});
AWS_SHAPE(ec2_describe_instances_request, {"InstanceIds", "InstanceId", AWS_LIST},
          {"IncludeManagedResources", NULL, AWS_BOOLEAN}, {"DryRun", NULL, AWS_BOOLEAN},
          {"Filters", "Filter", AWS_LIST, &ec2_filter}, {"NextToken"},
          {"MaxResults", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_reservation, {"ReservationId"}, {"OwnerId"},
                {"Instances", "instancesSet", AWS_LIST, &ec2_instance});
AWS_SHAPE(ec2_describe_instances_reply, {"NextToken"},
          {"Reservations", "reservationSet", AWS_LIST, &ec2_reservation});
AWS_SHAPE(ec2_describe_instance_status_request, {"InstanceIds", "InstanceId", AWS_LIST},
          {"MaxResults", NULL, AWS_INTEGER}, {"NextToken"},
          {"IncludeManagedResources", NULL, AWS_BOOLEAN}, {"DryRun", NULL, AWS_BOOLEAN},
          {"Filters", "Filter", AWS_LIST, &ec2_filter}, {"IncludeAllInstances", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_instance_status_event, {"InstanceEventId"}, {"Code"}, {"Description"},
                {"NotAfter", NULL, AWS_TIMESTAMP}, {"NotBefore", NULL, AWS_TIMESTAMP},
                {"NotBeforeDeadline", NULL, AWS_TIMESTAMP});
AWS_LOCAL_SHAPE(ec2_instance_status_details, {"ImpairedSince", NULL, AWS_TIMESTAMP}, {"Name"},
                {"Status"});
AWS_LOCAL_SHAPE(ec2_instance_status_summary,
                {"Details", NULL, AWS_LIST, &ec2_instance_status_details}, {"Status"});
AWS_LOCAL_SHAPE(ec2_ebs_status_details, {"ImpairedSince", NULL, AWS_TIMESTAMP}, {"Name"},
                {"Status"});
AWS_LOCAL_SHAPE(ec2_ebs_status_summary, {"Details", NULL, AWS_LIST, &ec2_ebs_status_details},
                {"Status"});
AWS_LOCAL_SHAPE(ec2_instance_status, {"AvailabilityZone"}, {"AvailabilityZoneId"},
                {"Events", "eventsSet", AWS_LIST, &ec2_instance_status_event}, {"InstanceId"},
                {"InstanceState", NULL, AWS_STRUCT, &ec2_instance_state},
                {"InstanceStatus", NULL, AWS_STRUCT, &ec2_instance_status_summary},
                {"SystemStatus", NULL, AWS_STRUCT, &ec2_instance_status_summary},
                {"AttachedEbsStatus", NULL, AWS_STRUCT, &ec2_ebs_status_summary});
AWS_SHAPE(ec2_describe_instance_status_reply,
          {"InstanceStatuses", "instanceStatusSet", AWS_LIST, &ec2_instance_status}, {"NextToken"});
AWS_SHAPE(ec2_describe_spot_instance_requests_request, {"NextToken"},
          {"MaxResults", NULL, AWS_INTEGER}, {"DryRun", NULL, AWS_BOOLEAN},
          {"SpotInstanceRequestIds", "SpotInstanceRequestId", AWS_LIST},
          {"Filters", "Filter", AWS_LIST, &ec2_filter});
AWS_LOCAL_SHAPE(ec2_spot_instance_state_fault, {"Code"}, {"Message"});
AWS_LOCAL_SHAPE(ec2_spot_instance_status, {"Code"}, {"Message"},
                {"UpdateTime", NULL, AWS_TIMESTAMP});
AWS_LOCAL_SHAPE(ec2_spot_instance_request, {"CreateTime", NULL, AWS_TIMESTAMP},
                {"Fault", NULL, AWS_STRUCT, &ec2_spot_instance_state_fault}, {"InstanceId"},
                {"LaunchedAvailabilityZone"}, {"SpotInstanceRequestId"}, {"SpotPrice"}, {"State"},
                {"Status", NULL, AWS_STRUCT, &ec2_spot_instance_status},
                {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"Type"});
AWS_SHAPE(ec2_describe_spot_instance_requests_reply,
          {"SpotInstanceRequests", "spotInstanceRequestSet", AWS_LIST, &ec2_spot_instance_request},
          {"NextToken"});
AWS_SHAPE(ec2_get_console_output_request, {"InstanceId"}, {"Latest", NULL, AWS_BOOLEAN},
          {"DryRun", NULL, AWS_BOOLEAN});
AWS_SHAPE(ec2_get_console_output_reply, {"InstanceId"}, {"Timestamp", NULL, AWS_TIMESTAMP},
          {"Output"});
