// The table of settings, and reading values into struct settings.
#include "model/reading/settings.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading/scheduler_config.h"

#define MEMBER_OF(member)                                  \
    .offset = (uint32_t)offsetof(struct settings, member), \
    .size = (uint32_t)sizeof(((struct settings *)0)->member)
#define ROW(env, flag_name, kind_name, member, text, help_text, ...)                           \
    {                                                                                          \
        .environment = env, .flag = flag_name, .kind = SETTING_##kind_name, MEMBER_OF(member), \
        .default_text = text, .help = help_text, __VA_ARGS__                                   \
    }
#define BETWEEN(low, high) .minimum = (double)(low), .maximum = (double)(high)
#define PORT               BETWEEN(0, 65535)
#define COUNT              BETWEEN(0, INT32_MAX)
#define POSITIVE           BETWEEN(1, INT32_MAX)
#define ANY_NUMBER         BETWEEN(-0x1p53, 0x1p53)
#define ANY_DURATION       BETWEEN(0, 1000 * 24 * (double)HOUR)

static const char *const log_levels[] = {"", "debug", "info", "error", NULL};
static const char *const log_formats[] = {"json", "console", NULL};
static const char *const preference_policies[] = {"Respect", "Ignore", NULL};
static const char *const min_values_policies[] = {"Strict", "BestEffort", NULL};
static const char *const packing_policies[] = {"LowestPrice", "Greedy", NULL};
static const char *const quiets[] = {"pods", "node", NULL};
static const char *const nominations[] = {"Off", "Auto", NULL};
static const char *const surges[] = {"preferred", "required", NULL};
static const char *const compatibilities[] = {"adze", "upstream", NULL};

