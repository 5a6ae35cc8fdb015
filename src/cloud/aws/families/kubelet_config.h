// The kubelet object of an EC2NodeClass as the controller reads it (AWN-230 to 236). Its admission
// checks are in model/validate/validate_kubelet.h.
#pragma once

#include <jansson.h>

#include "base/memory.h"
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/families/kubelet_expression.h"
#include "model/reading/settings.h"
#include "model/schema/object.h"

// The fields that adze interprets; texts as given. In arena memory, `json` included (it is freed
// with kubelet_config_free()).
struct kubelet_config {
    json_t *json; // the whole object; NULL: none
    struct optional_int max_pods, pods_per_core;
    const char *max_pods_expression;                  // NULL: an integer or absent
    struct string_map kube_reserved, system_reserved; // values: quantities or expressions
    struct string_map eviction_hard, eviction_soft, eviction_soft_grace_period;
    struct string_list cluster_dns;
    struct optional_int eviction_max_pod_grace_period;
    struct optional_int image_gc_high_threshold_percent, image_gc_low_threshold_percent;
    struct optional_bool cpu_cfs_quota;
};
// `text` NULL: an empty configuration. The error begins "parsing spec.kubelet, " (AWI-10).
bool kubelet_config_read(struct kubelet_config *config, struct arena *arena, const char *text,
                         struct error *error) MUST_USE;
void kubelet_config_free(struct kubelet_config *config);

// --- expressions (AWN-233 to 235) ----------------------------------------------------------------
// AWN-233: the gate of kubelet expressions.
bool kubelet_expressions_enabled(const struct settings *settings);
bool kubelet_has_expressions(const struct kubelet_config *config);
// Compiles all expressions; the error names the field and the place. It begins "validating
// expression, ".
bool kubelet_check_expressions(const struct kubelet_config *config, struct error *error) MUST_USE;

// The values for one instance type: expressions resolved and formatted (AWN-234). `max_pods` in
// `variables` is the family's default; in the maps' expressions it is what maxPods came to. `gate`
// false: expressions are dropped (AWN-235). A map of which every entry is dropped is absent
// (AWN-723).
struct kubelet_values {
    struct optional_int max_pods; // explicit or by expression; absent: the family's default
    struct string_map kube_reserved, system_reserved; // absent maps have items NULL
};
// False: an expression failed for this type; the error is the first one. `values` is complete all
// the same, without the entries that fail, which is how machines are launched (AWN-236).
bool kubelet_resolve(const struct kubelet_config *config, const struct kubelet_variables *variables,
                     bool gate, struct arena *arena, struct kubelet_values *values,
                     struct error *error) MUST_USE;
