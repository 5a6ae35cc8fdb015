#include "model/validate/validate_kubelet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/quantity.h"
#include "base/vector.h"
#include "model/schema/core.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_prepare.h"
#include "model/validate/validate_schema.h"

// AWN-800. The offsets are never used, since no struct is read from these fields.
#define ROW(name, kind, ...) FIELD_SCHEMA(name, kind, 0, .rule_id = "AWN-231", __VA_ARGS__)
#define OBJECT_TYPE(identifier, type_name, ...)                    \
    static const struct field identifier##_rows[] = {__VA_ARGS__}; \
    static const struct type identifier = TYPE(type_name, struct object_meta, identifier##_rows)

OBJECT_TYPE(type_x509, "KubeletX509Authentication", ROW("clientCAFile", STRING));
OBJECT_TYPE(type_webhook_authentication, "KubeletWebhookAuthentication", ROW("enabled", BOOL),
            ROW("cacheTTL", DURATION));
OBJECT_TYPE(type_anonymous, "KubeletAnonymousAuthentication", ROW("enabled", BOOL));
OBJECT_TYPE(type_authentication, "KubeletAuthentication", ROW("x509", OBJECT, .type = &type_x509),
            ROW("webhook", OBJECT, .type = &type_webhook_authentication),
            ROW("anonymous", OBJECT, .type = &type_anonymous));
OBJECT_TYPE(type_webhook_authorization, "KubeletWebhookAuthorization",
            ROW("cacheAuthorizedTTL", DURATION), ROW("cacheUnauthorizedTTL", DURATION));
OBJECT_TYPE(type_authorization, "KubeletAuthorization", ROW("mode", STRING),
            ROW("webhook", OBJECT, .type = &type_webhook_authorization));
OBJECT_TYPE(type_memory_swap, "MemorySwapConfiguration", ROW("swapBehavior", STRING));
OBJECT_TYPE(type_crash_loop, "CrashLoopBackOffConfig", ROW("maxContainerRestartPeriod", DURATION));
OBJECT_TYPE(type_user_namespaces, "UserNamespaces", ROW("idsPerPod", OPTIONAL_INT));
OBJECT_TYPE(type_tracing, "TracingConfiguration", ROW("endpoint", STRING),
            ROW("samplingRatePerMillion", OPTIONAL_INT32));
OBJECT_TYPE(type_vmodule, "VModuleItem", ROW("filePattern", STRING),
            ROW("verbosity", OPTIONAL_INT));
OBJECT_TYPE(type_log_output, "OutputRoutingOptions", ROW("splitStream", BOOL),
            ROW("infoBufferSize", INT_OR_STRING));
OBJECT_TYPE(type_log_options, "FormatOptions", ROW("text", OBJECT, .type = &type_log_output),
            ROW("json", OBJECT, .type = &type_log_output));
OBJECT_TYPE(type_logging, "LoggingConfiguration", ROW("format", STRING),
            ROW("flushFrequency", INT_OR_STRING), ROW("verbosity", OPTIONAL_INT),
            ROW("vmodule", LIST, .type = &type_vmodule),
            ROW("options", OBJECT, .type = &type_log_options));
OBJECT_TYPE(type_shutdown, "ShutdownGracePeriodByPodPriority", ROW("priority", OPTIONAL_INT32),
            ROW("shutdownGracePeriodSeconds", OPTIONAL_INT));
OBJECT_TYPE(type_reserved_memory, "MemoryReservation", ROW("numaNode", OPTIONAL_INT32),
            ROW("limits", RESOURCE_MAP));
OBJECT_TYPE(type_kubelet_taint, "Taint", ROW("effect", STRING), ROW("key", STRING),
            ROW("timeAdded", TIME), ROW("value", STRING));

static const struct field kubelet_rows[] = {
    ROW("apiVersion", STRING),
    ROW("kind", STRING),
    ROW("enableServer", BOOL),
    ROW("rotateCertificates", BOOL),
    ROW("serverTLSBootstrap", BOOL),
    ROW("enableDebuggingHandlers", BOOL),
    ROW("enableContentionProfiling", BOOL),
    ROW("cgroupsPerQOS", BOOL),
    ROW("singleProcessOOMKill", BOOL),
    ROW("runOnce", BOOL),
    ROW("cpuCFSQuota", BOOL),
    ROW("serializeImagePulls", BOOL),
    ROW("mergeDefaultEvictionSettings", BOOL),
    ROW("enableControllerAttachDetach", BOOL),
    ROW("protectKernelDefaults", BOOL),
    ROW("makeIPTablesUtilChains", BOOL),
    ROW("failSwapOn", BOOL),
    ROW("kernelMemcgNotification", BOOL),
    ROW("enableSystemLogHandler", BOOL),
    ROW("enableSystemLogQuery", BOOL),
    ROW("enableProfilingHandler", BOOL),
    ROW("enableDebugFlagsHandler", BOOL),
    ROW("seccompDefault", BOOL),
    ROW("registerNode", BOOL),
    ROW("localStorageCapacityIsolation", BOOL),
    ROW("failCgroupV1", BOOL),
    ROW("port", OPTIONAL_INT32),
    ROW("readOnlyPort", OPTIONAL_INT32),
    ROW("registryPullQPS", OPTIONAL_INT32),
    ROW("registryBurst", OPTIONAL_INT32),
    ROW("eventRecordQPS", OPTIONAL_INT32),
    ROW("eventBurst", OPTIONAL_INT32),
    ROW("healthzPort", OPTIONAL_INT32),
    ROW("oomScoreAdj", OPTIONAL_INT32),
    ROW("nodeLeaseDurationSeconds", OPTIONAL_INT32),
    ROW("imageGCHighThresholdPercent", OPTIONAL_INT32),
    ROW("imageGCLowThresholdPercent", OPTIONAL_INT32),
    ROW("maxPods", OPTIONAL_INT32),
    ROW("nodeStatusMaxImages", OPTIONAL_INT32),
    ROW("kubeAPIQPS", OPTIONAL_INT32),
    ROW("kubeAPIBurst", OPTIONAL_INT32),
    ROW("maxParallelImagePulls", OPTIONAL_INT32),
    ROW("evictionMaxPodGracePeriod", OPTIONAL_INT32),
    ROW("podsPerCore", OPTIONAL_INT32),
    ROW("iptablesMasqueradeBit", OPTIONAL_INT32),
    ROW("iptablesDropBit", OPTIONAL_INT32),
    ROW("containerLogMaxFiles", OPTIONAL_INT32),
    ROW("containerLogMaxWorkers", OPTIONAL_INT32),
    ROW("podPidsLimit", OPTIONAL_INT),
    ROW("maxOpenFiles", OPTIONAL_INT),
    ROW("memoryThrottlingFactor", PRICE),
    ROW("staticPodPath", STRING),
    ROW("podLogsDir", STRING),
    ROW("staticPodURL", STRING),
    ROW("address", STRING),
    ROW("tlsCertFile", STRING),
    ROW("tlsPrivateKeyFile", STRING),
    ROW("tlsMinVersion", STRING),
    ROW("imagePullCredentialsVerificationPolicy", STRING),
    ROW("healthzBindAddress", STRING),
    ROW("clusterDomain", STRING),
    ROW("kubeletCgroups", STRING),
    ROW("systemCgroups", STRING),
    ROW("cgroupRoot", STRING),
    ROW("cgroupDriver", STRING),
    ROW("cpuManagerPolicy", STRING),
    ROW("memoryManagerPolicy", STRING),
    ROW("topologyManagerPolicy", STRING),
    ROW("topologyManagerScope", STRING),
    ROW("hairpinMode", STRING),
    ROW("podCIDR", STRING),
    ROW("resolvConf", STRING),
    ROW("contentType", STRING),
    ROW("containerLogMaxSize", STRING),
    ROW("configMapAndSecretChangeDetectionStrategy", STRING),
    ROW("reservedSystemCPUs", STRING),
    ROW("showHiddenMetricsForVersion", STRING),
    ROW("systemReservedCgroup", STRING),
    ROW("kubeReservedCgroup", STRING),
    ROW("volumePluginDir", STRING),
    ROW("providerID", STRING),
    ROW("memoryReservationPolicy", STRING),
    ROW("containerRuntimeEndpoint", STRING),
    ROW("imageServiceEndpoint", STRING),
    ROW("syncFrequency", DURATION),
    ROW("fileCheckFrequency", DURATION),
    ROW("httpCheckFrequency", DURATION),
    ROW("streamingConnectionIdleTimeout", DURATION),
    ROW("nodeStatusUpdateFrequency", DURATION),
    ROW("nodeStatusReportFrequency", DURATION),
    ROW("imageMinimumGCAge", DURATION),
    ROW("imageMaximumGCAge", DURATION),
    ROW("volumeStatsAggPeriod", DURATION),
    ROW("cpuManagerReconcilePeriod", DURATION),
    ROW("runtimeRequestTimeout", DURATION),
    ROW("cpuCFSQuotaPeriod", DURATION),
    ROW("evictionPressureTransitionPeriod", DURATION),
    ROW("containerLogMonitorInterval", DURATION),
    ROW("shutdownGracePeriod", DURATION),
    ROW("shutdownGracePeriodCriticalPods", DURATION),
    ROW("tlsCipherSuites", STRING_LIST),
    ROW("preloadedImagesVerificationAllowlist", STRING_LIST),
    ROW("clusterDNS", STRING_LIST),
    ROW("enforceNodeAllocatable", STRING_LIST),
    ROW("allowedUnsafeSysctls", STRING_LIST),
    ROW("tlsCurvePreferences", JSON, .format = "array"),
    ROW("cpuManagerPolicyOptions", STRING_MAP),
    ROW("topologyManagerPolicyOptions", STRING_MAP),
    ROW("qosReserved", STRING_MAP),
    ROW("evictionHard", STRING_MAP),
    ROW("evictionSoft", STRING_MAP),
    ROW("evictionSoftGracePeriod", STRING_MAP),
    ROW("evictionMinimumReclaim", STRING_MAP),
    ROW("systemReserved", STRING_MAP),
    ROW("kubeReserved", STRING_MAP),
    ROW("featureGates", JSON),
    ROW("staticPodURLHeader", JSON),
    ROW("authentication", OBJECT, .type = &type_authentication),
    ROW("authorization", OBJECT, .type = &type_authorization),
    ROW("memorySwap", OBJECT, .type = &type_memory_swap),
    ROW("crashLoopBackOff", OBJECT, .type = &type_crash_loop),
    ROW("userNamespaces", OBJECT, .type = &type_user_namespaces),
    ROW("tracing", OBJECT, .type = &type_tracing),
    ROW("logging", OBJECT, .type = &type_logging),
    ROW("registerWithTaints", LIST, .type = &type_kubelet_taint),
    ROW("shutdownGracePeriodByPodPriority", LIST, .type = &type_shutdown),
    ROW("reservedMemory", LIST, .type = &type_reserved_memory),
};
static const struct type type_kubelet =
    TYPE("KubeletConfiguration", struct object_meta, kubelet_rows);

static void check_structure(struct validation *validation, const struct place *place,
                            const json_t *kubelet);
static void check_semantics(struct validation *validation, const struct place *place,
                            const json_t *kubelet);
static void check_family(struct validation *validation, const struct place *place,
                         const json_t *kubelet, const char *family);
static void check_expressions(struct validation *validation, const struct place *place,
                              const json_t *kubelet);

void advise_kubelet(struct validation *validation, const json_t *kubelet, const char *family)
{
    struct place spec_place = {NULL, "spec", 0}, place = {&spec_place, "kubelet", 0};
    check_structure(validation, &place, kubelet);
    check_semantics(validation, &place, kubelet);
    check_expressions(validation, &place, kubelet);
    check_family(validation, &place, kubelet, family);
}

static void reject(struct validation *validation, const struct place *place, const char *rule,
                   const char *format, ...) PRINTF_LIKE(4, 5);
static void reject(struct validation *validation, const struct place *place, const char *rule,
                   const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    validation_report(validation,
                      &(struct report){.level = FINDING_REJECTED, .rule = rule, .place = place},
                      "%s", message);
}

// --- AWN-231 -------------------------------------------------------------------------------------
// A list or a map with members of one type; JSON_TRUE: true or false.
static bool has_only(const json_t *value, json_type form, json_type type)
{
    size_t index;
    const char *key;
    json_t *item;
    json_array_foreach (value, index, item)
        if (json_typeof(item) != type)
            return false;
    json_object_foreach ((json_t *)value, key, item)
        if (json_typeof(item) != type && !(type == JSON_TRUE && json_is_false(item)))
            return false;
    return json_typeof(value) == form || json_is_null(value);
}

// Texts that must be durations, at any depth, and the fields that the tables leave to their reader.
static void check_readers(struct validation *validation, const struct place *parent,
                          const struct type *type, const json_t *value)
{
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        const json_t *member = json_object_get(value, field->name);
        struct place place = {parent, field->name, 0};
        int64_t duration;
        if (member == NULL)
            continue;
        if (field->kind == FIELD_OBJECT)
            check_readers(validation, &place, field->type, member);
        else if (field->kind == FIELD_DURATION && json_is_string(member) &&
                 !duration_parse(json_string_value(member), &duration, NULL))
            reject(validation, &place, "AWN-231", "\"%.100s\" is not a duration such as 1m30s",
                   json_string_value(member));
        else if (strcmp(field->name, "tlsCurvePreferences") == 0 &&
                 !has_only(member, JSON_ARRAY, JSON_INTEGER))
            reject(validation, &place, "AWN-231", "must be a list of integers");
        else if (strcmp(field->name, "featureGates") == 0 &&
                 !has_only(member, JSON_OBJECT, JSON_TRUE))
            reject(validation, &place, "AWN-231", "must be a map of true and false");
        else if (strcmp(field->name, "staticPodURLHeader") == 0 &&
                 !has_only(member, JSON_OBJECT, JSON_ARRAY))
            reject(validation, &place, "AWN-231", "must be a map of lists of strings");
    }
}

