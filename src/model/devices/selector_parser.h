// The parser of device selectors (device_selector.h).
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "model/devices/selector_tree.h"

// The tree in the arena; NULL with an error that names the part at fault.
const struct selector_node *selector_parse(struct arena *arena, const char *expression,
                                           struct error *error) MUST_USE;
