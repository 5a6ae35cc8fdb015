#include "cloud/aws/client/ec2_shapes_types.h"

#include "cloud/aws/client/ec2_shapes.h"

AWS_SHAPE(ec2_describe_instance_types_request, {"DryRun", NULL, AWS_BOOLEAN},
          {"InstanceTypes", "InstanceType", AWS_LIST}, {"Filters", "Filter", AWS_LIST, &ec2_filter},
          {"MaxResults", NULL, AWS_INTEGER}, {"NextToken"},
          {"IncludeUnsupportedInRegion", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_processor_info, {"SupportedArchitectures", NULL, AWS_LIST},
                {"SustainedClockSpeedInGhz", NULL, AWS_DOUBLE},
                {"SupportedFeatures", NULL, AWS_LIST}, {"Manufacturer"});
AWS_LOCAL_SHAPE(ec2_vcpu_info, {"DefaultVCpus", NULL, AWS_INTEGER},
                {"DefaultCores", NULL, AWS_INTEGER}, {"DefaultThreadsPerCore", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_memory_info, {"SizeInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_instance_storage_info, {"TotalSizeInGB", NULL, AWS_INTEGER}, {"NvmeSupport"},
                {"EncryptionSupport"});
AWS_LOCAL_SHAPE(ec2_ebs_optimized_info, {"BaselineBandwidthInMbps", NULL, AWS_INTEGER},
                {"MaximumBandwidthInMbps", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_ebs_info, {"EbsOptimizedSupport"}, {"EncryptionSupport"},
                {"EbsOptimizedInfo", NULL, AWS_STRUCT, &ec2_ebs_optimized_info}, {"NvmeSupport"},
                {"MaximumEbsAttachments", NULL, AWS_INTEGER}, {"AttachmentLimitType"});
AWS_LOCAL_SHAPE(ec2_network_card_info, {"NetworkCardIndex", NULL, AWS_INTEGER},
                {"NetworkPerformance"}, {"MaximumNetworkInterfaces", NULL, AWS_INTEGER},
                {"AdditionalFlexibleNetworkInterfaces", NULL, AWS_INTEGER},
                {"BaselineBandwidthInGbps", NULL, AWS_DOUBLE},
                {"PeakBandwidthInGbps", NULL, AWS_DOUBLE},
                {"InterfaceTypes", "interfaceTypeSet", AWS_LIST});
AWS_LOCAL_SHAPE(ec2_efa_info, {"MaximumEfaInterfaces", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_network_info, {"NetworkPerformance"},
                {"MaximumNetworkInterfaces", NULL, AWS_INTEGER},
                {"MaximumNetworkCards", NULL, AWS_INTEGER},
                {"DefaultNetworkCardIndex", NULL, AWS_INTEGER},
                {"NetworkCards", NULL, AWS_LIST, &ec2_network_card_info},
                {"Ipv4AddressesPerInterface", NULL, AWS_INTEGER},
                {"Ipv6AddressesPerInterface", NULL, AWS_INTEGER},
                {"Ipv6Supported", NULL, AWS_BOOLEAN}, {"EnaSupport"},
                {"EfaSupported", NULL, AWS_BOOLEAN}, {"EfaInfo", NULL, AWS_STRUCT, &ec2_efa_info},
                {"EncryptionInTransitSupported", NULL, AWS_BOOLEAN});
AWS_LOCAL_SHAPE(ec2_gpu_device_memory_info, {"SizeInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_gpu_device_info, {"Name"}, {"Manufacturer"}, {"Count", NULL, AWS_INTEGER},
                {"LogicalGpuCount", NULL, AWS_INTEGER}, {"GpuPartitionSize", NULL, AWS_DOUBLE},
                {"Workloads", "workloadSet", AWS_LIST},
                {"MemoryInfo", NULL, AWS_STRUCT, &ec2_gpu_device_memory_info});
AWS_LOCAL_SHAPE(ec2_gpu_info, {"Gpus", NULL, AWS_LIST, &ec2_gpu_device_info},
                {"TotalGpuMemoryInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_placement_group_info, {"SupportedStrategies", NULL, AWS_LIST});
AWS_LOCAL_SHAPE(ec2_inference_device_memory_info, {"SizeInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_inference_device_info, {"Count", NULL, AWS_INTEGER}, {"Name"}, {"Manufacturer"},
                {"MemoryInfo", NULL, AWS_STRUCT, &ec2_inference_device_memory_info});
AWS_LOCAL_SHAPE(ec2_inference_accelerator_info,
                {"Accelerators", NULL, AWS_LIST, &ec2_inference_device_info},
                {"TotalInferenceMemoryInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_neuron_device_core_info, {"Count", NULL, AWS_INTEGER},
                {"Version", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_neuron_device_memory_info, {"SizeInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_neuron_device_info, {"Count", NULL, AWS_INTEGER}, {"Name"},
                {"CoreInfo", NULL, AWS_STRUCT, &ec2_neuron_device_core_info},
                {"MemoryInfo", NULL, AWS_STRUCT, &ec2_neuron_device_memory_info});
AWS_LOCAL_SHAPE(ec2_neuron_info, {"NeuronDevices", NULL, AWS_LIST, &ec2_neuron_device_info},
                {"TotalNeuronDeviceMemoryInMiB", NULL, AWS_INTEGER});
AWS_LOCAL_SHAPE(ec2_instance_type_info, {"InstanceType"}, {"CurrentGeneration", NULL, AWS_BOOLEAN},
                {"SupportedUsageClasses", NULL, AWS_LIST},
                {"SupportedVirtualizationTypes", NULL, AWS_LIST}, {"BareMetal", NULL, AWS_BOOLEAN},
                {"Hypervisor"}, {"ProcessorInfo", NULL, AWS_STRUCT, &ec2_processor_info},
                {"VCpuInfo", NULL, AWS_STRUCT, &ec2_vcpu_info},
                {"MemoryInfo", NULL, AWS_STRUCT, &ec2_memory_info},
                {"InstanceStorageSupported", NULL, AWS_BOOLEAN},
                {"InstanceStorageInfo", NULL, AWS_STRUCT, &ec2_instance_storage_info},
                {"EbsInfo", NULL, AWS_STRUCT, &ec2_ebs_info},
                {"NetworkInfo", NULL, AWS_STRUCT, &ec2_network_info},
                {"GpuInfo", NULL, AWS_STRUCT, &ec2_gpu_info},
                {"PlacementGroupInfo", NULL, AWS_STRUCT, &ec2_placement_group_info},
                {"InferenceAcceleratorInfo", NULL, AWS_STRUCT, &ec2_inference_accelerator_info},
                {"NitroEnclavesSupport"}, {"NeuronInfo", NULL, AWS_STRUCT, &ec2_neuron_info});
AWS_SHAPE(ec2_describe_instance_types_reply,
          {"InstanceTypes", "instanceTypeSet", AWS_LIST, &ec2_instance_type_info}, {"NextToken"});
AWS_SHAPE(ec2_describe_instance_type_offerings_request, {"DryRun", NULL, AWS_BOOLEAN},
          {"LocationType"}, {"Filters", "Filter", AWS_LIST, &ec2_filter},
          {"MaxResults", NULL, AWS_INTEGER}, {"NextToken"});
AWS_LOCAL_SHAPE(ec2_instance_type_offering, {"InstanceType"}, {"LocationType"}, {"Location"});
AWS_SHAPE(ec2_describe_instance_type_offerings_reply,
          {"InstanceTypeOfferings", "instanceTypeOfferingSet", AWS_LIST,
           &ec2_instance_type_offering},
          {"NextToken"});
AWS_SHAPE(ec2_describe_spot_price_history_request, {"AvailabilityZoneId"},
          {"DryRun", NULL, AWS_BOOLEAN}, {"StartTime", NULL, AWS_TIMESTAMP},
          {"EndTime", NULL, AWS_TIMESTAMP}, {"InstanceTypes", "InstanceType", AWS_LIST},
          {"ProductDescriptions", "ProductDescription", AWS_LIST},
          {"Filters", "Filter", AWS_LIST, &ec2_filter}, {"AvailabilityZone"},
          {"MaxResults", NULL, AWS_INTEGER}, {"NextToken"});
AWS_LOCAL_SHAPE(ec2_spot_price, {"AvailabilityZone"}, {"AvailabilityZoneId"}, {"InstanceType"},
                {"ProductDescription"}, {"SpotPrice"}, {"Timestamp", NULL, AWS_TIMESTAMP});
AWS_SHAPE(ec2_describe_spot_price_history_reply, {"NextToken"},
          {"SpotPriceHistory", "spotPriceHistorySet", AWS_LIST, &ec2_spot_price});
AWS_SHAPE(ec2_get_spot_placement_scores_request, {"InstanceTypes", "InstanceType", AWS_LIST},
          {"TargetCapacity", NULL, AWS_INTEGER}, {"TargetCapacityUnitType"},
          {"SingleAvailabilityZone", NULL, AWS_BOOLEAN}, {"RegionNames", "RegionName", AWS_LIST},
          {"DryRun", NULL, AWS_BOOLEAN}, {"MaxResults", NULL, AWS_INTEGER}, {"NextToken"});
AWS_LOCAL_SHAPE(ec2_spot_placement_score, {"Region"}, {"AvailabilityZoneId"},
                {"Score", NULL, AWS_INTEGER});
AWS_SHAPE(ec2_get_spot_placement_scores_reply,
          {"SpotPlacementScores", "spotPlacementScoreSet", AWS_LIST, &ec2_spot_placement_score},
          {"NextToken"});
