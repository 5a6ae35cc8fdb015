// The pods of a cluster after its workloads were edited: the workload controllers' part of an
// overlay (snapshot_overlay.h).
//
// Replaced pods are gone at once and their successors wait for a place; a rolling update in between
// is left out. Of a workload that shrinks, the pods that a ReplicaSet deletes first go.
#pragma once

#include "model/snapshot/snapshot_overlay.h"

// Brings the pods of each changed Deployment, ReplicaSet, StatefulSet, Job and DaemonSet in line.
// Pods of a DaemonSet stay on their nodes and get the new template's requests.
bool workload_overlay(struct snapshot *snapshot, const struct object_change_list *changes,
                      struct error *error) MUST_USE;
