#include "engine/problem/volumes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/problem/asked_keys.h"

#define ALTERNATIVES_MAX 4096 // of one pod; more volumes with choices than that are refused

static struct map *index_kind(const struct snapshot *snapshot, enum kind_id kind, bool namespaced)
{
    struct map *map = map_create();
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
        const struct object *object = snapshot->objects[kind].items[i];
        char name[600];
        snprintf(name, sizeof name, "%s%s%s", namespaced ? object->meta.namespace : "",
                 namespaced ? "/" : "", object->meta.name);
        map_set(map, name, (void *)(uintptr_t)object);
    }
    return map;
}

static void index_namespaces(struct problem *problem)
{
    static const struct string_map none;
    const char *last = NULL;
    problem->topology.namespaces = map_create();
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_NAMESPACE].count; i++) {
        const struct object *object = problem->snapshot->objects[KIND_NAMESPACE].items[i];
        map_set(problem->topology.namespaces, object->meta.name,
                (void *)(uintptr_t)&object->meta.labels);
    }
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_POD].count; i++) {
        const struct object *pod = problem->snapshot->objects[KIND_POD].items[i];
        bool known = last != NULL && strcmp(last, pod->meta.namespace) == 0;
        last = pod->meta.namespace;
        if (known || map_get(problem->topology.namespaces, pod->meta.namespace) != NULL)
            continue;
        struct string_map *labels = arena_allocate(problem->arena, sizeof *labels);
        *labels = none; // a namespace that is not in the input has only the label that all have
        labels->items = arena_allocate(problem->arena, sizeof *labels->items);
        labels->items[0] = (struct string_pair){"kubernetes.io/metadata.name", pod->meta.namespace};
        labels->count = 1;
        map_set(problem->topology.namespaces, pod->meta.namespace, labels);
    }
}

void volumes_index(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    problem->volumes.claims = index_kind(snapshot, KIND_PERSISTENT_VOLUME_CLAIM, true);
    problem->volumes.items = index_kind(snapshot, KIND_PERSISTENT_VOLUME, false);
    problem->volumes.storage_classes = index_kind(snapshot, KIND_STORAGE_CLASS, false);
    problem->volumes.csi_nodes = index_kind(snapshot, KIND_CSI_NODE, false);
    index_namespaces(problem);
}

// The claim's name: SCH-330. NULL for a volume of another kind.
static const char *claim_name(struct arena *arena, const struct pod *pod,
                              const struct volume *volume)
{
    if (volume->persistent_volume_claim != NULL)
        return volume->persistent_volume_claim->claim_name;
    if (volume->ephemeral != NULL)
        return arena_format(arena, "%s-%s", pod->meta.name, volume->name);
    return NULL;
}

static const struct persistent_volume_claim *find_claim(const struct problem *problem,
                                                        const char *namespace, const char *name)
{
    char key[600];
    snprintf(key, sizeof key, "%s/%s", namespace, name);
    return map_get(problem->volumes.claims, key);
}

// --- alternatives (SCH-330 to SCH-336) -----------------------------------------------------------

struct alternatives {
    uint32_t *sets;
    uint32_t count;
};

static bool is_hostname(const struct problem *problem, const char *key)
{
    return vocabulary_find_key(problem->vocabulary, key) == problem->keys.hostname;
}

static void ask(struct problem *problem, const char *key)
{
    problem_ask_key(problem, vocabulary_key(problem->vocabulary, key));
}