static const struct setting table[] = {
    ROW("KARPENTER_SERVICE", "karpenter-service", STRING, karpenter_service, "",
        "accepted for compatibility; not used"),
    ROW("METRICS_PORT", "metrics-port", INT, metrics_port, "8080",
        "port of the metrics; 0 switches them off", PORT),
    ROW("HEALTH_PROBE_PORT", "health-probe-port", INT, health_probe_port, "8081",
        "port of the health probes; 0 switches them off", PORT),
    ROW("KUBE_CLIENT_QPS", "kube-client-qps", INT, kube_client_qps, "200",
        "requests a second to the API server; half as many Events beside", POSITIVE),
    ROW("KUBE_CLIENT_BURST", "kube-client-burst", INT, kube_client_burst, "300",
        "requests to the API server at once, beyond the rate", POSITIVE),
    ROW("ENABLE_PROFILING", "enable-profiling", BOOL, enable_profiling, "false",
        "serve profiles below /debug/pprof/ on the metrics port: profile, cmdline, heap"),
    ROW("DISABLE_CONTROLLER_WARMUP", "disable-controller-warmup", BOOL, disable_controller_warmup,
        "true",
        "accepted for compatibility: a replica that waits for the lease fills its caches always"),
    ROW("DISABLE_LEADER_ELECTION", "disable-leader-election", BOOL, disable_leader_election,
        "false", "act without a lease: for a single replica only"),
    ROW("DISABLE_CLUSTER_STATE_OBSERVABILITY", "disable-cluster-state-observability", BOOL,
        disable_cluster_state_observability, "false", "leave out the metrics of nodes and pods"),
    ROW("LEADER_ELECTION_NAME", "leader-election-name", STRING, leader_election_name,
        "karpenter-leader-election", "name of the lease"),
    ROW("LEADER_ELECTION_NAMESPACE", "leader-election-namespace", STRING, leader_election_namespace,
        "", "namespace of the lease; empty: the pod's own"),
    ROW("MEMORY_LIMIT", "memory-limit", INT, memory_limit_bytes, "-1",
        "memory that the container may use, in bytes, by which large backlogs are planned in "
        "portions; -1: not known",
        ANY_NUMBER),
    ROW("CPU_REQUESTS", "cpu-requests", INT, cpu_requests_millicores, "1000",
        "cpu of the container in millicores", ANY_NUMBER),
    ROW("LOG_LEVEL", "log-level", CHOICE, log_level, "info", "least level that is logged",
        .choices = log_levels),
    ROW("LOG_OUTPUT_PATHS", "log-output-paths", STRING, log_output_paths, "stdout",
        "where the log goes: stdout, stderr or files, comma-separated"),
    ROW("LOG_ERROR_OUTPUT_PATHS", "log-error-output-paths", STRING, log_error_output_paths,
        "stderr", "where the logger's own errors go"),
    ROW("BATCH_MAX_DURATION", "batch-max-duration", DURATION, batch_max_duration, "10s",
        "longest time to gather pending pods before deciding", ANY_DURATION),
    ROW("BATCH_IDLE_DURATION", "batch-idle-duration", DURATION, batch_idle_duration, "1s",
        "decide once no further pod has come for this long; after a wave whose workloads have all "
        "their pods a tenth of it",
        ANY_DURATION),
    ROW("PREFERENCE_POLICY", "preference-policy", CHOICE, preference_policy_ignore, "Respect",
        "whether preferred affinities and soft spread constraints count",
        .choices = preference_policies),
    ROW("MIN_VALUES_POLICY", "min-values-policy", CHOICE, min_values_best_effort, "Strict",
        "whether minValues may be given up when they cannot hold", .choices = min_values_policies),
    ROW("IGNORE_DRA_REQUESTS", "ignore-dra-requests", BOOL, ignore_dra_requests, "true",
        "leave pods with dynamic resource claims alone"),
    ROW("FEATURE_GATES", "feature-gates", GATES, feature_gates,
        "ReservedCapacity=true,SpotToSpotConsolidation=false,NodeRepair=false,NodeOverlay=false,"
        "StaticCapacity=false,CapacityBuffer=false",
        "optional behaviour: NAME=true|false, comma-separated"),
    ROW("SCHEDULER_CONFIG", "scheduler-config", STRING, scheduler_config, "",
        "default topology spread constraints of the scheduler, YAML or JSON"),
    ROW("INSTANCE_TYPES_FILE_PATH", "instance-types-file-path", STRING, instance_types_file_path,
        "", "kwok: file with the instance types"),
    ROW("COMPATIBILITY", "compatibility", CHOICE, compatibility_upstream, "adze",
        "upstream: decide as upstream does wherever adze would decide otherwise",
        .choices = compatibilities),
    ROW("PACKING_POLICY", "packing-policy", CHOICE, packing_policy, "LowestPrice",
        "LowestPrice seeks the cheapest nodes; Greedy grows one node after the other",
        .choices = packing_policies, .upstream_text = "Greedy"),
    ROW("POD_NOMINATION", "pod-nomination", CHOICE, pod_nomination, "Auto",
        "Auto: tell kube-scheduler (Kubernetes 1.35 and later) where pods were planned, by "
        "status.nominatedNodeName",
        .choices = nominations),
    ROW("FLEXIBILITY_MARGIN", "flexibility-margin", FLOAT, flexibility_margin, "0.05",
        "what LowestPrice pays for nodes that many instance types can be, as a fraction",
        .minimum = 0, .maximum = 1),
    ROW("NODE_COST", "node-cost", FLOAT, node_cost, "0.02",
        "what a node costs beside its machine (volume, daemons, address), USD an hour: LowestPrice "
        "and consolidation count it; the default follows catalogs whose prices are not EC2's, in "
        "powers of ten",
        .minimum = 0, .maximum = 1000, .upstream_text = "0"),
    ROW("WORKLOAD_GUARD", "workload-guard", BOOL, workload_guard, "true",
        "never disrupt all nodes at once on which a workload of several pods has ready ones",
        .upstream_text = "false"),
    ROW("CONSOLIDATION_QUIET", "consolidation-quiet", CHOICE, quiet_by_node, "pods",
        "pods: a node that has waited for ten times consolidateAfter in vain is quiet if the pods "
        "that would move are; node: any pod that comes or goes keeps it from consolidation",
        .choices = quiets, .upstream_text = "node"),
    ROW("STATIC_DRIFT_SURGE", "static-drift-surge", CHOICE, static_surge_required, "preferred",
        "preferred: where limits.nodes has no room for one more, a drifted node of a static "
        "NodePool "
        "goes before its replacement comes; required: it stays",
        .choices = surges, .upstream_text = "required"),
    ROW("CONSOLIDATION_HORIZON", "consolidation-horizon", DURATION, consolidation_horizon, "4h",
        "within this time a consolidation must earn back what it costs; 0: any saving will do",
        ANY_DURATION, .upstream_text = "0s"),
    ROW("DISRUPTION_COST_PER_POD", "disruption-cost-per-pod", FLOAT, disruption_cost_per_pod,
        "0.02", "what consolidation counts for evicting a pod of ordinary cost, USD", .minimum = 0,
        .maximum = 1000),
    ROW("LAUNCH_COST", "launch-cost", FLOAT, launch_cost, "0.05",
        "what consolidation counts for launching a machine, USD", .minimum = 0, .maximum = 1000),
    ROW("JOB_RUNTIME_COST", "job-runtime-cost", BOOL, job_runtime_cost, "true",
        "evicting a Job's pod costs as much more as it has run hours, up to nine",
        .upstream_text = "false"),
    ROW("SPOT_MIN_TYPES", "spot-min-types", INT, spot_min_types, "1",
        "fewest cheaper instance types for which a spot node is replaced by a spot node; with "
        "fewer "
        "than 15 it must save 30 %",
        BETWEEN(1, 15), .upstream_text = "15"),
    ROW("SPOT_PRICE_WINDOW", "spot-price-window", DURATION, spot_price_window, "6h",
        "consolidation compares the lowest price of a spot node with the highest of its "
        "replacement "
        "in this time; 0: the present ones",
        ANY_DURATION, .upstream_text = "0s"),
    ROW("LOG_FORMAT", "log-format", CHOICE, log_format, "json", "form of the log's lines",
        .choices = log_formats),
    ROW("LEGACY_METRICS", "legacy-metrics", BOOL, legacy_metrics, "false",
        "serve the metric names of older versions, too"),
    ROW("REGISTRATION_TIMEOUT", "registration-timeout", DURATION, registration_timeout, "15m",
        "how long a machine may take from its NodeClaim's creation to its Node",
        BETWEEN(MINUTE, 24 * (double)HOUR)),
    ROW("INITIALIZATION_TIMEOUT", "initialization-timeout", DURATION, initialization_timeout, "0s",
        "how long a Node may take from its registration to being initialized; 0s: as long as it "
        "takes",
        BETWEEN(0, 24 * (double)HOUR)),
    ROW("DISABLED_METRICS", "disabled-metrics", STRING, disabled_metrics, "",
        "metric families that are not served: names, * at the end for all that begin so, "
        "comma-separated"),
    ROW("CLUSTER_NAME", "cluster-name", STRING, cluster_name, "", "AWS: name of the cluster"),
    ROW("CLUSTER_CA_BUNDLE", "cluster-ca-bundle", STRING, cluster_ca_bundle, "",
        "AWS: the cluster's certificate authority for nodes, base64; empty: found out"),
    ROW("CLUSTER_ENDPOINT", "cluster-endpoint", STRING, cluster_endpoint, "",
        "AWS: URL of the API server for nodes; empty: found out"),
    ROW("ISOLATED_VPC", "isolated-vpc", BOOL, isolated_vpc, "false",
        "AWS: do not call APIs that have no VPC endpoint"),
    ROW("EKS_CONTROL_PLANE", "eks-control-plane", BOOL, eks_control_plane, "false",
        "AWS: ask EKS for the endpoint and version"),
    ROW("VM_MEMORY_OVERHEAD_PERCENT", "vm-memory-overhead-percent", FLOAT,
        vm_memory_overhead_percent, "0.075", "AWS: share of memory that the hypervisor keeps",
        BETWEEN(0, 1e6)),
    ROW("INTERRUPTION_QUEUE", "interruption-queue", STRING, interruption_queue, "",
        "AWS: queue of interruption messages: name, URL or ARN"),
    ROW("RESERVED_ENIS", "reserved-enis", INT, reserved_enis, "0",
        "AWS: network interfaces that pods cannot use", COUNT),
    ROW("DISABLE_DRY_RUN", "disable-dry-run", BOOL, disable_dry_run, "false",
        "AWS: do not try permissions with dry runs"),
    ROW("ENABLE_ZONAL_SHIFT", "enable-zonal-shift", BOOL, enable_zonal_shift, "false",
        "AWS: launch nothing in zones that are shifted away"),
    ROW("AMI_REFRESH_INTERVAL", "ami-refresh-interval", DURATION, ami_refresh_interval, "1m",
        "AWS: how often images are looked up", BETWEEN(MINUTE, 1000 * 24 * (double)HOUR)),
    ROW("SUBNET_REFRESH_INTERVAL", "subnet-refresh-interval", DURATION, subnet_refresh_interval,
        "1m", "AWS: how often subnets are looked up", BETWEEN(MINUTE, 1000 * 24 * (double)HOUR)),
    ROW("AWS_FEATURE_GATES", "aws-feature-gates", GATES, aws_feature_gates, "NodeClassCEL=false",
        "AWS: optional behaviour: NAME=true|false, comma-separated"),
};
_Static_assert(sizeof table / sizeof table[0] <= 64, "set_explicitly has 64 bits");

