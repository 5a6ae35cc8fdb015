#include "cloud/aws/families/expression_check.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

static bool check_operator(const char *text, struct expression_node *node, struct error *error);
static bool check_call(const char *text, struct expression_node *node, struct error *error);
static bool check_variable(const char *text, struct expression_node *node, struct error *error);
static bool check_list(const char *text, struct expression_node *node, struct error *error);
static bool refuse(const char *text, const struct expression_node *node, const char *name,
                   struct error *error);

bool expression_check(const char *text, struct expression_node *node, struct error *error)
{
    assert(text != NULL && node != NULL);
    for (struct expression_node *argument = node->arguments; argument != NULL;
         argument = argument->next)
        if (!expression_check(text, argument, error))
            return false;
    switch ((int)node->operation) {
    case OPERATOR_LITERAL:
        node->type = node->literal.type;
        return true;
    case OPERATOR_VARIABLE:
        return check_variable(text, node, error);
    case OPERATOR_LIST:
        return check_list(text, node, error);
    case OPERATOR_CALL:
        return check_call(text, node, error);
    default:
        return check_operator(text, node, error);
    }
}

static bool check_variable(const char *text, struct expression_node *node, struct error *error)
{
    static const char *const names[] = {
        [VARIABLE_VCPUS] = "vcpus",
        [VARIABLE_MEMORY_MIB] = "memory_mib",
        [VARIABLE_DEFAULT_ENIS] = "default_enis",
        [VARIABLE_IPS_PER_ENI] = "ips_per_eni",
        [VARIABLE_MAX_PODS] = "max_pods",
        [VARIABLE_INSTANCE_TYPE] = "instance_type",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(names[i], node->name) == 0) {
            node->variable = (enum expression_variable)i;
            node->type = i == VARIABLE_INSTANCE_TYPE ? EXPRESSION_STRING : EXPRESSION_INT;
            return true;
        }
    return expression_fail(text, node->position, error,
                           "undeclared reference to '%.60s' (in container '')", node->name);
}

static bool check_list(const char *text, struct expression_node *node, struct error *error)
{
    node->type = EXPRESSION_LIST;
    for (const struct expression_node *item = node->arguments; item != NULL; item = item->next)
        if (item->type != node->arguments->type || item->type == EXPRESSION_LIST)
            return expression_fail(text, item->position, error,
                                   "the items of a list must be of one type, not lists");
    return true;
}

// --- operators -----------------------------------------------------------------------------------
static bool is_number(enum expression_type type)
{
    return type == EXPRESSION_INT || type == EXPRESSION_DOUBLE;
}

static bool operands_fit(struct expression_node *node)
{
    const struct expression_node *first = node->arguments, *second = first->next;
    enum expression_type left = first->type;
    enum expression_type right = second != NULL ? second->type : left;
    bool comparable = left == right || (is_number(left) && is_number(right));
    node->type = EXPRESSION_BOOL;
    switch ((int)node->operation) {
    case OPERATOR_CONDITION:
        node->type = right;
        return left == EXPRESSION_BOOL && second->next->type == right;
    case OPERATOR_OR:
    case OPERATOR_AND:
        return left == EXPRESSION_BOOL && right == EXPRESSION_BOOL;
    case OPERATOR_NOT:
        return left == EXPRESSION_BOOL;
    case OPERATOR_EQUAL:
    case OPERATOR_NOT_EQUAL:
        return comparable && left != EXPRESSION_LIST;
    case OPERATOR_LESS:
    case OPERATOR_LESS_EQUAL:
    case OPERATOR_GREATER:
    case OPERATOR_GREATER_EQUAL:
        return comparable && left != EXPRESSION_LIST;
    case OPERATOR_IN:
        return second->operation == OPERATOR_LIST && left != EXPRESSION_LIST &&
               (second->arguments == NULL || second->arguments->type == left);
    case OPERATOR_NEGATE:
        node->type = left;
        return is_number(left);
    case OPERATOR_ADD:
        node->type = left;
        return left == right && (is_number(left) || left == EXPRESSION_STRING);
    case OPERATOR_SUBTRACT:
    case OPERATOR_MULTIPLY:
    case OPERATOR_DIVIDE:
        node->type = left;
        return left == right && is_number(left);
    case OPERATOR_MODULO:
        node->type = EXPRESSION_INT;
        return left == EXPRESSION_INT && right == EXPRESSION_INT;
    default:
        return false;
    }
}