static struct alternatives of_volume(struct problem *problem,
                                     const struct persistent_volume *volume)
{
    struct alternatives result = {0};
    if (volume->spec.node_affinity == NULL || volume->spec.node_affinity->required == NULL)
        return result;
    const node_selector_term_list *terms =
        &volume->spec.node_affinity->required->node_selector_terms;
    bool elsewhere = volume->spec.local != NULL || volume->spec.host_path != NULL;
    result.sets = arena_allocate_array(problem->arena, terms->count + 1, sizeof *result.sets);
    list_for_each (term, terms) {
        if (term->match_expressions.count == 0)
            continue;
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        uint32_t set = SET_EMPTY;
        list_for_each (expression, &term->match_expressions) {
            struct requirement requirement =
                requirement_make(scratch, problem->vocabulary, expression);
            if (elsewhere && is_hostname(problem, expression->key))
                continue;
            ask(problem, expression->key);
            set = set_add(problem->sets, set, &requirement);
        }
        result.sets[result.count++] = set;
    }
    return result;
}

// SCH-515: where the volume's own labels say it is, several zones joined by "__".
static uint32_t zones_of_volume(struct problem *problem, const struct persistent_volume *volume)
{
    static const char *const keys[] = {LABEL_ZONE, "topology.kubernetes.io/region",
                                       "failure-domain.beta.kubernetes.io/zone",
                                       "failure-domain.beta.kubernetes.io/region"};
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    uint32_t set = SET_EMPTY;
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        const char *label = string_map_get(&volume->meta.labels, keys[i]);
        if (label == NULL || label[0] == '\0')
            continue;
        uint32_t values[64], count = 0;
        for (const char *rest = label; rest != NULL && count < ARRAY_LENGTH(values);) {
            const char *end = strstr(rest, "__");
            size_t length = end != NULL ? (size_t)(end - rest) : strlen(rest);
            values[count++] = vocabulary_value(problem->vocabulary,
                                               arena_format(scratch, "%.*s", (int)length, rest));
            rest = end != NULL ? end + 2 : NULL;
        }
        uint32_t key = vocabulary_key(problem->vocabulary, keys[i]);
        struct requirement requirement = requirement_in_values(scratch, key, values, count);
        problem_ask_key(problem, key);
        set = set_add(problem->sets, set, &requirement);
    }
    return set;
}

// The alternatives with the volume's labels; the labels alone where there are none.
static void add_zones(struct problem *problem, const struct persistent_volume *volume,
                      struct alternatives *alternatives)
{
    uint32_t zones = zones_of_volume(problem, volume);
    if (zones == SET_EMPTY || problem->settings->compatibility_upstream)
        return;
    if (alternatives->count == 0) {
        alternatives->sets = arena_allocate_array(problem->arena, 1, sizeof *alternatives->sets);
        alternatives->sets[alternatives->count++] = zones;
        return;
    }
    for (uint32_t i = 0; i < alternatives->count; i++)
        alternatives->sets[i] = set_meet(problem->sets, alternatives->sets[i], zones);
}

static struct alternatives of_class(struct problem *problem, const struct storage_class *class)
{
    struct alternatives result = {0};
    result.sets = arena_allocate_array(problem->arena, class->allowed_topologies.count + 1,
                                       sizeof *result.sets);
    list_for_each (term, &class->allowed_topologies) {
        if (term->match_label_expressions.count == 0)
            continue;
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        uint32_t set = SET_EMPTY;
        list_for_each (label, &term->match_label_expressions) {
            struct selector_requirement source = {
                .key = label->key, .operator= "In", .values = label->values};
            struct requirement requirement =
                requirement_make(scratch, problem->vocabulary, &source);
            ask(problem, label->key);
            set = set_add(problem->sets, set, &requirement);
        }
        result.sets[result.count++] = set;
    }
    return result;
}

