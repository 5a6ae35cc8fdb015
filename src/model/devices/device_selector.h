// Device selectors: CEL expressions over one device, such as
//   device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].architecture ==
//   "Hopper"
//
// The part of CEL that selectors use: literals, lists, operators, conditions, has(), in,
// cel.bind(), exists(), all(), exists_one(), optional fields, functions of strings, quantity() and
// semver() with their methods. As in CEL, && and || answer if one side decides although the other
// fails.
#pragma once

#include "model/devices/device_facts.h"

struct device_selector_program;

enum selector_result {
    SELECTOR_NO,
    SELECTOR_YES,
    SELECTOR_FAILED, // such as an attribute that the device does not have: no match
};

// Compiles into the arena. NULL if it is no such expression; the error names the part.
const struct device_selector_program *device_selector_compile(struct arena *arena,
                                                              const char *expression,
                                                              struct error *error) MUST_USE;
// *missing, if not NULL: an attribute or capacity that was asked and that the device does not have.
enum selector_result device_selector_match(const struct device_selector_program *program,
                                           const struct device_facts *facts, const char **missing);
