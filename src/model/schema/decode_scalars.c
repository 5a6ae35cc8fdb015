#include "model/schema/decode_scalars.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

#define DECODE_DEPTH_MAX 64 // API-303: of free-form values

bool decode_string(struct decoder *decoder, const struct decode_place *place, const json_t *value,
                   const char **to)
{
    if (!json_is_string(value))
        return decoder_expected(decoder, place, "a string", value);
    *to = json_string_value(value);
    return true;
}

bool decode_bool(struct decoder *decoder, const struct decode_place *place, const json_t *value,
                 bool *to)
{
    if (!json_is_boolean(value))
        return decoder_expected(decoder, place, "a boolean", value);
    *to = json_is_true(value);
    return true;
}

bool decode_int(struct decoder *decoder, const struct decode_place *place, const json_t *value,
                bool narrow, int64_t *to)
{
    if (json_is_integer(value)) {
        *to = json_integer_value(value);
    } else if (json_is_real(value)) {
        double real = json_real_value(value);
        // 2^63 itself does not fit; every double below it that is whole does.
        if (!(real >= -0x1p63 && real < 0x1p63) || real != (double)(int64_t)real)
            return decoder_fail(decoder, place, "expected an integer, found %g", real);
        *to = (int64_t)real;
    } else {
        return decoder_expected(decoder, place, "an integer", value);
    }
    if (narrow && (*to < INT32_MIN || *to > INT32_MAX))
        return decoder_fail(decoder, place, "%" PRId64 " is out of the range of a 32-bit integer",
                            *to);
    return true;
}

bool decode_int_or_string(struct decoder *decoder, const struct decode_place *place,
                          const json_t *value, struct int_or_string *to)
{
    to->present = true;
    if (json_is_string(value)) {
        to->text = json_string_value(value);
        return true;
    }
    if (!json_is_number(value))
        return decoder_expected(decoder, place, "an integer or a string", value);
    return decode_int(decoder, place, value, true, &to->number);
}

bool decode_duration(struct decoder *decoder, const struct decode_place *place, const json_t *value,
                     struct duration *to)
{
    if (!decode_string(decoder, place, value, &to->text))
        return false;
    struct error why = {0};
    if (strcmp(to->text, "Never") == 0)
        to->nanoseconds = DURATION_NEVER;
    else if (!duration_parse(to->text, &to->nanoseconds, &why))
        return decoder_fail(decoder, place, "%s", why.message);
    return true;
}

bool decode_time(struct decoder *decoder, const struct decode_place *place, const json_t *value,
                 int64_t *to)
{
    const char *text = NULL;
    struct error why = {0};
    if (!decode_string(decoder, place, value, &text))
        return false;
    // The zero value of Go's time, which some clients write for "none".
    if (strncmp(text, "0001-01-01T00:00:00", 19) == 0) {
        *to = 0;
        return true;
    }
    if (!instant_parse(text, to, &why))
        return decoder_fail(decoder, place, "%s", why.message);
    if (*to == 0) // the epoch itself is there, too: 0 is absent
        *to = NANOSECOND;
    return true;
}

bool decode_price(struct decoder *decoder, const struct decode_place *place, const json_t *value,
                  int64_t *to)
{
    struct error why = {0};
    if (json_is_string(value))
        return price_parse(json_string_value(value), to, &why) ||
               decoder_fail(decoder, place, "%s", why.message);
    if (!json_is_number(value))
        return decoder_expected(decoder, place, "a number", value);
    *to = price_from_double(json_number_value(value));
    return true;
}

static bool depth_is_fine(const json_t *value, int depth)
{
    if (depth > DECODE_DEPTH_MAX)
        return false;
    const char *key;
    const json_t *member;
    size_t index;
    if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, member)
            if (!depth_is_fine(member, depth + 1))
                return false;
    } else if (json_is_array(value)) {
        json_array_foreach (value, index, member)
            if (!depth_is_fine(member, depth + 1))
                return false;
    }
    return true;
}

bool decode_free_form(struct decoder *decoder, const struct decode_place *place,
                      const json_t *value, const char **to)
{
    if (!depth_is_fine(value, 1))
        return decoder_fail(decoder, place, "nested deeper than %d", DECODE_DEPTH_MAX);
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    if (text == NULL)
        return decoder_fail(decoder, place, "cannot be written as JSON");
    *to = arena_copy_string(decoder->arena, text);
    free(text);
    return true;
}

bool decode_quantity(struct decoder *decoder, const struct decode_place *place,
                     const char *resource, const json_t *value, int64_t *to)
{
    char number[32];
    const char *text = number;
    struct error why = {0};
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
    else
        return decoder_expected(decoder, place, "a quantity", value);
    return quantity_parse(resource, text, to, &why) ||
           decoder_fail(decoder, place, "%s", why.message);
}
