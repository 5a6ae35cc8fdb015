// Lines of a text, without their line feeds. They point into the text.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct line {
    const char *text;
    size_t length;
};

// The line at *at, which moves to the next one; false at the end.
bool line_next(const char **at, const char *end, struct line *line);
// Without blanks before and behind.
struct line line_trimmed(struct line line);
bool line_is(struct line line, const char *text);
bool line_begins(struct line line, const char *text);
bool line_begins_in_any_case(struct line line, const char *text);
