#include "cli/manual/help_reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"

#define VALUES_MAX        8
#define OPTION_INDENT_MAX 8 // further right is the text of a description

struct reader {
    struct arena *arena;
    const char *next; // the line to be read
    VECTOR(struct help_part) parts;
};

static size_t indent_of(const char *line)
{
    return strspn(line, " ");
}

static size_t length_of(const char *line)
{
    return strcspn(line, "\n");
}

static bool is_blank(const char *line)
{
    return line[indent_of(line)] == '\n' || line[indent_of(line)] == '\0';
}

static bool is_option(const char *line)
{
    size_t indent = indent_of(line);
    return indent >= 2 && indent <= OPTION_INDENT_MAX && line[indent] == '-' &&
           line[indent + 1] != ' ';
}

static const char *line_after(const char *line)
{
    size_t length = length_of(line);
    return line[length] == '\n' ? line + length + 1 : line + length;
}

static struct help_part *add(struct reader *reader, enum help_part_kind kind)
{
    struct help_part part = {.kind = kind};
    vector_push(&reader->parts, part);
    return &reader->parts.items[reader->parts.count - 1];
}

static void join_line(struct text *text, const char *line)
{
    if (text->length > 0)
        text_add_char(text, ' ');
    text_add_bytes(text, line + indent_of(line), length_of(line) - indent_of(line));
}

static const char *keep(struct reader *reader, struct text *text)
{
    const char *copy = arena_copy_string(reader->arena, text_or_empty(text->data));
    text_free(text);
    return copy;
}

// --- values --------------------------------------------------------------------------------------
// A word of a list: "table", "GetItem", "v1"; neither a phrase nor a number.
static bool is_value(const char *text, size_t length)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    return length > 0 && length < 40 && strspn(text, allowed) >= length;
}

// The length of the list's next word, without " (default)" behind it.
static size_t word_length(const char *text, size_t length)
{
    static const char mark[] = " (default)";
    size_t marked = strlen(mark);
    return length > marked && strncmp(text + length - marked, mark, marked) == 0 ? length - marked
                                                                                 : length;
}

// The next of the separators of a list before `end`, or `end`.
static const char *next_separator(const char *text, const char *end, size_t *length)
{
    static const char *const separators[] = {", or ", ", ", " or "};
    const char *next = end;
    for (size_t i = 0; i < ARRAY_LENGTH(separators); i++) {
        const char *at = strstr(text, separators[i]);
        if (at == NULL || at >= next)
            continue;
        next = at;
        *length = strlen(separators[i]);
    }
    return next;
}

// "a, b or c" up to `end`.
static const char *const *list_of(struct arena *arena, const char *text, const char *end)
{
    const char **values = arena_allocate_array(arena, VALUES_MAX + 1, sizeof *values);
    uint32_t count = 0;
    while (text < end && count < VALUES_MAX) {
        size_t skip = 0;
        const char *stop = next_separator(text, end, &skip);
        size_t length = word_length(text, (size_t)(stop - text));
        const char *equals = memchr(text, '=', length); // "jsonpath=TEMPLATE": up to there
        bool is_empty = length == 2 && strncmp(text, "\"\"", 2) == 0;
        if (!is_empty && !is_value(text, equals != NULL ? (size_t)(equals - text) : length))
            return NULL;
        length = equals != NULL ? (size_t)(equals - text) + 1 : length;
        if (!is_empty)
            values[count++] = arena_format(arena, "%.*s", (int)length, text);
        text = stop + skip;
    }
    return count > 1 && text >= end ? values : NULL;
}

// A list at the beginning of the description ("table (default), json or yaml; …"), or in
// parentheses at its end ("… count (Respect, Ignore)"). Of a setting that is on or off: both.
static const char *const *values_of(struct arena *arena, const char *description)
{
    static const char *const booleans[] = {"true", "false", NULL};
    if (strstr(description, ") = true ") != NULL || strstr(description, ") = false ") != NULL)
        return booleans;
    description += text_starts_with(description, "only ") ? strlen("only ") : 0;
    const char *end = description + strcspn(description, ":;");
    const char *const *values = list_of(arena, description, end);
    const char *open = strrchr(description, '(');
    size_t length = strlen(description);
    if (values == NULL && open != NULL && description[length - 1] == ')')
        values = list_of(arena, open + 1, description + length - 1);
    return values;
}

