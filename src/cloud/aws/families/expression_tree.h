// The tree of an expression: made by expression_parse.c, typed by expression_check.c, evaluated by
// expression_evaluate.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

#define EXPRESSION_BYTES_MAX 4096
#define EXPRESSION_DEPTH_MAX 32
#define EXPRESSION_NODES_MAX 1024

enum expression_type {
    EXPRESSION_INT,
    EXPRESSION_DOUBLE,
    EXPRESSION_STRING,
    EXPRESSION_BOOL,
    EXPRESSION_LIST,
};
enum expression_operator {
    OPERATOR_LITERAL,
    OPERATOR_VARIABLE,
    OPERATOR_LIST,
    OPERATOR_CALL, // of a function or a method; the receiver is the first argument
    OPERATOR_CONDITION,
    OPERATOR_OR,
    OPERATOR_AND,
    OPERATOR_EQUAL,
    OPERATOR_NOT_EQUAL,
    OPERATOR_LESS,
    OPERATOR_LESS_EQUAL,
    OPERATOR_GREATER,
    OPERATOR_GREATER_EQUAL,
    OPERATOR_IN,
    OPERATOR_ADD,
    OPERATOR_SUBTRACT,
    OPERATOR_MULTIPLY,
    OPERATOR_DIVIDE,
    OPERATOR_MODULO,
    OPERATOR_NOT,
    OPERATOR_NEGATE,
};
enum expression_variable {
    VARIABLE_VCPUS,
    VARIABLE_MEMORY_MIB,
    VARIABLE_DEFAULT_ENIS,
    VARIABLE_IPS_PER_ENI,
    VARIABLE_MAX_PODS,
    VARIABLE_INSTANCE_TYPE,
};
enum expression_function {
    FUNCTION_MIN,
    FUNCTION_MAX,
    FUNCTION_INT,
    FUNCTION_DOUBLE,
    FUNCTION_STRING,
    FUNCTION_SIZE,
    FUNCTION_STARTS_WITH,
    FUNCTION_ENDS_WITH,
    FUNCTION_CONTAINS,
    FUNCTION_COUNT
};

struct expression_value {
    enum expression_type type;
    union {
        int64_t integer;
        double number;
        const char *text;
        bool truth;
    };
};
struct expression_node {
    enum expression_operator operation;
    enum expression_type type; // of the result; set by the check
    uint32_t position;         // byte in the text, for messages
    struct expression_value literal;
    enum expression_variable variable;
    enum expression_function function;
    const char *name; // of a variable or function, as written
    bool method;      // name was called on a receiver
    struct expression_node *arguments, *next;
};
struct expression {
    const char *text;
    struct expression_node *root;
};

// "ERROR: <input>:1:8: MESSAGE" with the line and a caret below it. Returns false.
bool expression_fail(const char *text, uint32_t position, struct error *error, const char *format,
                     ...) PRINTF_LIKE(4, 5);
const char *expression_type_name(enum expression_type type);