static bool alternatives_of_claim(struct problem *problem,
                                  const struct persistent_volume_claim *claim,
                                  struct alternatives *out, struct text *error)
{
    if (!text_is_empty(claim->spec.volume_name)) {
        const struct persistent_volume *volume =
            map_get(problem->volumes.items, claim->spec.volume_name);
        if (volume == NULL) {
            text_format(error,
                        "getting existing requirements, getting persistent volume, "
                        "persistentvolumes \"%s\" not found (PersistentVolume=%s)",
                        claim->spec.volume_name, claim->spec.volume_name);
            return false;
        }
        *out = of_volume(problem, volume);
        add_zones(problem, volume, out);
        return true;
    }
    const char *class_name = claim->spec.storage_class_name;
    if (text_is_empty(class_name))
        return true;
    const struct storage_class *class = map_get(problem->volumes.storage_classes, class_name);
    if (class == NULL) {
        text_format(error,
                    "getting storage class, storageclasses.storage.k8s.io \"%s\" not found "
                    "(StorageClass=%s)",
                    class_name, class_name);
        return false;
    }
    *out = of_class(problem, class);
    return true;
}

// SCH-335: every pair, earlier volumes varying slowest; pairs that do not intersect are dropped
// unless nothing would be left.
static bool cross(struct problem *problem, struct alternatives *all,
                  const struct alternatives *next)
{
    if (next->count == 0)
        return true;
    if (all->count == 0) {
        *all = *next;
        return true;
    }
    uint64_t pairs = (uint64_t)all->count * next->count;
    if (pairs > ALTERNATIVES_MAX)
        return false;
    uint32_t *sets = arena_allocate_array(problem->arena, pairs, sizeof *sets);
    uint32_t count = 0;
    for (int keep_all = 0; keep_all < 2 && count == 0; keep_all++)
        for (uint32_t i = 0; i < all->count; i++)
            for (uint32_t j = 0; j < next->count; j++)
                if (keep_all || sets_intersect(problem->sets, all->sets[i], next->sets[j]))
                    sets[count++] = set_meet(problem->sets, all->sets[i], next->sets[j]);
    *all = (struct alternatives){sets, count};
    return true;
}

// --- drivers (SCH-351) ---------------------------------------------------------------------------

