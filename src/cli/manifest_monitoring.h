// What Prometheus and Grafana need, from the chart's files: alerts and dashboards.
#pragma once

#include "cli/manifest_roles.h"

// Appends a ServiceMonitor and a PrometheusRule (`by_operator`), or else the rules in a ConfigMap;
// and a ConfigMap for each dashboard, with the label that Grafana's sidecar looks for.
void manifest_monitoring_add(const struct manifest_options *options, bool by_operator,
                             json_t *objects);
