// Patches: a line with the object, a line with the patch, applied in all three formats. The
// arguments stay unchanged, and a merge patch changes nothing the second time.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/store/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void apply(const char *type, const json_t *object, const json_t *patch)
{
    struct failure failure = {0};
    json_t *result = patch_apply(type, object, patch, &failure);
    if (result == NULL && failure.code == 0)
        abort();
    if (result != NULL && strcmp(type, "merge") == 0) {
        json_t *again = patch_apply(type, result, patch, NULL);
        if (!json_equal(result, again))
            abort();
        json_decref(again);
    }
    json_decref(result);
    failure_clear(&failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"merge", "json", "strategic"};
    const uint8_t *end = memchr(data, '\n', size);
    if (end == NULL)
        return 0;
    size_t first = (size_t)(end - data);
    json_t *object = json_loadb((const char *)data, first, 0, NULL);
    json_t *patch = json_loadb((const char *)end + 1, size - first - 1, 0, NULL);
    json_t *object_before = json_deep_copy(object), *patch_before = json_deep_copy(patch);
    if (object != NULL && patch != NULL)
        for (size_t i = 0; i < 3; i++)
            apply(types[i], object, patch);
    if (object != NULL && patch != NULL &&
        (!json_equal(object, object_before) || !json_equal(patch, patch_before)))
        abort();
    json_decref(object);
    json_decref(patch);
    json_decref(object_before);
    json_decref(patch_before);
    return 0;
}
