#include "base/quantity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define HOURS_A_MONTH     730
#define CPU_EXPONENT      3 // millicores
#define PRICE_EXPONENT    9 // nano-dollars
#define PRICE_NANOUSD_MAX (INT64_C(1000000000) * 1000000000)
#define EXPONENT_LIMIT    (INT64_C(1) << 40)  // beyond it everything is 0 or infinite anyway
#define MAGNITUDE_LIMIT   (UINT64_C(1) << 63) // where magnitudes saturate

// A decimal number in text: digits with at most one point among them.
struct decimal {
    const char *digits;
    size_t length;       // of the text with its point
    size_t digits_count; // without the point
    int64_t point;       // how many of the digits stand before the point
    bool negative, any_nonzero;
};

struct suffix {
    const char *text;
    int decimal_exponent;
    int binary_exponent;
};
static const struct suffix suffixes[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

static const char *decimal_scan(const char *text, struct decimal *decimal);
static bool exponent_parse(const char *text, int64_t *exponent);
static uint64_t decimal_magnitude(const struct decimal *decimal, int64_t decimal_exponent,
                                  int binary_exponent, bool *inexact);

static bool quantity_refuse(const char *text, struct error *error)
{
    return error_set(error, ERROR_INVALID,
                     "quantity \"%.80s\" is not a decimal number with an optional suffix (n, u, m, "
                     "k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or an exponent such as e3)",
                     text);
}

static bool suffix_parse(const char *text, int64_t *decimal_exponent, int *binary_exponent)
{
    for (size_t i = 0; i < ARRAY_LENGTH(suffixes); i++) {
        if (strcmp(text, suffixes[i].text) == 0) {
            *decimal_exponent = suffixes[i].decimal_exponent;
            *binary_exponent = suffixes[i].binary_exponent;
            return true;
        }
    }
    *binary_exponent = 0;
    return (*text == 'e' || *text == 'E') && exponent_parse(text + 1, decimal_exponent);
}

// API servers read a missing number as zero, but only where they take their fast path.
static bool missing_number_is_zero(int64_t decimal_exponent, int binary_exponent)
{
    return decimal_exponent >= -9 && binary_exponent <= 40;
}

bool quantity_parse_scaled(const char *text, int exponent, int64_t *value, struct error *error)
{
    assert(text != NULL);
    assert(exponent >= 0);
    struct decimal decimal;
    int64_t decimal_exponent;
    int binary_exponent;
    if (*text == '\0')
        return quantity_refuse(text, error);
    const char *suffix = decimal_scan(text, &decimal);
    if (!suffix_parse(suffix, &decimal_exponent, &binary_exponent))
        return quantity_refuse(text, error);
    if (decimal.digits_count == 0 && !missing_number_is_zero(decimal_exponent, binary_exponent))
        return quantity_refuse(text, error);

    bool inexact;
    uint64_t magnitude =
        decimal_magnitude(&decimal, decimal_exponent + exponent, binary_exponent, &inexact);
    if (inexact && magnitude < MAGNITUDE_LIMIT)
        magnitude++;
    if (decimal.negative)
        *value = magnitude >= MAGNITUDE_LIMIT ? INT64_MIN : -(int64_t)magnitude;
    else
        *value = magnitude >= MAGNITUDE_LIMIT ? INT64_MAX : (int64_t)magnitude;
    return true;
}

// Returns where the number ends.
static const char *decimal_scan(const char *text, struct decimal *decimal)
{
    *decimal = (struct decimal){.negative = *text == '-'};
    if (*text == '-' || *text == '+')
        text++;
    decimal->digits = text;
    bool after_point = false;
    for (;; text++) {
        if (*text == '.' && !after_point) {
            after_point = true;
        } else if (*text >= '0' && *text <= '9') {
            decimal->digits_count++;
            decimal->point += !after_point;
            decimal->any_nonzero |= *text != '0';
        } else {
            break;
        }
    }
    decimal->length = (size_t)(text - decimal->digits);
    assert(decimal->length >= decimal->digits_count);
    assert(decimal->point <= (int64_t)decimal->digits_count);
    return text;
}

static bool exponent_parse(const char *text, int64_t *exponent)
{
    if (!text_parse_int64(text, exponent))
        return false;
    if (*exponent > EXPONENT_LIMIT)
        *exponent = EXPONENT_LIMIT;
    if (*exponent < -EXPONENT_LIMIT)
        *exponent = -EXPONENT_LIMIT;
    assert(*exponent >= -EXPONENT_LIMIT);
    assert(*exponent <= EXPONENT_LIMIT);
    return true;
}

// Rounds down and reports whether it dropped anything. MAGNITUDE_LIMIT stands for all larger
// values.
//
// The decimal exponent moves the point. Digits before the point are added from the left. Digits
// after it are added from the right, divided by ten at each round: rounding down at each step
// equals rounding down once at the end.
static uint64_t decimal_magnitude(const struct decimal *decimal, int64_t decimal_exponent,
                                  int binary_exponent, bool *inexact)
{
    assert(binary_exponent >= 0);
    assert(binary_exponent <= 60);
    *inexact = false;
    if (!decimal->any_nonzero)
        return 0;
    int64_t point = decimal->point + decimal_exponent;
    unsigned __int128 whole = 0, fraction = 0;
    int64_t index = 0; // of the digit, without the point
    const char *end = decimal->digits + decimal->length;
    for (const char *at = decimal->digits; at < end && index < point; at++) {
        if (*at == '.')
            continue;
        whole = whole * 10 + (unsigned)(*at - '0');
        if (whole >= MAGNITUDE_LIMIT)
            return MAGNITUDE_LIMIT;
        index++;
    }
    for (; index < point && whole != 0; index++) {
        whole *= 10;
        if (whole >= MAGNITUDE_LIMIT)
            return MAGNITUDE_LIMIT;
    }
    index = (int64_t)decimal->digits_count;
    for (const char *at = end; at > decimal->digits && index > point;) {
        at--;
        if (*at == '.')
            continue;
        fraction += (unsigned __int128)(unsigned)(*at - '0') << binary_exponent;
        *inexact |= fraction % 10 != 0;
        fraction /= 10;
        index--;
    }
    for (; index > point && fraction != 0; index--) {
        *inexact |= fraction % 10 != 0;
        fraction /= 10;
    }
    unsigned __int128 sum = (whole << binary_exponent) + fraction;
    assert(whole < MAGNITUDE_LIMIT);
    assert(fraction >> binary_exponent == 0);
    return sum >= MAGNITUDE_LIMIT ? MAGNITUDE_LIMIT : (uint64_t)sum;
}

static const char *without_quota_prefix(const char *resource)
{
    static const char *const prefixes[] = {"limits.", "requests."};
    for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++)
        if (text_starts_with(resource, prefixes[i]))
            return resource + strlen(prefixes[i]);
    return resource;
}

