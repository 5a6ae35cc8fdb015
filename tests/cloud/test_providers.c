// The table of providers: each row is complete, and no two rows are confused.
#include "cloud/providers.h"

#include <string.h>

#include "base/vector.h"
#include "model/reading/catalog.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

#define FOR_EACH(provider)                                                                 \
    for (const struct cloud_provider *const *at = providers, *provider = *at; *at != NULL; \
         provider = *++at)

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static void each_row_says_whose_nodepools_it_takes_LIF_2(void **state)
{
    (void)state;
    FOR_EACH(provider)
    {
        const struct kind *kind = kind_get(provider->node_class);
        assert_true(is_set(provider->name) && kind->custom);
        assert_true(kind->conditions != 0); // Ready, which decides for NodePools
        assert_true(provider_serves(provider, kind->group, kind->name));
        assert_false(provider_serves(provider, kind->group, "Pod"));
        assert_false(provider_serves(provider, "", kind->name));
        assert_false(provider_serves(provider, NULL, NULL));
        assert_non_null(provider->labels);
        assert_non_null(provider->labels->restricted);
    }
}

static void names_are_unique(void **state)
{
    (void)state;
    FOR_EACH(provider)
    assert_ptr_equal(provider_find(provider->name), provider);
    assert_null(provider_find("none"));
    assert_null(provider_find(NULL));
}

// Two controllers that own the same NodePools would both launch for them.
static void node_classes_of_those_that_run_in_clusters_are_unique(void **state)
{
    (void)state;
    uint32_t served[KIND_COUNT] = {0};
    FOR_EACH(provider)
    for (const enum kind_id *id = provider->serves; *id != KIND_COUNT; id++)
        served[*id] += provider->create != NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(served); i++)
        assert_true(served[i] <= 1);
}

static void each_row_tells_people_of_itself(void **state)
{
    (void)state;
    uint32_t of_files = 0;
    FOR_EACH(provider)
    {
        assert_int_equal(provider->create != NULL, is_set(provider->machines));
        assert_int_equal(provider->reconcilers_create != NULL,
                         provider->reconcilers_destroy != NULL);
        assert_int_equal(provider->catalog != NULL, is_set(provider->catalog_text));
        assert_true(provider->catalog_help == NULL || provider->catalog != NULL);
        assert_true(!provider->catalog_of_files || provider->catalog_help != NULL);
        of_files += provider->catalog_of_files;
    }
    assert_int_equal(of_files, 1);
    assert_true(provider_of_files()->catalog_of_files);
    assert_non_null(provider_of_clusters()->create);
}

static void built_in_instance_types_are_valid(void **state)
{
    (void)state;
    FOR_EACH(provider)
    {
        struct error error = {0};
        if (provider->catalog == NULL)
            continue;
        const struct instance_type_catalog *catalog = providers_catalog(provider->name, &error);
        assert_non_null(catalog);
        assert_true(catalog->spec.instance_types.count > 0);
        assert_true(instance_type_catalog_check(catalog, &error));
        object_release((const struct object *)catalog);
    }
}

static void an_unknown_name_is_answered_with_those_offered(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(providers_catalog("azure", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_non_null(strstr(error.message, "\"azure\""));
    const char *offered[PROVIDERS_MAX + 1], *running[PROVIDERS_MAX + 1];
    providers_offered(offered);
    providers_running(running);
    assert_non_null(offered[0]);
    assert_non_null(running[0]);
    for (const char **name = offered; *name != NULL; name++)
        assert_non_null(strstr(error.message, *name));
    assert_null(providers_catalog(NULL, &error));
    assert_null(providers_read_catalog("/nonexistent/types.json", &error));
    assert_int_equal(error.kind, ERROR_INVALID); // FMT-14
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_says_whose_nodepools_it_takes_LIF_2),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(node_classes_of_those_that_run_in_clusters_are_unique),
        cmocka_unit_test(each_row_tells_people_of_itself),
        cmocka_unit_test(built_in_instance_types_are_valid),
        cmocka_unit_test(an_unknown_name_is_answered_with_those_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