static const char *csi_name(const char *provisioner)
{
    static const char *const in_tree[][2] = {
        {"kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
        {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
        {"kubernetes.io/azure-disk", "disk.csi.azure.com"},
        {"kubernetes.io/azure-file", "file.csi.azure.com"},
        {"kubernetes.io/cinder", "cinder.csi.openstack.org"},
        {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"},
        {"kubernetes.io/portworx-volume", "pxd.portworx.com"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(in_tree); i++)
        if (strcmp(provisioner, in_tree[i][0]) == 0)
            return in_tree[i][1];
    return provisioner;
}

// NULL: not counted. *error is set if the volume of a bound claim cannot be read.
static const char *driver_of(struct problem *problem, const struct persistent_volume_claim *claim,
                             const char **error)
{
    if (!text_is_empty(claim->spec.volume_name)) {
        const struct persistent_volume *volume =
            map_get(problem->volumes.items, claim->spec.volume_name);
        if (volume == NULL) {
            *error =
                arena_format(problem->arena,
                             "getting persistent volume \"%s\", persistentvolumes \"%s\" not found",
                             claim->spec.volume_name, claim->spec.volume_name);
            return NULL;
        }
        if (volume->spec.csi != NULL)
            return volume->spec.csi->driver;
        return volume->spec.aws_elastic_block_store != NULL ? "ebs.csi.aws.com" : NULL;
    }
    if (text_is_empty(claim->spec.storage_class_name))
        return NULL;
    const struct storage_class *class =
        map_get(problem->volumes.storage_classes, claim->spec.storage_class_name);
    return class == NULL || class->provisioner == NULL ? NULL : csi_name(class->provisioner);
}

static void add_use(struct problem *problem, struct pod_volumes *volumes,
                    const struct persistent_volume_claim *claim)
{
    const char *driver = driver_of(problem, claim, &volumes->limits_error);
    if (driver == NULL)
        return;
    char key[600];
    snprintf(key, sizeof key, "%s/%s", claim->meta.namespace, claim->meta.name);
    volumes->uses.items[volumes->uses.count++] = (struct volume_use){
        symbols_intern(problem->words, driver), symbols_intern(problem->words, key)};
}

// SCH-515: no two pods may use it, wherever they are.
static bool is_exclusive(const struct problem *problem, const struct persistent_volume_claim *claim)
{
    for (uint32_t i = 0; i < claim->spec.access_modes.count; i++)
        if (text_equal(claim->spec.access_modes.items[i], "ReadWriteOncePod"))
            return !problem->settings->compatibility_upstream;
    return false;
}

static void add_exclusive(struct problem *problem, struct pod_volumes *volumes,
                          const struct persistent_volume_claim *claim)
{
    if (!is_exclusive(problem, claim))
        return;
    char key[600];
    snprintf(key, sizeof key, "%s/%s", claim->meta.namespace, claim->meta.name);
    volumes->exclusive.items[volumes->exclusive.count++] = symbols_intern(problem->words, key);
}

const struct pod_volumes *volumes_of_pod(struct problem *problem, const struct pod *pod)
{
    struct pod_volumes *volumes = NULL;
    struct alternatives all = {0};
    struct text error = {0};
    list_for_each (volume, &pod->spec.volumes) {
        const char *name = claim_name(problem->arena, pod, volume);
        if (name == NULL)
            continue;
        if (volumes == NULL) {
            volumes = arena_allocate(problem->arena, sizeof *volumes);
            volumes->uses.items = arena_allocate_array(problem->arena, pod->spec.volumes.count,
                                                       sizeof *volumes->uses.items);
            volumes->exclusive.items = arena_allocate_array(problem->arena, pod->spec.volumes.count,
                                                            sizeof *volumes->exclusive.items);
        }
        const struct persistent_volume_claim *claim =
            find_claim(problem, pod->meta.namespace, name);
        if (claim != NULL) {
            add_use(problem, volumes, claim);
            add_exclusive(problem, volumes, claim);
        }
        if (error.length > 0)
            continue; // the first error is told; every claim counts (SCH-352)
        struct alternatives next = {0};
        if (claim == NULL)
            text_format(&error,
                        "discovering persistent volume claim, getting persistent volume claim, "
                        "persistentvolumeclaims \"%s\" not found (PersistentVolumeClaim=%s/%s)",
                        name, pod->meta.namespace, name);
        else if (alternatives_of_claim(problem, claim, &next, &error) &&
                 !cross(problem, &all, &next))
            text_add(&error, "the pod's volumes have too many topology alternatives");
    }
    if (volumes != NULL && error.length > 0)
        volumes->error = problem_copy(problem, &error);
    if (volumes != NULL && all.count > 0) {
        volumes->alternatives =
            arena_allocate_array(problem->arena, all.count, sizeof *volumes->alternatives);
        volumes->alternatives_count = all.count;
        for (uint32_t i = 0; i < all.count; i++)
            volumes->alternatives[i].set =
                problem_split_hostname(problem, all.sets[i], &volumes->alternatives[i].hostname);
    }
    return volumes;
}

// --- validation (SCH-341) ------------------------------------------------------------------------

static const char *refuse_bound(struct problem *problem,
                                const struct persistent_volume_claim *claim)
{
    const char *class =
        claim->spec.storage_class_name != NULL ? claim->spec.storage_class_name : "";
    const struct persistent_volume *volume =
        map_get(problem->volumes.items, claim->spec.volume_name);
    const char *what = NULL;
    if (volume == NULL)
        what = arena_format(problem->arena,
                            "failed to validate pvc, persistentvolumes \"%s\" not found",
                            claim->spec.volume_name);
    else if (volume->meta.deletion_timestamp != 0)
        what = "failed to validate pvc, persistentvolume is being deleted";
    if (what != NULL)
        return arena_format(
            problem->arena,
            "%s (PersistentVolume=%s, PersistentVolumeClaim=%s/%s, StorageClass=%s)", what,
            claim->spec.volume_name, claim->meta.namespace, claim->meta.name, class);
    static const char bound[] = "pv.kubernetes.io/bind-completed";
    if (string_map_get(&claim->meta.annotations, bound) == NULL)
        return arena_format(problem->arena,
                            "pvc is considered unbound because it does not contain annotation "
                            "(PersistentVolume=%s, PersistentVolumeClaim=%s/%s, annotation=%s)",
                            claim->spec.volume_name, claim->meta.namespace, claim->meta.name,
                            bound);
    return NULL;
}

static const char *refuse_unbound(struct problem *problem,
                                  const struct persistent_volume_claim *claim)
{
    const char *class_name = claim->spec.storage_class_name, *what = NULL;
    if (text_is_empty(class_name)) {
        class_name = "";
        what = "unbound pvc must define a storage class";
    } else {
        const struct storage_class *class = map_get(problem->volumes.storage_classes, class_name);
        if (class == NULL)
            what = arena_format(problem->arena,
                                "failed to validate pvc, failed to get storage class, "
                                "storageclasses.storage.k8s.io \"%s\" not found",
                                class_name);
        else if (text_equal(class->volume_binding_mode, "Immediate"))
            what = "failed to validate pvc, pvc with immediate volume binding mode must be bound";
    }
    if (what == NULL)
        return NULL;
    return arena_format(problem->arena, "%s (PersistentVolumeClaim=%s/%s, StorageClass=%s)", what,
                        claim->meta.namespace, claim->meta.name, class_name);
}

static const char *refuse_claim(struct problem *problem, const struct pod *pod, const char *name)
{
    const struct persistent_volume_claim *claim = find_claim(problem, pod->meta.namespace, name);
    if (claim == NULL)
        return arena_format(problem->arena,
                            "discovering persistent volume claim, getting persistent volume claim, "
                            "persistentvolumeclaims \"%s\" not found (PersistentVolumeClaim=%s/%s)",
                            name, pod->meta.namespace, name);
    if (claim->meta.deletion_timestamp != 0)
        return arena_format(problem->arena,
                            "persistentvolumeclaim is being deleted (PersistentVolumeClaim=%s/%s)",
                            claim->meta.namespace, name);
    if (text_equal(claim->status.phase, "Lost"))
        return arena_format(problem->arena,
                            "persistentvolumeclaim bound to non-existent persistentvolume "
                            "(PersistentVolume=%s, PersistentVolumeClaim=%s/%s)",
                            claim->spec.volume_name != NULL ? claim->spec.volume_name : "",
                            claim->meta.namespace, name);
    return !text_is_empty(claim->spec.volume_name) ? refuse_bound(problem, claim)
                                                   : refuse_unbound(problem, claim);
}

const char *volumes_validate(struct problem *problem, const struct pod *pod)
{
    list_for_each (volume, &pod->spec.volumes) {
        const char *name = claim_name(problem->arena, pod, volume);
        const char *why = name != NULL ? refuse_claim(problem, pod, name) : NULL;
        if (why != NULL)
            return why;
    }
    return NULL;
}

// --- limits of nodes (SCH-350 to SCH-353) --------------------------------------------------------

static void add_limits(struct problem *problem, struct schedulable_node *node)
{
    const struct csi_node *csi_node =
        node->state->node != NULL
            ? map_get(problem->volumes.csi_nodes, node->state->node->meta.name)
            : NULL;
    if (csi_node == NULL)
        return;
    node->volume_limits.items = arena_allocate_array(
        problem->arena, csi_node->spec.drivers.count + 1, sizeof *node->volume_limits.items);
    list_for_each (driver, &csi_node->spec.drivers) {
        if (driver->allocatable == NULL || driver->name == NULL)
            continue;
        __typeof__(node->volume_limits.items) limit =
            &node->volume_limits.items[node->volume_limits.count++];
        limit->driver = symbols_intern(problem->words, driver->name);
        limit->limit = driver->allocatable->count.present ? driver->allocatable->count.value : 0;
    }
}

void volumes_find_exclusive(struct problem *problem)
{
    bool any = problem->snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count > 0;
    for (uint32_t i = 0; any && i < problem->pods.bound_count; i++) {
        const struct pod *pod = problem->pods.bound[i].pod;
        list_for_each (volume, &pod->spec.volumes) {
            if (problem->pods.bound[i].aside != NULL)
                break;
            const char *name = claim_name(problem->arena, pod, volume);
            const struct persistent_volume_claim *claim =
                name != NULL ? find_claim(problem, pod->meta.namespace, name) : NULL;
            if (claim == NULL || !is_exclusive(problem, claim))
                continue;
            char key[600];
            snprintf(key, sizeof key, "%s/%s", claim->meta.namespace, claim->meta.name);
            vector_push(&problem->volumes.exclusive_uses,
                        (struct exclusive_use){i, symbols_intern(problem->words, key)});
        }
    }
}

// Volumes of pods that are set aside are not read.
static bool counts_volumes(const struct problem *problem, const struct schedulable_node *node,
                           uint32_t pod)
{
    return problem->pods.bound[node->state->running[pod]].aside == NULL;
}

void volumes_compile_node(struct problem *problem, struct schedulable_node *node)
{
    const struct state_node *state = node->state;
    add_limits(problem, node);
    uint32_t room = 0;
    for (uint32_t i = 0; node->volume_limits.count > 0 && i < state->pods.count; i++)
        if (counts_volumes(problem, node, i))
            room += state->pods.items[i]->spec.volumes.count;
    if (room == 0)
        return;
    node->volumes.items = arena_allocate_array(problem->arena, room, sizeof *node->volumes.items);
    for (uint32_t i = 0; i < state->pods.count; i++) {
        if (!counts_volumes(problem, node, i))
            continue;
        const struct pod_volumes *volumes = volumes_of_pod(problem, state->pods.items[i]);
        for (uint32_t u = 0; volumes != NULL && u < volumes->uses.count; u++)
            node->volumes.items[node->volumes.count++] = volumes->uses.items[u];
    }
}

static bool used_before(const struct volume_use *uses, uint32_t count, const struct volume_use *use)
{
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].driver == use->driver && uses[i].claim == use->claim)
            return true;
    return false;
}

static int64_t count_driver(const struct volume_use *used, uint32_t used_count,
                            const struct pod_volumes *asked, uint32_t driver)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < used_count; i++)
        count += used[i].driver == driver && !used_before(used, i, &used[i]);
    for (uint32_t i = 0; asked != NULL && i < asked->uses.count; i++) {
        const struct volume_use *use = &asked->uses.items[i];
        count += use->driver == driver && !used_before(used, used_count, use) &&
                 !used_before(asked->uses.items, i, use);
    }
    return count;
}

