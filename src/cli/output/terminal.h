// A filter for output. Text from manifests, clusters and messages of others may contain control
// characters that move a terminal's cursor, hide lines or answer for the user. Between printf() and
// the descriptor they become visible: ESC is shown as \u001b, which JSON and quoted YAML read back
// as ESC.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Installs the filter on standard output and standard error. Line feeds and tabs pass. Other
// invisible characters beyond ASCII's control characters (C1, bidirectional overrides, bytes that
// are not UTF-8) are escaped on a terminal only: in a file or pipe they do no harm, and bytes stay
// unchanged.
void terminal_protect(void);
// This program's own "dim" on standard output, if that is a terminal with colors.
void terminal_dim(bool on);

// Adds a text that must stay one line, or one cell of a table: line feeds, tabs and returns are
// escaped, too.
struct text;
void terminal_add_line(struct text *out, const char *text);
