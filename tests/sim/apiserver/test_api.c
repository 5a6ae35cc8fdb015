// The API server's handler and the simulated transport.
#include "sim/store_helpers.h"

#include "base/random.h"
#include "base/text.h"
#include "kube/client.h"
#include "sim/apiserver/api_internal.h"
#include "sim/apiserver/api_path.h"
#include "sim/apiserver/api_watch.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/store/store_internal.h"

struct api_of_test {
    struct world_of_test *world;
    struct api_server *api;
    struct api_response response;
};

static int api_setup(void **state)
{
    struct api_of_test *t = memory_allocate(sizeof *t);
    test_setup((void **)&t->world);
    t->api = api_server_create(t->world->loop, t->world->store);
    *state = t;
    return 0;
}

static int api_teardown(void **state)
{
    struct api_of_test *t = *state;
    api_response_clear(&t->response);
    api_server_destroy(t->api);
    test_teardown((void **)&t->world);
    free(t);
    return 0;
}

// One request; the body is kept until the next.
static json_t *ask_as(struct api_of_test *t, const char *method, const char *path,
                      const char *query, const char *media_type, const char *accept,
                      const char *body_text, int status)
{
    json_t *body = body_text != NULL ? json_of(body_text) : NULL;
    struct api_request request = {.method = method,
                                  .path = path,
                                  .query = query,
                                  .content_type = media_type,
                                  .accept = accept,
                                  .body = body};
    api_response_clear(&t->response);
    api_handle(t->api, &request, &t->response);
    json_decref(body);
    if (t->response.status != status) {
        char *text = json_dumps(t->response.body, 0);
        fail_msg("%s %s answered %d, not %d: %s", method, path, t->response.status, status, text);
    }
    return t->response.body;
}

static json_t *ask(struct api_of_test *t, const char *method, const char *path, const char *query,
                   const char *body, int status)
{
    const char *media_type =
        strcmp(method, "PATCH") == 0 ? "application/merge-patch+json" : "application/json";
    return ask_as(t, method, path, query, media_type, NULL, body, status);
}

#define PODS "/api/v1/namespaces/default/pods"
#define MAPS "/api/v1/namespaces/default/configmaps"

static void make_pod(struct api_of_test *t, const char *name, const char *labels, bool ready)
{
    struct text text = {0};
    text_format(&text,
                "{'metadata':{'name':'%s','labels':%s},'spec':{'nodeName':'n','containers':"
                "[{'name':'m','image':'i'}]}}",
                name, labels);
    ask(t, "POST", PODS, NULL, text.data, 201);
    text_clear(&text);
    text_format(&text, PODS "/%s/status", name);
    ask(t, "PATCH", text.data, NULL,
        ready ? "{'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}"
              : "{'status':{'phase':'Running'}}",
        200);
    text_free(&text);
}

// --- paths and errors ----------------------------------------------------------------------------

static void paths_are_parsed(void **state)
{
    (void)state;
    struct api_path path;
    assert_true(api_path_parse("/api/v1/namespaces/a/pods/b/eviction", &path));
    assert_string_equal(path.group, "");
    assert_string_equal(path.namespace, "a");
    assert_string_equal(path.plural, "pods");
    assert_string_equal(path.name, "b");
    assert_string_equal(path.subresource, "eviction");
    api_path_clear(&path);
    assert_true(api_path_parse("/api/v1/namespaces/a/status", &path));
    assert_string_equal(path.plural, "namespaces");
    assert_string_equal(path.name, "a");
    assert_null(path.namespace);
    api_path_clear(&path);
    assert_true(api_path_parse("/apis/apps/v1/deployments", &path));
    assert_string_equal(path.plural, "deployments");
    assert_null(path.namespace);
    api_path_clear(&path);
    assert_true(api_path_parse("/api/v1/nodes/a%2Db", &path));
    assert_string_equal(path.name, "a-b");
    api_path_clear(&path);
    static const char *const bad[] = {"",
                                      "api",
                                      "/api//v1",
                                      "/api/v1/nodes/..",
                                      "/api/v1/nodes/a%2Fb",
                                      "/api/v1/nodes/a%00b",
                                      "/api/v1/a/b/c/d",
                                      "/a/b/c/d/e/f/g/h/i/j/k/l/m"};
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        assert_false(api_path_parse(bad[i], &path));
}

static void random_paths_and_queries_are_survived(void **state)
{
    struct api_of_test *t = *state;
    static const char *const parts[] = {
        "/",      "api",      "apis", "v1",  "namespaces", "default", "pods",         "nodes",
        "status", "%2f",      "%00",  "..",  "?",          "watch",   "karpenter.sh", "nodepools",
        "scale",  "eviction", "\xff", "%zz", "a",          "="};
    static const char *const queries[] = {NULL,
                                          "limit=1",
                                          "limit=x",
                                          "continue=AAAA",
                                          "continue=%",
                                          "labelSelector=a+in+(",
                                          "watch=true",
                                          "labelSelector=%21%21",
                                          "fieldSelector=a",
                                          "resourceVersion=x",
                                          "a&b&c",
                                          "=",
                                          "&&&",
                                          "dryRun=No"};
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    struct random random;
    random_seed(&random, 11);
    for (int i = 0; i < 3000; i++) {
        struct text path = {0};
        text_add(&path, "/");
        for (uint64_t count = random_below(&random, 12); count > 0; count--) {
            text_add(&path, parts[random_below(&random, ARRAY_LENGTH(parts))]);
            if (random_chance(&random, 0.7))
                text_add(&path, "/");
        }
        json_t *body = random_chance(&random, 0.5) ? json_of("{'metadata':{'name':'x'}}") : NULL;
        struct api_request request = {
            .method = methods[random_below(&random, ARRAY_LENGTH(methods))],
            .path = path.data,
            .query = queries[random_below(&random, ARRAY_LENGTH(queries))],
            .content_type = "application/merge-patch+json",
            .body = body};
        api_response_clear(&t->response);
        api_handle(t->api, &request, &t->response);
        assert_in_range(t->response.status, 200, 504);
        json_decref(body);
        text_free(&path);
    }
}

