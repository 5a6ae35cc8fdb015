#include "cloud/aws/families/expression_evaluate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/expression_tree.h"

struct evaluation {
    const struct kubelet_variables *variables;
    struct arena *arena;
    struct error *error;
};
static bool evaluate(struct evaluation *evaluation, const struct expression_node *node,
                     struct expression_value *value);
static bool truncate_number(double number, int64_t *result, struct error *error);

bool expression_evaluate(const struct expression *expression,
                         const struct kubelet_variables *variables, int64_t *result,
                         struct error *error)
{
    assert(expression != NULL && variables != NULL && result != NULL);
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct evaluation evaluation = {variables, arena, error};
    struct expression_value value;
    if (!evaluate(&evaluation, expression->root, &value))
        return false;
    if (value.type == EXPRESSION_DOUBLE)
        return truncate_number(value.number, result, error);
    assert(value.type == EXPRESSION_INT);
    *result = value.integer;
    return true;
}

static bool truncate_number(double number, int64_t *result, struct error *error)
{
    if (!isfinite(number))
        return error_set(error, ERROR_INVALID, "the result is not a finite number");
    // 2^63 is exact as a double; the largest int64 is not.
    if (number >= 0x1p63 || number <= -0x1p63)
        return error_set(error, ERROR_INVALID, "integer overflow");
    *result = (int64_t)number;
    return true;
}

static struct expression_value variable_value(const struct kubelet_variables *variables,
                                              enum expression_variable variable)
{
    struct expression_value value = {.type = EXPRESSION_INT};
    switch (variable) {
    case VARIABLE_VCPUS:
        value.integer = variables->vcpus;
        break;
    case VARIABLE_MEMORY_MIB:
        value.integer = variables->memory_mib;
        break;
    case VARIABLE_DEFAULT_ENIS:
        value.integer = variables->default_enis;
        break;
    case VARIABLE_IPS_PER_ENI:
        value.integer = variables->ips_per_eni;
        break;
    case VARIABLE_MAX_PODS:
        value.integer = variables->max_pods;
        break;
    case VARIABLE_INSTANCE_TYPE:
        value.type = EXPRESSION_STRING;
        value.text = text_or_empty(variables->instance_type);
        break;
    }
    return value;
}

// --- operators -----------------------------------------------------------------------------------
static double as_double(const struct expression_value *value)
{
    assert(value->type == EXPRESSION_DOUBLE || value->type == EXPRESSION_INT);
    return value->type == EXPRESSION_INT ? (double)value->integer : value->number;
}

static bool calculate(struct evaluation *evaluation, enum expression_operator operation,
                      const struct expression_value *left, const struct expression_value *right,
                      struct expression_value *value)
{
    int64_t a = left->integer, b = right->integer;
    bool overflow = false;
    *value = (struct expression_value){.type = EXPRESSION_INT};
    switch ((int)operation) {
    case OPERATOR_ADD:
        overflow = __builtin_add_overflow(a, b, &value->integer);
        break;
    case OPERATOR_SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, &value->integer);
        break;
    case OPERATOR_MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, &value->integer);
        break;
    default:
        if (b == 0)
            return error_set(evaluation->error, ERROR_INVALID, "%s by zero",
                             operation == OPERATOR_DIVIDE ? "division" : "modulus");
        overflow = a == INT64_MIN && b == -1;
        if (!overflow)
            value->integer = operation == OPERATOR_DIVIDE ? a / b : a % b;
    }
    return !overflow || error_set(evaluation->error, ERROR_INVALID, "integer overflow");
}

static bool calculate_double(enum expression_operator operation, double a, double b,
                             struct expression_value *value)
{
    *value = (struct expression_value){.type = EXPRESSION_DOUBLE};
    switch ((int)operation) {
    case OPERATOR_ADD:
        value->number = a + b;
        return true;
    case OPERATOR_SUBTRACT:
        value->number = a - b;
        return true;
    case OPERATOR_MULTIPLY:
        value->number = a * b;
        return true;
    default:
        // IEEE 754: infinite or not a number where b is zero.
        value->number = b != 0 ? a / b : a == 0 || isnan(a) ? (double)NAN : a * (double)INFINITY;
        return true;
    }
}

