// A NodeConfig as YAML in the form that Go's library gives it: keys in byte order, and quotes only
// where a plain text would read as something else.
#pragma once

#include <jansson.h>

#include "base/text.h"

void node_config_yaml_write(const json_t *value, struct text *text); // appends
