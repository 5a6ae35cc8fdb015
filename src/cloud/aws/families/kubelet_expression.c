#include "cloud/aws/families/kubelet_expression.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/expression_check.h"
#include "cloud/aws/families/expression_parse.h"
#include "cloud/aws/families/expression_tree.h"

#define SHOWN_BYTES_MAX 120 // of a line, in messages

struct expression *expression_compile(const char *text, struct arena *arena, struct error *error)
{
    assert(text != NULL && arena != NULL);
    if (strlen(text) > EXPRESSION_BYTES_MAX) {
        error_set(error, ERROR_INVALID,
                  "compiling expression, it is longer than %d bytes (expression=%.60s…)",
                  EXPRESSION_BYTES_MAX, text);
        return NULL;
    }
    struct expression *expression = arena_allocate(arena, sizeof *expression);
    expression->text = arena_copy_string(arena, text);
    expression->root = expression_parse(expression->text, arena, error);
    if (expression->root == NULL || !expression_check(expression->text, expression->root, error)) {
        struct error inner = error != NULL ? *error : (struct error){0};
        error_set(error, ERROR_INVALID, "compiling expression, %s (expression=%.500s)",
                  inner.message, text);
        return NULL;
    }
    enum expression_type type = expression->root->type;
    if (type != EXPRESSION_INT && type != EXPRESSION_DOUBLE) {
        error_set(error, ERROR_INVALID,
                  "expression must return int or double (expression=%.500s, output-type=%s)", text,
                  expression_type_name(type));
        return NULL;
    }
    return expression;
}

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
