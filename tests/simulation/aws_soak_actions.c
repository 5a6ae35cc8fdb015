// Manifests and actions of a soak world on AWS (aws_soak_world.h).
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/text.h"
#include "sim/store/store_json.h"
#include "simulation/aws_soak_world.h"

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

void aws_soak_say(const struct aws_soak_world *world, const char *format, ...)
{
    if (!world->options.verbose)
        return;
    va_list arguments;
    printf("%9.1f s  ", (double)(loop_monotonic_ns(world->loop) - world->begun) / (double)SECOND);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

// --- manifests -----------------------------------------------------------------------------------

void aws_soak_apply(struct aws_soak_world *world, const char *format, ...)
{
    struct text text = {0};
    struct error error = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    if (!simulation_apply(world->simulation, text.data, &error)) {
        fprintf(stderr, "a soak world's manifest is refused: %s\n%s\n", error.message, text.data);
        abort();
    }
    text_free(&text);
}

void aws_soak_delete(struct aws_soak_world *world, const char *api_version, const char *kind,
                     const char *namespace, const char *name)
{
    struct error error = {0};
    if (!simulation_delete(world->simulation, api_version, kind, namespace, name, &error))
        aws_soak_say(world, "cannot delete %s %s: %s", kind, name, error.message);
}

void aws_soak_apply_class(struct aws_soak_world *world, struct random *random)
{
    static const char *const aliases[] = {"al2023@v20260715", "al2023@v20260820", "al2023@latest",
                                          "bottlerocket@latest"};
    static const char *const roles[] = {"soak-nodes", "soak-nodes", "other-nodes"};
    uint32_t alias = random != NULL ? below(random, ARRAY_LENGTH(aliases)) : 0;
    uint32_t role = random != NULL ? below(random, ARRAY_LENGTH(roles)) : 0;
    aws_soak_apply(world,
                   "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: soak}, "
                   "spec: {role: %s, amiSelectorTerms: [{alias: '%s'}], tags: {version: v%u}, "
                   "subnetSelectorTerms: [{tags: {karpenter.sh/discovery: soak}}], "
                   "securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: soak}}]}}",
                   roles[role], aliases[alias], world->version);
}

void aws_soak_apply_pool(struct aws_soak_world *world, uint32_t index, struct random *random)
{
    static const char *const capacity[] = {"spot, on-demand", "spot", "on-demand"};
    static const char *const after[] = {"0s", "30s", "2m"};
    static const char *const expiry[] = {"Never", "Never", "20m", "2h"};
    const char *types = random != NULL ? capacity[below(random, 3)] : capacity[0];
    const char *expire = random != NULL ? expiry[below(random, 4)] : "Never";
    const char *wait = random != NULL ? after[below(random, 3)] : "30s";
    const char *policy =
        random != NULL && random_chance(random, 0.4) ? "WhenEmpty" : "WhenEmptyOrUnderutilized";
    aws_soak_apply(
        world,
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p%u}, spec: {template: "
        "{metadata: {labels: {version: v%u}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, "
        "kind: EC2NodeClass, name: soak}, expireAfter: %s, terminationGracePeriod: 10m, "
        "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [%s]}, "
        "{key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}]}}, "
        "disruption: {consolidationPolicy: %s, consolidateAfter: %s, budgets: [{nodes: '50%%'}]}}}",
        index, random != NULL ? below(random, 3) : 0, expire, types, policy, wait);
}

void aws_soak_apply_workload(struct aws_soak_world *world, uint32_t index, uint32_t replicas)
{
    aws_soak_apply(
        world,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%u, namespace: default}, spec: "
        "{replicas: %u, selector: {matchLabels: {app: d%u}}, template: {metadata: {labels: {app: "
        "d%u}}, spec: {terminationGracePeriodSeconds: 10, %s containers: [{name: main, image: "
        "pause, resources: {requests: {cpu: %um, memory: %uMi}}}]}}}}",
        index, replicas, index, index,
        index % 3 == 1 ? "affinity: {podAntiAffinity: "
                         "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                         "kubernetes.io/hostname, labelSelector: {matchLabels: {app: d1}}}]}},"
                       : "",
        300 + 400 * index, 500 + 300 * index);
}

// --- picking -------------------------------------------------------------------------------------

struct pick { // one of the store's objects, each as likely
    struct random *random;
    uint32_t seen;
    char name[300];
};

static bool consider(void *context, json_t *object)
{
    struct pick *pick = context;
    if (random_below(pick->random, ++pick->seen) == 0)
        snprintf(pick->name, sizeof pick->name, "%s", store_name(object));
    return true;
}

