// Resource versions of objects, as API servers count them.
#pragma once

#include <stdbool.h>

// Versions that are not numbers cannot be compared: never newer.
bool resource_version_is_newer(const char *version, const char *than);
