#include "cloud/aws/families/expression_parse.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct parser {
    const char *text;
    uint32_t place; // of the next byte
    uint32_t depth, nodes;
    struct arena *arena;
    struct error *error;
};

static struct expression_node *parse_condition(struct parser *parser);
static struct expression_node *parse_or(struct parser *parser);
static struct expression_node *parse_and(struct parser *parser);
static struct expression_node *parse_relation(struct parser *parser);
static struct expression_node *parse_sum(struct parser *parser);
static struct expression_node *parse_product(struct parser *parser);
static struct expression_node *parse_unary(struct parser *parser);
static struct expression_node *parse_member(struct parser *parser);
static struct expression_node *parse_primary(struct parser *parser);
static struct expression_node *parse_number(struct parser *parser, bool negative);
static struct expression_node *parse_string(struct parser *parser);
static struct expression_node *parse_name(struct parser *parser);
static bool parse_arguments(struct parser *parser, char end, struct expression_node **arguments);
static void skip_space(struct parser *parser);
static bool take(struct parser *parser, const char *token);
static struct expression_node *unexpected(struct parser *parser, const char *expecting);

struct expression_node *expression_parse(const char *text, struct arena *arena, struct error *error)
{
    assert(text != NULL && arena != NULL && strlen(text) <= EXPRESSION_BYTES_MAX);
    struct parser parser = {.text = text, .arena = arena, .error = error};
    struct expression_node *root = parse_condition(&parser);
    if (root == NULL)
        return NULL;
    skip_space(&parser);
    return text[parser.place] == '\0' ? root : unexpected(&parser, "<EOF>");
}

static struct expression_node *node_at(struct parser *parser, enum expression_operator operation,
                                       uint32_t position)
{
    if (++parser->nodes > EXPRESSION_NODES_MAX) {
        expression_fail(parser->text, position, parser->error,
                        "the expression has more than %d parts", EXPRESSION_NODES_MAX);
        return NULL;
    }
    struct expression_node *node = arena_allocate(parser->arena, sizeof *node);
    node->operation = operation;
    node->position = position;
    return node;
}

static struct expression_node *binary(struct parser *parser, enum expression_operator operation,
                                      uint32_t position, struct expression_node *left,
                                      struct expression_node *right)
{
    if (left == NULL || right == NULL)
        return NULL;
    struct expression_node *node = node_at(parser, operation, position);
    if (node == NULL)
        return NULL;
    node->arguments = left;
    left->next = right;
    return node;
}

static bool enter(struct parser *parser)
{
    if (++parser->depth <= EXPRESSION_DEPTH_MAX)
        return true;
    return expression_fail(parser->text, parser->place, parser->error,
                           "the expression nests deeper than %d", EXPRESSION_DEPTH_MAX);
}

static struct expression_node *parse_condition(struct parser *parser)
{
    if (!enter(parser))
        return NULL;
    struct expression_node *node = parse_or(parser);
    uint32_t position = parser->place;
    if (node != NULL && take(parser, "?")) {
        position = parser->place - 1;
        struct expression_node *yes = parse_or(parser);
        if (yes == NULL || !take(parser, ":"))
            return yes == NULL ? NULL : unexpected(parser, "':'");
        struct expression_node *no = parse_condition(parser);
        node = binary(parser, OPERATOR_CONDITION, position, node, yes);
        if (node == NULL || no == NULL)
            return NULL;
        yes->next = no;
    }
    parser->depth--;
    return node;
}

static struct expression_node *parse_or(struct parser *parser)
{
    struct expression_node *node = parse_and(parser);
    while (node != NULL && take(parser, "||")) {
        uint32_t position = parser->place - 2;
        node = binary(parser, OPERATOR_OR, position, node, parse_and(parser));
    }
    return node;
}

