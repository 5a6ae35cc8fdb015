// Texts as guides show them: several documents in a file, with typographic quotes, tabs and
// variables.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vector.h"

struct convert_options;

struct raw_document {
    const char *text; // in the file's text
    size_t length;
    uint32_t line; // 1-based
};
struct raw_documents {
    struct raw_document *items;
    uint32_t count, capacity;
};

// Adds the document from `from` to `to`, which begins in that line, unless it is blank.
void documents_add(struct raw_documents *out, const char *from, const char *to, uint32_t line);
// The documents of a YAML text, between its lines "---"; JSON is one. The caller frees the list.
void documents_split(const char *text, size_t length, struct raw_documents *out);

// Plain quotes, blanks and dashes for typographic ones; blanks for tabs. False: there is nothing to
// mend.
bool text_mend_typography(const char *text, size_t length, struct text *out);
// Without the lines "..." by which guides leave something out. False: there are none.
bool text_drop_ellipses(const char *text, size_t length, struct text *out);
// Values for variables: those of --set, and the cluster's name. False: there is nothing to fill in.
bool text_fill_variables(const char *text, size_t length, const struct convert_options *options,
                         struct text *out);
// ${NAME} in quotes inside of [ and ], else as $NAME, which YAML can read; ${NAME:-default} as its
// default.
bool text_readable_variables(const char *text, size_t length, struct text *out);
// The first variable or template action in a value: "${NAME}", "$NAME", "<NAME>", "{{ ... }}".
// NULL: none; `out` receives it.
const char *text_variable(const char *text, struct text *out);
// "Helm" ({{ ... }}) or "Terraform" (%{ ... }): whose template it is; NULL: it is none.
const char *text_template(const char *text, size_t length);
