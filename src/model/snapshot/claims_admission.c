#include "model/snapshot/claims_admission.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/quantity.h"
#include "base/text_sort.h"
#include "base/vector.h"
#include "model/schema/pack.h"
#include "model/snapshot/claims_binding.h"
#include "model/snapshot/workloads.h"
#include "model/tables/kinds.h"

#define DEFAULT_CLASS      "storageclass.kubernetes.io/is-default-class"
#define DEFAULT_CLASS_BETA "storageclass.beta.kubernetes.io/is-default-class"
#define CLASS_TAKEN        "(default)" // where no StorageClass is known
#define PROVISIONER_TAKEN  "ebs.csi.aws.com"
#define PROVISIONER_NONE   "kubernetes.io/no-provisioner"

struct admission {
    struct snapshot *snapshot;
    struct map *claims;  // namespace/name of those that exist
    struct map *classes; // name -> class
    struct map *taken;   // name of a class that is taken, or whose volumes are -> count of claims
    const struct storage_class *default_class;
    bool knows_classes; // the input has some
    uint32_t classless; // claims without a class
    struct text key;
};

static const char *key_of(struct admission *admission, const char *namespace, const char *name)
{
    text_clear(&admission->key);
    text_format(&admission->key, "%s/%s", text_or_empty(namespace), text_or_empty(name));
    return admission->key.data;
}

// --- the claims of generic ephemeral volumes -----------------------------------------------------

static void add_claim(struct admission *admission, const struct pod *pod,
                      const struct volume *volume)
{
    struct arena *arena = admission->snapshot->arena;
    const char *name = arena_format(arena, "%s-%s", pod->meta.name, text_or_empty(volume->name));
    if (map_get(admission->claims, key_of(admission, pod->meta.namespace, name)) != NULL)
        return;
    struct persistent_volume_claim claim = {
        .kind = kind_get(KIND_PERSISTENT_VOLUME_CLAIM),
        .meta = volume->ephemeral->volume_claim_template.metadata,
        .spec = volume->ephemeral->volume_claim_template.spec,
        .status.phase = "Pending",
    };
    claim.meta.name = name;
    claim.meta.namespace = pod->meta.namespace;
    claim.meta.uid = derived_uid(arena, claim.kind->name, pod->meta.namespace, name);
    const struct object *object = object_copy((const struct object *)&claim);
    snapshot_add(admission->snapshot, object);
    object_release(object);
}

static void add_ephemeral_claims(struct admission *admission)
{
    const struct snapshot *snapshot = admission->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (pod->meta.creation_timestamp != 0)
            continue;
        list_for_each (volume, &pod->spec.volumes)
            if (volume->ephemeral != NULL)
                add_claim(admission, pod, volume);
    }
}

// --- StorageClasses ------------------------------------------------------------------------------

static bool is_default(const struct object *object)
{
    return text_equal(string_map_get(&object->meta.annotations, DEFAULT_CLASS), "true") ||
           text_equal(string_map_get(&object->meta.annotations, DEFAULT_CLASS_BETA), "true");
}

// Of several the newest, then the first by name, as admission does.
static bool goes_before(const struct object *object, const struct storage_class *other)
{
    if (other == NULL || object->meta.creation_timestamp != other->meta.creation_timestamp)
        return other == NULL || object->meta.creation_timestamp > other->meta.creation_timestamp;
    return strcmp(text_or_empty(object->meta.name), text_or_empty(other->meta.name)) < 0;
}

static void index_classes(struct admission *admission)
{
    const struct snapshot *snapshot = admission->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_STORAGE_CLASS].count; i++) {
        const struct object *object = snapshot->objects[KIND_STORAGE_CLASS].items[i];
        const struct storage_class *class = (const struct storage_class *)object;
        if (object->meta.name == NULL)
            continue;
        map_set(admission->classes, object->meta.name, (void *)(uintptr_t) class);
        admission->knows_classes = admission->knows_classes ||
                                   string_map_get(&object->meta.annotations, CLASS_TAKEN) == NULL;
        if (is_default(object) && goes_before(object, admission->default_class))
            admission->default_class = class;
    }
}

static void count_taken(struct admission *admission, const char *name)
{
    ++*(uint32_t *)map_ensure(admission->taken, name, sizeof(uint32_t));
}