static void errors_are_status_objects(void **state)
{
    struct api_of_test *t = *state;
    assert_json(
        ask(t, "GET", PODS "/absent", NULL, NULL, 404),
        "{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure','message':"
        "'pods \\'absent\\' not found','reason':'NotFound','details':{'name':'absent','kind':"
        "'pods'},'code':404}");
    assert_json(
        ask(t, "GET", "/apis/apps/v1/namespaces/default/deployments/absent", NULL, NULL, 404),
        "{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure','message':"
        "'deployments.apps \\'absent\\' not found','reason':'NotFound','details':{'name':"
        "'absent','group':'apps','kind':'deployments'},'code':404}");
    json_t *status = ask(t, "POST", PODS, NULL, "{'metadata':{'name':'a'},'spec':{}}", 422);
    assert_json(json_object_get(status, "details"),
                "{'name':'a','kind':'Pod','causes':[{'reason':'FieldValueRequired','message':"
                "'Required value','field':'spec.containers'}]}");
    ask(t, "GET", "/api/v1/nothings", NULL, NULL, 404);
    ask(t, "GET", "/nowhere", NULL, NULL, 404);
    ask(t, "PUT", PODS, NULL, "{}", 405);
    ask(t, "POST", PODS, NULL, NULL, 400);
    ask_as(t, "PATCH", "/api/v1/nodes/x", NULL, "text/plain", NULL, "{}", 415);
}

// --- lists ---------------------------------------------------------------------------------------

static void make_maps(struct api_of_test *t, int count)
{
    for (int i = 0; i < count; i++) {
        char text[120];
        snprintf(text, sizeof text, "{'metadata':{'name':'m-%02d','labels':{'odd':'%d','n':'%d'}}}",
                 i, i % 2, i);
        ask(t, "POST", MAPS, NULL, text, 201);
    }
}

static void list_is_paged_by_limit_and_continue(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 7);
    struct text names = {0}, query = {0};
    text_add(&query, "limit=3");
    for (int page = 0; page < 3; page++) {
        json_t *list = ask(t, "GET", MAPS, query.data, NULL, 200);
        size_t i;
        json_t *item;
        json_array_foreach (json_object_get(list, "items"), i, item) {
            text_join(&names, " ", store_name(item));
        }
        assert_int_equal(number_at(list, "metadata.remainingItemCount"), page == 0   ? 4
                                                                         : page == 1 ? 1
                                                                                     : 0);
        const char *token = text_at(list, "metadata.continue");
        assert_int_equal(token != NULL, page < 2);
        text_clear(&query);
        text_format(&query, "limit=3&continue=%s", token != NULL ? token : "");
    }
    assert_string_equal(names.data, "m-00 m-01 m-02 m-03 m-04 m-05 m-06");
    text_free(&names);
    text_free(&query);
    ask(t, "GET", MAPS, "limit=3&continue=garbage", NULL, 400);
}

static void list_pages_speak_of_the_first_pages_version(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 3);
    json_t *list = ask(t, "GET", MAPS, "limit=2", NULL, 200);
    char *version = memory_copy_string(text_at(list, "metadata.resourceVersion"));
    struct text query = {0};
    text_format(&query, "limit=2&continue=%s", text_at(list, "metadata.continue"));
    make_pod(t, "between", "{}", true);
    list = ask(t, "GET", MAPS, query.data, NULL, 200);
    assert_string_equal(text_at(list, "metadata.resourceVersion"), version);
    free(version);
    text_free(&query);
}

static size_t count_of(struct api_of_test *t, const char *path, const char *query)
{
    return json_array_size(json_object_get(ask(t, "GET", path, query, NULL, 200), "items"));
}

static void label_selectors(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 10);
    static const struct {
        const char *query;
        size_t count;
    } cases[] = {
        {"labelSelector=odd%3D1", 5},
        {"labelSelector=odd%3D%3D1", 5},
        {"labelSelector=odd%21%3D1", 5},
        {"labelSelector=n+in+(1,2,3)", 3},
        {"labelSelector=n+notin+(1,2,3),odd", 7},
        {"labelSelector=absent", 0},
        {"labelSelector=%21absent", 10},
        {"labelSelector=n%3E7", 2},
        {"labelSelector=n%3C2", 2},
        {"labelSelector=odd%3D1,n%3D1", 1},
        {"labelSelector=", 10},
        {"fieldSelector=metadata.name%3Dm-03", 1},
        {"fieldSelector=metadata.name%21%3Dm-03,metadata.namespace%3Ddefault", 9},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        if (count_of(t, MAPS, cases[i].query) != cases[i].count)
            fail_msg("%s found %zu", cases[i].query, count_of(t, MAPS, cases[i].query));
    static const char *const bad[] = {"labelSelector=a+in+x",      "labelSelector=a+in+(x",
                                      "labelSelector=a%3D%3D%3Db", "labelSelector=-a",
                                      "labelSelector=a+b",         "fieldSelector=name"};
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        ask(t, "GET", MAPS, bad[i], NULL, 400);
}

