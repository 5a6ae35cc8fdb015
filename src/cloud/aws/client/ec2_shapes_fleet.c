#include "cloud/aws/client/ec2_shapes_fleet.h"

#include "cloud/aws/client/ec2_shapes.h"

AWS_LOCAL_SHAPE(ec2_spot_options_request, {"AllocationStrategy"},
                {"SingleInstanceType", NULL, AWS_BOOLEAN},
                {"SingleAvailabilityZone", NULL, AWS_BOOLEAN},
                {"MinTargetCapacity", NULL, AWS_INTEGER}, {"MaxTotalPrice"});
AWS_LOCAL_SHAPE(ec2_on_demand_options_request, {"AllocationStrategy"},
                {"SingleInstanceType", NULL, AWS_BOOLEAN},
                {"SingleAvailabilityZone", NULL, AWS_BOOLEAN},
                {"MinTargetCapacity", NULL, AWS_INTEGER}, {"MaxTotalPrice"});
AWS_LOCAL_SHAPE(ec2_fleet_capacity_reservation_target_request,
                {"CapacityReservationIds", "CapacityReservationId", AWS_LIST},
                {"CapacityReservationResourceGroupArns", "CapacityReservationResourceGroupArn",
                 AWS_LIST});
AWS_LOCAL_SHAPE(ec2_reserved_capacity_fallback_options_request,
                {"MarketTypes", "MarketType", AWS_LIST});
AWS_LOCAL_SHAPE(ec2_reserved_capacity_options_request, {"AllocationStrategy"},
                {"ReservationTypes", "ReservationType", AWS_LIST},
                {"CapacityReservationTarget", NULL, AWS_STRUCT,
                 &ec2_fleet_capacity_reservation_target_request},
                {"ReservedCapacityFallbackOptions", NULL, AWS_STRUCT,
                 &ec2_reserved_capacity_fallback_options_request});
AWS_LOCAL_SHAPE(ec2_fleet_launch_template_specification_request, {"LaunchTemplateId"},
                {"LaunchTemplateName"}, {"Version"}, {"LaunchTemplateSpecificationUserData"});
AWS_LOCAL_SHAPE(ec2_placement, {"AvailabilityZoneId"}, {"Affinity"}, {"GroupName"},
                {"PartitionNumber", NULL, AWS_INTEGER}, {"HostId"}, {"Tenancy"}, {"SpreadDomain"},
                {"GroupId"}, {"AvailabilityZone"});
AWS_LOCAL_SHAPE(ec2_fleet_launch_template_overrides_request, {"InstanceType"}, {"MaxPrice"},
                {"SubnetId"}, {"AvailabilityZone"}, {"WeightedCapacity", NULL, AWS_DOUBLE},
                {"Priority", NULL, AWS_DOUBLE}, {"Placement", NULL, AWS_STRUCT, &ec2_placement},
                {"ImageId"}, {"AvailabilityZoneId"});
AWS_LOCAL_SHAPE(ec2_fleet_launch_template_config_request,
                {"LaunchTemplateSpecification", NULL, AWS_STRUCT,
                 &ec2_fleet_launch_template_specification_request},
                {"Overrides", NULL, AWS_LIST, &ec2_fleet_launch_template_overrides_request});
AWS_LOCAL_SHAPE(ec2_target_capacity_specification_request,
                {"TotalTargetCapacity", NULL, AWS_INTEGER},
                {"OnDemandTargetCapacity", NULL, AWS_INTEGER},
                {"SpotTargetCapacity", NULL, AWS_INTEGER}, {"DefaultTargetCapacityType"},
                {"TargetCapacityUnitType"});
AWS_SHAPE(ec2_create_fleet_request, {"DryRun", NULL, AWS_BOOLEAN}, {"ClientToken"},
          {"SpotOptions", NULL, AWS_STRUCT, &ec2_spot_options_request},
          {"OnDemandOptions", NULL, AWS_STRUCT, &ec2_on_demand_options_request},
          {"ReservedCapacityOptions", NULL, AWS_STRUCT, &ec2_reserved_capacity_options_request},
          {"LaunchTemplateConfigs", NULL, AWS_LIST, &ec2_fleet_launch_template_config_request},
          {"TargetCapacitySpecification", NULL, AWS_STRUCT,
           &ec2_target_capacity_specification_request},
          {"Type"}, {"ValidFrom", NULL, AWS_TIMESTAMP}, {"ValidUntil", NULL, AWS_TIMESTAMP},
          {"TagSpecifications", "TagSpecification", AWS_LIST, &ec2_tag_specification}, {"Context"});
AWS_LOCAL_SHAPE(ec2_fleet_launch_template_specification, {"LaunchTemplateId"},
                {"LaunchTemplateName"}, {"Version"});
