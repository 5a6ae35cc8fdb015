#include "model/helpers.h"

#include <stdio.h>

#include "model/schema/karpenter.h"
#include "model/tables/kinds.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_runtime.h"
#include "model/validate/validate_set.h"

// Findings of a YAML text, one a line: "LEVEL CODE PATH: MESSAGE". The caller frees.
struct checked {
    struct documents documents, old_documents;
    struct findings findings;
    json_t *stored;
    bool admitted;
    struct text text;
};

static json_t *document_of(struct documents *documents, const char *text)
{
    struct error error = {0};
    if (!documents_read_text(documents, text, strlen(text), "test", false, &error))
        fail_msg("%s", error.message);
    return documents->items[0].value;
}

static struct checked check_with(const char *text, const char *old, struct validate_options options)
{
    static const char *const levels[] = {"refused", "rejected", "warning"};
    struct checked checked = {0};
    json_t *object = document_of(&checked.documents, text);
    json_t *old_object = old != NULL ? document_of(&checked.old_documents, old) : NULL;
    const struct kind *kind = kind_find(json_string_value(json_object_get(object, "apiVersion")),
                                        json_string_value(json_object_get(object, "kind")));
    assert_non_null(kind);
    checked.admitted =
        validate_object(kind, object, old_object, &options, &checked.findings, &checked.stored);
    for (uint32_t i = 0; i < checked.findings.count; i++) {
        const struct finding *finding = &checked.findings.items[i];
        text_format(&checked.text, "%s%s%s %s: %s\n", levels[finding->level],
                    finding->code != NULL ? " " : "", finding->code != NULL ? finding->code : "",
                    finding->path, finding->message);
    }
    assert_int_equal(checked.admitted, !findings_refuse(&checked.findings));
    return checked;
}

static void checked_free(struct checked *checked)
{
    documents_free(&checked->documents);
    documents_free(&checked->old_documents);
    findings_free(&checked->findings);
    json_decref(checked->stored);
    text_free(&checked->text);
}

static const char *text_of(const struct checked *checked)
{
    return checked->text.data != NULL ? checked->text.data : "";
}

static void assert_findings(const char *text, const char *old, struct validate_options options,
                            const char *expected)
{
    struct checked checked = check_with(text, old, options);
    assert_string_equal(text_of(&checked), expected);
    checked_free(&checked);
}

// One of the findings starts with `text`, and its hint contains `hint`, if given.
static void assert_finding(const char *text, struct validate_options options, const char *line,
                           const char *hint)
{
    struct checked checked = check_with(text, NULL, options);
    const char *found = strstr(text_of(&checked), line);
    if (found == NULL || (found != text_of(&checked) && found[-1] != '\n'))
        fail_msg("no finding \"%s\" among:\n%s", line, text_of(&checked));
    uint32_t index = 0;
    for (const char *c = text_of(&checked); c < found; c++)
        index += *c == '\n';
    const char *given = checked.findings.items[index].hint;
    if (hint != NULL && (given == NULL || strstr(given, hint) == NULL))
        fail_msg("hint \"%s\" lacks \"%s\"", given != NULL ? given : "", hint);
    checked_free(&checked);
}

static void assert_no_finding(const char *text, const char *code)
{
    struct checked checked = check_with(text, NULL, (struct validate_options){.advise = true});
    if (strstr(text_of(&checked), code) != NULL)
        fail_msg("unwanted %s among:\n%s", code, text_of(&checked));
    checked_free(&checked);
}

#define ADMISSION ((struct validate_options){0})
#define NOON      (INT64_C(1767182400) * 1000000000) // 2025-12-31T12:00:00Z
#define ADVICE    ((struct validate_options){.advise = true, .now = NOON})

#define POOL_HEAD "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {"
#define REFERENCE "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}"
#define POOL(spec, template_extra, requirements)                    \
    POOL_HEAD spec "template: {" template_extra "spec: {" REFERENCE \
                   ", requirements: " requirements "}}}}"
#define POOL_WITH(inner) \
    POOL_HEAD "template: {spec: {" REFERENCE ", requirements: [], " inner "}}}}"
#define CLASS(spec)                                                                                \
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: c}, spec: {role: r, " \
    "subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]" spec "}}"
#define BARE_CLASS(spec)                                                                          \
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: c}, spec: {"         \
    "securityGroupSelectorTerms: [{id: sg-1}], amiSelectorTerms: [{alias: al2@v20260715}], " spec \
    "}}"
#define GROUPS(terms)                                                                              \
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: c}, spec: {role: r, " \
    "subnetSelectorTerms: [{id: subnet-1}], amiSelectorTerms: [{alias: al2@v20260715}], "          \
    "securityGroupSelectorTerms: [" terms "]}}"
#define PINNED ", amiSelectorTerms: [{alias: al2023@v20240807}]"

// --- the stored form -----------------------------------------------------------------------------
static void defaults_are_filled_in_API_10_11(void **state)
{
    (void)state;
    struct checked checked = check_with(POOL("", "", "[]"), NULL, ADMISSION);
    assert_true(checked.admitted);
    char *text = json_dumps(json_object_get(checked.stored, "spec"), JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(
        text, "{\"disruption\":{\"budgets\":[{\"nodes\":\"10%\"}],\"consolidateAfter\":\"0s\","
              "\"consolidationPolicy\":\"WhenEmptyOrUnderutilized\"},\"template\":{\"spec\":{"
              "\"expireAfter\":\"720h\",\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":"
              "\"EC2NodeClass\",\"name\":\"default\"},\"requirements\":[]}}}");
    free(text);
    checked_free(&checked);
}

static void nulls_are_dropped_and_defaulted_API_11_27_29(void **state)
{
    (void)state;
    struct checked checked = check_with(
        POOL("replicas: null, limits: {cpu: null, memory: 1.0}, disruption: {budgets: null}, ", "",
             "[{key: a, operator: Exists, values: null}]"),
        NULL, ADMISSION);
    assert_string_equal(text_of(&checked), "");
    const json_t *spec = json_object_get(checked.stored, "spec");
    assert_null(json_object_get(spec, "replicas"));
    const json_t *limits = json_object_get(spec, "limits");
    assert_int_equal(json_object_size(limits), 1);
    assert_true(json_is_integer(json_object_get(limits, "memory")));
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(spec, "disruption"), "budgets")), 1);
    checked_free(&checked);
}

