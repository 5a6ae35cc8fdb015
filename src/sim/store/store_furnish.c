#include "sim/store/store_furnish.h"

#include "model/tables/crd.h"
#include "model/tables/kinds.h"
#include "sim/store/store.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_write.h"

#define FURNISHING_SEED 0xf0225

static void add(struct store *store, const char *group, const char *plural, const char *namespace,
                json_t *object)
{
    const struct store_resource *resource = store_resource_find(store, group, "v1", plural);
    store_add(store, resource, namespace, object, NULL); // the user may have one of that name
    json_decref(object);
}

json_t *store_furnish_definition_status(struct store *store, json_t *definition)
{
    if (json_object_get(store_path(definition, "status"), "conditions") != NULL)
        return definition;
    const json_t *first = json_array_get(store_path(definition, "spec.versions"), 0);
    char now[40];
    now_text(store, now);
    json_t *status =
        json_pack("{s:O, s:[s], s:[{s:s,s:s,s:s,s:s,s:s}, {s:s,s:s,s:s,s:s,s:s}]}", "acceptedNames",
                  store_path(definition, "spec.names"), "storedVersions", string_at(first, "name"),
                  "conditions", "type", "NamesAccepted", "status", "True", "reason", "NoConflicts",
                  "message", "no conflicts found", "lastTransitionTime", now, "type", "Established",
                  "status", "True", "reason", "InitialNamesAccepted", "message",
                  "the initial names have been accepted", "lastTransitionTime", now);
    if (status == NULL)
        return definition;
    json_t *copy = json_copy(definition);
    json_object_set_new(copy, "status", status);
    const struct write_options options = {0};
    const struct store_target target = {store->definitions, NULL, store_name(definition), "status"};
    json_t *written = store_write_replace(store, &target, copy, &options, NULL);
    json_decref(copy);
    return written != NULL ? written : definition;
}

static void add_definitions(struct store *store)
{
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        if (!kind->custom)
            continue;
        json_t *object = crd_encode(kind, &(struct crd_options){0});
        json_t *stored = store_add(store, store->definitions, NULL, object, NULL);
        json_decref(object);
        if (stored != NULL)
            store_furnish_definition_status(store, stored);
    }
}

static void fill_namespace(struct store *store, const char *namespace)
{
    add(store, "", "serviceaccounts", namespace,
        json_pack("{s:{s:s}}", "metadata", "name", "default"));
    add(store, "", "configmaps", namespace,
        json_pack("{s:{s:s}, s:{s:s}}", "metadata", "name", "kube-root-ca.crt", "data", "ca.crt",
                  "The embedded cluster is served without TLS.\n"));
}

void store_furnish(struct store *store)
{
    static const char *const namespaces[] = {"default", "kube-node-lease", "kube-public",
                                             "kube-system"};
    struct random random = store->random;
    random_seed(&store->random, FURNISHING_SEED);
    add_definitions(store);
    add(store, "", "services", "default",
        json_pack("{s:{s:s, s:{s:s, s:s}}, s:{s:s, s:[s], s:[{s:s, s:i, s:i}]}}", "metadata",
                  "name", "kubernetes", "labels", "component", "apiserver", "provider",
                  "kubernetes", "spec", "clusterIP", "10.96.0.1", "clusterIPs", "10.96.0.1",
                  "ports", "name", "https", "port", 443, "targetPort", 6443));
    for (size_t i = 0; i < ARRAY_LENGTH(namespaces); i++)
        fill_namespace(store, namespaces[i]);
    store->namespace_added = fill_namespace;
    store->random = random;
}