static void field_selectors_of_pods(void **state)
{
    struct api_of_test *t = *state;
    make_pod(t, "a", "{}", true);
    ask(t, "POST", PODS, NULL,
        "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'m','image':'i'}]}}", 201);
    assert_int_equal(count_of(t, "/api/v1/pods", "fieldSelector=spec.nodeName%3Dn"), 1);
    assert_int_equal(count_of(t, "/api/v1/pods", "fieldSelector=spec.nodeName%3D"), 1);
    assert_int_equal(count_of(t, "/api/v1/pods", "fieldSelector=status.phase%3DPending"), 1);
    ask(t, "GET", "/apis/karpenter.sh/v1/nodepools", "fieldSelector=spec.weight%3D1", NULL, 400);
}

static void resource_version_of_the_future_waits(void **state)
{
    struct api_of_test *t = *state;
    json_t *status = ask(t, "GET", MAPS, "resourceVersion=999999", NULL, 504);
    assert_string_equal(text_at(status, "reason"), "Timeout");
    assert_int_equal(t->response.retry_after_seconds, 1);
    ask(t, "GET", MAPS, "resourceVersion=0", NULL, 200);
    ask(t, "GET", MAPS, "resourceVersion=1&resourceVersionMatch=Exact", NULL, 410);
    ask(t, "GET", MAPS, "resourceVersion=1&resourceVersionMatch=NotOlderThan", NULL, 200);
}

// --- writes --------------------------------------------------------------------------------------

static void dry_run_changes_nothing(void **state)
{
    struct api_of_test *t = *state;
    uint64_t version = store_version(t->world->store);
    ask(t, "POST", MAPS, "dryRun=All", "{'metadata':{'name':'a'}}", 201);
    ask(t, "DELETE", "/api/v1/namespaces/kube-node-lease", "dryRun=All", NULL, 200);
    assert_int_equal(store_version(t->world->store), version);
    ask(t, "GET", MAPS "/a", NULL, NULL, 404);
    ask(t, "POST", MAPS, "dryRun=Some", "{'metadata':{'name':'a'}}", 400);
}

#define POOL                                                                                   \
    "{'apiVersion':'karpenter.sh/"                                                             \
    "v1','kind':'NodePool','metadata':{'name':'p'},'spec':{'template':"                        \
    "{'spec':{'nodeClassRef':{'group':'karpenter.kwok.sh','kind':'KWOKNodeClass','name':'d'}," \
    "'requirements':[]}}%s}}"

static json_t *post_pool(struct api_of_test *t, const char *query, const char *extra, int status)
{
    struct text text = {0};
    text_add(&text, "");
    const char *pool = POOL;
    const char *mark = strstr(pool, "%s");
    text_add_bytes(&text, pool, (size_t)(mark - pool));
    text_add(&text, extra);
    text_add(&text, mark + 2);
    json_t *answer = ask(t, "POST", "/apis/karpenter.sh/v1/nodepools", query, text.data, status);
    text_free(&text);
    return answer;
}

static void custom_kinds_are_defaulted_and_validated_API_11(void **state)
{
    struct api_of_test *t = *state;
    json_t *pool = post_pool(t, NULL, "", 201);
    assert_string_equal(text_at(pool, "spec.template.spec.expireAfter"), "720h");
    assert_string_equal(text_at(pool, "spec.disruption.consolidationPolicy"),
                        "WhenEmptyOrUnderutilized");
    assert_int_equal(strlen(store_uid(pool)), 36);
    ask(t, "PATCH", "/apis/karpenter.sh/v1/nodepools/p", NULL, "{'spec':{'weight':0}}", 422);
    pool = ask(t, "PATCH", "/apis/karpenter.sh/v1/nodepools/p/status", NULL,
               "{'spec':{'weight':5},'metadata':{'labels':{'a':'b'}},'status':{'nodes':3}}", 200);
    assert_null(store_path(pool, "spec.weight"));
    assert_null(store_path(pool, "metadata.labels"));
    assert_int_equal(number_at(pool, "status.nodes"), 3);
    assert_int_equal(number_at(pool, "metadata.generation"), 1);
}

static void field_validation_strict_refuses_and_ignore_drops(void **state)
{
    struct api_of_test *t = *state;
    post_pool(t, "fieldValidation=Strict", ",'weigth':3", 422);
    json_t *pool = post_pool(t, "fieldValidation=Ignore", ",'weigth':3", 201);
    assert_null(store_path(pool, "spec.weigth"));
    ask(t, "POST", MAPS, "fieldValidation=Sometimes", "{'metadata':{'name':'a'}}", 400);
}

static void unconditional_update_of_custom_objects_is_refused(void **state)
{
    struct api_of_test *t = *state;
    json_t *pool = json_deep_copy(post_pool(t, NULL, "", 201));
    json_object_del(json_object_get(pool, "metadata"), "resourceVersion");
    char *text = json_dumps(pool, 0);
    json_t *status = ask(t, "PUT", "/apis/karpenter.sh/v1/nodepools/p", NULL, text, 422);
    assert_non_null(strstr(text_at(status, "message"), "must be specified for an update"));
    free(text);
    json_decref(pool);
}

