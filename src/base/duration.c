#include "base/duration.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/memory.h"

#define DAY_SECONDS INT64_C(86400)

struct unit {
    const char *name;
    int64_t nanoseconds;
};
static const struct unit units[] = {
    {"ns", NANOSECOND},
    {"us", MICROSECOND},
    {"\xC2\xB5s", MICROSECOND}, // micro sign
    {"\xCE\xBCs", MICROSECOND}, // Greek letter mu
    {"ms", MILLISECOND},
    {"s", SECOND},
    {"m", MINUTE},
    {"h", HOUR},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool term_parse(const char **text, uint64_t *nanoseconds);
static bool whole_parse(const char **text, uint64_t *whole);
static uint64_t fraction_parse(const char **text, double *scale);
static const struct unit *unit_parse(const char **text);

bool duration_parse(const char *text, int64_t *nanoseconds, struct error *error)
{
    assert(text != NULL);
    const char *at = text;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    uint64_t sum = 0;
    bool well_formed = *at != '\0';
    if (strcmp(at, "0") == 0)
        at++;
    while (well_formed && *at != '\0') {
        uint64_t term;
        well_formed = term_parse(&at, &term);
        if (well_formed)
            well_formed = !__builtin_add_overflow(sum, term, &sum) && sum <= UINT64_C(1) << 63;
    }
    if (!well_formed || (sum > INT64_MAX && !negative))
        return error_set(error, ERROR_INVALID,
                         "duration \"%.80s\" is not a sequence of numbers with units (ns, us, ms, "
                         "s, m, h) below 2562047h47m16.9s",
                         text);
    *nanoseconds = negative ? (int64_t)-sum : (int64_t)sum;
    return true;
}

// One number with its unit. The fraction is scaled in floating point, as Go does, so that the last
// nanosecond is the same.
static bool term_parse(const char **text, uint64_t *nanoseconds)
{
    const char *start = *text;
    uint64_t whole;
    if (!whole_parse(text, &whole))
        return false;
    bool any_digit = *text != start;
    uint64_t fraction = 0;
    double scale = 1;
    if (**text == '.') {
        start = ++*text;
        fraction = fraction_parse(text, &scale);
        any_digit |= *text != start;
    }
    const struct unit *unit = unit_parse(text);
    if (!any_digit || unit == NULL)
        return false;
    uint64_t unit_ns = (uint64_t)unit->nanoseconds;
    if (whole > (UINT64_C(1) << 63) / unit_ns)
        return false;
    *nanoseconds = whole * unit_ns + (uint64_t)((double)fraction * ((double)unit_ns / scale));
    return *nanoseconds <= UINT64_C(1) << 63;
}

static bool whole_parse(const char **text, uint64_t *whole)
{
    for (*whole = 0; is_digit(**text); (*text)++) {
        if (*whole > (UINT64_C(1) << 63) / 10)
            return false;
        *whole = *whole * 10 + (uint64_t)(**text - '0');
        if (*whole > UINT64_C(1) << 63)
            return false;
    }
    assert(*whole <= UINT64_C(1) << 63);
    return true;
}

// Digits that no longer fit are skipped: they are far below a nanosecond.
static uint64_t fraction_parse(const char **text, double *scale)
{
    uint64_t fraction = 0;
    bool full = false;
    for (; is_digit(**text); (*text)++) {
        if (full)
            continue;
        uint64_t next = fraction * 10 + (uint64_t)(**text - '0');
        if (fraction > INT64_MAX / 10 || next > UINT64_C(1) << 63) {
            full = true;
            continue;
        }
        fraction = next;
        *scale *= 10;
    }
    assert(*scale >= 1);
    assert((double)fraction <= *scale);
    return fraction;
}

static const struct unit *unit_parse(const char **text)
{
    size_t length = strcspn(*text, ".0123456789");
    for (size_t i = 0; i < ARRAY_LENGTH(units); i++) {
        if (strlen(units[i].name) == length && memcmp(*text, units[i].name, length) == 0) {
            *text += length;
            return &units[i];
        }
    }
    return NULL;
}

// Writes value / unit with as many decimals as are needed, and the unit's name.
static void decimal_format(uint64_t value, uint64_t unit, const char *name, const char *before,
                           char out[DURATION_TEXT_MAX])
{
    assert(value % unit == 0 || unit > NANOSECOND);
    assert(unit <= SECOND);
    char decimals[12] = "";
    if (value % unit != 0) {
        int width = unit == SECOND ? 9 : unit == MILLISECOND ? 6 : 3;
        snprintf(decimals, sizeof decimals, ".%0*u", width, (unsigned)(value % unit));
        size_t end = strlen(decimals);
        while (end > 0 && decimals[end - 1] == '0')
            decimals[--end] = '\0';
    }
    int length = snprintf(out, DURATION_TEXT_MAX, "%s%llu%s%s", before,
                          (unsigned long long)(value / unit), decimals, name);
    assert(length > 0 && length < DURATION_TEXT_MAX);
}

void duration_format(int64_t nanoseconds, char out[DURATION_TEXT_MAX])
{
    uint64_t value = nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds;
    const char *sign = nanoseconds < 0 ? "-" : "";
    if (value == 0) {
        snprintf(out, DURATION_TEXT_MAX, "0s");
    } else if (value < MICROSECOND) {
        decimal_format(value, NANOSECOND, "ns", sign, out);
    } else if (value < MILLISECOND) {
        decimal_format(value, MICROSECOND, "\xC2\xB5s", sign, out);
    } else if (value < SECOND) {
        decimal_format(value, MILLISECOND, "ms", sign, out);
    } else {
        char before[32];
        uint64_t hours = value / HOUR, minutes = value % HOUR / MINUTE;
        if (hours != 0)
            snprintf(before, sizeof before, "%s%lluh%llum", sign, (unsigned long long)hours,
                     (unsigned long long)minutes);
        else if (minutes != 0)
            snprintf(before, sizeof before, "%s%llum", sign, (unsigned long long)minutes);
        else
            snprintf(before, sizeof before, "%s", sign);
        decimal_format(value % MINUTE, SECOND, "s", before, out);
    }
}

struct instant_fields {
    struct calendar_day date;
    int hour, minute, second;
    int64_t fraction_ns;
    int64_t offset_seconds;
};

static bool instant_scan(const char *text, struct instant_fields *fields);
static bool digits_scan(const char **text, int count, int low, int high, int *value);
static bool char_scan(const char **text, char wanted);
static bool fraction_scan(const char **text, int64_t *nanoseconds);
static bool offset_scan(const char **text, int64_t *seconds);

bool instant_parse(const char *text, int64_t *nanoseconds, struct error *error)
{
    assert(text != NULL);
    struct instant_fields fields;
    if (!instant_scan(text, &fields))
        return error_set(error, ERROR_INVALID,
                         "time \"%.80s\" is not RFC 3339, such as 2026-01-31T12:00:00Z", text);
    int64_t seconds = calendar_to_days(fields.date) * DAY_SECONDS + fields.hour * 3600 +
                      fields.minute * 60 + fields.second - fields.offset_seconds;
    __int128 sum = (__int128)seconds * SECOND + fields.fraction_ns;
    *nanoseconds = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
    return true;
}

static bool instant_scan(const char *text, struct instant_fields *fields)
{
    int year;
    struct calendar_day *date = &fields->date;
    if (!digits_scan(&text, 4, 0, 9999, &year) || !char_scan(&text, '-') ||
        !digits_scan(&text, 2, 1, 12, &date->month) || !char_scan(&text, '-') ||
        !digits_scan(&text, 2, 1, calendar_days_of_month(year, date->month), &date->day) ||
        !char_scan(&text, 'T') || !digits_scan(&text, 2, 0, 23, &fields->hour) ||
        !char_scan(&text, ':') || !digits_scan(&text, 2, 0, 59, &fields->minute) ||
        !char_scan(&text, ':') || !digits_scan(&text, 2, 0, 59, &fields->second) ||
        !fraction_scan(&text, &fields->fraction_ns) || !offset_scan(&text, &fields->offset_seconds))
        return false;
    date->year = year;
    return *text == '\0';
}

static bool digits_scan(const char **text, int count, int low, int high, int *value)
{
    assert(count > 0);
    assert(count <= 9); // the most an int holds
    *value = 0;
    for (int i = 0; i < count; i++, (*text)++) {
        if (!is_digit(**text))
            return false;
        *value = *value * 10 + (**text - '0');
    }
    return *value >= low && *value <= high;
}

static bool char_scan(const char **text, char wanted)
{
    if (**text != wanted)
        return false;
    (*text)++;
    return true;
}

static bool fraction_scan(const char **text, int64_t *nanoseconds)
{
    *nanoseconds = 0;
    if (**text != '.')
        return true;
    (*text)++;
    if (!is_digit(**text))
        return false;
    for (int64_t weight = SECOND / 10; is_digit(**text); (*text)++, weight /= 10)
        *nanoseconds += weight * (**text - '0');
    assert(*nanoseconds < SECOND);
    return true;
}

static bool offset_scan(const char **text, int64_t *seconds)
{
    *seconds = 0;
    if (**text == 'Z')
        return char_scan(text, 'Z');
    bool west = **text == '-';
    int hours, minutes;
    if (!west && **text != '+')
        return false;
    (*text)++;
    if (!digits_scan(text, 2, 0, 23, &hours) || !char_scan(text, ':') ||
        !digits_scan(text, 2, 0, 59, &minutes))
        return false;
    *seconds = (west ? -60 : 60) * (hours * 60 + minutes);
    return true;
}

// Truncates to `unit_ns` (towards the past).
static void instant_format_unit(int64_t nanoseconds, int64_t unit_ns, int decimals,
                                char out[INSTANT_TEXT_MAX])
{
    assert(unit_ns > 0);
    assert(decimals >= 0);
    assert(decimals <= 9);
    int64_t seconds = calendar_floor_divide(nanoseconds, SECOND);
    int64_t days = calendar_floor_divide(seconds, DAY_SECONDS);
    struct calendar_day date = calendar_from_days(days);
    int in_day = (int)(seconds - days * DAY_SECONDS);
    assert(in_day >= 0);
    assert(in_day < DAY_SECONDS);
    char fraction[16] = "";
    if (decimals != 0)
        snprintf(fraction, sizeof fraction, ".%0*d", decimals,
                 (int)((nanoseconds % SECOND + SECOND) % SECOND / unit_ns));
    int length =
        snprintf(out, INSTANT_TEXT_MAX, "%04d-%02d-%02dT%02d:%02d:%02d%sZ", (int)date.year,
                 date.month, date.day, in_day / 3600, in_day / 60 % 60, in_day % 60, fraction);
    assert(length > 0 && length < INSTANT_TEXT_MAX);
}

void instant_format(int64_t nanoseconds, char out[INSTANT_TEXT_MAX])
{
    instant_format_unit(nanoseconds, SECOND, 0, out);
}

void instant_format_micro(int64_t nanoseconds, char out[INSTANT_TEXT_MAX])
{
    instant_format_unit(nanoseconds, MICROSECOND, 6, out);
}

void instant_format_milli(int64_t nanoseconds, char out[INSTANT_TEXT_MAX])
{
    instant_format_unit(nanoseconds, MILLISECOND, 3, out);
}
