#include "cloud/aws/families/toml_scalar.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NUMBER_BYTES_MAX 400

void *toml_fail(const struct toml_reader *reader, const char *format, ...)
{
    char message[500];
    uint32_t line = 1, column = 1;
    for (const char *byte = reader->text; byte < reader->place; byte++) {
        column = *byte == '\n' ? 1 : column + 1;
        line += *byte == '\n';
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_repair(message);
    error_set(reader->error, ERROR_INVALID, "line %u, column %u: %s", line, column, message);
    return NULL;
}

// --- strings -------------------------------------------------------------------------------------
static bool add_character(struct text *text, uint32_t code)
{
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return false;
    if (code < 0x80) {
        text_add_char(text, (char)code);
        return true;
    }
    if (code >= 0x10000) {
        text_add_char(text, (char)(0xF0 | code >> 18));
        text_add_char(text, (char)(0x80 | (code >> 12 & 0x3F)));
    } else if (code >= 0x800) {
        text_add_char(text, (char)(0xE0 | code >> 12));
    }
    if (code >= 0x800)
        text_add_char(text, (char)(0x80 | (code >> 6 & 0x3F)));
    else
        text_add_char(text, (char)(0xC0 | code >> 6));
    text_add_char(text, (char)(0x80 | (code & 0x3F)));
    return true;
}

static bool read_code(struct toml_reader *reader, int digits, struct text *text)
{
    uint32_t code = 0;
    for (int i = 0; i < digits; i++) {
        char c = reader->place[i];
        if (!isxdigit((unsigned char)c))
            return toml_fail(reader, "%d hexadecimal digits must follow", digits);
        uint32_t digit =
            isdigit((unsigned char)c) ? (uint32_t)(c - '0') : (uint32_t)(tolower(c) - 'a' + 10);
        code = code << 4 | digit;
    }
    if (!add_character(text, code))
        return toml_fail(reader, "no character that a text may have");
    reader->place += digits;
    return true;
}

// A backslash at the end of a line: the text goes on at the next byte that is no white space.
static bool take_continuation(struct toml_reader *reader)
{
    const char *after = reader->place + strspn(reader->place, " \t");
    if (*after != '\n' && !(after[0] == '\r' && after[1] == '\n'))
        return false;
    reader->place = after + strspn(after, " \t\r\n");
    return true;
}

// After a backslash.
static bool read_escape(struct toml_reader *reader, bool multi_line, struct text *text)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    if (multi_line && take_continuation(reader))
        return true;
    char c = *reader->place;
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found != NULL) {
        text_add_char(text, to[found - from]);
        reader->place++;
        return true;
    }
    if (c != 'u' && c != 'U')
        return toml_fail(reader, "unknown escape; write \\\\ for a backslash");
    reader->place++;
    return read_code(reader, c == 'u' ? 4 : 8, text);
}

// At the closing quotes of a multi-line string; up to two more of them belong to the text.
static void close_multi_line(struct toml_reader *reader, char quote, struct text *text)
{
    reader->place += 3;
    for (int i = 0; i < 2 && *reader->place == quote; i++) {
        text_add_char(text, quote);
        reader->place++;
    }
}

static bool is_triple(const char *place, char quote)
{
    return place[0] == quote && place[1] == quote && place[2] == quote;
}

static bool read_quoted(struct toml_reader *reader, bool multi_line, struct text *text)
{
    char quote = *reader->place;
    reader->place += multi_line ? 3 : 1;
    if (multi_line)
        reader->place += reader->place[0] == '\n'                               ? 1
                         : reader->place[0] == '\r' && reader->place[1] == '\n' ? 2
                                                                                : 0;
    for (;;) {
        unsigned char c = (unsigned char)*reader->place;
        if (c == quote && (!multi_line || is_triple(reader->place, quote))) {
            if (multi_line)
                close_multi_line(reader, quote, text);
            else
                reader->place++;
            return true;
        }
        bool newline = c == '\n' || (c == '\r' && reader->place[1] == '\n');
        if (c == '\0' || (newline && !multi_line))
            return toml_fail(reader, "the string has no closing quotes");
        if (!newline && ((c < 0x20 && c != '\t') || c == 0x7F))
            return toml_fail(reader, "a control character in a string; escape it");
        reader->place++;
        if (c != '\\' || quote == '\'')
            text_add_char(text, (char)c);
        else if (!read_escape(reader, multi_line, text))
            return false;
    }
}

