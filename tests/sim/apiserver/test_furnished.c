// What people who come with kubectl find in the embedded cluster, over the API server's handler.
#include "sim/store_helpers.h"

#include "base/text.h"
#include "sim/apiserver/api_server.h"
#include "sim/store/store_furnish.h"
#include "sim/store/store_internal.h"

struct furnished {
    struct world_of_test *world;
    struct api_server *api;
    struct api_response response;
};

static int furnished_setup(void **state)
{
    struct furnished *t = memory_allocate(sizeof *t);
    test_setup((void **)&t->world);
    store_furnish(t->world->store);
    t->api = api_server_create(t->world->loop, t->world->store);
    *state = t;
    return 0;
}

static int furnished_teardown(void **state)
{
    struct furnished *t = *state;
    api_response_clear(&t->response);
    api_server_destroy(t->api);
    test_teardown((void **)&t->world);
    free(t);
    return 0;
}

static json_t *ask(struct furnished *t, const char *method, const char *path, const char *accept,
                   const char *body_text, int status)
{
    json_t *body = body_text != NULL ? json_of(body_text) : NULL;
    struct api_request request = {.method = method, .path = path, .accept = accept, .body = body};
    api_response_clear(&t->response);
    api_handle(t->api, &request, &t->response);
    json_decref(body);
    if (t->response.status != status) {
        CLEANUP_FREE char *text = json_dumps(t->response.body, 0);
        fail_msg("%s %s answered %d, not %d: %s", method, path, t->response.status, status, text);
    }
    return t->response.body;
}

// The cells of the first row of a table, joined by "|".
static char *first_row(struct furnished *t, const char *path)
{
    json_t *table = ask(t, "GET", path, "application/json;as=Table;v=v1;g=meta.k8s.io", NULL, 200);
    struct text text = {0};
    size_t i;
    json_t *cell;
    json_array_foreach (json_object_get(json_array_get(json_object_get(table, "rows"), 0), "cells"),
                        i, cell) {
        CLEANUP_FREE char *value =
            json_is_string(cell) ? NULL : json_dumps(cell, JSON_ENCODE_ANY | JSON_COMPACT);
        text_join(&text, "|", json_is_string(cell) ? json_string_value(cell) : value);
    }
    return text_take(&text);
}

#define EMPTY_STORE_VERSION 6 // four namespaces, two priority classes

static void a_cluster_has_what_every_cluster_has(void **state)
{
    struct furnished *t = *state;
    json_t *list =
        ask(t, "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL, NULL, 200);
    bool seen = false;
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(list, "items"), i, item) {
        seen = seen || strcmp(store_name(item), "nodepools.karpenter.sh") == 0;
        assert_true(json_array_size(store_path(item, "status.conditions")) == 2);
    }
    assert_true(seen);
    ask(t, "GET", "/api/v1/namespaces/default/services/kubernetes", NULL, NULL, 200);
    ask(t, "POST", "/api/v1/namespaces", NULL, "{'metadata':{'name':'team'}}", 201);
    ask(t, "GET", "/api/v1/namespaces/team/serviceaccounts/default", NULL, NULL, 200);
    ask(t, "GET", "/api/v1/namespaces/team/configmaps/kube-root-ca.crt", NULL, NULL, 200);
}

// Uids of other objects are the same with the furniture and without.
static void furniture_leaves_random_names_alone(void **state)
{
    struct furnished *t = *state;
    struct store *bare = store_create(t->world->loop, 1),
                 *furnished = store_create(t->world->loop, 1);
    assert_int_equal(store_version(bare), EMPTY_STORE_VERSION);
    store_furnish(furnished);
    struct store *stores[] = {bare, furnished};
    char uids[2][40];
    for (size_t i = 0; i < 2; i++) {
        json_t *map = json_of("{'metadata':{'generateName':'a-'}}");
        struct error error = {0};
        json_t *stored =
            store_add(stores[i], store_resource_find(stores[i], "", "v1", "configmaps"), "default",
                      map, &error);
        assert_non_null(stored);
        snprintf(uids[i], sizeof uids[i], "%s", store_uid(stored));
        json_decref(map);
    }
    assert_string_equal(uids[0], uids[1]);
    store_destroy(bare);
    store_destroy(furnished);
}

