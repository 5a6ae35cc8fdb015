// Pods of workloads: created from templates, and ranked for deletion.
#pragma once

#include "sim/world/world_internal.h"

// A pod from spec.template of the owner: labels, annotations, spec, owner reference. Exactly one of
// name and generate_name is set.
json_t *workload_pod(const struct world_object *owner, const char *name, const char *generate_name);
// Stores the pod and tells so in an event of its owner.
bool workload_add_pod(struct world *world, const struct world_object *owner, json_t *pod);
// Deletes a pod of the owner, likewise.
void workload_remove_pod(struct world *world, const struct world_object *owner,
                         struct world_object *pod);
// metadata.labels or metadata.annotations of a value under construction, created if absent.
json_t *workload_metadata(json_t *value, const char *part);
// The hash of a template, as in pod-template-hash; `ignored` is a label to leave out, or NULL.
void workload_template_hash(const json_t *pod_template, const char *ignored, char out[12]);
// maxSurge, maxUnavailable: a number or a share of `total`; `otherwise` ("25%") if absent.
int64_t workload_share(const json_t *value, const char *otherwise, int64_t total, bool round_up);
// Sorts pods for deletion, the first to go first. set: their ReplicaSet, which also ranks by the
// number of pods of its Deployment on a node and compares ages by magnitude only; NULL: a Job's.
void workload_sort_for_deletion(const struct world *world, const struct world_object *set,
                                world_objects *pods);
