#include "model/devices/selector_parser.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/devices/selector_tokens.h"

#define EXPRESSION_BYTES_MAX 10240 // the API's limit
#define DEPTH_MAX            64

typedef VECTOR(const struct selector_node *) node_list;

static const struct {
    const char *name;
    bool method, global;   // x.name(...), name(...)
    uint32_t fewest, most; // arguments beside the receiver
} functions[FUNCTION_COUNT] = {
    [FUNCTION_STARTS_WITH] = {"startsWith", true, false, 1, 1},
    [FUNCTION_ENDS_WITH] = {"endsWith", true, false, 1, 1},
    [FUNCTION_CONTAINS] = {"contains", true, false, 1, 1},
    [FUNCTION_MATCHES] = {"matches", true, false, 1, 1},
    [FUNCTION_SIZE] = {"size", true, true, 0, 0},
    [FUNCTION_LOWER_ASCII] = {"lowerAscii", true, false, 0, 0},
    [FUNCTION_UPPER_ASCII] = {"upperAscii", true, false, 0, 0},
    [FUNCTION_COMPARE_TO] = {"compareTo", true, false, 1, 1},
    [FUNCTION_IS_GREATER_THAN] = {"isGreaterThan", true, false, 1, 1},
    [FUNCTION_IS_LESS_THAN] = {"isLessThan", true, false, 1, 1},
    [FUNCTION_AS_INTEGER] = {"asInteger", true, false, 0, 0},
    [FUNCTION_IS_INTEGER] = {"isInteger", true, false, 0, 0},
    [FUNCTION_ADD] = {"add", true, false, 1, 1},
    [FUNCTION_SUB] = {"sub", true, false, 1, 1},
    [FUNCTION_SIGN] = {"sign", true, false, 0, 0},
    [FUNCTION_MAJOR] = {"major", true, false, 0, 0},
    [FUNCTION_MINOR] = {"minor", true, false, 0, 0},
    [FUNCTION_PATCH] = {"patch", true, false, 0, 0},
    [FUNCTION_OR_VALUE] = {"orValue", true, false, 1, 1},
    [FUNCTION_HAS_VALUE] = {"hasValue", true, false, 0, 0},
    [FUNCTION_VALUE] = {"value", true, false, 0, 0},
    [FUNCTION_QUANTITY] = {"quantity", false, true, 1, 1},
    [FUNCTION_IS_QUANTITY] = {"isQuantity", false, true, 1, 1},
    [FUNCTION_SEMVER] = {"semver", false, true, 1, 1},
    [FUNCTION_IS_SEMVER] = {"isSemver", false, true, 1, 1},
    [FUNCTION_INT] = {"int", false, true, 1, 1},
    [FUNCTION_STRING] = {"string", false, true, 1, 1},
};

static const struct selector_node *parse_expression(struct selector_parser *parser);

static const struct selector_node *binary(struct selector_parser *parser,
                                          enum selector_node_kind kind, int64_t number,
                                          const struct selector_node *left,
                                          const struct selector_node *right)
{
    if (left == NULL || right == NULL)
        return NULL;
    struct selector_node *node = selector_add_node(parser, kind, left, right, NULL);
    if (node != NULL)
        node->number = number;
    return node;
}

// --- calls ---------------------------------------------------------------------------------------

static bool parse_list(struct selector_parser *parser, const char *end, node_list *list)
{
    while (!selector_take(parser, end)) {
        if (list->count > 0 && !selector_take(parser, ",")) {
            selector_fail(parser, "\",\" expected");
            return false;
        }
        if (selector_take(parser, end))
            return true;
        const struct selector_node *item = parse_expression(parser);
        if (item == NULL)
            return false;
        vector_push(list, item);
    }
    return true;
}

static const struct selector_node *with_children(struct selector_parser *parser,
                                                 enum selector_node_kind kind, node_list *list)
{
    struct selector_node *node = selector_add_node(parser, kind, NULL, NULL, NULL);
    if (node == NULL)
        return NULL;
    node->children = arena_allocate_array(parser->arena, list->count + 1, sizeof *node->children);
    for (uint32_t i = 0; i < list->count; i++)
        node->children[i] = list->items[i];
    node->children_count = list->count;
    return node;
}