// A kind that nobody serves: kubectl reads this document last, in protobuf alone, and then asks
// discovery, which says "no matches for kind".
static void the_old_schema_is_served_as_protobuf(void **state)
{
    struct furnished *t = *state;
    ask(t, "GET", "/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", NULL,
        200);
    assert_non_null(t->response.text);
    assert_memory_equal(t->response.text,
                        "\n\003"
                        "2.0"
                        "\022\025\n\nKubernetes\022\007v1.36.0",
                        28);
    assert_non_null(strstr(t->response.content_type, "protobuf"));
    ask(t, "GET", "/apis/monitoring.coreos.com/v1", NULL, NULL, 404);
}

static void columns_of_the_kinds_around_workloads(void **state)
{
    struct furnished *t = *state;
    static const struct {
        const char *path, *body, *row;
    } cases[] = {
        {"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
         "{'metadata':{'name':'a'},'spec':{'scaleTargetRef':{'kind':'Deployment','name':'d'},"
         "'minReplicas':1,'maxReplicas':3,'metrics':[{'type':'Resource','resource':{'name':'cpu',"
         "'target':{'type':'Utilization','averageUtilization':80}}}]}}",
         "a|Deployment/d|cpu: <unknown>/80%|1|3|0|0s"},
        {"/apis/networking.k8s.io/v1/namespaces/default/ingresses",
         "{'metadata':{'name':'a'},'spec':{'ingressClassName':'nginx','tls':[{}],'rules':["
         "{'host':'a.b'},{'host':'c.d'},{'host':'e.f'},{'host':'g.h'}]}}",
         "a|nginx|a.b,c.d,e.f + 1 more...||80, 443|0s"},
        {"/apis/networking.k8s.io/v1/ingressclasses",
         "{'metadata':{'name':'a'},'spec':{'controller':'x.y/z'}}", "a|x.y/z|<none>|0s"},
        {"/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
         "{'metadata':{'name':'a'},'spec':{'podSelector':{'matchLabels':{'k':'v'}}}}", "a|k=v|0s"},
        {"/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
         "{'metadata':{'name':'a'},'roleRef':{'kind':'Role','name':'r'},'subjects':["
         "{'kind':'ServiceAccount','name':'s','namespace':'n'},{'kind':'User','name':'u'}]}",
         "a|Role/r|0s|u||n/s"},
        {"/api/v1/namespaces/default/endpoints",
         "{'metadata':{'name':'a'},'subsets':[{'addresses':[{'ip':'10.0.0.1'},{'ip':'10.0.0.2'}],"
         "'ports':[{'port':80}]}]}",
         "a|10.0.0.1:80,10.0.0.2:80|0s"},
        {"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
         "{'metadata':{'name':'a'},'addressType':'IPv4','ports':[{'port':80}],'endpoints':["
         "{'addresses':['10.0.0.1']}]}",
         "a|IPv4|80|10.0.0.1|0s"},
        {"/apis/certificates.k8s.io/v1/certificatesigningrequests",
         "{'metadata':{'name':'a'},'spec':{'signerName':'s'}}", "a|0s|s|<none>|Pending"},
        {"/apis/apps/v1/namespaces/default/controllerrevisions",
         "{'metadata':{'name':'a','ownerReferences':[{'apiVersion':'apps/v1','kind':'DaemonSet',"
         "'name':'d','uid':'u'}]},'revision':2}",
         "a|daemonset.apps/d|2|0s"},
        {"/apis/batch/v1/namespaces/default/cronjobs",
         "{'metadata':{'name':'a'},'spec':{'schedule':'* * * * "
         "*','jobTemplate':{'spec':{'template':"
         "{'spec':{'containers':[{'name':'c','image':'i'}]}}}}}}",
         "a|* * * * *|<none>|False|0|<none>|0s|c|i|<none>"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        ask(t, "POST", cases[i].path, NULL, cases[i].body, 201);
        CLEANUP_FREE char *row = first_row(t, cases[i].path);
        assert_string_equal(row, cases[i].row);
    }
}

static void written_values_get_the_defaults_of_their_kinds(void **state)
{
    struct furnished *t = *state;
    json_t *secret = ask(t, "POST", "/api/v1/namespaces/default/secrets", NULL,
                         "{'metadata':{'name':'s'},'stringData':{'password':'hunter2'}}", 201);
    assert_string_equal(json_string_value(store_path(secret, "data.password")), "aHVudGVyMg==");
    assert_null(json_object_get(secret, "stringData"));
    json_t *service = ask(t, "POST", "/api/v1/namespaces/default/services", NULL,
                          "{'metadata':{'name':'s'},'spec':{'type':'NodePort','ports':[{'port':80},"
                          "{'port':81,'nodePort':31000}]}}",
                          201);
    json_t *ports = store_path(service, "spec.ports");
    json_int_t given = json_integer_value(json_object_get(json_array_get(ports, 0), "nodePort"));
    assert_in_range(given, 30000, 32767);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(ports, 1), "nodePort")),
                     31000);
    json_t *range = ask(t, "POST", "/api/v1/namespaces/default/limitranges", NULL,
                        "{'metadata':{'name':'l'},'spec':{'limits':[{'type':'Container','default':"
                        "{'cpu':'500m'},'min':{'memory':'1Mi'}}]}}",
                        201);
    json_t *requests =
        json_object_get(json_array_get(store_path(range, "spec.limits"), 0), "defaultRequest");
    assert_string_equal(json_string_value(json_object_get(requests, "cpu")), "500m");
    assert_string_equal(json_string_value(json_object_get(requests, "memory")), "1Mi");
}

