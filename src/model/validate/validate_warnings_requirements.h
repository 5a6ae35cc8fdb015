// Warnings about label keys and requirements (API-313): old names, typos, requirements that allow
// no value.
#pragma once

#include "model/validate/validation.h"

void warn_key(struct validation *validation, const struct place *place, const char *key);
// `labels`: of the same template, or NULL.
void warn_requirements(struct validation *validation, const struct place *list_place,
                       const json_t *list, const json_t *labels);
