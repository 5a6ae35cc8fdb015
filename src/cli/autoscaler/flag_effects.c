#include "cli/autoscaler/flag_effects.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert/tree.h"

#define UNNEEDED_SECONDS 600 // Cluster Autoscaler's default

enum effect { EFFECT_POOL, EFFECT_INFO, EFFECT_LOST, EFFECT_OPERATIONAL };
struct flag_effect {
    const char *name;
    enum effect effect;
    const char *otherwise; // the default: as if it was not given; NULL: none
    const char *text;
};
// A trailing "*" stands for any end.
static const struct flag_effect effects[] = {
    {"scale-down-enabled", EFFECT_POOL, "true", NULL},
    {"scale-down-unneeded-time", EFFECT_POOL, NULL, NULL},
    {"scale-down-utilization-threshold", EFFECT_POOL, NULL, NULL},
    {"scale-down-gpu-utilization-threshold", EFFECT_LOST, "0.5", "no threshold exists"},
    {"scale-down-delay-after-*", EFFECT_POOL, NULL, NULL},
    {"scale-down-delay-type-local", EFFECT_INFO, NULL, "delays are each node's own"},
    {"scale-down-unready-*", EFFECT_INFO, NULL,
     "unready nodes are replaced by node repair: FEATURE_GATES=NodeRepair=true, after 30 minutes"},
    {"max-scale-down-parallelism", EFFECT_POOL, NULL, NULL},
    {"max-drain-parallelism", EFFECT_POOL, NULL, NULL},
    {"max-empty-bulk-delete", EFFECT_POOL, NULL, NULL},
    {"max-graceful-termination-sec", EFFECT_POOL, NULL, NULL},
    {"drain-priority-config", EFFECT_LOST, NULL, "the order of a drain is fixed"},
    {"max-pod-eviction-time", EFFECT_INFO, NULL, "evictions are retried until they succeed"},
    {"node-delete-delay-after-taint", EFFECT_INFO, NULL, "a drained node is deleted at once"},
    {"node-deletion-delay-timeout", EFFECT_INFO, NULL, "volumes are waited for by themselves"},
    {"skip-nodes-with-*", EFFECT_POOL, NULL, NULL},
    {"min-replica-count", EFFECT_LOST, "0", "protect such workloads with a PodDisruptionBudget"},
    {"ignore-daemonsets-utilization", EFFECT_INFO, NULL, "pods of DaemonSets never keep a node"},
    {"ignore-mirror-pods-utilization", EFFECT_INFO, NULL, "mirror pods never keep a node"},
    {"daemonset-eviction-for-*", EFFECT_INFO, NULL,
     "pods of DaemonSets that do not tolerate karpenter.sh/disrupted are evicted"},
    {"expander", EFFECT_POOL, NULL, NULL},
    {"balance-similar-node-groups", EFFECT_INFO, NULL,
     "zones are spread by the topologySpreadConstraints of the pods"},
    {"balancing-*", EFFECT_INFO, NULL, "there are no groups to balance"},
    {"*-difference-ratio", EFFECT_INFO, NULL, "there are no groups to compare"},
    {"max-node-provision-time", EFFECT_LOST, "15m", "a node has 15 minutes to register"},
    {"max-node-startup-time", EFFECT_LOST, NULL, "no such deadline exists"},
    {"max-nodes-total", EFFECT_POOL, "0", NULL},
    {"cores-total", EFFECT_POOL, NULL, NULL},
    {"memory-total", EFFECT_POOL, NULL, NULL},
    {"gpu-total", EFFECT_POOL, NULL, NULL},
    {"nodes", EFFECT_POOL, NULL, NULL},
    {"node-group-auto-discovery", EFFECT_POOL, NULL, NULL},
    {"new-pod-scale-up-delay", EFFECT_LOST, "0s",
     "set BATCH_IDLE_DURATION and BATCH_MAX_DURATION instead"},
    {"scan-interval", EFFECT_INFO, NULL, "the controller acts on events"},
    {"expendable-pods-priority-cutoff", EFFECT_LOST, "-10",
     "every pending pod counts; for room to spare use a CapacityBuffer"},
    {"scale-up-from-zero", EFFECT_INFO, NULL, "pools begin at zero"},
    {"scale-from-unschedulable", EFFECT_INFO, NULL, NULL},
    {"force-ds", EFFECT_INFO, NULL, "pods of DaemonSets are always counted"},
    {"estimator", EFFECT_INFO, NULL, NULL},
    {"max-binpacking-time", EFFECT_INFO, NULL, NULL},
    {"max-nodegroup-binpacking-duration", EFFECT_INFO, NULL, NULL},
    {"predicate-parallelism", EFFECT_INFO, NULL, NULL},
    {"cluster-snapshot-parallelism", EFFECT_INFO, NULL, NULL},
    {"max-nodes-per-scaleup", EFFECT_INFO, NULL, "one batch buys what it needs"},
    {"parallel-scale-up", EFFECT_INFO, NULL, NULL},
    {"async-node-groups", EFFECT_INFO, NULL, NULL},
    {"fastpath-binpacking-enabled", EFFECT_INFO, NULL, NULL},
    {"startup-taint*", EFFECT_POOL, NULL, NULL},
    {"ignore-taint", EFFECT_POOL, NULL, NULL},
    {"status-taint", EFFECT_INFO, NULL, NULL},
    {"enforce-node-group-min-size", EFFECT_INFO, NULL, "pools have no minimum"},
    {"force-delete-*", EFFECT_INFO, NULL, NULL},
    {"enable-provisioning-requests", EFFECT_LOST, "false", "ProvisioningRequests are not served"},
    {"check-capacity-*", EFFECT_LOST, NULL, "ProvisioningRequests are not served"},
    {"capacity-buffer-*", EFFECT_INFO, NULL, "FEATURE_GATES=CapacityBuffer=true"},
    {"enable-dynamic-resource-allocation", EFFECT_INFO, NULL,
     "set IGNORE_DRA_REQUESTS=false if pods have ResourceClaims"},
    {"scheduler-config-file", EFFECT_LOST, NULL,
     "set SCHEDULER_CONFIG for default constraints; the rest has no equal"},
    {"allowed-scheduler-names", EFFECT_LOST, NULL, "pods of every scheduler count"},
    {"bypassed-scheduler-names", EFFECT_LOST, NULL, "pods of every scheduler count"},
    {"max-total-unready-percentage", EFFECT_INFO, NULL,
     "node repair stops at a fifth of a pool's nodes"},
    {"ok-total-unready-count", EFFECT_INFO, NULL, "node repair stops at a fifth of a pool's nodes"},
    {"initial-node-group-backoff-duration", EFFECT_INFO, NULL,
     "an offering without capacity is left out for 3 minutes"},
    {"max-node-group-backoff-duration", EFFECT_INFO, NULL,
     "an offering without capacity is left out for 3 minutes"},
    {"node-group-backoff-reset-timeout", EFFECT_INFO, NULL, NULL},
    {"unremovable-node-recheck-timeout", EFFECT_INFO, NULL, NULL},
    {"scale-down-candidates-*", EFFECT_INFO, NULL, NULL},
    {"scale-down-non-empty-candidates-count", EFFECT_INFO, NULL, NULL},
    {"scale-down-simulation-timeout", EFFECT_INFO, NULL, NULL},
    {"max-bulk-soft-taint-*", EFFECT_INFO, NULL, NULL},
    {"leader-elect*", EFFECT_OPERATIONAL, NULL, NULL},
    {"kube*", EFFECT_OPERATIONAL, NULL, NULL},
    {"namespace", EFFECT_OPERATIONAL, NULL, NULL},
    {"v", EFFECT_OPERATIONAL, NULL, NULL},
    {"vmodule", EFFECT_OPERATIONAL, NULL, NULL},
    {"log*", EFFECT_OPERATIONAL, NULL, NULL},
    {"stderrthreshold", EFFECT_OPERATIONAL, NULL, NULL},
    {"alsologtostderr", EFFECT_OPERATIONAL, NULL, NULL},
    {"skip-log-headers", EFFECT_OPERATIONAL, NULL, NULL},
    {"address", EFFECT_OPERATIONAL, NULL, NULL},
    {"profiling", EFFECT_OPERATIONAL, NULL, NULL},
    {"cloud-*", EFFECT_OPERATIONAL, NULL, NULL},
    {"cluster-name", EFFECT_OPERATIONAL, NULL, NULL},
    {"user-agent", EFFECT_OPERATIONAL, NULL, NULL},
    {"emit-per-nodegroup-metrics", EFFECT_OPERATIONAL, NULL, NULL},
    {"record-duplicated-events", EFFECT_OPERATIONAL, NULL, NULL},
    {"status-config-map-name", EFFECT_OPERATIONAL, NULL, NULL},
    {"write-status-configmap", EFFECT_OPERATIONAL, NULL, NULL},
    {"aws-use-static-instance-list", EFFECT_OPERATIONAL, NULL, NULL},
    {"regional", EFFECT_OPERATIONAL, NULL, NULL},
    {"debugging-snapshot-enabled", EFFECT_OPERATIONAL, NULL, NULL},
    {"health-check*", EFFECT_OPERATIONAL, NULL, NULL},
};

