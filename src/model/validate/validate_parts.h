// Parts of an object as the structs that the controller has, read from JSON of any form for checks
// that are to look at what can be read: values of the wrong type count as absent (NULL), and every
// item of a list keeps its index. Texts are those of the JSON, all else is in `arena`.
#pragma once

#include "model/schema/core.h"

struct string_map parts_texts(struct arena *arena, const json_t *object); // sorted by key
taint_list parts_taints(struct arena *arena, const json_t *list);
requirement_list parts_requirements(struct arena *arena, const json_t *list);
