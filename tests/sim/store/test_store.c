// The object store: each test names the Kubernetes API concept that it proves.
#include "sim/store_helpers.h"

#include "base/text.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_remove.h"
#include "sim/store/store_watch.h"
#include "sim/store/store_write.h"

static uint64_t version_of(const json_t *object)
{
    return strtoull(text_at(object, "metadata.resourceVersion"), NULL, 10);
}

// --- creation ------------------------------------------------------------------------------------

static void start_namespaces_exist(void **state)
{
    struct world_of_test *t = *state;
    static const char *const names[] = {"default", "kube-system", "kube-public", "kube-node-lease"};
    for (size_t i = 0; i < 4; i++) {
        json_t *namespace = store_get(t->store, t->namespaces, NULL, names[i]);
        assert_non_null(namespace);
        assert_string_equal(text_at(namespace, "status.phase"), "Active");
    }
}

static void create_fills_system_metadata(void **state)
{
    struct world_of_test *t = *state;
    json_t *pod = add_pod(t, "a", NULL);
    assert_int_equal(strlen(store_uid(pod)), 36);
    assert_string_equal(text_at(pod, "metadata.creationTimestamp"), "2026-01-01T00:00:00Z");
    assert_string_equal(store_namespace(pod), "default");
    assert_string_equal(text_at(pod, "apiVersion"), "v1");
    assert_string_equal(text_at(pod, "kind"), "Pod");
    assert_int_equal(number_at(pod, "metadata.generation"), 1);
    assert_int_equal(version_of(pod), store_version(t->store));
}

static void create_existing_is_already_exists(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", NULL);
    struct error error = {0};
    assert_null(add_text(
        t, t->pods, "default",
        "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'m','image':'i'}]}}", &error));
    assert_int_equal(error.kind, ERROR_ALREADY_EXISTS);
    assert_string_equal(error.message, "pods \"a\" already exists");
}

static void create_with_generate_name_draws_five_characters(void **state)
{
    struct world_of_test *t = *state;
    json_t *a = must_add(t, t->config_maps, "default", "{'metadata':{'generateName':'web-'}}");
    json_t *b = must_add(t, t->config_maps, "default", "{'metadata':{'generateName':'web-'}}");
    assert_int_equal(strlen(store_name(a)), 9);
    assert_true(text_starts_with(store_name(a), "web-"));
    assert_string_not_equal(store_name(a), store_name(b));
}

static void create_with_long_generate_name_is_cut_to_63(void **state)
{
    struct world_of_test *t = *state;
    json_t *a =
        must_add(t, t->config_maps, "default",
                 "{'metadata':{'generateName':"
                 "'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg-'}}");
    assert_int_equal(strlen(store_name(a)), 63);
}