static bool name_matches(const char *pattern, const char *name)
{
    const char *star = strchr(pattern, '*');
    if (star == NULL)
        return strcmp(pattern, name) == 0;
    if (star == pattern)
        return text_ends_with(name, pattern + 1);
    return strncmp(pattern, name, (size_t)(star - pattern)) == 0;
}

static const struct flag_effect *effect_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(effects); i++)
        if (name_matches(effects[i].name, name))
            return &effects[i];
    return NULL;
}

// --- pools ---------------------------------------------------------------------------------------
static int64_t largest_delay(const struct flags *flags)
{
    static const char *const names[] = {"scale-down-delay-after-add",
                                        "scale-down-delay-after-delete",
                                        "scale-down-delay-after-failure"};
    int64_t largest = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        int64_t seconds = flag_seconds(flags, names[i], 0);
        largest = seconds > largest ? seconds : largest;
    }
    return largest;
}

static void apply_consolidation(const struct flags *flags, const struct group_options *options,
                                struct product *pool, json_t *disruption)
{
    struct arena *arena = pool->conversion->arena;
    int64_t unneeded = flag_seconds(flags, "scale-down-unneeded-time", UNNEEDED_SECONDS);
    int64_t delay = largest_delay(flags);
    const char *threshold = flag_text(flags, "scale-down-utilization-threshold");
    if (options->unneeded_seconds >= 0)
        unneeded = options->unneeded_seconds;
    if (options->threshold != NULL)
        threshold = options->threshold;
    if (delay > unneeded) {
        note_add(pool, NOTE_CHANGED, "M-delay", "spec.disruption.consolidateAfter",
                 "raised to the longest scale-down-delay: it counts for each node");
        unneeded = delay;
    }
    double number = threshold != NULL ? strtod(threshold, NULL) : 0.5;
    json_object_set_new(disruption, "consolidateAfter",
                        json_string(seconds_format(unneeded, arena)));
    json_object_set_new(disruption, "consolidationPolicy",
                        json_string(number <= 0 ? "WhenEmpty" : "WhenEmptyOrUnderutilized"));
    note_add(
        pool, NOTE_CHANGED, "M-unneeded", "spec.disruption.consolidateAfter",
        "counts from the last pod that came or went on the node, not from when it was unneeded");
    if (number > 0)
        note_add(pool, NOTE_INFO, "M-threshold", "spec.disruption.consolidationPolicy",
                 "no threshold exists: a node goes when its pods fit elsewhere, or on something "
                 "cheaper%s",
                 number < 0.5 ? "; Balanced weighs what that disturbs" : "");
}