static void containers_that_do_not_run_say_so(void **state)
{
    struct furnished *t = *state;
    ask(t, "POST", "/api/v1/namespaces/default/pods", NULL,
        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'m','image':'i'}]}}", 201);
    static const char *const parts[] = {"log", "exec", "attach", "portforward", "proxy"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        struct text path = {0};
        text_format(&path, "/api/v1/namespaces/default/pods/p/%s", parts[i]);
        json_t *status = ask(t, "GET", path.data, NULL, NULL, 501);
        assert_non_null(
            strstr(json_string_value(json_object_get(status, "message")), "runs no containers"));
        text_free(&path);
    }
    ask(t, "GET", "/api/v1/namespaces/default/pods/absent/log", NULL, NULL, 404);
}

// --- managers of fields --------------------------------------------------------------------------

#define MAP "/api/v1/namespaces/default/configmaps/m"

static json_t *apply(struct furnished *t, const char *query, const char *data, int status)
{
    struct text text = {0};
    text_format(&text, "{'apiVersion':'v1','kind':'ConfigMap','data':%s}", data);
    json_t *body = json_of(text.data);
    struct api_request request = {.method = "PATCH",
                                  .path = MAP,
                                  .query = query,
                                  .content_type = "application/apply-patch+yaml",
                                  .body = body,
                                  .from_user = true};
    api_response_clear(&t->response);
    api_handle(t->api, &request, &t->response);
    assert_int_equal(t->response.status, status);
    json_decref(body);
    text_free(&text);
    return t->response.body;
}

static json_t *patch(struct furnished *t, const char *query, const char *media_type,
                     const char *path, const char *body_text, int status)
{
    json_t *body = json_of(body_text);
    struct api_request request = {.method = "PATCH",
                                  .path = path,
                                  .query = query,
                                  .content_type = media_type,
                                  .user_agent = "kubectl/v1",
                                  .body = body,
                                  .from_user = true};
    api_response_clear(&t->response);
    api_handle(t->api, &request, &t->response);
    assert_int_equal(t->response.status, status);
    json_decref(body);
    return t->response.body;
}

#define MERGE "application/merge-patch+json"

