// Contradictions of requirements and labels, for warnings: exact for lists and whole-number bounds,
// the only possible forms.
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct requirement_source {     // one NodePool's or NodeOverlay's
    const json_t *requirements; // list, or NULL
    const json_t *labels;       // map, or NULL: each a requirement In [value]
};

// The first key that allows no value, or NULL. `index` receives the position of the last
// requirement on it in the last source that has one, or -1 if that is a label. Keys are compared
// after API-172; the result lives as long as the sources.
const char *requirements_contradiction(const struct requirement_source *sources, size_t count,
                                       int *index);
