#include "cli/output/columns.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "cli/input/output_style.h"
#include "cli/output/terminal.h"

#define COLUMNS_MAX 16
#define GAP         2
#define NARROW      10 // columns stay at least as wide
#define NOTE_INDENT 2

struct note {
    uint32_t row;
    char *text;
};

struct columns {
    VECTOR(struct note) notes;
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
    vector_for_each (note, &columns->notes)
        free(note->text);
    vector_free(&columns->notes);
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
    struct text cell = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&cell, format, arguments);
    va_end(arguments);
    columns_add(columns, text_or_empty(cell.data));
    text_free(&cell);
}

void columns_add_note(struct columns *columns, const char *note)
{
    assert(columns->cells.count > 0 && columns->cells.count % columns->count == 0);
    uint32_t row = columns->cells.count / columns->count - 1;
    vector_push(&columns->notes, (struct note){row, memory_copy_string(note)});
}

// --- widths --------------------------------------------------------------------------------------

static void measure(const struct columns *columns, uint32_t first_row, int widths[COLUMNS_MAX])
{
    for (uint32_t i = first_row * columns->count; i < columns->cells.count; i++) {
        int width = (int)strlen(columns->cells.items[i]);
        if (width > widths[i % columns->count])
            widths[i % columns->count] = width;
    }
}

// Takes from the widest left-aligned column until the table fits or all of them are narrow.
static void shrink(const struct columns *columns, int widths[COLUMNS_MAX])
{
    int excess = GAP * ((int)columns->count - 1) - terminal_width();
    for (uint32_t i = 0; i < columns->count; i++)
        excess += widths[i];
    for (; excess > 0 && !output_style()->wide; excess--) {
        uint32_t widest = COLUMNS_MAX;
        for (uint32_t i = 0; i < columns->count; i++)
            if (!columns->right[i] && widths[i] > NARROW &&
                (widest == COLUMNS_MAX || widths[i] >= widths[widest]))
                widest = i;
        if (widest == COLUMNS_MAX)
            return;
        widths[widest]--;
    }
}

// --- rows ----------------------------------------------------------------------------------------

// The length of the part of a cell that fits: up to a blank or behind another separator.
static int part_length(const char *cell, int width)
{
    int length = (int)strlen(cell), end = width;
    if (length <= width)
        return length;
    if (cell[width] == ' ')
        return width;
    while (end > 1 && strchr(" ,-./:", cell[end - 1]) == NULL)
        end--;
    if (end > 1)
        return end;
    for (end = width; end > 1 && ((unsigned char)cell[end] & 0xC0) == 0x80;)
        end--; // not within a character
    return end;
}

// The next line of a row; false: it was the last.
static bool write_line(const struct columns *columns, const int widths[COLUMNS_MAX],
                       const char *rest[COLUMNS_MAX], struct text *line)
{
    bool more = false;
    int column = 0, written = 0;
    for (uint32_t i = 0; i < columns->count; i++) {
        int length = columns->right[i] ? (int)strlen(rest[i]) : part_length(rest[i], widths[i]);
        int end = length;
        while (end > 0 && rest[i][end - 1] == ' ')
            end--;
        int from = columns->right[i] ? column + widths[i] - end : column;
        if (end > 0) {
            text_format(line, "%*s%.*s", from - written, "", end, rest[i]);
            written = from + end;
        }
        rest[i] += length;
        rest[i] += strspn(rest[i], " ");
        more = more || rest[i][0] != '\0';
        column += widths[i] + GAP;
    }
    text_add_char(line, '\n');
    return more;
}

static void print_row(const struct columns *columns, const int widths[COLUMNS_MAX], uint32_t row,
                      FILE *stream)
{
    const char *rest[COLUMNS_MAX] = {NULL};
    struct text text = {0};
    for (uint32_t i = 0; i < columns->count; i++)
        rest[i] = columns->cells.items[row * columns->count + i];
    while (write_line(columns, widths, rest, &text))
        continue;
    text.data[text.length - 1] = '\0';
    if (row == 0)
        terminal_print(stream, IN_BOLD, text.data);
    else
        fputs(text.data, stream);
    fputc('\n', stream);
    text_free(&text);
    vector_for_each (note, &columns->notes)
        if (note->row == row)
            print_wrapped(stream, note->text, NOTE_INDENT, text_width());
}

void columns_print(const struct columns *columns, FILE *stream)
{
    int widths[COLUMNS_MAX] = {0};
    uint32_t first_row = output_style()->no_headers ? 1 : 0;
    measure(columns, first_row, widths);
    shrink(columns, widths);
    for (uint32_t row = first_row; row < columns->cells.count / columns->count; row++)
        print_row(columns, widths, row, stream);
}

void print_heading(const char *heading)
{
    terminal_print(stdout, IN_BOLD, heading);
    putchar('\n');
}

// --- running text --------------------------------------------------------------------------------

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

void print_hanging(FILE *stream, const char *head, const char *text, int indent, int width)
{
    int margin = indent + (int)strlen(head);
    assert(indent >= 0 && margin < width);
    struct text line = {0};
    terminal_add_line(&line, text);
    const char *rest = text_or_empty(line.data);
    int room = width - margin, bullet = text_starts_with(rest, "- ") ? 2 : 0;
    fprintf(stream, "%*s%s", indent, "", head);
    do {
        size_t length = line_length(rest, (size_t)room);
        fprintf(stream, "%.*s\n", (int)length, rest);
        rest += length;
        rest += strspn(rest, " ");
        fprintf(stream, "%*s", *rest != '\0' ? margin + bullet : 0, "");
        room = width - margin - bullet;
    } while (*rest != '\0');
    text_free(&line);
}

void print_wrapped(FILE *stream, const char *text, int indent, int width)
{
    print_hanging(stream, "", text, indent, width);
}

void print_paragraph(int indent, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    print_wrapped(stdout, text_or_empty(text.data), indent, text_width());
    text_free(&text);
}
