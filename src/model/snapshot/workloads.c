#include "model/snapshot/workloads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"
#include "model/reading/selector.h"
#include "model/schema/pack.h"
#include "model/snapshot/admission.h"
#include "model/tables/kinds.h"

struct workload { // the relevant parts of a Deployment, ReplicaSet, StatefulSet or Job
    const struct object *object;
    const struct pod_template *template;
    const struct scaled_spec *scaled; // NULL: a Job
    int64_t pods;
};
struct expansion {
    struct snapshot *snapshot;
    struct map *populated; // "Kind/namespace/name" of owners with pods in the input
    struct map *names;     // "Pod/namespace/name" and claims that exist
    int64_t pods_total;
    struct text key;
};

static void index_input(struct expansion *expansion);
static bool expand_workload(struct expansion *expansion, const struct workload *workload,
                            struct error *error);
static struct workload workload_of(const struct object *object);

bool workloads_expand(struct snapshot *snapshot, struct error *error)
{
    static const enum kind_id kinds[] = {KIND_REPLICA_SET, KIND_DEPLOYMENT, KIND_STATEFUL_SET,
                                         KIND_JOB};
    struct expansion expansion = {
        .snapshot = snapshot, .populated = map_create(), .names = map_create()};
    index_input(&expansion);
    bool fine = true;
    for (size_t k = 0; k < ARRAY_LENGTH(kinds); k++)
        for (uint32_t i = 0; fine && i < snapshot->objects[kinds[k]].count; i++) {
            struct workload workload = workload_of(snapshot->objects[kinds[k]].items[i]);
            fine = expand_workload(&expansion, &workload, error);
        }
    map_destroy(expansion.populated, NULL);
    map_destroy(expansion.names, NULL);
    text_free(&expansion.key);
    return fine;
}

// --- the input -----------------------------------------------------------------------------------
static const char *key_of(struct expansion *expansion, const char *kind, const char *namespace,
                          const char *name)
{
    text_clear(&expansion->key);
    text_format(&expansion->key, "%s/%s/%s", kind, namespace == NULL ? "default" : namespace,
                name == NULL ? "" : name);
    return expansion->key.data;
}

static void mark(struct expansion *expansion, struct map *map, const char *kind,
                 const char *namespace, const char *name)
{
    map_set(map, key_of(expansion, kind, namespace, name), expansion);
}

static void mark_owners(struct expansion *expansion, const struct object *object)
{
    list_for_each (owner, &object->meta.owner_references)
        if (owner->kind != NULL && owner->name != NULL)
            mark(expansion, expansion->populated, owner->kind, object->meta.namespace, owner->name);
}

// A Deployment whose ReplicaSet is in the input counts as populated: the ReplicaSet has the pods,
// or is expanded instead.
static void index_input(struct expansion *expansion)
{
    static const enum kind_id existing[] = {KIND_POD, KIND_PERSISTENT_VOLUME_CLAIM};
    struct snapshot *snapshot = expansion->snapshot;
    for (size_t k = 0; k < ARRAY_LENGTH(existing); k++)
        for (uint32_t i = 0; i < snapshot->objects[existing[k]].count; i++) {
            const struct object *object = snapshot->objects[existing[k]].items[i];
            mark(expansion, expansion->names, object->kind->name, object->meta.namespace,
                 object->meta.name);
        }
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++)
        mark_owners(expansion, snapshot->objects[KIND_POD].items[i]);
    for (uint32_t i = 0; i < snapshot->objects[KIND_REPLICA_SET].count; i++)
        mark_owners(expansion, snapshot->objects[KIND_REPLICA_SET].items[i]);
}

static bool selects_a_pod(const struct snapshot *snapshot, const struct workload *workload)
{
    const struct label_selector *selector = workload->scaled->selector;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct object *pod = snapshot->objects[KIND_POD].items[i];
        if (text_equal(pod->meta.namespace, workload->object->meta.namespace) &&
            label_selector_matches(selector, &pod->meta.labels))
            return true;
    }
    return false;
}

static bool is_over(const struct job *job)
{
    list_for_each (condition, &job->status.conditions)
        if (text_equal(condition->status, "True") &&
            (text_equal(condition->type, "Complete") || text_equal(condition->type, "Failed")))
            return true;
    return false;
}

// As many at a time as it has completions left.
static int64_t job_pods(const struct job *job)
{
    int64_t pods = job->spec.parallelism.present ? job->spec.parallelism.value : 1;
    if (job->spec.suspend || is_over(job) || pods < 0)
        return 0;
    if (!job->spec.completions.present)
        return pods;
    int64_t left = job->spec.completions.value - job->status.succeeded.value;
    return left < 0 ? 0 : left < pods ? left : pods;
}