static json_t *budget(const char *nodes, json_t *reasons)
{
    return json_pack("{s:s, s:o}", "nodes", nodes, "reasons", reasons);
}

static void apply_budgets(const struct flags *flags, struct product *pool, json_t *disruption)
{
    const char *empty = flag_text(flags, "max-scale-down-parallelism");
    const char *drained = flag_text(flags, "max-drain-parallelism");
    json_t *budgets = json_array();
    if (empty == NULL)
        empty = flag_text(flags, "max-empty-bulk-delete");
    if (!flag_is(flags, "scale-down-enabled", true)) {
        json_array_append_new(budgets, budget("0", json_pack("[s, s]", "Empty", "Underutilized")));
        note_add(pool, NOTE_CHANGED, "M-scale-down", "spec.disruption.budgets",
                 "scale-down was off: this budget keeps consolidation off");
    } else if (empty != NULL || drained != NULL) {
        if (empty != NULL)
            json_array_append_new(budgets, budget(empty, json_pack("[s]", "Empty")));
        if (drained != NULL)
            json_array_append_new(budgets,
                                  budget(drained, json_pack("[s, s]", "Drifted", "Underutilized")));
        note_add(pool, NOTE_CHANGED, "M-parallelism", "spec.disruption",
                 "parallelism was for the cluster, budgets are per pool");
    }
    if (json_array_size(budgets) > 0)
        json_object_set(disruption, "budgets", budgets);
    json_decref(budgets);
}

// "min:max" or "type:min:max": the last number; -1: none.
static int64_t maximum_of(const char *text)
{
    const char *colon = text != NULL ? strrchr(text, ':') : NULL;
    int64_t number;
    return colon != NULL && text_parse_int64(colon + 1, &number) ? number : -1;
}

