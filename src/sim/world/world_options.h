// Options of the simulated cluster: its running parts, their pace, and descriptions of machines.
//
// Annotations of pods (or of templates) for the kubelet, values in seconds:
//   adze.dev/sim-run-seconds    the containers end by themselves after this time
//   adze.dev/sim-exit-code      with this code (default 0)
//   adze.dev/sim-start-seconds  from the assignment to readiness, instead of the option
//   adze.dev/sim-stop-seconds   time to stop after the signal (at most the grace period)
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/schema/core.h"

#define ANNOTATION_SIM_KUBELET       "adze.dev/sim-kubelet" // Nodes of a simulated kubelet
#define ANNOTATION_SIM_RUN_SECONDS   "adze.dev/sim-run-seconds"
#define ANNOTATION_SIM_EXIT_CODE     "adze.dev/sim-exit-code"
#define ANNOTATION_SIM_START_SECONDS "adze.dev/sim-start-seconds"
#define ANNOTATION_SIM_STOP_SECONDS  "adze.dev/sim-stop-seconds"
#define ANNOTATION_KWOK_NODE         "kwok.x-k8s.io/node" // such Nodes get a simulated kubelet too

enum world_heartbeats {
    HEARTBEATS_LEASES, // each kubelet renews its Lease
    HEARTBEATS_SILENT, // no Leases: node lifecycle knows which kubelets are alive (large worlds)
};

struct world_options {
    uint64_t seed;
    // The running parts.
    bool scheduler, kubelets, workloads, budgets, collector, node_lifecycle, volumes;
    bool drivers; // of devices: claims of pods, and ResourceSlices by templates of devices
    bool events;  // record Event objects
    // Objects that people look for and the controller does not need: events about single pods, by
    // the controllers of workloads and by kubelets; endpoints of Services.
    bool comforts;
    enum world_heartbeats heartbeats;
    int64_t controller_delay_ns; // from a change to the controllers' sync
    // The scheduler's pace. A cycle that finds a node takes scheduler_pod_ns (4 ms: 250 pods a
    // second); a failed one takes scheduler_rejection_ns if it writes the pod's status (40 ms: 25 a
    // second). Bindings are written scheduler_bind_ns after the decision (longer by up to
    // `jitter`), in parallel with further cycles.
    int64_t scheduler_pod_ns, scheduler_rejection_ns, scheduler_bind_ns;
    int64_t scheduler_backoff_ns; // back-off after the first failed attempt of a pod; doubles
    int64_t scheduler_backoff_max_ns;
    int64_t scheduler_retry_ns; // unschedulable pods are retried at least this often
    // Pods are tried first on the node of their status.nominatedNodeName, and pods of no higher
    // priority leave them their room there, as since Kubernetes 1.35
    // (NominatedNodeNameForExpectation); a failed attempt clears it. False: the scheduler ignores
    // nominations, and the next failed attempt clears them.
    bool nominations;
    // Workload controllers create pods in batches of 1, 2, 4, ..., controller_request_ns apart.
    // Each controller's client has this rate and burst (0: unlimited).
    int64_t controller_request_ns;
    int32_t controller_requests_per_second, controller_requests_burst;
    int64_t pod_start_ns; // from the assignment to readiness
    // Pods that are not restarted for ever (Jobs) end well after this time; 0: they run on.
    int64_t pod_run_ns;
    int64_t pod_stop_ns;                 // from the deletion to the end of the containers
    double jitter;                       // share by which a pod's or node's delays may grow
    int64_t node_boot_ns, node_ready_ns; // defaults of struct machine_boot
    int64_t heartbeat_ns;
    int64_t node_monitor_ns, node_monitor_grace_ns;
    int64_t pod_collection_ns; // interval of collecting pods of missing nodes
    int64_t volume_provision_ns, volume_attach_ns, volume_detach_ns;
    int64_t driver_start_ns; // from a Node to its ResourceSlices; < 0: they are never published
    int64_t event_ttl_ns;
};
// Fast and simple: 1,000 scheduling cycles a second, bindings and pods of workloads at once.
void world_options_defaults(struct world_options *options);
// The pace of a live control plane on a small machine, drawn by the seed: 50 to 300 pods a second
// are scheduled, 10 to 50 rejected; bindings and batches of workload pods take some milliseconds.
// Changes nothing else.
void world_options_live_pace(struct world_options *options, uint64_t seed);

// --- machines ------------------------------------------------------------------------------------
enum machine_faults {
    MACHINE_NEVER_REGISTERS = 1 << 0,
    MACHINE_NEVER_READY = 1 << 1,
    MACHINE_REGISTERS_TWICE = 1 << 2, // a second Node, "<name>-again", with the same provider id
};

struct machine_boot {
    const char *name, *provider_id;
    struct string_map labels, annotations;
    taint_list taints; // initial ones; include karpenter.sh/unregistered:NoExecute
    struct resource_map capacity, allocatable;
    int64_t boot_delay_ns;  // from now to the Node object; < 0: the option
    int64_t ready_delay_ns; // from there to Ready; < 0: the option
    uint32_t faults;        // enum machine_faults
};

enum machine_state {
    MACHINE_HEALTHY,
    MACHINE_NOT_READY, // the kubelet reports Ready False
    MACHINE_SILENT,    // the kubelet is cut off: no heartbeats, nothing starts or stops
};