static bool arithmetic(struct evaluation *evaluation, const struct expression_node *node,
                       struct expression_value *value)
{
    struct expression_value left, right;
    if (!evaluate(evaluation, node->arguments, &left) ||
        !evaluate(evaluation, node->arguments->next, &right))
        return false;
    if (node->type == EXPRESSION_DOUBLE)
        return calculate_double(node->operation, left.number, right.number, value);
    if (node->type == EXPRESSION_INT)
        return calculate(evaluation, node->operation, &left, &right, value);
    assert(node->operation == OPERATOR_ADD && node->type == EXPRESSION_STRING);
    if (strlen(left.text) + strlen(right.text) > 4 * EXPRESSION_BYTES_MAX)
        return error_set(evaluation->error, ERROR_INVALID, "the string is too long");
    *value = (struct expression_value){.type = EXPRESSION_STRING};
    value->text = arena_format(evaluation->arena, "%s%s", left.text, right.text);
    return true;
}

// Negative, zero, positive; 2: not comparable (NaN).
static int compare(const struct expression_value *left, const struct expression_value *right)
{
    if (left->type == EXPRESSION_STRING)
        return strcmp(left->text, right->text);
    if (left->type == EXPRESSION_BOOL)
        return (int)left->truth - (int)right->truth;
    if (left->type == EXPRESSION_INT && right->type == EXPRESSION_INT)
        return left->integer < right->integer ? -1 : left->integer > right->integer;
    double a = as_double(left), b = as_double(right);
    if (isnan(a) || isnan(b))
        return 2;
    return a < b ? -1 : a > b;
}

static bool relation(struct evaluation *evaluation, const struct expression_node *node,
                     struct expression_value *value)
{
    struct expression_value left, right;
    if (!evaluate(evaluation, node->arguments, &left) ||
        !evaluate(evaluation, node->arguments->next, &right))
        return false;
    int order = compare(&left, &right);
    bool ordered = left.type == EXPRESSION_STRING || order != 2;
    *value = (struct expression_value){.type = EXPRESSION_BOOL};
    switch ((int)node->operation) {
    case OPERATOR_EQUAL:
        value->truth = ordered && order == 0;
        break;
    case OPERATOR_NOT_EQUAL:
        value->truth = !ordered || order != 0;
        break;
    case OPERATOR_LESS:
        value->truth = ordered && order < 0;
        break;
    case OPERATOR_LESS_EQUAL:
        value->truth = ordered && order <= 0;
        break;
    case OPERATOR_GREATER:
        value->truth = ordered && order > 0;
        break;
    default:
        value->truth = ordered && order >= 0;
    }
    return true;
}

static bool is_in(struct evaluation *evaluation, const struct expression_node *node,
                  struct expression_value *value)
{
    struct expression_value left, item;
    if (!evaluate(evaluation, node->arguments, &left))
        return false;
    *value = (struct expression_value){.type = EXPRESSION_BOOL};
    for (const struct expression_node *argument = node->arguments->next->arguments;
         argument != NULL; argument = argument->next) {
        if (!evaluate(evaluation, argument, &item))
            return false;
        value->truth = value->truth || compare(&left, &item) == 0;
    }
    return true;
}

// As in CEL, an error on one side doesn't matter if the other side decides.
static bool logic(struct evaluation *evaluation, const struct expression_node *node,
                  struct expression_value *value)
{
    bool deciding = node->operation == OPERATOR_OR;
    struct expression_value left, right;
    bool left_known = evaluate(evaluation, node->arguments, &left);
    *value = (struct expression_value){.type = EXPRESSION_BOOL, .truth = deciding};
    if (left_known && left.truth == deciding)
        return true;
    struct error second;
    struct evaluation other = *evaluation;
    if (!left_known)
        other.error = &second;
    bool right_known = evaluate(&other, node->arguments->next, &right);
    if (right_known && right.truth == deciding)
        return true;
    value->truth = !deciding;
    return left_known && right_known;
}

static bool unary(struct evaluation *evaluation, const struct expression_node *node,
                  struct expression_value *value)
{
    if (!evaluate(evaluation, node->arguments, value))
        return false;
    if (node->operation == OPERATOR_NOT)
        value->truth = !value->truth;
    else if (node->type == EXPRESSION_DOUBLE)
        value->number = -value->number;
    else if (__builtin_sub_overflow(INT64_C(0), value->integer, &value->integer))
        return error_set(evaluation->error, ERROR_INVALID, "integer overflow");
    return true;
}