static void delete_one(struct aws_soak_world *world, struct random *random, const char *api_version,
                       const char *kind, const char *namespace)
{
    struct pick pick = {.random = random};
    struct store *store = simulation_store(world->simulation);
    store_each(store, store_resource_of_kind(store, api_version, kind), NULL, consider, &pick);
    if (pick.seen == 0)
        return;
    aws_soak_say(world, "delete %s %s", kind, pick.name);
    aws_soak_delete(world, api_version, kind, namespace, pick.name);
}

static const char *pick_instance(struct aws_soak_world *world, struct random *random)
{
    struct aws_account *account = simulation_account(world->simulation);
    uint32_t count = aws_account_instances(account);
    return count > 0 ? aws_instance_id(aws_account_instance_at(account, below(random, count)))
                     : NULL;
}

// --- users ---------------------------------------------------------------------------------------

static void scale(struct aws_soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->workloads_count);
    uint32_t replicas = random_chance(random, 0.25) ? 0 : below(random, world->replicas_max + 1);
    aws_soak_say(world, "workload d%u: %u replicas", index, replicas);
    aws_soak_apply_workload(world, index, replicas);
}

static void delete_claim(struct aws_soak_world *world, struct random *random)
{
    delete_one(world, random, "karpenter.sh/v1", "NodeClaim", NULL);
}

static void delete_node(struct aws_soak_world *world, struct random *random)
{
    delete_one(world, random, "v1", "Node", NULL);
}

static void edit_pool(struct aws_soak_world *world, struct random *random)
{
    uint32_t index = below(random, world->pools_count);
    aws_soak_say(world, "edit or create NodePool p%u", index);
    aws_soak_apply_pool(world, index, random);
}

static void delete_pool(struct aws_soak_world *world, struct random *random)
{
    delete_one(world, random, "karpenter.sh/v1", "NodePool", NULL);
    aws_soak_pass(world, (int64_t)below(random, 20000) * MILLISECOND);
    edit_pool(world, random);
}

static void edit_class(struct aws_soak_world *world, struct random *random)
{
    world->version += below(random, 2);
    aws_soak_say(world, "edit the EC2NodeClass");
    aws_soak_apply_class(world, random);
}

// A deleted class lives until its NodeClaims are gone; then it comes again.
static void delete_class(struct aws_soak_world *world, struct random *random)
{
    aws_soak_say(world, "delete the EC2NodeClass");
    aws_soak_delete(world, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL, "soak");
    aws_soak_pass(world, (int64_t)below(random, 60000) * MILLISECOND);
    if (random_chance(random, 0.7))
        return;
    aws_soak_say(world, "recreate the EC2NodeClass");
    aws_soak_apply_class(world, random);
}

static void wait_long(struct aws_soak_world *world, struct random *random)
{
    aws_soak_say(world, "a quiet time");
    aws_soak_pass(world, (int64_t)(60 + below(random, 1800)) * SECOND);
}

// --- the account ---------------------------------------------------------------------------------

static void interrupt(struct aws_soak_world *world, struct random *random)
{
    const char *id = pick_instance(world, random);
    if (id == NULL)
        return;
    bool warns = random_chance(random, 0.7);
    aws_soak_say(world, "%s %s", warns ? "interruption of" : "rebalance", id);
    if (warns)
        aws_account_interrupt(simulation_account(world->simulation), id);
    else
        aws_account_recommend_rebalance(simulation_account(world->simulation), id);
}

static void terminate(struct aws_soak_world *world, struct random *random)
{
    const char *id = pick_instance(world, random);
    if (id == NULL)
        return;
    aws_soak_say(world, "instance %s is terminated from outside", id);
    aws_account_terminate(simulation_account(world->simulation), id);
}

static void impair(struct aws_soak_world *world, struct random *random)
{
    const char *id = pick_instance(world, random);
    if (id == NULL)
        return;
    json_t *status = json_pack("{s:{s:s},s:{s:s}}", "instanceStatus", "status", "impaired",
                               "systemStatus", "status", "impaired");
    aws_soak_say(world, "instance %s is impaired", id);
    aws_account_set_status(simulation_account(world->simulation), id, status);
    json_decref(status);
}

