// The cause of a mistake in YAML, which the parser finds only some lines later: a remedy for the
// end of its message.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

// `line`: 1-based, in the text, or 0: not known; `before`: lines of the file before the text. Adds
// nothing if there is nothing to say.
void yaml_hint(const char *text, size_t length, size_t line, size_t before, const char *problem,
               struct text *out);
// "Terraform", "Markdown" or "a shell script": a text that is no YAML, but may hold some; NULL: it
// is none of these.
const char *yaml_other_language(const char *text, size_t length);