static void create_without_name_is_invalid(void **state)
{
    struct world_of_test *t = *state;
    struct error error = {0};
    assert_null(add_text(t, t->config_maps, "default", "{'metadata':{}}", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_string_equal(error.message, "ConfigMap \"\" is invalid: metadata.name: Required value: "
                                       "name or generateName is required");
}

static void create_in_unknown_namespace_is_not_found(void **state)
{
    struct world_of_test *t = *state;
    struct error error = {0};
    assert_null(add_text(t, t->config_maps, "nowhere", "{'metadata':{'name':'a'}}", &error));
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
    assert_string_equal(error.message, "namespaces \"nowhere\" not found");
}

static void create_with_resource_version_is_refused(void **state)
{
    struct world_of_test *t = *state;
    struct error error = {0};
    assert_null(add_text(t, t->config_maps, "default",
                         "{'metadata':{'name':'a','resourceVersion':'5'}}", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
}

static void create_of_wrong_kind_is_refused(void **state)
{
    struct world_of_test *t = *state;
    struct error error = {0};
    assert_null(add_text(t, t->config_maps, "default",
                         "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'a'}}", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
}

static void names_and_labels_are_validated(void **state)
{
    struct world_of_test *t = *state;
    static const char *const bad[] = {
        "{'metadata':{'name':'Upper'}}",
        "{'metadata':{'name':'a/b'}}",
        "{'metadata':{'name':'a','labels':{'-bad':'x'}}}",
        "{'metadata':{'name':'a','labels':{'good':'not good'}}}",
        "{'metadata':{'name':'a','labels':{'good':1}}}",
        "{'metadata':{'name':'a','annotations':{'good':1}}}",
        "{'metadata':{'name':'a','ownerReferences':[{'kind':'Pod','name':'x','uid':'u'}]}}",
        "{'metadata':{'name':'a','finalizers':['not good']}}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct error error = {0};
        assert_null(add_text(t, t->config_maps, "default", bad[i], &error));
        assert_int_equal(error.kind, ERROR_INVALID);
    }
}

static void status_of_new_object_is_dropped(void **state)
{
    struct world_of_test *t = *state;
    json_t *pod =
        must_add(t, t->pods, "default",
                 "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'m','image':'i'}]},"
                 "'status':{'phase':'Running'}}");
    assert_string_equal(text_at(pod, "status.phase"), "Pending");
    // A kubelet registers its node with the status.
    json_t *node =
        must_add(t, t->nodes, NULL, "{'metadata':{'name':'n'},'status':{'capacity':{'cpu':'2'}}}");
    assert_string_equal(text_at(node, "status.capacity.cpu"), "2");
}

static void seed_determines_uids(void **state)
{
    struct world_of_test *t = *state;
    struct store *twin = store_create(t->loop, 7);
    const char *name = "default";
    assert_string_equal(
        store_uid(store_get(twin, store_resource_find(twin, "", "v1", "namespaces"), NULL, name)),
        store_uid(store_get(t->store, t->namespaces, NULL, name)));
    store_destroy(twin);
}

// --- defaults and admission ----------------------------------------------------------------------

static void pod_defaults(void **state)
{
    struct world_of_test *t = *state;
    json_t *pod = must_add(t, t->pods, "default",
                           "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'m','image':'i',"
                           "'resources':{'limits':{'cpu':'1','memory':'1Gi'}},'ports':"
                           "[{'containerPort':80}]}]}}");
    assert_string_equal(text_at(pod, "spec.restartPolicy"), "Always");
    assert_string_equal(text_at(pod, "spec.schedulerName"), "default-scheduler");
    assert_string_equal(text_at(pod, "spec.serviceAccountName"), "default");
    assert_int_equal(number_at(pod, "spec.terminationGracePeriodSeconds"), 30);
    assert_int_equal(number_at(pod, "spec.priority"), 0);
    assert_string_equal(text_at(pod, "spec.preemptionPolicy"), "PreemptLowerPriority");
    assert_json(
        store_path(pod, "spec.tolerations"),
        "[{'key':'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute',"
        "'tolerationSeconds':300},{'key':'node.kubernetes.io/unreachable','operator':'Exists',"
        "'effect':'NoExecute','tolerationSeconds':300}]");
    json_t *container = json_array_get(store_path(pod, "spec.containers"), 0);
    assert_json(store_path(container, "resources.requests"), "{'cpu':'1','memory':'1Gi'}");
    assert_json(store_path(container, "ports"), "[{'containerPort':80,'protocol':'TCP'}]");
    assert_string_equal(text_at(container, "imagePullPolicy"), "Always");
    assert_string_equal(text_at(pod, "status.qosClass"), "Guaranteed");
}

static void pod_quality_of_service_classes(void **state)
{
    struct world_of_test *t = *state;
    assert_string_equal(text_at(add_pod(t, "a", NULL), "status.qosClass"), "BestEffort");
    json_t *pod = must_add(t, t->pods, "default",
                           "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'m','image':'i',"
                           "'resources':{'requests':{'cpu':'1'}}}]}}");
    assert_string_equal(text_at(pod, "status.qosClass"), "Burstable");
}

static void pod_priority_from_class(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->store->priority_classes, NULL,
             "{'metadata':{'name':'high'},'value':1000,'preemptionPolicy':'Never'}");
    json_t *pod =
        must_add(t, t->pods, "default",
                 "{'metadata':{'name':'a'},'spec':{'priorityClassName':'high','containers':"
                 "[{'name':'m','image':'i'}]}}");
    assert_int_equal(number_at(pod, "spec.priority"), 1000);
    assert_string_equal(text_at(pod, "spec.preemptionPolicy"), "Never");
    struct error error = {0};
    assert_null(add_text(t, t->pods, "default",
                         "{'metadata':{'name':'b'},'spec':{'priorityClassName':'none','containers':"
                         "[{'name':'m','image':'i'}]}}",
                         &error));
    assert_int_equal(error.kind, ERROR_FORBIDDEN);
    assert_string_equal(error.message,
                        "pods \"b\" is forbidden: no PriorityClass with name none was found");
}

static void pod_priority_from_global_default(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->store->priority_classes, NULL,
             "{'metadata':{'name':'usual'},'value':5,'globalDefault':true}");
    json_t *pod = add_pod(t, "a", NULL);
    assert_int_equal(number_at(pod, "spec.priority"), 5);
    assert_string_equal(text_at(pod, "spec.priorityClassName"), "usual");
}

static void limit_range_defaults_and_bounds(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->store->limit_ranges, "default",
             "{'metadata':{'name':'l'},'spec':{'limits':[{'type':'Container','default':{'cpu':'2'},"
             "'defaultRequest':{'cpu':'500m'},'max':{'cpu':'3'}}]}}");
    json_t *pod = add_pod(t, "a", NULL);
    json_t *container = json_array_get(store_path(pod, "spec.containers"), 0);
    assert_json(store_path(container, "resources"),
                "{'limits':{'cpu':'2'},'requests':{'cpu':'500m'}}");
    struct error error = {0};
    assert_null(add_text(t, t->pods, "default",
                         "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'m','image':'i',"
                         "'resources':{'limits':{'cpu':'4'}}}]}}",
                         &error));
    assert_string_equal(error.message,
                        "pods \"b\" is forbidden: maximum cpu usage per Container is 3, "
                        "but limit is 4");
}

static void deployment_defaults(void **state)
{
    struct world_of_test *t = *state;
    json_t *object =
        must_add(t, t->deployments, "default",
                 "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':"
                 "{'metadata':{'labels':{'a':'b'},'creationTimestamp':null},'spec':{'containers':"
                 "[{'name':'m','image':'i'}]}}},'status':{}}");
    assert_int_equal(number_at(object, "spec.replicas"), 1);
    assert_int_equal(number_at(object, "spec.revisionHistoryLimit"), 10);
    assert_json(
        store_path(object, "spec.strategy"),
        "{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':'25%','maxSurge':'25%'}}");
    assert_json(store_path(object, "spec.template.metadata"), "{'labels':{'a':'b'}}");
}

static void deployment_selector_is_immutable(void **state)
{
    struct world_of_test *t = *state;
    deployment_defaults(state);
    struct error error = {0};
    assert_null(patch_text(t, t->deployments, "default", "d", NULL, "merge",
                           "{'spec':{'selector':{'matchLabels':{'a':null}}}}", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_non_null(strstr(error.message, "spec.selector: Invalid value: field is immutable"));
}

static void pod_without_containers_is_invalid(void **state)
{
    struct world_of_test *t = *state;
    struct error error = {0};
    assert_null(add_text(t, t->pods, "default", "{'metadata':{'name':'a'},'spec':{}}", &error));
    assert_string_equal(error.message, "Pod \"a\" is invalid: spec.containers: Required value");
}

static void pod_quantities_are_validated(void **state)
{
    struct world_of_test *t = *state;
    static const char *const bad[] = {"{'requests':{'cpu':'1x'}}", "{'requests':{'cpu':'-1'}}",
                                      "{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}"};
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct text text = {0};
        text_format(&text,
                    "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'m','image':'i',"
                    "'resources':%s}]}}",
                    bad[i]);
        struct error error = {0};
        assert_null(add_text(t, t->pods, "default", text.data, &error));
        assert_int_equal(error.kind, ERROR_INVALID);
        text_free(&text);
    }
}

static void pod_spec_is_mostly_immutable(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", NULL);
    struct error error = {0};
    assert_null(
        patch_text(t, t->pods, "default", "a", NULL, "merge", "{'spec':{'nodeName':'n'}}", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_non_null(patch_text(t, t->pods, "default", "a", NULL, "strategic",
                               "{'spec':{'containers':[{'name':'main','image':'busybox:2'}]}}",
                               NULL));
}

// --- updates -------------------------------------------------------------------------------------

static void stale_resource_version_conflicts(void **state)
{
    struct world_of_test *t = *state;
    json_t *old = json_incref(add_pod(t, "a", NULL));
    assert_non_null(patch_text(t, t->pods, "default", "a", NULL, "merge",
                               "{'metadata':{'labels':{'x':'1'}}}", NULL));
    struct error error = {0};
    assert_null(
        store_replace(t->store, &(struct store_target){t->pods, "default", "a"}, old, &error));
    assert_int_equal(error.kind, ERROR_CONFLICT);
    assert_string_equal(
        error.message, "Operation cannot be fulfilled on pods \"a\": the object has been modified; "
                       "please apply your changes to the latest version and try again");
    json_decref(old);
}

static void wrong_uid_conflicts(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", NULL);
    struct error error = {0};
    assert_null(patch_text(t, t->pods, "default", "a", NULL, "merge",
                           "{'metadata':{'uid':'other','labels':{'x':'1'}}}", &error));
    assert_int_equal(error.kind, ERROR_CONFLICT);
}

static void no_op_write_keeps_resource_version(void **state)
{
    struct world_of_test *t = *state;
    json_t *before = add_pod(t, "a", NULL);
    uint64_t version = store_version(t->store);
    assert_ptr_equal(patch_text(t, t->pods, "default", "a", NULL, "merge", "{}", NULL), before);
    assert_ptr_equal(
        store_replace(t->store, &(struct store_target){t->pods, "default", "a"}, before, NULL),
        before);
    assert_int_equal(store_version(t->store), version);
}

static void stored_objects_are_immutable(void **state)
{
    struct world_of_test *t = *state;
    json_t *old = json_incref(add_pod(t, "a", NULL));
    json_t *snapshot = json_deep_copy(old);
    patch_text(
        t, t->pods, "default", "a", NULL, "strategic",
        "{'metadata':{'labels':{'x':'1'}},'spec':{'containers':[{'name':'main','image':'z'}]}}",
        NULL);
    assert_true(json_equal(old, snapshot));
    json_decref(old);
    json_decref(snapshot);
}

static void generation_rises_with_spec_only(void **state)
{
    struct world_of_test *t = *state;
    deployment_defaults(state);
    json_t *d = patch_text(t, t->deployments, "default", "d", NULL, "merge",
                           "{'metadata':{'labels':{'x':'1'}}}", NULL);
    assert_int_equal(number_at(d, "metadata.generation"), 1);
    d = patch_text(t, t->deployments, "default", "d", "status", "merge",
                   "{'status':{'replicas':1}}", NULL);
    assert_int_equal(number_at(d, "metadata.generation"), 1);
    d = patch_text(t, t->deployments, "default", "d", NULL, "merge", "{'spec':{'replicas':3}}",
                   NULL);
    assert_int_equal(number_at(d, "metadata.generation"), 2);
}

static void status_subresource_splits_writes(void **state)
{
    struct world_of_test *t = *state;
    deployment_defaults(state);
    json_t *d = patch_text(t, t->deployments, "default", "d", NULL, "merge",
                           "{'spec':{'replicas':2},'status':{'replicas':9}}", NULL);
    assert_int_equal(number_at(d, "spec.replicas"), 2);
    assert_int_equal(number_at(d, "status.replicas"), 0);
    d = patch_text(t, t->deployments, "default", "d", "status", "merge",
                   "{'spec':{'replicas':7},'status':{'replicas':2}}", NULL);
    assert_int_equal(number_at(d, "spec.replicas"), 2);
    assert_int_equal(number_at(d, "status.replicas"), 2);
}

static void server_metadata_cannot_be_written(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", NULL);
    json_t *pod =
        patch_text(t, t->pods, "default", "a", NULL, "merge",
                   "{'metadata':{'creationTimestamp':'2000-01-01T00:00:00Z','generation':9,"
                   "'deletionTimestamp':'2000-01-01T00:00:00Z','labels':{'x':'y'}}}",
                   NULL);
    assert_string_equal(text_at(pod, "metadata.creationTimestamp"), "2026-01-01T00:00:00Z");
    assert_int_equal(number_at(pod, "metadata.generation"), 1);
    assert_null(text_at(pod, "metadata.deletionTimestamp"));
    assert_string_equal(text_at(pod, "metadata.labels.x"), "y");
}

static void provider_id_is_set_once(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->nodes, NULL, "{'metadata':{'name':'n'}}");
    assert_non_null(patch_text(t, t->nodes, NULL, "n", NULL, "merge",
                               "{'spec':{'providerID':'kwok://1'}}", NULL));
    struct error error = {0};
    assert_null(patch_text(t, t->nodes, NULL, "n", NULL, "merge",
                           "{'spec':{'providerID':'kwok://2'}}", &error));
    assert_int_equal(error.kind, ERROR_INVALID);
}

// --- deletion ------------------------------------------------------------------------------------

static json_t *remove_with_grace(struct world_of_test *t, const char *name, int64_t grace)
{
    struct store_delete_options options = {.grace_period_seconds = grace};
    return store_remove(t->store, t->pods, "default", name, &options, NULL);
}

static void delete_of_unbound_pod_is_immediate(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", NULL);
    assert_non_null(store_remove(t->store, t->pods, "default", "a", NULL, NULL));
    assert_null(store_get(t->store, t->pods, "default", "a"));
    struct error error = {0};
    assert_null(store_remove(t->store, t->pods, "default", "a", NULL, &error));
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
}

static void delete_of_bound_pod_is_graceful(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", "node-1");
    json_t *pod = store_remove(t->store, t->pods, "default", "a", NULL, NULL);
    assert_string_equal(text_at(pod, "metadata.deletionTimestamp"), "2026-01-01T00:00:30Z");
    assert_int_equal(number_at(pod, "metadata.deletionGracePeriodSeconds"), 30);
    assert_int_equal(number_at(pod, "metadata.generation"), 2);
    // Again, with a longer period: nothing changes.
    uint64_t version = store_version(t->store);
    remove_with_grace(t, "a", 60);
    remove_with_grace(t, "a", -1);
    assert_int_equal(store_version(t->store), version);
    // A shorter one shortens; zero, the kubelet's, ends it.
    loop_run_for(t->loop, 5 * SECOND);
    pod = remove_with_grace(t, "a", 10);
    assert_string_equal(text_at(pod, "metadata.deletionTimestamp"), "2026-01-01T00:00:10Z");
    assert_non_null(remove_with_grace(t, "a", 0));
    assert_null(store_get(t->store, t->pods, "default", "a"));
}

static void delete_of_finished_pod_is_immediate(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", "node-1");
    patch_text(t, t->pods, "default", "a", "status", "merge", "{'status':{'phase':'Succeeded'}}",
               NULL);
    store_remove(t->store, t->pods, "default", "a", NULL, NULL);
    assert_null(store_get(t->store, t->pods, "default", "a"));
}

static void finalizers_hold_a_deleted_object(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->nodes, NULL,
             "{'metadata':{'name':'n','finalizers':['karpenter.sh/termination']}}");
    json_t *node = store_remove(t->store, t->nodes, NULL, "n", NULL, NULL);
    assert_string_equal(text_at(node, "metadata.deletionTimestamp"), "2026-01-01T00:00:00Z");
    assert_int_equal(number_at(node, "metadata.deletionGracePeriodSeconds"), 0);
    uint64_t version = store_version(t->store);
    assert_non_null(store_remove(t->store, t->nodes, NULL, "n", NULL, NULL));
    assert_int_equal(store_version(t->store), version);
    struct error error = {0};
    assert_null(patch_text(t, t->nodes, NULL, "n", NULL, "merge",
                           "{'metadata':{'finalizers':['karpenter.sh/termination','other/late']}}",
                           &error));
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_non_null(patch_text(t, t->nodes, NULL, "n", NULL, "merge",
                               "{'metadata':{'finalizers':null}}", NULL));
    assert_null(store_get(t->store, t->nodes, NULL, "n"));
}

static void finalizer_removal_does_not_cut_a_grace_period(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->pods, "default",
             "{'metadata':{'name':'a','finalizers':['x/y']},'spec':{'nodeName':'n','containers':"
             "[{'name':'m','image':'i'}]}}");
    store_remove(t->store, t->pods, "default", "a", NULL, NULL);
    patch_text(t, t->pods, "default", "a", NULL, "merge", "{'metadata':{'finalizers':[]}}", NULL);
    assert_non_null(store_get(t->store, t->pods, "default", "a"));
    remove_with_grace(t, "a", 0);
    assert_null(store_get(t->store, t->pods, "default", "a"));
}

static void delete_preconditions(void **state)
{
    struct world_of_test *t = *state;
    add_pod(t, "a", NULL);
    struct error error = {0};
    struct store_delete_options options = {.uid = "other", .grace_period_seconds = -1};
    assert_null(store_remove(t->store, t->pods, "default", "a", &options, &error));
    assert_int_equal(error.kind, ERROR_CONFLICT);
    options = (struct store_delete_options){.resource_version = "1", .grace_period_seconds = -1};
    assert_null(store_remove(t->store, t->pods, "default", "a", &options, &error));
    assert_int_equal(error.kind, ERROR_CONFLICT);
    assert_non_null(store_get(t->store, t->pods, "default", "a"));
}

static void foreground_deletion_adds_its_finalizer(void **state)
{
    struct world_of_test *t = *state;
    deployment_defaults(state);
    struct store_delete_options options = {.grace_period_seconds = -1, .propagation = "Foreground"};
    json_t *d = store_remove(t->store, t->deployments, "default", "d", &options, NULL);
    assert_json(store_path(d, "metadata.finalizers"), "['foregroundDeletion']");
    assert_non_null(store_get(t->store, t->deployments, "default", "d"));
}

static void namespace_goes_with_its_content(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->namespaces, NULL, "{'metadata':{'name':'team'}}");
    must_add(t, t->config_maps, "team", "{'metadata':{'name':'a'}}");
    must_add(t, t->config_maps, "team", "{'metadata':{'name':'b','finalizers':['x/y']}}");
    json_t *namespace = store_remove(t->store, t->namespaces, NULL, "team", NULL, NULL);
    assert_string_equal(text_at(namespace, "status.phase"), "Terminating");
    assert_null(store_get(t->store, t->config_maps, "team", "a"));
    struct error error = {0};
    assert_null(add_text(t, t->config_maps, "team", "{'metadata':{'name':'c'}}", &error));
    assert_int_equal(error.kind, ERROR_FORBIDDEN);
    patch_text(t, t->config_maps, "team", "b", NULL, "merge", "{'metadata':{'finalizers':null}}",
               NULL);
    assert_null(store_get(t->store, t->namespaces, NULL, "team"));
}

static void empty_namespace_goes_at_once(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->namespaces, NULL, "{'metadata':{'name':'team'}}");
    json_t *gone = store_remove(t->store, t->namespaces, NULL, "team", NULL, NULL);
    assert_string_equal(store_name(gone), "team");
    assert_null(store_get(t->store, t->namespaces, NULL, "team"));
    struct error error = {0};
    assert_null(store_remove(t->store, t->namespaces, NULL, "default", NULL, &error));
    assert_int_equal(error.kind, ERROR_FORBIDDEN);
}

// --- order ---------------------------------------------------------------------------------------

static bool append_key(void *context, json_t *object)
{
    struct text *text = context;
    text_join(text, " ", store_namespace(object));
    text_format(text, "/%s", store_name(object));
    return true;
}

static void iteration_is_ordered_by_namespace_and_name(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->config_maps, "kube-system", "{'metadata':{'name':'a'}}");
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'b'}}");
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    struct text text = {0};
    store_each(t->store, t->config_maps, NULL, append_key, &text);
    assert_string_equal(text.data, "default/a default/b kube-system/a");
    text_clear(&text);
    store_each(t->store, t->config_maps, "default", append_key, &text);
    assert_string_equal(text.data, "default/a default/b");
    text_free(&text);
    assert_int_equal(store_count(t->store, t->config_maps), 3);
}

