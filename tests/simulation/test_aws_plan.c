// A plan from files with an EC2NodeClass equals what the controller then launches in the simulated
// account: pod for pod, type for type, price for price (AWI-1, FMT-10), over drawn worlds.
//
// Drawn are the AMI family, kubelet, volumes, instance store, public addresses and zones of the
// EC2NodeClass, one to three NodePools with their families and capacity types, and pods. The plan
// reads what a user has who is about to apply the NodePools: node class and pods as `kubectl get
// -o yaml` prints them. What is launched is looked at when every pod runs and the world is quiet.
#include "simulation/aws_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/random.h"
#include "cli/input/input.h"
#include "cloud/aws/types/region_prices.h"
#include "engine/engine.h"
#include "sim/store/store_json.h"

#define PODS_MAX 24
#define PUBLIC   "[{tags: {Name: public-a}}, {tags: {Name: public-b}}, {tags: {Name: public-c}}]"

static const char *const families[] = {"c5", "m5", "r5", "m6g", "m5d", "c6g", "t3"};

struct world {
    struct random random;
    struct text class_spec, pools_text, pods_text; // YAML
    uint32_t pods, pools;
    bool windows, public_addresses;
};

// --- drawing -------------------------------------------------------------------------------------

static uint64_t draw(struct world *world, uint64_t bound)
{
    return random_below(&world->random, bound);
}

static void draw_kubelet(struct world *world, bool bottlerocket)
{
    static const char *const settings[] = {
        "maxPods: 5",
        "podsPerCore: 2",
        "maxPods: 9",
        "systemReserved: {cpu: 500m, memory: 1Gi}",
        "kubeReserved: {cpu: 300m, memory: 700Mi}",
        "evictionHard: {memory.available: 10%}",
        "evictionSoft: {memory.available: 1Gi}, evictionSoftGracePeriod: {memory.available: 1m}",
    };
    if (draw(world, 3) == 0)
        return;
    uint64_t first = draw(world, ARRAY_LENGTH(settings)), second = draw(world, 7);
    first += bottlerocket && first == 1; // it has no podsPerCore
    text_format(&world->class_spec, ", kubelet: {%s", settings[first]);
    if (second > first + 1 && second > 2) // maxPods once
        text_format(&world->class_spec, ", %s", settings[second]);
    text_add(&world->class_spec, "}");
}

static void draw_volumes(struct world *world, bool bottlerocket)
{
    static const char *const kinds[] = {"volumeType: gp3", "volumeType: gp3, iops: 6000",
                                        "volumeType: gp2", "volumeType: io1, iops: 3000"};
    int size = (int)(60 + 30 * draw(world, 4));
    const char *kind = kinds[draw(world, ARRAY_LENGTH(kinds))];
    const char *name = world->windows ? "/dev/sda1" : bottlerocket ? "/dev/xvdb" : "/dev/xvda";
    bool named = bottlerocket || draw(world, 2) == 0; // by the family's device, or as the root
    text_add(&world->class_spec, ", blockDeviceMappings: [");
    if (bottlerocket)
        text_add(&world->class_spec,
                 "{deviceName: /dev/xvda, ebs: {volumeSize: 4Gi, volumeType: gp3}}, ");
    text_format(&world->class_spec, "{deviceName: %s%s, ebs: {volumeSize: %dGi, %s}}]", name,
                named ? "" : ", rootVolume: true", size, kind);
}

static void draw_class(struct world *world)
{
    static const char *const aliases[] = {"al2023@latest", "al2023@latest", "bottlerocket@latest",
                                          "windows2022@latest"};
    const char *alias = aliases[draw(world, ARRAY_LENGTH(aliases))];
    world->windows = alias[0] == 'w';
    world->public_addresses = draw(world, 3) == 0;
    text_format(&world->class_spec,
                "role: nodes, amiSelectorTerms: [{alias: %s}], subnetSelectorTerms: %s, "
                "securityGroupSelectorTerms: " TAGGED,
                alias, world->public_addresses ? PUBLIC : TAGGED);
    draw_kubelet(world, alias[0] == 'b');
    if (!world->windows && draw(world, 3) == 0) // Windows makes no array of its disks by itself
        text_add(&world->class_spec, ", instanceStorePolicy: RAID0");
    if (draw(world, 2) == 0)
        draw_volumes(world, alias[0] == 'b');
    if (draw(world, 3) == 0) { // it wins over the subnets
        world->public_addresses = draw(world, 2) == 0;
        text_format(&world->class_spec, ", associatePublicIPAddress: %s",
                    world->public_addresses ? "true" : "false");
    }
}

