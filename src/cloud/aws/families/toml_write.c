#include "cloud/aws/families/toml_write.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct toml_order *order;
    struct text *text;
};
static void write_table(struct writer *writer, const struct toml_value *table, const char *path,
                        const char *header);
static void write_value(struct writer *writer, const struct toml_value *value);

void toml_write(const struct toml_value *table, const struct toml_order *order, struct text *text)
{
    assert(table != NULL && table->type == TOML_TABLE);
    struct writer writer = {order, text};
    write_table(&writer, table, "", "");
}

// --- strings and keys ----------------------------------------------------------------------------
static bool needs_escapes(const char *string)
{
    for (const char *c = string; *c != '\0'; c++)
        if (*c == '\'' || ((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7F)
            return true;
    return false;
}

static void write_escaped(struct text *text, const char *string)
{
    static const char from[] = "\\\"\b\f\n\r\t", to[] = "\\\"bfnrt";
    text_add_char(text, '"');
    for (const char *c = string; *c != '\0'; c++) {
        const char *found = strchr(from, *c);
        if (found != NULL)
            text_format(text, "\\%c", to[found - from]);
        else if ((unsigned char)*c < 0x20 || *c == 0x7F)
            text_format(text, "\\u00%02X", (unsigned)(unsigned char)*c);
        else
            text_add_char(text, *c);
    }
    text_add_char(text, '"');
}

static void write_string(struct text *text, const char *string)
{
    if (needs_escapes(string))
        write_escaped(text, string);
    else
        text_format(text, "'%s'", string);
}

static void write_key(struct text *text, const char *key)
{
    bool bare = *key != '\0';
    for (const char *c = key; *c != '\0'; c++)
        bare = bare && (isalnum((unsigned char)*c) || *c == '-' || *c == '_');
    if (bare)
        text_add(text, key);
    else
        write_string(text, key);
}

// --- numbers -------------------------------------------------------------------------------------
// The fewest digits that read as the same number, without exponent.
static void write_shortest(struct text *text, double number)
{
    char digits[40];
    int precision = 0;
    do
        snprintf(digits, sizeof digits, "%.*e", precision, number);
    while (strtod(digits, NULL) != number && ++precision < 17);
    int exponent = atoi(strchr(digits, 'e') + 1);
    int decimals = precision - exponent;
    text_format(text, "%.*f", decimals > 0 ? decimals : 0, number);
}

static void write_float(struct text *text, double number)
{
    if (isnan(number))
        text_add(text, "nan");
    else if (isinf(number))
        text_add(text, number < 0 ? "-inf" : "inf");
    else if (trunc(number) == number)
        text_format(text, "%.1f", number);
    else
        write_shortest(text, number);
}

// --- tables --------------------------------------------------------------------------------------
// Whether a value stands under a header of its own: a table, or an array of nothing but tables.
static bool has_header(const struct toml_value *value)
{
    if (value->type == TOML_TABLE)
        return true;
    if (value->type != TOML_ARRAY || value->array.count == 0)
        return false;
    for (uint32_t i = 0; i < value->array.count; i++)
        if (value->array.items[i]->type != TOML_TABLE)
            return false;
    return true;
}

struct sorting {
    const struct toml_order *order;
    const char *path;
};

static int compare_entries(const void *a, const void *b, void *context)
{
    const struct toml_entry *left = a, *right = b;
    const struct sorting *sorting = context;
    return sorting->order != NULL ? sorting->order->compare(sorting->path, left->key, right->key)
                                  : strcmp(left->key, right->key);
}

// A sorted copy; the caller frees it.
static struct toml_entry *sorted_entries(const struct writer *writer,
                                         const struct toml_value *table, const char *path)
{
    struct sorting sorting = {writer->order, path};
    uint32_t count = table->table.count;
    struct toml_entry *entries = memory_allocate_array(count + 1, sizeof *entries);
    if (count > 0)
        memcpy(entries, table->table.items, count * sizeof *entries);
    qsort_r(entries, count, sizeof *entries, compare_entries, &sorting);
    return entries;
}

static char *join(const char *path, const char *key, bool quoted)
{
    struct text text = {0};
    text_add(&text, path);
    if (path[0] != '\0')
        text_add_char(&text, '.');
    if (quoted)
        write_key(&text, key);
    else
        text_add(&text, key);
    return text_take(&text);
}

// One table or array of tables with its header. `path` is for the order, `header` is written.
static void write_section(struct writer *writer, const struct toml_value *value, const char *path,
                          const char *header)
{
    if (value->type == TOML_TABLE) {
        text_format(writer->text, "[%s]\n", header);
        write_table(writer, value, path, header);
        return;
    }
    for (uint32_t i = 0; i < value->array.count; i++) {
        text_format(writer->text, "%s[[%s]]\n", i > 0 ? "\n" : "", header);
        write_table(writer, value->array.items[i], path, header);
    }
}

static void write_table(struct writer *writer, const struct toml_value *table, const char *path,
                        const char *header)
{
    CLEANUP_FREE struct toml_entry *entries = sorted_entries(writer, table, path);
    bool written = false;
    for (uint32_t i = 0; i < table->table.count; i++) {
        if (has_header(entries[i].value))
            continue;
        write_key(writer->text, entries[i].key);
        text_add(writer->text, " = ");
        write_value(writer, entries[i].value);
        text_add_char(writer->text, '\n');
        written = true;
    }
    for (uint32_t i = 0; i < table->table.count; i++) {
        if (!has_header(entries[i].value))
            continue;
        if (written)
            text_add_char(writer->text, '\n');
        written = true;
        CLEANUP_FREE char *child_path = join(path, entries[i].key, false);
        CLEANUP_FREE char *child_header = join(header, entries[i].key, true);
        write_section(writer, entries[i].value, child_path, child_header);
    }
}

static void write_inline_table(struct writer *writer, const struct toml_value *table)
{
    CLEANUP_FREE struct toml_entry *entries = sorted_entries(writer, table, "");
    text_add_char(writer->text, '{');
    for (uint32_t i = 0; i < table->table.count; i++) {
        text_add(writer->text, i > 0 ? ", " : "");
        write_key(writer->text, entries[i].key);
        text_add(writer->text, " = ");
        write_value(writer, entries[i].value);
    }
    text_add_char(writer->text, '}');
}

static void write_value(struct writer *writer, const struct toml_value *value)
{
    switch (value->type) {
    case TOML_STRING:
        write_string(writer->text, value->text);
        break;
    case TOML_INTEGER:
        text_format(writer->text, "%" PRId64, value->integer);
        break;
    case TOML_FLOAT:
        write_float(writer->text, value->number);
        break;
    case TOML_BOOLEAN:
        text_add(writer->text, value->truth ? "true" : "false");
        break;
    case TOML_INSTANT:
        text_add(writer->text, value->text);
        break;
    case TOML_ARRAY:
        text_add_char(writer->text, '[');
        for (uint32_t i = 0; i < value->array.count; i++) {
            text_add(writer->text, i > 0 ? ", " : "");
            write_value(writer, value->array.items[i]);
        }
        text_add_char(writer->text, ']');
        break;
    case TOML_TABLE:
        write_inline_table(writer, value);
        break;
    }
}