struct gate {
    const char *name;
    uint32_t offset;
    bool is_default;
};
static const struct gate gates[] = {
    {"ReservedCapacity", offsetof(struct settings, gate_reserved_capacity), true},
    {"SpotToSpotConsolidation", offsetof(struct settings, gate_spot_to_spot_consolidation), false},
    {"NodeRepair", offsetof(struct settings, gate_node_repair), false},
    {"NodeOverlay", offsetof(struct settings, gate_node_overlay), false},
    {"StaticCapacity", offsetof(struct settings, gate_static_capacity), false},
    {"CapacityBuffer", offsetof(struct settings, gate_capacity_buffer), false},
};

static bool set_row(struct settings *settings, const struct setting *row, const char *value,
                    struct error *error);

const struct setting *settings_table(uint32_t *count)
{
    *count = ARRAY_LENGTH(table);
    return table;
}

void settings_defaults(struct settings *settings)
{
    memset(settings, 0, sizeof *settings);
    for (const struct setting *row = table; row < table + ARRAY_LENGTH(table); row++) {
        struct error error = {0};
        bool fine = set_row(settings, row, row->default_text, &error);
        assert(fine);
    }
}

static bool refuse_name(const char *name, struct error *error)
{
    const char *names[ARRAY_LENGTH(table)];
    const char *nearest[1];
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        names[i] = table[i].environment;
    if (text_nearest(name, names, ARRAY_LENGTH(table), nearest, 1) == 1)
        return error_set(error, ERROR_INVALID, "no setting is called %.100s; did you mean %s?",
                         name, nearest[0]);
    struct text all = {0};
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        text_join(&all, ", ", names[i]);
    error_set(error, ERROR_INVALID, "no setting is called %.100s; there are %s", name, all.data);
    text_free(&all);
    return false;
}

