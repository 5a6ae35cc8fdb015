#include "model/manifest/yaml_hint.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"

struct row { // a line, without its end
    const char *text;
    size_t length;
    size_t number; // 1-based; 0: there is none
};
struct spot { // the line of the mistake and those before it
    const char *text, *end;
    struct row row;
    size_t before;
    const char *problem;
};

// --- lines ---------------------------------------------------------------------------------------
static struct row row_of(const char *text, const char *end, size_t number)
{
    const char *at = text;
    for (size_t i = 1; i < number && at != NULL; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || number == 0)
        return (struct row){"", 0, 0};
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((feed != NULL ? feed : end) - at);
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    return (struct row){at, length, number};
}

// The line above; number 0: there is none.
static struct row row_above(const char *text, struct row row)
{
    if (row.number <= 1)
        return (struct row){"", 0, 0};
    const char *feed = row.text - 1;
    const char *last = memrchr(text, '\n', (size_t)(feed - text));
    const char *from = last != NULL ? last + 1 : text;
    size_t length = (size_t)(feed - from);
    while (length > 0 && isspace((unsigned char)from[length - 1]))
        length--;
    return (struct row){from, length, row.number - 1};
}

static size_t indentation(struct row row)
{
    size_t count = 0;
    while (count < row.length && row.text[count] == ' ')
        count++;
    return count;
}

static struct row content(struct row row)
{
    size_t count = indentation(row);
    return (struct row){row.text + count, row.length - count, row.number};
}

static bool row_is(struct row row, const char *text)
{
    return row.length == strlen(text) && memcmp(row.text, text, row.length) == 0;
}

static bool row_begins(struct row row, const char *text)
{
    return row.length >= strlen(text) && memcmp(row.text, text, strlen(text)) == 0;
}

static bool row_has(struct row row, const char *text)
{
    return memmem(row.text, row.length, text, strlen(text)) != NULL;
}

// The last line above the mistake that is neither empty nor a comment.
static struct row row_before(const struct spot *spot)
{
    struct row row = row_above(spot->text, spot->row);
    while (row.number > 0 && (content(row).length == 0 || content(row).text[0] == '#'))
        row = row_above(spot->text, row);
    return row;
}

// --- other languages -----------------------------------------------------------------------------
const char *yaml_other_language(const char *text, size_t length)
{
    const char *end = text + length, *next;
    bool has_block = false, has_here = row_begins((struct row){text, length, 1}, "#!");
    for (const char *at = text; at < end; at = next) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        next = feed != NULL ? feed + 1 : end;
        struct row row = {at, (size_t)(next - at), 1};
        if (row_begins(content(row), "```"))
            return "Markdown";
        has_block = has_block || row_begins(row, "resource \"") || row_begins(row, "module \"") ||
                    row_begins(row, "data \"");
        has_here = has_here ||
                   ((row_begins(row, "cat ") || row_begins(row, "kubectl ")) && row_has(row, "<<"));
    }
    return has_block ? "Terraform" : has_here ? "a shell script" : NULL;
}

static bool has_pair(const char *text, const char *end, const char *open, const char *close)
{
    const char *at = memmem(text, (size_t)(end - text), open, strlen(open));
    return at != NULL && memmem(at, (size_t)(end - at), close, strlen(close)) != NULL;
}

static bool hint_language(const struct spot *spot, struct text *out)
{
    const char *language = yaml_other_language(spot->text, (size_t)(spot->end - spot->text));
    if (language != NULL)
        text_format(out, "this is %s: `adze convert` takes the manifests out of it", language);
    else if (has_pair(spot->text, spot->end, "\n%{", "}"))
        text_add(out, "this looks like a Terraform template: render it first, as templatefile() "
                      "does");
    else if (has_pair(spot->text, spot->end, "{{", "}}"))
        text_add(out, "this looks like a Helm template: render it first, with `helm template`");
    return out->length > 0;
}

// --- one line ------------------------------------------------------------------------------------
static bool hint_blanks(const struct spot *spot, struct text *out)
{
    struct row row = spot->row;
    bool tab = row_begins(content(row), "\t");
    while (!tab && row.number > 0 && !row_begins(content(row), "\xC2\xA0"))
        row = row_above(spot->text, row);
    if (row.number > 0)
        text_format(out, "line %zu is indented with a %s: YAML takes blanks only",
                    row.number + spot->before, tab ? "tab" : "no-break space");
    return row.number > 0;
}