// The tables' own walk finds the errors; the controller's verdict is a rejection, not a refusal. A
// maxPods in words is an expression.
static void check_structure(struct validation *validation, const struct place *place,
                            const json_t *kubelet)
{
    struct findings findings = {0};
    struct validate_options options = {0};
    struct validation inner = {
        .kind = validation->kind, .options = &options, .findings = &findings};
    json_t *copy = json_copy((json_t *)kubelet);
    if (json_is_string(json_object_get(copy, "maxPods")))
        json_object_set_new(copy, "maxPods", json_integer(0));
    json_t *prepared = prepare_object(&inner, place, &type_kubelet, copy);
    check_object(&inner, place, &type_kubelet, prepared, NULL);
    for (uint32_t i = 0; validation->findings != NULL && i < findings.count; i++)
        findings_add(validation->findings,
                     &(struct finding){.level = FINDING_REJECTED,
                                       .rule = "AWN-231",
                                       .path = findings.items[i].path,
                                       .hint = findings.items[i].hint},
                     "%s", findings.items[i].message);
    if (validation->findings != NULL)
        check_readers(validation, place, &type_kubelet, copy);
    json_decref(prepared);
    json_decref(copy);
    findings_free(&findings);
}

// --- AWN-232 -------------------------------------------------------------------------------------
static const char *const signals[] = {"memory.available",
                                      "nodefs.available",
                                      "nodefs.inodesFree",
                                      "imagefs.available",
                                      "imagefs.inodesFree",
                                      "pid.available",
                                      NULL};
