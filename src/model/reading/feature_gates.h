// Feature gates (LIF-381): "NAME=true|false, ..." of FEATURE_GATES, and AWS_FEATURE_GATES with the
// AWS provider's names.
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct setting;
struct settings;

// Sets the gates named by `value`; the others get their default. Unknown names are ignored, as
// upstream does: they may belong to another version. Nothing changes on an error.
bool feature_gates_set(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error) MUST_USE;
