// Bounds that annotations of a NodePool set to one new node (SCH-521;
// model/reading/pool_annotations.h).
#pragma once

#include "engine/problem/problem.h"

// Reads the annotations of the template's NodePool; those that cannot be read bound nothing.
void node_bounds_read(struct problem *problem, struct node_template *template);

// Drops machines with more cpu than the annotation allows.
void node_bounds_drop_rows(struct node_template *template);
