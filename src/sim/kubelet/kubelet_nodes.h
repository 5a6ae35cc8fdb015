// Machines, their Node objects, and heartbeats.
#pragma once

#include "sim/kubelet/kubelet_internal.h"

bool kubelets_machine_boots(struct kubelets *kubelets, const struct machine_boot *boot);
void kubelets_machine_gone(struct kubelets *kubelets, const char *provider_id);
void kubelets_machine_state(struct kubelets *kubelets, const char *provider_id,
                            enum machine_state state);
// HEARTBEATS_SILENT: when the node's kubelet was last alive (wall clock); 0: no simulated kubelet.
int64_t kubelets_last_heartbeat(const struct kubelets *kubelets, const char *node_name);
// Whether the node's machine is known to be gone (not merely silent).
bool kubelets_machine_is_gone(const struct kubelets *kubelets, const struct world_object *node);
void kubelet_boot(void *kubelets, const char *provider_id);
void kubelet_boot_again(void *kubelets, const char *provider_id); // the second Node
void kubelet_sync_node(void *kubelets, const char *node_name);
void kubelet_heartbeat(void *kubelets, const char *node_name);
void kubelet_node_enters(struct kubelets *kubelets, struct world_object *node);
void kubelet_node_leaves(struct kubelets *kubelets, struct world_object *node);
// A kubelet that runs and is in touch with the API server; NULL otherwise.
struct kubelet *kubelet_at_work(const struct kubelets *kubelets, const char *node_name);
void kubelet_free(void *kubelet);
void kubelet_machine_free(void *machine);