// kubectl up to 1.32, and many charts, write autoscaling/v1; autoscaling/v2 is stored.
static void autoscalers_have_two_versions(void **state)
{
    struct furnished *t = *state;
    static const char first[] = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
    static const char web[] =
        "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/web";
    static const char second[] =
        "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web";
    static const char memory[] = "[{'type':'Resource','resource':{'name':'memory','target':{"
                                 "'type':'AverageValue','averageValue':'1Gi'}}}]";
    ask(t, "POST", first, NULL,
        "{'apiVersion':'autoscaling/v1','kind':'HorizontalPodAutoscaler','metadata':{'name':'web'},"
        "'spec':{'scaleTargetRef':{'kind':'Deployment','name':'web'},'maxReplicas':3,"
        "'targetCPUUtilizationPercentage':50}}",
        201);
    assert_json(json_object_get(ask(t, "GET", second, NULL, NULL, 200), "spec"),
                "{'scaleTargetRef':{'kind':'Deployment','name':'web'},'minReplicas':1,"
                "'maxReplicas':3,'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{"
                "'type':'Utilization','averageUtilization':50}}}]}");
    // Metrics that v1 has no field for survive reading and writing it.
    patch(t, NULL, MERGE, second,
          "{'spec':{'metrics':[{'type':'Resource','resource':{'name':'memory','target':{"
          "'type':'AverageValue','averageValue':'1Gi'}}}]}}",
          200);
    json_t *seen = json_incref(ask(t, "GET", web, NULL, NULL, 200));
    assert_null(json_object_get(json_object_get(seen, "spec"), "metrics"));
    CLEANUP_FREE char *body = json_dumps(seen, 0);
    json_decref(seen);
    ask(t, "PUT", web, NULL, body, 200);
    assert_json(
        json_object_get(json_object_get(ask(t, "GET", second, NULL, NULL, 200), "spec"), "metrics"),
        memory);
    patch(t, NULL, MERGE, web, "{'spec':{'targetCPUUtilizationPercentage':70,'maxReplicas':9}}",
          200);
    assert_json(json_object_get(ask(t, "GET", web, NULL, NULL, 200), "spec"),
                "{'scaleTargetRef':{'kind':'Deployment','name':'web'},'minReplicas':1,"
                "'maxReplicas':9,'targetCPUUtilizationPercentage':70}");
}

static void managers_conflict_over_their_fields(void **state)
{
    struct furnished *t = *state;
    apply(t, "fieldManager=one", "{'a':'1','b':'2'}", 201);
    apply(t, "fieldManager=two", "{'a':'1'}", 200); // the same value: owned by both
    json_t *refused = apply(t, "fieldManager=two", "{'a':'9','b':'3'}", 409);
    assert_string_equal(
        json_string_value(json_object_get(refused, "message")),
        "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b");
    assert_json(
        store_path(refused, "details.causes"),
        "[{'reason':'FieldManagerConflict','message':'conflict with \\'one\\'','field':'.data.a'},"
        "{'reason':'FieldManagerConflict','message':'conflict with \\'one\\'','field':'.data.b'}]");
    json_t *map = apply(t, "fieldManager=two&force=true", "{'a':'9'}", 200);
    assert_json(json_object_get(map, "data"), "{'a':'9','b':'2'}");
    map = apply(t, "fieldManager=one", "{'b':'2'}", 200);
    assert_json(json_object_get(map, "data"), "{'a':'9','b':'2'}"); // a is the other's alone
    map = apply(t, "fieldManager=one", "{}", 200);
    assert_json(json_object_get(map, "data"), "{'a':'9'}");
}

static void other_writes_take_fields_over(void **state)
{
    struct furnished *t = *state;
    apply(t, "fieldManager=one", "{'a':'1','b':'2'}", 201);
    patch(t, "fieldManager=kubectl-patch", MERGE, MAP, "{'data':{'b':'7'}}", 200);
    json_t *refused = apply(t, "fieldManager=one", "{'b':'2'}", 409);
    assert_string_equal(
        json_string_value(json_object_get(refused, "message")),
        "Apply failed with 1 conflict: conflict with \"kubectl-patch\" using v1: .data.b");
    json_t *map = apply(t, "fieldManager=one", "{'b':'7'}", 200);
    assert_json(json_object_get(map, "data"), "{'b':'7'}"); // a is given up
    json_t *entries = store_path(map, "metadata.managedFields");
    assert_int_equal(json_array_size(entries), 2);
    assert_json(json_object_get(json_array_get(entries, 0), "fieldsV1"), "{'f:data':{'f:b':{}}}");
}