static const struct selector_node *fail_function(struct selector_parser *parser, const char *name)
{
    char what[160];
    snprintf(what, sizeof what, "function %.80s, which is not supported,", name);
    return selector_fail(parser, what);
}

static const struct selector_node *make_call(struct selector_parser *parser, const char *name,
                                             const struct selector_node *receiver,
                                             node_list *arguments)
{
    for (uint32_t f = 0; f < FUNCTION_COUNT; f++) {
        if (strcmp(functions[f].name, name) != 0 ||
            !(receiver != NULL ? functions[f].method : functions[f].global))
            continue;
        bool as_method = functions[f].method && receiver == NULL; // size(x)
        uint32_t extra = as_method;
        if (arguments->count < functions[f].fewest + extra ||
            arguments->count > functions[f].most + extra)
            break;
        node_list all = {0};
        if (receiver != NULL)
            vector_push(&all, receiver);
        for (uint32_t i = 0; i < arguments->count; i++)
            vector_push(&all, arguments->items[i]);
        struct selector_node *node = (struct selector_node *)with_children(parser, NODE_CALL, &all);
        if (node != NULL)
            node->number = f;
        vector_free(&all);
        return node;
    }
    return fail_function(parser, name);
}

// exists(x, ...), all(x, ...), exists_one(x, ...) on a list, and cel.bind(x, value, body).
static const struct selector_node *parse_macro(struct selector_parser *parser, const char *name,
                                               const struct selector_node *receiver)
{
    static const char *const quantifiers[] = {"exists", "all", "exists_one"};
    bool bind = receiver->kind == NODE_NAME && strcmp(receiver->text, "cel") == 0;
    char *variable = selector_take_name(parser);
    if (variable == NULL || !selector_take(parser, ","))
        return selector_fail(parser, "name of a variable expected");
    const struct selector_node *value = parse_expression(parser), *body = NULL;
    if (value == NULL)
        return NULL;
    if (bind && selector_take(parser, ","))
        body = parse_expression(parser);
    if ((bind && body == NULL) || !selector_take(parser, ")"))
        return selector_fail(parser, "\")\" expected");
    struct selector_node *node =
        bind ? selector_add_node(parser, NODE_BIND, value, body, NULL)
             : selector_add_node(parser, NODE_QUANTIFY, receiver, value, NULL);
    if (node == NULL)
        return NULL;
    node->text = variable;
    vector_push(&parser->bound, variable);
    for (size_t i = 0; i < ARRAY_LENGTH(quantifiers); i++)
        if (strcmp(name, quantifiers[i]) == 0)
            node->number = (int64_t)i;
    return node;
}

static bool is_macro(const struct selector_node *receiver, const char *name)
{
    bool cel = receiver->kind == NODE_NAME && strcmp(receiver->text, "cel") == 0;
    return cel ? strcmp(name, "bind") == 0
               : strcmp(name, "exists") == 0 || strcmp(name, "all") == 0 ||
                     strcmp(name, "exists_one") == 0;
}

static const struct selector_node *parse_call(struct selector_parser *parser, const char *name,
                                              const struct selector_node *receiver)
{
    if (receiver != NULL && is_macro(receiver, name))
        return parse_macro(parser, name, receiver);
    node_list arguments = {0};
    const struct selector_node *node = NULL;
    if (parse_list(parser, ")", &arguments)) {
        if (receiver != NULL || strcmp(name, "has") != 0)
            node = make_call(parser, name, receiver, &arguments);
        else if (arguments.count == 1 && arguments.items[0]->kind == NODE_FIELD)
            node = selector_add_node(parser, NODE_HAS, arguments.items[0], NULL, NULL);
        else
            node = selector_fail(parser, "has() without a field");
    }
    vector_free(&arguments);
    return node;
}

// --- expressions, from the tightest ------------------------------------------------------------