static void draw_pool(struct world *world, int index)
{
    static const char *const capacity_types[] = {"on-demand", "spot", "spot, on-demand"};
    uint64_t first = draw(world, ARRAY_LENGTH(families)), count = 1 + draw(world, 3);
    text_format(&world->pools_text,
                "---\n{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool-%d}, "
                "spec: {weight: %d, disruption: {consolidateAfter: Never}, template: {metadata: "
                "{labels: {team: t%d}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                "EC2NodeClass, name: default}, requirements: [{key: karpenter.sh/capacity-type, "
                "operator: In, values: [%s]}, {key: kubernetes.io/os, operator: In, values: "
                "[%s]}, {key: karpenter.k8s.aws/instance-family, operator: In, values: [",
                index, 10 - index, index, capacity_types[draw(world, ARRAY_LENGTH(capacity_types))],
                world->windows ? "windows" : "linux");
    for (uint64_t i = 0; i < count; i++)
        text_format(&world->pools_text, "%s%s", i > 0 ? ", " : "",
                    families[(first + i) % ARRAY_LENGTH(families)]);
    text_add(&world->pools_text, "]}");
    if (draw(world, 3) == 0)
        text_format(&world->pools_text,
                    ", {key: topology.kubernetes.io/zone, operator: In, values: [us-west-2%c]}",
                    'a' + (int)draw(world, 3));
    text_add(&world->pools_text, "]}}}}\n");
}

static void draw_pod(struct world *world, uint32_t index)
{
    static const char *const cpu[] = {"100m", "250m", "500m", "1", "1500m", "3"};
    static const char *const memory[] = {"128Mi", "512Mi", "1Gi", "3Gi", "7Gi"};
    const char *team = draw(world, 4) > 0 ? "" : draw(world, world->pools) == 0 ? "t0" : "t1";
    const char *most = cpu[draw(world, ARRAY_LENGTH(cpu))];
    const char *room = memory[draw(world, ARRAY_LENGTH(memory))];
    const char *disk = draw(world, 4) == 0 ? ", ephemeral-storage: 9Gi" : "";
    text_format(
        &world->pods_text,
        "---\n{apiVersion: v1, kind: Pod, metadata: {name: p%u, namespace: default, labels: "
        "{app: p}}, spec: {nodeSelector: {kubernetes.io/os: %s%s%s}, containers: [{name: c, "
        "image: i, resources: {requests: {cpu: %s, memory: %s%s}}}]}}\n",
        index, world->windows ? "windows" : "linux", team[0] != '\0' ? ", team: " : "", team, most,
        room, disk);
}

static void draw_world(struct world *world, uint64_t seed)
{
    random_seed(&world->random, seed);
    draw_class(world);
    world->pools = 1 + (uint32_t)draw(world, 3);
    for (uint32_t i = 0; i < world->pools; i++)
        draw_pool(world, (int)i);
    world->pods = 1 + (uint32_t)draw(world, PODS_MAX);
    for (uint32_t i = 0; i < world->pods; i++)
        draw_pod(world, i);
}

// --- the launched world --------------------------------------------------------------------------

static const struct aws_instance *instance_of(struct scene *scene, const json_t *claim)
{
    struct aws_account *account = simulation_account(scene->simulation);
    const char *id = json_string_value(store_path(claim, "status.providerID"));
    const struct aws_instance *instance;
    for (uint32_t i = 0; (instance = aws_account_instance_at(account, i)) != NULL; i++)
        if (text_equal(aws_instance_provider_id(instance), id))
            return instance;
    return NULL;
}

static bool write_object(void *context, json_t *object)
{
    fputs("---\n", context);
    json_dumpf(object, context, 0);
    fputs("\n", context);
    return true;
}

// As `kubectl get -o yaml` prints node class and pods, with the NodePools that are to be applied.
static void write_files(struct scene *scene, const struct world *world, char path[64])
{
    struct store *store = simulation_store(scene->simulation);
    snprintf(path, 64, "/tmp/test_aws_plan.XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    store_each(store, store_resource_of_kind(store, "karpenter.k8s.aws/v1", "EC2NodeClass"), NULL,
               write_object, file);
    store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, write_object, file);
    fputs(world->pools_text.data, file);
    assert_int_equal(fclose(file), 0);
}