static void conflicts_name_list_elements_and_subresources(void **state)
{
    struct furnished *t = *state;
    static const char path[] = "/apis/apps/v1/namespaces/default/deployments/d";
    static const char deployment[] =
        "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'},'spec':{'replicas':2,"
        "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{"
        "'containers':[{'name':'c','image':'i:1','ports':[{'containerPort':80,'name':'p'}]}]}}}}";
    patch(t, "fieldManager=one", "application/apply-patch+yaml", path, deployment, 201);
    struct text scale = {0};
    text_format(&scale, "%s/scale", path);
    patch(t, NULL, MERGE, scale.data, "{'spec':{'replicas':3}}", 200);
    text_free(&scale);
    patch(t, "fieldManager=set", "application/json-patch+json", path,
          "[{'op':'replace','path':'/spec/template/spec/containers/0/ports/0/name','value':'q'}]",
          200);
    json_t *refused =
        patch(t, "fieldManager=one", "application/apply-patch+yaml", path, deployment, 409);
    assert_string_equal(
        json_string_value(json_object_get(refused, "message")),
        "Apply failed with 2 conflicts: conflicts with \"kubectl\" with subresource \"scale\" "
        "using "
        "apps/v1:\n- .spec.replicas\nconflicts with \"set\" using apps/v1:\n- "
        ".spec.template.spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"].name");
}

// --- fields of built-in kinds --------------------------------------------------------------------

static json_t *post_strictly(struct furnished *t, const char *path, const char *validation,
                             const char *body_text, int status)
{
    json_t *body = json_of(body_text);
    struct text query = {0};
    text_format(&query, "fieldValidation=%s", validation);
    struct api_request request = {
        .method = "POST", .path = path, .query = query.data, .body = body, .from_user = true};
    api_response_clear(&t->response);
    api_handle(t->api, &request, &t->response);
    assert_int_equal(t->response.status, status);
    json_decref(body);
    text_free(&query);
    return t->response.body;
}

static void misspelt_fields_are_refused_or_told(void **state)
{
    struct furnished *t = *state;
    static const char path[] = "/api/v1/namespaces/default/pods";
    static const char pod[] =
        "{'metadata':{'name':'p','label':{}},'spec':{'containers':[{'name':'c',"
        "'image':'i','resourcez':{},'env':[{'name':'A','valueFrom':{"
        "'fieldRef':{'fieldPath':'x'}}}]}],'nodeSelector':{'a':'b'}}}";
    json_t *answer = post_strictly(t, path, "Strict", pod, 400);
    assert_string_equal(json_string_value(json_object_get(answer, "message")),
                        "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: "
                        "unknown field \"metadata.label\", unknown field "
                        "\"spec.containers[0].resourcez\"");
    post_strictly(t, path, "Warn", pod, 201);
    assert_json(t->response.warnings, "['unknown field \\'metadata.label\\'',"
                                      "'unknown field \\'spec.containers[0].resourcez\\'']");
}

static void values_of_another_type_are_refused(void **state)
{
    struct furnished *t = *state;
    json_t *answer = post_strictly(
        t, "/api/v1/namespaces/default/pods", "Strict",
        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i','ports':["
        "{'containerPort':'80'}]}]}}",
        400);
    assert_string_equal(json_string_value(json_object_get(answer, "message")),
                        "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal "
                        "string into Go struct field ContainerPort.spec.containers.ports."
                        "containerPort of type int32");
    answer = post_strictly(t, "/api/v1/namespaces/default/configmaps", "Strict",
                           "{'metadata':{'name':'m'},'data':{'a':1}}", 400);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "message")),
                           "cannot unmarshal number into Go struct field ConfigMap.data of type "
                           "string"));
}

static void kinds_are_selected_by_their_own_fields(void **state)
{
    struct furnished *t = *state;
    static const struct {
        const char *path, *query;
        int status;
    } cases[] = {
        {"/api/v1/pods", "fieldSelector=status.phase%3DRunning,spec.nodeName%3Dn", 200},
        {"/api/v1/pods", "fieldSelector=spec.foo%3Dx", 400},
        {"/api/v1/nodes", "fieldSelector=status.phase%3Dx", 400},
        {"/api/v1/events", "fieldSelector=involvedObject.name%3Dx,reason%3Dy", 200},
        {"/apis/apps/v1/deployments", "fieldSelector=metadata.name%3Dx", 200},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const struct api_request request = {
            .method = "GET", .path = cases[i].path, .query = cases[i].query};
        api_response_clear(&t->response);
        api_handle(t->api, &request, &t->response);
        assert_int_equal(t->response.status, cases[i].status);
    }
}