static void a_status_is_dropped_at_creation_API_107(void **state)
{
    (void)state;
    struct checked checked = check_with(
        "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: a}, "
        "status: {conditions: []}}",
        NULL, ADMISSION);
    assert_true(checked.admitted);
    const json_t *status = json_object_get(checked.stored, "status");
    assert_int_equal(json_array_size(json_object_get(status, "conditions")), 1);
    checked_free(&checked);
}

static void a_written_status_is_checked_and_the_rest_kept_API_21(void **state)
{
    (void)state;
    static const char old[] = POOL("weight: 5, ", "", "[]");
    struct validate_options options = {.status_written = true};
    struct checked checked =
        check_with(POOL_HEAD "weight: 7}, status: {nodes: 3, conditions: [{type: Ready, status: "
                             "'True', reason: Ready, message: '', lastTransitionTime: "
                             "'2026-01-02T03:04:05Z'}]}}",
                   old, options);
    assert_string_equal(text_of(&checked), "");
    const json_t *spec = json_object_get(checked.stored, "spec");
    assert_int_equal(json_integer_value(json_object_get(spec, "weight")), 5);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(checked.stored, "status"), "nodes")), 3);
    checked_free(&checked);
    assert_findings(POOL_HEAD
                    "}, status: {conditions: [{type: Ready, status: Maybe, reason: 'a b', "
                    "message: '', lastTransitionTime: now}]}}",
                    old, options,
                    "refused status.conditions[0].lastTransitionTime: \"now\" is not a date and "
                    "time\n"
                    "refused status.conditions[0].reason: \"a b\" does not have the form "
                    "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$\n"
                    "refused status.conditions[0].status: \"Maybe\" is not one of True, False, "
                    "Unknown\n");
}

static void free_form_objects_stay_as_they_are_API_86(void **state)
{
    (void)state;
    struct checked checked =
        check_with(CLASS(PINNED ", kubelet: {a: null, b: {c: null, d: 1.0}}"), NULL, ADMISSION);
    char *text = json_dumps(json_object_get(json_object_get(checked.stored, "spec"), "kubelet"),
                            JSON_COMPACT);
    assert_string_equal(text, "{\"b\":{\"c\":null,\"d\":1}}");
    free(text);
    checked_free(&checked);
}

// --- structure -----------------------------------------------------------------------------------
static void unknown_fields_are_refused_with_a_hint_GUI_10_15(void **state)
{
    (void)state;
    static const char text[] =
        POOL("requirements: [], ", "", "[{key: a, operator: Exists, vales: []}]");
    assert_finding(text, ADMISSION, "refused spec.requirements: unknown field",
                   "belongs at spec.template.spec.requirements");
    assert_finding(text, ADMISSION,
                   "refused spec.template.spec.requirements[0].vales: unknown field",
                   "did you mean values?");
    assert_finding(text, (struct validate_options){.lenient = true},
                   "warning W-unknown-field spec.requirements: unknown field", NULL);
    assert_finding(POOL("disruption: {expireAfter: 1h}, ", "", "[]"), ADMISSION,
                   "refused spec.disruption.expireAfter: unknown field",
                   "belongs at spec.template.spec.expireAfter"); // GUI-4
    assert_finding(POOL_HEAD
                   "template: {spec: {nodeClassRef: {apiVersion: karpenter.k8s.aws/v1, kind: "
                   "EC2NodeClass, name: x}, requirements: []}}}}",
                   ADMISSION, "refused spec.template.spec.nodeClassRef.apiVersion: unknown field",
                   "write group"); // GUI-1
    assert_finding(POOL("", "", "{a: b}"), ADMISSION,
                   "refused spec.template.spec.requirements.a: unknown field", NULL);
}

static void values_have_types_bounds_and_forms_API_32(void **state)
{
    (void)state;
    assert_finding(POOL("weight: 101, ", "", "[]"), ADMISSION,
                   "refused spec.weight: 101 is more than 100", NULL);
    assert_finding(POOL("weight: '5', ", "", "[]"), ADMISSION,
                   "refused spec.weight: must be a whole number, not a string",
                   "without quotes: 5");
    assert_finding(POOL("disruption: {budgets: [{nodes: 10}]}, ", "", "[]"), ADMISSION,
                   "refused spec.disruption.budgets[0].nodes: must be a string, not a number",
                   "\"10\"");
    assert_finding(
        POOL("disruption: {consolidationPolicy: WhenUnderutilized}, ", "", "[]"), ADMISSION,
        "refused spec.disruption.consolidationPolicy: \"WhenUnderutilized\" is not one of "
        "WhenEmpty, WhenEmptyOrUnderutilized, Balanced",
        "WhenEmptyOrUnderutilized"); // GUI-3
    assert_finding(
        POOL("", "", "[{key: a, operator: in}]"), ADMISSION,
        "refused spec.template.spec.requirements[0].operator: \"in\" is not one of In, NotIn,",
        "did you mean In");
    assert_finding(POOL_WITH("expireAfter: 30d"), ADMISSION,
                   "refused spec.template.spec.expireAfter: \"30d\" does not have the form",
                   "write 720h"); // API-611
    assert_finding(POOL_WITH("taints: [{key: a, value: '', effect: NoSchedule}]"), ADMISSION,
                   "refused spec.template.spec.taints[0].value: \"\" does not have the form",
                   "leave value out");
    assert_finding(POOL("limits: {resources: {cpu: 1}}, ", "", "[]"), ADMISSION,
                   "refused spec.limits.resources: must be a quantity, not an object", "higher");
    assert_finding(POOL("replicas: 2147483648, ", "", "[]"), ADMISSION,
                   "refused spec.replicas: 2147483648 is more than 2147483647", NULL); // API-28
    assert_finding(
        POOL("disruption: {budgets: [{nodes: '1', reasons: [Empty, Empty]}]}, ", "", "[]"),
        ADMISSION, "refused spec.disruption.budgets[0].reasons[1]: stands in the list already",
        NULL);
}

static void required_fields_API_32_609(void **state)
{
    (void)state;
    assert_findings("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}}", NULL,
                    ADMISSION, "refused spec: is required\n");
    assert_findings(POOL("disruption: {consolidationPolicy: WhenEmpty}, ", "", "[]"), NULL,
                    ADMISSION, "");
    assert_findings(POOL("disruption: {consolidationPolicy: WhenEmpty}, ", "", "[]"), NULL,
                    (struct validate_options){.as_of_aws_1_14 = true},
                    "refused spec.disruption.consolidateAfter: is required\n");
    // An EC2NodeClass without a spec is admitted (API-5).
    assert_findings("{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: c}}",
                    NULL, ADMISSION, "");
}

