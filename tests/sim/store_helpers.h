// Helpers of the tests of the embedded cluster's store: JSON with single quotes, a store on virtual
// time.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/duration.h"
#include "base/loop.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "sim/store/store.h"
#include "sim/store/store_patch.h"

#define START_NS (INT64_C(1767225600) * SECOND) // 2026-01-01T00:00:00Z

// Single quotes replace double ones, so that JSON reads well in C.
static inline json_t *json_of(const char *text)
{
    char *copy = memory_copy_string(text);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_error_t error;
    json_t *value = json_loads(copy, JSON_DECODE_ANY, &error);
    if (value == NULL)
        fail_msg("%s in %s", error.text, copy);
    free(copy);
    return value;
}

// Compares and gives a readable message; takes the reference of `expected`.
#define assert_json(actual, expected_text)                                            \
    do {                                                                              \
        json_t *expected_json = json_of(expected_text);                               \
        if (!json_equal(actual, expected_json)) {                                     \
            char *actual_text = json_dumps(actual, JSON_ENCODE_ANY | JSON_SORT_KEYS); \
            fail_msg("got %s, expected %s", actual_text, expected_text);              \
        }                                                                             \
        json_decref(expected_json);                                                   \
    } while (0)

struct world_of_test {
    struct loop *loop;
    struct store *store;
    const struct store_resource *pods, *nodes, *namespaces, *deployments, *config_maps;
};

static inline int test_setup(void **state)
{
    struct world_of_test *t = memory_allocate(sizeof *t);
    t->loop = loop_create_virtual(START_NS);
    t->store = store_create(t->loop, 7);
    t->pods = store_resource_find(t->store, "", "v1", "pods");
    t->nodes = store_resource_find(t->store, "", "v1", "nodes");
    t->namespaces = store_resource_find(t->store, "", "v1", "namespaces");
    t->config_maps = store_resource_find(t->store, "", "v1", "configmaps");
    t->deployments = store_resource_find(t->store, "apps", "v1", "deployments");
    *state = t;
    return 0;
}

static inline int test_teardown(void **state)
{
    struct world_of_test *t = *state;
    store_destroy(t->store);
    loop_destroy(t->loop);
    free(t);
    return 0;
}

static inline json_t *add_text(struct world_of_test *t, const struct store_resource *resource,
                               const char *namespace, const char *text, struct error *error)
{
    json_t *object = json_of(text);
    json_t *stored = store_add(t->store, resource, namespace, object, error);
    json_decref(object);
    return stored;
}

static inline json_t *must_add(struct world_of_test *t, const struct store_resource *resource,
                               const char *namespace, const char *text)
{
    struct error error = {0};
    json_t *stored = add_text(t, resource, namespace, text, &error);
    if (stored == NULL)
        fail_msg("%s", error.message);
    return stored;
}

static inline json_t *add_pod(struct world_of_test *t, const char *name, const char *node)
{
    json_t *pod = json_of("{'spec':{'containers':[{'name':'main','image':'busybox:1'}]}}");
    json_object_set_new(pod, "metadata", json_pack("{s:s}", "name", name));
    if (node != NULL)
        json_object_set_new(json_object_get(pod, "spec"), "nodeName", json_string(node));
    json_t *stored = store_add(t->store, t->pods, "default", pod, NULL);
    assert_non_null(stored);
    json_decref(pod);
    return stored;
}

static inline json_t *patch_text(struct world_of_test *t, const struct store_resource *resource,
                                 const char *namespace, const char *name, const char *subresource,
                                 const char *type, const char *text, struct error *error)
{
    json_t *patch = json_of(text);
    json_t *stored =
        store_patch(t->store, &(struct store_target){resource, namespace, name, subresource}, type,
                    patch, error);
    json_decref(patch);
    return stored;
}

static inline const char *text_at(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

static inline json_int_t number_at(const json_t *object, const char *path)
{
    return json_integer_value(store_path(object, path));
}
