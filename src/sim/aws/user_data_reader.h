// Reads user data as the machine's own bootstrap does: cluster, labels, taints and what the kubelet
// reserves.
//
// AL2023: NodeConfig documents (inline flags and kubelet config) in a MIME archive or alone. AL2
// and Windows: the arguments of the bootstrap script. Bottlerocket: settings.kubernetes of the
// TOML.
#pragma once

#include "base/memory.h"
#include "model/schema/core.h"

enum user_data_family {
    USER_DATA_OTHER, // nothing of a cluster in it: an image of the user's own
    USER_DATA_AL2,
    USER_DATA_AL2023,
    USER_DATA_BOTTLEROCKET,
    USER_DATA_WINDOWS,
};
// What the kubelet keeps from pods, as texts.
enum user_data_map {
    USER_DATA_KUBE_RESERVED,
    USER_DATA_SYSTEM_RESERVED,
    USER_DATA_EVICTION_HARD,
    USER_DATA_MAP_COUNT,
};
struct user_data {
    enum user_data_family family;
    const char *cluster_name, *endpoint; // NULL: not said
    struct string_map labels;            // in order of the text
    taint_list taints;
    int64_t max_pods, pods_per_core; // 0: not said
    struct string_map maps[USER_DATA_MAP_COUNT];
    // The local disks become one for pods: RAID0, or bound by a bootstrap command.
    bool local_disks;
};
// All results live in the arena. Later settings win, as in the readers of the images.
void user_data_read(const char *text, struct arena *arena, struct user_data *data);
