// Paths of the Kubernetes API: /api/v1/..., /apis/GROUP/VERSION/..., namespaced or not, with or
// without a name and a subresource.
#pragma once

#include "sim/apiserver/api_internal.h"

bool api_path_parse(const char *text, struct api_path *path); // false: no valid path
void api_path_clear(struct api_path *path);
