#include "model/tables/crd_fit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "model/tables/crd.h"
#include "model/tables/kinds.h"

#define NAMED_MAX 4
#define DEPTH_MAX 20

struct comparison {
    struct text names;
    uint32_t count;
};

static const json_t *version_of(const json_t *definition, const char *name)
{
    const json_t *versions = json_object_get(json_object_get(definition, "spec"), "versions");
    const json_t *version;
    size_t i;
    json_array_foreach (versions, i, version)
        if (text_equal(json_string_value(json_object_get(version, "name")), name) &&
            json_is_true(json_object_get(version, "served")))
            return version;
    return NULL;
}

static const json_t *schema_of(const json_t *version)
{
    return json_object_get(json_object_get(version, "schema"), "openAPIV3Schema");
}

static void note(struct comparison *comparison, const char *path)
{
    if (comparison->count++ < NAMED_MAX)
        text_join(&comparison->names, ", ", path);
}

// Properties of `ours` that `theirs` has not, down to the leaves.
static void compare(struct comparison *comparison, const json_t *ours, const json_t *theirs,
                    const char *path, int depth)
{
    const json_t *items = json_object_get(ours, "items");
    const json_t *given = json_object_get(theirs, "properties");
    const char *name;
    json_t *property;
    if (depth == DEPTH_MAX ||
        json_is_true(json_object_get(theirs, "x-kubernetes-preserve-unknown-fields")))
        return;
    if (items != NULL) {
        compare(comparison, items, json_object_get(theirs, "items"), path, depth + 1);
        return;
    }
    json_object_foreach (json_object_get(ours, "properties"), name, property) {
        struct text full = {0};
        text_format(&full, "%s%s%s", path, path[0] != '\0' ? "." : "", name);
        const json_t *other = json_object_get(given, name);
        if (other == NULL)
            note(comparison, full.data);
        else
            compare(comparison, property, other, full.data, depth + 1);
        text_free(&full);
    }
}

bool crd_misfit(const struct kind *kind, const json_t *definition, struct text *out)
{
    assert(kind->custom);
    if (definition == NULL) {
        text_add(out, "it is not installed");
        return true;
    }
    const json_t *theirs = version_of(definition, kind->version);
    if (theirs == NULL) {
        text_format(out, "it does not serve %s", kind->api_version);
        return true;
    }
    static const struct crd_options options = {0};
    struct comparison comparison = {0};
    json_t *own = crd_encode(kind, &options);
    compare(&comparison, schema_of(version_of(own, kind->version)), schema_of(theirs), "", 0);
    json_decref(own);
    if (comparison.count > 0) {
        text_format(out, "it lacks %s", comparison.names.data);
        if (comparison.count > NAMED_MAX)
            text_format(out, " and %u more fields", comparison.count - NAMED_MAX);
    }
    text_free(&comparison.names);
    return comparison.count > 0;
}

void crd_path(const struct kind *kind, char out[CRD_PATH_SIZE])
{
    assert(kind->custom);
    int length = snprintf(out, CRD_PATH_SIZE,
                          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/%s.%s",
                          kind->plural, kind->group);
    assert(length < CRD_PATH_SIZE);
}

// Fields of another owner (Helm, an earlier kubectl) conflict; MIG-119.
void crd_remedy(const struct kind *kind, struct text *out)
{
    assert(kind->custom);
    text_format(out, "adze crds %s | kubectl apply --server-side --force-conflicts -f -",
                kind->plural);
}
