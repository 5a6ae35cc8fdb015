// Names in the wrong form for AWS (API-313): an id where a name is meant and the other way round,
// an ARN for a name, a region for a zone.
#pragma once

#include "model/validate/validation.h"

// Role, instance profile, aliases and selector terms in the spec of an EC2NodeClass.
void warn_ec2_names(struct validation *validation, const struct place *spec_place,
                    const json_t *spec);
// A value of a requirement or label; other keys than those of zones and regions are fine.
void warn_zone(struct validation *validation, const struct place *place, const char *key,
               const char *value);
// The remedy for an id of a selector term that has not the form of `pattern` ("sg-[0-9a-z]+").
void hint_ec2_id(const char *pattern, const char *value, struct text *out);
