// A text table: columns are as wide as their widest cell and two blanks apart. Where that is wider
// than the terminal, cells of left-aligned columns go on in the next line; nothing is cut off.
// With -o wide they do not.
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

// A line of its own below the last complete row, indented.
void columns_add_note(struct columns *columns, const char *note);

// Titles (unless --no-headers), then the complete rows; no blanks at the ends of lines.
void columns_print(const struct columns *columns, FILE *stream);

// The heading of a section, such as "NEW NODES", as a line of its own.
void print_heading(const char *heading);

// Prints a text with line breaks at blanks, so that lines have at most `width` characters where
// words allow it; each line is indented by `indent`, and by two more below "- ".
void print_wrapped(FILE *stream, const char *text, int indent, int width);
// The same; the first line begins with `head`, and the others are indented by its length, too.
void print_hanging(FILE *stream, const char *head, const char *text, int indent, int width);
// A formatted paragraph on standard output, wrapped to the terminal.
void print_paragraph(int indent, const char *format, ...) __attribute__((format(printf, 2, 3)));
