// Expressions of a kubelet object (AWN-233): the part of the Common Expression Language (CEL) that
// sizes need.
//
// Types int (64 bit), double, string, bool, and lists on the right of `in`; literals; variables of
// an instance type; + - * / %, comparisons, && || !, in, ?:, parentheses; min(), max(), int(),
// double(), string(), size(), and of strings startsWith(), endsWith(), contains(). As in CEL, no
// number turns into another type by itself: `vcpus * 1.5` is an error, `double(vcpus) * 1.5` is
// not.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

#define EXPRESSION_BYTES_MAX 4096
#define EXPRESSION_DEPTH_MAX 32
#define EXPRESSION_NODES_MAX 1024

struct kubelet_variables { // of one instance type
    int64_t vcpus, memory_mib, default_enis, ips_per_eni, max_pods;
    const char *instance_type;
};

struct expression; // in arena memory
// NULL: it does not compile; the error names line, column and the place.
struct expression *expression_compile(const char *text, struct arena *arena,
                                      struct error *error) MUST_USE;
// A double is truncated toward zero; infinities, NaN, overflow and division by zero are errors.
bool expression_evaluate(const struct expression *expression,
                         const struct kubelet_variables *variables, int64_t *result,
                         struct error *error) MUST_USE;
