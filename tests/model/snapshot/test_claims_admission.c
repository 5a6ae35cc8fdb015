// PersistentVolumeClaims that no API server has seen: SCH-330 to 343 ask how they are bound.
#include "model/helpers.h"

#include "base/text.h"
#include "model/snapshot/claims_admission.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

static struct snapshot *admitted(const char *text, struct text *remarks)
{
    struct snapshot *snapshot = snapshot_create();
    struct error error = {0};
    if (!snapshot_read_text(snapshot, text, strlen(text), "in.yaml", false, &error) ||
        !snapshot_complete(snapshot, &error))
        fail_msg("%s", error.message);
    claims_admit(snapshot, remarks);
    return snapshot;
}

static const struct persistent_volume_claim *claim_of(const struct snapshot *snapshot,
                                                      const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count; i++)
        if (strcmp(snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].items[i]->meta.name, name) == 0)
            return (const struct persistent_volume_claim *)snapshot
                ->objects[KIND_PERSISTENT_VOLUME_CLAIM]
                .items[i];
    fail_msg("no claim %s", name);
    return NULL;
}

static const struct object *named(const struct snapshot *snapshot, enum kind_id kind,
                                  const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
        if (strcmp(snapshot->objects[kind].items[i]->meta.name, name) == 0)
            return snapshot->objects[kind].items[i];
    return NULL;
}

#define CLASS(name, more) \
    "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name more "}\n"
#define DEFAULT ", annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}"
#define WAITS   "}, provisioner: ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer"
#define CLAIM(name, spec)                                                                   \
    "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name "}, spec: " \
    "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}" spec "}}\n"
#define VOLUME(name, size, spec)                                                                \
    "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: " name                      \
    ", labels: {disk: " name                                                                    \
    "}}, spec: {accessModes: [ReadWriteOnce, ReadOnlyMany], capacity: {storage: " size "}" spec \
    "}}\n"

// The newest default class; what says "" has none.
static void the_default_class_is_taken_SCH_341(void **state)
{
    (void)state;
    struct text remarks = {0};
    struct snapshot *snapshot =
        admitted(CLASS("b", DEFAULT WAITS) CLASS("a", DEFAULT WAITS) CLASS("other", WAITS)
                     CLASS("newest", ", creationTimestamp: \"2026-01-01T00:00:00Z\"" DEFAULT WAITS)
                         CLAIM("plain", "") CLAIM("own", ", storageClassName: other")
                             CLAIM("none", ", storageClassName: \"\""),
                 &remarks);
    assert_string_equal(claim_of(snapshot, "plain")->spec.storage_class_name, "newest");
    assert_string_equal(claim_of(snapshot, "own")->spec.storage_class_name, "other");
    assert_string_equal(claim_of(snapshot, "none")->spec.storage_class_name, "");
    assert_int_equal(remarks.length, 0);
    snapshot_destroy(snapshot);
    snapshot = admitted(CLASS("b", WAITS) CLASS("a", DEFAULT WAITS) CLASS("c", DEFAULT WAITS)
                            CLAIM("plain", ""),
                        &remarks);
    assert_string_equal(claim_of(snapshot, "plain")->spec.storage_class_name, "a");
    snapshot_destroy(snapshot);
    snapshot = admitted(CLASS("b", WAITS) CLAIM("plain", ""), &remarks);
    assert_null(claim_of(snapshot, "plain")->spec.storage_class_name);
    assert_non_null(
        strstr(remarks.data, "\n1 claim has no storageClassName, and no StorageClass "));
    snapshot_destroy(snapshot);
    text_free(&remarks);
}

// Those of a cluster are as the cluster has them.
static void claims_of_a_cluster_stay_SCH_341(void **state)
{
    (void)state;
    struct text remarks = {0};
    struct snapshot *snapshot = admitted(
        CLASS("a", DEFAULT WAITS) "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: "
                                  "{name: old, creationTimestamp: \"2026-01-01T00:00:00Z\"}}\n",
        &remarks);
    assert_null(claim_of(snapshot, "old")->spec.storage_class_name);
    assert_int_equal(remarks.length, 0);
    snapshot_destroy(snapshot);
}

static void assert_bound(const struct snapshot *snapshot, const char *name, const char *volume)
{
    const struct persistent_volume_claim *claim = claim_of(snapshot, name);
    const char *bound = string_map_get(&claim->meta.annotations, "pv.kubernetes.io/bind-completed");
    assert_true((bound != NULL) == (volume != NULL));
    if (volume != NULL)
        assert_string_equal(claim->spec.volume_name, volume);
}

static void claims_are_bound_to_volumes_of_the_input_SCH_331(void **state)
{
    (void)state;
    struct text remarks = {0};
    struct snapshot *snapshot = admitted(
        CLASS("local", "}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: "
                       "WaitForFirstConsumer") VOLUME("big", "50Gi", "") VOLUME("fits", "10Gi", "")
            VOLUME("small", "5Gi", "")
                VOLUME("kept", "10Gi", ", claimRef: {namespace: default, name: reserved}")
                    VOLUME("disk", "90Gi", ", storageClassName: local")
                        VOLUME("labelled", "70Gi", "") VOLUME("zonal", "99Gi", "")
        // In the order of their names; the best of what is left.
        CLAIM("a", ", storageClassName: \"\"") CLAIM("b", ", storageClassName: \"\"")
            CLAIM("by-label", ", storageClassName: \"\", selector: {matchLabels: {disk: labelled}}")
                CLAIM("by-name", ", storageClassName: \"\", volumeName: zonal")
                    CLAIM("reserved", ", storageClassName: \"\"")
                        CLAIM("of-class", ", storageClassName: local")
                            CLAIM("zz", ", storageClassName: local") // none is left
        CLAIM("wrong", ", storageClassName: local, volumeName: small"),
        &remarks);
    assert_bound(snapshot, "a", "fits");
    assert_bound(snapshot, "b", "big");
    assert_bound(snapshot, "by-label", "labelled");
    assert_bound(snapshot, "by-name", "zonal");
    assert_bound(snapshot, "reserved", "kept");
    assert_bound(snapshot, "of-class", "disk");
    assert_bound(snapshot, "zz", NULL);
    assert_bound(snapshot, "wrong", NULL);
    assert_string_equal(remarks.data,
                        "\nPersistentVolumeClaim default/wrong is not bound to "
                        "PersistentVolume small: their storageClassName does not fit");
    snapshot_destroy(snapshot);
    text_free(&remarks);
}

