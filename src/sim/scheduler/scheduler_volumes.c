#include "sim/scheduler/scheduler_volumes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/schema/karpenter.h"
#include "sim/scheduler/scheduler_internal.h"
#include "sim/scheduler/scheduler_node_affinity.h"

#define DRIVER_EBS "ebs.csi.aws.com"

static bool resolve(struct filter_state *state, const struct volume *volume,
                    struct claim_state *out);
static bool volume_matches_node(const struct persistent_volume *volume, const struct node *node);
static bool zones_match(const struct persistent_volume *volume, const struct node *node);
static bool can_be_bound(const struct filter_state *state, const struct claim_state *claim,
                         const struct node *node);
static bool within_limits(const struct filter_state *state, const struct filter_node *node);
static bool in_exclusive_use(const struct filter_state *state,
                             const struct persistent_volume_claim *claim);

void volumes_prepare(struct filter_state *state)
{
    const struct pod_spec *spec = &state->pod->spec;
    if (!state->self->has_claims)
        return;
    uint32_t count = spec->volumes.count;
    state->claims = arena_allocate_array(state->arena, count, sizeof *state->claims);
    state->delayed = arena_allocate_array(state->arena, count, sizeof *state->delayed);
    list_for_each (volume, &spec->volumes) {
        if (volume->persistent_volume_claim == NULL && volume->ephemeral == NULL)
            continue;
        struct claim_state *claim = &state->claims[state->claims_count];
        if (!resolve(state, volume, claim))
            return;
        state->claims_count++;
        if (claim->delayed)
            state->delayed[state->delayed_count++] = claim->claim;
    }
}

uint32_t filter_delayed_claims(const struct filter_state *state,
                               const struct persistent_volume_claim *const **claims)
{
    *claims = state->delayed;
    return state->delayed_count;
}

PRINTF_LIKE(2, 3)
static bool refuse(struct filter_state *state, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    state->refusal = arena_copy_string(state->arena, text);
    return false;
}

static bool is_delayed(const struct storage_class *class)
{
    return class != NULL && text_equal(class->volume_binding_mode, "WaitForFirstConsumer");
}

static bool resolve(struct filter_state *state, const struct volume *volume,
                    struct claim_state *out)
{
    const struct pod *pod = state->pod;
    bool ephemeral = volume->ephemeral != NULL;
    const char *name = ephemeral ? arena_format(state->arena, "%s-%s", pod->meta.name, volume->name)
                                 : volume->persistent_volume_claim->claim_name;
    if (name == NULL)
        name = "";
    const struct persistent_volume_claim *claim =
        filter_object(state->cluster->claims, pod->meta.namespace, name);
    if (claim == NULL && ephemeral)
        return refuse(state,
                      "waiting for ephemeral volume controller to create the persistentvolumeclaim "
                      "\"%s\"",
                      name);
    if (claim == NULL)
        return refuse(state, "persistentvolumeclaim \"%s\" not found", name);
    if (claim->meta.deletion_timestamp != 0)
        return refuse(state, "persistentvolumeclaim \"%s\" is being deleted", name);
    if (text_equal(claim->status.phase, "Lost"))
        return refuse(state, "persistentvolumeclaim \"%s\" bound to non-existent persistentvolume",
                      name);
    *out = (struct claim_state){.claim = claim};
    const char *class_name = claim->spec.storage_class_name;
    if (class_name != NULL && class_name[0] != '\0')
        out->storage_class = filter_object(state->cluster->storage_classes, NULL, class_name);
    if (claim->spec.volume_name != NULL && claim->spec.volume_name[0] != '\0') {
        out->volume = filter_object(state->cluster->volumes, NULL, claim->spec.volume_name);
        return true;
    }
    out->delayed = is_delayed(out->storage_class);
    return out->delayed || refuse(state, "pod has unbound immediate PersistentVolumeClaims");
}

bool volumes_filter(const struct filter_state *state, const struct filter_node *node,
                    struct filter_tally *tally)
{
    if (state->claims_count == 0)
        return true;
    for (uint32_t i = 0; i < state->claims_count; i++)
        if (in_exclusive_use(state, state->claims[i].claim))
            return tally_add(tally, FILTER_CLAIM_IN_USE);
    if (!within_limits(state, node))
        return tally_add(tally, FILTER_VOLUME_COUNT);
    for (uint32_t i = 0; i < state->claims_count; i++) {
        const struct claim_state *claim = &state->claims[i];
        if (claim->delayed) {
            if (!can_be_bound(state, claim, node->node))
                return tally_add(tally, FILTER_VOLUME_BINDING);
        } else if (claim->volume == NULL) {
            return tally_add(tally, FILTER_VOLUME_MISSING);
        } else if (!volume_matches_node(claim->volume, node->node)) {
            return tally_add(tally, FILTER_VOLUME_AFFINITY);
        } else if (!zones_match(claim->volume, node->node)) {
            return tally_add(tally, FILTER_VOLUME_ZONE);
        }
    }
    return true;
}

static bool in_exclusive_use(const struct filter_state *state,
                             const struct persistent_volume_claim *claim)
{
    return string_list_has(&claim->spec.access_modes, "ReadWriteOncePod") &&
           filter_object(state->cluster->claim_uses, claim->meta.namespace, claim->meta.name) !=
               NULL;
}

static bool volume_matches_node(const struct persistent_volume *volume, const struct node *node)
{
    return volume->spec.node_affinity == NULL || volume->spec.node_affinity->required == NULL ||
           filter_node_terms_match(&volume->spec.node_affinity->required->node_selector_terms,
                                   node);
}

