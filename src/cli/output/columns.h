// A text table: columns are as wide as their widest cell and two blanks apart.
//
//     struct columns *columns = columns_create((const char *[]){"NAME", ">PODS", NULL});
//     columns_add(columns, name); columns_add(columns, "5");
//     columns_print(columns, stdout); columns_destroy(columns);
#pragma once

#include <stdio.h>

struct columns;

// One title a column, NULL-terminated; a title that begins with '>' aligns its column to the right.
struct columns *columns_create(const char *const *titles);
void columns_destroy(struct columns *columns); // NULL is fine

// The next cell, row by row; the text is copied.
void columns_add(struct columns *columns, const char *cell);
void columns_add_format(struct columns *columns, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Titles, then the complete rows; no blanks at the ends of lines.
void columns_print(const struct columns *columns, FILE *stream);

// Prints a text with line breaks at blanks, so that lines have at most `width` characters where
// words allow it; each line is indented by `indent`.
void print_wrapped(FILE *stream, const char *text, int indent, int width);
