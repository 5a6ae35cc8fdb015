// Shared by kubelet.c (pods) and kubelet_nodes.c (machines, Nodes, heartbeats).
#pragma once

#include "sim/world/world_internal.h"

struct machine {         // a machine of the simulated cloud
    struct arena *arena; // of the copies
    struct machine_boot boot;
    enum machine_state state;
    bool registered, gone;
};

struct kubelet { // by node name
    char *node_name;
    struct machine *machine; // NULL: another client's Node with a kubelet annotation
    int64_t ready_at;        // monotonic
    int64_t last_alive;      // wall clock; the last time at work, if it is not at work now
    bool alive;              // its machine runs
    bool at_work;            // and was in touch at the last check
};

struct kubelet_pod { // by pod key: the kubelet's memory of a pod
    char uid[64];
    int64_t seen, started; // monotonic; started 0: not yet
    uint32_t restarts;
    bool told_end; // that its containers are being stopped
};

struct kubelets {
    struct world *world;
    struct map *machines; // by provider id
    struct map *by_node;  // by node name: struct kubelet *
    struct map *pods;     // by key: struct kubelet_pod *
    struct work_queue *boots, *again, *nodes, *heartbeats, *pod_work;
    uint32_t next_address;
};
