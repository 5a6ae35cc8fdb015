#include "model/reading/feature_gates.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/reading/settings.h"
#include "model/reading/settings_table.h"

struct gate {
    const char *name;
    uint32_t offset;
    bool is_default;
};
static const struct gate gates[] = {
    {"ReservedCapacity", offsetof(struct settings, gate_reserved_capacity), true},
    {"SpotToSpotConsolidation", offsetof(struct settings, gate_spot_to_spot_consolidation), false},
    {"NodeRepair", offsetof(struct settings, gate_node_repair), false},
    {"NodeOverlay", offsetof(struct settings, gate_node_overlay), false},
    {"StaticCapacity", offsetof(struct settings, gate_static_capacity), false},
    {"CapacityBuffer", offsetof(struct settings, gate_capacity_buffer), false},
};

static bool set_gate(struct settings *settings, bool is_core, char *assignment,
                     const struct setting *row, struct error *error)
{
    bool is_on;
    char *equals = strchr(assignment, '=');
    if (equals == NULL)
        return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is not of the form NAME=true|false",
                         row->environment, assignment);
    *equals = '\0';
    if (!text_parse_bool(equals + 1, &is_on))
        return error_set(error, ERROR_INVALID, "%s: %.60s: \"%.60s\" is neither true nor false",
                         row->environment, assignment, equals + 1);
    for (size_t i = 0; is_core && i < ARRAY_LENGTH(gates); i++)
        if (strcmp(gates[i].name, assignment) == 0)
            *(bool *)((char *)settings + gates[i].offset) = is_on;
    return true;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

bool feature_gates_set(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    bool is_core = row->offset == offsetof(struct settings, feature_gates);
    CLEANUP_FREE char *copy = memory_copy_string(value);
    struct settings trial = *settings; // nothing changes if any part is invalid
    for (size_t i = 0; is_core && i < ARRAY_LENGTH(gates); i++)
        *(bool *)((char *)&trial + gates[i].offset) = gates[i].is_default;
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        part = trim(part);
        if (part[0] != '\0' && !set_gate(&trial, is_core, part, row, error))
            return false;
    }
    *settings = trial;
    return true;
}
