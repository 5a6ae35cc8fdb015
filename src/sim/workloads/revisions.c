#include "sim/workloads/revisions.h"

#include <string.h>

#include "sim/workloads/workload_pods.h"
#include "sim/world/world_write.h"

#define GROUP  "apps"
#define PLURAL "controllerrevisions"
#define LABEL  "controller-revision-hash"
#define CAUSE  "kubernetes.io/change-cause"
#define KEPT   10

static world_objects revisions_of(const struct world *world, const struct world_object *owner)
{
    world_objects all = world_controlled(world, owner->uid, KIND_COUNT);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (strcmp(all.items[i]->kind->resource->plural, PLURAL) == 0)
            all.items[kept++] = all.items[i];
    all.count = kept;
    return all;
}

static int64_t number_of(const struct world_object *revision)
{
    return world_int(revision->json, "revision", 0);
}

static json_t *revision_value(const struct world_object *owner, const char *name, const char *hash,
                              int64_t number)
{
    json_t *template = json_deep_copy(store_path(owner->json, "spec.template"));
    const json_t *labels = store_path(template, "metadata.labels");
    json_t *value = json_pack("{s:s, s:s, s:{s:s, s:o}, s:I, s:{s:{s:o}}}", "apiVersion", "apps/v1",
                              "kind", "ControllerRevision", "metadata", "name", name, "labels",
                              labels != NULL ? json_deep_copy(labels) : json_object(), "revision",
                              (json_int_t)number, "data", "spec", "template", template);
    json_object_set_new(template, "$patch", json_string("replace"));
    json_object_set_new(workload_metadata(value, "labels"), LABEL, json_string(hash));
    const char *cause = world_annotation(owner, CAUSE);
    if (cause != NULL)
        json_object_set_new(workload_metadata(value, "annotations"), CAUSE, json_string(cause));
    world_add_owner(value, owner);
    return value;
}

static void drop_oldest(struct world *world, const struct world_object *owner)
{
    world_objects all = revisions_of(world, owner);
    struct world_object *oldest = NULL;
    vector_for_each (revision, &all)
        if (oldest == NULL || number_of(*revision) < number_of(oldest))
            oldest = *revision;
    if ((int64_t)all.count > world_int(owner->json, "spec.revisionHistoryLimit", KEPT) + 1)
        world_remove(world, oldest, 0, NULL);
    vector_free(&all);
}

void revisions_keep(struct workloads *workloads, const struct world_object *owner, const char *hash)
{
    struct world *world = workloads->world;
    struct world_kind *kind = world_kind_other(world, GROUP, PLURAL);
    if (!world->options.comforts || kind == NULL)
        return;
    char name[WORLD_NAME_MAX];
    snprintf(name, sizeof name, "%s-%s", owner->name, hash);
    world_objects all = revisions_of(world, owner);
    struct world_object *current = NULL;
    int64_t last = 0;
    vector_for_each (revision, &all) {
        last = number_of(*revision) > last ? number_of(*revision) : last;
        current = strcmp((*revision)->name, name) == 0 ? *revision : current;
    }
    vector_free(&all);
    if (current == NULL) {
        world_add_other(world, kind, owner->namespace, revision_value(owner, name, hash, last + 1));
        drop_oldest(world, owner);
    } else if (number_of(current) < last) { // an earlier template is back
        json_t *value = world_copy(current);
        json_object_set_new(value, "revision", json_integer(last + 1));
        world_replace(world, current, value);
    }
}
