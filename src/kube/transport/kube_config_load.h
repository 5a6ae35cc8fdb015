// Finds the cluster to talk to: a kubeconfig named by the caller or the environment, the pod's
// service account, or ~/.kube/config.
#pragma once

#include "base/error.h"
#include "kube/transport/kube_choice.h"
#include "kube/transport/kube_config.h"

// The kubeconfig of the choice; NULL: $KUBECONFIG (colon-separated list, merged), else in-cluster
// if the service account is there, else ~/.kube/config. Context NULL: the current one.
struct kube_config *kube_config_load(const struct kube_choice *choice,
                                     struct error *error) MUST_USE;
// The service account of a pod; `folder` NULL: where Kubernetes mounts it.
struct kube_config *kube_config_in_cluster(const char *folder, struct error *error) MUST_USE;