// Zone labels of a volume: one value, or several joined by "__".
static bool zones_match(const struct persistent_volume *volume, const struct node *node)
{
    static const char *const keys[] = {LABEL_ZONE, LABEL_REGION};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        const char *zones = string_map_get(&volume->meta.labels, keys[i]);
        const char *zone = string_map_get(&node->meta.labels, keys[i]);
        if (zones == NULL)
            continue;
        if (zone == NULL)
            return false;
        size_t length = strlen(zone);
        bool found = false;
        for (const char *part = zones; part != NULL && !found;) {
            const char *end = strstr(part, "__");
            size_t part_length = end == NULL ? strlen(part) : (size_t)(end - part);
            found = part_length == length && memcmp(part, zone, length) == 0;
            part = end == NULL ? NULL : end + 2;
        }
        if (!found)
            return false;
    }
    return true;
}

static bool topology_allowed(const struct storage_class *class, const struct node *node)
{
    if (class->allowed_topologies.count == 0)
        return true;
    list_for_each (term, &class->allowed_topologies) {
        bool matches = true;
        list_for_each (label, &term->match_label_expressions) {
            const char *value = string_map_get(&node->meta.labels, label->key);
            matches &= value != NULL && string_list_has(&label->values, value);
        }
        if (matches)
            return true;
    }
    return false;
}

static bool offers(const struct persistent_volume *volume, const struct claim_state *claim)
{
    if (volume->spec.claim_ref != NULL || volume->meta.deletion_timestamp != 0 ||
        !text_equal(volume->spec.storage_class_name, claim->claim->spec.storage_class_name))
        return false;
    list_for_each (mode, &claim->claim->spec.access_modes) {
        if (!string_list_has(&volume->spec.access_modes, *mode))
            return false;
    }
    return true;
}

// Whether a volume is free for the claim, or a provisioner can create one there.
static bool can_be_bound(const struct filter_state *state, const struct claim_state *claim,
                         const struct node *node)
{
    for (struct map_entry *e = map_first(state->cluster->volumes); e != NULL; e = map_next(e)) {
        const struct persistent_volume *volume = map_value(e);
        if (offers(volume, claim) && volume_matches_node(volume, node))
            return true;
    }
    const char *provisioner = claim->storage_class->provisioner;
    return provisioner != NULL && strcmp(provisioner, "kubernetes.io/no-provisioner") != 0 &&
           topology_allowed(claim->storage_class, node);
}

// --- attach limits -------------------------------------------------------------------------------

struct attachment { // a volume by its driver's handle
    const char *driver, *handle;
};

static struct attachment attachment_of(const struct filter_state *state,
                                       const struct persistent_volume_claim *claim)
{
    struct attachment attachment = {0};
    const struct persistent_volume *volume =
        claim->spec.volume_name == NULL
            ? NULL
            : filter_object(state->cluster->volumes, NULL, claim->spec.volume_name);
    if (volume != NULL && volume->spec.csi != NULL)
        return (struct attachment){volume->spec.csi->driver, volume->spec.csi->volume_handle};
    if (volume != NULL && volume->spec.aws_elastic_block_store != NULL)
        return (struct attachment){DRIVER_EBS, volume->spec.aws_elastic_block_store->volume_id};
    if (volume != NULL || claim->spec.storage_class_name == NULL)
        return attachment;
    const struct storage_class *class =
        filter_object(state->cluster->storage_classes, NULL, claim->spec.storage_class_name);
    if (class == NULL)
        return attachment;
    bool in_tree = text_equal(class->provisioner, "kubernetes.io/aws-ebs");
    attachment.driver = in_tree ? DRIVER_EBS : class->provisioner;
    attachment.handle =
        arena_format(state->arena, "%s/%s", claim->meta.namespace, claim->meta.name);
    return attachment;
}

static void add_unique(struct map *attachments, const struct attachment *attachment,
                       const char *driver)
{
    if (attachment->driver == NULL || attachment->handle == NULL ||
        strcmp(attachment->driver, driver) != 0)
        return;
    if (map_get(attachments, attachment->handle) == NULL)
        map_set(attachments, attachment->handle, (void *)attachment->driver);
}

static void add_attachments_of(const struct filter_state *state, const struct pod *pod,
                               const char *driver, struct map *attachments)
{
    list_for_each (volume, &pod->spec.volumes) {
        const char *name = NULL;
        if (volume->persistent_volume_claim != NULL)
            name = volume->persistent_volume_claim->claim_name;
        else if (volume->ephemeral != NULL)
            name = arena_format(state->arena, "%s-%s", pod->meta.name, volume->name);
        const struct persistent_volume_claim *claim =
            name == NULL ? NULL : filter_object(state->cluster->claims, pod->meta.namespace, name);
        if (claim == NULL)
            continue;
        struct attachment attachment = attachment_of(state, claim);
        add_unique(attachments, &attachment, driver);
    }
}

static bool within_limit_of(const struct filter_state *state, const struct filter_node *node,
                            const struct csi_node_driver *driver)
{
    struct map *attachments = map_create();
    for (const struct filter_pod *pod = node->first; pod != NULL; pod = pod->next)
        if (pod->has_claims)
            add_attachments_of(state, pod->pod, driver->name, attachments);
    size_t before = map_count(attachments);
    add_attachments_of(state, state->pod, driver->name, attachments);
    size_t after = map_count(attachments);
    map_destroy(attachments, NULL);
    return after == before || (int64_t)after <= driver->allocatable->count.value;
}

static bool within_limits(const struct filter_state *state, const struct filter_node *node)
{
    const struct csi_node *csi_node = filter_object(state->cluster->csi_nodes, NULL, node->name);
    if (csi_node == NULL)
        return true;
    list_for_each (driver, &csi_node->spec.drivers) {
        if (driver->name != NULL && driver->allocatable != NULL &&
            driver->allocatable->count.present && !within_limit_of(state, node, driver))
            return false;
    }
    return true;
}
