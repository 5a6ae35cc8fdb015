#include "cli/chart_data.h"

#include <assert.h>
#include <string.h>

#include "model/manifest/input.h"

// The assembler includes the files unchanged; ADZE_CHART is a folder with copies of them, given by
// the build.
extern const char chart_permissions_text[], chart_values_text[];
__asm__(".section .rodata\n"
        "chart_permissions_text: .incbin \"" ADZE_CHART "/permissions.yaml\"\n"
        ".byte 0\n"
        "chart_values_text: .incbin \"" ADZE_CHART "/values.yaml\"\n"
        ".byte 0\n"
        ".previous\n");

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