static struct workload workload_of(const struct object *object)
{
    struct workload workload = {.object = object};
    struct optional_int count;
    if (object->kind->id == KIND_JOB) {
        const struct job *job = (const struct job *)object;
        workload.template = &job->spec.template;
        workload.pods = job_pods(job);
        return workload;
    } else { // the three have their spec in the same place
        workload.scaled = &((const struct replica_set *)object)->spec;
        workload.template = &workload.scaled->template;
        count = workload.scaled->replicas;
    }
    workload.pods = !count.present ? 1 : count.value < 0 ? 0 : count.value;
    return workload;
}

// --- making pods ---------------------------------------------------------------------------------
const char *derived_uid(struct arena *arena, const char *kind, const char *namespace,
                        const char *name)
{
    assert(kind != NULL);
    char uid[37];
    hash_uuid(arena_format(arena, "%s/%s/%s", kind, namespace == NULL ? "" : namespace,
                           name == NULL ? "" : name),
              uid);
    return arena_copy_string(arena, uid);
}

// A Deployment's ReplicaSet has a hash of the template at the end of its name; any hash will do.
static const char *template_hash(struct arena *arena, const struct object *object)
{
    uint64_t hash = hash_string(object->meta.uid == NULL ? "" : object->meta.uid);
    return arena_format(arena, "%010llx", (unsigned long long)(hash & 0xffffffffffULL));
}

static void add_label(struct arena *arena, struct string_map *labels, const char *key,
                      const char *value)
{
    struct string_pair *items = arena_allocate_array(arena, labels->count + 1, sizeof *items);
    uint32_t to = 0;
    bool placed = false;
    for (uint32_t i = 0; i < labels->count; i++) {
        int order = placed ? 1 : strcmp(labels->items[i].key, key);
        if (!placed && order >= 0) {
            items[to++] = (struct string_pair){key, value};
            placed = true;
            if (order == 0)
                continue;
        }
        items[to++] = labels->items[i];
    }
    if (!placed)
        items[to++] = (struct string_pair){key, value};
    assert(to <= labels->count + 1);
    *labels = (struct string_map){items, to};
}

// Labels and owner as the workload's controller would set them.
static void set_owner(struct arena *arena, const struct workload *workload, struct pod *pod,
                      int64_t index)
{
    assert(index >= 0);
    const struct object *object = workload->object;
    struct owner_reference *owner = arena_allocate(arena, sizeof *owner);
    *owner = (struct owner_reference){object->kind->api_version,
                                      object->kind->name,
                                      object->meta.name,
                                      object->meta.uid,
                                      true,
                                      true};
    struct string_map *labels = &pod->meta.labels;
    if (object->kind->id == KIND_DEPLOYMENT) {
        const char *hash = template_hash(arena, object);
        owner->kind = "ReplicaSet";
        owner->name = arena_format(arena, "%s-%s", object->meta.name, hash);
        owner->uid = derived_uid(arena, owner->kind, object->meta.namespace, owner->name);
        add_label(arena, labels, "pod-template-hash", hash);
    } else if (object->kind->id == KIND_STATEFUL_SET) {
        add_label(arena, labels, "apps.kubernetes.io/pod-index",
                  arena_format(arena, "%lld", (long long)index));
        add_label(arena, labels, "statefulset.kubernetes.io/pod-name", pod->meta.name);
    } else if (object->kind->id == KIND_JOB) {
        add_label(arena, labels, "batch.kubernetes.io/job-name", object->meta.name);
        add_label(arena, labels, "job-name", object->meta.name);
    }
    pod->meta.owner_references.items = owner;
    pod->meta.owner_references.count = 1;
}

static void add_object(struct snapshot *snapshot, const struct object *made)
{
    struct object *object = object_copy(made);
    snapshot_add(snapshot, object);
    object_release(object);
}

// The claim of a StatefulSet's pod, unless it exists (from an earlier life of the pod).
static void add_claim(struct expansion *expansion,
                      const struct volume_claim_template_object *template, const struct pod *pod,
                      const char *name)
{
    struct arena *arena = expansion->snapshot->arena;
    const char *kind = kind_get(KIND_PERSISTENT_VOLUME_CLAIM)->name;
    if (map_get(expansion->names, key_of(expansion, kind, pod->meta.namespace, name)) != NULL)
        return;
    struct persistent_volume_claim claim = {
        .kind = kind_get(KIND_PERSISTENT_VOLUME_CLAIM),
        .meta = template->metadata,
        .spec = template->spec,
        .status.phase = "Pending",
    };
    claim.meta.name = name;
    claim.meta.namespace = pod->meta.namespace;
    claim.meta.uid = derived_uid(arena, kind, pod->meta.namespace, name);
    add_object(expansion->snapshot, (const struct object *)&claim);
}

