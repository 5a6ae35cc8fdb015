// Files to the documents of a run, each with its text; mends what keeps YAML from being read.
#pragma once

#include "base/error.h"
#include "cli/convert/conversion.h"

// Appends the documents of a file, of a folder's *.yaml, *.yml and *.json, or of standard input
// ("-"). Errors of single documents go to conversion->errors; `error`: the file cannot be read.
bool sources_read(struct conversion *conversion, const char *path, struct error *error) MUST_USE;