static struct expression_node *parse_and(struct parser *parser)
{
    struct expression_node *node = parse_relation(parser);
    while (node != NULL && take(parser, "&&")) {
        uint32_t position = parser->place - 2;
        node = binary(parser, OPERATOR_AND, position, node, parse_relation(parser));
    }
    return node;
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The word `in`, not the beginning of a name.
static bool take_in(struct parser *parser)
{
    skip_space(parser);
    const char *rest = parser->text + parser->place;
    if (strncmp(rest, "in", 2) != 0 || is_name_byte(rest[2]))
        return false;
    parser->place += 2;
    return true;
}

static struct expression_node *parse_relation(struct parser *parser)
{
    static const struct {
        const char *token;
        enum expression_operator operation;
    } relations[] = {
        {"==", OPERATOR_EQUAL},         {"!=", OPERATOR_NOT_EQUAL}, {"<=", OPERATOR_LESS_EQUAL},
        {">=", OPERATOR_GREATER_EQUAL}, {"<", OPERATOR_LESS},       {">", OPERATOR_GREATER},
    };
    struct expression_node *node = parse_sum(parser);
    while (node != NULL) {
        size_t i = 0;
        while (i < ARRAY_LENGTH(relations) && !take(parser, relations[i].token))
            i++;
        bool in = i == ARRAY_LENGTH(relations) && take_in(parser);
        if (i == ARRAY_LENGTH(relations) && !in)
            return node;
        uint32_t width = in ? 2 : (uint32_t)strlen(relations[i].token);
        uint32_t position = parser->place - width;
        node = binary(parser, in ? OPERATOR_IN : relations[i].operation, position, node,
                      parse_sum(parser));
    }
    return NULL;
}

static struct expression_node *parse_sum(struct parser *parser)
{
    struct expression_node *node = parse_product(parser);
    while (node != NULL) {
        bool add = take(parser, "+");
        if (!add && !take(parser, "-"))
            return node;
        uint32_t position = parser->place - 1;
        node = binary(parser, add ? OPERATOR_ADD : OPERATOR_SUBTRACT, position, node,
                      parse_product(parser));
    }
    return NULL;
}

static struct expression_node *parse_product(struct parser *parser)
{
    struct expression_node *node = parse_unary(parser);
    while (node != NULL) {
        enum expression_operator operation = OPERATOR_MULTIPLY;
        if (take(parser, "/"))
            operation = OPERATOR_DIVIDE;
        else if (take(parser, "%"))
            operation = OPERATOR_MODULO;
        else if (!take(parser, "*"))
            return node;
        uint32_t position = parser->place - 1;
        node = binary(parser, operation, position, node, parse_unary(parser));
    }
    return NULL;
}

static bool at_number(const struct parser *parser)
{
    const char *rest = parser->text + parser->place;
    return isdigit((unsigned char)rest[0]) || (rest[0] == '.' && isdigit((unsigned char)rest[1]));
}

static struct expression_node *parse_unary(struct parser *parser)
{
    bool negative = take(parser, "-");
    if (!negative && !take(parser, "!"))
        return parse_member(parser);
    uint32_t position = parser->place - 1;
    if (negative && at_number(parser))
        return parse_number(parser, true);
    if (!enter(parser))
        return NULL;
    struct expression_node *operand = parse_unary(parser);
    if (operand == NULL)
        return NULL;
    parser->depth--;
    struct expression_node *node =
        node_at(parser, negative ? OPERATOR_NEGATE : OPERATOR_NOT, position);
    if (node != NULL)
        node->arguments = operand;
    return node;
}

// A name with its arguments, if there are any; `receiver` becomes the first of them.
static struct expression_node *parse_call(struct parser *parser, struct expression_node *receiver)
{
    skip_space(parser);
    uint32_t start = parser->place;
    while (is_name_byte(parser->text[parser->place]))
        parser->place++;
    if (start == parser->place)
        return unexpected(parser, "IDENTIFIER");
    const char *name = arena_copy_bytes(parser->arena, parser->text + start, parser->place - start);
    bool call = take(parser, "(");
    if (receiver != NULL && !call)
        return unexpected(parser, "'('");
    struct expression_node *node =
        node_at(parser, call ? OPERATOR_CALL : OPERATOR_VARIABLE, call ? parser->place - 1 : start);
    if (node == NULL)
        return NULL;
    node->name = name;
    node->method = receiver != NULL;
    if (!call)
        return node;
    struct expression_node *arguments;
    if (!parse_arguments(parser, ')', &arguments))
        return NULL;
    node->arguments = arguments;
    if (receiver != NULL) {
        receiver->next = arguments;
        node->arguments = receiver;
    }
    return node;
}

static struct expression_node *parse_member(struct parser *parser)
{
    struct expression_node *node = parse_primary(parser);
    while (node != NULL && take(parser, "."))
        node = parse_call(parser, node);
    return node;
}

static bool parse_arguments(struct parser *parser, char end, struct expression_node **arguments)
{
    struct expression_node **next = arguments;
    const char closing[] = {end, '\0'};
    *arguments = NULL;
    if (take(parser, closing))
        return true;
    for (;;) {
        *next = parse_condition(parser);
        if (*next == NULL)
            return false;
        next = &(*next)->next;
        if (take(parser, closing))
            return true;
        if (!take(parser, ",")) {
            char expecting[20];
            snprintf(expecting, sizeof expecting, "{'%c', ','}", end);
            unexpected(parser, expecting);
            return false;
        }
    }
}

static struct expression_node *parse_primary(struct parser *parser)
{
    skip_space(parser);
    char c = parser->text[parser->place];
    if (at_number(parser))
        return parse_number(parser, false);
    if (c == '\'' || c == '"')
        return parse_string(parser);
    if (isalpha((unsigned char)c) || c == '_')
        return parse_name(parser);
    if (take(parser, "(")) {
        struct expression_node *node = parse_condition(parser);
        if (node == NULL || take(parser, ")"))
            return node;
        return unexpected(parser, "')'");
    }
    if (take(parser, "[")) {
        struct expression_node *node = node_at(parser, OPERATOR_LIST, parser->place - 1);
        struct expression_node *items;
        if (node == NULL || !parse_arguments(parser, ']', &items))
            return NULL;
        node->arguments = items;
        return node;
    }
    return unexpected(parser, "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, "
                              "NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}");
}

static struct expression_node *parse_name(struct parser *parser)
{
    uint32_t position = parser->place;
    struct expression_node *node = parse_call(parser, NULL);
    if (node == NULL || node->operation != OPERATOR_VARIABLE)
        return node;
    bool is_true = strcmp(node->name, "true") == 0;
    if (is_true || strcmp(node->name, "false") == 0) {
        node->operation = OPERATOR_LITERAL;
        node->position = position;
        node->literal = (struct expression_value){.type = EXPRESSION_BOOL, .truth = is_true};
    }
    return node;
}

// --- literals ------------------------------------------------------------------------------------
// The bytes of a number: its length, and whether it is a floating-point one.
static size_t number_length(const char *text, bool *floating)
{
    size_t length = 0;
    *floating = false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        length = 2;
        while (isxdigit((unsigned char)text[length]))
            length++;
        return length;
    }
    while (isdigit((unsigned char)text[length]))
        length++;
    if (text[length] == '.' && isdigit((unsigned char)text[length + 1])) {
        *floating = true;
        length++;
        while (isdigit((unsigned char)text[length]))
            length++;
    }
    size_t exponent = length + 1;
    if (text[length] != 'e' && text[length] != 'E')
        return length;
    if (text[exponent] == '+' || text[exponent] == '-')
        exponent++;
    if (!isdigit((unsigned char)text[exponent]))
        return length;
    *floating = true;
    while (isdigit((unsigned char)text[exponent]))
        exponent++;
    return exponent;
}

