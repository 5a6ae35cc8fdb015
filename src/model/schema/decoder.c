#include "model/schema/decoder.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

bool decoder_fail(struct decoder *decoder, const struct place *place, const char *format, ...)
{
    if (decoder->salvages && decoder->error->kind != ERROR_NONE)
        return false;
    struct text path = {0};
    place_text(place, &path);
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(decoder->error, ERROR_INVALID, "%s", message);
    if (path.length > 0)
        error_locate(decoder->error, "%s", path.data);
    text_free(&path);
    return false;
}

// As shells, Helm and Terraform have them (GUI-11).
static bool has_variable(const json_t *value)
{
    const char *text = text_or_empty(json_string_value(value));
    return strstr(text, "${") != NULL || strstr(text, "$(") != NULL || strstr(text, "{{") != NULL;
}

bool decoder_expected(struct decoder *decoder, const struct place *place,
                      const struct json_form *form, const json_t *value)
{
    if (has_variable(value))
        return decoder_fail(decoder, place,
                            "expected %s, found \"%.200s\", which looks like a variable that was "
                            "not filled in",
                            form->name, json_string_value(value));
    return decoder_fail(decoder, place, "expected %s, found %s", form->name,
                        json_type_text(value, "a boolean"));
}