static const char *const reservable[] = {"cpu", "memory", "ephemeral-storage", "pid", NULL};

static void check_keys(struct validation *validation, const struct place *parent,
                       const json_t *kubelet, const char *name, const char *const *allowed)
{
    struct place map_place = {parent, name, 0};
    struct text list = {0};
    for (size_t i = 0; allowed[i] != NULL; i++)
        text_join(&list, ", ", allowed[i]);
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(kubelet, name), key, value) {
        struct place place = {&map_place, key, 0};
        if (!text_list_has(allowed, key))
            reject(validation, &place, "AWN-232", "spec.kubelet.%s: \"%s\" is not one of %s", name,
                   key, list.data);
    }
    text_free(&list);
}

static bool is_threshold(const char *text)
{
    size_t length = strlen(text);
    if (length > 1 && text[length - 1] == '%') {
        char *end;
        double percent = strtod(text, &end);
        return end == text + length - 1 && isfinite(percent) && percent >= 0 && percent <= 100;
    }
    int64_t quantity;
    return quantity_parse_scaled(text, 3, &quantity, NULL) && quantity >= 0;
}

static bool is_grace_period(const char *text)
{
    int64_t duration;
    return duration_parse(text, &duration, NULL) && duration >= 0;
}

static bool is_not_negative(const char *text)
{
    return text[0] != '-';
}

