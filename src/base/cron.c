#include "base/cron.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/calendar.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#define FIELDS_COUNT     5
#define DAY              (24 * HOUR)
#define SEARCH_YEARS_MAX 5

struct field {
    const char *name;
    int low, high;
    const char *const *names; // of low, low + 1, ...; NULL: numbers only
};

static const char *const month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                          "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

static const struct field fields[FIELDS_COUNT] = {
    {"minute", 0, 59, NULL},
    {"hour", 0, 23, NULL},
    {"day of month", 1, 31, NULL},
    {"month", 1, 12, month_names},
    {"day of week", 0, 6, weekday_names},
};

static const struct {
    const char *name, *schedule;
} macros[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};

// A piece of the text that is being parsed.
struct piece {
    const char *data;
    size_t length;
};

static bool macro_parse(struct piece text, struct cron *cron, struct error *error);
static size_t fields_split(struct piece text, struct piece pieces[FIELDS_COUNT]);
static bool field_parse(const struct field *field, struct piece text, uint64_t *bits, bool *star,
                        struct error *error);
static bool range_parse(const struct field *field, struct piece text, uint64_t *bits, bool *star,
                        struct error *error);
static bool number_parse(const struct field *field, struct piece text, int64_t *value,
                         struct error *error);
static struct piece piece_trim(const char *text);
static bool piece_cut(struct piece *rest, char separator, struct piece *first);

bool cron_parse(const char *text, struct cron *cron, struct error *error)
{
    assert(text != NULL);
    assert(cron != NULL);
    *cron = (struct cron){0};
    struct piece trimmed = piece_trim(text);
    if (trimmed.length == 0)
        return error_set(error, ERROR_INVALID, "empty spec string");
    if (trimmed.data[0] == '@')
        return macro_parse(trimmed, cron, error);

    struct piece pieces[FIELDS_COUNT];
    size_t count = fields_split(trimmed, pieces);
    if (count != FIELDS_COUNT)
        return error_set(error, ERROR_INVALID, "expected exactly 5 fields, found %zu: %.200s",
                         count, text);
    uint64_t *bits[FIELDS_COUNT] = {&cron->minutes, &cron->hours, &cron->days, &cron->months,
                                    &cron->weekdays};
    bool stars[FIELDS_COUNT];
    for (size_t i = 0; i < FIELDS_COUNT; i++)
        if (!field_parse(&fields[i], pieces[i], bits[i], &stars[i], error))
            return false;
    cron->any_day = stars[2];
    cron->any_weekday = stars[4];
    assert(cron->minutes >> 60 == 0);
    assert(cron->hours >> 24 == 0);
    assert(cron->weekdays >> 7 == 0);
    return true;
}

