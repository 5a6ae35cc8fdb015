// User data beyond the recorded launches: AWN-236 to 239, 275 to 316, 708 to 712.
#include "base/text.h"
#include "cloud/aws/families/helpers.h"
#include "cloud/aws/families/mime.h"

struct input { // of a rendering
    const char *spec, *user_data;
    const char *kubelet;
    struct cluster_facts *cluster; // NULL: the usual one
    taint_list *taints;
    struct string_map labels;
    bool no_capacity_type, compatibility;
    const char *version; // name of an image in the status
};

// The user data; the error's text if there is none. The caller frees it.
static char *render(const struct input *input)
{
    struct cluster_facts usual = {
        .name = "c1",
        .endpoint = "https://e1",
        .ca_bundle = "Q0E=",
        .cidr = "10.100.0.0/16",
        .kube_dns = "10.0.0.10",
    };
    struct arena *arena = arena_create(4096);
    struct error error = {0};
    struct ec2_node_class *object = node_class_of_spec(input->spec);
    struct ec2_node_class node_class = *object;
    struct ec2_ami ami = {.id = "ami-1", .name = input->version};
    struct kubelet_config kubelet;
    struct kubelet_values values;
    const struct kubelet_variables variables = {.vcpus = 2, .max_pods = 29};
    if (input->user_data != NULL)
        node_class.spec.user_data = input->user_data;
    if (input->version != NULL) {
        node_class.status.amis.items = &ami;
        node_class.status.amis.count = 1;
    }
    assert_true(kubelet_config_read(&kubelet, arena, input->kubelet, &error));
    assert_true(kubelet_resolve(&kubelet, &variables, false, arena, &values, &error));
    const struct user_data_options options = {
        .node_class = &node_class,
        .cluster = input->cluster != NULL ? input->cluster : &usual,
        .kubelet = &kubelet,
        .values = &values,
        .max_pods = 29,
        .labels = input->labels,
        .capacity_type = input->no_capacity_type ? NULL : "spot",
        .taints = input->taints,
        .compatibility_upstream = input->compatibility,
    };
    const char *text = user_data_render(&options, arena, &error);
    char *copy = memory_copy_string(text != NULL ? text : error.message);
    kubelet_config_free(&kubelet);
    object_release((struct object *)object);
    arena_destroy(arena);
    return copy;
}

#define assert_renders(part, ...)                                  \
    do {                                                           \
        const struct input input_ = {__VA_ARGS__};                 \
        CLEANUP_FREE char *text_ = render(&input_);                \
        if (strstr(text_, part) == NULL)                           \
            fail_msg("%s\n--- does not contain\n%s", text_, part); \
    } while (0)
#define assert_lacks(part, ...)                            \
    do {                                                   \
        const struct input input_ = {__VA_ARGS__};         \
        CLEANUP_FREE char *text_ = render(&input_);        \
        if (strstr(text_, part) != NULL)                   \
            fail_msg("%s\n--- contains\n%s", text_, part); \
    } while (0)

#define AL2    "{amiFamily: AL2}"
#define AL2023 "{amiFamily: AL2023}"
#define BOTTLE "{amiFamily: Bottlerocket}"

static void test_labels(void **state) // AWN-238
{
    struct string_pair pairs[] = {
        {"a.k8s.io/x", "1"},
        {"a.node-restriction.kubernetes.io/x", "1"},
        {"empty", ""},
        {"example.com/tier", "a"},
        {"k8s.io/x", "1"},
        {"karpenter.k8s.aws/ec2nodeclass", "web"},
        {"kubernetes.io/os", "1"},
        {"notk8s.io/x", "1"},
        {"topology.kubernetes.io/zone", "1"},
    };
    (void)state;
    assert_renders("--node-labels=\"empty=,example.com/tier=a,karpenter.k8s.aws/ec2nodeclass=web,"
                   "karpenter.sh/capacity-type=spot,karpenter.sh/do-not-sync-taints=true,"
                   "notk8s.io/x=1\" --register",
                   .spec = AL2, .labels = {pairs, ARRAY_LENGTH(pairs)});
}

