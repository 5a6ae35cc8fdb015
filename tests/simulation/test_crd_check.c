// The cluster's CustomResourceDefinitions are compared with adze's (API-620): log line, event,
// metric. The controller goes on whatever they are like.
#include <string.h>

#include "base/log.h"
#include "model/tables/crd.h"
#include "model/tables/crd_fit.h"
#include "model/tables/kinds.h"
#include "simulation/cluster_view.h"

#define DEFINITIONS "customresourcedefinitions"

static struct {
    struct text lines;
    uint32_t requests;  // of definitions
    const char *absent; // the last segment of a path that is answered with 404
    bool forbidden, broken;
} seen;

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_add(&seen.lines, line);
    text_add_char(&seen.lines, '\n');
}

static bool refuse(struct kube_response *response, int status, enum error_kind kind)
{
    response->status = status;
    error_set(&response->error, kind, "refused by the test");
    return true;
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    (void)context;
    const char *last = strrchr(request->path, '/');
    if (seen.absent != NULL && last != NULL && strcmp(last + 1, seen.absent) == 0)
        return refuse(response, 404, ERROR_NOT_FOUND);
    if (strstr(request->path, DEFINITIONS) == NULL)
        return false;
    seen.requests++;
    if (seen.forbidden)
        return refuse(response, 403, ERROR_FORBIDDEN);
    return seen.broken && refuse(response, 500, ERROR_INTERNAL);
}

static int setup(void **state)
{
    struct scenario *scenario = scenario_create(7);
    memset(&seen, 0, sizeof seen);
    struct log_options log = {.level = LOG_INFO, .sink = keep_line};
    assert_true(log_configure(&log, NULL));
    scenario->options.compares_crds = true;
    scenario->options.api_fault = on_request;
    *state = scenario;
    return 0;
}

static int teardown(void **state)
{
    scenario_destroy(*state);
    text_free(&seen.lines);
    return 0;
}

static uint32_t lines_with(const char *first, const char *second)
{
    uint32_t count = 0;
    const char *end;
    for (const char *line = seen.lines.data; line != NULL && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        CLEANUP_FREE char *copy = strndup(line, (size_t)(end - line));
        count += strstr(copy, first) != NULL && strstr(copy, second) != NULL;
    }
    return count;
}

static json_t *definition_of(enum kind_id id)
{
    static const struct crd_options options = {0};
    return crd_encode(kind_get(id), &options);
}

static void install(struct scenario *scenario, json_t *definition)
{
    struct error error = {0};
    if (!simulation_apply_object(scenario->simulation, definition, &error))
        fail_msg("%s", error.message);
    json_decref(definition);
}

static json_t *version_of(json_t *definition)
{
    return json_array_get(json_object_get(json_object_get(definition, "spec"), "versions"), 0);
}

// As of an older release: without spec.weight.
static json_t *pools_of_an_older_release(void)
{
    json_t *definition = definition_of(KIND_NODE_POOL);
    json_t *schema =
        json_object_get(json_object_get(version_of(definition), "schema"), "openAPIV3Schema");
    json_t *spec = json_object_get(json_object_get(schema, "properties"), "spec");
    assert_int_equal(json_object_del(json_object_get(spec, "properties"), "weight"), 0);
    return definition;
}

static void works_on(struct scenario *scenario)
{
    scenario_scale(scenario, 2);
    scenario_expect_running(scenario, 2);
}

static double metric(struct scenario *scenario, const char *crd)
{
    char labels[100];
    snprintf(labels, sizeof labels, "crd=\"%s\"", crd);
    return view_metric(scenario, "adze_incompatible_crds", labels);
}

// --- definitions that do not fit -----------------------------------------------------------------

static void missing_fields_are_named_until_they_are_there_API_620(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    simulation_kill_controller(scenario->simulation);
    install(scenario, pools_of_an_older_release());
    install(scenario, definition_of(KIND_NODE_CLAIM));
    simulation_start_controller(scenario->simulation);
    scenario_run(scenario, 3);
    assert_int_equal(lines_with("does not fit this version of adze", "nodepools.karpenter.sh"), 1);
    assert_int_equal(
        lines_with("it lacks spec.weight", "adze crds nodepools | kubectl apply --server-side"), 1);
    assert_int_equal(view_events(scenario, "NodePool", "IncompatibleCRD", "it lacks spec.weight"),
                     1);
    assert_int_equal(view_events(scenario, "NodePool", "IncompatibleCRD", "run `adze crds node"),
                     1);
    assert_float_equal(metric(scenario, "nodepools"), 1, 0);
    assert_float_equal(metric(scenario, "nodeclaims"), 0, 0);
    works_on(scenario);
    install(scenario, definition_of(KIND_NODE_POOL));
    scenario_run(scenario, 301);
    assert_int_equal(lines_with("fits now", "nodepools.karpenter.sh"), 1);
    assert_int_equal(lines_with("does not fit", "nodeclaims"), 0);
    assert_int_equal(lines_with("does not fit", ""), 1); // told once
    assert_float_equal(metric(scenario, "nodepools"), 0, 0);
}

