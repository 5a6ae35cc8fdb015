#include "simulation/aws_scene.h"

#include <stdlib.h>

#include "base/log.h"
#include "sim/store/store_json.h"
#include "sim/store/store_patch.h"

struct scene *scene_open(void)
{
    struct scene *scene = memory_allocate(sizeof *scene);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    scene->loop = loop_create_virtual(INT64_C(1785000000) * SECOND);
    settings_defaults(&scene->settings);
    scene->settings.cluster_name = "shop";
    scene->settings.interruption_queue = "interruptions";
    scene->settings.eks_control_plane = true;
    scene->account = (struct aws_account_options){.cluster = "shop",
                                                  .catalogue = "m5\\.(large|xlarge)",
                                                  .latency_min = 5 * MILLISECOND,
                                                  .latency_max = 50 * MILLISECOND};
    return scene;
}

void scene_begin(struct scene *scene)
{
    struct simulation_options options;
    struct error error = {0};
    simulation_options_defaults(&options);
    options.loop = scene->loop;
    options.seed = 1;
    options.settings = &scene->settings;
    options.aws = &scene->account;
    options.aws_error = &error;
    scene->simulation = simulation_create(&options);
    if (scene->simulation == NULL)
        fail_msg("%s", error.message);
}

void scene_close(struct scene *scene)
{
    simulation_destroy(scene->simulation);
    loop_destroy(scene->loop);
    free(scene);
}

void apply(struct scene *scene, const char *format, ...)
{
    struct text text = {0};
    struct error error = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    if (!simulation_apply(scene->simulation, text.data, &error))
        fail_msg("%s in %s", error.message, text.data);
    text_free(&text);
}

void apply_class(struct scene *scene, const char *subnets, const char *groups, const char *identity)
{
    apply(scene,
          "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: "
          "{%s, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: %s, "
          "securityGroupSelectorTerms: %s}}",
          identity, subnets, groups);
}

void apply_pool(struct scene *scene, const char *requirements)
{
    apply(scene,
          "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: "
          "{template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: "
          "default}, requirements: [%s]}}}}",
          requirements);
}

void apply_pods(struct scene *scene, int replicas)
{
    apply(scene,
          "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, "
          "spec: {replicas: %d, selector: {matchLabels: {app: web}}, template: {metadata: {labels: "
          "{app: web}}, spec: {containers: [{name: main, image: pause, resources: {requests: {cpu: "
          "1, memory: 1Gi}}}]}}}}",
          replicas);
}

void run(struct scene *scene, int seconds)
{
    loop_run_for(scene->loop, seconds * SECOND);
}

static bool has_parts(const struct wanted *wanted, const char *message)
{
    return strstr(text_or_empty(message), wanted->part) != NULL &&
           strstr(text_or_empty(message), wanted->remedy) != NULL;
}

static bool look_at_event(void *context, json_t *event)
{
    struct wanted *wanted = context;
    const char *kind = json_string_value(store_path(event, "involvedObject.kind"));
    const char *reason = json_string_value(json_object_get(event, "reason"));
    const char *message = json_string_value(json_object_get(event, "message"));
    text_format(&wanted->all, "%s %s: %s\n", kind, reason, message);
    wanted->found =
        wanted->found || (text_equal(kind, wanted->kind) && text_equal(reason, wanted->reason) &&
                          has_parts(wanted, message));
    return true;
}

void expect_event(struct scene *scene, const char *kind, const char *reason, const char *part,
                  const char *remedy)
{
    struct wanted wanted = {.kind = kind, .reason = reason, .part = part, .remedy = remedy};
    struct store *store = simulation_store(scene->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, look_at_event, &wanted);
    if (!wanted.found)
        fail_msg("no event %s %s with %s ... %s in\n%s", kind, reason, part, remedy,
                 wanted.all.data);
    text_free(&wanted.all);
}

bool look_at_conditions(void *context, json_t *object)
{
    struct wanted *wanted = context;
    size_t i;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), i, condition) {
        const char *type = json_string_value(json_object_get(condition, "type"));
        const char *reason = json_string_value(json_object_get(condition, "reason"));
        const char *message = json_string_value(json_object_get(condition, "message"));
        text_format(&wanted->all, "%s %s %s: %s\n", type,
                    json_string_value(json_object_get(condition, "status")), reason, message);
        wanted->found =
            wanted->found || (text_equal(type, wanted->type) &&
                              text_equal(reason, wanted->reason) && has_parts(wanted, message));
    }
    return true;
}

void expect_no_event(struct scene *scene, const char *kind, const char *reason)
{
    struct wanted wanted = {.kind = kind, .reason = reason, .part = "", .remedy = ""};
    struct store *store = simulation_store(scene->simulation);
    store_each(store, store_resource_of_kind(store, "v1", "Event"), NULL, look_at_event, &wanted);
    if (wanted.found)
        fail_msg("%s", wanted.all.data);
    text_free(&wanted.all);
}

void expect_condition(struct scene *scene, const char *api_version, const char *kind,
                      const char *type, const char *reason, const char *part, const char *remedy)
{
    struct wanted wanted = {
        .kind = kind, .type = type, .reason = reason, .part = part, .remedy = remedy};
    struct store *store = simulation_store(scene->simulation);
    store_each(store, store_resource_of_kind(store, api_version, kind), NULL, look_at_conditions,
               &wanted);
    if (!wanted.found)
        fail_msg("no condition %s %s with %s ... %s in\n%s", type, reason, part, remedy,
                 text_or_empty(wanted.all.data));
    text_free(&wanted.all);
}

void expect_problem(struct scene *scene, const char *type, const char *reason, const char *part,
                    const char *remedy)
{
    expect_condition(scene, "karpenter.k8s.aws/v1", "EC2NodeClass", type, reason, part, remedy);
    expect_event(scene, "EC2NodeClass", "NodeClassProblem", part, remedy);
    expect_event(scene, "EC2NodeClass", "NodeClassProblem", type, reason);
}

static bool keep_name(void *context, json_t *object)
{
    text_format(context, "%s", json_string_value(store_path(object, "metadata.name")));
    return true;
}

void lose_claim(struct scene *scene)
{
    struct store *store = simulation_store(scene->simulation);
    const struct store_resource *claims =
        store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim");
    struct text name = {0};
    struct error error = {0};
    store_each(store, claims, NULL, keep_name, &name);
    assert_true(name.length > 0);
    json_t *patch = json_pack("{s:{s:[]}}", "metadata", "finalizers");
    struct store_target target = {claims, NULL, name.data, NULL};
    assert_non_null(store_patch(store, &target, "merge", patch, &error));
    json_decref(patch);
    assert_true(simulation_delete(scene->simulation, "karpenter.sh/v1", "NodeClaim", NULL,
                                  name.data, &error));
    text_free(&name);
}
