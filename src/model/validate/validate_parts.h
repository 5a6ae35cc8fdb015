// Parts of an object as the controller's structs, read from JSON of any form for checks of the
// readable part: values of the wrong type count as absent (NULL), and every item of a list keeps
// its index. Texts belong to the JSON, everything else is in `arena`.
#pragma once

#include "model/schema/core.h"

struct string_map parts_texts(struct arena *arena, const json_t *object); // sorted by key
taint_list parts_taints(struct arena *arena, const json_t *list);
requirement_list parts_requirements(struct arena *arena, const json_t *list);
