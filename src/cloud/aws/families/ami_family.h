// The families of machine images (AWN-4, 210, 211): what differs between them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/schema/ec2_node_class.h"

enum ami_family {
    AMI_FAMILY_AL2,
    AMI_FAMILY_AL2023,
    AMI_FAMILY_BOTTLEROCKET,
    AMI_FAMILY_WINDOWS_2019,
    AMI_FAMILY_WINDOWS_2022,
    AMI_FAMILY_WINDOWS_2025,
    AMI_FAMILY_CUSTOM,
    AMI_FAMILY_COUNT
};

struct ami_family_device { // of the default block devices: gp3, encrypted
    const char *name;      // NULL: none
    int64_t size_bytes;
};
struct ami_family_facts {
    const char *name, *alias; // "AL2023", "al2023"; alias NULL: none
    bool eni_limited_memory_overhead, pods_per_core, eni_limited_pods, any_kubelet_field;
    bool windows;
    const char *windows_build; // "10.0.20348"; NULL: none
    struct ami_family_device devices[2];
    const char *ephemeral_device; // NULL: unknown
};
const struct ami_family_facts *ami_family_facts(enum ami_family family);
// The effective family (AWN-4): amiFamily, else the alias's, else Custom; an unknown one is
// Custom's neighbour AL2 (AWI-97).
enum ami_family ami_family_of(const struct ec2_node_class *node_class);
// The alias term of the NodeClass: its family and version ("latest", "v20260101"). False: none.
struct ami_alias {
    enum ami_family family;
    const char *version;
};
bool ami_alias_of(const struct ec2_node_class *node_class, struct ami_alias *alias);

// AWN-212: bytes of ephemeral storage; `instance_store_gb` is the type's, 0: none.
int64_t ami_family_ephemeral_bytes(const struct ec2_node_class *node_class,
                                   int64_t instance_store_gb);
