// What people see: text from manifests, clusters and messages of others can hold control characters
// that would move a terminal's cursor, hide lines or answer for the user. Between printf() and the
// descriptor they become visible: ESC is shown as \u001b, which is also what JSON and quoted YAML
// understand by it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Puts the filter before standard output and standard error. Line feeds and tabs pass. What else is
// invisible on terminals and no control character of ASCII (C1, bidirectional overrides, bytes that
// are no UTF-8) is escaped on a terminal only: in a file or pipe it does no harm, and bytes stay
// what they are.
void terminal_protect(void);
// This program's own "dim" on standard output, if that is a terminal that may be coloured.
void terminal_dim(bool on);

// Adds a text that is to stay one line, or one cell of a table: line feeds, tabs and returns are
// escaped, too.
struct text;
void terminal_add_line(struct text *out, const char *text);
