// The value of an expression for one instance type.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct kubelet_variables { // of one instance type
    int64_t vcpus, memory_mib, default_enis, ips_per_eni, max_pods;
    const char *instance_type;
};

struct expression;
// A double is truncated toward zero; infinities, NaN, overflow and division by zero are errors.
bool expression_evaluate(const struct expression *expression,
                         const struct kubelet_variables *variables, int64_t *result,
                         struct error *error) MUST_USE;
