#include "cloud/aws/families/expression_tree.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define SHOWN_BYTES_MAX 120 // of a line, in messages

bool expression_fail(const char *text, uint32_t position, struct error *error, const char *format,
                     ...)
{
    assert(position <= strlen(text));
    uint32_t line = 1, start = 0;
    for (uint32_t i = 0; i < position; i++)
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_repair(message);
    uint32_t column = position - start;
    struct text caret = {0};
    int shown = (int)strcspn(text + start, "\n");
    if (shown <= SHOWN_BYTES_MAX) {
        text_format(&caret, "\n | %.*s\n | ", shown, text + start);
        for (uint32_t i = 0; i < column; i++)
            text_add_char(&caret, '.');
        text_add_char(&caret, '^');
    }
    error_set(error, ERROR_INVALID, "ERROR: <input>:%u:%u: %s%s", line, column + 1, message,
              text_or_empty(caret.data));
    text_free(&caret);
    return false;
}

const char *expression_type_name(enum expression_type type)
{
    static const char *const names[] = {
        [EXPRESSION_INT] = "int",   [EXPRESSION_DOUBLE] = "double", [EXPRESSION_STRING] = "string",
        [EXPRESSION_BOOL] = "bool", [EXPRESSION_LIST] = "list",
    };
    assert((size_t)type < ARRAY_LENGTH(names));
    return names[type];
}