// --- functions -----------------------------------------------------------------------------------
static bool to_integer(struct evaluation *evaluation, const struct expression_value *from,
                       struct expression_value *value)
{
    value->type = EXPRESSION_INT;
    if (from->type == EXPRESSION_INT)
        value->integer = from->integer;
    else if (from->type == EXPRESSION_DOUBLE)
        return truncate_number(from->number, &value->integer, evaluation->error);
    else if (!text_parse_int64(from->text, &value->integer))
        return error_set(evaluation->error, ERROR_INVALID, "\"%.60s\" is no integer", from->text);
    return true;
}

static bool to_double(struct evaluation *evaluation, const struct expression_value *from,
                      struct expression_value *value)
{
    value->type = EXPRESSION_DOUBLE;
    if (from->type != EXPRESSION_STRING) {
        value->number = as_double(from);
        return true;
    }
    char *end = NULL;
    value->number = strtod(from->text, &end);
    if (from->text[0] == '\0' || *end != '\0' || strchr(" \t\n\r\v\f", from->text[0]) != NULL)
        return error_set(evaluation->error, ERROR_INVALID, "\"%.60s\" is no number", from->text);
    return true;
}

static void to_string(struct evaluation *evaluation, const struct expression_value *from,
                      struct expression_value *value)
{
    value->type = EXPRESSION_STRING;
    if (from->type == EXPRESSION_INT)
        value->text = arena_format(evaluation->arena, "%" PRId64, from->integer);
    else if (from->type == EXPRESSION_DOUBLE)
        value->text = arena_format(evaluation->arena, "%.17g", from->number);
    else if (from->type == EXPRESSION_BOOL)
        value->text = from->truth ? "true" : "false";
    else
        value->text = from->text;
}

static int64_t characters(const char *text)
{
    int64_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static bool call(struct evaluation *evaluation, const struct expression_node *node,
                 struct expression_value *value)
{
    struct expression_value first, second = {0};
    const struct expression_node *other = node->arguments->next;
    if (!evaluate(evaluation, node->arguments, &first) ||
        (other != NULL && !evaluate(evaluation, other, &second)))
        return false;
    *value = (struct expression_value){.type = node->type};
    switch ((int)node->function) {
    case FUNCTION_MIN:
    case FUNCTION_MAX: {
        bool take_first = (compare(&first, &second) < 0) == (node->function == FUNCTION_MIN);
        const struct expression_value *taken = take_first ? &first : &second;
        if (node->type == EXPRESSION_DOUBLE)
            value->number = as_double(taken);
        else
            value->integer = taken->integer;
        return true;
    }
    case FUNCTION_INT:
        return to_integer(evaluation, &first, value);
    case FUNCTION_DOUBLE:
        return to_double(evaluation, &first, value);
    case FUNCTION_STRING:
        to_string(evaluation, &first, value);
        return true;
    case FUNCTION_SIZE:
        value->integer = characters(first.text);
        return true;
    case FUNCTION_STARTS_WITH:
        value->truth = text_starts_with(first.text, second.text);
        return true;
    case FUNCTION_ENDS_WITH:
        value->truth = text_ends_with(first.text, second.text);
        return true;
    default:
        assert(node->function == FUNCTION_CONTAINS);
        value->truth = strstr(first.text, second.text) != NULL;
        return true;
    }
}

static bool evaluate(struct evaluation *evaluation, const struct expression_node *node,
                     struct expression_value *value)
{
    switch ((int)node->operation) {
    case OPERATOR_LITERAL:
        *value = node->literal;
        return true;
    case OPERATOR_VARIABLE:
        *value = variable_value(evaluation->variables, node->variable);
        return true;
    case OPERATOR_CALL:
        return call(evaluation, node, value);
    case OPERATOR_CONDITION:
        if (!evaluate(evaluation, node->arguments, value))
            return false;
        node = node->arguments->next;
        return evaluate(evaluation, value->truth ? node : node->next, value);
    case OPERATOR_OR:
    case OPERATOR_AND:
        return logic(evaluation, node, value);
    case OPERATOR_IN:
        return is_in(evaluation, node, value);
    case OPERATOR_NOT:
    case OPERATOR_NEGATE:
        return unary(evaluation, node, value);
    case OPERATOR_ADD:
    case OPERATOR_SUBTRACT:
    case OPERATOR_MULTIPLY:
    case OPERATOR_DIVIDE:
    case OPERATOR_MODULO:
        return arithmetic(evaluation, node, value);
    default:
        return relation(evaluation, node, value);
    }
}
