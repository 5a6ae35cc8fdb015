// Output for programs: one JSON document, printed as -o says.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "cli/input/command.h"

// Whether -o asks for a document (json, yaml, name, jsonpath=TEMPLATE) and not for a text or table.
bool document_is_wanted(const char *format);
// Prints the document to standard output and releases it. `names`: the JSONPath template of -o
// name; NULL: there is none. Returns the exit code: a template may ask for what is not there.
int document_print(const struct command *command, const char *format, const char *names,
                   json_t *json) MUST_USE;
// Prints Kubernetes objects and releases the list: as documents of YAML, or as a List.
int document_print_objects(const struct command *command, const char *format,
                           json_t *objects) MUST_USE;