static void scale_subresource(void **state)
{
    struct api_of_test *t = *state;
    ask(t, "POST", "/apis/apps/v1/namespaces/default/deployments", NULL,
        "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'"
        "metadata':"
        "{'labels':{'a':'b'}},'spec':{'containers':[{'name':'m','image':'i'}]}}}}",
        201);
    static const char path[] = "/apis/apps/v1/namespaces/default/deployments/d/scale";
    json_t *scale = ask(t, "GET", path, NULL, NULL, 200);
    assert_int_equal(number_at(scale, "spec.replicas"), 1);
    assert_string_equal(text_at(scale, "status.selector"), "a=b");
    assert_string_equal(text_at(scale, "kind"), "Scale");
    ask(t, "PATCH", path, NULL, "{'spec':{'replicas':4}}", 200);
    ask(t, "PATCH", path, NULL, "{'spec':{'replicas':-4}}", 422);
    ask(t, "PATCH", path, NULL, "{'metadata':{'resourceVersion':'1'},'spec':{'replicas':5}}", 409);
    assert_int_equal(number_at(ask(t, "GET", path, NULL, NULL, 200), "spec.replicas"), 4);
}

// Any client with patch on pods/status can nominate nodes, including those that do not exist.
static void nominated_nodes_have_valid_names(void **state)
{
    struct api_of_test *t = *state;
    ask(t, "POST", PODS, NULL,
        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'m','image':'i'}]}}", 201);
    json_t *pod = ask(t, "PATCH", PODS "/p/status", NULL,
                      "{'status':{'nominatedNodeName':'not-there-yet'}}", 200);
    assert_string_equal(text_at(pod, "status.nominatedNodeName"), "not-there-yet");
    assert_string_equal(text_at(pod, "status.phase"), "Pending");
    json_t *status = ask(t, "PATCH", PODS "/p/status", NULL,
                         "{'status':{'nominatedNodeName':'Not a name'}}", 422);
    assert_non_null(strstr(text_at(status, "message"), "status.nominatedNodeName: Invalid value"));
    pod = ask(t, "PATCH", PODS "/p", NULL, "{'status':{'nominatedNodeName':'other'}}", 200);
    assert_string_equal(text_at(pod, "status.nominatedNodeName"), "not-there-yet");
    pod = ask(t, "PATCH", PODS "/p/status", NULL, "{'status':{'nominatedNodeName':null}}", 200);
    assert_null(text_at(pod, "status.nominatedNodeName"));
    ask(t, "POST", PODS "/p/binding", NULL, "{'target':{'kind':'Node','name':'n'}}", 201);
    status =
        ask(t, "PATCH", PODS "/p/status", NULL, "{'status':{'nominatedNodeName':'other'}}", 422);
    assert_non_null(strstr(text_at(status, "message"), "already bound to a node"));
    ask(t, "PATCH", PODS "/p/status", NULL, "{'status':{'nominatedNodeName':null}}", 200);
}

static void delete_answers_object_or_status(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 1);
    json_t *status = ask(t, "DELETE", MAPS "/m-00", NULL, NULL, 200);
    assert_string_equal(text_at(status, "status"), "Success");
    assert_string_equal(text_at(status, "details.name"), "m-00");
    make_pod(t, "a", "{}", true);
    json_t *pod = ask(t, "DELETE", PODS "/a", NULL, "{'gracePeriodSeconds':5}", 200);
    assert_string_equal(text_at(pod, "metadata.deletionTimestamp"), "2026-01-01T00:00:05Z");
    ask(t, "DELETE", PODS "/a", NULL, "{'preconditions':{'uid':'other'}}", 409);
    ask(t, "DELETE", PODS "/a", "gracePeriodSeconds=0", NULL, 200);
    ask(t, "GET", PODS "/a", NULL, NULL, 404);
    ask(t, "DELETE", MAPS "/m-00", "propagationPolicy=Sideways", NULL, 400);
}

static void delete_collection(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 6);
    json_t *list = ask(t, "DELETE", MAPS, "labelSelector=odd%3D1", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(list, "items")), 3);
    assert_int_equal(count_of(t, MAPS, NULL), 3);
}

static void binding_assigns_a_pod_once(void **state)
{
    struct api_of_test *t = *state;
    ask(t, "POST", PODS, NULL,
        "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'m','image':'i'}]}}", 201);
    ask(t, "POST", PODS "/b/binding", NULL, "{'target':{'kind':'Node','name':'n'}}", 201);
    json_t *pod = ask(t, "GET", PODS "/b", NULL, NULL, 200);
    assert_string_equal(text_at(pod, "spec.nodeName"), "n");
    assert_string_equal(text_at(json_array_get(store_path(pod, "status.conditions"), 0), "type"),
                        "PodScheduled");
    ask(t, "POST", PODS "/b/binding", NULL, "{'target':{'kind':'Node','name':'other'}}", 409);
}

static void events_have_two_shapes(void **state)
{
    struct api_of_test *t = *state;
    ask(t, "POST", "/apis/events.k8s.io/v1/namespaces/default/events", NULL,
        "{'apiVersion':'events.k8s.io/"
        "v1','kind':'Event','metadata':{'name':'e'},'regarding':{'kind':"
        "'Pod','name':'x'},'note':'hello','reason':'Because','type':'Normal'}",
        201);
    json_t *event = ask(t, "GET", "/api/v1/namespaces/default/events/e", NULL, NULL, 200);
    assert_string_equal(text_at(event, "message"), "hello");
    assert_string_equal(text_at(event, "involvedObject.name"), "x");
    assert_int_equal(count_of(t, "/api/v1/events", "fieldSelector=involvedObject.name%3Dx"), 1);
    event = ask(t, "GET", "/apis/events.k8s.io/v1/namespaces/default/events/e", NULL, NULL, 200);
    assert_string_equal(text_at(event, "note"), "hello");
    assert_string_equal(text_at(event, "apiVersion"), "events.k8s.io/v1");
}

