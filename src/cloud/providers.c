#include "cloud/providers.h"

#include <assert.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/schema/decode.h"

// PROVIDERS is ROW(NAME) for each name of the list in src/cloud/meson.build; the provider's folder
// defines NAME_provider.
#define ROW(name) extern const struct cloud_provider name##_provider;
PROVIDERS
#undef ROW

#define ROW(name) &name##_provider,
const struct cloud_provider *const providers[] = {PROVIDERS NULL};
#undef ROW
static_assert(ARRAY_LENGTH(providers) <= PROVIDERS_MAX + 1, "PROVIDERS_MAX is too small");

const struct cloud_provider *provider_find(const char *name)
{
    for (const struct cloud_provider *const *at = providers; *at != NULL; at++)
        if (text_equal((*at)->name, name))
            return *at;
    return NULL;
}

const struct cloud_provider *provider_of_clusters(void)
{
    const struct cloud_provider *const *at = providers;
    while (*at != NULL && (*at)->create == NULL)
        at++;
    assert(*at != NULL);
    return *at;
}

const struct cloud_provider *provider_of_files(void)
{
    const struct cloud_provider *const *at = providers;
    while (*at != NULL && !(*at)->catalog_of_files)
        at++;
    assert(*at != NULL);
    return *at;
}

static void check_pool(const struct cloud_provider *provider, const struct node_pool *pool,
                       struct findings *findings)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    if (provider->check_pool != NULL && reference != NULL &&
        provider_serves(provider, reference->group, reference->kind))
        provider->check_pool(pool, findings);
}

void providers_check_object(const struct kind *kind, const json_t *object,
                            struct findings *findings)
{
    struct error ignored = {0}; // findings tell what cannot be read
    struct object *decoded = object_decode(object, kind, DECODE_LENIENT, &ignored);
    for (const struct cloud_provider *const *at = providers; decoded != NULL && *at != NULL; at++) {
        if (kind->id == KIND_NODE_POOL)
            check_pool(*at, (const struct node_pool *)decoded, findings);
        else if ((*at)->node_class == kind->id && (*at)->check_class != NULL)
            (*at)->check_class(decoded, findings);
    }
    object_release(decoded);
}

const struct instance_type_catalog *providers_read_catalog(const char *path, struct error *error)
{
    const struct cloud_provider *const *at = providers;
    while (*at != NULL && (*at)->read_catalog == NULL)
        at++;
    assert(*at != NULL);
    return (*at)->read_catalog(path, error);
}

const struct instance_type_catalog *providers_catalog(const char *name, struct error *error)
{
    const struct cloud_provider *provider = provider_find(name);
    if (provider != NULL && provider->catalog != NULL)
        return provider->catalog(error);
    struct text text = {0};
    const char *offered[PROVIDERS_MAX + 1];
    providers_offered(offered);
    for (const char **item = offered; *item != NULL; item++)
        text_join(&text, item[1] == NULL ? " and " : ", ", *item);
    error_set(error, ERROR_INVALID, "unknown provider \"%s\": %s are there",
              name != NULL ? name : "", text.data);
    text_free(&text);
    return NULL;
}

void providers_offered(const char *names[PROVIDERS_MAX + 1])
{
    uint32_t count = 0;
    for (const struct cloud_provider *const *at = providers; *at != NULL; at++)
        if ((*at)->catalog_help != NULL)
            names[count++] = (*at)->name;
    assert(count <= PROVIDERS_MAX);
    names[count] = NULL;
}

void providers_running(const char *names[PROVIDERS_MAX + 1])
{
    uint32_t count = 0;
    for (const struct cloud_provider *const *at = providers; *at != NULL; at++)
        if ((*at)->create != NULL)
            names[count++] = (*at)->name;
    assert(count <= PROVIDERS_MAX);
    names[count] = NULL;
}