const char *toml_read_string(struct toml_reader *reader, bool key)
{
    assert(*reader->place == '"' || *reader->place == '\'');
    struct text text = {0};
    bool multi_line = !key && is_triple(reader->place, *reader->place);
    const char *result = NULL;
    if (read_quoted(reader, multi_line, &text))
        result = arena_copy_string(reader->arena, text_or_empty(text.data));
    text_free(&text);
    return result;
}

// --- dates and times -----------------------------------------------------------------------------
// `count` digits at `text`; -1: others.
static int digits_at(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)text[i]))
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

static bool is_date(const char *text)
{
    return digits_at(text, 4) >= 0 && text[4] == '-' && digits_at(text + 5, 2) >= 0;
}

static bool is_time(const char *text)
{
    return digits_at(text, 2) >= 0 && text[2] == ':';
}

static bool valid_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = digits_at(text, 4), month = digits_at(text + 5, 2);
    int day = text[7] == '-' ? digits_at(text + 8, 2) : -1;
    if (month < 1 || month > 12)
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day >= 1 && day <= days[month - 1] + (leap && month == 2);
}

// The length of a valid HH:MM:SS[.fraction]; 0: it is none.
static size_t time_length(const char *text)
{
    if (!is_time(text) || digits_at(text, 2) > 23)
        return 0;
    int minute = digits_at(text + 3, 2);
    int second = minute >= 0 && text[5] == ':' ? digits_at(text + 6, 2) : -1;
    if (minute < 0 || minute > 59 || second < 0 || second > 59)
        return 0;
    size_t fraction = text[8] == '.' ? strspn(text + 9, "0123456789") : 0;
    if (text[8] == '.' && fraction == 0)
        return 0;
    return text[8] == '.' ? 9 + fraction : 8;
}

// Nanoseconds are the finest; beside an offset trailing zeros are dropped, as Go's RFC 3339 does.
static void add_time(struct text *text, const char *time, size_t length, bool offset)
{
    if (length > 18)
        length = 18;
    while (offset && length > 8 && (time[length - 1] == '0' || time[length - 1] == '.'))
        if (time[--length] == '.')
            break;
    text_add_bytes(text, time, length);
}

// Z or +HH:MM; adds it in Go's form. False: there is none, or it is wrong (`*wrong`).
static bool add_offset(struct text *text, const char *place, size_t *length, bool *wrong)
{
    *wrong = false;
    if (*place == 'Z' || *place == 'z') {
        text_add_char(text, 'Z');
        *length = 1;
        return true;
    }
    if (*place != '+' && *place != '-')
        return false;
    int hours = digits_at(place + 1, 2);
    int minutes = hours >= 0 && place[3] == ':' ? digits_at(place + 4, 2) : -1;
    *wrong = hours > 23 || minutes < 0 || minutes > 59;
    if (*wrong)
        return false;
    if (hours == 0 && minutes == 0)
        text_add_char(text, 'Z');
    else
        text_add_bytes(text, place, 6);
    *length = 6;
    return true;
}

static const char *after_time(const char *place)
{
    return place + time_length(place);
}

static bool has_offset(const char *place)
{
    return *place == 'Z' || *place == 'z' || *place == '+' || *place == '-';
}

static bool read_instant(struct toml_reader *reader, struct text *text)
{
    const char *place = reader->place;
    bool date = is_date(place), offset = false, wrong = false;
    if (date && !valid_date(place))
        return toml_fail(reader, "no valid date");
    if (date) {
        text_add_bytes(text, place, 10);
        place += 10;
        bool more = (*place == 'T' || *place == 't' || *place == ' ') && is_time(place + 1);
        if (!more) {
            reader->place = place;
            return true;
        }
        text_add_char(text, 'T');
        place++;
    }
    size_t length = time_length(place);
    if (length == 0)
        return toml_fail(reader, "no valid time; it is HH:MM:SS");
    offset = date && has_offset(after_time(place));
    add_time(text, place, length, offset);
    place += length;
    if (offset && !add_offset(text, place, &length, &wrong))
        return toml_fail(reader, "no valid offset; it is Z or +HH:MM");
    reader->place = place + (offset ? length : 0);
    return true;
}

static struct toml_value *read_date(struct toml_reader *reader)
{
    struct text text = {0};
    struct toml_value *value = NULL;
    if (read_instant(reader, &text)) {
        value = toml_string(reader->arena, text.data);
        value->type = TOML_INSTANT;
    }
    text_free(&text);
    return value;
}

