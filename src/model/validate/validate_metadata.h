// Checks of metadata that every API server makes (API-27).
#pragma once

#include "model/validate/validation.h"

extern const struct type type_any_metadata;
void check_metadata(struct validation *validation, const json_t *metadata,
                    const json_t *old_metadata);
