#include "cloud/aws/families/toml_read.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/toml_scalar.h"

static bool read_line(struct toml_reader *reader, struct toml_value *root,
                      struct toml_value **section);
static struct toml_value *read_header(struct toml_reader *reader, struct toml_value *root);
static bool read_pair(struct toml_reader *reader, struct toml_value *table);
static const char *read_key(struct toml_reader *reader);
static struct toml_value *read_value(struct toml_reader *reader);
static struct toml_value *read_array(struct toml_reader *reader);
static struct toml_value *read_inline_table(struct toml_reader *reader);
static bool end_line(struct toml_reader *reader);

struct toml_value *toml_read(const char *text, struct arena *arena, struct error *error)
{
    assert(text != NULL && arena != NULL);
    struct toml_reader reader = {.text = text, .place = text, .arena = arena, .error = error};
    if (strlen(text) > TOML_BYTES_MAX)
        return toml_fail(&reader, "the text is longer than %u bytes", TOML_BYTES_MAX);
    if (text_starts_with(text, "\xEF\xBB\xBF"))
        reader.place += 3;
    struct toml_value *root = toml_table(arena);
    root->origin = TOML_BY_HEADER;
    struct toml_value *section = root;
    while (*reader.place != '\0')
        if (!read_line(&reader, root, &section))
            return NULL;
    return root;
}

static void skip_blanks(struct toml_reader *reader)
{
    reader->place += strspn(reader->place, " \t");
}

static bool read_line(struct toml_reader *reader, struct toml_value *root,
                      struct toml_value **section)
{
    skip_blanks(reader);
    if (*reader->place == '[') {
        *section = read_header(reader, root);
        return *section != NULL && end_line(reader);
    }
    if (*reader->place != '#' && *reader->place != '\r' && *reader->place != '\n' &&
        *reader->place != '\0' && !read_pair(reader, *section))
        return false;
    return end_line(reader);
}

static bool skip_comment(struct toml_reader *reader)
{
    if (*reader->place != '#')
        return true;
    while (*reader->place != '\0' && *reader->place != '\n' &&
           !(reader->place[0] == '\r' && reader->place[1] == '\n')) {
        unsigned char c = (unsigned char)*reader->place;
        if ((c < 0x20 && c != '\t') || c == 0x7F)
            return toml_fail(reader, "a control character in a comment");
        reader->place++;
    }
    return true;
}

static bool take_newline(struct toml_reader *reader)
{
    if (reader->place[0] == '\r' && reader->place[1] == '\n')
        reader->place++;
    if (*reader->place != '\n')
        return false;
    reader->place++;
    return true;
}

// Blanks and a comment may still come.
static bool end_line(struct toml_reader *reader)
{
    skip_blanks(reader);
    if (!skip_comment(reader))
        return false;
    if (*reader->place == '\0' || take_newline(reader))
        return true;
    return toml_fail(reader, "the line must end here");
}