static void index_agrees_with_sorting(void **state)
{
    (void)state;
    struct index *index = index_create();
    struct random random;
    random_seed(&random, 3);
    bool present[500] = {false};
    for (int i = 0; i < 5000; i++) {
        char key[8];
        uint64_t number = random_below(&random, 500);
        snprintf(key, sizeof key, "%03u", (unsigned)number);
        if (random_chance(&random, 0.5))
            assert_int_equal(index_set(index, key, &present[number]) != NULL, present[number]);
        else
            assert_int_equal(index_remove(index, key) != NULL, present[number]);
        present[number] = index_get(index, key) != NULL;
    }
    struct index_node *node = index_seek(index, "");
    uint32_t count = 0;
    for (int i = 0; i < 500; i++) {
        if (!present[i])
            continue;
        assert_int_equal(atoi(node->key), i);
        node = index_next(node);
        count++;
    }
    assert_null(node);
    assert_int_equal(index_count(index), count);
    index_destroy(index, NULL);
}

// --- watches -------------------------------------------------------------------------------------

struct heard {
    struct text text;
    struct world_of_test *t;
    struct store_watch *watch;
    bool destroy_at_first, write_at_first;
};

static void hear(void *context, const char *type, json_t *object)
{
    struct heard *heard = context;
    text_join(&heard->text, " ", type);
    text_format(&heard->text, ":%s", store_name(object));
    if (heard->destroy_at_first) {
        store_watch_destroy(heard->watch);
        heard->watch = NULL;
    }
    if (heard->write_at_first) {
        heard->write_at_first = false;
        must_add(heard->t, heard->t->config_maps, "default",
                 "{'metadata':{'name':'from-handler'}}");
    }
}

