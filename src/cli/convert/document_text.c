#include "cli/convert/document_text.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/convert/conversion.h"
#include "cli/convert/document_lines.h"

// --- documents -----------------------------------------------------------------------------------
static bool is_separator(struct line line)
{
    return line_begins(line, "---") && (line.length == 3 || isspace((unsigned char)line.text[3]));
}

static bool is_json(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text))
        text++, length--;
    return length > 0 && (*text == '{' || *text == '[') &&
           !(length > 1 && text[0] == '{' && text[1] == '{');
}

void documents_add(struct raw_documents *out, const char *from, const char *to, uint32_t line)
{
    struct line rest = line_trimmed((struct line){from, (size_t)(to - from)});
    if (rest.length > 0)
        vector_push(out, (struct raw_document){from, (size_t)(to - from), line});
}

void documents_split(const char *text, size_t length, struct raw_documents *out)
{
    const char *at = text, *end = text + length, *from = text, *begin = text;
    uint32_t number = 0, first = 1;
    struct line line;
    if (is_json(text, length)) {
        documents_add(out, text, end, 1);
        return;
    }
    for (; line_next(&at, end, &line); begin = at) {
        number++;
        if (!is_separator(line))
            continue;
        documents_add(out, from, begin, first);
        from = at;
        first = number + 1;
    }
    documents_add(out, from, end, first);
}

// --- typography ----------------------------------------------------------------------------------
static const struct {
    const char *from, *to;
} typographic[] = {
    {"\xE2\x80\x9C", "\""},  {"\xE2\x80\x9D", "\""},  {"\xE2\x80\x9E", "\""}, // double quotes
    {"\xE2\x80\x98", "'"},   {"\xE2\x80\x99", "'"},   {"\xC2\xA0", " "}, // single ones, a blank
    {"\xE2\x80\x93 ", "- "}, {"\xE2\x80\x94 ", "- "}, {"\xE2\x80\xA2 ", "- "}, // dashes, a bullet
    {"\xEF\xBB\xBF", ""},    {"\xE2\x80\x8B", ""},    {"\t", "  "},
    {"\r\n", "\n"},
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) != 0;
}

// An apostrophe inside a word stays.
static bool is_apostrophe(const char *text, size_t length, size_t at)
{
    return memcmp(text + at, "\xE2\x80\x99", 3) == 0 && at > 0 && at + 3 < length &&
           is_letter(text[at - 1]) && is_letter(text[at + 3]);
}

bool text_mend_typography(const char *text, size_t length, struct text *out)
{
    bool any = false;
    for (size_t at = 0; at < length;) {
        size_t i = 0, size = 0;
        for (; i < ARRAY_LENGTH(typographic); i++) {
            size = strlen(typographic[i].from);
            if (at + size <= length && memcmp(text + at, typographic[i].from, size) == 0)
                break;
        }
        if (i == ARRAY_LENGTH(typographic) ||
            (size == 3 && at + 3 <= length && is_apostrophe(text, length, at))) {
            text_add_bytes(out, text + at++, 1);
            continue;
        }
        any = true;
        text_add(out, typographic[i].to);
        at += size;
    }
    return any;
}

bool text_drop_ellipses(const char *text, size_t length, struct text *out)
{
    const char *at = text, *end = text + length;
    struct line line;
    bool any = false;
    while (line_next(&at, end, &line)) {
        struct line bare = line_trimmed(line);
        if (line_is(bare, "...") || line_is(bare, "\xE2\x80\xA6") || line_is(bare, "<...>"))
            any = true;
        else
            text_add_bytes(out, line.text, (size_t)(at - line.text));
    }
    return any;
}

// --- variables -----------------------------------------------------------------------------------
// The place of the } that closes the { before `at`, in one line; `length`: there is none.
static size_t closing_brace(const char *text, size_t length, size_t at)
{
    for (unsigned depth = 1; at < length; at++) {
        depth += text[at] == '{';
        depth -= text[at] == '}';
        if (depth == 0)
            return at;
        if (text[at] == '\n')
            return length;
    }
    return length;
}

// "${NAME}", "${NAME:-default}" or "$NAME" at `text`: its length, or 0. The name is name[0..count).
static size_t variable_at(const char *text, size_t length, struct line *name, struct line *rest)
{
    size_t at = 1, end;
    *rest = (struct line){"", 0};
    if (length < 3 || text[0] != '$' || (text[1] != '{' && !isupper((unsigned char)text[1])))
        return 0;
    bool braces = text[1] == '{';
    at += braces;
    for (end = at; end < length && (is_letter(text[end]) || text[end] == '_' ||
                                    (braces && strchr(".-[]\"", text[end]) != NULL));)
        end++;
    *name = (struct line){text + at, end - at};
    if (name->length == 0)
        return 0;
    if (!braces)
        return end;
    size_t close = closing_brace(text, length, end);
    *rest = (struct line){text + end, close - end};
    return close < length ? close + 1 : 0;
}

