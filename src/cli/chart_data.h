// Files of the chart charts/adze, built into the program. The caller owns the values.
#pragma once

#include <jansson.h>

json_t *chart_permissions(void); // files/permissions.yaml
json_t *chart_values(void);      // values.yaml