bool volumes_fit(struct problem *problem, const struct schedulable_node *node,
                 const struct volume_use *used, uint32_t used_count,
                 const struct pod_volumes *asked, struct text *why)
{
    list_for_each (limit, &node->volume_limits) {
        int64_t count = count_driver(used, used_count, asked, limit->driver);
        if (count <= limit->limit)
            continue;
        if (why != NULL)
            text_format(why,
                        "would exceed volume limit (provisioner=%s, volume-count=%" PRId64
                        ", volume-limit=%" PRId64 ")",
                        symbols_text(problem->words, limit->driver), count, limit->limit);
        return false;
    }
    return true;
}

// --- limits of new nodes (SCH-353) ---------------------------------------------------------------

// The driver that a resource such as attachable-volumes-csi-ebs.csi.aws.com counts, or NULL.
static const char *driver_of_resource(const char *name)
{
    static const char prefix[] = "attachable-volumes-csi-";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        return name + sizeof prefix - 1;
    return strcmp(name, "attachable-volumes-aws-ebs") == 0 ? "ebs.csi.aws.com" : NULL;
}

static int64_t *limits_of_driver(struct problem *problem, struct node_template *template,
                                 const char *name)
{
    uint32_t driver = symbols_intern(problem->words, name);
    for (uint32_t i = 0; i < template->volume_limits_count; i++)
        if (template->volume_limits[i].driver == driver)
            return template->volume_limits[i].by_row;
    uint32_t count = template->volume_limits_count++;
    struct row_volume_limit *grown = arena_allocate_array(problem->arena, count + 1, sizeof *grown);
    if (count > 0)
        memcpy(grown, template->volume_limits, count * sizeof *grown);
    template->volume_limits = grown;
    grown[count].driver = driver;
    grown[count].by_row =
        arena_allocate_array(problem->arena, template->table->count, sizeof(int64_t));
    for (uint32_t r = 0; r < template->table->count; r++)
        grown[count].by_row[r] = INT64_MAX;
    return grown[count].by_row;
}