static void metadata_is_checked_API_27(void **state)
{
    (void)state;
    assert_finding("{apiVersion: karpenter.sh/v1, kind: NodePool, spec: {}}", ADMISSION,
                   "refused metadata.name: a name (or generateName) is required", NULL);
    assert_finding(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: A_b, labels: {a: 'b "
        "c', x/y/z: d}, annotations: {'a b': c}, finalizers: [no good], extra: 1}, spec: {}}",
        ADMISSION, "refused metadata.extra: unknown field", NULL);
    assert_finding("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: A_b}, spec: {}}",
                   ADMISSION, "refused metadata.name: \"A_b\" is not allowed", NULL);
    assert_finding(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a, labels: {x/y/z: "
        "d}}, spec: {}}",
        ADMISSION, "refused metadata.labels[\"x/y/z\"]: \"x/y/z\" is not allowed", NULL);
    assert_finding(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a, finalizers: [no "
        "good]}, spec: {}}",
        ADMISSION, "refused metadata.finalizers[0]: \"no good\" is not allowed", NULL);
}

// --- rules ---------------------------------------------------------------------------------------
static void restricted_labels_API_40_45_47(void **state)
{
    (void)state;
    static const char text[] =
        POOL("",
             "metadata: {labels: {karpenter.sh/foo: a, notkarpenter.sh/x: b, "
             "karpenter.k8s.aws/foo: c, karpenter.k8s.aws/instance-family: m5, "
             "kubernetes.io/custom: d}}, ",
             "[{key: karpenter.sh/nodepool, operator: Exists}]");
    assert_findings(
        text, NULL, ADMISSION,
        "refused spec.template.metadata.labels[\"karpenter.sh/foo\"]: label domain "
        "\"karpenter.sh\" is "
        "restricted\n"
        "refused spec.template.metadata.labels[\"notkarpenter.sh/x\"]: label domain "
        "\"karpenter.sh\" is "
        "restricted\n"
        "refused spec.template.metadata.labels[\"karpenter.k8s.aws/foo\"]: label domain "
        "\"karpenter.k8s.aws\" is restricted\n"
        "refused spec.template.spec.requirements[0].key: label \"karpenter.sh/nodepool\" is "
        "restricted\n");
    struct checked checked = check_with(text, NULL, (struct validate_options){.core = true});
    assert_int_equal(checked.findings.count, 3);
    checked_free(&checked);
}

static void requirements_need_values_API_44_312(void **state)
{
    (void)state;
    assert_findings(
        POOL("", "",
             "[{key: a, operator: In}, {key: b, operator: Gt, values: ['-1']}, {key: c, operator: "
             "Gte, values: ['0']}, {key: d, operator: In, values: [x], minValues: 2}, {key: e, "
             "operator: Lt, values: ['1.5']}]"),
        NULL, ADMISSION,
        "refused spec.template.spec.requirements[0]: requirements with operator 'In' must have a "
        "value "
        "defined\n"
        "refused spec.template.spec.requirements[1]: requirements operator 'Gt', 'Lt', 'Gte', or "
        "'Lte' "
        "must have a single positive integer value\n"
        "refused spec.template.spec.requirements[4]: requirements operator 'Gt', 'Lt', 'Gte', or "
        "'Lte' "
        "must have a single positive integer value\n"
        "refused spec.template.spec.requirements[3]: requirements with 'minValues' must have at "
        "least "
        "that many values specified in the 'values' field\n");
}

static void transitions_are_checked_on_update_API_43_48_59(void **state)
{
    (void)state;
    static const char other[] =
        POOL_HEAD "replicas: 1, template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: "
                  "KWOKNodeClass, name: default}, requirements: []}}}}";
    assert_findings(other, NULL, ADMISSION, "");
    assert_findings(
        other, POOL("", "", "[]"), ADMISSION,
        "refused spec.template.spec.nodeClassRef: nodeClassRef.group is immutable\n"
        "refused spec.template.spec.nodeClassRef: nodeClassRef.kind is immutable\n"
        "refused spec: Cannot transition NodePool between static (replicas set) and dynamic "
        "(replicas unset) provisioning modes\n");
#define CLAIM(spec)                                                                         \
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c}, spec: {" REFERENCE \
    ", requirements: []" spec "}}"
    assert_findings(CLAIM(", expireAfter: 720h"), CLAIM(""), ADMISSION, "");
    assert_findings(CLAIM(", taints: []"), CLAIM(""), ADMISSION,
                    "refused spec: spec is immutable\n");
}

static void what_was_broken_before_is_forgiven_API_10_27(void **state)
{
    (void)state;
    static const char broken[] =
        POOL("limits: {cpu: lots}, ", "metadata: {labels: {team: 'not ok'}}, ",
             "[{key: a, operator: In}]");
    // Unchanged parts are excused; rules become warnings.
    assert_findings(
        POOL("limits: {cpu: lots, memory: 1Gi}, ", "metadata: {labels: {team: 'not ok', b: c}}, ",
             "[{key: a, operator: In}]"),
        broken, ADMISSION,
        "warning W-kept spec.template.spec.requirements[0]: requirements with operator 'In' "
        "must have a value defined\n");
    assert_findings(
        POOL("limits: {cpu: more}, ", "", "[{key: b, operator: In}]"), broken, ADMISSION,
        "refused spec.limits.cpu: \"more\" is not a quantity such as 100m, 4 or 16Gi\n"
        "refused spec.template.spec.requirements[0]: requirements with operator 'In' must "
        "have a value defined\n");
}

static void overlays_and_buffers_API_69_78(void **state)
{
    (void)state;
    assert_findings(
        "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o}, spec: "
        "{requirements: [{key: a, operator: NotIn}], price: '1', priceAdjustment: '+1', "
        "capacity: {cpu: 1}}}",
        NULL, ADMISSION,
        "refused spec.capacity.cpu: invalid resource restricted\n"
        "refused spec.requirements[0]: requirements with operator 'NotIn' must have a value "
        "defined\n"
        "refused spec: cannot set both 'price' and 'priceAdjustment'\n");
    assert_findings(
        "{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: "
        "b}, spec: {podTemplateRef: {name: t}}}",
        NULL, ADMISSION,
        "refused spec: If podTemplateRef is set, replicas or limits must also be set\n");
}

static void node_class_rules_API_86_to_97(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *finding;
    } cases[] = {
        {", amiSelectorTerms: [{alias: al2022@x}]",
         "refused spec.amiSelectorTerms[0].alias: family is not "
         "supported"},
        {", amiSelectorTerms: [{alias: windows2022@2024}]",
         "refused spec.amiSelectorTerms[0].alias: windows families may only specify version "
         "'latest'"},
        {", amiFamily: AL2, amiSelectorTerms: [{alias: al2023@latest}]",
         "refused spec: if set, amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias"},
        {", amiSelectorTerms: [{id: ami-1}]",
         "refused spec: must specify amiFamily if amiSelectorTerms does not contain an alias"},
        {", amiFamily: AL2, amiSelectorTerms: [{id: ami-1, name: x}]",
         "refused spec.amiSelectorTerms[0]: 'id' is mutually exclusive"},
        {PINNED ", instanceProfile: p",
         "refused spec: must specify exactly one of ['role', 'instanceProfile']"},
        {PINNED ", tags: {kubernetes.io/cluster-x: y}",
         "refused spec.tags[\"kubernetes.io/cluster-x\"]: tag contains a restricted tag matching "
         "kubernetes.io/cluster/"},
        {PINNED ", blockDeviceMappings: [{rootVolume: true}, {rootVolume: true}]",
         "refused spec.blockDeviceMappings: must have only one blockDeviceMappings with "
         "rootVolume"},
        {PINNED ", blockDeviceMappings: [{ebs: {}}]",
         "refused spec.blockDeviceMappings[0].ebs: snapshotID or volumeSize must be defined"},
        {PINNED
         ", networkInterfaces: [{networkCardIndex: 1, deviceIndex: 0, interfaceType: efa-only}]",
         "refused spec.networkInterfaces: networkInterfaces must include a primary interface"},
        {PINNED ", capacityReservationSelectorTerms: []",
         "refused spec.capacityReservationSelectorTerms: 'id' is mutually exclusive"},
        {PINNED ", connectionTracking: {}",
         "refused spec.connectionTracking: at least one of tcpEstablishedTimeout"},
        {PINNED ", placementGroupSelector: {name: a, id: pg-1}",
         "refused spec.placementGroupSelector: 'name' and 'id' are mutually exclusive"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char text[1500];
        snprintf(text, sizeof text, "%.*s%s}}", (int)strlen(CLASS("")) - 2, CLASS(""),
                 cases[i].spec);
        assert_finding(text, ADMISSION, cases[i].finding, NULL);
    }
    assert_findings(CLASS(PINNED), NULL, ADMISSION, "");
}

static void volume_sizes_API_604(void **state)
{
    (void)state;
    static const char *const good[] = {"1Gi", "59000Gi", "64000G", "18Ti", "49Ti", "58Ti", "64T"};
    static const char *const bad[] = {"Ti", "T", "59001Gi", "59Ti", "65T", "1Mi", "1.5Gi", "100"};
    for (size_t i = 0; i < ARRAY_LENGTH(good) + ARRAY_LENGTH(bad); i++) {
        bool is_good = i < ARRAY_LENGTH(good);
        char text[1000];
        snprintf(
            text, sizeof text, "%.*s" PINNED ", blockDeviceMappings: [{ebs: {volumeSize: '%s'}}]}}",
            (int)strlen(CLASS("")) - 2, CLASS(""), is_good ? good[i] : bad[i - ARRAY_LENGTH(good)]);
        struct checked checked = check_with(text, NULL, ADMISSION);
        assert_int_equal(checked.admitted, is_good);
        checked_free(&checked);
    }
}

// --- run time ------------------------------------------------------------------------------------
static void run_time_checks_are_rejections_API_150_to_155(void **state)
{
    (void)state;
    assert_findings(
        POOL("", "metadata: {labels: {a/b/c: x}}, ",
             "[{key: karpenter.k8s.aws/ec2nodeclass, operator: Exists}, {key: team, operator: In, "
             "values: ['not a label!']}, {key: karpenter.sh/capacity-type, operator: In, values: "
             "[x, "
             "z]}]"),
        NULL, ADMISSION, "");
    static const char text[] = POOL("", "",
                                    "[{key: team, operator: In, values: ['not a label!']}, {key: "
                                    "karpenter.sh/capacity-type, operator: In, values: [x, z]}]");
    assert_finding(
        text, ADVICE,
        "rejected spec.template.spec.requirements[0].values[0]: invalid value: invalid value "
        "not a label! for key team, ",
        NULL);
    assert_finding(
        text, ADVICE,
        "rejected spec.template.spec.requirements[1].values: invalid value: no valid values "
        "found in [x z] for karpenter.sh/capacity-type, expected one of: [on-demand reserved "
        "spot], got: [x z] in requirements, restricted",
        NULL);
    assert_finding(
        POOL("", "metadata: {labels: {a/b/c: x}}, ", "[]"), ADVICE,
        "rejected spec.template.metadata.labels[\"a/b/c\"]: invalid key name \"a/b/c\" in "
        "labels, \"",
        NULL);
    assert_finding(POOL("", "", "[{key: karpenter.k8s.aws/ec2nodeclass, operator: Exists}]"),
                   ADVICE,
                   "rejected spec.template.spec.requirements[0].key: invalid value: using label "
                   "karpenter.k8s.aws/ec2nodeclass is not allowed",
                   NULL);
    assert_finding(
        POOL_WITH("taints: [{key: a, value: x, effect: NoSchedule}], startupTaints: [{key: a, "
                  "value: y, effect: NoSchedule}]"),
        ADVICE,
        "rejected spec.template.spec.startupTaints[0]: duplicate taint Key/Effect pair "
        "a=NoSchedule",
        NULL);
    assert_finding(
        "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o}, spec: "
        "{requirements: [], capacity: {vpc.amazonaws.com/efa: 1}}}",
        ADVICE,
        "rejected spec.capacity[\"vpc.amazonaws.com/efa\"]: invalid capacity: "
        "vpc.amazonaws.com/efa in resource, restricted",
        NULL);
}

static void the_controller_joins_all_errors_LIF_203_204(void **state)
{
    (void)state;
    char message[4000];
    CLEANUP_OBJECT struct object *object = object_of(
        POOL_HEAD
        "template: {metadata: {labels: {z: 'b c', karpenter.sh/nodepool: p}}, spec: {" REFERENCE
        ", taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoSchedule}], "
        "requirements: [{key: karpenter.sh/nodepool, operator: In}, {key: beta.kubernetes.io/os, "
        "operator: Gt, values: [x]}]}}}}");
    assert_false(
        node_pool_check((const struct node_pool *)object, NULL, NULL, message, sizeof message));
    assert_non_null(strstr(message,
                           "invalid key name \"karpenter.sh/nodepool\" in labels, restricted; "
                           "invalid value: b c for label[z], "));
    assert_non_null(strstr(
        message,
        "; duplicate taint Key/Effect pair a=NoSchedule; invalid value: key "
        "karpenter.sh/nodepool with operator In must have a value defined in requirements, "
        "restricted; invalid value: key kubernetes.io/os with operator Gt must have a single "
        "positive integer value in requirements, restricted; invalid key: "
        "\"karpenter.sh/nodepool\" in requirements, restricted"));
    CLEANUP_OBJECT struct object *good = object_of(POOL("", "", "[]"));
    assert_true(node_pool_check((const struct node_pool *)good, provider_labels_aws.well_known,
                                &provider_labels_aws, message, sizeof message));
    assert_string_equal(message, "");
}

// --- advice --------------------------------------------------------------------------------------
#define ANNOTATED(key, value)                                                         \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p, annotations: " \
    "{'adze.dev/" key "': '" value "'}}, spec: {template: {spec: {" REFERENCE         \
    ", requirements: []}}}}"

static void annotations_of_pools_SCH_521(void **state)
{
    (void)state;
    static const char *const bad[] = {
        ANNOTATED("packing-policy", "greedy"),
        ANNOTATED("packing-policy", ""),
        ANNOTATED("max-pods-per-node", "0"),
        ANNOTATED("max-pods-per-node", "ten"),
        ANNOTATED("max-cpu-per-node", "-1"),
        ANNOTATED("max-cpu-per-node", "16 cores"),
        ANNOTATED("max-share-per-workload", "101"),
        ANNOTATED("max-share-per-workload", "0"),
        ANNOTATED("max-share-per-workload", "%"),
        ANNOTATED("max-pod-per-node", "5"),
        ANNOTATED("max-share-per-workload", "1000000000%"),
    };
    static const char *const good[] = {
        ANNOTATED("packing-policy", "Greedy"),      ANNOTATED("packing-policy", "LowestPrice"),
        ANNOTATED("max-pods-per-node", "30"),       ANNOTATED("max-cpu-per-node", "15500m"),
        ANNOTATED("max-cpu-per-node", "16"),        ANNOTATED("max-share-per-workload", "50"),
        ANNOTATED("max-share-per-workload", "50%"), ANNOTATED("max-share-per-workload", "100"),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct checked checked = check_with(bad[i], NULL, ADVICE);
        assert_true(checked.admitted);
        assert_non_null(strstr(text_of(&checked), "warning W-annotation metadata.annotations"));
        checked_free(&checked);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++)
        assert_no_finding(good[i], "W-annotation");
}

static void advice_on_node_pools_API_313(void **state)
{
    (void)state;
    static const struct {
        const char *text, *finding, *hint;
    } cases[] = {
        {POOL("disruption: {budgets: [{nodes: '1', schedule: a b c d e, duration: 1h}]}, ", "",
              "[]"),
         "warning W-cron spec.disruption.budgets[0].schedule: ", "UTC"},
        {POOL("disruption: {budgets: [{nodes: '1', schedule: '0 0 31 2 *', duration: 1h}]}, ", "",
              "[]"),
         "warning W-cron-never spec.disruption.budgets[0].schedule: ", NULL},
        {POOL("disruption: {budgets: [{nodes: '1', schedule: 0 0 0 * * *, duration: 1h}]}, ", "",
              "[]"),
         "warning W-cron spec.disruption.budgets[0].schedule: \"0 0 0 * * *\" is no schedule: "
         "expected exactly 5 fields, found 6: 0 0 0 * * *; it blocks every disruption of the pool",
         "five fields"},
        {POOL("disruption: {budgets: [{nodes: '1', schedule: 'TZ=UTC 0 0 * * *', duration: 1h}]}, ",
              "", "[]"),
         "warning W-cron spec.disruption.budgets[0].schedule: ",
         "leave the time zone out: times are UTC"},
        {POOL("disruption: {budgets: [{nodes: '0', schedule: '0 0 31 2 *', duration: 1h}]}, ", "",
              "[]"),
         "warning W-budget-blocks spec.disruption.budgets[0]: no node is ever disrupted", NULL},
        {POOL("disruption: {budgets: [{nodes: '0', schedule: '@daily', duration: 24h}]}, ", "",
              "[]"),
         "warning W-budget-blocks spec.disruption.budgets[0]: no node is ever disrupted", NULL},
        {POOL("disruption: {budgets: [{nodes: '0', schedule: '@daily', duration: 0h}]}, ", "",
              "[]"),
         "warning W-budget-never spec.disruption.budgets[0].duration: \"0h\" is no time at all: "
         "the "
         "budget never counts",
         NULL},
        {POOL("disruption: {budgets: [{nodes: '0', reasons: []}]}, ", "", "[]"),
         "warning W-budget-no-reason spec.disruption.budgets[0].reasons: an empty list names no "
         "reason",
         "leave the list out"},
        {POOL("disruption: {budgets: [{nodes: '4294967299'}]}, ", "", "[]"),
         "warning W-budget-nodes spec.disruption.budgets[0].nodes: 4294967299 is cut to 32 bits: "
         "while the budget counts, it allows 3",
         NULL},
        {POOL("disruption: {budgets: [{nodes: '9223372036854775808', schedule: '@daily', duration: "
              "1h}]}, ",
              "", "[]"),
         "warning W-budget-nodes spec.disruption.budgets[0].nodes: 9223372036854775808 is too "
         "large to be read: while the budget counts (next: 2026-01-01T00:00:00Z to "
         "2026-01-01T01:00:00Z, 2026-01-02T00:00:00Z to 2026-01-02T01:00:00Z), it blocks every "
         "disruption",
         NULL},
        {POOL("limits: {nodes: 1}, disruption: {budgets: [{nodes: 10%}]}, ", "", "[]"),
         "warning W-budget-one-node spec.disruption.budgets[0].nodes: 10% of one node is rounded "
         "up to that node",
         "nodes: \"0\""}, // DIS-764
        {POOL("disruption: {budgets: [{nodes: '0', reasons: [Drifted]}]}, ", "", "[]"),
         "warning W-budget-blocks spec.disruption.budgets[0]: no node is ever disrupted for "
         "Drifted",
         NULL},
        {POOL("disruption: {budgets: [{nodes: 0%}]}, ", "", "[]"),
         "warning W-never-drains spec.template.spec: ", NULL},
        {POOL("", "", "[{key: a, operator: Exists, values: [x]}]"),
         "warning W-empty-values-ignored spec.template.spec.requirements[0].values: ", NULL},
        {POOL("", "", "[{key: a, operator: NotIn}]"),
         "warning W-notin-empty spec.template.spec.requirements[0]: ", NULL},
        {POOL("", "",
              "[{key: a, operator: Gt, values: ['5']}, {key: a, operator: Lt, values: ['6']}]"),
         "warning W-requirement-contradiction spec.template.spec.requirements[1]: ", NULL},
        {POOL("", "metadata: {labels: {team: x}}, ", "[{key: team, operator: NotIn, values: [x]}]"),
         "warning W-requirement-contradiction spec.template.spec.requirements[0]: ", NULL},
        {POOL("", "", "[{key: kubernetes.io/arch, operator: In, values: [amd64, arm]}]"),
         "warning W-unknown-value spec.template.spec.requirements[0].values[1]: kubernetes.io/arch "
         "has "
         "no value arm",
         "arm64"},
        {POOL("", "",
              "[{key: karpenter.sh/capacity-type, operator: In, values: [spot, OnDemand]}]"),
         "warning W-unknown-value spec.template.spec.requirements[0].values[1]: ", "on-demand"},
        {POOL("", "", "[{key: node.kubernetes.io/instance-family, operator: Exists}]"),
         "warning W-label-typo spec.template.spec.requirements[0].key: ",
         "karpenter.k8s.aws/instance-family"},
        {POOL("", "", "[{key: topology.kubernetes.io/zones, operator: Exists}]"),
         "warning W-label-typo spec.template.spec.requirements[0].key: ", NULL},
        {POOL("", "", "[{key: beta.kubernetes.io/arch, operator: Exists}]"),
         "warning W-old-name spec.template.spec.requirements[0].key: ", "kubernetes.io/arch"},
        {POOL("", "", "[{key: nvidia.com/gpu, operator: Exists}]"),
         "warning W-resource-key spec.template.spec.requirements[0].key: ", "instance-gpu-count"},
        {POOL("", "", "[{key: kubernetes.io/os, operator: Exists, minValues: 3}]"),
         "warning W-min-values spec.template.spec.requirements[0].minValues: ", NULL},
        {POOL_WITH("expireAfter: 1h, terminationGracePeriod: 60m"),
         "warning W-expire-tgp spec.template.spec.terminationGracePeriod: ", NULL},
        {POOL_WITH("startupTaints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]"),
         "warning W-startup-taint spec.template.spec.startupTaints[0]: ", NULL},
        {POOL_WITH("expireAfter: 9999999h"),
         "rejected spec.template.spec.expireAfter: ", "2562047h"},
        {POOL("limits: {cpu: 1e1.5}, ", "", "[]"), "rejected W-quantity spec.limits.cpu: ", NULL},
        {POOL("limits: {cpu: '-1'}, ", "", "[]"),
         "warning W-quantity spec.limits.cpu: the quantity is negative", NULL},
        {POOL("limits: {nodes: 1500m}, ", "", "[]"),
         "warning W-quantity spec.limits.nodes: ", NULL},
        {POOL("replicas: 1, disruption: {consolidateAfter: 1m}, ", "", "[]"),
         "warning W-static-ignored spec.disruption.consolidateAfter: ", NULL},
        {POOL("replicas: 1, ", "", "[]"),
         "warning W-feature-gate spec.replicas: ", "StaticCapacity"},
        {POOL("", "", "[{key: '${KEY}', operator: Exists}]"),
         "rejected spec.template.spec.requirements[0].key: \"${KEY}\" looks like a variable", NULL},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_finding(cases[i].text, ADVICE, cases[i].finding, cases[i].hint);
}

static void nothing_to_say_of_a_sound_pool(void **state)
{
    (void)state;
    assert_findings(
        POOL("limits: {cpu: 1000, memory: 1000Gi, nodes: 10}, weight: 10, disruption: {budgets: "
             "[{nodes: "
             "10%}, {nodes: '0', schedule: '0 9 * * mon-fri', duration: 8h}]}, ",
             "metadata: {labels: {team: a, example.com/instance-family: x}}, ",
             "[{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: "
             "karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}, {key: "
             "karpenter.k8s.aws/instance-generation, operator: Gt, values: ['2']}, {key: "
             "node-role.kubernetes.io/x, operator: DoesNotExist}]"),
        NULL, ADVICE, "");
    assert_no_finding(POOL("", "", "[{key: kubernetes.io/role, operator: Exists}]"),
                      "W-label-typo");
}

// AWN-703: terms that mix are told, also those that upstream lets through.
static void advice_on_node_classes_API_313(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *finding;
    } cases[] = {
        {", amiSelectorTerms: [{alias: al2023@latest}]",
         "warning W-alias-latest spec.amiSelectorTerms[0].alias: "},
        {", amiSelectorTerms: [{alias: al2@a@b}]", "rejected spec.amiSelectorTerms[0].alias: "},
        {", amiFamily: AL2, amiSelectorTerms: [{ssmParameter: /x, name: y}]",
         "warning W-term-mixed spec.amiSelectorTerms[0]: name is ignored beside ssmParameter"},
        {PINNED ", blockDeviceMappings: [{deviceName: /dev/xvda}]",
         "warning W-volume spec.blockDeviceMappings[0]: ebs is missing"},
        {PINNED
         ", blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 1Gi, volumeType: io1, "
         "iops: 64001}}]",
         "warning W-volume spec.blockDeviceMappings[0].ebs.iops: io1 allows 100 to 64000 iops"},
        {PINNED ", userData: IyEvYmluL2Jhc2gKZWNobyBoZWxsbwo=",
         "rejected spec.userData: user data is plain "
         "text"},
        {", amiSelectorTerms: [{alias: bottlerocket@1.20.0}], userData: \"#!/bin/bash\"",
         "rejected spec.userData: Bottlerocket does not read shell scripts"},
        {PINNED ", userData: '[settings.kubernetes]'",
         "rejected spec.userData: AL2023 does not read TOML"},
        {PINNED ", tags: {aws:x: y}", "warning W-tag-limits spec.tags.aws:x: "},
        {PINNED ", kubelet: {maxPod: 1}", "rejected spec.kubelet.maxPod: unknown field"},
        {PINNED ", kubelet: {podsPerCore: -1}", "rejected spec.kubelet.podsPerCore: "},
        {PINNED ", kubelet: {evictionHard: {memory.free: 5%}}",
         "rejected spec.kubelet.evictionHard[\"memory.free\"]: spec.kubelet.evictionHard"},
        {PINNED ", kubelet: {evictionHard: {memory.available: 101%}}",
         "rejected spec.kubelet.evictionHard[\"memory.available\"]: spec.kubelet.evictionHard"},
        {PINNED ", kubelet: {evictionSoft: {memory.available: 5%}}",
         "rejected spec.kubelet.evictionSoft[\"memory.available\"]: "},
        {PINNED ", kubelet: {imageGCHighThresholdPercent: 10, imageGCLowThresholdPercent: 20}",
         "rejected spec.kubelet.imageGCHighThresholdPercent: "},
        {PINNED ", kubelet: {maxPods: 'vcpus * 8'}",
         "warning W-feature-gate spec.kubelet.maxPods: "},
        {", amiSelectorTerms: [{alias: al2@v1}], kubelet: {registryBurst: 5}",
         "rejected spec.kubelet.registryBurst: registryBurst cannot be set for family AL2"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char text[1500];
        snprintf(text, sizeof text, "%.*s%s}}", (int)strlen(CLASS("")) - 2, CLASS(""),
                 cases[i].spec);
        assert_finding(text, ADVICE, cases[i].finding, NULL);
    }
    assert_findings(
        CLASS(PINNED ", kubelet: {maxPods: 20, kubeReserved: {cpu: 100m}, tlsCurvePreferences: "
                     "[29], featureGates: {A: true}}, userData: 'echo ${HOME}'"),
        NULL, ADVICE, "");
}

// --- objects together ----------------------------------------------------------------------------
static void assert_set(const char *const *texts, size_t count, const char *expected)
{
    struct checked checked[4];
    struct validated set[4];
    struct text text = {0};
    for (size_t i = 0; i < count; i++) {
        checked[i] = check_with(texts[i], NULL, ADMISSION);
        const json_t *metadata = json_object_get(checked[i].stored, "metadata");
        set[i] = (struct validated){
            kind_find(json_string_value(json_object_get(checked[i].stored, "apiVersion")),
                      json_string_value(json_object_get(checked[i].stored, "kind"))),
            json_string_value(json_object_get(metadata, "name")), checked[i].stored,
            &checked[i].findings};
    }
    validate_set(set, count);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < checked[i].findings.count; k++)
            if (strcmp(checked[i].findings.items[k].code, "W-defined-twice") !=
                0) // one name for all
                text_format(&text, "%zu %s %s\n", i, checked[i].findings.items[k].code,
                            checked[i].findings.items[k].path);
        checked_free(&checked[i]);
    }
    assert_string_equal(text.data != NULL ? text.data : "", expected);
    text_free(&text);
}

