// ResourceSlices that describe the devices of machine types (ANNOTATION_INSTANCE_TYPES).
#pragma once

#include <stdbool.h>

// `types`: the annotation's value, names between commas or blanks; NULL: the slice is no template.
bool device_template_is_of(const char *types, const char *type);
