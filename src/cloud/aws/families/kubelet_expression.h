// Expressions of a kubelet object (AWN-233): the part of the Common Expression Language (CEL) that
// sizes need.
//
// Types int (64 bit), double, string, bool, and lists on the right of `in`; literals; variables of
// an instance type; + - * / %, comparisons, && || !, in, ?:, parentheses; min(), max(), int(),
// double(), string(), size(), and of strings startsWith(), endsWith(), contains(). As in CEL, no
// number turns into another type by itself: `vcpus * 1.5` is an error, `double(vcpus) * 1.5` is
// not.
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "cloud/aws/families/expression_evaluate.h"

struct expression; // in arena memory
// NULL: it does not compile; the error names line, column and the place.
struct expression *expression_compile(const char *text, struct arena *arena,
                                      struct error *error) MUST_USE;
