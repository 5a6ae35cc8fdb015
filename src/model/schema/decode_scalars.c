#include "model/schema/decode_scalars.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

#define DECODE_DEPTH_MAX 64 // API-303: of free-form values

bool decode_int(struct decoder *decoder, const struct place *place, const json_t *value,
                const struct json_form *form, int64_t *to)
{
    if (!json_whole(value, to))
        return decoder_fail(decoder, place, "expected an integer, found %g",
                            json_real_value(value));
    if (!form_has_range_of(form, *to))
        return decoder_fail(decoder, place, "%" PRId64 " is out of the range of a 32-bit integer",
                            *to);
    return true;
}

bool decode_int_or_string(struct decoder *decoder, const struct place *place, const json_t *value,
                          const struct json_form *form, struct int_or_string *to)
{
    to->present = true;
    to->text = json_string_value(value);
    return to->text != NULL || decode_int(decoder, place, value, form, &to->number);
}

bool decode_duration(struct decoder *decoder, const struct place *place, const json_t *value,
                     struct duration *to)
{
    assert(json_is_string(value));
    struct error why = {0};
    to->text = json_string_value(value);
    if (strcmp(to->text, "Never") == 0)
        to->nanoseconds = DURATION_NEVER;
    else if (!duration_parse(to->text, &to->nanoseconds, &why))
        return decoder_fail(decoder, place, "%s", why.message);
    return true;
}

bool decode_time(struct decoder *decoder, const struct place *place, const json_t *value,
                 int64_t *to)
{
    assert(json_is_string(value));
    const char *text = json_string_value(value);
    struct error why = {0};
    // The zero value of Go's time, which some clients write instead of null.
    if (strncmp(text, "0001-01-01T00:00:00", 19) == 0) {
        *to = 0;
        return true;
    }
    if (!instant_parse(text, to, &why))
        return decoder_fail(decoder, place, "%s", why.message);
    if (*to == 0) // the epoch itself moves by 1 ns, since 0 is absent
        *to = NANOSECOND;
    return true;
}

bool decode_price(struct decoder *decoder, const struct place *place, const json_t *value,
                  int64_t *to)
{
    struct error why = {0};
    if (json_is_string(value))
        return price_parse(json_string_value(value), to, &why) ||
               decoder_fail(decoder, place, "%s", why.message);
    assert(json_is_number(value));
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

bool decode_free_form(struct decoder *decoder, const struct place *place, const json_t *value,
                      const char **to)
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

bool decode_quantity(struct decoder *decoder, const struct place *place, const char *resource,
                     const json_t *value, int64_t *to)
{
    char number[32];
    const char *text = number;
    struct error why = {0};
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
    return quantity_parse(resource, text, to, &why) ||
           decoder_fail(decoder, place, "%s", why.message);
}