static void check_values(struct validation *validation, const struct place *parent,
                         const json_t *kubelet, const char *name, bool (*is_valid)(const char *),
                         const char *wanted)
{
    struct place map_place = {parent, name, 0};
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(kubelet, name), key, value) {
        struct place place = {&map_place, key, 0};
        if (json_is_string(value) && !is_valid(json_string_value(value)))
            reject(validation, &place, "AWN-232", "spec.kubelet.%s: \"%s\" is not %s", name,
                   json_string_value(value), wanted);
    }
}

static void check_same_keys(struct validation *validation, const struct place *parent,
                            const json_t *kubelet, const char *name, const char *other)
{
    struct place map_place = {parent, name, 0};
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(kubelet, name), key, value) {
        struct place place = {&map_place, key, 0};
        if (json_object_get(json_object_get(kubelet, other), key) == NULL)
            reject(validation, &place, "AWN-232", "spec.kubelet.%s: %s has no entry in %s", name,
                   key, other);
    }
}

static void check_range(struct validation *validation, const struct place *parent,
                        const json_t *kubelet, const char *name, json_int_t most)
{
    struct place place = {parent, name, 0};
    const json_t *value = json_object_get(kubelet, name);
    if (json_is_integer(value) &&
        (json_integer_value(value) < 0 || json_integer_value(value) > most))
        reject(validation, &place, "AWN-232",
               "spec.kubelet.%s: %" JSON_INTEGER_FORMAT
               " is not between 0 and %" JSON_INTEGER_FORMAT,
               name, json_integer_value(value), most);
}