static void another_version_is_told_API_620(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    json_t *old = definition_of(KIND_NODE_CLAIM);
    json_object_set_new(version_of(old), "name", json_string("v1beta1"));
    install(scenario, old);
    scenario_run(scenario, 3600);
    assert_int_equal(lines_with("nodeclaims", "it does not serve karpenter.sh/v1"), 1);
    assert_int_equal(view_events(scenario, "NodePool", "IncompatibleCRD", "does not serve"), 1);
}

// A NodePool that comes later learns it, too.
static void missing_definition_is_told_API_620(void **state)
{
    struct scenario *scenario = *state;
    seen.absent = "nodeoverlays";
    scenario->settings.gate_node_overlay = true;
    scenario_begin(scenario);
    assert_int_equal(lines_with("nodeoverlays", "it is not installed"), 1);
    assert_int_equal(lines_with("it is not installed", "adze crds nodeoverlays | kubectl"), 1);
    assert_int_equal(view_events(scenario, "NodePool", "IncompatibleCRD", "not installed"), 1);
    scenario_apply(scenario, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: "
                             "later}, spec: {template: {spec: {requirements: [], nodeClassRef: "
                             "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}}");
    scenario_run(scenario, 3);
    assert_int_equal(view_events(scenario, "NodePool", "IncompatibleCRD", "not installed"), 2);
    works_on(scenario);
}

// NodePools must be listed before anything begins: the line says why nothing does (LIF-335).
static void missing_node_pools_are_told_though_nothing_starts_API_620(void **state)
{
    struct scenario *scenario = *state;
    seen.absent = "nodepools";
    scenario_begin(scenario);
    scenario_run(scenario, 10);
    assert_int_equal(lines_with("nodepools.karpenter.sh", "it is not installed"), 1);
}

// --- definitions that fit, or cannot be read -----------------------------------------------------

static void kinds_served_without_a_definition_fit_API_620(void **state)
{
    struct scenario *scenario = *state;
    scenario_begin(scenario);
    scenario_run(scenario, 30);
    assert_true(seen.requests >= 3);
    assert_int_equal(lines_with("CustomResourceDefinition", ""), 0);
    assert_float_equal(metric(scenario, "nodepools"), 0, 0);
}

static void without_the_permission_one_line_API_228(void **state)
{
    struct scenario *scenario = *state;
    seen.forbidden = true;
    scenario_begin(scenario);
    works_on(scenario);
    scenario_run(scenario, 3 * 3600);
    assert_int_equal(lines_with("CustomResourceDefinitions are not compared", ""), 1);
    assert_int_equal(lines_with("does not fit", ""), 0);
    assert_true(seen.requests <= 5 * 4); // hourly
}

static void errors_of_the_server_are_asked_again_API_620(void **state)
{
    struct scenario *scenario = *state;
    seen.broken = true;
    scenario_begin(scenario);
    install(scenario, pools_of_an_older_release());
    scenario_run(scenario, 60);
    assert_int_equal(lines_with("does not fit", ""), 0);
    seen.broken = false;
    scenario_run(scenario, 31);
    assert_int_equal(lines_with("does not fit", "spec.weight"), 1);
}

// Whatever a definition looks like, it does no harm.
static void definitions_of_odd_shape_API_620(void **state)
{
    static const char *const shapes[] = {
        "[]",
        "{}",
        "{\"spec\": 7}",
        "{\"spec\": {\"versions\": [1, {\"name\": \"v1\"}]}}",
        "{\"spec\": {\"versions\": [{\"name\": \"v1\", \"served\": true}]}}",
        "{\"spec\": {\"versions\": [{\"name\": \"v1\", \"served\": true, \"schema\": "
        "{\"openAPIV3Schema\": {\"properties\": [1]}}}]}}",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++) {
        struct text misfit = {0};
        json_t *definition = json_loads(shapes[i], 0, NULL);
        assert_non_null(definition);
        assert_true(crd_misfit(kind_get(KIND_NODE_POOL), definition, &misfit));
        assert_true(text_starts_with(misfit.data, "it "));
        text_free(&misfit);
        json_decref(definition);
    }
}

static void upstream_does_not_look_API_620(void **state)
{
    struct scenario *scenario = *state;
    scenario->settings.compatibility_upstream = true;
    scenario_begin(scenario);
    scenario_run(scenario, 30);
    assert_int_equal(seen.requests, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(missing_fields_are_named_until_they_are_there_API_620),
        TEST(another_version_is_told_API_620),
        TEST(missing_definition_is_told_API_620),
        TEST(missing_node_pools_are_told_though_nothing_starts_API_620),
        TEST(kinds_served_without_a_definition_fit_API_620),
        TEST(without_the_permission_one_line_API_228),
        TEST(errors_of_the_server_are_asked_again_API_620),
        TEST(definitions_of_odd_shape_API_620),
        TEST(upstream_does_not_look_API_620),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