static struct expression_node *parse_number(struct parser *parser, bool negative)
{
    uint32_t position = parser->place - (negative ? 1 : 0);
    bool floating;
    const char *start = parser->text + parser->place;
    size_t length = number_length(start, &floating);
    const char *sign = negative ? "-" : "";
    const char *written = arena_format(parser->arena, "%s%.*s", sign, (int)length, start);
    if (is_name_byte(start[length])) {
        parser->place += (uint32_t)length;
        return unexpected(parser, "<EOF>");
    }
    struct expression_node *node = node_at(parser, OPERATOR_LITERAL, position);
    if (node == NULL)
        return NULL;
    char *end;
    errno = 0;
    if (floating) {
        node->literal = (struct expression_value){.type = EXPRESSION_DOUBLE};
        node->literal.number = strtod(written, &end);
    } else {
        bool hexadecimal = length > 1 && (start[1] == 'x' || start[1] == 'X');
        node->literal = (struct expression_value){.type = EXPRESSION_INT};
        node->literal.integer = strtoll(written, &end, hexadecimal ? 16 : 10);
    }
    if (*end != '\0' || (errno == ERANGE && (!floating || !isfinite(node->literal.number)))) {
        expression_fail(parser->text, position, parser->error, "invalid %s literal",
                        floating ? "double" : "int");
        return NULL;
    }
    parser->place += (uint32_t)length;
    return node;
}