// --- comparing -----------------------------------------------------------------------------------

// A line for each node, sorted: type, price, requests, zones, capacity types, types to choose from.
typedef VECTOR(char *) lines;

static void add_sorted(struct text *text, lines *all, const char *separator)
{
    if (all->count > 0)
        qsort(all->items, all->count, sizeof *all->items, text_compare);
    for (uint32_t i = 0; i < all->count; i++) {
        text_format(text, "%s%s", all->items[i], separator);
        free(all->items[i]);
    }
    vector_free(all);
}

static void add_request(struct text *line, const char *name, int64_t value)
{
    text_format(line, " %s %lld", name, (long long)value);
}

static void add_planned_values(struct text *line, const struct plan_claim *claim, const char *key)
{
    lines values = {0};
    list_for_each (requirement, &claim->requirements)
        for (uint32_t i = 0; strcmp(requirement->key, key) == 0 && i < requirement->values.count;
             i++)
            vector_push(&values, memory_copy_string(requirement->values.items[i]));
    text_format(line, "; %s ", key);
    add_sorted(line, &values, " ");
}

static char *describe_planned(const struct plan_claim *claim, const struct world *world)
{
    struct text line = {0};
    lines types = {0};
    assert_int_equal(claim->costs.address > 0, world->public_addresses); // AWN-1
    text_format(&line, "%s %lld:", claim->types.items[0].instance_type->name,
                (long long)claim->price);
    list_for_each (quantity, &claim->requests)
        add_request(&line, quantity->name, quantity->value);
    add_planned_values(&line, claim, LABEL_ZONE);
    add_planned_values(&line, claim, LABEL_CAPACITY_TYPE);
    list_for_each (type, &claim->types)
        vector_push(&types, memory_copy_string(type->instance_type->name));
    text_format(&line, "; %s ", LABEL_INSTANCE_TYPE);
    add_sorted(&line, &types, " ");
    return text_take(&line);
}

// *left: pods without a place.
static char *describe_plan(const char *path, const struct world *world, uint32_t *left)
{
    struct input_options input = {.common = {.format = "json"}, .admission = true};
    struct plan_options options = {.explain = EXPLAIN_REASONS};
    struct snapshot *snapshot = snapshot_create();
    struct error error = {0};
    vector_push(&input.common.files, path);
    if (!input_read(&input, snapshot, &error))
        fail_msg("%s", error.message);
    struct plan *plan = engine_plan(snapshot, &options, &error);
    assert_non_null(plan);
    lines all = {0};
    struct text text = {0};
    list_for_each (claim, &plan->claims)
        vector_push(&all, describe_planned(claim, world));
    *left = plan->unschedulable.count;
    plan_destroy(plan);
    snapshot_destroy(snapshot);
    input_free(&input);
    add_sorted(&text, &all, "\n");
    return text_take(&text);
}

struct looking {
    struct scene *scene;
    lines all;
};

// `has`: a value that the node has, which must be one of them.
static void add_launched_values(struct text *line, const json_t *claim, const char *key,
                                const char *has)
{
    lines values = {0};
    bool found = has == NULL;
    size_t i, j;
    json_t *requirement, *value;
    json_array_foreach (store_path(claim, "spec.requirements"), i, requirement)
        if (text_equal(json_string_value(json_object_get(requirement, "key")), key))
            json_array_foreach (json_object_get(requirement, "values"), j, value) {
                vector_push(&values, memory_copy_string(json_string_value(value)));
                found = found || text_equal(json_string_value(value), has);
            }
    if (values.count > 0)
        assert_true(found);
    text_format(line, "; %s ", key);
    add_sorted(line, &values, " ");
}

