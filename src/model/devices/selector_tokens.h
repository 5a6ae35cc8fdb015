// Tokens and literals of device selectors, and the parser's state (selector_parser.h).
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/vector.h"
#include "model/devices/selector_tree.h"

struct selector_parser {
    struct arena *arena;
    const char *start, *at;
    struct error *error;
    uint32_t nodes, depth;
    VECTOR(const char *) bound; // variables that the expression declares
};

// Records what is wrong at the current place; NULL.
const struct selector_node *selector_fail(struct selector_parser *parser, const char *what);
void selector_skip_blanks(struct selector_parser *parser);
bool selector_take(struct selector_parser *parser, const char *token);
bool selector_take_word(struct selector_parser *parser, const char *word);
char *selector_take_name(struct selector_parser *parser); // NULL: none is there
// A node with up to three children, which end at the first NULL; NULL: too many nodes.
struct selector_node *selector_add_node(struct selector_parser *parser,
                                        enum selector_node_kind kind, const struct selector_node *a,
                                        const struct selector_node *b,
                                        const struct selector_node *c);
const struct selector_node *selector_parse_string(struct selector_parser *parser, bool raw);
const struct selector_node *selector_parse_number(struct selector_parser *parser);