#define POD(name, spec)                                       \
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name \
    "}, spec: {containers: [{name: c}], "                     \
    "volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {" spec "}}}}]}}\n"

static void ephemeral_volumes_have_their_claims_SCH_343(void **state)
{
    (void)state;
    struct text remarks = {0};
    struct snapshot *snapshot =
        admitted(CLASS("a", DEFAULT WAITS) POD("p", "accessModes: [ReadWriteOncePod]")
                     POD("q", "storageClassName: a") CLAIM("q-scratch", ", volumeName: x"),
                 &remarks);
    assert_string_equal(claim_of(snapshot, "p-scratch")->spec.storage_class_name, "a");
    assert_string_equal(claim_of(snapshot, "p-scratch")->spec.access_modes.items[0],
                        "ReadWriteOncePod");
    assert_string_equal(claim_of(snapshot, "q-scratch")->spec.volume_name, "x"); // it was there
    assert_int_equal(snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM].count, 2);
    snapshot_destroy(snapshot);
}

// A provisioner makes the volume before the pod has a place (SCH-331, 333).
static void immediate_classes_make_volumes_where_they_may_SCH_341(void **state)
{
    (void)state;
    struct text remarks = {0};
    struct snapshot *snapshot = admitted(
        CLASS("now", "}, provisioner: ebs.csi.aws.com, allowedTopologies: [{matchLabelExpressions: "
                     "[{key: topology.kubernetes.io/zone, values: [zone-b]}]}]")
            CLAIM("a", ", storageClassName: now"),
        &remarks);
    const struct persistent_volume_claim *claim = claim_of(snapshot, "a");
    assert_bound(snapshot, "a", claim->spec.volume_name);
    const struct persistent_volume *volume = (const struct persistent_volume *)named(
        snapshot, KIND_PERSISTENT_VOLUME, claim->spec.volume_name);
    assert_string_equal(volume->spec.csi->driver, "ebs.csi.aws.com");
    const node_selector_term_list *terms =
        &volume->spec.node_affinity->required->node_selector_terms;
    assert_int_equal(terms->count, 1);
    assert_string_equal(terms->items[0].match_expressions.items[0].values.items[0], "zone-b");
    assert_non_null(strstr(remarks.data, "StorageClass now makes volumes before pods are placed"));
    snapshot_destroy(snapshot);
    text_free(&remarks);
}

static void without_any_class_some_are_taken_SCH_341(void **state)
{
    (void)state;
    struct text remarks = {0};
    struct snapshot *snapshot =
        admitted(CLAIM("a", "") CLAIM("b", ", storageClassName: gp3") CLAIM("c", "")
                     CLAIM("d", ", storageClassName: efs") CLAIM("e", ", storageClassName: \"\""),
                 &remarks);
    const struct storage_class *taken =
        (const struct storage_class *)named(snapshot, KIND_STORAGE_CLASS, "gp3");
    assert_string_equal(taken->provisioner, "ebs.csi.aws.com");
    assert_string_equal(taken->volume_binding_mode, "WaitForFirstConsumer");
    assert_non_null(
        named(snapshot, KIND_STORAGE_CLASS, claim_of(snapshot, "a")->spec.storage_class_name));
    assert_string_equal(claim_of(snapshot, "e")->spec.storage_class_name, "");
    assert_string_equal(
        remarks.data,
        "\nStorageClass efs, of 1 claim, is not in the input (taken: volumes that are made where "
        "the pod goes)"
        "\nStorageClass gp3, of 1 claim, is not in the input (taken: volumes of EBS that are made "
        "where the pod goes)"
        "\nthe default StorageClass, of 2 claims, is not in the input (taken: volumes of EBS that "
        "are made where the pod goes)");
    text_clear(&remarks);
    claims_admit(snapshot, &remarks); // again, as for an edit: nothing new
    assert_non_null(strstr(remarks.data, "StorageClass efs, of 1 claim"));
    assert_int_equal(snapshot->objects[KIND_STORAGE_CLASS].count, 3);
    snapshot_destroy(snapshot);
    snapshot = admitted(CLASS("a", WAITS) CLAIM("b", ", storageClassName: gp3"), &remarks);
    assert_null(named(snapshot, KIND_STORAGE_CLASS, "gp3")); // the reason of the pod names it
    snapshot_destroy(snapshot);
    text_free(&remarks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_class_is_taken_SCH_341),
        cmocka_unit_test(claims_of_a_cluster_stay_SCH_341),
        cmocka_unit_test(claims_are_bound_to_volumes_of_the_input_SCH_331),
        cmocka_unit_test(ephemeral_volumes_have_their_claims_SCH_343),
        cmocka_unit_test(immediate_classes_make_volumes_where_they_may_SCH_341),
        cmocka_unit_test(without_any_class_some_are_taken_SCH_341),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
