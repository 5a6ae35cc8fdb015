// A plan from files with an EC2NodeClass equals what the controller then launches in the simulated
// account: pod for pod, type for type, price for price (AWI-1, FMT-10), over drawn worlds.
//
// Drawn are the AMI family, kubelet, root volume, instance store and zones of the EC2NodeClass, one
// or two NodePools with their families, and pods. The plan reads what a user has who is about to
// apply the NodePools: node class and pods as `kubectl get -o yaml` prints them.
#include "simulation/aws_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/random.h"
#include "cli/input/input.h"
#include "engine/engine.h"
#include "sim/store/store_json.h"

#define PODS_MAX 24

static const char *const families[] = {"c5", "m5", "r5", "m6g", "m5d", "c6g", "t3"};

struct world {
    struct random random;
    struct text class_spec, pools_text, pods_text; // YAML
    uint32_t pods, pools;
    bool windows;
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

static void draw_class(struct world *world)
{
    static const char *const aliases[] = {"al2023@latest", "al2023@latest", "bottlerocket@latest",
                                          "windows2022@latest"};
    const char *alias = aliases[draw(world, ARRAY_LENGTH(aliases))];
    world->windows = alias[0] == 'w';
    text_format(&world->class_spec,
                "role: nodes, amiSelectorTerms: [{alias: %s}], subnetSelectorTerms: " TAGGED
                ", securityGroupSelectorTerms: " TAGGED,
                alias);
    draw_kubelet(world, alias[0] == 'b');
    if (draw(world, 3) == 0)
        text_add(&world->class_spec, ", instanceStorePolicy: RAID0");
    if (draw(world, 3) == 0)
        text_format(&world->class_spec,
                    ", blockDeviceMappings: [{deviceName: %s, rootVolume: true, ebs: {volumeSize: "
                    "%dGi, volumeType: gp3}}]",
                    world->windows ? "/dev/sda1" : "/dev/xvda", (int)(60 + 30 * draw(world, 4)));
}

static void draw_pool(struct world *world, int index)
{
    uint64_t first = draw(world, ARRAY_LENGTH(families)), count = 1 + draw(world, 3);
    text_format(&world->pools_text,
                "---\n{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool-%d}, "
                "spec: {weight: %d, disruption: {consolidateAfter: Never}, template: {metadata: "
                "{labels: {team: t%d}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                "EC2NodeClass, name: default}, requirements: [{key: karpenter.sh/capacity-type, "
                "operator: In, values: [on-demand]}, {key: kubernetes.io/os, operator: In, values: "
                "[%s]}, {key: karpenter.k8s.aws/instance-family, operator: In, values: [",
                index, 10 - index, index, world->windows ? "windows" : "linux");
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
    world->pools = 1 + (uint32_t)draw(world, 2);
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

// "TYPE PRICE: cpu 3, memory 7Gi, pods 2" for each node, sorted.
typedef VECTOR(char *) lines;

static char *join(lines *all)
{
    struct text text = {0};
    if (all->count > 0)
        qsort(all->items, all->count, sizeof *all->items, text_compare);
    for (uint32_t i = 0; i < all->count; i++) {
        text_format(&text, "%s\n", all->items[i]);
        free(all->items[i]);
    }
    vector_free(all);
    return text_take(&text);
}

static void add_request(struct text *line, const char *name, int64_t value)
{
    text_format(line, " %s %lld", name, (long long)value);
}

static char *describe_plan(const char *path)
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
    list_for_each (claim, &plan->claims) {
        struct text line = {0};
        text_format(&line, "%s %lld:", claim->types.items[0].instance_type->name,
                    (long long)claim->price);
        list_for_each (quantity, &claim->requests)
            add_request(&line, quantity->name, quantity->value);
        vector_push(&all, text_take(&line));
    }
    plan_destroy(plan);
    snapshot_destroy(snapshot);
    input_free(&input);
    return join(&all);
}

struct looking {
    struct scene *scene;
    lines all;
};

static bool describe_claim(void *context, json_t *claim)
{
    struct looking *looking = context;
    const struct aws_instance *instance = instance_of(looking->scene, claim);
    struct text line = {0};
    const char *name;
    json_t *amount;
    text_format(&line, "%s %lld:", instance != NULL ? aws_instance_type_of(instance) : "none",
                instance != NULL ? (long long)aws_instance_price(instance) : 0);
    json_object_foreach (store_path(claim, "spec.resources.requests"), name, amount) {
        int64_t value;
        assert_true(quantity_parse(name, json_string_value(amount), &value, NULL));
        add_request(&line, name, value);
    }
    vector_push(&looking->all, text_take(&line));
    return true;
}

static char *describe_launched(struct scene *scene)
{
    struct store *store = simulation_store(scene->simulation);
    struct looking looking = {scene};
    store_each(store, store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim"), NULL,
               describe_claim, &looking);
    return join(&looking.all);
}

static uint32_t check_world(uint64_t seed, uint32_t *nodes)
{
    struct world world = {0};
    char path[64];
    draw_world(&world, seed);
    struct scene *scene = scene_open();
    scene->account.catalogue = "(c5|m5|r5|m6g|m5d|c6g|t3)\\..*";
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply(scene,
          "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
          "{%s}}",
          world.class_spec.data);
    run(scene, 60);
    apply(scene, "%s", world.pods_text.data);
    run(scene, 10);
    write_files(scene, &world, path);
    CLEANUP_FREE char *planned = describe_plan(path);
    apply(scene, "%s", world.pools_text.data);
    run(scene, 5); // before a machine has booted: simulated kubelets reserve less than real ones
    CLEANUP_FREE char *launched = describe_launched(scene);
    bool differs = strcmp(planned, launched) != 0;
    if (differs)
        fprintf(stderr, "world %llu\nspec: {%s}\n%s%splanned:\n%slaunched:\n%s",
                (unsigned long long)seed, world.class_spec.data, world.pools_text.data,
                world.pods_text.data, planned, launched);
    *nodes += aws_account_instances(simulation_account(scene->simulation));
    unlink(path);
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
    for (uint64_t seed = first; seed <= last; seed++)
        differences += check_world(seed, &nodes);
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