static void learn_from_node(struct problem *problem, struct node_template *template,
                            const struct state_node *state)
{
    const struct csi_node *csi_node =
        state->node != NULL ? map_get(problem->volumes.csi_nodes, state->node->meta.name) : NULL;
    const char *type = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
    if (csi_node == NULL || type == NULL)
        return;
    list_for_each (driver, &csi_node->spec.drivers) {
        if (driver->name == NULL || driver->allocatable == NULL ||
            !driver->allocatable->count.present)
            continue;
        int64_t *limits = NULL;
        for (uint32_t r = 0; r < template->table->count; r++) {
            if (!text_equal(template->table->rows[r].type->name, type))
                continue;
            if (limits == NULL)
                limits = limits_of_driver(problem, template, driver->name);
            if (driver->allocatable->count.value < limits[r])
                limits[r] = driver->allocatable->count.value;
        }
    }
}

void volumes_limit_rows(struct problem *problem, struct node_template *template)
{
    if (problem->settings->compatibility_upstream)
        return;
    for (uint32_t r = 0; r < template->table->count; r++) {
        const struct row *row = &template->table->rows[r];
        list_for_each (entry, &row->type->capacity) {
            const char *driver = driver_of_resource(entry->name);
            uint32_t d = symbols_find(problem->dimensions.names, entry->name);
            if (driver != NULL && d < problem->dimensions.count)
                limits_of_driver(problem, template, driver)[r] = row->capacity[d];
        }
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        learn_from_node(problem, template, &problem->nodes.items[i]);
}

// Whether the pod brings a volume of the driver that is not there already.
static bool asks_driver(const struct volume_use *used, uint32_t used_count,
                        const struct pod_volumes *asked, uint32_t driver)
{
    for (uint32_t i = 0; asked != NULL && i < asked->uses.count; i++)
        if (asked->uses.items[i].driver == driver &&
            !used_before(used, used_count, &asked->uses.items[i]))
            return true;
    return false;
}

bool volumes_fit_rows(struct problem *problem, const struct node_template *template,
                      const struct volume_use *used, uint32_t used_count,
                      const struct pod_volumes *asked, struct bitset rows, struct text *why)
{
    bool cut_all = false;
    for (uint32_t i = 0; i < template->volume_limits_count; i++) {
        const struct row_volume_limit *limit = &template->volume_limits[i];
        if (!asks_driver(used, used_count, asked, limit->driver))
            continue;
        int64_t count = count_driver(used, used_count, asked, limit->driver), most = -1;
        bitset_for_each (r, rows)
            if (limit->by_row[r] < count) {
                bitset_clear(rows, r);
                most = limit->by_row[r] > most ? limit->by_row[r] : most;
            }
        cut_all = cut_all || (most >= 0 && bitset_empty(rows));
        if (most >= 0 && why != NULL) {
            text_clear(why);
            text_format(why,
                        "would exceed volume limit (provisioner=%s, volume-count=%" PRId64
                        ", volume-limit=%" PRId64 ")",
                        symbols_text(problem->words, limit->driver), count, most);
        }
    }
    return !cut_all;
}
