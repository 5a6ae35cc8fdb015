// Kubeconfig files: reading and merging them.
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "kube/transport/kube_config.h"

// Reads and merges the files as kubectl does: of a cluster, user or context the first file that
// names it counts, whole; of current-context the first that sets it. Files that are not there are
// skipped unless `must_exist`.
struct kube_config *kube_config_from_files(const char *const *paths, size_t count, bool must_exist,
                                           const char *context, struct error *error);
