// Lists in manifests: List, or a typed list such as PodList.
#pragma once

#include <jansson.h>

const json_t *manifest_list_items(const json_t *value); // NULL: not a list
// The items of a typed list from an API server have no kind of their own: it follows from the
// list's.
void manifest_list_name_item(const json_t *list, json_t *item);
