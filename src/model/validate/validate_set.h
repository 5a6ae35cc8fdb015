// Checks over several objects together (API-313, GUI-2): references between NodePools and
// NodeClasses, pools and overlays of equal weight.
#pragma once

#include "model/validate/validate.h"

struct validated { // one object of the set
    const struct kind *kind;
    const char *name;
    const json_t *stored; // as validate_object() gave it; NULL is skipped
    struct findings *findings;
};
void validate_set(struct validated *objects, size_t count);