static void test_taints(void **state) // AWN-239
{
    struct taint items[] = {
        {.key = "a", .value = "b", .effect = "NoSchedule"},
        {.key = "a", .effect = "NoExecute"},
        {.key = "karpenter.sh/unregistered", .value = "x", .effect = "NoExecute"},
    };
    taint_list taints = {items, 3}, two = {items, 2};
    (void)state;
    assert_renders("--register-with-taints=\"a=b:NoSchedule,a:NoExecute,"
                   "karpenter.sh/unregistered=x:NoExecute\" --max-pods=29",
                   .spec = AL2, .taints = &taints);
    assert_renders("[settings.kubernetes.node-taints]\na = ['b:NoSchedule', ':NoExecute']\n"
                   "'karpenter.sh/unregistered' = [':NoExecute']\n",
                   .spec = BOTTLE, .taints = &two);
}

static void test_arguments(void **state) // AWN-237, 710
{
    (void)state;
    assert_renders(" --max-pods=29 --pods-per-core=4 --system-reserved=\"cpu=100m,memory=1Gi\""
                   " --kube-reserved=\"cpu=90m\" --eviction-hard=\"memory.available<5%\""
                   " --eviction-soft=\"memory.available<8%\""
                   " --eviction-soft-grace-period=\"memory.available=1m30s\""
                   " --eviction-max-pod-grace-period=60 --image-gc-high-threshold=80"
                   " --image-gc-low-threshold=70 --cpu-cfs-quota=false'",
                   .spec = AL2,
                   .kubelet = "{\"podsPerCore\":4,\"systemReserved\":{\"memory\":\"1Gi\",\"cpu\":"
                              "\"100m\"},\"kubeReserved\":{\"cpu\":\"90m\"},\"evictionHard\":{"
                              "\"memory.available\":\"5%\"},\"evictionSoft\":{\"memory.available\""
                              ":\"8%\"},\"evictionSoftGracePeriod\":{\"memory.available\":\"90s\"},"
                              "\"evictionMaxPodGracePeriod\":60,\"imageGCHighThresholdPercent\":80,"
                              "\"imageGCLowThresholdPercent\":70,\"cpuCFSQuota\":false}");
    assert_renders("--system-reserved=\"cpu=100m,memory=1Gi,pid=9\"",
                   .spec = "{amiFamily: Windows2022}",
                   .kubelet = "{\"systemReserved\":{\"pid\":\"9\",\"memory\":\"1Gi\",\"cpu\":"
                              "\"100m\"}}");
    assert_renders("--eviction-hard=\"memory.available<\\\"5\\\\\\n\"'", .spec = AL2,
                   .kubelet = "{\"evictionHard\":{\"memory.available\":\"\\\"5\\\\\\n\"}}");
}

static void test_dns(void **state) // AWN-236, 277, 708
{
    (void)state;
    assert_renders("--ip-family ipv6 \\\n--dns-cluster-ip 'fd00::1'", .spec = AL2,
                   .kubelet = "{\"clusterDNS\":[\"fd00::1\"]}");
    assert_lacks("--ip-family", .spec = AL2, .kubelet = "{\"clusterDNS\":[\"odd\"]}");
    assert_renders("--ip-family ipv6", .spec = AL2, .compatibility = true,
                   .kubelet = "{\"clusterDNS\":[\"odd\"]}");
    struct cluster_facts bare = {.name = "c1", .endpoint = "https://e1", .cidr = "10.0.0.0/16"};
    assert_lacks("dns", .spec = AL2, .cluster = &bare);
    assert_lacks("b64-cluster-ca", .spec = AL2, .cluster = &bare);
    assert_lacks("certificate", .spec = AL2023, .cluster = &bare);
    assert_lacks("certificate", .spec = BOTTLE, .cluster = &bare,
                 .user_data = "[settings.kubernetes]\ncluster-certificate = 'x'");
    assert_lacks("DNSClusterIP", .spec = "{amiFamily: Windows2022}", .cluster = &bare);
}

