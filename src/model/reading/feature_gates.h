// Feature gates (LIF-381): "NAME=true|false, ..." of FEATURE_GATES, and AWS_FEATURE_GATES, whose
// names the AWS provider knows.
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct setting;
struct settings;

// Sets the gates that `value` names; the others get their default. Names that nobody knows are
// passed over, as upstream does: they may belong to another version. Nothing changes on an error.
bool feature_gates_set(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error) MUST_USE;
