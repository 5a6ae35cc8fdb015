#include "cli/convert/document_parts.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "cli/convert/document_lines.h"

struct scan {
    struct raw_documents *out;
    const char *begin; // of the current line
    uint32_t number;   // 1-based
    char fence;        // '`' or '~' inside of a fence, else 0
    size_t marks;      // of the fence
    bool is_yaml;      // the fence's language; it names none: true
    char word[32];     // that ends the here-document; empty outside of one
    const char *from;  // of the part, NULL outside of any
    uint32_t first;    // the part's first line
};

static bool has_text(const char *from, const char *to, const char *text)
{
    return memmem(from, (size_t)(to - from), text, strlen(text)) != NULL;
}

// --- parts ---------------------------------------------------------------------------------------
static size_t count_marks(struct line line, char mark)
{
    size_t count = 0;
    while (count < line.length && line.text[count] == mark)
        count++;
    return count;
}

// Separators may be indented as far as what they separate.
static void split(struct scan *scan, const char *from, const char *to)
{
    const char *start = from, *at = from;
    uint32_t number = scan->first, first = scan->first;
    size_t level = SIZE_MAX;
    struct line line;
    for (; line_next(&at, to, &line); number++) {
        struct line bare = line_trimmed(line);
        size_t own = count_marks(line, ' ');
        if (line_is(bare, "---") && own <= level) {
            documents_add(scan->out, start, line.text, first);
            start = at;
            first = number + 1;
        } else if (bare.length > 0 && level == SIZE_MAX) {
            level = own;
        }
    }
    documents_add(scan->out, start, to, first);
}

// User data in several parts has an apiVersion in it, too.
static bool is_mime(struct line part)
{
    return line_begins_in_any_case(line_trimmed(part), "MIME-Version:");
}

// The part that ends before the current line, if it is a manifest or values of a chart.
static void finish_part(struct scan *scan, bool is_yaml)
{
    const char *from = scan->from, *to = scan->begin;
    struct line part = {from, from != NULL ? (size_t)(to - from) : 0};
    scan->from = NULL;
    scan->word[0] = '\0';
    if (from == NULL || is_mime(part))
        return;
    if (is_yaml
            ? has_text(from, to, "kind:") || has_text(from, to, "autoDiscovery:")
            : has_text(from, to, "\napiVersion:") || line_begins_in_any_case(part, "apiVersion:"))
        split(scan, from, to);
}

static void begin_part(struct scan *scan, const char *next)
{
    scan->from = next;
    scan->first = scan->number + 1;
}

// --- here-documents ------------------------------------------------------------------------------
// "cat <<-'EOF' | kubectl apply -f -" gives EOF; false: the line begins no here-document.
static bool here_word(struct line line, char word[32])
{
    const char *mark = memmem(line.text, line.length, "<<", 2), *end = line.text + line.length;
    size_t length = 0;
    if (mark == NULL || line_begins_in_any_case(line, "#") || line_begins_in_any_case(line, "//"))
        return false;
    for (mark += 2; mark < end && strchr("-~ '\"\\", *mark) != NULL;)
        mark++;
    while (mark < end && length < 31 && (isalpha((unsigned char)*mark) || *mark == '_'))
        word[length++] = *mark++;
    word[length] = '\0';
    return length > 0;
}

// A script in a here-document may have another one; of a manifest it is a value (userData).
static bool begins_here_document(struct scan *scan, struct line bare, const char *next)
{
    char word[sizeof scan->word];
    if (scan->from != NULL && has_text(scan->from, scan->begin, "apiVersion:"))
        return false;
    if (!here_word(bare, word))
        return false;
    memcpy(scan->word, word, sizeof word);
    begin_part(scan, next);
    return true;
}

static bool ends_here_document(const struct scan *scan, struct line bare)
{
    return scan->word[0] != '\0' && line_is(bare, scan->word);
}

// --- fences --------------------------------------------------------------------------------------
static bool is_yaml_language(struct line rest)
{
    rest = line_trimmed(rest);
    while (rest.length > 0 && strchr("{.", rest.text[0]) != NULL)
        rest = (struct line){rest.text + 1, rest.length - 1};
    static const char *const languages[] = {"yaml", "yml", "json"};
    for (size_t i = 0; i < ARRAY_LENGTH(languages); i++)
        if (line_begins_in_any_case(rest, languages[i]))
            return true;
    return rest.length == 0;
}

static bool opens_fence(struct scan *scan, struct line bare, const char *next)
{
    char mark = bare.length > 0 ? bare.text[0] : '\0';
    size_t marks = mark == '`' || mark == '~' ? count_marks(bare, mark) : 0;
    struct line rest = {bare.text + marks, bare.length - marks};
    if (marks < 3 || memchr(rest.text, mark, rest.length) != NULL)
        return false;
    scan->fence = mark;
    scan->marks = marks;
    scan->is_yaml = is_yaml_language(rest);
    begin_part(scan, next);
    return true;
}

static bool closes_fence(const struct scan *scan, struct line bare)
{
    size_t marks = scan->fence != 0 ? count_marks(bare, scan->fence) : 0;
    return marks > 0 && marks >= scan->marks && marks == bare.length;
}

// --- the text ------------------------------------------------------------------------------------
static void take_line(struct scan *scan, struct line line, const char *next)
{
    struct line bare = line_trimmed(line);
    if (ends_here_document(scan, bare)) {
        finish_part(scan, true);
    } else if (closes_fence(scan, bare)) {
        finish_part(scan, scan->is_yaml || scan->word[0] != '\0');
        scan->fence = 0;
    } else if (scan->fence != 0 || !opens_fence(scan, bare, next)) {
        (void)begins_here_document(scan, bare, next);
    }
}

bool documents_extract(const char *text, size_t length, struct raw_documents *out)
{
    assert(text != NULL);
    const char *end = text + length, *at = text;
    uint32_t before = out->count;
    struct scan scan = {.out = out, .number = 1};
    for (struct line line; line_next(&at, end, &line); scan.number++) {
        scan.begin = line.text;
        take_line(&scan, line, at);
    }
    scan.begin = end;
    finish_part(&scan, scan.word[0] != '\0' || scan.is_yaml); // it has no end
    return out->count > before;
}