// --- an option -----------------------------------------------------------------------------------
static const char *read_names(struct reader *reader, struct help_option *option, const char *at)
{
    while (*at == '-' && option->count < HELP_NAMES_MAX) {
        size_t length = strcspn(at, " ,=\n");
        option->names[option->count++] = arena_format(reader->arena, "%.*s", (int)length, at);
        at += length;
        at += strncmp(at, ", ", 2) == 0 ? 2 : 0;
    }
    return at;
}

// "--file FILE": capitals right behind the name. "(ENVIRONMENT_VARIABLE)": a setting.
static const char *read_argument(struct reader *reader, struct help_option *option, const char *at)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=|[]";
    if (at[0] == ' ' && at[1] == '(') {
        option->argument = "VALUE";
        return at;
    }
    size_t length = at[0] == ' ' ? strspn(at + 1, capitals) : 0;
    bool stands_alone = at[length + 1] == ' ' || at[length + 1] == '\n' || at[length + 1] == '\0';
    bool is_word = length == 1 && at[2] == ' ' && at[3] != ' '; // "A pod …"
    if (length == 0 || !stands_alone || is_word)
        return at;
    option->argument = arena_format(reader->arena, "%.*s", (int)length, at + 1);
    return at + 1 + length;
}

static void read_option(struct reader *reader)
{
    struct help_part *part = add(reader, HELP_OPTION);
    const char *line = reader->next;
    size_t indent = indent_of(line);
    const char *at = read_names(reader, &part->option, line + indent);
    at = read_argument(reader, &part->option, at);
    struct text text = {0};
    if (!is_blank(at))
        join_line(&text, at);
    reader->next = line_after(line);
    while (!is_blank(reader->next) && indent_of(reader->next) > indent &&
           !is_option(reader->next)) {
        join_line(&text, reader->next);
        reader->next = line_after(reader->next);
    }
    part->option.description = keep(reader, &text);
    part->option.values =
        part->option.argument != NULL ? values_of(reader->arena, part->option.description) : NULL;
}

// --- other parts ---------------------------------------------------------------------------------
static bool is_status(const char *line)
{
    return text_starts_with(line, "Exit status:") || text_starts_with(line, "Exit codes:");
}

static bool is_title(const char *line)
{
    size_t length = length_of(line);
    return length > 1 && line[length - 1] == ':' && memchr(line, ' ', length) == NULL;
}

static void read_line(struct reader *reader, enum help_part_kind kind)
{
    struct help_part *part = add(reader, kind);
    size_t length = length_of(reader->next);
    part->text = arena_format(reader->arena, "%.*s", (int)length, reader->next);
    reader->next = line_after(reader->next);
}

static void read_paragraph(struct reader *reader)
{
    struct help_part *part = add(reader, is_status(reader->next) ? HELP_STATUS : HELP_PARAGRAPH);
    struct text text = {0};
    do {
        join_line(&text, reader->next);
        reader->next = line_after(reader->next);
    } while (!is_blank(reader->next) && indent_of(reader->next) == 0);
    part->text = keep(reader, &text);
}

static struct help help_read(struct arena *arena, const char *text)
{
    assert(text != NULL);
    struct reader reader = {.arena = arena, .next = text};
    while (*reader.next != '\0') {
        if (is_blank(reader.next))
            reader.next = line_after(reader.next);
        else if (is_option(reader.next))
            read_option(&reader);
        else if (indent_of(reader.next) > 0)
            read_line(&reader, HELP_EXAMPLE);
        else if (is_title(reader.next))
            read_line(&reader, HELP_TITLE);
        else
            read_paragraph(&reader);
    }
    uint32_t count = (uint32_t)reader.parts.count;
    struct help help = {arena_allocate_array(arena, count + 1, sizeof *help.parts), count};
    if (count > 0)
        memcpy(help.parts, reader.parts.items, count * sizeof *help.parts);
    vector_free(&reader.parts);
    return help;
}

struct help help_of_command(struct arena *arena, const struct command *command)
{
    char *more = command->more_help != NULL ? command->more_help() : NULL;
    const char *text = arena_format(arena, "%s\n%s", command->help, text_or_empty(more));
    free(more);
    return help_read(arena, text);
}

const struct help_option *help_find(const struct help *help, const char *name)
{
    for (uint32_t i = 0; i < help->count; i++)
        for (uint32_t n = 0; n < help->parts[i].option.count; n++)
            if (strcmp(help->parts[i].option.names[n], name) == 0)
                return &help->parts[i].option;
    return NULL;
}