static bool resource_is_cpu(const char *resource)
{
    return strcmp(without_quota_prefix(resource), "cpu") == 0;
}

static bool resource_is_bytes(const char *resource)
{
    const char *name = without_quota_prefix(resource);
    return strcmp(name, "memory") == 0 || strcmp(name, "storage") == 0 ||
           strcmp(name, "ephemeral-storage") == 0 || text_starts_with(name, "hugepages-");
}

bool quantity_parse(const char *resource, const char *text, int64_t *value, struct error *error)
{
    assert(resource != NULL);
    if (quantity_parse_scaled(text, resource_is_cpu(resource) ? CPU_EXPONENT : 0, value, error))
        return true;
    return error_prefix(error, "resource %.200s", resource);
}

void quantity_format(const char *resource, int64_t value, char out[QUANTITY_TEXT_MAX])
{
    assert(resource != NULL);
    static const char *const decimal[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    size_t step = 0;
    if (value == 0) {
        snprintf(out, QUANTITY_TEXT_MAX, "0");
    } else if (resource_is_bytes(resource) && (value >= 1024 || value <= -1024)) {
        for (; value % 1024 == 0; step++)
            value /= 1024;
        assert(step < ARRAY_LENGTH(binary));
        snprintf(out, QUANTITY_TEXT_MAX, "%lld%s", (long long)value, binary[step]);
    } else {
        for (step = resource_is_cpu(resource) ? 2 : 3; value % 1000 == 0; step++)
            value /= 1000;
        assert(step < ARRAY_LENGTH(decimal));
        snprintf(out, QUANTITY_TEXT_MAX, "%lld%s", (long long)value, decimal[step]);
    }
}

int64_t quantity_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

int64_t quantity_subtract(int64_t a, int64_t b)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return difference;
}

int64_t quantity_multiply(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    return product;
}

bool price_parse(const char *text, int64_t *nanousd, struct error *error)
{
    assert(text != NULL);
    struct decimal decimal;
    int64_t exponent = 0;
    const char *rest = decimal_scan(text, &decimal);
    bool well_formed = decimal.digits_count != 0 && !decimal.negative;
    if (well_formed && *rest != '\0')
        well_formed = (*rest == 'e' || *rest == 'E') && exponent_parse(rest + 1, &exponent);
    if (!well_formed)
        return error_set(error, ERROR_INVALID,
                         "price \"%.80s\" is not a decimal number of USD an hour, 0 or more", text);
    bool inexact;
    uint64_t halves = decimal_magnitude(&decimal, exponent + PRICE_EXPONENT, 1, &inexact);
    uint64_t rounded = (halves + 1) / 2;
    if (rounded > (uint64_t)PRICE_NANOUSD_MAX)
        return error_set(error, ERROR_INVALID, "price \"%.80s\" is above 1000000000 USD an hour",
                         text);
    *nanousd = (int64_t)rounded;
    return true;
}

int64_t price_from_double(double usd)
{
    if (isnan(usd) || usd < 0)
        return -1;
    double nanousd = usd * 1e9;
    assert(nanousd >= 0);
    return nanousd >= 0x1p63 ? INT64_MAX : (int64_t)llround(nanousd);
}

double price_to_double(int64_t nanousd)
{
    return (double)nanousd / 1e9;
}

int64_t price_a_month(int64_t nanousd_an_hour)
{
    return quantity_multiply(nanousd_an_hour, HOURS_A_MONTH);
}