bool settings_set(struct settings *settings, const char *environment_name, const char *value,
                  struct error *error)
{
    assert(environment_name != NULL);
    assert(value != NULL);
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        if (strcmp(table[i].environment, environment_name) != 0)
            continue;
        if (!set_row(settings, &table[i], value, error))
            return false;
        settings->set_explicitly |= UINT64_C(1) << i;
        return true;
    }
    return refuse_name(environment_name, error);
}

// An empty value counts as not given, except where it is one of the allowed texts.
bool settings_from_environment(struct settings *settings, struct error *error)
{
    for (const struct setting *row = table; row < table + ARRAY_LENGTH(table); row++) {
        const char *value = getenv(row->environment);
        if (value == NULL || (value[0] == '\0' && row->kind != SETTING_STRING))
            continue;
        if (!settings_set(settings, row->environment, value, error))
            return error_prefix(error, "environment");
    }
    return true;
}

bool settings_given(const struct settings *settings, const char *environment_name)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(table); i++)
        if (strcmp(table[i].environment, environment_name) == 0)
            return settings_is_explicit(settings, i);
    return false;
}

// For what was not given.
static void take_upstream_defaults(struct settings *settings)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(table); i++) {
        struct error error = {0};
        if (table[i].upstream_text == NULL || settings_is_explicit(settings, i))
            continue;
        bool fine = set_row(settings, &table[i], table[i].upstream_text, &error);
        assert(fine);
    }
}

bool settings_finish(struct settings *settings, struct error *error)
{
    if (settings->compatibility_upstream)
        take_upstream_defaults(settings);
    if (settings->cpu_requests_millicores <= 0)
        settings->cpu_requests_millicores = 1000;
    if (settings->metrics_port != 0 && settings->metrics_port == settings->health_probe_port)
        return error_set(error, ERROR_INVALID,
                         "METRICS_PORT and HEALTH_PROBE_PORT are both %lld: they must differ",
                         (long long)settings->metrics_port);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct scheduler_config config; // LIF-382
    return scheduler_config_read(settings->scheduler_config, scratch, &config, error);
}

void settings_free(struct settings *settings)
{
    for (uint32_t i = 0; i < settings->strings_count; i++)
        free(settings->strings[i]);
    memset(settings, 0, sizeof *settings);
}