static const char *value_of(const struct convert_options *options, struct line name)
{
    static const char cluster[] = "cluster_name";
    size_t tail = sizeof cluster - 1;
    vector_for_each (variable, &options->variables)
        if (line_is(name, variable->name))
            return variable->value;
    bool is_cluster =
        name.length >= tail && strncasecmp(name.text + name.length - tail, cluster, tail) == 0;
    return is_cluster ? options->cluster_name : NULL;
}

bool text_fill_variables(const char *text, size_t length, const struct convert_options *options,
                         struct text *out)
{
    bool any = false;
    for (size_t at = 0; at < length;) {
        struct line name, rest;
        size_t size = variable_at(text + at, length - at, &name, &rest);
        const char *value = size > 0 ? value_of(options, name) : NULL;
        if (value == NULL) {
            text_add_bytes(out, text + at++, 1);
            continue;
        }
        any = true;
        text_add(out, value);
        at += size;
    }
    return any;
}

// Where the plain scalar of a flow collection that holds text[at] begins; SIZE_MAX: there is none.
static size_t flow_scalar(const char *text, size_t at)
{
    size_t from = at;
    while (from > 0 && strchr("[,\n\"'", text[from - 1]) == NULL)
        from--;
    if (from == 0 || strchr("[,", text[from - 1]) == NULL)
        return SIZE_MAX;
    while (from < at && text[from] == ' ')
        from++;
    return from;
}

// "${A}b" in "[${A}b, c]" with quotes around it, which YAML can read; at: behind its end.
static bool quote_flow_scalar(const char *text, size_t length, size_t *at, struct text *out)
{
    size_t from = flow_scalar(text, *at), end = *at;
    struct line name, rest;
    if (from == SIZE_MAX)
        return false;
    while (end < length && strchr(",]\n", text[end]) == NULL) {
        size_t size = variable_at(text + end, length - end, &name, &rest);
        end += size > 0 ? size : 1;
    }
    while (end > *at && text[end - 1] == ' ')
        end--;
    if (memchr(text + from, '"', end - from) != NULL)
        return false;
    out->length -= *at - from;
    text_add_char(out, '"');
    text_add_bytes(out, text + from, end - from);
    text_add_char(out, '"');
    *at = end;
    return true;
}

bool text_readable_variables(const char *text, size_t length, struct text *out)
{
    bool any = false;
    for (size_t at = 0; at < length;) {
        struct line name, rest;
        size_t size = variable_at(text + at, length - at, &name, &rest);
        if (size == 0 || text[at + 1] != '{') {
            text_add_bytes(out, text + at++, 1);
            continue;
        }
        any = true;
        if (line_begins(rest, ":-")) {
            text_add_bytes(out, rest.text + 2, rest.length - 2);
        } else if (quote_flow_scalar(text, length, &at, out)) {
            continue;
        } else {
            text_add_char(out, '$');
            text_add_bytes(out, name.text, name.length);
        }
        at += size;
    }
    return any;
}

const char *text_variable(const char *text, struct text *out)
{
    size_t length = strlen(text);
    struct line name, rest;
    text_clear(out);
    for (size_t at = 0; at < length; at++) {
        size_t size = variable_at(text + at, length - at, &name, &rest);
        const char *close = NULL;
        if (text[at] == '<' && (close = memchr(text + at, '>', length - at)) != NULL)
            size = (size_t)(close - text) - at + 1;
        if (size == 0 && strncmp(text + at, "{{", 2) == 0 && strstr(text + at, "}}") != NULL)
            size = (size_t)(strstr(text + at, "}}") - text) - at + 2;
        if (size == 0)
            continue;
        text_add_bytes(out, text + at, size);
        return out->data;
    }
    return NULL;
}

const char *text_template(const char *text, size_t length)
{
    const char *open = memmem(text, length, "{{", 2);
    if (memmem(text, length, "%{", 2) != NULL) // templatefile()
        return "Terraform";
    bool closed = open != NULL && memmem(open, length - (size_t)(open - text), "}}", 2) != NULL;
    return closed ? "Helm" : NULL;
}