static void server_side_apply_owns_its_fields(void **state)
{
    struct api_of_test *t = *state;
    static const char media_type[] = "application/apply-patch+yaml";
    ask_as(t, "PATCH", MAPS "/a", "fieldManager=one", media_type, NULL,
           "{'apiVersion':'v1','kind':'ConfigMap','data':{'x':'1','y':'1'}}", 201);
    ask(t, "PATCH", MAPS "/a", NULL, "{'data':{'z':'other'}}", 200);
    json_t *map = ask_as(t, "PATCH", MAPS "/a", "fieldManager=one", media_type, NULL,
                         "{'apiVersion':'v1','kind':'ConfigMap','data':{'x':'2'}}", 200);
    assert_json(json_object_get(map, "data"), "{'x':'2','z':'other'}");
    uint64_t version = store_version(t->world->store);
    ask_as(t, "PATCH", MAPS "/a", "fieldManager=one", media_type, NULL,
           "{'apiVersion':'v1','kind':'ConfigMap','data':{'x':'2'}}", 200);
    assert_int_equal(store_version(t->world->store), version);
    ask_as(t, "PATCH", MAPS "/a", NULL, media_type, NULL, "{}", 400);
}

// --- eviction ------------------------------------------------------------------------------------

#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"

static void make_budget(struct api_of_test *t, const char *name, const char *extra, int allowed,
                        int healthy, int desired)
{
    struct text text = {0};
    text_format(&text,
                "{'metadata':{'name':'%s'},'spec':{'selector':{'matchLabels':{'app':'a'}}%s}}",
                name, extra);
    ask(t, "POST", BUDGETS, NULL, text.data, 201);
    text_clear(&text);
    text_format(&text,
                "{'status':{'observedGeneration':1,'disruptionsAllowed':%d,'currentHealthy':%d,"
                "'desiredHealthy':%d}}",
                allowed, healthy, desired);
    struct text path = {0};
    text_format(&path, BUDGETS "/%s/status", name);
    ask(t, "PATCH", path.data, NULL, text.data, 200);
    text_free(&text);
    text_free(&path);
}

static void eviction_takes_from_the_budget(void **state)
{
    struct api_of_test *t = *state;
    make_pod(t, "a", "{'app':'a'}", true);
    make_pod(t, "b", "{'app':'a'}", true);
    make_budget(t, "guard", "", 1, 2, 1);
    ask(t, "POST", PODS "/a/eviction", NULL, "{'metadata':{'name':'a'}}", 201);
    json_t *pod = ask(t, "GET", PODS "/a", NULL, NULL, 200);
    assert_non_null(text_at(pod, "metadata.deletionTimestamp"));
    json_t *budget = ask(t, "GET", BUDGETS "/guard", NULL, NULL, 200);
    assert_int_equal(number_at(budget, "status.disruptionsAllowed"), 0);
    assert_non_null(json_object_get(store_path(budget, "status.disruptedPods"), "a"));
    // A second eviction at the same time: the budget is used up.
    json_t *status = ask(t, "POST", PODS "/b/eviction", NULL, "{'metadata':{'name':'b'}}", 429);
    assert_string_equal(text_at(status, "message"),
                        "Cannot evict pod as it would violate the pod's disruption budget.");
    assert_string_equal(text_at(status, "reason"), "TooManyRequests");
    json_t *cause = json_array_get(store_path(status, "details.causes"), 0);
    assert_string_equal(text_at(cause, "reason"), "DisruptionBudget");
    assert_string_equal(text_at(cause, "message"),
                        "The disruption budget guard needs 1 healthy pods and has 2 currently");
    // A terminating pod needs no budget.
    ask(t, "POST", PODS "/a/eviction", NULL, "{}", 201);
}

static void eviction_with_two_budgets_is_an_error(void **state)
{
    struct api_of_test *t = *state;
    make_pod(t, "a", "{'app':'a'}", true);
    make_budget(t, "one", "", 1, 2, 1);
    make_budget(t, "two", "", 1, 2, 1);
    json_t *status = ask(t, "POST", PODS "/a/eviction", NULL, "{}", 500);
    assert_string_equal(
        text_at(status, "message"),
        "This pod has more than one PodDisruptionBudget, which the eviction subresource "
        "does not support.");
}

static void eviction_of_unhealthy_pods(void **state)
{
    struct api_of_test *t = *state;
    make_pod(t, "a", "{'app':'a'}", false);
    make_pod(t, "b", "{'app':'a'}", false);
    make_budget(t, "guard", "", 0, 0, 1);
    ask(t, "POST", PODS "/a/eviction", NULL, "{}", 429); // IfHealthyBudget, unhealthy budget
    ask(t, "PATCH", BUDGETS "/guard/status", NULL, "{'status':{'currentHealthy':1}}", 200);
    ask(t, "POST", PODS "/a/eviction", NULL, "{}", 201);
    ask(t, "PATCH", BUDGETS "/guard", NULL, "{'spec':{'unhealthyPodEvictionPolicy':'AlwaysAllow'}}",
        200);
    ask(t, "PATCH", BUDGETS "/guard/status", NULL, "{'status':{'currentHealthy':0}}", 200);
    ask(t, "POST", PODS "/b/eviction", NULL, "{}", 201);
}