AWS_LOCAL_SHAPE(ec2_placement_response, {"GroupName"});
AWS_LOCAL_SHAPE(ec2_fleet_launch_template_overrides, {"InstanceType"}, {"MaxPrice"}, {"SubnetId"},
                {"AvailabilityZone"}, {"WeightedCapacity", NULL, AWS_DOUBLE},
                {"Priority", NULL, AWS_DOUBLE},
                {"Placement", NULL, AWS_STRUCT, &ec2_placement_response}, {"ImageId"},
                {"AvailabilityZoneId"});
AWS_LOCAL_SHAPE(ec2_launch_template_and_overrides_response,
                {"LaunchTemplateSpecification", NULL, AWS_STRUCT,
                 &ec2_fleet_launch_template_specification},
                {"Overrides", NULL, AWS_STRUCT, &ec2_fleet_launch_template_overrides});
AWS_LOCAL_SHAPE(ec2_create_fleet_error,
                {"LaunchTemplateAndOverrides", NULL, AWS_STRUCT,
                 &ec2_launch_template_and_overrides_response},
                {"Lifecycle"}, {"ErrorCode"}, {"ErrorMessage"});
AWS_LOCAL_SHAPE(ec2_create_fleet_instance,
                {"LaunchTemplateAndOverrides", NULL, AWS_STRUCT,
                 &ec2_launch_template_and_overrides_response},
                {"Lifecycle"}, {"InstanceIds", NULL, AWS_LIST}, {"InstanceType"}, {"Platform"},
                {"AvailabilityZoneId"}, {"AvailabilityZone"}, {"SubnetId"});
AWS_SHAPE(ec2_create_fleet_reply, {"FleetId"},
          {"Errors", "errorSet", AWS_LIST, &ec2_create_fleet_error},
          {"Instances", "fleetInstanceSet", AWS_LIST, &ec2_create_fleet_instance});