static void a_misspelt_field_is_not_applied(void **state)
{
    struct furnished *t = *state;
    json_t *answer = patch(t, "fieldManager=one", "application/apply-patch+yaml", MAP,
                           "{'apiVersion':'v1','kind':'ConfigMap','dota':{}}", 500);
    assert_string_equal(json_string_value(json_object_get(answer, "message")),
                        "failed to create typed patch object (default/m; /v1, Kind=ConfigMap): "
                        ".dota: field not declared in schema");
}

// kubectl explain: each kind has its fields, and the common ones their sentences.
static void built_in_kinds_are_explained(void **state)
{
    struct furnished *t = *state;
    json_t *schemas = store_path(ask(t, "GET", "/openapi/v3/apis/apps/v1", NULL, NULL, 200),
                                 "components.schemas");
    const json_t *strategy = store_path(schemas, "DeploymentStrategy.properties");
    assert_non_null(json_object_get(strategy, "rollingUpdate"));
    assert_string_equal(json_string_value(store_path(strategy, "type.description")),
                        "RollingUpdate, or Recreate, which ends all old pods first.");
    assert_non_null(store_path(schemas, "Container.properties.resources"));
    schemas = store_path(ask(t, "GET", "/openapi/v3/apis/karpenter.sh/v1", NULL, NULL, 200),
                         "components.schemas");
    const char *name;
    json_t *schema;
    json_object_foreach (schemas, name, schema) {
        if (json_object_get(schema, "x-kubernetes-group-version-kind") != NULL)
            assert_non_null(store_path(schema, "properties.metadata.description"));
    }
}

// --- usage ---------------------------------------------------------------------------------------

static void usage_is_what_pods_request(void **state)
{
    struct furnished *t = *state;
    ask(t, "POST", "/api/v1/nodes", NULL, "{'metadata':{'name':'n'}}", 201);
    static const char *const names[] = {"p", "q"};
    for (size_t i = 0; i < 2; i++) {
        struct text text = {0};
        text_format(&text,
                    "{'metadata':{'name':'%s'},'spec':{'nodeName':'n','containers':[{'name':'c',"
                    "'image':'i','resources':{'requests':{'cpu':'250m','memory':'64Mi'}}}]}}",
                    names[i]);
        ask(t, "POST", "/api/v1/namespaces/default/pods", NULL, text.data, 201);
        text_clear(&text);
        text_format(&text, "/api/v1/namespaces/default/pods/%s/status", names[i]);
        patch(t, NULL, MERGE, text.data, "{'status':{'phase':'Running'}}", 200);
        text_free(&text);
    }
    json_t *node = ask(t, "GET", "/apis/metrics.k8s.io/v1beta1/nodes/n", NULL, NULL, 200);
    assert_json(json_object_get(node, "usage"), "{'cpu':'500m','memory':'128Mi'}");
    json_t *pods = ask(t, "GET", "/apis/metrics.k8s.io/v1beta1/pods", NULL, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(pods, "items")), 2);
    ask(t, "GET", "/apis/metrics.k8s.io/v1beta1/nodes/absent", NULL, NULL, 404);
    ask(t, "DELETE", "/apis/metrics.k8s.io/v1beta1/nodes/n", NULL, NULL, 405);
}

// --- kinds defined at run time -------------------------------------------------------------------

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS     "/apis/example.com/v1/namespaces/default/widgets"

static void define_widgets(struct furnished *t)
{
    ask(t, "POST", DEFINITIONS, NULL,
        "{'metadata':{'name':'widgets.example.com'},'spec':{'group':'example.com','scope':"
        "'Namespaced','names':{'kind':'Widget','plural':'widgets'},'versions':[{'name':'v1','"
        "served':"
        "true,'storage':true,'additionalPrinterColumns':[{'name':'Size','type':'integer','jsonPath'"
        ":"
        "'.spec.size'}],'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':{'type':"
        "'object','required':['size'],'properties':{'size':{'type':'integer','minimum':1,'maximum':"
        "10},'colour':{'type':'string','default':'red','enum':['red','green']},'parts':{'type':"
        "'array','maxItems':1,'items':{'type':'string','pattern':'^[a-z]+$'}},'free':{'type':'"
        "object',"
        "'x-kubernetes-preserve-unknown-fields':true}}}}}}}]}}",
        201);
}