static void test_archives(void **state) // AWN-275, 276
{
    (void)state;
    assert_renders("boundary=\"//\"\n\n--//\nA: 1 2\nContent-Type: text/plain\nZ: 3\nZ: 4\n\n"
                   "body\n\n--//\nContent-Type: text/x-shellscript",
                   .spec = AL2,
                   .user_data = "\n Content-Type: multipart/mixed; x=y; boundary=\"B B\"\r\n"
                                "MIME-Version: 1.0\r\n\r\npreamble\r\n--B B  \r\nz: 3\r\n"
                                "content-type: text/plain\r\na: 1\r\n  2\r\nZ: 4\r\n\r\nbody\r\n"
                                "\r\n--B B--\r\nepilogue");
    assert_renders("boundary=\"//\"\n\n--//\nContent-Type: text/x-shellscript; charset",
                   .spec = AL2,
                   .user_data = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"
                                "--B\n");
    assert_renders("--//\n\nno header\n--//\n", .spec = AL2,
                   .user_data = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"
                                "--B\n\nno header\n--B--");
    assert_renders("--//\nX: 1\n\n\n--//\n", .spec = AL2,
                   .user_data = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"
                                "--B\nX: 1\n\n--B--");
}

static void test_bad_archives(void **state) // AWN-276
{
    static const struct {
        const char *user_data, *message;
    } cases[] = {
        {"MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--X\n", "has no boundary; write"},
        {"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"X\n\n--X\n", "no boundary"},
        {"MIME-Version: 1.0\nContent-Type: text/plain\n\nx", "Content-Type is text/plain"},
        {"MIME-Version: 1.0\n\nx", "no header Content-Type"},
        {"MIME-Version: 1.0\nodd line\n\nx", "\"odd line\" is no header"},
        {"Content-Type: multipart/mixed; boundary=X\n\n--Y\n\nx\n--Y--", "delimiter --X"},
        {"Content-Type: multipart/mixed; boundary=X\n\n--X\nno header and no end",
         "\"no header and no end\" is no header"},
        {"Content-Type: multipart/mixed; boundary=X\n\n--X\n\nbody", "the line --X-- is missing"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_renders("spec.userData is no valid MIME archive", .spec = AL2,
                       .user_data = cases[i].user_data);
        assert_renders(cases[i].message, .spec = AL2023, .user_data = cases[i].user_data);
    }
}

static void test_part_types(void **state) // AWN-286, 709
{
    static const struct {
        const char *user_data, *type;
    } cases[] = {
        {"kind: NodeConfig", MIME_NODE_CONFIG},
        {"{\"kind\": \"NodeConfig\"}", MIME_NODE_CONFIG},
        {"# comment\n\n", MIME_NODE_CONFIG},
        {"a: 1\n---\n[b]", MIME_NODE_CONFIG},
        {"echo hi", MIME_SCRIPT},
        {"- a", MIME_SCRIPT},
        {"#!/bin/bash\n# nothing", MIME_SCRIPT},
        {"#!/bin/bash\nkey: value", MIME_SCRIPT},
        {"a: [b", MIME_SCRIPT},
    };
    char expected[300];
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        snprintf(expected, sizeof expected, "\n\n--//\nContent-Type: %s\n\n%s\n--//\n",
                 cases[i].type, cases[i].user_data);
        assert_renders(expected, .spec = AL2023, .user_data = cases[i].user_data);
    }
    assert_renders("Content-Type: application/node.eks.aws\n\n#!/bin/bash\n", .spec = AL2023,
                   .user_data = "#!/bin/bash\n# nothing", .compatibility = true);
    const char *encoded = "Content-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: "
                          "text/x-shellscript\nContent-Transfer-Encoding: base64\n\nZQ==\n--B--";
    assert_renders("Content-Transfer-Encoding: base64\nContent-Type: text/x-shellscript\n\nZQ==",
                   .spec = AL2023, .user_data = encoded);
    assert_lacks("base64", .spec = AL2023, .user_data = encoded, .compatibility = true);
}

static void test_node_config(void **state) // AWN-287, 288, 723
{
    struct cluster_facts unknown = {.name = "c1", .endpoint = "https://e1"};
    (void)state;
    assert_renders("service CIDR is not known", .spec = AL2023, .cluster = &unknown);
    assert_renders("localStorage:\n      strategy: RAID0\n",
                   .spec = "{amiFamily: AL2023, instanceStorePolicy: RAID0}");
    const char *kubelet = "{\"kubeReserved\":{\"cpu\":\"vcpus\"},\"systemReserved\":{\"cpu\":"
                          "\"100m\",\"pid\":\"100\"},\"maxPods\":\"vcpus\"}";
    assert_lacks("kubeReserved", .spec = AL2023, .kubelet = kubelet);
    assert_renders("kubeReserved:\n        cpu: vcpus\n", .spec = AL2023, .kubelet = kubelet,
                   .compatibility = true);
    assert_renders("maxPods: 29\n", .spec = AL2023, .kubelet = kubelet);
    assert_renders("systemReserved:\n        cpu: 100m\n        pid: \"100\"\n", .spec = AL2023,
                   .kubelet = kubelet);
}

static void test_windows(void **state) // AWN-310, 712
{
    const char *tagged = "<powershell>\nWrite-Host 'x'\n</powershell>\n<persist>true</persist>\n";
    const char *spec = "{amiFamily: Windows2022}";
    (void)state;
    assert_renders("<powershell>\nWrite-Host 'x'\n[string]$EKSBootstrapScriptFile", .spec = spec,
                   .user_data = tagged);
    assert_renders("\n</powershell>\n<persist>true</persist>", .spec = spec, .user_data = tagged);
    assert_renders("<powershell>\n<powershell>\nWrite-Host 'x'\n</powershell>\n<persist>",
                   .spec = spec, .user_data = tagged, .compatibility = true);
    assert_renders("<powershell>\n<powershell> open\n[string]", .spec = spec,
                   .user_data = "<powershell> open");
}

static void test_custom(void **state) // AWN-315
{
    (void)state;
    assert_renders("anything", .spec = "{amiFamily: Custom}", .user_data = "anything");
    assert_lacks("k", .spec = "{amiFamily: Custom}");
}

#define EXAMPLE                                                                        \
    "[settings.kubernetes]\nmax-pods = 999\nmade-up = 1\n"                             \
    "[settings.kubernetes.node-labels]\nmine = \"x\"\n[settings.ntp]\ntime-servers = " \
    "[\"169.254.169.123\"]\n"

static void test_bottlerocket_settings(void **state) // AWN-295 to 297
{
    const char *user_data =
        "[other]\nx = 1\n[settings]\nmotd = 'hi'\n[settings.kubernetes]\n"
        "max-pods = 999\nmade-up = 1\nlog-level = 3\ncloud-provider = 'aws'\n"
        "eviction-hard = {'memory.available' = '7%'}\n"
        "allowed-unsafe-sysctls = []\n[settings.kubernetes.node-labels]\n"
        "mine = 'x'\n'karpenter.sh/capacity-type' = 'mine'\n"
        "[settings.kubernetes.credential-providers.ecr]\ncache-duration = '1h'\n"
        "enabled = true\nodd = 1\n[settings.ntp]\ntime-servers = ['a']\n"
        "[settings.bootstrap-commands.mine]\nmode = 'once'\nessential = false\n"
        "commands = [['a']]\n";
    (void)state;
    assert_renders("[settings]\nmotd = 'hi'\n\n[settings.bootstrap-commands]\n"
                   "[settings.bootstrap-commands.mine]\ncommands = [['a']]\nmode = 'once'\n"
                   "essential = false\n\n[settings.kubernetes]\napi-server = 'https://e1'\n"
                   "cloud-provider = 'aws'\ncluster-certificate = 'Q0E='\ncluster-name = 'c1'\n"
                   "cluster-dns-ip = '10.0.0.10'\nmax-pods = 29\nlog-level = 3\n\n"
                   "[settings.kubernetes.credential-providers]\n"
                   "[settings.kubernetes.credential-providers.ecr]\nenabled = true\n"
                   "cache-duration = '1h'\n\n[settings.kubernetes.node-labels]\n"
                   "'karpenter.sh/capacity-type' = 'spot'\n"
                   "'karpenter.sh/do-not-sync-taints' = 'true'\nmine = 'x'\n\n"
                   "[settings.kubernetes.node-taints]\n"
                   "'karpenter.sh/unregistered' = [':NoExecute']\n\n"
                   "[settings.kubernetes.eviction-hard]\n'memory.available' = '7%'\n\n"
                   "[settings.ntp]\ntime-servers = ['a']\n",
                   .spec = BOTTLE, .user_data = user_data);
    assert_renders("eviction-hard]\n'nodefs.available' = '5%'\n\n[settings.ntp]", .spec = BOTTLE,
                   .user_data = user_data,
                   .kubelet = "{\"evictionHard\":{\"nodefs.available\":\"5%\"}}");
}

static void test_bottlerocket_example(void **state) // AWN-300
{
    (void)state;
    struct string_pair label = {"team", "a"};
    assert_renders("[settings]\n[settings.kubernetes]\napi-server = 'https://e1'\n"
                   "cluster-certificate = 'Q0E='\ncluster-name = 'c1'\n"
                   "cluster-dns-ip = '10.0.0.10'\nmax-pods = 29\n\n"
                   "[settings.kubernetes.node-labels]\n",
                   .spec = BOTTLE, .user_data = EXAMPLE, .labels = {&label, 1});
    assert_renders("mine = 'x'\nteam = 'a'\n\n[settings.kubernetes.node-taints]\n"
                   "'karpenter.sh/unregistered' = [':NoExecute']\n\n[settings.ntp]\n"
                   "time-servers = ['169.254.169.123']\n",
                   .spec = BOTTLE, .user_data = EXAMPLE, .labels = {&label, 1});
    assert_lacks("made-up", .spec = BOTTLE, .user_data = EXAMPLE);
    assert_lacks("999", .spec = BOTTLE, .user_data = EXAMPLE);
}

static void test_bad_bottlerocket(void **state) // AWN-295
{
    static const struct {
        const char *user_data, *message;
    } cases[] = {
        {"[settings\nx=", "spec.userData is no valid TOML, which Bottlerocket needs, line 1, "
                          "column 10"},
        {"settings = 1", "settings must be a table, not an integer"},
        {"settings.kubernetes = 'x'", "settings.kubernetes must be a table, not a string"},
        {"[settings.kubernetes]\nmax-pods = '1'",
         "settings.kubernetes.max-pods must be an integer, not a string"},
        {"[settings.kubernetes.node-labels]\na = true",
         "settings.kubernetes.node-labels.a must be a string, not a boolean"},
        {"[settings.kubernetes]\nallowed-unsafe-sysctls = [1]", "an array of strings"},
        {"[settings.bootstrap-commands]\na = 1", "bootstrap-commands.a must be a table"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_renders(cases[i].message, .spec = BOTTLE, .user_data = cases[i].user_data);
}

static void test_instance_store(void **state) // AWN-298, 299
{
    static const struct {
        const char *terms, *image;
        bool old;
    } cases[] = {
        {"[{alias: bottlerocket@latest}]", NULL, false},
        {"[{alias: bottlerocket@1.46.0}]", NULL, false},
        {"[{alias: bottlerocket@v1.50.1}]", NULL, false},
        {"[{alias: bottlerocket@1.45.9}]", NULL, true},
        {"[{alias: bottlerocket@1.46}]", NULL, true},
        {"[{alias: bottlerocket@1.9.0}]", NULL, true},
        {"[{alias: bottlerocket@2.0.0}]", NULL, false},
        {"[{alias: bottlerocket@1.46.0-rc}]", NULL, true},
        {"[{name: bottlerocket-aws-k8s-1.35-x86_64-v1.50.0-abc}]", NULL, false},
        {"[{name: bottlerocket-*}]", "bottlerocket-aws-v1.50.0-a", false},
        {"[{name: bottlerocket-*}]", NULL, true},
        {"[{id: ami-1}]", "bottlerocket-aws-v1.50.0-a", false},
        {"[{id: ami-1}]", "bottlerocket-aws-v1.40.0-a", true},
        {"[{id: ami-1}]", "mine-v1.50.0", true},
        {"[{tags: {a: b}}]", "bottlerocket-aws-v1.50.0", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char spec[300];
        snprintf(spec, sizeof spec,
                 "{amiFamily: Bottlerocket, instanceStorePolicy: RAID0, amiSelectorTerms: %s}",
                 cases[i].terms);
        assert_renders(cases[i].old ? "'bind', '--dirs', '/var/lib/containerd', "
                                      "'/var/lib/kubelet', '/var/log/pods']]\nmode = 'always'\n"
                                      "essential = true\n"
                                    : "'bind']]\nmode",
                       .spec = spec, .version = cases[i].image,
                       .user_data = "[settings.bootstrap-commands.000-mount-instance-storage]\n"
                                    "mode = 'off'");
    }
}

static void test_warnings(void **state) // AWN-711
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct ec2_node_class *node_class = node_class_of_spec(
        "{amiFamily: Bottlerocket, userData: \"[other]\\n[settings.kubernetes]\\nmade-up = 1\\n"
        "[settings.kubernetes.node-taints]\\na = [':NoSchedule']\"}");
    (void)state;
    struct string_list warnings = user_data_warnings(node_class, arena);
    assert_int_equal(warnings.count, 3);
    assert_non_null(strstr(warnings.items[0], "other is left out"));
    assert_non_null(strstr(warnings.items[1], "node-taints is left out"));
    assert_non_null(strstr(warnings.items[2], "settings.kubernetes.made-up"));
    object_release((struct object *)node_class);
    node_class = node_class_of_spec(AL2);
    assert_int_equal(user_data_warnings(node_class, arena).count, 0);
    object_release((struct object *)node_class);
}

// Text of another family's form.
static void test_unfit_forms_AWN_711(void **state)
{
    static const struct {
        const char *spec, *warning;
    } cases[] = {
        {"{amiFamily: AL2, userData: 'echo'}", "does not begin with #!"},
        {"{amiFamily: AL2023, userData: 'echo'}", "no NodeConfig"},
        {"{amiFamily: AL2023, userData: ' <powershell>x</powershell>'}", "PowerShell"},
        {"{amiFamily: Windows2019, userData: \"#!/bin/sh\"}", "PowerShell"},
        {"{amiFamily: Windows2025, userData: \"MIME-Version: 1.0\"}", "PowerShell"},
        {"{amiFamily: AL2023, userData: 'kind: NodeConfig'}", NULL},
        {"{amiFamily: AL2, userData: \"#!/bin/sh\"}", NULL},
        {"{amiFamily: AL2, userData: ' '}", NULL},
        {"{amiFamily: Windows2022, userData: 'Write-Host x'}", NULL},
        {"{amiFamily: Custom, userData: 'anything'}", NULL},
    };
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct ec2_node_class *node_class = node_class_of_spec(cases[i].spec);
        struct string_list warnings = user_data_warnings(node_class, arena);
        assert_int_equal(warnings.count, cases[i].warning != NULL);
        if (cases[i].warning != NULL)
            assert_non_null(strstr(warnings.items[0], cases[i].warning));
        object_release((struct object *)node_class);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_taints),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_dns),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_bad_archives),
        cmocka_unit_test(test_part_types),
        cmocka_unit_test(test_node_config),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_custom),
        cmocka_unit_test(test_bottlerocket_settings),
        cmocka_unit_test(test_bottlerocket_example),
        cmocka_unit_test(test_bad_bottlerocket),
        cmocka_unit_test(test_instance_store),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_unfit_forms_AWN_711),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
