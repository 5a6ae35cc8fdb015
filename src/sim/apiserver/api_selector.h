// Label selectors ("a=b,c!=d,e in (f,g),h,!i") and field selectors
// ("metadata.name=x,spec.nodeName!=y").
#pragma once

#include "sim/apiserver/api_internal.h"

struct api_selector *api_selector_parse(const char *labels, const char *fields,
                                        const struct store_resource *resource,
                                        struct failure *failure); // NULL: failure
void api_selector_destroy(struct api_selector *selector);
bool api_selector_matches(const struct api_selector *selector, const json_t *object);
bool api_selector_is_empty(const struct api_selector *selector);