static void eviction_waits_for_the_budgets_controller(void **state)
{
    struct api_of_test *t = *state;
    make_pod(t, "a", "{'app':'a'}", true);
    make_budget(t, "guard", "", 1, 2, 1);
    ask(t, "PATCH", BUDGETS "/guard", NULL, "{'spec':{'minAvailable':1}}", 200);
    ask(t, "POST", PODS "/a/eviction", NULL, "{}", 429);
    assert_int_equal(t->response.retry_after_seconds, 10);
}

static void eviction_preconditions_cost_nothing(void **state)
{
    struct api_of_test *t = *state;
    make_pod(t, "a", "{'app':'a'}", true);
    make_budget(t, "guard", "", 1, 2, 1);
    ask(t, "POST", PODS "/a/eviction", NULL, "{'deleteOptions':{'preconditions':{'uid':'x'}}}",
        409);
    ask(t, "POST", PODS "/absent/eviction", NULL, "{}", 404);
    ask(t, "POST", PODS "/a/eviction", NULL, "{'deleteOptions':{'dryRun':['All']}}", 201);
    json_t *budget = ask(t, "GET", BUDGETS "/guard", NULL, NULL, 200);
    assert_int_equal(number_at(budget, "status.disruptionsAllowed"), 1);
}

// --- watches -------------------------------------------------------------------------------------

struct watched {
    struct text text;
    struct api_watch *watch;
    int ends;
};

static void on_event(void *context, json_t *event)
{
    struct watched *watched = context;
    json_t *object = json_object_get(event, "object");
    text_join(&watched->text, " ", text_at(event, "type"));
    text_format(&watched->text, ":%s", store_name(object));
    if (store_path(object, "metadata.annotations") != NULL &&
        json_object_get(store_path(object, "metadata.annotations"), "k8s.io/initial-events-end"))
        text_add(&watched->text, "(initial)");
}

static void on_end(void *context)
{
    ((struct watched *)context)->ends++;
}

static void watch(struct api_of_test *t, struct watched *watched, const char *path,
                  const char *query)
{
    ask(t, "GET", path, query, NULL, 200);
    assert_non_null(t->response.watch);
    watched->watch = t->response.watch;
    t->response.watch = NULL;
    api_watch_start(watched->watch, &(struct api_watch_handlers){on_event, on_end, watched});
}

static void unwatch(struct watched *watched)
{
    api_watch_destroy(watched->watch);
    text_free(&watched->text);
}

static void watch_begins_with_the_state(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 2);
    struct watched watched = {0};
    watch(t, &watched, MAPS, "watch=true");
    make_maps(t, 0);
    ask(t, "DELETE", MAPS "/m-01", NULL, NULL, 200);
    loop_run_for(t->world->loop, SECOND);
    assert_string_equal(watched.text.data, "ADDED:m-00 ADDED:m-01 DELETED:m-01");
    unwatch(&watched);
}

static void watch_follows_objects_in_and_out_of_the_selector(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 2);
    char query[100];
    snprintf(query, sizeof query, "watch=true&labelSelector=odd%%3D1&resourceVersion=%llu",
             (unsigned long long)store_version(t->world->store));
    struct watched watched = {0};
    watch(t, &watched, MAPS, query);
    ask(t, "PATCH", MAPS "/m-00", NULL, "{'data':{'a':'b'}}", 200);
    ask(t, "PATCH", MAPS "/m-00", NULL, "{'metadata':{'labels':{'odd':'1'}}}", 200);
    ask(t, "PATCH", MAPS "/m-00", NULL, "{'data':{'a':'c'}}", 200);
    ask(t, "PATCH", MAPS "/m-00", NULL, "{'metadata':{'labels':{'odd':'0'}}}", 200);
    ask(t, "DELETE", MAPS "/m-00", NULL, NULL, 200);
    ask(t, "DELETE", MAPS "/m-01", NULL, NULL, 200);
    loop_run_for(t->world->loop, SECOND);
    assert_string_equal(watched.text.data, "ADDED:m-00 MODIFIED:m-00 DELETED:m-00 DELETED:m-01");
    unwatch(&watched);
}

static void watch_list_ends_the_state_with_a_bookmark(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 1);
    struct watched watched = {0};
    watch(t, &watched, MAPS,
          "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch="
          "NotOlderThan");
    loop_run_for(t->world->loop, SECOND);
    assert_string_equal(watched.text.data, "ADDED:m-00 BOOKMARK:(initial)");
    unwatch(&watched);
    ask(t, "GET", MAPS, "watch=true&sendInitialEvents=true", NULL, 400);
}

static void watch_sends_bookmarks_and_ends_in_time(void **state)
{
    struct api_of_test *t = *state;
    struct watched watched = {0};
    watch(t, &watched, MAPS, "watch=true&allowWatchBookmarks=true&timeoutSeconds=130");
    make_pod(t, "elsewhere", "{}", true); // versions continue, though not in this watch
    loop_run_for(t->world->loop, 125 * SECOND);
    assert_string_equal(watched.text.data, "BOOKMARK:");
    assert_int_equal(watched.ends, 0);
    loop_run_for(t->world->loop, 10 * SECOND);
    assert_int_equal(watched.ends, 1);
    unwatch(&watched);
}

