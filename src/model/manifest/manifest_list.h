// Lists in manifests: List, or a typed list such as PodList.
#pragma once

#include <jansson.h>

const json_t *manifest_list_items(const json_t *value); // NULL: it is no list
// The items of a typed list, as an API server sends it, carry no kind of their own: the list names
// it.
void manifest_list_name_item(const json_t *list, json_t *item);