static void check_semantics(struct validation *validation, const struct place *place,
                            const json_t *kubelet)
{
    static const char *const threshold_maps[] = {"evictionHard", "evictionSoft",
                                                 "evictionMinimumReclaim"};
    static const char *const reserved_maps[] = {"kubeReserved", "systemReserved"};
    struct place taints_place = {place, "registerWithTaints", 0};
    struct place high_place = {place, "imageGCHighThresholdPercent", 0};
    if (json_has(kubelet, "registerWithTaints"))
        reject(validation, &taints_place, "AWN-232",
               "spec.kubelet.registerWithTaints may not be set: write taints in the NodePool");
    for (size_t i = 0; i < ARRAY_LENGTH(threshold_maps); i++) {
        check_keys(validation, place, kubelet, threshold_maps[i], signals);
        check_values(validation, place, kubelet, threshold_maps[i], is_threshold,
                     "a percentage from 0% to 100% or a quantity");
    }
    check_keys(validation, place, kubelet, "evictionSoftGracePeriod", signals);
    check_values(validation, place, kubelet, "evictionSoftGracePeriod", is_grace_period,
                 "a duration such as 1m30s");
    check_same_keys(validation, place, kubelet, "evictionSoft", "evictionSoftGracePeriod");
    check_same_keys(validation, place, kubelet, "evictionSoftGracePeriod", "evictionSoft");
    for (size_t i = 0; i < ARRAY_LENGTH(reserved_maps); i++) {
        check_keys(validation, place, kubelet, reserved_maps[i], reservable);
        check_values(validation, place, kubelet, reserved_maps[i], is_not_negative, "zero or more");
    }
    check_range(validation, place, kubelet, "imageGCHighThresholdPercent", 100);
    check_range(validation, place, kubelet, "imageGCLowThresholdPercent", 100);
    check_range(validation, place, kubelet, "podsPerCore", INT32_MAX);
    check_range(validation, place, kubelet, "evictionMaxPodGracePeriod", INT32_MAX);
    check_range(validation, place, kubelet, "maxPods", INT32_MAX);
    const json_t *high = json_object_get(kubelet, "imageGCHighThresholdPercent");
    const json_t *low = json_object_get(kubelet, "imageGCLowThresholdPercent");
    if (json_is_integer(high) && json_is_integer(low) &&
        json_integer_value(high) <= json_integer_value(low))
        reject(validation, &high_place, "AWN-232",
               "spec.kubelet.imageGCHighThresholdPercent must be more than "
               "imageGCLowThresholdPercent");
}