static void watch_from_before_the_history_is_410(void **state)
{
    struct api_of_test *t = *state;
    make_maps(t, 1);
    uint64_t version = store_version(t->world->store);
    for (int i = 0; i < STORE_HISTORY_MAX + 2; i++) {
        char text[60];
        snprintf(text, sizeof text, "{'data':{'a':'%d'}}", i);
        ask(t, "PATCH", MAPS "/m-00", NULL, text, 200);
    }
    char query[60];
    snprintf(query, sizeof query, "watch=true&resourceVersion=%llu", (unsigned long long)version);
    json_t *status = ask(t, "GET", MAPS, query, NULL, 410);
    assert_string_equal(text_at(status, "reason"), "Expired");
}

// --- the simulated transport ---------------------------------------------------------------------

struct answers {
    int count, status;
    enum error_kind kind;
    int64_t at_ns, retry_after_ns;
    struct loop *loop;
    struct text events;
};

static void on_done(void *context, const struct kube_response *response)
{
    struct answers *answers = context;
    answers->count++;
    answers->status = response->status;
    answers->kind = response->error.kind;
    answers->retry_after_ns = response->retry_after_ns;
    answers->at_ns = loop_monotonic_ns(answers->loop);
}

static void on_transport_event(void *context, const json_t *event)
{
    struct answers *answers = context;
    text_join(&answers->events, " ", text_at(event, "type"));
    text_format(&answers->events, ":%s", store_name(json_object_get(event, "object")));
}

static struct kube_call *start(struct kube_transport *transport, enum kube_verb verb,
                               const char *path, const char *body_text, struct answers *answers)
{
    json_t *body = body_text != NULL ? json_of(body_text) : NULL;
    struct kube_request request = {.verb = verb, .path = path, .body = body};
    struct kube_handlers handlers = {on_done, on_transport_event, answers};
    struct kube_call *call = transport->operations->start(transport, &request, &handlers);
    json_decref(body);
    return call;
}

static struct kube_transport *transport_with(struct api_of_test *t,
                                             struct sim_transport_options options)
{
    options.seed = 5;
    options.latency_min_ns = 10 * MILLISECOND;
    options.latency_max_ns = 50 * MILLISECOND;
    return sim_transport_create(t->world->loop, t->api, &options);
}

static void transport_answers_after_its_latency(void **state)
{
    struct api_of_test *t = *state;
    struct kube_transport *transport = transport_with(t, (struct sim_transport_options){0});
    struct answers answers = {.loop = t->world->loop};
    int64_t begin_ns = loop_monotonic_ns(t->world->loop);
    start(transport, KUBE_CREATE, MAPS, "{'metadata':{'name':'a'}}", &answers);
    assert_int_equal(answers.count, 0);
    loop_run_for(t->world->loop, SECOND);
    assert_int_equal(answers.count, 1);
    assert_int_equal(answers.status, 201);
    assert_int_equal(answers.kind, ERROR_NONE);
    assert_in_range(answers.at_ns - begin_ns, 10 * MILLISECOND, 50 * MILLISECOND);
    start(transport, KUBE_CREATE, MAPS, "{'metadata':{'name':'a'}}", &answers);
    loop_run_for(t->world->loop, SECOND);
    assert_int_equal(answers.kind, ERROR_ALREADY_EXISTS);
    // A call that is cancelled, or under way at the end, has no callback.
    struct kube_call *call = start(transport, KUBE_GET, MAPS "/a", NULL, &answers);
    transport->operations->cancel(transport, call);
    start(transport, KUBE_GET, MAPS "/a", NULL, &answers);
    transport->operations->destroy(transport);
    loop_run_for(t->world->loop, SECOND);
    assert_int_equal(answers.count, 2);
}

static void transport_faults(void **state)
{
    struct api_of_test *t = *state;
    static const struct {
        struct sim_faults faults;
        int status;
        enum error_kind kind;
        bool applied;
    } cases[] = {
        {{.internal_error = 1}, 500, ERROR_UNAVAILABLE, false},
        {{.too_many_requests = 1}, 429, ERROR_TOO_MANY_REQUESTS, false},
        {{.lost_request = 1}, 0, ERROR_TIMEOUT, false},
        {{.lost_answer = 1}, 0, ERROR_TIMEOUT, true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct kube_transport *transport =
            transport_with(t, (struct sim_transport_options){.faults = cases[i].faults});
        struct answers answers = {.loop = t->world->loop};
        char text[60], name[20];
        snprintf(name, sizeof name, "case-%zu", i);
        snprintf(text, sizeof text, "{'metadata':{'name':'%s'}}", name);
        start(transport, KUBE_CREATE, MAPS, text, &answers);
        loop_run_for(t->world->loop, 60 * SECOND);
        assert_int_equal(answers.count, 1);
        assert_int_equal(answers.status, cases[i].status);
        assert_int_equal(answers.kind, cases[i].kind);
        bool there = store_get(t->world->store, t->world->config_maps, "default", name) != NULL;
        assert_int_equal(there, cases[i].applied);
        assert_int_equal(sim_transport_statistics(transport)->faults, 1);
        transport->operations->destroy(transport);
    }
}

static bool refuse_pods(void *context, const struct kube_request *request,
                        struct kube_response *response)
{
    (void)context;
    response->status = 403;
    return strstr(request->path, "/pods") != NULL;
}

static void transport_targeted_faults(void **state)
{
    struct api_of_test *t = *state;
    struct kube_transport *transport =
        transport_with(t, (struct sim_transport_options){.fault = refuse_pods});
    struct answers answers = {.loop = t->world->loop};
    start(transport, KUBE_LIST, PODS, NULL, &answers);
    loop_run_for(t->world->loop, SECOND);
    assert_int_equal(answers.kind, ERROR_FORBIDDEN);
    start(transport, KUBE_LIST, MAPS, NULL, &answers);
    loop_run_for(t->world->loop, SECOND);
    assert_int_equal(answers.status, 200);
    transport->operations->destroy(transport);
}

static void transport_watch_keeps_order_under_delays(void **state)
{
    struct api_of_test *t = *state;
    struct kube_transport *transport =
        transport_with(t, (struct sim_transport_options){.watch_latency_max_ns = 5 * SECOND});
    struct answers answers = {.loop = t->world->loop};
    start(transport, KUBE_WATCH, MAPS, NULL, &answers);
    loop_run_for(t->world->loop, SECOND);
    make_maps(t, 4);
    loop_run_for(t->world->loop, 10 * SECOND);
    assert_string_equal(answers.events.data, "ADDED:m-00 ADDED:m-01 ADDED:m-02 ADDED:m-03");
    assert_int_equal(answers.count, 0);
    transport->operations->destroy(transport);
    text_free(&answers.events);
}

static void transport_watch_faults(void **state)
{
    struct api_of_test *t = *state;
    static const struct {
        struct sim_faults faults;
        enum error_kind kind;
    } cases[] = {
        {{.watch_dropped = 1}, ERROR_NONE},
        {{.watch_gap = 1}, ERROR_GONE},
        {{.watch_refused = 1}, ERROR_UNAVAILABLE},
    };
    make_maps(t, 1);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct kube_transport *transport =
            transport_with(t, (struct sim_transport_options){.faults = cases[i].faults});
        struct answers answers = {.loop = t->world->loop};
        start(transport, KUBE_WATCH, MAPS, NULL, &answers);
        loop_run_for(t->world->loop, SECOND);
        assert_int_equal(answers.count, 1);
        assert_int_equal(answers.kind, cases[i].kind);
        assert_null(answers.events.data);
        transport->operations->destroy(transport);
    }
}

