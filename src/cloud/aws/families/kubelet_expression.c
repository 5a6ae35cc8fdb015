#include "cloud/aws/families/kubelet_expression.h"

#include <assert.h>
#include <string.h>

#include "cloud/aws/families/expression_check.h"
#include "cloud/aws/families/expression_parse.h"
#include "cloud/aws/families/expression_tree.h"

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
