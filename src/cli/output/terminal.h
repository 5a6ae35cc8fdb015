// A filter for output. Text from manifests, clusters and messages of others may contain control
// characters that move a terminal's cursor, hide lines or answer for the user. Between printf() and
// the descriptor they become visible: ESC is shown as \u001b, which JSON and quoted YAML read back
// as ESC.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Installs the filter on standard output and standard error. Line feeds and tabs pass. Other
// invisible characters beyond ASCII's control characters (C1, bidirectional overrides, bytes that
// are not UTF-8) are escaped on a terminal only: in a file or pipe they do no harm, and bytes stay
// unchanged.
void terminal_protect(void);

// Standard output or standard error has colors if it is a terminal, unless NO_COLOR is set or TERM
// is "dumb"; --color overrules both. In files and pipes the bytes are those of fputs().
enum terminal_color { IN_BOLD, IN_DIM, IN_RED, IN_GREEN, IN_YELLOW, IN_BOLD_RED };
void terminal_print(FILE *stream, enum terminal_color color, const char *text);

#define OUTPUT_WIDTH 80 // of tables and running text, unless the terminal is wider
// The width of the terminal that standard output is, at least OUTPUT_WIDTH: of tables. Running text
// is never wider than one can read.
int terminal_width(void);
int text_width(void);

// Adds a text that must stay one line, or one cell of a table: line feeds, tabs and returns are
// escaped, too.
struct text;
void terminal_add_line(struct text *out, const char *text);