static void transport_cut_off_and_back(void **state)
{
    struct api_of_test *t = *state;
    struct kube_transport *transport = transport_with(t, (struct sim_transport_options){0});
    struct answers watching = {.loop = t->world->loop}, asking = {.loop = t->world->loop};
    start(transport, KUBE_WATCH, MAPS, NULL, &watching);
    loop_run_for(t->world->loop, SECOND);
    sim_transport_cut(transport, true);
    make_maps(t, 1);
    start(transport, KUBE_GET, MAPS "/m-00", NULL, &asking);
    loop_run_for(t->world->loop, 60 * SECOND);
    assert_int_equal(asking.kind, ERROR_TIMEOUT);
    assert_int_equal(watching.count, 0);
    sim_transport_cut(transport, false);
    loop_run_for(t->world->loop, SECOND);
    assert_int_equal(watching.count, 1);
    assert_int_equal(watching.kind, ERROR_UNAVAILABLE);
    assert_null(watching.events.data);
    transport->operations->destroy(transport);
}

static void transport_runs_repeat(void **state)
{
    struct api_of_test *t = *state;
    int64_t first_ns = 0;
    for (int run = 0; run < 2; run++) {
        struct kube_transport *transport = transport_with(t, (struct sim_transport_options){0});
        struct answers answers = {.loop = t->world->loop};
        int64_t begin_ns = loop_monotonic_ns(t->world->loop);
        for (int i = 0; i < 10; i++)
            start(transport, KUBE_LIST, MAPS, NULL, &answers);
        loop_run_for(t->world->loop, SECOND);
        if (run == 0)
            first_ns = answers.at_ns - begin_ns;
        else
            assert_int_equal(answers.at_ns - begin_ns, first_ns);
        transport->operations->destroy(transport);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, api_setup, api_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_parsed),
        TEST(random_paths_and_queries_are_survived),
        TEST(errors_are_status_objects),
        TEST(list_is_paged_by_limit_and_continue),
        TEST(list_pages_speak_of_the_first_pages_version),
        TEST(label_selectors),
        TEST(field_selectors_of_pods),
        TEST(resource_version_of_the_future_waits),
        TEST(dry_run_changes_nothing),
        TEST(custom_kinds_are_defaulted_and_validated_API_11),
        TEST(field_validation_strict_refuses_and_ignore_drops),
        TEST(unconditional_update_of_custom_objects_is_refused),
        TEST(scale_subresource),
        TEST(nominated_nodes_have_valid_names),
        TEST(delete_answers_object_or_status),
        TEST(delete_collection),
        TEST(binding_assigns_a_pod_once),
        TEST(events_have_two_shapes),
        TEST(server_side_apply_owns_its_fields),
        TEST(eviction_takes_from_the_budget),
        TEST(eviction_with_two_budgets_is_an_error),
        TEST(eviction_of_unhealthy_pods),
        TEST(eviction_waits_for_the_budgets_controller),
        TEST(eviction_preconditions_cost_nothing),
        TEST(watch_begins_with_the_state),
        TEST(watch_follows_objects_in_and_out_of_the_selector),
        TEST(watch_list_ends_the_state_with_a_bookmark),
        TEST(watch_sends_bookmarks_and_ends_in_time),
        TEST(watch_from_before_the_history_is_410),
        TEST(transport_answers_after_its_latency),
        TEST(transport_faults),
        TEST(transport_targeted_faults),
        TEST(transport_watch_keeps_order_under_delays),
        TEST(transport_watch_faults),
        TEST(transport_cut_off_and_back),
        TEST(transport_runs_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
