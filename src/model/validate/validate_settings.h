// Objects held against the settings of the controller that will have them (GUI-16).
#pragma once

#include "model/reading/settings.h"
#include "model/validate/validate_set.h"

void validate_against_settings(struct validated *objects, size_t count,
                               const struct settings *settings);