static bool macro_parse(struct piece text, struct cron *cron, struct error *error)
{
    for (size_t i = 0; i < ARRAY_LENGTH(macros); i++)
        if (strlen(macros[i].name) == text.length &&
            memcmp(macros[i].name, text.data, text.length) == 0)
            return cron_parse(macros[i].schedule, cron, error);
    return error_set(error, ERROR_INVALID, "unrecognized descriptor: %.*s",
                     (int)(text.length < 200 ? text.length : 200), text.data);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Returns how many fields there are, also if more than fit.
static size_t fields_split(struct piece text, struct piece pieces[FIELDS_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < text.length;) {
        size_t start = i;
        while (i < text.length && !is_space(text.data[i]))
            i++;
        if (i > start && count++ < FIELDS_COUNT)
            pieces[count - 1] = (struct piece){text.data + start, i - start};
        while (i < text.length && is_space(text.data[i]))
            i++;
    }
    return count;
}

// A comma list. Empty members are skipped; a list of nothing else never matches (DIS-113).
static bool field_parse(const struct field *field, struct piece text, uint64_t *bits, bool *star,
                        struct error *error)
{
    *star = false;
    struct piece member;
    for (bool more = true; more;) {
        more = piece_cut(&text, ',', &member);
        if (member.length != 0 && !range_parse(field, member, bits, star, error))
            return error_prefix(error, "%s", field->name);
    }
    return true;
}

static bool range_error(struct error *error, const char *what, struct piece text)
{
    return error_set(error, ERROR_INVALID, "%s: %.*s", what,
                     (int)(text.length < 200 ? text.length : 200), text.data);
}

// "*", "?", "a", "a-b", each with "/step"; "a/step" runs to the end of the field's range.
static bool range_parse(const struct field *field, struct piece text, uint64_t *bits, bool *star,
                        struct error *error)
{
    struct piece step_text = text, range, low, high;
    bool has_step = piece_cut(&step_text, '/', &range);
    high = range;
    bool has_high = piece_cut(&high, '-', &low);
    bool is_star = low.length == 1 && (low.data[0] == '*' || low.data[0] == '?');
    int64_t from = field->low, to = field->high, step = 1;

    if (!is_star) {
        if (!number_parse(field, low, &from, error))
            return false;
        if (has_high && memchr(high.data, '-', high.length) != NULL)
            return range_error(error, "too many hyphens", text);
        to = from;
        if (has_high && !number_parse(field, high, &to, error))
            return false;
    }
    if (has_step) {
        static const struct field any_number = {"step", 0, INT_MAX, NULL};
        if (memchr(step_text.data, '/', step_text.length) != NULL)
            return range_error(error, "too many slashes", text);
        if (!number_parse(&any_number, step_text, &step, error))
            return false;
        if (!has_high)
            to = field->high;
    }
    char why[100] = "";
    if (from < field->low)
        snprintf(why, sizeof why, "beginning of range (%lld) below minimum (%d)", (long long)from,
                 field->low);
    else if (to > field->high)
        snprintf(why, sizeof why, "end of range (%lld) above maximum (%d)", (long long)to,
                 field->high);
    else if (from > to)
        snprintf(why, sizeof why, "beginning of range (%lld) beyond end of range (%lld)",
                 (long long)from, (long long)to);
    else if (step == 0)
        snprintf(why, sizeof why, "step of range should be a positive number");
    if (why[0] != '\0')
        return range_error(error, why, text);

    assert(to < 64);
    assert(step > 0);
    *star |= is_star && step == 1;
    for (int64_t value = from; value <= to; value += step) {
        *bits |= UINT64_C(1) << value;
        if (step > to - value)
            break;
    }
    return true;
}

static bool number_parse(const struct field *field, struct piece text, int64_t *value,
                         struct error *error)
{
    if (field->names != NULL && text.length == 3) {
        for (int i = 0; i <= field->high - field->low; i++) {
            if (strncasecmp(field->names[i], text.data, 3) == 0) {
                *value = field->low + i;
                return true;
            }
        }
    }
    char digits[24];
    bool fits = text.length < sizeof digits;
    if (fits) {
        memcpy(digits, text.data, text.length);
        digits[text.length] = '\0';
    }
    if (!fits || !text_parse_int64(digits, value))
        return range_error(error, "failed to parse int", text);
    if (*value < 0)
        return range_error(error, "negative number not allowed", text);
    return true;
}

static struct piece piece_trim(const char *text)
{
    while (is_space(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && is_space(text[length - 1]))
        length--;
    return (struct piece){text, length};
}

// Cuts *rest at the first separator. Without one, all of it goes to *first and *rest stays as it
// is.
static bool piece_cut(struct piece *rest, char separator, struct piece *first)
{
    const char *at = memchr(rest->data, separator, rest->length);
    *first = *rest;
    if (at == NULL)
        return false;
    first->length = (size_t)(at - rest->data);
    rest->length -= first->length + 1;
    rest->data = at + 1;
    return true;
}

static bool day_matches(const struct cron *cron, struct calendar_day date, int weekday);
static int next_bit(uint64_t bits, int from);

// Walks over days, and over whole months where none matches; within a day it goes from bit to bit.
int64_t cron_next(const struct cron *cron, int64_t instant)
{
    assert(cron != NULL);
    int64_t minute = calendar_floor_divide(instant, MINUTE) + 1;
    int64_t day = calendar_floor_divide(minute, 24 * 60);
    int minute_of_day = (int)(minute - day * 24 * 60);
    struct calendar_day date = calendar_from_days(day);
    // The search starts at the next whole second.
    int64_t second = calendar_floor_divide(instant, SECOND) + 1;
    int64_t last_year =
        calendar_from_days(calendar_floor_divide(second, 86400)).year + SEARCH_YEARS_MAX;

    while (date.year <= last_year) {
        if ((cron->months >> date.month & 1) == 0) {
            day += calendar_days_of_month(date.year, date.month) - date.day + 1;
            minute_of_day = 0;
            date = calendar_from_days(day);
            continue;
        }
        if (day_matches(cron, date, calendar_weekday(day))) {
            int hour = next_bit(cron->hours, minute_of_day / 60);
            int in_hour = hour == minute_of_day / 60 ? minute_of_day % 60 : 0;
            int hit = next_bit(cron->minutes, in_hour);
            if (hit < 0 && hour >= 0) {
                hour = next_bit(cron->hours, hour + 1);
                hit = next_bit(cron->minutes, 0);
            }
            if (hour >= 0 && hit >= 0) {
                int64_t in_day = ns_add(ns_multiply(hour, HOUR), ns_multiply(hit, MINUTE));
                assert(hour < 24);
                assert(hit < 60);
                return ns_add(ns_multiply(day, DAY), in_day);
            }
        }
        day++;
        minute_of_day = 0;
        date = calendar_from_days(day);
    }
    return INT64_MAX;
}

// DIS-115: both must match if either is a star, else one is enough.
static bool day_matches(const struct cron *cron, struct calendar_day date, int weekday)
{
    assert(weekday >= 0);
    assert(weekday < 7);
    bool by_day = cron->days >> date.day & 1;
    bool by_weekday = cron->weekdays >> weekday & 1;
    return cron->any_day || cron->any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

// The first bit set at or after `from`; -1 if there is none.
static int next_bit(uint64_t bits, int from)
{
    if (from < 0 || from > 63)
        return -1;
    bits &= ~UINT64_C(0) << from;
    return bits == 0 ? -1 : __builtin_ctzll(bits);
}
