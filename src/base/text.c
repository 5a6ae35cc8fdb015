#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TEXT_CAPACITY_FIRST    64
#define LABEL_LENGTH_MAX       63
#define SUBDOMAIN_LENGTH_MAX   253
#define NEAREST_MATCHES_MAX    3
#define DISTANCE_COLUMNS_STACK 256

static void text_reserve(struct text *text, size_t more)
{
    assert(text->capacity == 0 || text->length < text->capacity);
    assert((text->data == NULL) == (text->capacity == 0));
    size_t wanted;
    bool overflow = __builtin_add_overflow(text->length, more, &wanted) || wanted > SIZE_MAX / 4;
    assert(!overflow);
    if (wanted < text->capacity)
        return;
    size_t capacity = text->capacity == 0 ? TEXT_CAPACITY_FIRST : text->capacity;
    while (capacity <= wanted)
        capacity *= 2;
    text->data = memory_resize(text->data, capacity);
    text->capacity = capacity;
    assert(text->length + more < text->capacity);
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

void text_add_bytes(struct text *text, const char *data, size_t length)
{
    assert(text != NULL);
    assert(data != NULL || length == 0);
    assert(data != text->data || length == 0);
    text_reserve(text, length);
    if (length != 0)
        memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_format_list(text, format, arguments);
    va_end(arguments);
}

void text_format_list(struct text *text, const char *format, va_list arguments)
{
    assert(text != NULL);
    assert(format != NULL);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    assert(length >= 0);
    text_reserve(text, (size_t)length);
    int written = vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    assert(written == length);
    va_end(again);
    text->length += (size_t)length;
}

void text_join(struct text *text, const char *separator, const char *string)
{
    assert(separator != NULL);
    if (text->length != 0)
        text_add(text, separator);
    text_add(text, string);
}

void text_clear(struct text *text)
{
    assert(text != NULL);
    text->length = 0;
    if (text->data != NULL)
        text->data[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_take(struct text *text)
{
    assert(text != NULL);
    assert(text->data == NULL || text->data[text->length] == '\0');
    char *data = text->data != NULL ? text->data : memory_allocate(1);
    *text = (struct text){0};
    return data;
}

bool text_equal(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

int text_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool text_starts_with(const char *text, const char *prefix)
{
    assert(prefix != NULL);
    return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
    assert(suffix != NULL);
    size_t length = text != NULL ? strlen(text) : 0, suffix_length = strlen(suffix);
    return text != NULL && length >= suffix_length &&
           strcmp(text + length - suffix_length, suffix) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_alphanumeric(char c)
{
    return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z');
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool refuse(const char **why, const char *reason)
{
    if (why != NULL)
        *why = reason;
    return false;
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
static bool is_name_form(const char *text, size_t length)
{
    if (length == 0 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[length - 1]))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!is_alphanumeric(text[i]) && text[i] != '-' && text[i] != '_' && text[i] != '.')
            return false;
    return true;
}

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
static bool is_dns_label_form(const char *text, size_t length)
{
    if (length == 0 || text[0] == '-' || text[length - 1] == '-')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_lower(text[i]) && !is_digit(text[i]) && text[i] != '-')
            return false;
    return true;
}

static bool is_dns_subdomain_form(const char *text, size_t length)
{
    for (size_t start = 0;;) {
        const char *dot = memchr(text + start, '.', length - start);
        size_t end = dot == NULL ? length : (size_t)(dot - text);
        assert(end >= start);
        if (!is_dns_label_form(text + start, end - start))
            return false;
        if (dot == NULL)
            return true;
        start = end + 1;
    }
}

// The wording of API servers, which users search for.
#define NAME_FORM_TEXT                                                                          \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "      \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define SUBDOMAIN_FORM_TEXT                                                                       \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "  \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

bool text_is_qualified_name(const char *text, const char **why)
{
    assert(text != NULL);
    const char *slash = strchr(text, '/');
    const char *name = slash == NULL ? text : slash + 1;
    if (strchr(name, '/') != NULL)
        return refuse(why, "a qualified name " NAME_FORM_TEXT
                           " with an optional DNS subdomain prefix and '/' (e.g. "
                           "'example.com/MyName')");
    if (slash != NULL) {
        size_t prefix_length = (size_t)(slash - text);
        if (prefix_length == 0)
            return refuse(why, "prefix part must be non-empty");
        if (prefix_length > SUBDOMAIN_LENGTH_MAX)
            return refuse(why, "prefix part must be no more than 253 characters");
        if (!is_dns_subdomain_form(text, prefix_length))
            return refuse(why, "prefix part " SUBDOMAIN_FORM_TEXT);
    }
    size_t name_length = strlen(name);
    if (name_length == 0)
        return refuse(why, "name part must be non-empty");
    if (name_length > LABEL_LENGTH_MAX)
        return refuse(why, "name part must be no more than 63 characters");
    if (!is_name_form(name, name_length))
        return refuse(why, "name part " NAME_FORM_TEXT);
    return true;
}

bool text_is_label_value(const char *text, const char **why)
{
    assert(text != NULL);
    size_t length = strlen(text);
    if (length > LABEL_LENGTH_MAX)
        return refuse(why, "must be no more than 63 characters");
    if (length != 0 && !is_name_form(text, length))
        return refuse(why, "a valid label must be an empty string or consist of alphanumeric "
                           "characters, '-', '_' or '.', and must start and end with an "
                           "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
                           "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?"
                           "[A-Za-z0-9])?')");
    return true;
}

bool text_is_dns_subdomain(const char *text, const char **why)
{
    assert(text != NULL);
    size_t length = strlen(text);
    if (length > SUBDOMAIN_LENGTH_MAX)
        return refuse(why, "must be no more than 253 characters");
    if (!is_dns_subdomain_form(text, length))
        return refuse(why, SUBDOMAIN_FORM_TEXT);
    return true;
}

bool text_is_dns_label(const char *text, const char **why)
{
    assert(text != NULL);
    size_t length = strlen(text);
    if (length > LABEL_LENGTH_MAX)
        return refuse(why, "must be no more than 63 characters");
    if (!is_dns_label_form(text, length))
        return refuse(why, "a lowercase RFC 1123 label must consist of lower case alphanumeric "
                           "characters or '-', and must start and end with an alphanumeric "
                           "character (e.g. 'my-name',  or '123-abc', regex used for validation "
                           "is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
    return true;
}

bool text_parse_int64(const char *text, int64_t *value)
{
    assert(text != NULL);
    assert(value != NULL);
    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (*text == '\0')
        return false;
    int64_t sum = 0;
    for (; *text != '\0'; text++) {
        if (!is_digit(*text))
            return false;
        int digit = *text - '0';
        // Counted downwards below zero, so that INT64_MIN fits.
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, negative ? -digit : digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool text_parse_bool(const char *text, bool *value)
{
    static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};
    static const char *const no[] = {"0", "f", "F", "FALSE", "false", "False"};
    assert(text != NULL);
    for (size_t i = 0; i < ARRAY_LENGTH(yes); i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *value = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Three rows of the usual table. A transposed pair counts once and is not edited again.
size_t text_distance(const char *a, const char *b)
{
    assert(a != NULL);
    assert(b != NULL);
    size_t columns = strlen(b) + 1;
    size_t stack[3 * DISTANCE_COLUMNS_STACK];
    CLEANUP_FREE size_t *heap = NULL;
    size_t *rows = stack;
    if (columns > DISTANCE_COLUMNS_STACK)
        rows = heap = memory_allocate_array(columns, 3 * sizeof *rows);
    size_t *before = rows, *last = rows + columns, *now = rows + 2 * columns;
    for (size_t j = 0; j < columns; j++)
        last[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        now[0] = i;
        for (size_t j = 1; j < columns; j++) {
            size_t changed = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = smaller(changed, smaller(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    // The distance is at least the difference of the lengths; last[0] is the length of `a`.
    assert(last[columns - 1] + columns - 1 >= last[0]);
    assert(last[columns - 1] + last[0] >= columns - 1);
    return last[columns - 1];
}

// Skips dashes; the end of the text and a final "s" both give NUL.
static char next_loose_char(const char **text)
{
    while (**text == '-')
        (*text)++;
    if (**text == '\0')
        return '\0';
    char c = to_lower(*(*text)++);
    return c == 's' && (*text)[strspn(*text, "-")] == '\0' ? '\0' : c;
}

static bool equal_but_for_case_dashes_plural(const char *a, const char *b)
{
    for (;;) {
        char from_a = next_loose_char(&a), from_b = next_loose_char(&b);
        if (from_a != from_b)
            return false;
        if (from_a == '\0')
            return true;
    }
}

static bool is_near(const char *text, const char *candidate, size_t *distance)
{
    size_t length = strlen(text), candidate_length = strlen(candidate);
    size_t limit = length / 4 > 1 ? length / 4 : 1;
    size_t difference =
        length > candidate_length ? length - candidate_length : candidate_length - length;
    bool loosely_equal = equal_but_for_case_dashes_plural(text, candidate);
    if (difference > limit && !loosely_equal)
        return false; // the distance is at least the difference of the lengths
    *distance = text_distance(text, candidate);
    return *distance <= limit || loosely_equal;
}

size_t text_nearest(const char *text, const char *const *candidates, size_t count,
                    const char **matches, size_t limit)
{
    assert(candidates != NULL || count == 0);
    size_t distances[NEAREST_MATCHES_MAX];
    size_t found = 0;
    assert(limit <= NEAREST_MATCHES_MAX);
    if (limit == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t distance;
        if (!is_near(text, candidates[i], &distance))
            continue;
        size_t at = 0;
        int order = -1;
        for (; at < found; at++) {
            order = distance < distances[at]   ? -1
                    : distance > distances[at] ? 1
                                               : strcmp(candidates[i], matches[at]);
            if (order <= 0)
                break;
        }
        if (at == limit || (at < found && order == 0))
            continue;
        found = smaller(found + 1, limit);
        memmove(matches + at + 1, matches + at, (found - at - 1) * sizeof *matches);
        memmove(distances + at + 1, distances + at, (found - at - 1) * sizeof *distances);
        matches[at] = candidates[i];
        distances[at] = distance;
    }
    assert(found <= limit);
    assert(found < 2 || distances[0] <= distances[found - 1]);
    return found;
}

// Length of the UTF-8 character that begins here, or 0. Truncation does not produce overlong forms.
static size_t character_length(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    size_t length = first < 0x80   ? 1
                    : first < 0xC2 ? 0
                    : first < 0xE0 ? 2
                    : first < 0xF0 ? 3
                    : first < 0xF5 ? 4
                                   : 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

void text_repair(char *text)
{
    assert(text != NULL);
    while (*text != '\0') {
        size_t length = character_length(text);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
}