static bool sounds_like_ebs(const char *name)
{
    static const char *const parts[] = {"ebs", "gp2", "gp3", "io1", "io2", "default"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        if (strstr(name, parts[i]) != NULL)
            return true;
    return false;
}

// A class that waits for the first consumer. The limit of volumes counts those of EBS only.
static const struct storage_class *take_class(struct admission *admission, const char *name)
{
    static struct string_pair mark[] = {{CLASS_TAKEN, "taken"}};
    struct storage_class class = {
        .kind = kind_get(KIND_STORAGE_CLASS),
        .meta = {.name = name,
                 .uid = derived_uid(admission->snapshot->arena, "StorageClass", NULL, name),
                 .annotations = {mark, 1}},
        .provisioner = sounds_like_ebs(name) ? PROVISIONER_TAKEN : "unknown",
        .volume_binding_mode = "WaitForFirstConsumer"};
    const struct object *object = object_copy((const struct object *)&class);
    snapshot_add(admission->snapshot, object);
    map_set(admission->classes, name, (void *)(uintptr_t)object);
    object_release(object);
    return (const struct storage_class *)object;
}

static const struct storage_class *class_of(struct admission *admission,
                                            struct persistent_volume_claim *claim)
{
    const char *name = claim->spec.storage_class_name;
    if (name == NULL && admission->default_class != NULL)
        name = admission->default_class->meta.name;
    if (name == NULL && !admission->knows_classes)
        name = CLASS_TAKEN;
    admission->classless += name == NULL;
    if (name == NULL || *name == '\0')
        return NULL;
    claim->spec.storage_class_name = name;
    const struct storage_class *class = map_get(admission->classes, name);
    if (class == NULL && !admission->knows_classes)
        class = take_class(admission, name);
    return class;
}

// --- volumes -------------------------------------------------------------------------------------

// As the provisioner of a class that binds at once makes it.
static const struct persistent_volume *make_volume(struct admission *admission,
                                                   const struct persistent_volume_claim *claim,
                                                   const struct storage_class *class)
{
    struct arena *arena = admission->snapshot->arena;
    struct persistent_volume volume = {.kind = kind_get(KIND_PERSISTENT_VOLUME)};
    volume.meta.name = arena_format(arena, "pvc-%s", claim->meta.uid);
    volume.meta.uid = derived_uid(arena, volume.kind->name, NULL, volume.meta.name);
    volume.spec.storage_class_name = class->meta.name;
    volume.spec.csi = arena_allocate(arena, sizeof *volume.spec.csi);
    volume.spec.csi->driver = text_or_empty(class->provisioner);
    volume.spec.csi->volume_handle = volume.meta.name;
    volume.spec.node_affinity = arena_allocate(arena, sizeof *volume.spec.node_affinity);
    volume.spec.node_affinity->required =
        arena_allocate(arena, sizeof *volume.spec.node_affinity->required);
    node_selector_term_list *terms = &volume.spec.node_affinity->required->node_selector_terms;
    terms->items =
        arena_allocate_array(arena, class->allowed_topologies.count + 1, sizeof *terms->items);
    list_for_each (topology, &class->allowed_topologies) {
        requirement_list *expressions = &terms->items[terms->count++].match_expressions;
        expressions->items = arena_allocate_array(
            arena, topology->match_label_expressions.count + 1, sizeof *expressions->items);
        list_for_each (label, &topology->match_label_expressions)
            expressions->items[expressions->count++] = (struct selector_requirement){
                .key = label->key, .operator= "In", .values = label->values};
    }
    const struct object *object = object_copy((const struct object *)&volume);
    snapshot_add(admission->snapshot, object);
    object_release(object);
    return (const struct persistent_volume *)object;
}

// The API server's default is Immediate.
static bool binds_at_once(const struct storage_class *class)
{
    return !text_equal(class->volume_binding_mode, "WaitForFirstConsumer");
}

static bool makes_volumes(const struct storage_class *class)
{
    return !text_equal(class->provisioner, PROVISIONER_NONE);
}

static void admit(struct admission *admission, const struct object **slot,
                  struct claims_binding *binding)
{
    struct persistent_volume_claim claim = *(const struct persistent_volume_claim *)*slot;
    const struct storage_class *class = class_of(admission, &claim);
    bool seeks = class == NULL || binds_at_once(class) || !makes_volumes(class);
    const struct persistent_volume *volume = claims_binding_find(binding, &claim, seeks);
    bool unbound = volume == NULL && text_is_empty(claim.spec.volume_name);
    if (unbound && class != NULL && string_map_get(&class->meta.annotations, CLASS_TAKEN) != NULL)
        count_taken(admission, class->meta.name);
    if (unbound && class != NULL && binds_at_once(class) && makes_volumes(class)) {
        volume = make_volume(admission, &claim, class);
        count_taken(admission, class->meta.name);
    }
    if (volume != NULL)
        claims_binding_bind(binding, &claim, volume);
    const struct object *before = *slot;
    *slot = object_copy((const struct object *)&claim);
    object_release(before);
}

static bool is_new(const struct object *object)
{
    return object->meta.creation_timestamp == 0 && object->meta.name != NULL &&
           !claims_binding_is_bound((const struct persistent_volume_claim *)object);
}

// By namespace and name: whatever their order, each claim gets the same volume.
static int compare_slots(const void *a, const void *b)
{
    const struct object *x = **(const struct object **const *)a;
    const struct object *y = **(const struct object **const *)b;
    int order = strcmp(text_or_empty(x->meta.namespace), text_or_empty(y->meta.namespace));
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

static void admit_all(struct admission *admission, struct claims_binding *binding)
{
    struct snapshot *snapshot = admission->snapshot;
    VECTOR(const struct object **) slots = {0};
    for (uint32_t i = 0; i < snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count; i++)
        if (is_new(snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].items[i]))
            vector_push(&slots, &snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].items[i]);
    if (slots.count > 0)
        qsort(slots.items, slots.count, sizeof *slots.items, compare_slots);
    // Claims that volumes are kept for come first: others may not have those.
    for (int kept = 1; kept >= 0; kept--)
        vector_for_each (slot, &slots)
            if (claims_binding_is_kept(binding, (const void *)**slot) == (kept == 1) &&
                is_new(**slot))
                admit(admission, *slot, binding);
    vector_free(&slots);
}

