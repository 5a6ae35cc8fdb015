#include "cli/output/columns.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "cli/output/terminal.h"

#define COLUMNS_MAX 16
#define GAP         2

struct columns {
    VECTOR(char *) cells; // the titles are the first row
    uint32_t count;
    bool right[COLUMNS_MAX];
};

struct columns *columns_create(const char *const *titles)
{
    struct columns *columns = memory_allocate(sizeof *columns);
    for (; titles[columns->count] != NULL; columns->count++) {
        assert(columns->count < COLUMNS_MAX);
        const char *title = titles[columns->count];
        columns->right[columns->count] = title[0] == '>';
        columns_add(columns, title[0] == '>' ? title + 1 : title);
    }
    assert(columns->count > 0);
    return columns;
}

void columns_destroy(struct columns *columns)
{
    if (columns == NULL)
        return;
    vector_for_each (cell, &columns->cells)
        free(*cell);
    vector_free(&columns->cells);
    free(columns);
}

void columns_add(struct columns *columns, const char *cell)
{
    struct text text = {0};
    terminal_add_line(&text, cell);
    vector_push(&columns->cells, text_take(&text));
}

void columns_add_format(struct columns *columns, const char *format, ...)
{
    char cell[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, sizeof cell, format, arguments);
    va_end(arguments);
    columns_add(columns, cell);
}

static void measure(const struct columns *columns, int widths[COLUMNS_MAX])
{
    for (uint32_t i = 0; i < columns->cells.count; i++) {
        int width = (int)strlen(columns->cells.items[i]);
        if (width > widths[i % columns->count])
            widths[i % columns->count] = width;
    }
}

void columns_print(const struct columns *columns, FILE *stream)
{
    int widths[COLUMNS_MAX] = {0};
    measure(columns, widths);
    for (uint32_t row = 0; row < columns->cells.count / columns->count; row++) {
        for (uint32_t i = 0; i < columns->count; i++) {
            const char *cell = columns->cells.items[row * columns->count + i];
            bool last = i + 1 == columns->count;
            if (columns->right[i])
                fprintf(stream, "%*s", widths[i], cell);
            else
                fprintf(stream, "%-*s", last ? 0 : widths[i], cell);
            fprintf(stream, "%*s", last ? 0 : GAP, "");
        }
        fputc('\n', stream);
    }
}

// The length of the next line of `text`: as many words as fit, at least one.
static size_t line_length(const char *text, size_t room)
{
    size_t length = strcspn(text, " ");
    while (text[length] == ' ') {
        size_t next = length + 1 + strcspn(text + length + 1, " ");
        if (next > room)
            break;
        length = next;
    }
    return length;
}

void print_wrapped(FILE *stream, const char *text, int indent, int width)
{
    assert(indent >= 0 && indent < width);
    struct text line = {0};
    terminal_add_line(&line, text);
    const char *rest = line.data != NULL ? line.data : "";
    do {
        size_t length = line_length(rest, (size_t)(width - indent));
        fprintf(stream, "%*s%.*s\n", indent, "", (int)length, rest);
        rest += length;
        rest += strspn(rest, " ");
    } while (*rest != '\0');
    text_free(&line);
}
