// Facts about EC2's instance types, as DescribeInstanceTypes gives them or as data/ec2/ has them
// built in.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/schema/object.h"

#define NETWORK_CARDS_MAX 32
#define ACCELERATORS_MAX  4

struct info_accelerator { // a kind of GPU, Neuron device or inference accelerator
    const char *name, *manufacturer;
    int64_t count, memory_mib; // memory of one
    int64_t cores;             // Neuron: of one device
    int64_t logical_count;     // fractions of a GPU have count 0
};
struct instance_info {
    const char *name;
    struct string_list architectures; // EC2's: "x86_64", "arm64", "i386"
    struct string_list processor_features, placement_strategies;
    bool on_demand, spot, capacity_block;
    const char *hypervisor; // "" for metal
    bool bare_metal;
    int64_t vcpus, memory_mib;
    bool has_processor;       // EC2 told ProcessorInfo
    const char *manufacturer; // NULL: unknown
    double clock_ghz;         // 0: unknown
    int64_t threads_per_core;
    bool encryption_in_transit, nitro_enclaves, ena, efa_only_supported;
    int64_t storage_gb;        // instance store; 0: none
    const char *storage_nvme;  // "required", "supported", "unsupported"; NULL: unknown
    const char *ebs_optimized; // "default", ...
    int64_t ebs_bandwidth_mbps;
    struct info_accelerator gpus[ACCELERATORS_MAX], neurons[ACCELERATORS_MAX];
    struct info_accelerator inferences[ACCELERATORS_MAX];
    uint32_t gpus_count, neurons_count, inferences_count;
    int64_t efa_interfaces, ipv4_per_interface;
    int64_t card_interfaces[NETWORK_CARDS_MAX]; // by position
    uint32_t cards_count, default_card;
    // From the built-in tables, by name (AWI-30).
    int64_t network_mbps;      // 0: none
    int64_t branch_interfaces; // 0: cannot trunk
    int64_t windows_addresses; // IPv4 addresses per interface of the table; 0: unknown
};
// The figures of a type that EC2 does not tell (AWI-69, 100, 103).
struct type_figure {
    int64_t network_mbps;      // 0: none
    int64_t branch_interfaces; // 0: cannot trunk
    int64_t windows_addresses; // 0: unknown
};