void settings_copy(struct settings *to, const struct settings *from)
{
    assert(to != from);
    assert(from->strings_count <= ARRAY_LENGTH(from->strings));
    *to = *from;
    for (uint32_t i = 0; i < from->strings_count; i++) {
        to->strings[i] = memory_copy_string(from->strings[i]);
        for (const struct setting *row = table; row < table + ARRAY_LENGTH(table); row++) {
            const char **slot = (const char **)((char *)to + row->offset);
            if ((row->kind == SETTING_STRING || row->kind == SETTING_GATES) &&
                *slot == from->strings[i])
                *slot = to->strings[i];
        }
    }
}

bool settings_is_explicit(const struct settings *settings, uint32_t index)
{
    assert(index < ARRAY_LENGTH(table));
    return settings->set_explicitly >> index & 1;
}

// --- values --------------------------------------------------------------------------------------
// A copy
// that the settings own, in the place of the row's earlier one.
static void keep_string(struct settings *settings, const struct setting *row, const char *value)
{
    assert(value != NULL);
    const char **slot = (const char **)((char *)settings + row->offset);
    if (strcmp(value, row->default_text) == 0)
        value = row->default_text;
    char *copy = value == row->default_text ? NULL : memory_copy_string(value);
    for (uint32_t i = 0; i < settings->strings_count; i++) {
        if (settings->strings[i] != *slot || *slot == NULL)
            continue;
        free(settings->strings[i]);
        settings->strings[i] = settings->strings[--settings->strings_count];
        break;
    }
    if (copy != NULL) {
        assert(settings->strings_count < ARRAY_LENGTH(settings->strings));
        settings->strings[settings->strings_count++] = copy;
    }
    *slot = copy != NULL ? copy : row->default_text;
}

static bool parse_bool(const char *text, bool *value)
{
    static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};
    static const char *const no[] = {"0", "f", "F", "FALSE", "false", "False"};
    for (size_t i = 0; i < ARRAY_LENGTH(yes); i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *value = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool set_number(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    assert(row->minimum <= row->maximum);
    int64_t number;
    if (!text_parse_int64(value, &number))
        return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is not a whole number",
                         row->environment, value);
    if ((double)number < row->minimum || (double)number > row->maximum)
        return error_set(error, ERROR_INVALID, "%s: %s is not between %.0f and %.0f",
                         row->environment, value, row->minimum, row->maximum);
    memcpy((char *)settings + row->offset, &number, sizeof number);
    return true;
}

static bool set_float(struct settings *settings, const struct setting *row, const char *value,
                      struct error *error)
{
    char *end;
    errno = 0;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || errno != 0 || !isfinite(number))
        return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is not a number", row->environment,
                         value);
    if (number < row->minimum || number > row->maximum)
        return error_set(error, ERROR_INVALID, "%s: %s is not between %g and %g", row->environment,
                         value, row->minimum, row->maximum);
    memcpy((char *)settings + row->offset, &number, sizeof number);
    return true;
}

static bool set_duration(struct settings *settings, const struct setting *row, const char *value,
                         struct error *error)
{
    assert(row->minimum <= row->maximum);
    int64_t nanoseconds;
    if (!duration_parse(value, &nanoseconds, error))
        return error_prefix(error, "%s", row->environment);
    if ((double)nanoseconds < row->minimum || (double)nanoseconds > row->maximum) {
        char low[DURATION_TEXT_MAX], high[DURATION_TEXT_MAX];
        duration_format((int64_t)row->minimum, low);
        duration_format((int64_t)row->maximum, high);
        return error_set(error, ERROR_INVALID, "%s: %.100s is not between %s and %s",
                         row->environment, value, low, high);
    }
    memcpy((char *)settings + row->offset, &nanoseconds, sizeof nanoseconds);
    return true;
}

static bool refuse_choice(const struct setting *row, const char *value, struct error *error)
{
    struct text allowed = {0};
    for (const char *const *choice = row->choices; *choice != NULL; choice++)
        text_join(&allowed, ", ", **choice == '\0' ? "\"\"" : *choice);
    error_set(error, ERROR_INVALID, "%s: \"%.100s\" is none of %s", row->environment, value,
              allowed.data);
    text_free(&allowed);
    return false;
}

static bool set_choice(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    assert(row->choices != NULL);
    uint32_t index = 0;
    while (row->choices[index] != NULL && strcmp(row->choices[index], value) != 0)
        index++;
    if (row->choices[index] == NULL)
        return refuse_choice(row, value, error);
    char *to = (char *)settings + row->offset;
    if (row->size == sizeof(bool))
        *(bool *)to = index != 0;
    else if (row->size == sizeof index)
        memcpy(to, &index, sizeof index);
    else
        *(const char **)to = row->choices[index];
    return true;
}

