// Files of the chart charts/adze, built into the program. The caller owns the values.
#pragma once

#include <jansson.h>

json_t *chart_permissions(void);     // files/permissions.yaml
json_t *chart_values(void);          // values.yaml
json_t *chart_alerts(void);          // files/alerts.yaml
const char *chart_alerts_file(void); // the same, as it is written

// files/dashboards/; NULL-terminated.
struct chart_dashboard {
    const char *name, *text;
};
extern const struct chart_dashboard chart_dashboards[];
