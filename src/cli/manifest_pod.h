// The controller's Deployment, with the defaults of the chart (charts/adze/values.yaml).
#pragma once

#include "cli/manifest_roles.h"

// Settings that were set explicitly become variables of the container; others come from the
// ConfigMap adze-settings, if there is one. The caller owns the object.
json_t *manifest_deployment(const struct manifest_options *options);