// --- AWN-233, 235: expressions -------------------------------------------------------------------
static void check_expressions(struct validation *validation, const struct place *place,
                              const json_t *kubelet)
{
    static const char *const maps[] = {"kubeReserved", "systemReserved"};
    static const char hint[] = "set AWS_FEATURE_GATES=NodeClassCEL=true on the controller";
    static const char message[] =
        "an expression needs the feature gate NodeClassCEL, which is off by default";
    struct place max_pods_place = {place, "maxPods", 0};
    int64_t number;
    bool is_number = text_parse_int64(text_or_empty(json_text(kubelet, "maxPods")), &number);
    if (json_is_string(json_object_get(kubelet, "maxPods")))
        validation_report(validation,
                          &(struct report){.level = FINDING_WARNING,
                                           .code = "W-feature-gate",
                                           .rule = "AWN-235",
                                           .place = &max_pods_place,
                                           .hint = is_number ? "write it without quotes" : hint},
                          "%s", message);
    for (size_t i = 0; i < ARRAY_LENGTH(maps); i++) {
        struct place map_place = {place, maps[i], 0};
        const char *key;
        json_t *value;
        json_object_foreach (json_object_get(kubelet, maps[i]), key, value) {
            struct place value_place = {&map_place, key, 0};
            int64_t quantity;
            if (json_is_string(value) && json_string_value(value)[0] != '-' &&
                !quantity_parse_scaled(json_string_value(value), 3, &quantity, NULL))
                validation_report(validation,
                                  &(struct report){.level = FINDING_WARNING,
                                                   .code = "W-feature-gate",
                                                   .rule = "AWN-235",
                                                   .place = &value_place,
                                                   .hint = hint},
                                  "%s", message);
        }
    }
}

// --- AWN-429 -------------------------------------------------------------------------------------
static void check_family(struct validation *validation, const struct place *place,
                         const json_t *kubelet, const char *family)
{
    static const char *const interpreted[] = {"clusterDNS",
                                              "maxPods",
                                              "podsPerCore",
                                              "systemReserved",
                                              "kubeReserved",
                                              "evictionHard",
                                              "evictionSoft",
                                              "evictionSoftGracePeriod",
                                              "evictionMaxPodGracePeriod",
                                              "imageGCHighThresholdPercent",
                                              "imageGCLowThresholdPercent",
                                              "cpuCFSQuota",
                                              NULL};
    if (strcmp(family, "AL2023") == 0 || strcmp(family, "Custom") == 0)
        return;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)kubelet, key, value) {
        struct place field_place = {place, key, 0};
        bool too_many = strcmp(key, "clusterDNS") == 0 && json_array_size(value) > 1;
        bool unknown_there = strcmp(family, "Bottlerocket") == 0 && strcmp(key, "podsPerCore") == 0;
        if (!text_list_has(interpreted, key) || unknown_there)
            reject(validation, &field_place, "AWN-429", "%s cannot be set for family %s", key,
                   family);
        else if (too_many)
            reject(validation, &field_place, "AWN-429", "only one address can be set for family %s",
                   family);
    }
}
