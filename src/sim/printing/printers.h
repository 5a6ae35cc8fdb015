// The columns of built-in kinds.
#pragma once

#include "sim/printing/cells.h"
#include "sim/store/store.h"

// Terminated by a NULL name, or NULL if the kind has no columns of its own.
const struct printer *printers_of(const struct store_resource *resource);
