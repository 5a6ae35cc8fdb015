// Types of an expression's tree: resolves names and refuses operators that do not fit their
// operands.
#pragma once

#include "cloud/aws/families/expression_tree.h"

bool expression_check(const char *text, struct expression_node *node, struct error *error) MUST_USE;
