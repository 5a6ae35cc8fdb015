// Families, aliases, default devices, ephemeral storage: AWN-4, 210 to 212, 220, 704; AWI-97.
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/families/block_devices.h"
#include "cloud/aws/families/helpers.h"

#define GIB (INT64_C(1) << 30)

static void test_effective_family(void **state) // AWN-4, AWI-97
{
    static const struct {
        const char *spec;
        enum ami_family family;
    } cases[] = {
        {"{amiFamily: AL2}", AMI_FAMILY_AL2},
        {"{amiFamily: AL2023}", AMI_FAMILY_AL2023},
        {"{amiFamily: Bottlerocket}", AMI_FAMILY_BOTTLEROCKET},
        {"{amiFamily: Windows2019}", AMI_FAMILY_WINDOWS_2019},
        {"{amiFamily: Windows2022}", AMI_FAMILY_WINDOWS_2022},
        {"{amiFamily: Windows2025}", AMI_FAMILY_WINDOWS_2025},
        {"{amiFamily: Custom}", AMI_FAMILY_CUSTOM},
        {"{amiFamily: Ubuntu}", AMI_FAMILY_AL2},
        {"{amiSelectorTerms: [{alias: windows2025@latest}]}", AMI_FAMILY_WINDOWS_2025},
        {"{amiSelectorTerms: [{alias: al2@v20260101}]}", AMI_FAMILY_AL2},
        {"{amiSelectorTerms: [{alias: AL2023@latest}]}", AMI_FAMILY_CUSTOM},
        {"{amiSelectorTerms: [{alias: al2023}]}", AMI_FAMILY_CUSTOM},
        {"{amiSelectorTerms: [{id: ami-1}]}", AMI_FAMILY_CUSTOM},
        {"{amiFamily: Custom, amiSelectorTerms: [{alias: al2023@latest}]}", AMI_FAMILY_CUSTOM},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct ec2_node_class *node_class = node_class_of_spec(cases[i].spec);
        if (ami_family_of(node_class) != cases[i].family)
            fail_msg("%s: %d", cases[i].spec, ami_family_of(node_class));
        object_release((struct object *)node_class);
    }
}

static void test_alias(void **state) // AWN-4
{
    struct ami_alias alias;
    struct ec2_node_class *node_class =
        node_class_of_spec("{amiSelectorTerms: [{alias: bottlerocket@v1.50.0}]}");
    (void)state;
    assert_true(ami_alias_of(node_class, &alias));
    assert_int_equal(alias.family, AMI_FAMILY_BOTTLEROCKET);
    assert_string_equal(alias.version, "v1.50.0");
    object_release((struct object *)node_class);
}

static void test_facts(void **state) // AWN-210
{
    (void)state;
    assert_true(ami_family_facts(AMI_FAMILY_AL2023)->any_kubelet_field);
    assert_false(ami_family_facts(AMI_FAMILY_AL2)->any_kubelet_field);
    assert_false(ami_family_facts(AMI_FAMILY_BOTTLEROCKET)->pods_per_core);
    assert_false(ami_family_facts(AMI_FAMILY_BOTTLEROCKET)->eni_limited_memory_overhead);
    assert_true(ami_family_facts(AMI_FAMILY_BOTTLEROCKET)->eni_limited_pods);
    assert_false(ami_family_facts(AMI_FAMILY_WINDOWS_2022)->eni_limited_pods);
    assert_string_equal(ami_family_facts(AMI_FAMILY_WINDOWS_2022)->windows_build, "10.0.20348");
    assert_true(ami_family_facts(AMI_FAMILY_CUSTOM)->eni_limited_memory_overhead);
}

static void test_ephemeral_storage(void **state) // AWN-212
{
    static const struct {
        const char *spec;
        int64_t store_gb, bytes;
    } cases[] = {
        {"{amiFamily: AL2023}", 0, 20 * GIB},
        {"{amiFamily: AL2023}", 75, 20 * GIB},
        {"{amiFamily: AL2023, instanceStorePolicy: RAID0}", 75, INT64_C(75000000000)},
        {"{amiFamily: AL2023, instanceStorePolicy: RAID0}", 0, 20 * GIB},
        {"{amiFamily: Bottlerocket}", 0, 20 * GIB},
        {"{amiFamily: Windows2022}", 0, 50 * GIB},
        {"{amiFamily: Custom}", 0, 20 * GIB},
        {"{amiFamily: AL2023, blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: "
         "30Gi}}, {deviceName: /dev/xvdb, ebs: {volumeSize: 40Gi}, rootVolume: true}]}",
         0, 40 * GIB},
        {"{amiFamily: AL2023, blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: "
         "30Gi}}, {deviceName: /dev/xvdb, rootVolume: true}]}",
         0, 30 * GIB},
        {"{amiFamily: AL2023, blockDeviceMappings: [{deviceName: /dev/sdf, ebs: {volumeSize: "
         "30Gi}}]}",
         0, 20 * GIB},
        {"{amiFamily: Bottlerocket, blockDeviceMappings: [{deviceName: /dev/xvda, ebs: "
         "{volumeSize: 30Gi}}, {deviceName: /dev/xvdb, ebs: {volumeSize: 200G}}]}",
         0, INT64_C(200000000000)},
        {"{amiFamily: Custom, blockDeviceMappings: [{deviceName: /dev/sda, ebs: {volumeSize: "
         "30Gi}}, {deviceName: /dev/sdb, ebs: {volumeSize: 60Gi}}]}",
         0, 60 * GIB},
        {"{amiFamily: Custom, blockDeviceMappings: [{deviceName: /dev/sda, ebs: {volumeSize: "
         "30Gi}}, {deviceName: /dev/sdb, ebs: {snapshotID: snap-1}}]}",
         0, 20 * GIB},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct ec2_node_class *node_class = node_class_of_spec(cases[i].spec);
        int64_t bytes = ami_family_ephemeral_bytes(node_class, cases[i].store_gb);
        if (bytes != cases[i].bytes)
            fail_msg("%s: %lld", cases[i].spec, (long long)bytes);
        object_release((struct object *)node_class);
    }
}

static void test_incomplete_devices(void **state) // AWN-704
{
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"{blockDeviceMappings: [{deviceName: /dev/xvda}]}",
         "spec.blockDeviceMappings[0] (/dev/xvda) has no ebs"},
        {"{blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 1Gi}}, {ebs: "
         "{volumeSize: 1Gi}}]}",
         "spec.blockDeviceMappings[1] has no deviceName"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct ec2_node_class *node_class = node_class_of_spec(cases[i].spec);
        struct error error = {0};
        assert_false(block_devices_check(node_class, &error));
        assert_non_null(strstr(error.message, cases[i].message));
        json_t *devices = block_devices_json(node_class);
        assert_int_equal(json_array_size(devices), i); // the incomplete one is left out
        json_decref(devices);
        object_release((struct object *)node_class);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_effective_family),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_ephemeral_storage),
        cmocka_unit_test(test_incomplete_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