// Names in the wrong form: each has the remedy in its hint.
static void names_of_node_classes_API_313_AWN_1(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line, *hint;
    } cases[] = {
        {BARE_CLASS("role: 'arn:aws:iam::000000000000:role/path/nodes', "
                    "subnetSelectorTerms: [{id: subnet-1}]"),
         "rejected spec.role: this is an ARN", "write role: nodes"},
        {BARE_CLASS("role: 'arn:aws:iam::000000000000:instance-profile/own', "
                    "subnetSelectorTerms: [{id: subnet-1}]"),
         "rejected spec.role: this is an ARN", "write instanceProfile: own"},
        {BARE_CLASS("instanceProfile: 'arn:aws-cn:iam::000000000000:instance-profile/own', "
                    "subnetSelectorTerms: [{id: subnet-1}]"),
         "rejected spec.instanceProfile: this is an ARN", "write instanceProfile: own"},
        {BARE_CLASS("role: r, subnetSelectorTerms: [{id: mine}]"),
         "refused spec.subnetSelectorTerms[0].id: ", "write tags: {Name: mine}"},
        {BARE_CLASS("role: r, subnetSelectorTerms: [{id: eks-subnet-1}]"),
         "warning W-name-form spec.subnetSelectorTerms[0].id: eks-subnet-1 is no id",
         "write tags: {Name: eks-subnet-1}"},
        {BARE_CLASS("role: r, subnetSelectorTerms: [{id: 'arn:aws:ec2:us-west-2:000000000000:"
                    "subnet/subnet-0123456789abcdef0'}]"),
         "warning W-name-form spec.subnetSelectorTerms[0].id: ",
         "write id: subnet-0123456789abcdef0"},
        {BARE_CLASS("role: r, subnetSelectorTerms: [{tags: {Name: subnet-0123456789abcdef0}}]"),
         "warning W-name-form spec.subnetSelectorTerms[0].tags.Name: ",
         "write id: subnet-0123456789abcdef0"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_finding(cases[i].text, ADVICE, cases[i].line, cases[i].hint);
}

static void names_of_groups_images_and_versions_API_313(void **state)
{
    (void)state;
    assert_finding(GROUPS("{id: mine}"), ADVICE,
                   "refused spec.securityGroupSelectorTerms[0].id: ", "a name goes to name: mine");
    assert_finding(
        GROUPS("{name: sg-0123abcd}"), ADVICE,
        "warning W-name-form spec.securityGroupSelectorTerms[0].name: ", "write id: sg-0123abcd");
    assert_no_finding(GROUPS("{name: sg-nodes}, {tags: {Name: sg-nodes}}"), "W-name-form");
    assert_finding(CLASS(", amiFamily: AL2, amiSelectorTerms: [{name: ami-0123abcd}]"), ADVICE,
                   "warning W-name-form spec.amiSelectorTerms[0].name: ", "write id: ami-0123abcd");
    assert_finding(CLASS(", amiFamily: AL2, amiSelectorTerms: [{id: mine}]"), ADVICE,
                   "refused spec.amiSelectorTerms[0].id: ", "a name goes to name: mine");
    assert_finding(CLASS(", amiSelectorTerms: [{alias: al2023@1.30}]"), ADVICE,
                   "warning W-alias-version spec.amiSelectorTerms[0].alias: ", "v20260715");
    assert_finding(CLASS(", amiSelectorTerms: [{alias: bottlerocket@v20260715}]"), ADVICE,
                   "warning W-alias-version spec.amiSelectorTerms[0].alias: ", "v1.50.0");
    assert_no_finding(CLASS(", amiSelectorTerms: [{alias: bottlerocket@1.50.0}]"), "W-alias");
    assert_finding(CLASS(", amiSelectorTerms: [{alias: AL2023@latest}]"), ADVICE,
                   "refused spec.amiSelectorTerms[0].alias: family is not supported", "lower case");
    assert_finding(CLASS(", amiSelectorTerms: [{alias: windows2022@v1}]"), ADVICE,
                   "refused spec.amiSelectorTerms[0].alias: windows", "windows2022@latest");
    assert_finding(CLASS(", amiSelectorTerms: [{alias: al2023@v20240807}, {id: ami-1}]"), ADVICE,
                   "refused spec.amiSelectorTerms: 'alias'", "leave out the alias");
}

static void zones_and_regions_API_313(void **state)
{
    (void)state;
#define ZONE(key, value) POOL("", "", "[{key: " key ", operator: In, values: [" value "]}]")
#define AT_VALUE         "warning W-zone spec.template.spec.requirements[0].values[0]: "
    static const char *const good[] = {"us-west-2a", "us-gov-west-1b", "us-west-2-lax-1a",
                                       "test-zone-1", "zone-1"};
    assert_finding(ZONE("topology.kubernetes.io/zone", "us-west-2"), ADVICE,
                   AT_VALUE "us-west-2 is a region", "such as us-west-2a");
    assert_finding(ZONE("topology.kubernetes.io/zone", "us-gov-east-1"), ADVICE,
                   AT_VALUE "us-gov-east-1 is a region", NULL);
    assert_finding(ZONE("topology.kubernetes.io/zone", "use1-az2"), ADVICE,
                   AT_VALUE "use1-az2 is the id of a zone", "topology.k8s.aws/zone-id");
    assert_finding(ZONE("failure-domain.beta.kubernetes.io/zone", "us-west-2"), ADVICE,
                   AT_VALUE "us-west-2 is a region", NULL);
    assert_finding(ZONE("topology.kubernetes.io/region", "eu-central-1b"), ADVICE,
                   AT_VALUE "eu-central-1b is a zone", "write eu-central-1,");
    assert_finding(ZONE("topology.kubernetes.io/region", "us-west-2-lax-1a"), ADVICE,
                   AT_VALUE "us-west-2-lax-1a is a zone", "write us-west-2,");
    assert_finding(ZONE("topology.k8s.aws/zone-id", "us-west-2a"), ADVICE,
                   AT_VALUE "us-west-2a is no id", "usw2-az1");
    assert_finding(POOL("", "metadata: {labels: {topology.kubernetes.io/zone: us-west-2}}, ", "[]"),
                   ADVICE, "warning W-zone spec.template.metadata.labels", "such as us-west-2a");
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        char text[1000];
        snprintf(text, sizeof text, ZONE("topology.kubernetes.io/zone", "%s"), good[i]);
        assert_no_finding(text, "W-zone");
    }
    assert_no_finding(ZONE("topology.kubernetes.io/region", "us-west-2"), "W-zone");
    assert_no_finding(ZONE("topology.k8s.aws/zone-id", "usw2-lax1-az1"), "W-zone");
}