static void fail_calls(struct aws_soak_world *world, struct random *random)
{
    static const char *const actions[] = {"CreateFleet",
                                          "CreateFleet",
                                          "CreateFleet",
                                          "CreateLaunchTemplate",
                                          "CreateInstanceProfile",
                                          "AddRoleToInstanceProfile",
                                          "DescribeSubnets",
                                          "DescribeImages",
                                          "DescribeInstances",
                                          "TerminateInstances",
                                          "DescribeSecurityGroups",
                                          "DeleteLaunchTemplate",
                                          "DescribeInstanceTypes",
                                          "GetParameter",
                                          "CreateTags",
                                          "DeleteMessage",
                                          "ReceiveMessage",
                                          "DescribeLaunchTemplates"};
    static const char *const codes[] = {"RequestLimitExceeded",
                                        "UnauthorizedOperation",
                                        "InternalError",
                                        "InvalidParameterValue",
                                        "InvalidLaunchTemplateName.NotFoundException",
                                        "VcpuLimitExceeded"};
    struct aws_account_fault fault = {.action =
                                          (char *)actions[below(random, ARRAY_LENGTH(actions))],
                                      .code = (char *)codes[below(random, ARRAY_LENGTH(codes))],
                                      .message = (char *)"not now",
                                      .times = 1 + below(random, 30),
                                      .dry_run = -1};
    aws_soak_say(world, "%s fails %lld times: %s", fault.action, (long long)fault.times,
                 fault.code);
    aws_account_add_fault(simulation_account(world->simulation), &fault);
}

static void run_out(struct aws_soak_world *world, struct random *random)
{
    static const char *const types[] = {"*", "m5.*", "c5.*", "*.large", "t3.*"};
    static const char *const zones[] = {"*", "us-west-2a", "us-west-2b", "us-west-2c"};
    static const char *const capacity[] = {"*", "spot", "on-demand"};
    static const char *const codes[] = {"InsufficientInstanceCapacity",
                                        "InsufficientFreeAddressesInSubnet", "Unsupported",
                                        "MaxSpotInstanceCountExceeded"};
    json_t *pools = json_pack("[[s,s,s]]", types[below(random, 5)], zones[below(random, 4)],
                              capacity[below(random, 3)]);
    struct aws_account_fault fault = {.action = (char *)"CreateFleet",
                                      .code = (char *)codes[below(random, ARRAY_LENGTH(codes))],
                                      .message = (char *)"none left",
                                      .times = 1 + below(random, 40),
                                      .dry_run = 0,
                                      .pools = pools};
    aws_soak_say(world, "a pool fails %lld times: %s", (long long)fault.times, fault.code);
    aws_account_add_fault(simulation_account(world->simulation), &fault);
    json_decref(pools);
}

static void lose_templates(struct aws_soak_world *world, struct random *random)
{
    (void)random;
    aws_soak_say(world, "all launch templates are deleted by another's hand");
    aws_account_lose_templates(simulation_account(world->simulation));
}

static void skew(struct aws_soak_world *world, struct random *random)
{
    int64_t ahead = ((int64_t)below(random, 3600) - 1800) * SECOND;
    aws_soak_say(world, "AWS's clock is %lld s ahead", (long long)(ahead / SECOND));
    aws_account_skew_clock(simulation_account(world->simulation), ahead);
}

static void send_message(struct aws_soak_world *world, struct random *random)
{
    static const char *const bodies[] = {"", "nonsense", "{}", "[]",
                                         "{\"detail-type\":\"EC2 Spot Instance Interruption "
                                         "Warning\",\"source\":\"aws.ec2\",\"detail\":{}}"};
    aws_account_send_message(simulation_account(world->simulation),
                             bodies[below(random, ARRAY_LENGTH(bodies))]);
}

static void shift_zone(struct aws_soak_world *world, struct random *random)
{
    json_t *shifts = json_array();
    if (random_chance(random, 0.6))
        json_array_append_new(
            shifts, json_pack("{s:s,s:I,s:s}", "awayFrom",
                              random_chance(random, 0.5) ? "usw2-az1" : "usw2-az2", "expiryTime",
                              (json_int_t)(loop_now_ns(world->loop) / SECOND + 1200),
                              "appliedStatus", "APPLIED"));
    aws_soak_say(world, "%zu zonal shifts", json_array_size(shifts));
    aws_account_set_zonal_shifts(simulation_account(world->simulation), shifts);
    json_decref(shifts);
}

// --- the controller ------------------------------------------------------------------------------

static void kill_controller(struct aws_soak_world *world, struct random *random)
{
    int64_t dead = (int64_t)below(random, random_chance(random, 0.2) ? 300000 : 5000) * MILLISECOND;
    aws_soak_say(world, "kill the controller for %.1f s", (double)dead / (double)SECOND);
    simulation_kill_controller(world->simulation);
    aws_soak_pass(world, dead);
    simulation_start_controller(world->simulation);
}