AWS_LOCAL_SHAPE(ec2_launch_template_iam_instance_profile_specification_request, {"Arn"}, {"Name"});
AWS_LOCAL_SHAPE(ec2_launch_template_ebs_block_device_request, {"Encrypted", NULL, AWS_BOOLEAN},
                {"DeleteOnTermination", NULL, AWS_BOOLEAN}, {"Iops", NULL, AWS_INTEGER},
                {"KmsKeyId"}, {"SnapshotId"}, {"VolumeSize", NULL, AWS_INTEGER}, {"VolumeType"},
                {"Throughput", NULL, AWS_INTEGER}, {"VolumeInitializationRate", NULL, AWS_INTEGER},
                {"EbsCardIndex", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_launch_template_block_device_mapping_request, {"DeviceName"}, {"VirtualName"},
                {"Ebs", NULL, AWS_STRUCT, &ec2_launch_template_ebs_block_device_request},
                {"NoDevice"});
AWS_LOCAL_SHAPE(ec2_connection_tracking_specification_request,
                {"TcpEstablishedTimeout", NULL, AWS_INTEGER},
                {"UdpStreamTimeout", NULL, AWS_INTEGER}, {"UdpTimeout", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_launch_template_instance_network_interface_specification_request,
                {"AssociateCarrierIpAddress", NULL, AWS_BOOLEAN},
                {"AssociatePublicIpAddress", NULL, AWS_BOOLEAN},
                {"DeleteOnTermination", NULL, AWS_BOOLEAN}, {"Description"},
                {"DeviceIndex", NULL, AWS_INTEGER}, {"Groups", "SecurityGroupId", AWS_LIST},
                {"InterfaceType"}, {"Ipv6AddressCount", NULL, AWS_INTEGER}, {"NetworkInterfaceId"},
                {"SubnetId"}, {"NetworkCardIndex", NULL, AWS_INTEGER},
                {"Ipv4PrefixCount", NULL, AWS_INTEGER}, {"Ipv6PrefixCount", NULL, AWS_INTEGER},
                {"PrimaryIpv6", NULL, AWS_BOOLEAN},
                {"ConnectionTrackingSpecification", NULL, AWS_STRUCT,
                 &ec2_connection_tracking_specification_request},
                {"EnaQueueCount", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_launch_templates_monitoring_request, {"Enabled", NULL, AWS_BOOLEAN},
                {"MetricCategoryIds", "MetricCategoryId", AWS_LIST});
AWS_LOCAL_SHAPE(ec2_launch_template_placement_request, {"AvailabilityZone"}, {"AvailabilityZoneId"},
                {"Affinity"}, {"GroupName"}, {"HostId"}, {"Tenancy"}, {"SpreadDomain"},
                {"HostResourceGroupArn"}, {"PartitionNumber", NULL, AWS_INTEGER}, {"GroupId"});
AWS_LOCAL_SHAPE(ec2_launch_template_tag_specification_request, {"ResourceType"},
                {"Tags", "Tag", AWS_LIST, &ec2_tag});
AWS_LOCAL_SHAPE(ec2_launch_template_instance_market_options_request, {"MarketType"});
AWS_LOCAL_SHAPE(ec2_launch_template_cpu_options_request, {"CoreCount", NULL, AWS_INTEGER},
                {"ThreadsPerCore", NULL, AWS_INTEGER}, {"AmdSevSnp"}, {"NestedVirtualization"});
AWS_LOCAL_SHAPE(ec2_capacity_reservation_target, {"CapacityReservationId"},
                {"CapacityReservationResourceGroupArn"});
AWS_LOCAL_SHAPE(ec2_launch_template_capacity_reservation_specification_request,
                {"CapacityReservationPreference"},
                {"CapacityReservationTarget", NULL, AWS_STRUCT, &ec2_capacity_reservation_target});
AWS_LOCAL_SHAPE(ec2_launch_template_instance_metadata_options_request, {"HttpTokens"},
                {"HttpPutResponseHopLimit", NULL, AWS_INTEGER}, {"HttpEndpoint"},
                {"HttpProtocolIpv6"}, {"InstanceMetadataTags"});
AWS_LOCAL_SHAPE(ec2_launch_template_enclave_options_request, {"Enabled", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_request_launch_template_data, {"KernelId"}, {"EbsOptimized", NULL, AWS_BOOLEAN},
                {"IamInstanceProfile", NULL, AWS_STRUCT,
                 &ec2_launch_template_iam_instance_profile_specification_request},
                {"BlockDeviceMappings", "BlockDeviceMapping", AWS_LIST,
                 &ec2_launch_template_block_device_mapping_request},
                {"NetworkInterfaces", "NetworkInterface", AWS_LIST,
                 &ec2_launch_template_instance_network_interface_specification_request},
                {"ImageId"}, {"InstanceType"}, {"KeyName"},
                {"Monitoring", NULL, AWS_STRUCT, &ec2_launch_templates_monitoring_request},
                {"Placement", NULL, AWS_STRUCT, &ec2_launch_template_placement_request},
                {"UserData"},
                {"TagSpecifications", "TagSpecification", AWS_LIST,
                 &ec2_launch_template_tag_specification_request},
                {"SecurityGroupIds", "SecurityGroupId", AWS_LIST},
                {"SecurityGroups", "SecurityGroup", AWS_LIST},
                {"InstanceMarketOptions", NULL, AWS_STRUCT,
                 &ec2_launch_template_instance_market_options_request},
                {"CpuOptions", NULL, AWS_STRUCT, &ec2_launch_template_cpu_options_request},
                {"CapacityReservationSpecification", NULL, AWS_STRUCT,
                 &ec2_launch_template_capacity_reservation_specification_request},
                {"MetadataOptions", NULL, AWS_STRUCT,
                 &ec2_launch_template_instance_metadata_options_request},
                {"EnclaveOptions", NULL, AWS_STRUCT, &ec2_launch_template_enclave_options_request});
AWS_SHAPE(ec2_create_launch_template_request, {"DryRun", NULL, AWS_BOOLEAN}, {"ClientToken"},
          {"LaunchTemplateName"}, {"VersionDescription"},
          {"LaunchTemplateData", NULL, AWS_STRUCT, &ec2_request_launch_template_data},
          {"TagSpecifications", "TagSpecification", AWS_LIST, &ec2_tag_specification});
AWS_LOCAL_SHAPE(ec2_launch_template, {"LaunchTemplateId"}, {"LaunchTemplateName"},
                {"CreateTime", NULL, AWS_TIMESTAMP}, {"CreatedBy"},
                {"DefaultVersionNumber", NULL, AWS_INTEGER},
                {"LatestVersionNumber", NULL, AWS_INTEGER}, {"Tags", "tagSet", AWS_LIST, &ec2_tag});
AWS_LOCAL_SHAPE(ec2_validation_error, {"Code"}, {"Message"});
AWS_LOCAL_SHAPE(ec2_validation_warning, {"Errors", "errorSet", AWS_LIST, &ec2_validation_error});
AWS_SHAPE(ec2_create_launch_template_reply,
          {"LaunchTemplate", NULL, AWS_STRUCT, &ec2_launch_template},
          {"Warning", NULL, AWS_STRUCT, &ec2_validation_warning});
AWS_SHAPE(ec2_delete_launch_template_request, {"DryRun", NULL, AWS_BOOLEAN}, {"LaunchTemplateId"},
          {"LaunchTemplateName"});
AWS_SHAPE(ec2_delete_launch_template_reply,
          {"LaunchTemplate", NULL, AWS_STRUCT, &ec2_launch_template});
AWS_SHAPE(ec2_describe_launch_templates_request, {"DryRun", NULL, AWS_BOOLEAN},
          {"LaunchTemplateIds", "LaunchTemplateId", AWS_LIST},
          {"LaunchTemplateNames", "LaunchTemplateName", AWS_LIST},
          {"Filters", "Filter", AWS_LIST, &ec2_filter}, {"NextToken"},
          {"MaxResults", NULL, AWS_INTEGER}, {"IncludeManagedResources", NULL, AWS_BOOLEAN});
AWS_SHAPE(ec2_describe_launch_templates_reply,
          {"LaunchTemplates", NULL, AWS_LIST, &ec2_launch_template}, {"NextToken"});