static void listen(struct heard *heard, struct world_of_test *t, const char *namespace,
                   uint64_t since)
{
    heard->t = t;
    heard->watch = store_watch_create(t->store, &(struct store_target){t->config_maps, namespace},
                                      since, hear, heard, NULL);
    assert_non_null(heard->watch);
}

static void unlisten(struct heard *heard)
{
    store_watch_destroy(heard->watch);
    text_free(&heard->text);
}

static void watch_tells_every_change_in_order(void **state)
{
    struct world_of_test *t = *state;
    struct heard heard = {0}, other = {0};
    listen(&heard, t, "default", 0);
    listen(&other, t, "kube-system", 0);
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    assert_null(heard.text.data); // never before the loop runs
    patch_text(t, t->config_maps, "default", "a", NULL, "merge", "{'data':{'x':'y'}}", NULL);
    store_remove(t->store, t->config_maps, "default", "a", NULL, NULL);
    must_add(t, t->config_maps, "kube-system", "{'metadata':{'name':'b'}}");
    loop_run_for(t->loop, SECOND);
    assert_string_equal(heard.text.data, "ADDED:a MODIFIED:a DELETED:a");
    assert_string_equal(other.text.data, "ADDED:b");
    unlisten(&heard);
    unlisten(&other);
}

static void watch_resumes_from_a_version(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    uint64_t version = store_version(t->store);
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'b'}}");
    store_remove(t->store, t->config_maps, "default", "a", NULL, NULL);
    struct heard heard = {0};
    listen(&heard, t, NULL, version);
    loop_run_for(t->loop, SECOND);
    assert_string_equal(heard.text.data, "ADDED:b DELETED:a");
    unlisten(&heard);
}

