#include "model/devices/selector_tokens.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define NODES_MAX 2000

// --- tokens --------------------------------------------------------------------------------------

const struct selector_node *selector_fail(struct selector_parser *parser, const char *what)
{
    if (parser->error->kind == ERROR_NONE)
        error_set(parser->error, ERROR_INVALID, "%s at offset %zu", what,
                  (size_t)(parser->at - parser->start));
    return NULL;
}

void selector_skip_blanks(struct selector_parser *parser)
{
    for (;;) {
        while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n' ||
               *parser->at == '\r' || *parser->at == '\f')
            parser->at++;
        if (parser->at[0] != '/' || parser->at[1] != '/')
            return;
        parser->at += strcspn(parser->at, "\n");
    }
}

bool selector_take(struct selector_parser *parser, const char *token)
{
    selector_skip_blanks(parser);
    size_t length = strlen(token);
    if (strncmp(parser->at, token, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

char *selector_take_name(struct selector_parser *parser)
{
    selector_skip_blanks(parser);
    size_t length = 0;
    if (isdigit((unsigned char)*parser->at))
        return NULL;
    while (is_name_char(parser->at[length]))
        length++;
    if (length == 0)
        return NULL;
    char *name = arena_copy_bytes(parser->arena, parser->at, length);
    parser->at += length;
    return name;
}

bool selector_take_word(struct selector_parser *parser, const char *word)
{
    selector_skip_blanks(parser);
    size_t length = strlen(word);
    if (strncmp(parser->at, word, length) != 0 || is_name_char(parser->at[length]))
        return false;
    parser->at += length;
    return true;
}

// --- nodes ---------------------------------------------------------------------------------------

struct selector_node *selector_add_node(struct selector_parser *parser,
                                        enum selector_node_kind kind, const struct selector_node *a,
                                        const struct selector_node *b,
                                        const struct selector_node *c)
{
    if (++parser->nodes > NODES_MAX) {
        selector_fail(parser, "expression with too many parts");
        return NULL;
    }
    const struct selector_node *children[] = {a, b, c};
    struct selector_node *node = arena_allocate(parser->arena, sizeof *node);
    node->kind = kind;
    node->children = arena_allocate_array(parser->arena, 3, sizeof *node->children);
    while (node->children_count < 3 && children[node->children_count] != NULL) {
        node->children[node->children_count] = children[node->children_count];
        node->children_count++;
    }
    return node;
}

// --- literals ------------------------------------------------------------------------------------

static bool take_escape(struct selector_parser *parser, struct text *out)
{
    static const char from[] = "abfnrtv\\'\"`?", to[] = "\a\b\f\n\r\t\v\\'\"`?";
    const char *found = *parser->at != '\0' ? strchr(from, *parser->at) : NULL;
    if (found == NULL)
        return false;
    text_add_char(out, to[found - from]);
    parser->at++;
    return true;
}

const struct selector_node *selector_parse_string(struct selector_parser *parser, bool raw)
{
    char quote = *parser->at;
    size_t width =
        strncmp(parser->at, "\"\"\"", 3) == 0 || strncmp(parser->at, "'''", 3) == 0 ? 3 : 1;
    char end[4] = {quote, width == 3 ? quote : '\0', width == 3 ? quote : '\0', '\0'};
    struct text out = {0};
    parser->at += width;
    bool closed = false;
    while (*parser->at != '\0' && !(closed = strncmp(parser->at, end, width) == 0)) {
        if (*parser->at == '\n' && width == 1)
            break;
        if (*parser->at == '\\' && !raw) {
            parser->at++;
            if (!take_escape(parser, &out))
                break;
        } else {
            text_add_char(&out, *parser->at++);
        }
    }
    struct selector_node *node =
        closed ? selector_add_node(parser, NODE_STRING, NULL, NULL, NULL) : NULL;
    if (closed)
        parser->at += width;
    else
        selector_fail(parser, "string that does not end, or an unknown escape,");
    if (node != NULL)
        node->text = arena_copy_string(parser->arena, out.data != NULL ? out.data : "");
    text_free(&out);
    return node;
}

const struct selector_node *selector_parse_number(struct selector_parser *parser)
{
    int64_t number = 0;
    int base = parser->at[0] == '0' && (parser->at[1] == 'x' || parser->at[1] == 'X') ? 16 : 10;
    parser->at += base == 16 ? 2 : 0;
    const char *digits = parser->at;
    for (; isxdigit((unsigned char)*parser->at); parser->at++) {
        int c = tolower((unsigned char)*parser->at), digit = isdigit(c) ? c - '0' : c - 'a' + 10;
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return selector_fail(parser, "number out of range");
    }
    if (parser->at == digits)
        return selector_fail(parser, "number expected");
    if (*parser->at == '.' || *parser->at == 'e' || *parser->at == 'E')
        return selector_fail(parser, "floating-point number, which is not supported,");
    if (*parser->at == 'u' || *parser->at == 'U')
        parser->at++;
    struct selector_node *node = selector_add_node(parser, NODE_INT, NULL, NULL, NULL);
    if (node != NULL)
        node->number = number;
    return node;
}
