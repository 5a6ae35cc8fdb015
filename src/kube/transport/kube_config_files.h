// Kubeconfig files: reading and merging them.
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "kube/transport/kube_choice.h"
#include "kube/transport/kube_config.h"

// Reads and merges the files as kubectl does: the first file that names a cluster, user or context
// defines it as a whole; the first that sets current-context defines that. Missing files are
// skipped unless `must_exist`.
struct kube_config *kube_config_from_files(const char *const *paths, size_t count, bool must_exist,
                                           const struct kube_choice *choice, struct error *error);