static void objects_of_a_definition_are_checked(void **state)
{
    struct furnished *t = *state;
    static const struct {
        const char *spec, *message;
    } refused[] = {
        {"{'size':33}", "spec.size in body should be less than or equal to 10"},
        {"{'size':0}", "spec.size in body should be greater than or equal to 1"},
        {"{'size':'a'}", "spec.size in body must be of type integer: \"string\""},
        {"{}", "spec.size: Required value"},
        {"{'size':1,'colour':'blue'}",
         "Unsupported value: \"blue\": supported values: \"red\", \"green\""},
        {"{'size':1,'parts':['a','b']}", "spec.parts in body must have at most 1 items"},
        {"{'size':1,'parts':['A']}", "spec.parts[0] in body should match '^[a-z]+$'"},
    };
    define_widgets(t);
    for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
        struct text body = {0};
        text_format(&body, "{'metadata':{'name':'w'},'spec':%s}", refused[i].spec);
        json_t *answer = ask(t, "POST", WIDGETS, NULL, body.data, 422);
        const char *message = json_string_value(json_object_get(answer, "message"));
        if (strstr(message, refused[i].message) == NULL)
            fail_msg("%s: %s", refused[i].spec, message);
        text_free(&body);
    }
    static const char extra[] =
        "{'metadata':{'name':'w'},'spec':{'size':3,'color':'x','free':{'a':1}}}";
    json_t *answer = post_strictly(t, WIDGETS, "Strict", extra, 400);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "message")),
                           "strict decoding error: unknown field \"spec.color\""));
    answer = post_strictly(t, WIDGETS, "Warn", extra, 201);
    assert_json(json_object_get(answer, "spec"), "{'size':3,'colour':'red','free':{'a':1}}");
    CLEANUP_FREE char *row = first_row(t, WIDGETS);
    assert_string_equal(row, "w|3");
    json_t *schemas = store_path(ask(t, "GET", "/openapi/v3/apis/example.com/v1", NULL, NULL, 200),
                                 "components.schemas");
    const char *name;
    json_t *schema;
    json_object_foreach (schemas, name, schema) {
        if (json_object_get(schema, "x-kubernetes-group-version-kind") != NULL)
            assert_non_null(store_path(schema, "properties.spec.properties.size"));
    }
}

static void a_definition_takes_its_objects_along(void **state)
{
    struct furnished *t = *state;
    define_widgets(t);
    ask(t, "POST", WIDGETS, NULL, "{'metadata':{'name':'w'},'spec':{'size':3}}", 201);
    ask(t, "DELETE", DEFINITIONS "/widgets.example.com", NULL, NULL, 200);
    ask(t, "GET", WIDGETS, NULL, NULL, 404);
    ask(t, "GET", "/openapi/v3/apis/example.com/v1", NULL, NULL, 404);
    ask(t, "GET", "/apis/example.com/v1", NULL, NULL, 404);
    define_widgets(t);
    json_t *list = ask(t, "GET", WIDGETS, NULL, NULL, 200);
    assert_int_equal(json_array_size(json_object_get(list, "items")), 0);
    ask(t, "DELETE", DEFINITIONS "/nodepools.karpenter.sh", NULL, NULL, 403);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, furnished_setup, furnished_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cluster_has_what_every_cluster_has),
        TEST(furniture_leaves_random_names_alone),
        TEST(the_old_schema_is_served_as_protobuf),
        TEST(autoscalers_have_two_versions),
        TEST(columns_of_the_kinds_around_workloads),
        TEST(written_values_get_the_defaults_of_their_kinds),
        TEST(containers_that_do_not_run_say_so),
        TEST(managers_conflict_over_their_fields),
        TEST(other_writes_take_fields_over),
        TEST(conflicts_name_list_elements_and_subresources),
        TEST(misspelt_fields_are_refused_or_told),
        TEST(values_of_another_type_are_refused),
        TEST(kinds_are_selected_by_their_own_fields),
        TEST(a_misspelt_field_is_not_applied),
        TEST(built_in_kinds_are_explained),
        TEST(usage_is_what_pods_request),
        TEST(objects_of_a_definition_are_checked),
        TEST(a_definition_takes_its_objects_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