static void apply_limits(const struct flags *flags, struct product *pool, uint32_t pools)
{
    int64_t total, cores = maximum_of(flag_text(flags, "cores-total"));
    int64_t memory = maximum_of(flag_text(flags, "memory-total"));
    const char *nodes = flag_text(flags, "max-nodes-total");
    bool is_total = nodes != NULL && text_parse_int64(nodes, &total) && total > 0;
    bool any = is_total || (cores >= 0 && cores != 320000) || (memory >= 0 && memory != 6400000);
    if (any && pools > 1) {
        note_add(pool, NOTE_LOST, "M-total", "spec.limits",
                 "the totals of the cluster have no equal: limits are per pool");
        return;
    }
    json_t *limits = any ? tree_make(pool->object, "spec.limits") : NULL;
    if (cores >= 0 && cores != 320000)
        json_object_set_new(limits, "cpu", json_integer(cores));
    if (memory >= 0 && memory != 6400000)
        json_object_set_new(limits, "memory",
                            json_string(product_text(pool, "%" PRId64 "Gi", memory)));
    const json_t *own = json_object_get(limits, "nodes");
    if (is_total && (own == NULL || json_integer_value(own) > total))
        json_object_set_new(limits, "nodes", json_integer(total));
}

static void apply_protections(const struct flags *flags, struct product *pool)
{
    static const char *const protections[][3] = {
        {"skip-nodes-with-local-storage", "M-local-storage",
         "pods with emptyDir or hostPath no longer keep a node: annotate those that must with "
         "karpenter.sh/do-not-disrupt"},
        {"skip-nodes-with-system-pods", "M-system-pods",
         "pods of kube-system no longer keep a node: give them a PodDisruptionBudget or "
         "karpenter.sh/do-not-disrupt"},
        {"skip-nodes-with-custom-controller-pods", "M-custom-controllers",
         "pods of custom controllers no longer keep a node: annotate those that must with "
         "karpenter.sh/do-not-disrupt"}};
    for (size_t i = 0; i < ARRAY_LENGTH(protections); i++)
        if (flags->values != NULL && flag_is(flags, protections[i][0], true))
            note_add(pool, NOTE_LOST, protections[i][1], "spec", "%s", protections[i][2]);
}

void flags_apply(const struct flags *flags, const struct group_options *options,
                 struct product *pool, uint32_t pools)
{
    assert(pools > 0);
    json_t *disruption = tree_make(pool->object, "spec.disruption");
    apply_consolidation(flags, options, pool, disruption);
    apply_budgets(flags, pool, disruption);
    apply_limits(flags, pool, pools);
    apply_protections(flags, pool);
    const char *grace = flag_text(flags, "max-graceful-termination-sec");
    if (pool->conversion->options.grace) {
        int64_t seconds = 600;
        if (grace == NULL || text_parse_int64(grace, &seconds))
            json_object_set_new(tree_make(pool->object, "spec.template.spec"),
                                "terminationGracePeriod",
                                json_string(seconds_format(seconds, pool->conversion->arena)));
        note_add(pool, NOTE_CHANGED, "M-grace", "spec.template.spec.terminationGracePeriod",
                 "after this time pods are deleted whatever their budgets say");
    }
}

// --- once a run ----------------------------------------------------------------------------------
static void note_flag(struct conversion *conversion, enum note_class class, const char *code,
                      const char *name, const char *text)
{
    vector_push(&conversion->settings_notes,
                (struct note){class, code, arena_format(conversion->arena, "--%s", name), text});
}

static void note_effect(struct conversion *conversion, const char *name, const char *value)
{
    const struct flag_effect *effect = effect_of(name);
    if (effect == NULL)
        note_flag(conversion, NOTE_LOST, "M-ca-unknown", name, "the flag is not known");
    else if (effect->otherwise != NULL && text_equal(effect->otherwise, value))
        return;
    else if (effect->effect == EFFECT_LOST)
        note_flag(conversion, NOTE_LOST, "M-ca-flag", name, effect->text);
    else if (effect->effect == EFFECT_INFO)
        note_flag(conversion, NOTE_INFO, "M-ca-flag", name,
                  effect->text != NULL ? effect->text : "not needed");
}

void flags_settings(const struct flags *flags, struct conversion *conversion)
{
    const char *name, *expander = flag_text(flags, "expander"), *level = flag_text(flags, "v");
    json_t *list;
    json_object_foreach (flags->values, name, list)
        note_effect(conversion, name, flag_text(flags, name));
    if (expander != NULL && strstr(expander, "grpc") != NULL)
        note_flag(conversion, NOTE_LOST, "M-ca-flag", "expander", "no expander by gRPC exists");
    else if (expander != NULL && strstr(expander, "priority") == NULL)
        note_flag(conversion, NOTE_INFO, "M-ca-flag", "expander",
                  "the lowest price that fits wins");
    if (level != NULL && strtol(level, NULL, 10) >= 4)
        conversion_set(conversion, "LOG_LEVEL", "debug");
    if (flag_text(flags, "kube-client-qps") != NULL)
        conversion_set(conversion, "KUBE_CLIENT_QPS", flag_text(flags, "kube-client-qps"));
    const char *cluster = flag_text(flags, "cluster-name");
    if (cluster != NULL)
        conversion_set(conversion, "CLUSTER_NAME", cluster);
}
