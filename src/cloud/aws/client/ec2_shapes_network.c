#include "cloud/aws/client/ec2_shapes_network.h"

#include "cloud/aws/client/ec2_shapes.h"

AWS_SHAPE(ec2_describe_availability_zones_request, {"ZoneNames", "ZoneName", AWS_LIST},
          {"ZoneIds", "ZoneId", AWS_LIST}, {"AllAvailabilityZones", NULL, AWS_BOOLEAN},
          {"DryRun", NULL, AWS_BOOLEAN}, {"Filters", "Filter", AWS_LIST, &ec2_filter});
AWS_LOCAL_SHAPE(ec2_availability_zone, {"OptInStatus"}, {"RegionName"}, {"ZoneName"}, {"ZoneId"},
                {"GroupName"}, {"NetworkBorderGroup"}, {"ZoneType"}, {"ParentZoneName"},
                {"State", "zoneState"});
AWS_SHAPE(ec2_describe_availability_zones_reply,
          {"AvailabilityZones", "availabilityZoneInfo", AWS_LIST, &ec2_availability_zone});
AWS_SHAPE(ec2_describe_capacity_reservations_request,
          {"CapacityReservationIds", "CapacityReservationId", AWS_LIST}, {"NextToken"},
          {"MaxResults", NULL, AWS_INTEGER}, {"Filters", "Filter", AWS_LIST, &ec2_filter},
          {"DryRun", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_interruptible_capacity_allocation, {"InstanceCount", NULL, AWS_INTEGER},
                {"TargetInstanceCount", NULL, AWS_INTEGER}, {"Status"},
                {"InterruptibleCapacityReservationId"}, {"InterruptionType"},
                {"ZeroSizePreference"});
AWS_LOCAL_SHAPE(ec2_interruption_info, {"SourceCapacityReservationId"}, {"InterruptionType"});
AWS_LOCAL_SHAPE(ec2_capacity_reservation, {"CapacityReservationId"}, {"OwnerId"},
                {"CapacityReservationArn"}, {"AvailabilityZoneId"}, {"InstanceType"},
                {"InstancePlatform"}, {"AvailabilityZone"}, {"Tenancy"},
                {"TotalInstanceCount", NULL, AWS_INTEGER},
                {"AvailableInstanceCount", NULL, AWS_INTEGER}, {"EbsOptimized", NULL, AWS_BOOLEAN},
                {"State"}, {"StartDate", NULL, AWS_TIMESTAMP}, {"EndDate", NULL, AWS_TIMESTAMP},
                {"EndDateType"}, {"InstanceMatchCriteria"}, {"CreateDate", NULL, AWS_TIMESTAMP},
                {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"CapacityReservationFleetId"},
                {"PlacementGroupArn"}, {"ReservationType"}, {"Interruptible", NULL, AWS_BOOLEAN},
                {"InterruptibleCapacityAllocation", NULL, AWS_STRUCT,
                 &ec2_interruptible_capacity_allocation},
                {"InterruptionInfo", NULL, AWS_STRUCT, &ec2_interruption_info});
AWS_SHAPE(ec2_describe_capacity_reservations_reply, {"NextToken"},
          {"CapacityReservations", "capacityReservationSet", AWS_LIST, &ec2_capacity_reservation});
AWS_SHAPE(ec2_describe_images_request, {"ExecutableUsers", "ExecutableBy", AWS_LIST},
          {"ImageIds", "ImageId", AWS_LIST}, {"Owners", "Owner", AWS_LIST},
          {"IncludeDeprecated", NULL, AWS_BOOLEAN}, {"IncludeDisabled", NULL, AWS_BOOLEAN},
          {"MaxResults", NULL, AWS_INTEGER}, {"NextToken"}, {"DryRun", NULL, AWS_BOOLEAN},
          {"Filters", "Filter", AWS_LIST, &ec2_filter});
AWS_LOCAL_SHAPE(ec2_ebs_block_device, {"DeleteOnTermination", NULL, AWS_BOOLEAN},
                {"Iops", NULL, AWS_INTEGER}, {"SnapshotId"}, {"VolumeSize", NULL, AWS_INTEGER},
                {"VolumeType"}, {"KmsKeyId"}, {"Throughput", NULL, AWS_INTEGER},
                {"Encrypted", NULL, AWS_BOOLEAN},
                {"VolumeInitializationRate", "VolumeInitializationRate", AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_block_device_mapping, {"Ebs", NULL, AWS_STRUCT, &ec2_ebs_block_device},
                {"NoDevice"}, {"DeviceName"}, {"VirtualName"});
AWS_LOCAL_SHAPE(ec2_image, {"PlatformDetails"},
                {"BlockDeviceMappings", "blockDeviceMapping", AWS_LIST, &ec2_block_device_mapping},
                {"Description"}, {"EnaSupport", NULL, AWS_BOOLEAN}, {"Hypervisor"},
                {"ImageOwnerAlias"}, {"Name"}, {"RootDeviceName"}, {"RootDeviceType"},
                {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"VirtualizationType"}, {"BootMode"},
                {"DeprecationTime"}, {"ImageId"}, {"ImageLocation"}, {"State", "imageState"},
                {"OwnerId", "imageOwnerId"}, {"CreationDate"}, {"Public", "isPublic", AWS_BOOLEAN},
                {"Architecture"}, {"ImageType"}, {"Platform"});
AWS_SHAPE(ec2_describe_images_reply, {"NextToken"}, {"Images", "imagesSet", AWS_LIST, &ec2_image});
AWS_SHAPE(ec2_describe_placement_groups_request, {"GroupIds", "GroupId", AWS_LIST},
          {"DryRun", NULL, AWS_BOOLEAN}, {"GroupNames", "groupName", AWS_LIST},
          {"Filters", "Filter", AWS_LIST, &ec2_filter});
AWS_LOCAL_SHAPE(ec2_operator_response, {"Managed", NULL, AWS_BOOLEAN}, {"Principal"},
                {"HiddenByDefault", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_placement_group, {"GroupName"}, {"State"}, {"Strategy"},
                {"PartitionCount", NULL, AWS_INTEGER}, {"GroupId"},
                {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"GroupArn"}, {"SpreadLevel"},
                {"LinkedGroupId"}, {"Operator", NULL, AWS_STRUCT, &ec2_operator_response},
                {"ParentGroupId"});
AWS_SHAPE(ec2_describe_placement_groups_reply,
          {"PlacementGroups", "placementGroupSet", AWS_LIST, &ec2_placement_group});
AWS_SHAPE(ec2_describe_security_groups_request, {"GroupIds", "GroupId", AWS_LIST},
          {"GroupNames", "GroupName", AWS_LIST}, {"NextToken"}, {"MaxResults", NULL, AWS_INTEGER},
          {"DryRun", NULL, AWS_BOOLEAN}, {"Filters", "Filter", AWS_LIST, &ec2_filter});
AWS_LOCAL_SHAPE(ec2_security_group, {"GroupId"}, {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"VpcId"},
                {"OwnerId"}, {"GroupName"}, {"Description", "groupDescription"});
AWS_SHAPE(ec2_describe_security_groups_reply, {"NextToken"},
          {"SecurityGroups", "securityGroupInfo", AWS_LIST, &ec2_security_group});
AWS_SHAPE(ec2_describe_subnets_request, {"Filters", "Filter", AWS_LIST, &ec2_filter},
          {"SubnetIds", "SubnetId", AWS_LIST}, {"NextToken"}, {"MaxResults", NULL, AWS_INTEGER},
          {"DryRun", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_subnet, {"AvailabilityZoneId"}, {"OwnerId"},
                {"AssignIpv6AddressOnCreation", NULL, AWS_BOOLEAN},
                {"Tags", "tagSet", AWS_LIST, &ec2_tag}, {"SubnetArn"},
                {"Ipv6Native", NULL, AWS_BOOLEAN}, {"SubnetId"}, {"State"}, {"VpcId"},
                {"CidrBlock"}, {"AvailableIpAddressCount", NULL, AWS_INTEGER}, {"AvailabilityZone"},
                {"DefaultForAz", NULL, AWS_BOOLEAN}, {"MapPublicIpOnLaunch", NULL, AWS_BOOLEAN});
AWS_SHAPE(ec2_describe_subnets_reply, {"NextToken"},
          {"Subnets", "subnetSet", AWS_LIST, &ec2_subnet});
