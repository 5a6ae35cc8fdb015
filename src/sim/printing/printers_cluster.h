// Columns of the kinds around workloads: autoscalers, ingresses, policies, quotas, roles,
// endpoints.
#pragma once

#include "sim/printing/cells.h"

extern const struct printer printers_autoscalers[], printers_ingresses[],
    printers_ingress_classes[], printers_network_policies[], printers_limit_ranges[],
    printers_quotas[], printers_roles[], printers_role_bindings[], printers_endpoints[],
    printers_endpoint_slices[], printers_signing_requests[], printers_revisions[],
    printers_runtime_classes[];