// "${NAME}", "{NAME}" or "<NAME>" in the line.
static struct row placeholder(struct row row)
{
    for (size_t i = 0; i < row.length; i++) {
        bool dollar = row.text[i] == '$' && i + 1 < row.length && row.text[i + 1] == '{';
        if (!dollar && row.text[i] != '{')
            continue;
        size_t from = i + (dollar ? 2 : 1), to = from;
        while (to < row.length && row.text[to] != '}' &&
               (dollar || isupper((unsigned char)row.text[to]) || row.text[to] == '_' ||
                isdigit((unsigned char)row.text[to])))
            to++;
        if (to < row.length && row.text[to] == '}' && to > from)
            return (struct row){row.text + i, to - i + 1, row.number};
    }
    return (struct row){"", 0, 0};
}

static bool hint_placeholder(const struct spot *spot, struct text *out)
{
    struct row rows[] = {spot->row, row_before(spot)};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        struct row found = placeholder(rows[i]);
        if (found.number == 0)
            continue;
        bool whole = content(rows[i]).length == found.length;
        text_format(out, "%.*s in line %zu %s", (int)found.length, found.text,
                    found.number + spot->before,
                    whole ? "stands for lines that are not there: put them in its place"
                          : "looks like a variable that was not filled in");
        return true;
    }
    return false;
}

#define QUOTE_ROWS_MAX 20 // a text in quotes that is not closed ends some lines further down

static bool hint_quotes(const struct spot *spot, struct text *out)
{
    struct row row = spot->row;
    for (size_t i = 0; i < QUOTE_ROWS_MAX && row.number > 0; i++) {
        if (row_has(row, "\xE2\x80\x9C") || row_has(row, "\xE2\x80\x9D") ||
            row_has(row, "\xE2\x80\x98")) {
            text_format(out,
                        "line %zu has typographic quotes: write plain ones; `adze convert` does",
                        row.number + spot->before);
            return true;
        }
        row = row_above(spot->text, row);
    }
    return false;
}

static bool is_hyphens(struct row row)
{
    size_t count = 0;
    while (count < row.length && row.text[count] == '-')
        count++;
    return count == row.length && count > 1;
}

static bool hint_separator(const struct spot *spot, struct text *out)
{
    struct row rows[] = {spot->row, row_before(spot)};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (is_hyphens(content(rows[i])) && !row_is(rows[i], "---")) {
            text_format(out, "line %zu: documents are divided by --- at the beginning of a line",
                        rows[i].number + spot->before);
            return true;
        }
    return false;
}

static bool is_key_line(struct row row)
{
    return row_has(row, ": ") || (row.length > 0 && row.text[row.length - 1] == ':');
}

// "key" or "key:value", which may be meant as a line of a mapping.
static bool is_like_key(struct row row)
{
    size_t count = 0;
    while (count < row.length &&
           (isalnum((unsigned char)row.text[count]) || strchr("-_./", row.text[count]) != NULL))
        count++;
    bool is_word = count > 0 && isalpha((unsigned char)row.text[0]);
    return is_word && (count == row.length ||
                       (row.text[count] == ':' && memchr(row.text, ' ', row.length) == NULL));
}

// A key without its colon, or without the blank behind it, is found at the next one.
static bool hint_colon(const struct spot *spot, struct text *out)
{
    if (strstr(spot->problem, "expected ':'") == NULL)
        return false;
    struct row row = row_before(spot);
    if (!is_key_line(spot->row) && !row_begins(spot->row, "---"))
        row = spot->row;
    struct row rest = content(row);
    if (row.number == 0 || is_key_line(row) || !is_like_key(rest))
        return false;
    text_format(out,
                row_has(rest, ":") ? "line %zu, %.*s: a blank is missing behind the colon"
                                   : "line %zu, %.*s: a colon is missing",
                row.number + spot->before, (int)(rest.length < 60 ? rest.length : 60), rest.text);
    return true;
}

static bool hint_indentation(const struct spot *spot, struct text *out)
{
    struct row last = row_before(spot);
    size_t own = indentation(spot->row), above = indentation(last);
    if (last.number == 0 || own == above || strstr(spot->problem, "flow") != NULL ||
        (strstr(spot->problem, "not allowed") == NULL && strstr(spot->problem, "expected") == NULL))
        return false;
    text_format(out, "line %zu is indented by %zu, line %zu by %zu: one of them is wrong",
                spot->row.number + spot->before, own, last.number + spot->before, above);
    return true;
}

void yaml_hint(const char *text, size_t length, size_t line, size_t before, const char *problem,
               struct text *out)
{
    const char *end = text + length;
    struct spot spot = {text, end, row_of(text, end, line), before, problem};
    bool found = hint_language(&spot, out);
    if (found || spot.row.number == 0)
        return;
    if (!hint_blanks(&spot, out) && !hint_placeholder(&spot, out) && !hint_quotes(&spot, out) &&
        !hint_separator(&spot, out) && !hint_colon(&spot, out))
        (void)hint_indentation(&spot, out);
}
