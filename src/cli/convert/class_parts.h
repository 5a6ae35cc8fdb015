// What conversions to an EC2NodeClass have in common: image family, network, metadata options,
// role, tags, volumes (MIG-40 to MIG-44, MIG-52).
#pragma once

#include "cli/convert/conversion.h"

// MIG-43, MIG-44: amiFamily beside amiSelectorTerms, or an alias. `version`: of the alias; NULL:
// latest, or what --ami says.
void class_set_family(struct source *source, struct product *product, json_t *spec,
                      const char *family, const char *version);
// MIG-14: placeholders for absent terms.
void class_require_network(struct product *product, json_t *spec);
// The role or instance profile of the options, or a placeholder with `text` as its note.
void class_require_role(struct product *product, json_t *spec, const char *text);
// The four fields written out; missing ones get the given defaults. `options` may be NULL.
void class_set_metadata_options(json_t *spec, const json_t *options, int hop_limit,
                                const char *tokens);
// Fields that keep their names: user data, volumes, tags, instance profile, monitoring and others.
void class_move_parts(struct source *source, struct product *product, json_t *from, json_t *to);
// MIG-40: a volume size as v1 takes it; NULL: it is no quantity.
const char *volume_size_today(struct product *product, const char *path, const char *size);
// "arn:aws:iam::1:role/path/NAME" -> "NAME"
const char *arn_name(const char *text);
