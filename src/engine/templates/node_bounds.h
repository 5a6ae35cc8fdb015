// Bounds on one new node, from annotations of its NodePool (SCH-521;
// model/reading/pool_annotations.h).
#pragma once

#include "engine/problem/problem.h"

// Reads the annotations of the template's NodePool; unreadable ones set no bound.
void node_bounds_read(struct problem *problem, struct node_template *template);

// Drops rows with more cpu than the annotation allows.
void node_bounds_drop_rows(struct node_template *template);
