#include "model/reading/settings_table.h"

#include <assert.h>
#include <stddef.h>

#include "base/duration.h"
#include "base/nanoseconds.h"
#include "model/reading/settings.h"

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
static const char *const off_or_auto[] = {"Off", "Auto", NULL};
static const char *const surges[] = {"preferred", "required", NULL};
static const char *const metrics_profiles[] = {"compact", "full", NULL};
static const char *const compatibilities[] = {"adze", "upstream", NULL};

static const struct setting table[] = {
    ROW("KARPENTER_SERVICE", "karpenter-service", STRING, karpenter_service, "",
        "accepted for compatibility; not used", .operational = true),
    ROW("METRICS_PORT", "metrics-port", INT, metrics_port, "8080",
        "port of the metrics; 0 switches them off", PORT, .operational = true),
    ROW("HEALTH_PROBE_PORT", "health-probe-port", INT, health_probe_port, "8081",
        "port of the health probes; 0 switches them off", PORT, .operational = true),
    ROW("KUBE_CLIENT_QPS", "kube-client-qps", INT, kube_client_qps, "200",
        "requests a second to the API server; half as many Events beside", POSITIVE,
        .operational = true),
    ROW("KUBE_CLIENT_BURST", "kube-client-burst", INT, kube_client_burst, "300",
        "requests to the API server at once, beyond the rate", POSITIVE, .operational = true),
    ROW("ENABLE_PROFILING", "enable-profiling", BOOL, enable_profiling, "false",
        "serve profiles below /debug/pprof/ on the metrics port: profile, cmdline, heap",
        .operational = true),
    ROW("DISABLE_CONTROLLER_WARMUP", "disable-controller-warmup", BOOL, disable_controller_warmup,
        "true",
        "accepted for compatibility: a replica that waits for the lease fills its caches always",
        .operational = true),
    ROW("DISABLE_LEADER_ELECTION", "disable-leader-election", BOOL, disable_leader_election,
        "false", "act without a lease: for a single replica only", .operational = true),
    ROW("DISABLE_CLUSTER_STATE_OBSERVABILITY", "disable-cluster-state-observability", BOOL,
        disable_cluster_state_observability, "false", "leave out the metrics of nodes and pods",
        .operational = true),
    ROW("LEADER_ELECTION_NAME", "leader-election-name", STRING, leader_election_name,
        "karpenter-leader-election", "name of the lease", .operational = true),
    ROW("LEADER_ELECTION_NAMESPACE", "leader-election-namespace", STRING, leader_election_namespace,
        "", "namespace of the lease; empty: the pod's own", .operational = true),
    ROW("MEMORY_LIMIT", "memory-limit", INT, memory_limit_bytes, "-1",
        "memory that the container may use, in bytes, by which large backlogs are planned in "
        "portions; -1: not known",
        ANY_NUMBER, .operational = true),
    ROW("CPU_REQUESTS", "cpu-requests", INT, cpu_requests_millicores, "1000",
        "cpu of the container in millicores", ANY_NUMBER, .operational = true),
    ROW("LOG_LEVEL", "log-level", CHOICE, log_level, "info", "least level that is logged",
        .choices = log_levels, .operational = true),
    ROW("LOG_OUTPUT_PATHS", "log-output-paths", STRING, log_output_paths, "stdout",
        "where the log goes: stdout, stderr or files, comma-separated", .operational = true),
    ROW("LOG_ERROR_OUTPUT_PATHS", "log-error-output-paths", STRING, log_error_output_paths,
        "stderr", "where the logger's own errors go", .operational = true),
    ROW("BATCH_MAX_DURATION", "batch-max-duration", DURATION, batch_max_duration, "10s",
        "longest time to gather pending pods before deciding", ANY_DURATION, .operational = true),
    ROW("BATCH_IDLE_DURATION", "batch-idle-duration", DURATION, batch_idle_duration, "1s",
        "decide once no further pod has come for this long; after a wave whose workloads have all "
        "their pods a tenth of it",
        ANY_DURATION, .operational = true),
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
        .choices = off_or_auto, .operational = true),
    ROW("DRAIN_GUIDANCE", "drain-guidance", CHOICE, drain_guidance, "Auto",
        "Auto: lead the pods of large consolidations to their planned nodes: the other nodes have "
        "a taint PreferNoSchedule meanwhile",
        .choices = off_or_auto),
    ROW("FLEXIBILITY_MARGIN", "flexibility-margin", FLOAT, flexibility_margin, "0.05",
        "what LowestPrice pays for nodes that many instance types can be, as a fraction",
        .minimum = 0, .maximum = 1),
    ROW("NODE_COST", "node-cost", FLOAT, node_cost, "0.02",
        "what a node costs beside its machine (kubelet, daemons, licences), USD an hour: "
        "LowestPrice "
        "and consolidation count it; the default covers volumes and addresses as well, and follows "
        "catalogs whose prices are not EC2's, in powers of ten",
        .minimum = 0, .maximum = 1000, .upstream_text = "0"),
    ROW("VOLUME_COST", "volume-cost", FLOAT, volume_cost, "1",
        "factor by which the list price of a node's volumes counts; 0: not at all", BETWEEN(0, 100),
        .upstream_text = "0"),
    ROW("ADDRESS_COST", "address-cost", FLOAT, address_cost, "0.005",
        "what a public IPv4 address costs, USD an hour, where nodes get one", BETWEEN(0, 1000),
        .upstream_text = "0"),
    ROW("EXPECTED_CPU_USE", "expected-cpu-use", FLOAT, expected_cpu_use, "0.5",
        "share of their cpu requests that pods are expected to use: burstable machines pay surplus "
        "credits for what is beyond their baseline; 0: for nothing. Unless it is set, the "
        "controller learns it from metrics.k8s.io, if the cluster serves it",
        BETWEEN(0, 1), .upstream_text = "0", .learned = true),
    ROW("INTERRUPTION_COST", "interruption-cost", FLOAT, interruption_cost, "0.25",
        "what the interruption of a spot node costs, USD; the default follows LAUNCH_COST and, for "
        "ten pods, DISRUPTION_COST_PER_POD",
        BETWEEN(0, 1000), .upstream_text = "0"),
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
        .choices = log_formats, .operational = true),
    ROW("LEGACY_METRICS", "legacy-metrics", BOOL, legacy_metrics, "false",
        "serve the metric names of older versions, too", .operational = true),
    ROW("REGISTRATION_TIMEOUT", "registration-timeout", DURATION, registration_timeout, "15m",
        "how long a machine may take from its NodeClaim's creation to its Node",
        BETWEEN(MINUTE, 24 * (double)HOUR), .operational = true),
    ROW("INITIALIZATION_TIMEOUT", "initialization-timeout", DURATION, initialization_timeout, "0s",
        "how long a Node may take from its registration to being initialized; 0s: as long as it "
        "takes",
        BETWEEN(0, 24 * (double)HOUR), .operational = true),
    ROW("DISABLED_METRICS", "disabled-metrics", STRING, disabled_metrics, "",
        "metric families that are not served: names, * at the end for all that begin so, "
        "comma-separated",
        .operational = true),
    ROW("METRICS_PROFILE", "metrics-profile", CHOICE, metrics_full, "compact",
        "compact: totals stand for metrics with a series for each pod, node or offering; full: "
        "those "
        "as well, as Karpenter has them",
        .choices = metrics_profiles, .operational = true, .upstream_text = "full"),
    ROW("CLUSTER_NAME", "cluster-name", STRING, cluster_name, "", "AWS: name of the cluster",
        .operational = true),
    ROW("CLUSTER_CA_BUNDLE", "cluster-ca-bundle", STRING, cluster_ca_bundle, "",
        "AWS: the cluster's certificate authority for nodes, base64; empty: found out",
        .operational = true),
    ROW("CLUSTER_ENDPOINT", "cluster-endpoint", STRING, cluster_endpoint, "",
        "AWS: URL of the API server for nodes; empty: found out", .operational = true),
    ROW("ISOLATED_VPC", "isolated-vpc", BOOL, isolated_vpc, "false",
        "AWS: do not call APIs that have no VPC endpoint", .operational = true),
    ROW("EKS_CONTROL_PLANE", "eks-control-plane", BOOL, eks_control_plane, "false",
        "AWS: ask EKS for the endpoint and version", .operational = true),
    ROW("VM_MEMORY_OVERHEAD_PERCENT", "vm-memory-overhead-percent", FLOAT,
        vm_memory_overhead_percent, "0.075", "AWS: share of memory that the hypervisor keeps",
        BETWEEN(0, 1e6)),
    ROW("INTERRUPTION_QUEUE", "interruption-queue", STRING, interruption_queue, "",
        "AWS: queue of interruption messages: name, URL or ARN", .operational = true),
    ROW("RESERVED_ENIS", "reserved-enis", INT, reserved_enis, "0",
        "AWS: network interfaces that pods cannot use", COUNT),
    ROW("SERVICE_CIDR", "service-cidr", STRING, service_cidr, "",
        "AWS: addresses of Services, for nodes of AL2023; empty: EKS is asked",
        .operational = true),
    ROW("PRICES", "prices", STRING, prices_file, "",
        "AWS: JSON file with own prices: {\"onDemand\": {TYPE: USD an hour}, \"multipliers\": "
        "{PATTERN: FACTOR}}"),
    ROW("INSTANCE_TYPE_FIGURES", "instance-type-figures", STRING, instance_type_figures, "",
        "AWS: JSON file with bandwidths and interfaces of types that this release does not know, "
        "in the form of data/ec2/instance-types.json"),
    ROW("DISABLE_DRY_RUN", "disable-dry-run", BOOL, disable_dry_run, "false",
        "AWS: do not try permissions with dry runs", .operational = true),
    ROW("ENABLE_ZONAL_SHIFT", "enable-zonal-shift", BOOL, enable_zonal_shift, "false",
        "AWS: launch nothing in zones that are shifted away", .operational = true),
    ROW("AMI_REFRESH_INTERVAL", "ami-refresh-interval", DURATION, ami_refresh_interval, "1m",
        "AWS: how often images are looked up", BETWEEN(MINUTE, 1000 * 24 * (double)HOUR),
        .operational = true),
    ROW("SUBNET_REFRESH_INTERVAL", "subnet-refresh-interval", DURATION, subnet_refresh_interval,
        "1m", "AWS: how often subnets are looked up", BETWEEN(MINUTE, 1000 * 24 * (double)HOUR),
        .operational = true),
    ROW("AWS_FEATURE_GATES", "aws-feature-gates", GATES, aws_feature_gates, "NodeClassCEL=false",
        "AWS: optional behaviour: NAME=true|false, comma-separated"),
};
static_assert(ARRAY_LENGTH(table) <= SETTINGS_MAX, "set_explicitly has a bit for each");

const struct setting *settings_table(uint32_t *count)
{
    *count = ARRAY_LENGTH(table);
    return table;
}