static void watch_below_the_history_is_gone(void **state)
{
    struct world_of_test *t = *state;
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    uint64_t version = store_version(t->store);
    for (int i = 0; i < STORE_HISTORY_MAX + 10; i++) {
        char patch[80];
        snprintf(patch, sizeof patch, "{'data':{'x':'%d'}}", i);
        patch_text(t, t->config_maps, "default", "a", NULL, "merge", patch, NULL);
    }
    struct error error = {0};
    assert_null(store_watch_create(t->store, &(struct store_target){t->config_maps}, version, hear,
                                   NULL, &error));
    assert_int_equal(error.kind, ERROR_GONE);
}

static void slow_watch_loses_nothing(void **state)
{
    struct world_of_test *t = *state;
    struct heard heard = {0};
    listen(&heard, t, NULL, 0);
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    for (int i = 0; i < STORE_HISTORY_MAX + 10; i++) {
        char patch[80];
        snprintf(patch, sizeof patch, "{'data':{'x':'%d'}}", i);
        patch_text(t, t->config_maps, "default", "a", NULL, "merge", patch, NULL);
    }
    loop_run_for(t->loop, SECOND);
    assert_int_equal(heard.text.length,
                     strlen("ADDED:a") + (STORE_HISTORY_MAX + 10) * strlen(" MODIFIED:a"));
    unlisten(&heard);
}