// --- numbers -------------------------------------------------------------------------------------
// Copies digits without underscores, each of which must stand between two of them.
static bool copy_digits(const char **place, const char *allowed, char *out, size_t *length)
{
    const char *start = *place;
    bool digit = false;
    for (;; (*place)++) {
        char c = **place;
        if (c == '_' && (!digit || (*place)[1] == '\0' || strchr(allowed, (*place)[1]) == NULL))
            return false;
        if (c != '_' && (c == '\0' || strchr(allowed, c) == NULL))
            return *place > start;
        digit = c != '_';
        if (digit && *length + 1 < NUMBER_BYTES_MAX)
            out[(*length)++] = c;
        else if (digit)
            return false;
    }
}

static struct toml_value *read_based(struct toml_reader *reader, int base, const char *allowed)
{
    char digits[NUMBER_BYTES_MAX] = "";
    size_t length = 0;
    const char *place = reader->place + 2;
    errno = 0;
    if (!copy_digits(&place, allowed, digits, &length))
        return toml_fail(reader, "no valid integer");
    long long number = strtoll(digits, NULL, base);
    if (errno == ERANGE)
        return toml_fail(reader, "the integer does not fit 64 bits");
    reader->place = place;
    return toml_integer(reader->arena, number);
}

static struct toml_value *float_value(struct toml_reader *reader, double number)
{
    struct toml_value *value = toml_integer(reader->arena, 0);
    value->type = TOML_FLOAT;
    value->number = number;
    return value;
}

// inf and nan, with or without a sign. NULL: none of them.
static struct toml_value *read_special(struct toml_reader *reader)
{
    const char *word = reader->place + (*reader->place == '+' || *reader->place == '-');
    if (!text_starts_with(word, "inf") && !text_starts_with(word, "nan"))
        return NULL;
    double number = word[0] == 'n' ? (double)NAN : (double)INFINITY;
    if (*reader->place == '-')
        number = -number;
    reader->place = word + 3;
    return float_value(reader, number);
}

static struct toml_value *read_decimal(struct toml_reader *reader)
{
    static const char decimal[] = "0123456789";
    char digits[NUMBER_BYTES_MAX] = "";
    size_t length = 0;
    const char *place = reader->place;
    bool floating = false;
    if (*place == '+' || *place == '-')
        digits[length++] = *place++;
    bool leading_zero = place[0] == '0' && (isdigit((unsigned char)place[1]) || place[1] == '_');
    if (leading_zero || !copy_digits(&place, decimal, digits, &length))
        return toml_fail(reader, "no valid value; quote texts");
    if (*place == '.') {
        floating = true;
        digits[length++] = *place++;
        if (!copy_digits(&place, decimal, digits, &length))
            return toml_fail(reader, "digits must follow the point");
    }
    if (*place == 'e' || *place == 'E') {
        floating = true;
        digits[length++] = *place++;
        if (*place == '+' || *place == '-')
            digits[length++] = *place++;
        if (!copy_digits(&place, decimal, digits, &length))
            return toml_fail(reader, "digits must follow the exponent's sign");
    }
    digits[length] = '\0';
    errno = 0;
    int64_t number = floating ? 0 : strtoll(digits, NULL, 10);
    if (!floating && errno == ERANGE)
        return toml_fail(reader, "the integer does not fit 64 bits");
    reader->place = place;
    return floating ? float_value(reader, strtod(digits, NULL))
                    : toml_integer(reader->arena, number);
}

struct toml_value *toml_read_scalar(struct toml_reader *reader)
{
    const char *place = reader->place;
    bool is_true = text_starts_with(place, "true");
    if (is_true || text_starts_with(place, "false")) {
        reader->place += is_true ? 4 : 5;
        return toml_boolean(reader->arena, is_true);
    }
    if (is_date(place) || is_time(place))
        return read_date(reader);
    if (place[0] == '0' && place[1] == 'x')
        return read_based(reader, 16, "0123456789abcdefABCDEF");
    if (place[0] == '0' && place[1] == 'o')
        return read_based(reader, 8, "01234567");
    if (place[0] == '0' && place[1] == 'b')
        return read_based(reader, 2, "01");
    struct toml_value *special = read_special(reader);
    return special != NULL ? special : read_decimal(reader);
}