static void references_and_ties_API_313(void **state)
{
    (void)state;
    assert_set((const char *[]){POOL("", "", "[]"), CLASS(PINNED)}, 2,
               "0 W-nodeclass-missing spec.template.spec.nodeClassRef\n1 W-unused-nodeclass \n");
    assert_set((const char *[]){POOL("", "", "[]")}, 1, "");
    assert_set((const char *[]){POOL("", "", "[{key: a, operator: In, values: [x]}]"),
                                POOL("", "", "[{key: a, operator: In, values: [z]}]"),
                                POOL("", "", "[{key: b, operator: Exists}]"),
                                POOL("weight: 2, ", "", "[{key: b, operator: Exists}]")},
               4, "2 W-weight-tie spec.weight\n");
#define OVERLAY(spec)                                                                              \
    "{apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: o}, spec: {" spec "}" \
    "}"
    assert_set((const char *[]){OVERLAY("requirements: [], price: '1'"),
                                OVERLAY("requirements: [], priceAdjustment: '+1'"),
                                OVERLAY("requirements: [], capacity: {a/b: 1}")},
               3, "1 W-overlay-tie spec.weight\n");
}

static void status_message_of_refusals(void **state)
{
    (void)state;
    char message[500];
    struct checked checked =
        check_with(POOL("weight: 0, ", "", "[{key: a, operator: In}]"), NULL, ADMISSION);
    findings_status_message(&checked.findings, kind_get(KIND_NODE_POOL), "p", message,
                            sizeof message);
    assert_string_equal(
        message, "NodePool.karpenter.sh \"p\" is invalid: [spec.template.spec.requirements[0]: "
                 "requirements with operator 'In' must have a value defined, spec.weight: 0 is "
                 "less than 1]");
    checked_free(&checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in_API_10_11),
        cmocka_unit_test(nulls_are_dropped_and_defaulted_API_11_27_29),
        cmocka_unit_test(a_status_is_dropped_at_creation_API_107),
        cmocka_unit_test(a_written_status_is_checked_and_the_rest_kept_API_21),
        cmocka_unit_test(free_form_objects_stay_as_they_are_API_86),
        cmocka_unit_test(unknown_fields_are_refused_with_a_hint_GUI_10_15),
        cmocka_unit_test(values_have_types_bounds_and_forms_API_32),
        cmocka_unit_test(required_fields_API_32_609),
        cmocka_unit_test(metadata_is_checked_API_27),
        cmocka_unit_test(restricted_labels_API_40_45_47),
        cmocka_unit_test(requirements_need_values_API_44_312),
        cmocka_unit_test(transitions_are_checked_on_update_API_43_48_59),
        cmocka_unit_test(what_was_broken_before_is_forgiven_API_10_27),
        cmocka_unit_test(overlays_and_buffers_API_69_78),
        cmocka_unit_test(node_class_rules_API_86_to_97),
        cmocka_unit_test(volume_sizes_API_604),
        cmocka_unit_test(run_time_checks_are_rejections_API_150_to_155),
        cmocka_unit_test(the_controller_joins_all_errors_LIF_203_204),
        cmocka_unit_test(annotations_of_pools_SCH_521),
        cmocka_unit_test(advice_on_node_pools_API_313),
        cmocka_unit_test(nothing_to_say_of_a_sound_pool),
        cmocka_unit_test(advice_on_node_classes_API_313),
        cmocka_unit_test(names_of_node_classes_API_313_AWN_1),
        cmocka_unit_test(names_of_groups_images_and_versions_API_313),
        cmocka_unit_test(zones_and_regions_API_313),
        cmocka_unit_test(references_and_ties_API_313),
        cmocka_unit_test(status_message_of_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