// --- keys and tables -----------------------------------------------------------------------------
static bool is_bare(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static const char *read_key(struct toml_reader *reader)
{
    skip_blanks(reader);
    if (*reader->place == '"' || *reader->place == '\'')
        return toml_read_string(reader, true);
    const char *start = reader->place;
    while (is_bare(*reader->place))
        reader->place++;
    if (start == reader->place)
        return toml_fail(reader, "a key must stand here; quote keys with other characters than "
                                 "letters, digits, - and _");
    return arena_copy_bytes(reader->arena, start, (size_t)(reader->place - start));
}

// Whether a dot follows: then another part of the key.
static bool take_dot(struct toml_reader *reader)
{
    skip_blanks(reader);
    if (*reader->place != '.')
        return false;
    reader->place++;
    return true;
}

static struct toml_value *new_table(struct toml_reader *reader, struct toml_value *parent,
                                    const char *key, enum toml_origin origin)
{
    struct toml_value *table = toml_table(reader->arena);
    table->origin = origin;
    toml_set(parent, reader->arena, key, table);
    return table;
}

// The table that a part of a header leads to; the last one of an array of tables.
static struct toml_value *descend(struct toml_reader *reader, struct toml_value *table,
                                  const char *key)
{
    struct toml_value *child = toml_get(table, key);
    if (child == NULL)
        return new_table(reader, table, key, TOML_BY_PATH);
    if (child->type == TOML_ARRAY && child->origin == TOML_BY_HEADER)
        return child->array.items[child->array.count - 1];
    if (child->type == TOML_TABLE && child->origin != TOML_INLINE)
        return child;
    return toml_fail(reader, "%.100s has a value already, so no table can be below it", key);
}

static struct toml_value *open_table(struct toml_reader *reader, struct toml_value *parent,
                                     const char *key)
{
    struct toml_value *table = toml_get(parent, key);
    if (table == NULL)
        return new_table(reader, parent, key, TOML_BY_HEADER);
    if (table->type != TOML_TABLE || table->origin != TOML_BY_PATH)
        return toml_fail(reader, "%.100s is defined twice", key);
    table->origin = TOML_BY_HEADER;
    return table;
}

static struct toml_value *append_table(struct toml_reader *reader, struct toml_value *parent,
                                       const char *key)
{
    struct toml_value *array = toml_get(parent, key);
    if (array == NULL) {
        array = toml_array(reader->arena);
        array->origin = TOML_BY_HEADER;
        toml_set(parent, reader->arena, key, array);
    }
    if (array->type != TOML_ARRAY || array->origin != TOML_BY_HEADER)
        return toml_fail(reader, "%.100s is defined already, and is no array of tables", key);
    struct toml_value *table = toml_table(reader->arena);
    table->origin = TOML_BY_HEADER;
    toml_append(array, reader->arena, table);
    return table;
}

static struct toml_value *read_header(struct toml_reader *reader, struct toml_value *root)
{
    assert(*reader->place == '[');
    bool array = reader->place[1] == '[';
    reader->place += array ? 2 : 1;
    struct toml_value *table = root;
    uint32_t depth = 0;
    for (;;) {
        const char *key = read_key(reader);
        if (key == NULL)
            return NULL;
        if (++depth > TOML_DEPTH_MAX)
            return toml_fail(reader, "tables nest deeper than %d", TOML_DEPTH_MAX);
        if (take_dot(reader)) {
            table = descend(reader, table, key);
            if (table == NULL)
                return NULL;
            continue;
        }
        if (!text_starts_with(reader->place, array ? "]]" : "]"))
            return toml_fail(reader, "the header must end in %s here", array ? "]]" : "]");
        reader->place += array ? 2 : 1;
        return array ? append_table(reader, table, key) : open_table(reader, table, key);
    }
}

// The table that a part of a dotted key before its last leads to.
static struct toml_value *descend_dotted(struct toml_reader *reader, struct toml_value *table,
                                         const char *key)
{
    struct toml_value *child = toml_get(table, key);
    if (child == NULL)
        return new_table(reader, table, key, TOML_BY_DOTTED);
    if (child->type == TOML_TABLE && child->origin == TOML_BY_DOTTED)
        return child;
    return toml_fail(reader, "%.100s is defined elsewhere, so a dotted key cannot add to it", key);
}

static bool read_pair(struct toml_reader *reader, struct toml_value *table)
{
    uint32_t depth = 0;
    const char *key = read_key(reader);
    while (key != NULL && take_dot(reader)) {
        if (++depth + reader->depth > TOML_DEPTH_MAX)
            return toml_fail(reader, "tables nest deeper than %d", TOML_DEPTH_MAX);
        table = descend_dotted(reader, table, key);
        key = table != NULL ? read_key(reader) : NULL;
    }
    if (key == NULL)
        return false;
    skip_blanks(reader);
    if (*reader->place != '=')
        return toml_fail(reader, "= must follow the key %.100s", key);
    reader->place++;
    if (toml_get(table, key) != NULL)
        return toml_fail(reader, "%.100s is defined twice", key);
    struct toml_value *value = read_value(reader);
    if (value == NULL)
        return false;
    toml_set(table, reader->arena, key, value);
    return true;
}

// --- values --------------------------------------------------------------------------------------
static struct toml_value *read_value(struct toml_reader *reader)
{
    skip_blanks(reader);
    char c = *reader->place;
    if (c == '"' || c == '\'') {
        const char *text = toml_read_string(reader, false);
        return text != NULL ? toml_string(reader->arena, text) : NULL;
    }
    if (c != '[' && c != '{')
        return toml_read_scalar(reader);
    if (++reader->depth > TOML_DEPTH_MAX)
        return toml_fail(reader, "values nest deeper than %d", TOML_DEPTH_MAX);
    struct toml_value *value = c == '[' ? read_array(reader) : read_inline_table(reader);
    reader->depth--;
    return value;
}

// Blanks, comments and newlines between the items of an array.
static bool skip_lines(struct toml_reader *reader)
{
    do {
        skip_blanks(reader);
        if (!skip_comment(reader))
            return false;
    } while (take_newline(reader));
    return true;
}

static struct toml_value *read_array(struct toml_reader *reader)
{
    assert(*reader->place == '[');
    struct toml_value *array = toml_array(reader->arena);
    array->origin = TOML_INLINE;
    reader->place++;
    for (;;) {
        if (!skip_lines(reader))
            return NULL;
        if (*reader->place == ']')
            break;
        struct toml_value *item = read_value(reader);
        if (item == NULL || !skip_lines(reader))
            return NULL;
        toml_append(array, reader->arena, item);
        if (*reader->place == ',')
            reader->place++;
        else if (*reader->place != ']')
            return toml_fail(reader, "a comma or ] must follow the array's item");
    }
    reader->place++;
    return array;
}

// Nothing may be added later, neither to the table nor to those that its dotted keys make.
static void seal(struct toml_value *table)
{
    table->origin = TOML_INLINE;
    for (uint32_t i = 0; i < table->table.count; i++)
        if (table->table.items[i].value->type == TOML_TABLE)
            seal(table->table.items[i].value);
}

static struct toml_value *read_inline_table(struct toml_reader *reader)
{
    assert(*reader->place == '{');
    struct toml_value *table = toml_table(reader->arena);
    reader->place++;
    skip_blanks(reader);
    while (*reader->place != '}') {
        if (!read_pair(reader, table))
            return NULL;
        skip_blanks(reader);
        if (*reader->place == '}')
            break;
        if (*reader->place != ',')
            return toml_fail(reader, "a comma or } must follow the inline table's value");
        reader->place++;
        skip_blanks(reader);
        if (*reader->place == '}')
            return toml_fail(reader, "an inline table has no comma after its last value");
    }
    reader->place++;
    seal(table);
    return table;
}
