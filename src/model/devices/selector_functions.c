#include "model/devices/selector_functions.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/pattern.h"
#include "base/quantity.h"
#include "base/text.h"

#define THOUSAND 1000 // quantities are in thousandths

static struct selector_value boolean(bool value)
{
    return value_of(VALUE_BOOL, value);
}

static struct selector_value call_text(enum selector_function function, const char *text,
                                       const char *other)
{
    bool matches;
    switch ((int)function) {
    case FUNCTION_STARTS_WITH:
        return boolean(text_starts_with(text, other));
    case FUNCTION_ENDS_WITH:
        return boolean(text_ends_with(text, other));
    case FUNCTION_CONTAINS:
        return boolean(strstr(text, other) != NULL);
    case FUNCTION_MATCHES:
        return pattern_try(other, text, &matches) ? boolean(matches) : value_failed();
    default:
        return value_failed();
    }
}

static struct selector_value change_case(struct arena *arena, const char *text, bool lower)
{
    char *copy = arena_copy_string(arena, text);
    for (char *c = copy; *c != '\0'; c++)
        *c = (char)(lower ? tolower((unsigned char)*c) : toupper((unsigned char)*c));
    return value_text(VALUE_STRING, copy);
}

static int64_t characters(const char *text)
{
    int64_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

// Methods of quantities and versions that compare with another of the kind.
static struct selector_value call_order(enum selector_function function, struct selector_value a,
                                        struct selector_value b)
{
    if (a.kind != b.kind || (a.kind != VALUE_QUANTITY && a.kind != VALUE_VERSION))
        return value_failed();
    int order = a.kind == VALUE_VERSION ? semver_compare(a.text, b.text)
                                        : (a.number > b.number) - (a.number < b.number);
    if (function == FUNCTION_COMPARE_TO)
        return value_of(VALUE_INT, (order > 0) - (order < 0));
    return boolean(function == FUNCTION_IS_GREATER_THAN ? order > 0 : order < 0);
}

static struct selector_value call_quantity(enum selector_function function, struct selector_value a,
                                           const struct selector_value *b)
{
    if (a.kind != VALUE_QUANTITY)
        return value_failed();
    if (function == FUNCTION_SIGN)
        return value_of(VALUE_INT, (a.number > 0) - (a.number < 0));
    if (function == FUNCTION_IS_INTEGER)
        return boolean(a.number % THOUSAND == 0);
    if (function == FUNCTION_AS_INTEGER)
        return a.number % THOUSAND == 0 ? value_of(VALUE_INT, a.number / THOUSAND) : value_failed();
    assert(b != NULL);
    int64_t other = b->kind == VALUE_INT ? quantity_multiply(b->number, THOUSAND) : b->number;
    if (b->kind != VALUE_QUANTITY && b->kind != VALUE_INT)
        return value_failed();
    return value_of(VALUE_QUANTITY, function == FUNCTION_ADD ? quantity_add(a.number, other)
                                                             : quantity_subtract(a.number, other));
}

static struct selector_value call_version(enum selector_function function, struct selector_value a)
{
    int64_t parts[3];
    if (a.kind != VALUE_VERSION || !semver_parse(a.text, parts))
        return value_failed();
    assert(function >= FUNCTION_MAJOR && function <= FUNCTION_PATCH);
    return value_of(VALUE_INT, parts[function - FUNCTION_MAJOR]);
}

static struct selector_value make_value(enum selector_function function, const char *text)
{
    int64_t amount, parts[3];
    struct error error;
    bool is_quantity = function == FUNCTION_QUANTITY || function == FUNCTION_IS_QUANTITY;
    bool fine = is_quantity ? quantity_parse_scaled(text, DEVICE_QUANTITY_EXPONENT, &amount, &error)
                            : semver_parse(text, parts);
    if (function == FUNCTION_IS_QUANTITY || function == FUNCTION_IS_SEMVER)
        return boolean(fine);
    if (!fine)
        return value_failed();
    return is_quantity ? value_of(VALUE_QUANTITY, amount) : value_text(VALUE_VERSION, text);
}

static struct selector_value call_conversion(struct arena *arena, enum selector_function function,
                                             struct selector_value value)
{
    int64_t number;
    if (function == FUNCTION_INT) {
        if (value.kind == VALUE_STRING && text_parse_int64(value.text, &number))
            return value_of(VALUE_INT, number);
        return value.kind == VALUE_INT ? value : value_failed();
    }
    if (value.kind == VALUE_INT)
        return value_text(VALUE_STRING, arena_format(arena, "%lld", (long long)value.number));
    if (value.kind == VALUE_BOOL)
        return value_text(VALUE_STRING, value.number != 0 ? "true" : "false");
    return value.kind == VALUE_STRING ? value : value_failed();
}

static struct selector_value call_optional(enum selector_function function,
                                           struct selector_value value,
                                           const struct selector_value *otherwise)
{
    if (!value.optional)
        return value_failed();
    bool absent = value.kind == VALUE_ABSENT;
    if (function == FUNCTION_HAS_VALUE)
        return boolean(!absent);
    if (!absent) {
        value.optional = false;
        return value;
    }
    return function == FUNCTION_OR_VALUE ? *otherwise : value_failed();
}

static struct selector_value size_of(struct selector_value value)
{
    if (value.kind == VALUE_STRING)
        return value_of(VALUE_INT, characters(value.text));
    return value.kind == VALUE_LIST ? value_of(VALUE_INT, value.count) : value_failed();
}

struct selector_value selector_call(struct arena *arena, enum selector_function function,
                                    const struct selector_value *arguments, uint32_t count)
{
    assert(count >= 1);
    struct selector_value first = arguments[0];
    const struct selector_value *second = count > 1 ? &arguments[1] : NULL;
    switch ((int)function) {
    case FUNCTION_STARTS_WITH:
    case FUNCTION_ENDS_WITH:
    case FUNCTION_CONTAINS:
    case FUNCTION_MATCHES:
        return first.kind == VALUE_STRING && second->kind == VALUE_STRING
                   ? call_text(function, first.text, second->text)
                   : value_failed();
    case FUNCTION_LOWER_ASCII:
    case FUNCTION_UPPER_ASCII:
        return first.kind == VALUE_STRING
                   ? change_case(arena, first.text, function == FUNCTION_LOWER_ASCII)
                   : value_failed();
    case FUNCTION_SIZE:
        return size_of(first);
    case FUNCTION_COMPARE_TO:
    case FUNCTION_IS_GREATER_THAN:
    case FUNCTION_IS_LESS_THAN:
        return call_order(function, first, *second);
    case FUNCTION_AS_INTEGER:
    case FUNCTION_IS_INTEGER:
    case FUNCTION_ADD:
    case FUNCTION_SUB:
    case FUNCTION_SIGN:
        return call_quantity(function, first, second);
    case FUNCTION_MAJOR:
    case FUNCTION_MINOR:
    case FUNCTION_PATCH:
        return call_version(function, first);
    case FUNCTION_OR_VALUE:
    case FUNCTION_HAS_VALUE:
    case FUNCTION_VALUE:
        return call_optional(function, first, second);
    case FUNCTION_QUANTITY:
    case FUNCTION_IS_QUANTITY:
    case FUNCTION_SEMVER:
    case FUNCTION_IS_SEMVER:
        return first.kind == VALUE_STRING ? make_value(function, first.text) : value_failed();
    case FUNCTION_INT:
    case FUNCTION_STRING:
        return call_conversion(arena, function, first);
    case FUNCTION_COUNT:
        break;
    }
    return value_failed();
}