static char unescape(char c)
{
    static const char from[] = "\\'\"`?nrtabfv", to[] = "\\'\"`?\n\r\t\a\b\f\v";
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    return found != NULL ? to[found - from] : '\0';
}

static struct expression_node *parse_string(struct parser *parser)
{
    uint32_t position = parser->place;
    char quote = parser->text[parser->place++];
    char *value = arena_copy_string(parser->arena, parser->text + parser->place);
    size_t length = 0;
    for (;;) {
        char c = parser->text[parser->place];
        if (c == '\0' || c == '\n') {
            expression_fail(parser->text, position, parser->error,
                            "Syntax error: the string has no closing %c", quote);
            return NULL;
        }
        parser->place++;
        if (c == quote)
            break;
        if (c == '\\') {
            c = unescape(parser->text[parser->place]);
            if (c == '\0') {
                expression_fail(parser->text, parser->place - 1, parser->error,
                                "Syntax error: unknown escape sequence");
                return NULL;
            }
            parser->place++;
        }
        value[length++] = c;
    }
    value[length] = '\0';
    struct expression_node *node = node_at(parser, OPERATOR_LITERAL, position);
    if (node != NULL)
        node->literal = (struct expression_value){.type = EXPRESSION_STRING, .text = value};
    return node;
}

// --- tokens --------------------------------------------------------------------------------------
static void skip_space(struct parser *parser)
{
    for (;;) {
        char c = parser->text[parser->place];
        if (c == '/' && parser->text[parser->place + 1] == '/')
            parser->place += (uint32_t)strcspn(parser->text + parser->place, "\n");
        else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')
            parser->place++;
        else
            return;
    }
}

static bool take(struct parser *parser, const char *token)
{
    skip_space(parser);
    if (!text_starts_with(parser->text + parser->place, token))
        return false;
    const char *rest = parser->text + parser->place + strlen(token);
    if (strcmp(token, "!") == 0 && rest[0] == '=') // of a relation
        return false;
    parser->place += (uint32_t)strlen(token);
    return true;
}

static struct expression_node *unexpected(struct parser *parser, const char *expecting)
{
    skip_space(parser);
    const char *rest = parser->text + parser->place;
    char token[44] = "<EOF>";
    size_t length = 1;
    while (is_name_byte(rest[0]) && is_name_byte(rest[length]) && length < 40)
        length++;
    if (rest[0] != '\0')
        snprintf(token, sizeof token, "%.*s", (int)length, rest);
    expression_fail(parser->text, parser->place, parser->error,
                    "Syntax error: mismatched input '%s' expecting %s", token, expecting);
    return NULL;
}
