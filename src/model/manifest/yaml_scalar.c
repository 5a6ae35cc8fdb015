#include "model/manifest/yaml_scalar.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct word {
    const char *text;
    enum { WORD_TRUE, WORD_FALSE, WORD_NULL, WORD_UNSPEAKABLE } meaning;
};
static const struct word words[] = {
    {"", WORD_NULL},
    {"~", WORD_NULL},
    {"null", WORD_NULL},
    {"Null", WORD_NULL},
    {"NULL", WORD_NULL},
    {"true", WORD_TRUE},
    {"True", WORD_TRUE},
    {"TRUE", WORD_TRUE},
    {"y", WORD_TRUE},
    {"Y", WORD_TRUE},
    {"yes", WORD_TRUE},
    {"Yes", WORD_TRUE},
    {"YES", WORD_TRUE},
    {"on", WORD_TRUE},
    {"On", WORD_TRUE},
    {"ON", WORD_TRUE},
    {"false", WORD_FALSE},
    {"False", WORD_FALSE},
    {"FALSE", WORD_FALSE},
    {"n", WORD_FALSE},
    {"N", WORD_FALSE},
    {"no", WORD_FALSE},
    {"No", WORD_FALSE},
    {"NO", WORD_FALSE},
    {"off", WORD_FALSE},
    {"Off", WORD_FALSE},
    {"OFF", WORD_FALSE},
    {".nan", WORD_UNSPEAKABLE},
    {".NaN", WORD_UNSPEAKABLE},
    {".NAN", WORD_UNSPEAKABLE},
    {".inf", WORD_UNSPEAKABLE},
    {".Inf", WORD_UNSPEAKABLE},
    {".INF", WORD_UNSPEAKABLE},
    {"+.inf", WORD_UNSPEAKABLE},
    {"+.Inf", WORD_UNSPEAKABLE},
    {"+.INF", WORD_UNSPEAKABLE},
    {"-.inf", WORD_UNSPEAKABLE},
    {"-.Inf", WORD_UNSPEAKABLE},
    {"-.INF", WORD_UNSPEAKABLE},
};

#define NUMBER_LENGTH_MAX 400 // longer ones are strings: not meant as numbers

// Digits of `base` after an optional sign and prefix; false unless the whole text is one that fits
// int64.
static bool read_integer(const char *text, int64_t *value)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    int base = 10;
    if (digits[0] == '0' && digits[1] != '\0') {
        char mark = (char)(digits[1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 8;
        digits += mark == 'x' || mark == 'o' || mark == 'b' ? 2 : 1;
    }
    static const char set[] = "0123456789abcdefABCDEF";
    size_t known = strspn(digits, set);
    if (known == 0 || digits[known] != '\0')
        return false;
    char *end;
    errno = 0;
    unsigned long long magnitude = strtoull(digits, &end, base);
    if (errno != 0 || *end != '\0')
        return false;
    if (text[0] == '-') {
        if (magnitude > (unsigned long long)INT64_MAX + 1)
            return false;
        *value = (int64_t)(0 - magnitude);
        return true;
    }
    *value = (int64_t)magnitude;
    return magnitude <= INT64_MAX;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
static bool is_float(const char *text)
{
    static const char digits[] = "0123456789";
    const char *at = text + (text[0] == '-' || text[0] == '+');
    size_t whole = strspn(at, digits);
    at += whole;
    if (*at == '.') {
        size_t fraction = strspn(at + 1, digits);
        if (whole == 0 && fraction == 0)
            return false;
        at += 1 + fraction;
    } else if (whole == 0) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = strspn(at, digits);
        if (exponent == 0)
            return false;
        at += exponent;
    }
    return *at == '\0';
}

// A whole float is written without a fraction, so it reads back as an integer.
static json_t *float_value(double number)
{
    if (!isfinite(number))
        return NULL;
    if (number == trunc(number) && fabs(number) < 1e18)
        return json_integer((json_int_t)number);
    return json_real(number);
}

static json_t *resolve_number(const char *text, size_t length, bool *is_number)
{
    assert(length <= NUMBER_LENGTH_MAX);
    char plain[NUMBER_LENGTH_MAX + 1];
    size_t kept = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '_')
            plain[kept++] = text[i];
    plain[kept] = '\0';
    int64_t integer;
    *is_number = true;
    if (strlen(plain) == kept) {
        if (read_integer(plain, &integer))
            return json_integer(integer);
        if (is_float(plain))
            return float_value(strtod(plain, NULL));
    }
    *is_number = false;
    return NULL;
}

json_t *yaml_resolve_plain(const char *text, size_t length)
{
    assert(text != NULL);
    for (const struct word *word = words; word < words + ARRAY_LENGTH(words); word++) {
        if (strlen(word->text) != length || memcmp(word->text, text, length) != 0)
            continue;
        if (word->meaning == WORD_NULL)
            return json_null();
        if (word->meaning == WORD_UNSPEAKABLE)
            return NULL;
        return json_boolean(word->meaning == WORD_TRUE);
    }
    bool may_be_number = length <= NUMBER_LENGTH_MAX && strchr("+-.0123456789", text[0]) != NULL;
    if (may_be_number) {
        bool is_number;
        json_t *number = resolve_number(text, length, &is_number);
        if (is_number)
            return number;
    }
    return json_stringn(text, length);
}