static void kill_at_any_event(struct aws_soak_world *world, struct random *random)
{
    uint32_t times = 1 + below(random, 5);
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t events = below(random, 3000); events > 0 && loop_step(world->loop); events--)
            ;
        aws_soak_say(world, "killed at an event");
        simulation_kill_controller(world->simulation);
        simulation_start_controller(world->simulation);
    }
}

static void cut_off(struct aws_soak_world *world, struct random *random)
{
    aws_soak_say(world, "the API server is out of reach");
    simulation_cut_api(world->simulation, true);
    aws_soak_pass(world, (int64_t)below(random, 60000) * MILLISECOND);
    simulation_cut_api(world->simulation, false);
}

static void jump_clock(struct aws_soak_world *world, struct random *random)
{
    int64_t jump = ((int64_t)below(random, 600) - 300) * SECOND;
    aws_soak_say(world, "the clock jumps by %lld s", (long long)(jump / SECOND));
    loop_skew_wall_clock(world->loop, jump);
}

// --- the list ------------------------------------------------------------------------------------

static const struct {
    void (*act)(struct aws_soak_world *world, struct random *random);
    uint32_t weight;
} kinds[] = {
    {scale, 20},
    {delete_claim, 3},
    {delete_node, 2},
    {edit_pool, 4},
    {delete_pool, 1},
    {edit_class, 5},
    {delete_class, 2},
    {wait_long, 6},
    {interrupt, 5},
    {terminate, 3},
    {impair, 1},
    {fail_calls, 8},
    {run_out, 6},
    {lose_templates, 2},
    {skew, 2},
    {send_message, 1},
    {shift_zone, 1},
    {kill_controller, 3},
    {kill_at_any_event, 5},
    {cut_off, 2},
    {jump_clock, 2},
};

uint32_t aws_soak_actions_count(const struct aws_soak_world *world)
{
    struct random random;
    random_seed(&random, world->options.seed ^ 0xac7);
    return 6 + below(&random, 24);
}

static int64_t draw_gap(struct random *random)
{
    if (random_chance(random, 0.3))
        return (int64_t)below(random, 1500) * MILLISECOND;
    return (int64_t)below(random, random_chance(random, 0.8) ? 30000 : 240000) * MILLISECOND;
}

bool aws_soak_act(struct aws_soak_world *world, uint32_t index)
{
    struct random random;
    random_seed(&random, world->options.seed * 1000003 + index);
    uint32_t total = 0, at = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        total += kinds[i].weight;
    if (!aws_soak_pass(world, draw_gap(&random)))
        return false;
    uint32_t drawn = below(&random, total);
    while (drawn >= kinds[at].weight)
        drawn -= kinds[at++].weight;
    aws_soak_say(world, "action %u", index);
    kinds[at].act(world, &random);
    return !world->result->failed;
}

static const json_t *node_class(struct aws_soak_world *world)
{
    struct store *store = simulation_store(world->simulation);
    return store_get(store, store_resource_of_kind(store, "karpenter.k8s.aws/v1", "EC2NodeClass"),
                     "", "soak");
}

// A deleted class goes when its NodeClaims have gone.
static void finish_deletion(struct aws_soak_world *world)
{
    const json_t *class = node_class(world);
    if (class == NULL || store_path(class, "metadata.deletionTimestamp") == NULL)
        return;
    int64_t begun = loop_monotonic_ns(world->loop);
    while (node_class(world) != NULL && loop_monotonic_ns(world->loop) - begun < HOUR) {
        struct random any;
        random_seed(&any, 1);
        delete_one(world, &any, "karpenter.sh/v1", "NodeClaim", NULL);
        if (!aws_soak_pass(world, 10 * SECOND))
            return;
    }
}

static void well_again(void *context, const struct aws_instance *instance)
{
    aws_account_set_status(context, aws_instance_id(instance), NULL);
}

void aws_soak_calm(struct aws_soak_world *world)
{
    const struct sim_faults none = {0};
    struct aws_account *account = simulation_account(world->simulation);
    json_t *no_shifts = json_array();
    aws_soak_say(world, "calm");
    simulation_set_api_faults(world->simulation, &none);
    aws_account_calm(account);
    aws_account_clear_faults(account);
    aws_account_set_zonal_shifts(account, no_shifts);
    aws_account_skew_clock(account, 0);
    aws_account_each_instance(account, well_again, account);
    json_decref(no_shifts);
    finish_deletion(world);
    aws_soak_apply_class(world, NULL);
    for (uint32_t i = 0; i < world->pools_count; i++)
        aws_soak_apply_pool(world, i, NULL);
}