static const struct selector_node *parse_primary(struct selector_parser *parser)
{
    selector_skip_blanks(parser);
    if (selector_take(parser, "(")) {
        const struct selector_node *inner = parse_expression(parser);
        return inner == NULL || selector_take(parser, ")")
                   ? inner
                   : selector_fail(parser, "\")\" expected");
    }
    if (selector_take(parser, "[")) {
        node_list items = {0};
        const struct selector_node *node =
            parse_list(parser, "]", &items) ? with_children(parser, NODE_LIST, &items) : NULL;
        vector_free(&items);
        return node;
    }
    bool raw = (*parser->at == 'r' || *parser->at == 'R') &&
               (parser->at[1] == '"' || parser->at[1] == '\'');
    if (raw)
        parser->at++;
    if (*parser->at == '"' || *parser->at == '\'')
        return selector_parse_string(parser, raw);
    if (isdigit((unsigned char)*parser->at))
        return selector_parse_number(parser);
    char *name = selector_take_name(parser);
    if (name == NULL)
        return selector_fail(parser, "expression expected");
    if (selector_take(parser, "("))
        return parse_call(parser, name, NULL);
    bool truth = strcmp(name, "true") == 0;
    enum selector_node_kind kind = truth || strcmp(name, "false") == 0 ? NODE_BOOL
                                   : strcmp(name, "null") == 0         ? NODE_NULL
                                                                       : NODE_NAME;
    struct selector_node *node = selector_add_node(parser, kind, NULL, NULL, NULL);
    if (node != NULL) {
        node->text = name;
        node->number = truth;
    }
    return node;
}

static const struct selector_node *parse_field(struct selector_parser *parser,
                                               const struct selector_node *of)
{
    bool optional = selector_take(parser, "?");
    char *name = selector_take_name(parser);
    if (name == NULL)
        return selector_fail(parser, "name of a field expected");
    if (!optional && selector_take(parser, "("))
        return parse_call(parser, name, of);
    struct selector_node *node = selector_add_node(parser, NODE_FIELD, of, NULL, NULL);
    if (node != NULL) {
        node->text = name;
        node->optional = optional;
    }
    return node;
}

static const struct selector_node *parse_member(struct selector_parser *parser)
{
    const struct selector_node *node = parse_primary(parser);
    while (node != NULL) {
        if (selector_take(parser, ".")) {
            node = parse_field(parser, node);
        } else if (selector_take(parser, "[")) {
            bool optional = selector_take(parser, "?");
            const struct selector_node *index = parse_expression(parser);
            if (index != NULL && !selector_take(parser, "]"))
                return selector_fail(parser, "\"]\" expected");
            struct selector_node *next =
                index != NULL ? selector_add_node(parser, NODE_INDEX, node, index, NULL) : NULL;
            if (next != NULL)
                next->optional = optional;
            node = next;
        } else {
            return node;
        }
    }
    return NULL;
}

static const struct selector_node *parse_unary(struct selector_parser *parser)
{
    selector_skip_blanks(parser);
    bool not = parser->at[0] == '!' && parser->at[1] != '=', minus = parser->at[0] == '-';
    if (!not &&!minus)
        return parse_member(parser);
    parser->at++;
    if (++parser->depth > DEPTH_MAX)
        return selector_fail(parser, "expression that is nested too deeply");
    const struct selector_node *inner = parse_unary(parser);
    parser->depth--;
    return inner != NULL
               ? selector_add_node(parser, not ? NODE_NOT : NODE_NEGATE, inner, NULL, NULL)
               : NULL;
}

static const struct selector_node *parse_product(struct selector_parser *parser)
{
    const struct selector_node *node = parse_unary(parser);
    while (node != NULL) {
        char operator= selector_take(parser, "*") ? '*'
        : selector_take(parser, "/")              ? '/'
        : selector_take(parser, "%")              ? '%'
                                                  : 0;
        if (operator== 0)
            return node;
        node = binary(parser, NODE_ARITHMETIC, operator, node, parse_unary(parser));
    }
    return NULL;
}

static const struct selector_node *parse_sum(struct selector_parser *parser)
{
    const struct selector_node *node = parse_product(parser);
    while (node != NULL) {
        char operator= selector_take(parser, "+") ? '+' : selector_take(parser, "-") ? '-' : 0;
        if (operator== 0)
            return node;
        node = binary(parser, NODE_ARITHMETIC, operator, node, parse_product(parser));
    }
    return NULL;
}

