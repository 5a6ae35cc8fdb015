// A cluster for kube-scheduler's filters: nodes with labels, taints, room and pods.
//
// Written from the scheduler's semantics, independent of src/engine, as slow and as plain as
// possible: NodeResourcesFit, NodeAffinity, TaintToleration, NodeUnschedulable, NodePorts,
// VolumeZone, VolumeBinding, NodeVolumeLimits, PodTopologySpread, InterPodAffinity (SCH-515). Nodes
// are the snapshot's (with the NodeClaims that have a machine) and, added one by one, planned ones.
#pragma once

#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

#define LABELS_MAX 48

// The machine of a planned node: one type in one offering, and its other labels.
struct machine_choice {
    const struct node_pool *pool;
    const struct instance_type *type;
    const struct offering *offering;
    const struct string_map *labels; // of the NodeClaim; may be NULL
};

struct site {
    const char *name;
    struct string_pair labels[LABELS_MAX];
    uint32_t labels_count;
    const struct taint **taints; // those that count
    uint32_t taints_count;
    struct resource_map allocatable; // minus the DaemonSets' requests
    const struct pod **pods;
    uint32_t pods_count;
    const struct csi_node *csi_node;       // NULL: no volume limits
    const struct daemon_set **daemon_sets; // that will run here
    uint32_t daemon_sets_count;
    struct machine_choice choice; // of a planned node
};

struct cluster {
    const struct snapshot *snapshot;
    struct arena *arena;
    struct site *sites;
    uint32_t sites_count, sites_capacity, pods_capacity;
    const char **site_names; // of planned nodes, by index
    // Spread constraints also count empty domains that a NodePool could open (SCH-303, SCH-512),
    // and a new hostname is always possible: stricter than the scheduler.
    bool counts_launchable_domains;
    struct machine_choice *launchable; // every offering that a NodePool can launch
    uint32_t launchable_count;
    struct site *launchable_sites; // the result of cluster_add() for each; made on first use
};

struct cluster *cluster_create(const struct snapshot *snapshot, bool counts_launchable_domains);
void cluster_destroy(struct cluster *cluster);
static inline void cleanup_cluster(struct cluster **cluster)
{
    cluster_destroy(*cluster);
}
#define CLUSTER __attribute__((cleanup(cleanup_cluster))) struct cluster

// Adds a planned node without pods; returns its index. The latest can be removed again.
uint32_t cluster_add(struct cluster *cluster, const struct machine_choice *choice);
// The same for cluster->launchable[index], without new memory each time.
uint32_t cluster_add_launchable(struct cluster *cluster, uint32_t index);
void cluster_remove_last(struct cluster *cluster);
// The node's index by name, or UINT32_MAX.
uint32_t cluster_find(const struct cluster *cluster, const char *name);

// The reason why the node refuses the pod now; NULL: it accepts.
const char *cluster_refusal(const struct cluster *cluster, const struct pod *pod, uint32_t site);
// The same without the rules that depend on other nodes' pods (spread, affinity).
const char *cluster_refusal_alone(const struct cluster *cluster, const struct pod *pod,
                                  uint32_t site);
void cluster_bind(struct cluster *cluster, const struct pod *pod, uint32_t site);
void cluster_unbind_last(struct cluster *cluster, uint32_t site); // the pod bound there last

// Whether a label with this value (NULL: absent) satisfies the expression.
bool expression_holds(const struct selector_requirement *expression, const char *value);
const char *site_label(const struct site *site, const char *key); // NULL if absent
bool pod_tolerates_site(const struct pod *pod, const struct site *site);
// nodeSelector and required node affinity.
bool pod_selects_site(const struct pod *pod, const struct site *site);
// Whether the pool can launch this choice: ready, offering available, all requirements met.
bool choice_is_launchable(const struct machine_choice *choice);
// Whether the choice's labels satisfy all requirements.
bool choice_satisfies(const struct machine_choice *choice, const requirement_list *requirements);
// The catalog that serves the pool (FMT-6), or NULL.
const struct instance_type_catalog *catalog_of(const struct snapshot *snapshot,
                                               const struct node_pool *pool);

// --- rules between pods (cluster_rules.c) --------------------------------------------------------
const char *spread_refusal(const struct cluster *cluster, const struct pod *pod,
                           const struct site *site);
const char *affinity_refusal(const struct cluster *cluster, const struct pod *pod,
                             const struct site *site);