// --- gates (LIF-381) -----------------------------------------------------------------------------
static bool set_gate(struct settings *settings, bool is_core, char *assignment,
                     const struct setting *row, struct error *error)
{
    bool is_on;
    char *equals = strchr(assignment, '=');
    if (equals == NULL)
        return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is not of the form NAME=true|false",
                         row->environment, assignment);
    *equals = '\0';
    if (!parse_bool(equals + 1, &is_on))
        return error_set(error, ERROR_INVALID, "%s: %.60s: \"%.60s\" is neither true nor false",
                         row->environment, assignment, equals + 1);
    for (size_t i = 0; is_core && i < ARRAY_LENGTH(gates); i++)
        if (strcmp(gates[i].name, assignment) == 0)
            *(bool *)((char *)settings + gates[i].offset) = is_on;
    return true;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

// Gates that are not named have their default; names that nobody knows are passed over, as upstream
// does: they may belong to another version.
static bool set_gates(struct settings *settings, const struct setting *row, const char *value,
                      struct error *error)
{
    bool is_core = row->offset == offsetof(struct settings, feature_gates);
    CLEANUP_FREE char *copy = memory_copy_string(value);
    struct settings trial = *settings; // nothing changes if any part is wrong
    for (size_t i = 0; is_core && i < ARRAY_LENGTH(gates); i++)
        *(bool *)((char *)&trial + gates[i].offset) = gates[i].is_default;
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        part = trim(part);
        if (part[0] != '\0' && !set_gate(&trial, is_core, part, row, error))
            return false;
    }
    *settings = trial;
    keep_string(settings, row, value);
    return true;
}

static bool set_string(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    bool is_endpoint = row->offset == offsetof(struct settings, cluster_endpoint);
    if (is_endpoint && value[0] != '\0') {
        const char *mark = strstr(value, "://");
        if (mark == NULL || mark == value || mark[3] == '\0' || mark[3] == '/')
            return error_set(error, ERROR_INVALID,
                             "%s: \"%.200s\" is not an absolute URL such as https://HOST",
                             row->environment, value);
    }
    keep_string(settings, row, value);
    return true;
}

static bool set_row(struct settings *settings, const struct setting *row, const char *value,
                    struct error *error)
{
    switch (row->kind) {
    case SETTING_STRING:
        return set_string(settings, row, value, error);
    case SETTING_BOOL:
        if (!parse_bool(value, (bool *)((char *)settings + row->offset)))
            return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is neither true nor false",
                             row->environment, value);
        return true;
    case SETTING_INT:
        return set_number(settings, row, value, error);
    case SETTING_FLOAT:
        return set_float(settings, row, value, error);
    case SETTING_DURATION:
        return set_duration(settings, row, value, error);
    case SETTING_CHOICE:
        return set_choice(settings, row, value, error);
    case SETTING_GATES:
        return set_gates(settings, row, value, error);
    }
    return false;
}

static const char *choice_text(const struct setting *row, const char *from)
{
    uint32_t index;
    if (row->size == sizeof(bool))
        return row->choices[*(const bool *)from];
    if (row->size != sizeof index)
        return *(const char *const *)from;
    memcpy(&index, from, sizeof index);
    return row->choices[index];
}

void settings_format(const struct settings *settings, const struct setting *setting,
                     struct text *out)
{
    assert(out != NULL);
    const char *from = (const char *)settings + setting->offset;
    char duration[DURATION_TEXT_MAX];
    int64_t number;
    switch (setting->kind) {
    case SETTING_STRING:
    case SETTING_GATES:
        text_add(out, *(const char *const *)from);
        break;
    case SETTING_BOOL:
        text_add(out, *(const bool *)from ? "true" : "false");
        break;
    case SETTING_INT:
        memcpy(&number, from, sizeof number);
        text_format(out, "%lld", (long long)number);
        break;
    case SETTING_FLOAT:
        text_format(out, "%.17g", *(const double *)from);
        break;
    case SETTING_DURATION:
        memcpy(&number, from, sizeof number);
        duration_format(number, duration);
        text_add(out, duration);
        break;
    case SETTING_CHOICE:
        text_add(out, choice_text(setting, from));
        break;
    }
}
