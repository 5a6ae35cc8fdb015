// A compiled device selector: the tree of its expression.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum selector_node_kind {
    NODE_BOOL,       // number
    NODE_INT,        // number
    NODE_STRING,     // text
    NODE_NULL,       //
    NODE_LIST,       // children
    NODE_NAME,       // text: `device` or a bound variable
    NODE_FIELD,      // children[0].text; `optional` for .?text
    NODE_INDEX,      // children[0][children[1]]; `optional` for [?...]
    NODE_CALL,       // function `number` on the children; for methods children[0] is the receiver
    NODE_HAS,        // has(children[0]), a NODE_FIELD
    NODE_BIND,       // cel.bind(text, children[0], children[1])
    NODE_QUANTIFY,   // children[0].exists(text, children[1]); number: which macro
    NODE_NOT,        //
    NODE_NEGATE,     //
    NODE_AND,        //
    NODE_OR,         //
    NODE_CONDITION,  // children[0] ? children[1] : children[2]
    NODE_COMPARE,    // number: enum selector_comparison
    NODE_ARITHMETIC, // number: the operator's character
};
enum selector_comparison {
    COMPARE_EQUAL,
    COMPARE_NOT_EQUAL,
    COMPARE_LESS,
    COMPARE_LESS_EQUAL,
    COMPARE_MORE,
    COMPARE_MORE_EQUAL,
    COMPARE_IN,
};
enum selector_quantifier { QUANTIFY_EXISTS, QUANTIFY_ALL, QUANTIFY_EXISTS_ONE };
enum selector_function {
    FUNCTION_STARTS_WITH,
    FUNCTION_ENDS_WITH,
    FUNCTION_CONTAINS,
    FUNCTION_MATCHES,
    FUNCTION_SIZE,
    FUNCTION_LOWER_ASCII,
    FUNCTION_UPPER_ASCII,
    FUNCTION_COMPARE_TO,
    FUNCTION_IS_GREATER_THAN,
    FUNCTION_IS_LESS_THAN,
    FUNCTION_AS_INTEGER,
    FUNCTION_IS_INTEGER,
    FUNCTION_ADD,
    FUNCTION_SUB,
    FUNCTION_SIGN,
    FUNCTION_MAJOR,
    FUNCTION_MINOR,
    FUNCTION_PATCH,
    FUNCTION_OR_VALUE,
    FUNCTION_HAS_VALUE,
    FUNCTION_VALUE,
    FUNCTION_QUANTITY,
    FUNCTION_IS_QUANTITY,
    FUNCTION_SEMVER,
    FUNCTION_IS_SEMVER,
    FUNCTION_INT,
    FUNCTION_STRING,
    FUNCTION_COUNT,
};

struct selector_node {
    enum selector_node_kind kind;
    bool optional;
    int64_t number;
    const char *text;
    const struct selector_node **children;
    uint32_t children_count;
};
