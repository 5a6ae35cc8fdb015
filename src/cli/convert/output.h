// What a run prints: the objects on standard output, the notes as comments and on standard error
// (MIG-11, MIG-12).
#pragma once

#include "cli/convert/conversion.h"

enum notes_where {
    NOTES_COMMENTS = 1,
    NOTES_STDERR = 2,
    NOTES_JSON = 4, // a list on standard error
};
void convert_print_yaml(const struct conversion *conversion, unsigned where);
void convert_print_json(const struct conversion *conversion);
void convert_print_notes(const struct conversion *conversion, unsigned where);
bool convert_has_open_notes(const struct conversion *conversion); // lost or todo (MIG-13)
