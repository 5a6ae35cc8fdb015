// A growable text buffer, and Kubernetes' checks of names.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct text {   // zero-initialised is empty; free with text_free()
    char *data; // NUL-terminated once anything was added
    size_t length;
    size_t capacity;
};
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *data, size_t length);
void text_add_char(struct text *text, char c);
void text_format(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_format_list(struct text *text, const char *format, va_list arguments) PRINTF_LIKE(2, 0);
// Adds `string` with separator before it unless the text is empty.
void text_join(struct text *text, const char *separator, const char *string);
void text_clear(struct text *text);
void text_free(struct text *text);
char *text_take(struct text *text); // the caller frees; never NULL

bool text_equal(const char *a, const char *b);     // NULL equals NULL only
static inline bool text_is_empty(const char *text) // or absent
{
    return text == NULL || text[0] == '\0';
}
static inline const char *text_or_empty(const char *text) // "" for NULL
{
    return text != NULL ? text : "";
}
int text_compare(const void *a, const void *b);       // for qsort() of const char *, in byte order
static inline const char *text_plural(uint64_t count) // "1 node", "2 nodes"
{
    return count == 1 ? "" : "s";
}
bool text_starts_with(const char *text, const char *prefix); // of NULL: false, whatever the prefix
bool text_ends_with(const char *text, const char *suffix);
// Replaces each truncated UTF-8 character, as "%.200s" leaves it, by a question mark: valid text
// for JSON.
void text_repair(char *text);

// API-151. On failure *why (static text, may be NULL) gives the reason.
bool text_is_qualified_name(const char *text, const char **why);
bool text_is_label_value(const char *text, const char **why);
bool text_is_dns_subdomain(const char *text, const char **why); // RFC 1123, at most 253
bool text_is_dns_label(const char *text, const char **why);     // RFC 1123, at most 63

// Go's strconv.Atoi / ParseInt base 10: optional sign, digits only, fits int64.
bool text_parse_int64(const char *text, int64_t *value) MUST_USE;
// Go's strconv.ParseBool: 1, t, T, TRUE, true, True, and the same for false.
bool text_parse_bool(const char *text, bool *value) MUST_USE;
// Damerau-Levenshtein distance, for "did you mean" (API-317).
size_t text_distance(const char *a, const char *b);
// Up to `limit` (<= 3) candidates near `text`, nearest first, ties in byte order (API-317). Returns
// the number written to `matches`.
size_t text_nearest(const char *text, const char *const *candidates, size_t count,
                    const char **matches, size_t limit);
