// Reads an expression's text: a tree without types.
#pragma once

#include "cloud/aws/families/expression_tree.h"

struct expression_node *expression_parse(const char *text, struct arena *arena,
                                         struct error *error) MUST_USE;
