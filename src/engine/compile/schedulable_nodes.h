// State nodes compiled for placing (SCH-147, 190 to 200).
#pragma once

#include "engine/problem/problem.h"

void nodes_compile(struct problem *problem);