static void watch_handlers_may_write_and_destroy(void **state)
{
    struct world_of_test *t = *state;
    struct heard writer = {.write_at_first = true}, leaver = {.destroy_at_first = true};
    listen(&writer, t, NULL, 0);
    listen(&leaver, t, NULL, 0);
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    must_add(t, t->config_maps, "default", "{'metadata':{'name':'b'}}");
    loop_run_for(t->loop, SECOND);
    assert_string_equal(writer.text.data, "ADDED:a ADDED:b ADDED:from-handler");
    assert_string_equal(leaver.text.data, "ADDED:a");
    unlisten(&writer);
    unlisten(&leaver);
}

static void deleted_event_carries_a_newer_version(void **state)
{
    struct world_of_test *t = *state;
    json_t *a = must_add(t, t->config_maps, "default", "{'metadata':{'name':'a'}}");
    uint64_t before = version_of(a);
    json_t *gone = store_remove(t->store, t->config_maps, "default", "a", NULL, NULL);
    assert_true(version_of(gone) > before);
    assert_int_equal(version_of(gone), store_version(t->store));
}

static void custom_definitions_are_served(void **state)
{
    struct world_of_test *t = *state;
    const struct store_resource *pools =
        store_resource_find(t->store, "karpenter.sh", "v1", "nodepools");
    assert_non_null(pools);
    assert_true(pools->custom && pools->status_subresource && !pools->namespaced);
    assert_ptr_equal(store_resource_of_kind(t->store, "karpenter.sh/v1", "NodePool"), pools);
    assert_ptr_equal(store_resource_of_kind(t->store, "v1", "Pod"), t->pods);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_setup, test_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(start_namespaces_exist),
        TEST(create_fills_system_metadata),
        TEST(create_existing_is_already_exists),
        TEST(create_with_generate_name_draws_five_characters),
        TEST(create_with_long_generate_name_is_cut_to_63),
        TEST(create_without_name_is_invalid),
        TEST(create_in_unknown_namespace_is_not_found),
        TEST(create_with_resource_version_is_refused),
        TEST(create_of_wrong_kind_is_refused),
        TEST(names_and_labels_are_validated),
        TEST(status_of_new_object_is_dropped),
        TEST(seed_determines_uids),
        TEST(pod_defaults),
        TEST(pod_quality_of_service_classes),
        TEST(pod_priority_from_class),
        TEST(pod_priority_from_global_default),
        TEST(limit_range_defaults_and_bounds),
        TEST(deployment_defaults),
        TEST(deployment_selector_is_immutable),
        TEST(pod_without_containers_is_invalid),
        TEST(pod_quantities_are_validated),
        TEST(pod_spec_is_mostly_immutable),
        TEST(stale_resource_version_conflicts),
        TEST(wrong_uid_conflicts),
        TEST(no_op_write_keeps_resource_version),
        TEST(stored_objects_are_immutable),
        TEST(generation_rises_with_spec_only),
        TEST(status_subresource_splits_writes),
        TEST(server_metadata_cannot_be_written),
        TEST(provider_id_is_set_once),
        TEST(delete_of_unbound_pod_is_immediate),
        TEST(delete_of_bound_pod_is_graceful),
        TEST(delete_of_finished_pod_is_immediate),
        TEST(finalizers_hold_a_deleted_object),
        TEST(finalizer_removal_does_not_cut_a_grace_period),
        TEST(delete_preconditions),
        TEST(foreground_deletion_adds_its_finalizer),
        TEST(namespace_goes_with_its_content),
        TEST(empty_namespace_goes_at_once),
        TEST(iteration_is_ordered_by_namespace_and_name),
        cmocka_unit_test(index_agrees_with_sorting),
        TEST(watch_tells_every_change_in_order),
        TEST(watch_resumes_from_a_version),
        TEST(watch_below_the_history_is_gone),
        TEST(slow_watch_loses_nothing),
        TEST(watch_handlers_may_write_and_destroy),
        TEST(deleted_event_carries_a_newer_version),
        TEST(custom_definitions_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
