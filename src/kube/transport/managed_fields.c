#include "kube/transport/managed_fields.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const char member[] = "\"managedFields\":["; // as API servers write it, without spaces
#define MEMBER_LENGTH (sizeof member - 1)

static bool is_key(const char *json, const char *at);
static const char *list_end(const char *at, const char *end);
static const char *string_end(const char *at, const char *end);

size_t managed_fields_cut(char *json, size_t length)
{
    assert(json != NULL);
    const char *end = json + length, *from = json, *at = json; // `from`: start of the bytes not yet
                                                               // moved
    char *to = json;
    while ((at = memmem(at, (size_t)(end - at), member, MEMBER_LENGTH)) != NULL) {
        const char *list = at + MEMBER_LENGTH;
        const char *after = is_key(json, at) ? list_end(list, end) : NULL;
        at = list;
        if (after == NULL)
            continue;
        assert(to <= from);
        memmove(to, from, (size_t)(list - from));
        to += list - from;
        from = at = after;
    }
    assert(from <= end);
    assert(to <= from);
    memmove(to, from, (size_t)(end - from));
    return (size_t)(to + (end - from) - json);
}

// Within a string each quote follows a backslash, and no letter follows the end of a string. So a
// quote after a comma or a brace begins a string, and the colon makes it a key.
static bool is_key(const char *json, const char *at)
{
    return at > json && (at[-1] == ',' || at[-1] == '{');
}

// The bracket that ends the list, or NULL.
static const char *list_end(const char *at, const char *end)
{
    size_t depth = 1;
    for (; at < end; at++) {
        if (*at == '"') {
            at = string_end(at + 1, end);
            if (at == NULL)
                return NULL;
        } else if (*at == '[' || *at == '{') {
            depth++;
        } else if ((*at == ']' || *at == '}') && --depth == 0) {
            return *at == ']' ? at : NULL;
        }
    }
    return NULL;
}

// The quote that ends the string, or NULL.
static const char *string_end(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        size_t backslashes = 0;
        while (at[-1 - (ptrdiff_t)backslashes] == '\\')
            backslashes++;
        if (backslashes % 2 == 0)
            return at;
        at++;
    }
    return NULL;
}