static const struct selector_node *parse_relation(struct selector_parser *parser)
{
    static const struct {
        const char *token;
        enum selector_comparison comparison;
    } operators[] = {{"==", COMPARE_EQUAL},      {"!=", COMPARE_NOT_EQUAL},
                     {"<=", COMPARE_LESS_EQUAL}, {">=", COMPARE_MORE_EQUAL},
                     {"<", COMPARE_LESS},        {">", COMPARE_MORE}};
    const struct selector_node *node = parse_sum(parser);
    while (node != NULL) {
        int found = selector_take_word(parser, "in") ? COMPARE_IN : -1;
        for (size_t i = 0; i < ARRAY_LENGTH(operators) && found < 0; i++)
            if (selector_take(parser, operators[i].token))
                found = operators[i].comparison;
        if (found < 0)
            return node;
        node = binary(parser, NODE_COMPARE, found, node, parse_sum(parser));
    }
    return NULL;
}

static const struct selector_node *parse_and(struct selector_parser *parser)
{
    const struct selector_node *node = parse_relation(parser);
    while (node != NULL && selector_take(parser, "&&"))
        node = binary(parser, NODE_AND, 0, node, parse_relation(parser));
    return node;
}

static const struct selector_node *parse_or(struct selector_parser *parser)
{
    const struct selector_node *node = parse_and(parser);
    while (node != NULL && selector_take(parser, "||"))
        node = binary(parser, NODE_OR, 0, node, parse_and(parser));
    return node;
}

static const struct selector_node *parse_expression(struct selector_parser *parser)
{
    if (++parser->depth > DEPTH_MAX)
        return selector_fail(parser, "expression that is nested too deeply");
    const struct selector_node *node = parse_or(parser);
    if (node != NULL && selector_take(parser, "?")) {
        const struct selector_node *yes = parse_expression(parser);
        if (yes != NULL && !selector_take(parser, ":"))
            return selector_fail(parser, "\":\" expected");
        const struct selector_node *no = yes != NULL ? parse_expression(parser) : NULL;
        node = no != NULL ? selector_add_node(parser, NODE_CONDITION, node, yes, no) : NULL;
    }
    parser->depth--;
    return node;
}

// --- names ---------------------------------------------------------------------------------------

static bool name_known(struct selector_parser *parser, const char *name)
{
    vector_for_each (bound, &parser->bound)
        if (strcmp(*bound, name) == 0)
            return true;
    return strcmp(name, "device") == 0 ||
           error_set(parser->error, ERROR_INVALID, "%.80s is not known", name);
}

static bool field_known(struct selector_parser *parser, const struct selector_node *node)
{
    static const char *const fields[] = {"driver", "attributes", "capacity",
                                         "allowMultipleAllocations"};
    if (node->children[0]->kind != NODE_NAME || strcmp(node->children[0]->text, "device") != 0)
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        if (strcmp(node->text, fields[i]) == 0)
            return true;
    return error_set(parser->error, ERROR_INVALID, "device has no field %.80s", node->text);
}

static bool names_known(struct selector_parser *parser, const struct selector_node *node)
{
    if (node->kind == NODE_NAME && !name_known(parser, node->text))
        return false;
    if (node->kind == NODE_FIELD && !field_known(parser, node))
        return false;
    for (uint32_t i = 0; i < node->children_count; i++)
        if (!names_known(parser, node->children[i]))
            return false;
    return true;
}

const struct selector_node *selector_parse(struct arena *arena, const char *expression,
                                           struct error *error)
{
    assert(expression != NULL);
    *error = (struct error){0};
    struct selector_parser parser = {
        .arena = arena, .start = expression, .at = expression, .error = error};
    if (strlen(expression) > EXPRESSION_BYTES_MAX)
        return selector_fail(&parser, "expression that is too long");
    const struct selector_node *node = parse_expression(&parser);
    selector_skip_blanks(&parser);
    if (node == NULL)
        selector_fail(&parser, "expression expected");
    else if (*parser.at != '\0')
        node = selector_fail(&parser, "unexpected text");
    if (node != NULL && !names_known(&parser, node))
        node = NULL;
    vector_free(&parser.bound);
    return node;
}
