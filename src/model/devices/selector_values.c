#include "model/devices/selector_values.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"

// --- semantic versions ---------------------------------------------------------------------------

// Reads a number without leading zeros.
static bool take_number(const char **at, int64_t *number)
{
    const char *start = *at;
    *number = 0;
    for (; isdigit((unsigned char)**at); (*at)++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, **at - '0', number))
            return false;
    return *at > start && (*start != '0' || *at == start + 1);
}

bool semver_parse(const char *text, int64_t parts[3])
{
    assert(text != NULL);
    for (int i = 0; i < 3; i++) {
        if (!take_number(&text, &parts[i]))
            return false;
        if (i < 2 && *text++ != '.')
            return false;
    }
    if (*text != '\0' && *text != '-' && *text != '+')
        return false;
    for (; *text != '\0'; text++)
        if (!isalnum((unsigned char)*text) && strchr(".-+", *text) == NULL)
            return false;
    return true;
}

static const char *prerelease(const char *text)
{
    const char *at = text + strcspn(text, "-+");
    return *at == '-' ? at + 1 : "";
}

// Identifiers between dots: numbers by value and below names.
static int compare_identifiers(const char *a, size_t a_length, const char *b, size_t b_length)
{
    bool a_number = strspn(a, "0123456789") >= a_length;
    bool b_number = strspn(b, "0123456789") >= b_length;
    if (a_number != b_number)
        return a_number ? -1 : 1;
    if (a_number && a_length != b_length)
        return a_length < b_length ? -1 : 1;
    int order = strncmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : a_length < b_length ? -1 : a_length > b_length;
}

static int compare_prereleases(const char *a, const char *b)
{
    if ((*a == '\0') != (*b == '\0'))
        return *a == '\0' ? 1 : -1; // a release is above its pre-releases
    for (;;) {
        size_t a_length = strcspn(a, ".+"), b_length = strcspn(b, ".+");
        if (a_length == 0 || b_length == 0)
            return (a_length != 0) - (b_length != 0);
        int order = compare_identifiers(a, a_length, b, b_length);
        if (order != 0)
            return order;
        a += a_length + (a[a_length] == '.');
        b += b_length + (b[b_length] == '.');
    }
}

int semver_compare(const char *a, const char *b)
{
    int64_t x[3] = {0}, y[3] = {0};
    if (!semver_parse(a, x) || !semver_parse(b, y))
        return strcmp(a, b);
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return compare_prereleases(prerelease(a), prerelease(b));
}

// --- comparisons ---------------------------------------------------------------------------------

static bool is_scalar(struct selector_value value)
{
    return value.kind == VALUE_BOOL || value.kind == VALUE_INT || value.kind == VALUE_STRING ||
           value.kind == VALUE_VERSION || value.kind == VALUE_QUANTITY;
}

// By order; both are of one scalar kind.
static int order_of(struct selector_value a, struct selector_value b)
{
    assert(a.kind == b.kind);
    if (a.kind == VALUE_STRING)
        return strcmp(a.text, b.text);
    if (a.kind == VALUE_VERSION)
        return semver_compare(a.text, b.text);
    return a.number < b.number ? -1 : a.number > b.number;
}

static bool is_equal(struct selector_value a, struct selector_value b, uint32_t depth)
{
    if (a.kind != b.kind || depth > 64)
        return false;
    if (is_scalar(a))
        return order_of(a, b) == 0;
    if (a.kind != VALUE_LIST)
        return a.kind == VALUE_NULL || a.kind == VALUE_ABSENT;
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (!is_equal(a.items[i], b.items[i], depth + 1))
            return false;
    return true;
}

struct selector_value values_compare(enum selector_comparison comparison, struct selector_value a,
                                     struct selector_value b)
{
    assert(comparison != COMPARE_IN);
    if (comparison == COMPARE_EQUAL || comparison == COMPARE_NOT_EQUAL)
        return value_of(VALUE_BOOL, is_equal(a, b, 0) == (comparison == COMPARE_EQUAL));
    bool ordered = a.kind == b.kind && (a.kind == VALUE_BOOL || a.kind == VALUE_INT ||
                                        a.kind == VALUE_STRING); // others have methods for it
    if (!ordered)
        return value_failed();
    int order = order_of(a, b);
    bool holds = comparison == COMPARE_LESS         ? order < 0
                 : comparison == COMPARE_LESS_EQUAL ? order <= 0
                 : comparison == COMPARE_MORE       ? order > 0
                                                    : order >= 0;
    return value_of(VALUE_BOOL, holds);
}
