#include "engine/problem/volumes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/problem/volume_alternatives.h"
#include "engine/problem/volume_claims.h"

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

// NULL: its volumes are not counted. Sets *error if the volume of a bound claim cannot be read.
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

// SCH-515: only one pod in the cluster may use the claim.
static bool is_exclusive(const struct problem *problem, const struct persistent_volume_claim *claim)
{
    for (uint32_t i = 0; i < claim->spec.access_modes.count; i++)
        if (text_equal(claim->spec.access_modes.items[i], "ReadWriteOncePod"))
            return problem->strategy->filters_as_scheduler;
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
    struct volume_alternatives all = {0};
    struct text error = {0};
    list_for_each (volume, &pod->spec.volumes) {
        const char *name = volume_claim_name(problem->arena, pod, volume);
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
            volume_claim_find(problem, pod->meta.namespace, name);
        if (claim != NULL) {
            add_use(problem, volumes, claim);
            add_exclusive(problem, volumes, claim);
        }
        if (error.length > 0)
            continue; // the first error is reported; every claim counts (SCH-352)
        struct volume_alternatives next = {0};
        if (claim == NULL)
            text_format(&error,
                        "discovering persistent volume claim, getting persistent volume claim, "
                        "persistentvolumeclaims \"%s\" not found (PersistentVolumeClaim=%s/%s)",
                        name, pod->meta.namespace, name);
        else if (volume_alternatives_of(problem, claim, &next, &error) &&
                 !volume_alternatives_cross(problem, &all, &next))
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
    assert(volumes == NULL || volumes->uses.count <= pod->spec.volumes.count);
    assert(volumes == NULL || volumes->exclusive.count <= pod->spec.volumes.count);
    return volumes;
}

void volumes_find_exclusive(struct problem *problem)
{
    bool any = problem->snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count > 0;
    for (uint32_t i = 0; any && i < problem->pods.bound_count; i++) {
        const struct pod *pod = problem->pods.bound[i].pod;
        list_for_each (volume, &pod->spec.volumes) {
            if (problem->pods.bound[i].aside != NULL)
                break;
            const char *name = volume_claim_name(problem->arena, pod, volume);
            const struct persistent_volume_claim *claim =
                name != NULL ? volume_claim_find(problem, pod->meta.namespace, name) : NULL;
            if (claim == NULL || !is_exclusive(problem, claim))
                continue;
            char key[600];
            snprintf(key, sizeof key, "%s/%s", claim->meta.namespace, claim->meta.name);
            vector_push(&problem->volumes.exclusive_uses,
                        (struct exclusive_use){i, symbols_intern(problem->words, key)});
        }
    }
}