// --- all -----------------------------------------------------------------------------------------

static void tell(const struct admission *admission, struct text *remarks)
{
    VECTOR(char *) lines = {0};
    for (struct map_entry *entry = map_first(admission->taken); entry != NULL;
         entry = map_next(entry)) {
        const struct storage_class *class = map_get(admission->classes, map_key(entry));
        uint32_t count = *(uint32_t *)map_value(entry);
        struct text line = {0};
        if (binds_at_once(class))
            text_format(&line,
                        "StorageClass %s makes volumes before pods are placed, in zones that are "
                        "not known (%" PRIu32 " claim%s; taken: any that it allows)",
                        class->meta.name, count, text_plural(count));
        else
            text_format(&line,
                        "%s%s, of %" PRIu32 " claim%s, is not in the input (taken: volumes%s that "
                        "are made where the pod goes)",
                        text_equal(class->meta.name, CLASS_TAKEN) ? "the default StorageClass"
                                                                  : "StorageClass ",
                        text_equal(class->meta.name, CLASS_TAKEN) ? "" : class->meta.name, count,
                        text_plural(count),
                        text_equal(class->provisioner, PROVISIONER_TAKEN) ? " of EBS" : "");
        vector_push(&lines, text_take(&line));
    }
    text_add_sorted_lines(remarks, lines.items, lines.count);
    vector_free(&lines);
    if (admission->classless > 0)
        text_format(remarks,
                    "\n%" PRIu32 " claim%s no storageClassName, and no StorageClass of the "
                    "input is the default (annotation " DEFAULT_CLASS ")",
                    admission->classless, admission->classless == 1 ? " has" : "s have");
}

void claims_admit(struct snapshot *snapshot, struct text *remarks)
{
    assert(snapshot != NULL && remarks != NULL);
    struct admission admission = {.snapshot = snapshot,
                                  .claims = map_create(),
                                  .classes = map_create(),
                                  .taken = map_create()};
    for (uint32_t i = 0; i < snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count; i++) {
        const struct object_meta *meta =
            &snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].items[i]->meta;
        map_set(admission.claims, key_of(&admission, meta->namespace, meta->name), &admission);
    }
    add_ephemeral_claims(&admission);
    index_classes(&admission);
    struct claims_binding *binding = claims_binding_create(snapshot, remarks);
    admit_all(&admission, binding);
    claims_binding_destroy(binding);
    tell(&admission, remarks);
    map_destroy(admission.claims, NULL);
    map_destroy(admission.classes, NULL);
    map_destroy(admission.taken, free);
    text_free(&admission.key);
}
