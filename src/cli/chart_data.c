#include "cli/chart_data.h"

#include <assert.h>
#include <string.h>

#include "model/manifest/input.h"

// The assembler includes the files unchanged; ADZE_CHART is a folder with copies of them, given by
// the build.
extern const char chart_permissions_text[], chart_values_text[], chart_alerts_text[],
    dashboard_capacity[], dashboard_controller[], dashboard_disruption[], dashboard_overview[];
#define CHART_FILE(symbol, file) #symbol ": .incbin \"" ADZE_CHART "/" file "\"\n.byte 0\n"
__asm__(".section .rodata\n" CHART_FILE(chart_permissions_text, "permissions.yaml")
            CHART_FILE(chart_values_text, "values.yaml")
                CHART_FILE(chart_alerts_text, "alerts.yaml")
                    CHART_FILE(dashboard_capacity, "capacity.json")
                        CHART_FILE(dashboard_controller, "controller.json")
                            CHART_FILE(dashboard_disruption, "disruption.json")
                                CHART_FILE(dashboard_overview, "overview.json") ".previous\n");

const struct chart_dashboard chart_dashboards[] = {{"capacity", dashboard_capacity},
                                                   {"controller", dashboard_controller},
                                                   {"disruption", dashboard_disruption},
                                                   {"overview", dashboard_overview},
                                                   {0}};

static json_t *read_chart(const char *text)
{
    struct documents documents = {0};
    struct error error = {0};
    bool read = documents_read_text(&documents, text, strlen(text), "chart", false, &error);
    assert(read);
    assert(documents.count == 1);
    json_t *value = json_incref(documents.items[0].value);
    documents_free(&documents);
    return value;
}

json_t *chart_permissions(void)
{
    return read_chart(chart_permissions_text);
}

json_t *chart_values(void)
{
    return read_chart(chart_values_text);
}

json_t *chart_alerts(void)
{
    return read_chart(chart_alerts_text);
}

const char *chart_alerts_file(void)
{
    return chart_alerts_text;
}