// Each claim template becomes a volume and replaces one of the same name.
static void add_volumes(struct expansion *expansion, const struct workload *workload,
                        struct pod *pod)
{
    uint32_t templates = workload->scaled->volume_claim_templates.count;
    uint32_t count = pod->spec.volumes.count;
    struct arena *arena = expansion->snapshot->arena;
    struct volume *volumes = arena_allocate_array(arena, count + templates, sizeof *volumes);
    if (count > 0)
        memcpy(volumes, pod->spec.volumes.items, count * sizeof *volumes);
    for (uint32_t i = 0; i < templates; i++) {
        const struct volume_claim_template_object *template =
            &workload->scaled->volume_claim_templates.items[i];
        const char *name = template->metadata.name == NULL ? "" : template->metadata.name;
        const char *claim = arena_format(arena, "%s-%s", name, pod->meta.name);
        uint32_t at = 0;
        while (at < count && !text_equal(volumes[at].name, name))
            at++;
        count += at == count;
        volumes[at] = (struct volume){.name = name};
        volumes[at].persistent_volume_claim =
            arena_allocate(arena, sizeof *volumes[at].persistent_volume_claim);
        volumes[at].persistent_volume_claim->claim_name = claim;
        add_claim(expansion, template, pod, claim);
    }
    assert(count <= pod->spec.volumes.count + templates);
    pod->spec.volumes.items = volumes;
    pod->spec.volumes.count = count;
}

// False: there is a pod of that name.
static bool add_pod(struct expansion *expansion, const struct workload *workload, int64_t index)
{
    struct snapshot *snapshot = expansion->snapshot;
    struct arena *arena = snapshot->arena;
    const struct object_meta *of = &workload->object->meta;
    const char *name = arena_format(arena, "%s-%lld", of->name, (long long)index);
    if (map_get(expansion->names, key_of(expansion, "Pod", of->namespace, name)) != NULL)
        return false;
    mark(expansion, expansion->names, "Pod", of->namespace, name);
    struct pod pod = {.kind = kind_get(KIND_POD), .spec = workload->template->spec};
    pod.meta.name = name;
    pod.meta.namespace = of->namespace;
    pod.meta.uid = derived_uid(arena, "Pod", of->namespace, name);
    pod.meta.labels = workload->template->metadata.labels;
    pod.meta.annotations = workload->template->metadata.annotations;
    pod.meta.finalizers = workload->template->metadata.finalizers;
    set_owner(arena, workload, &pod, index);
    if (workload->scaled != NULL && workload->scaled->volume_claim_templates.count > 0)
        add_volumes(expansion, workload, &pod);
    pod_admit(snapshot, &pod);
    add_object(snapshot, (const struct object *)&pod);
    return true;
}

static bool expand_workload(struct expansion *expansion, const struct workload *workload,
                            struct error *error)
{
    const struct object *object = workload->object;
    bool is_live = expansion->snapshot->require_unschedulable_condition &&
                   object->meta.creation_timestamp != 0;
    if (object->meta.name == NULL || object_is_deleting(object) || is_live ||
        map_get(expansion->populated, key_of(expansion, object->kind->name, object->meta.namespace,
                                             object->meta.name)) != NULL)
        return true;
    if (object->kind->id == KIND_DEPLOYMENT && selects_a_pod(expansion->snapshot, workload))
        return true;
    expansion->pods_total += workload->pods;
    assert(expansion->pods_total >= workload->pods);
    if (expansion->pods_total > WORKLOAD_PODS_MAX) {
        char name[600];
        object_describe(object, name);
        return error_set(error, ERROR_INVALID,
                         "%s: %lld pods: the workloads of a snapshot may have %d together", name,
                         (long long)workload->pods, WORKLOAD_PODS_MAX);
    }
    for (int64_t i = 0; i < workload->pods; i++)
        add_pod(expansion, workload, i);
    return true;
}

bool workload_add_pods(struct snapshot *snapshot, const struct object *object, int64_t count,
                       struct error *error)
{
    if (count > WORKLOAD_PODS_MAX)
        return error_set(error, ERROR_INVALID, "%s %s: %lld pods more: at most %d are read",
                         object->kind->name, object->meta.name, (long long)count,
                         WORKLOAD_PODS_MAX);
    struct expansion expansion = {
        .snapshot = snapshot, .populated = map_create(), .names = map_create()};
    index_input(&expansion);
    struct workload workload = workload_of(object);
    for (int64_t index = 0; count > 0; index++)
        count -= add_pod(&expansion, &workload, index);
    map_destroy(expansion.populated, NULL);
    map_destroy(expansion.names, NULL);
    text_free(&expansion.key);
    return true;
}

int64_t workload_pods_wanted(const struct object *object)
{
    return workload_of(object).pods;
}