static bool describe_claim(void *context, json_t *claim)
{
    struct looking *looking = context;
    const struct aws_instance *instance = instance_of(looking->scene, claim);
    struct text line = {0};
    const char *name;
    json_t *amount;
    if (instance == NULL) {
        vector_push(&looking->all, memory_copy_string("none"));
        return true;
    }
    text_format(&line, "%s %lld:", aws_instance_type_of(instance),
                (long long)aws_instance_price(instance));
    json_object_foreach (store_path(claim, "spec.resources.requests"), name, amount) {
        int64_t value;
        assert_true(quantity_parse(name, json_string_value(amount), &value, NULL));
        add_request(&line, name, value);
    }
    add_launched_values(&line, claim, LABEL_ZONE, aws_instance_zone(instance));
    add_launched_values(&line, claim, LABEL_CAPACITY_TYPE, aws_instance_capacity_type(instance));
    add_launched_values(&line, claim, LABEL_INSTANCE_TYPE, aws_instance_type_of(instance));
    vector_push(&looking->all, text_take(&line));
    return true;
}

static char *describe_launched(struct scene *scene)
{
    struct store *store = simulation_store(scene->simulation);
    struct looking looking = {scene};
    struct text text = {0};
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               describe_claim, &looking);
    add_sorted(&text, &looking.all, "\n");
    return text_take(&text);
}

static bool count_pending(void *context, json_t *pod)
{
    *(uint32_t *)context += store_path(pod, "spec.nodeName") == NULL;
    return true;
}

// Until no more than `left` pods wait, and a minute more in which nothing may be launched.
static bool run_until_bound(struct scene *scene, uint32_t left)
{
    struct store *store = simulation_store(scene->simulation);
    uint32_t pending = UINT32_MAX;
    for (int i = 0; i < 30 && pending > left; i++) {
        pending = 0;
        run(scene, 10);
        store_each(store, store_resource_of_kind(store, "v1", "Pod"), NULL, count_pending,
                   &pending);
    }
    run(scene, 60);
    return pending == left;
}

// The account's spot prices are those of the built-in lists, in every zone.
static json_t *listed_spot_prices(void)
{
    json_t *prices = json_object();
    struct region_prices *list = region_prices_create("us-west-2");
    for (uint32_t i = 0; i < list->count; i++)
        json_object_set_new(prices, list->prices[i].instance_type,
                            json_real(price_to_double(list->prices[i].spot)));
    region_prices_destroy(list);
    return prices;
}

static bool world_differs(struct scene *scene, const struct world *world, uint64_t seed)
{
    char path[64];
    uint32_t left;
    simulation_start_controller(scene->simulation);
    apply(scene,
          "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
          "{%s}}",
          world->class_spec.data);
    run(scene, 60);
    apply(scene, "%s", world->pods_text.data);
    run(scene, 10);
    write_files(scene, world, path);
    CLEANUP_FREE char *planned = describe_plan(path, world, &left);
    apply(scene, "%s", world->pools_text.data);
    bool bound = run_until_bound(scene, left);
    CLEANUP_FREE char *launched = describe_launched(scene);
    bool differs = !bound || strcmp(planned, launched) != 0;
    if (differs)
        fprintf(stderr, "world %llu\nspec: {%s}\n%s%splanned:\n%slaunched:\n%s",
                (unsigned long long)seed, world->class_spec.data, world->pools_text.data,
                world->pods_text.data, planned, launched);
    unlink(path);
    return differs;
}

static uint32_t check_world(uint64_t seed, const json_t *spot_prices, uint32_t *nodes)
{
    struct world world = {0};
    draw_world(&world, seed);
    struct scene *scene = scene_open();
    scene->account.catalogue = "(c5|m5|r5|m6g|m5d|c6g|t3)\\..*";
    scene->account.spot_prices = spot_prices;
    scene_begin(scene);
    bool differs = world_differs(scene, &world, seed);
    *nodes += aws_account_instances(simulation_account(scene->simulation));
    scene_close(scene);
    text_free(&world.class_spec);
    text_free(&world.pools_text);
    text_free(&world.pods_text);
    return differs;
}

static uint64_t first = 1, last = 50;

static void plans_from_files_come_true(void **state)
{
    (void)state;
    uint32_t nodes = 0, differences = 0;
    json_t *spot_prices = listed_spot_prices();
    for (uint64_t seed = first; seed <= last; seed++)
        differences += check_world(seed, spot_prices, &nodes);
    json_decref(spot_prices);
    print_message("%u nodes\n", nodes);
    assert_int_equal(differences, 0);
    assert_true(nodes > last - first); // the worlds are not empty
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first = strtoull(argv[1], NULL, 10);
        last = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_from_files_come_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
