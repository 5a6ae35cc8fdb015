// Resource versions of objects, as API servers count them.
#pragma once

#include <stdbool.h>

// False if either version is not a number: such versions cannot be compared.
bool resource_version_is_newer(const char *version, const char *than);