static bool check_operator(const char *text, struct expression_node *node, struct error *error)
{
    static const char *const names[] = {
        [OPERATOR_CONDITION] = "_?_:_",
        [OPERATOR_OR] = "_||_",
        [OPERATOR_AND] = "_&&_",
        [OPERATOR_EQUAL] = "_==_",
        [OPERATOR_NOT_EQUAL] = "_!=_",
        [OPERATOR_LESS] = "_<_",
        [OPERATOR_LESS_EQUAL] = "_<=_",
        [OPERATOR_GREATER] = "_>_",
        [OPERATOR_GREATER_EQUAL] = "_>=_",
        [OPERATOR_IN] = "@in",
        [OPERATOR_ADD] = "_+_",
        [OPERATOR_SUBTRACT] = "_-_",
        [OPERATOR_MULTIPLY] = "_*_",
        [OPERATOR_DIVIDE] = "_/_",
        [OPERATOR_MODULO] = "_%_",
        [OPERATOR_NOT] = "!_",
        [OPERATOR_NEGATE] = "-_",
    };
    assert((size_t)node->operation < ARRAY_LENGTH(names) && node->arguments != NULL);
    return operands_fit(node) || refuse(text, node, names[node->operation], error);
}

// "found no matching overload for '_*_' applied to '(int, double)'".
static bool refuse(const char *text, const struct expression_node *node, const char *name,
                   struct error *error)
{
    struct text types = {0};
    const struct expression_node *argument = node->arguments;
    if (node->method) {
        text_format(&types, "%s.", expression_type_name(argument->type));
        argument = argument->next;
    }
    text_add_char(&types, '(');
    for (bool first = true; argument != NULL; argument = argument->next, first = false)
        text_format(&types, "%s%s", first ? "" : ", ", expression_type_name(argument->type));
    text_add_char(&types, ')');
    expression_fail(text, node->position, error,
                    "found no matching overload for '%s' applied to '%.200s'", name, types.data);
    text_free(&types);
    return false;
}

// --- functions -----------------------------------------------------------------------------------
static const struct {
    const char *name;
    bool method;
    uint32_t arguments; // with the receiver
} functions[] = {
    [FUNCTION_MIN] = {"min", false, 2},
    [FUNCTION_MAX] = {"max", false, 2},
    [FUNCTION_INT] = {"int", false, 1},
    [FUNCTION_DOUBLE] = {"double", false, 1},
    [FUNCTION_STRING] = {"string", false, 1},
    [FUNCTION_SIZE] = {"size", false, 1},
    [FUNCTION_STARTS_WITH] = {"startsWith", true, 2},
    [FUNCTION_ENDS_WITH] = {"endsWith", true, 2},
    [FUNCTION_CONTAINS] = {"contains", true, 2},
};
static_assert(ARRAY_LENGTH(functions) == FUNCTION_COUNT, "an entry for every function");

static bool arguments_fit(struct expression_node *node)
{
    enum expression_type first = node->arguments->type;
    enum expression_type second =
        node->arguments->next != NULL ? node->arguments->next->type : first;
    switch ((int)node->function) {
    case FUNCTION_MIN:
    case FUNCTION_MAX:
        node->type = first == EXPRESSION_INT && second == EXPRESSION_INT ? EXPRESSION_INT
                                                                         : EXPRESSION_DOUBLE;
        return is_number(first) && is_number(second);
    case FUNCTION_INT:
        node->type = EXPRESSION_INT;
        return is_number(first) || first == EXPRESSION_STRING;
    case FUNCTION_DOUBLE:
        node->type = EXPRESSION_DOUBLE;
        return is_number(first) || first == EXPRESSION_STRING;
    case FUNCTION_STRING:
        node->type = EXPRESSION_STRING;
        return first != EXPRESSION_LIST;
    case FUNCTION_SIZE:
        node->type = EXPRESSION_INT;
        return first == EXPRESSION_STRING;
    default:
        node->type = EXPRESSION_BOOL;
        return first == EXPRESSION_STRING && second == EXPRESSION_STRING;
    }
}

static bool check_call(const char *text, struct expression_node *node, struct error *error)
{
    uint32_t count = 0;
    for (const struct expression_node *item = node->arguments; item != NULL; item = item->next)
        count++;
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        // size() is also a method: text.size().
        if (strcmp(functions[i].name, node->name) != 0 ||
            (node->method != functions[i].method && i != FUNCTION_SIZE))
            continue;
        node->function = (enum expression_function)i;
        if (count == functions[i].arguments && arguments_fit(node))
            return true;
        return refuse(text, node, functions[i].name, error);
    }
    return expression_fail(text, node->position, error,
                           "undeclared reference to '%.60s' (in container '')", node->name);
}
