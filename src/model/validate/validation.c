#include "model/validate/validation.h"

#include <assert.h>
#include <stdio.h>

#define FINDINGS_MAX  10000 // of one object
#define MESSAGE_BYTES 4096

bool validation_is_full(const struct validation *validation)
{
    assert(validation->reported <= FINDINGS_MAX);
    return validation->reported == FINDINGS_MAX;
}

void validation_report(struct validation *validation, const struct report *report,
                       const char *format, ...)
{
    assert(format != NULL);
    validation->refused = validation->refused || report->level == FINDING_REFUSED;
    if (validation->findings == NULL || validation_is_full(validation))
        return;
    validation->reported++;
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct text path = {0};
    place_text(report->place, &path);
    findings_add(validation->findings,
                 &(struct finding){.level = report->level,
                                   .code = report->code,
                                   .rule = report->rule,
                                   .path = text_or_empty(path.data),
                                   .is_form = report->is_form,
                                   .hint = report->hint},
                 "%s", message);
    text_free(&path);
}

void validation_warn(struct validation *validation, const struct place *place, const char *code,
                     const char *hint, const char *format, ...)
{
    char message[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    validation_report(validation,
                      &(struct report){.level = FINDING_WARNING,
                                       .code = code,
                                       .rule = "API-313",
                                       .place = place,
                                       .hint = hint},
                      "%s", message);
}
