#include "simulation/moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "control/command/disruption_command.h"

#define ANY_SIZE "{key: kubernetes.io/os, operator: In, values: [linux]}"

bool (*moves_on_request)(const struct kube_request *request, struct kube_response *response);

static const struct story_type sizes[] = {
    {"small", 2, 8, 0.10}, {"medium", 4, 16, 0.20}, {"large", 8, 32, 0.40}};
static struct text lines; // of the log

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_add(&lines, line);
    text_add_char(&lines, '\n');
    if (getenv("ADZE_TEST_LOG") != NULL)
        fprintf(stderr, "%s\n", line);
}

static bool on_request(void *context, const struct kube_request *request,
                       struct kube_response *response)
{
    (void)context;
    return moves_on_request != NULL && moves_on_request(request, response);
}

static int64_t now_ns(void *loop)
{
    return loop_now_ns(loop);
}

int moves_setup(void **state)
{
    struct scenario *scenario = scenario_create(31);
    struct log_options log = {
        .level = LOG_DEBUG, .sink = keep_line, .now_ns = now_ns, .now_context = scenario->loop};
    assert_true(log_configure(&log, NULL));
    scenario->options.boot_delay_min = scenario->options.boot_delay_max = 30 * SECOND;
    scenario->options.api_fault = on_request;
    moves_on_request = NULL;
    *state = scenario;
    return 0;
}

int moves_teardown(void **state)
{
    moves_on_request = NULL;
    text_free(&lines);
    return scenario_teardown(state);
}

// --- the world -----------------------------------------------------------------------------------
void moves_pool(struct scenario *scenario, uint32_t place, struct story_pool pool)
{
    char name[30], labels[120];
    snprintf(name, sizeof name, "place-%u", place);
    snprintf(labels, sizeof labels, "place: '%u'%s%s", place, pool.labels != NULL ? ", " : "",
             pool.labels != NULL ? pool.labels : "");
    pool.name = name;
    pool.labels = labels;
    pool.requirements = pool.requirements != NULL ? pool.requirements : ANY_SIZE;
    story_pool(scenario, &pool);
}

static void add_place(struct scenario *scenario, uint32_t place)
{
    char app[30], spec[200];
    moves_pool(scenario, place, (struct story_pool){0});
    snprintf(spec, sizeof spec, "nodeSelector: {place: '%u'}, ", place);
    snprintf(app, sizeof app, "keep-%u", place);
    story_app(scenario, &(struct story_app){.name = app, .replicas = 1, .cpu = "1", .spec = spec});
    snprintf(app, sizeof app, "pad-%u", place);
    story_app(scenario, &(struct story_app){.name = app, .replicas = 1, .cpu = "6", .spec = spec});
}

void moves_begin(struct scenario *scenario, uint32_t count)
{
    story_catalog(scenario, sizes, ARRAY_LENGTH(sizes));
    scenario_begin(scenario);
    story_pool(scenario, &(struct story_pool){.requirements = ANY_SIZE});
    for (uint32_t i = 0; i < count; i++)
        add_place(scenario, i);
    scenario_expect_running(scenario, 2 * count);
    scenario_run(scenario, 60);
    assert_int_equal(story_nodes_labelled(scenario, LABEL_INSTANCE_TYPE, "large"), count);
}

void moves_scale(struct scenario *scenario, const char *app, int64_t replicas)
{
    struct error error = {0};
    if (!simulation_scale(scenario->simulation, app, replicas, &error))
        fail_msg("%s", error.message);
}

void moves_shrink(struct scenario *scenario, uint32_t place)
{
    char app[30];
    snprintf(app, sizeof app, "pad-%u", place);
    moves_scale(scenario, app, 0);
}

// --- looking -------------------------------------------------------------------------------------
struct sought {
    const char *place, *app;
    json_t *found;
    uint32_t count;
};

static bool find_at_place(void *context, json_t *object)
{
    struct sought *sought = context;
    if (!text_equal(view_label(object, "place"), sought->place))
        return true;
    sought->found = object;
    return false;
}

static void each(struct scenario *scenario, const char *api_version, const char *kind,
                 bool (*look)(void *context, json_t *object), void *context)
{
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, api_version, kind), NULL, look, context);
}

static json_t *at_place(struct scenario *scenario, const char *api_version, const char *kind,
                        uint32_t place)
{
    char label[20];
    snprintf(label, sizeof label, "%u", place);
    struct sought sought = {.place = label};
    each(scenario, api_version, kind, find_at_place, &sought);
    assert_non_null(sought.found);
    return sought.found;
}

json_t *moves_node(struct scenario *scenario, uint32_t place)
{
    return at_place(scenario, "v1", "Node", place);
}

json_t *moves_claim(struct scenario *scenario, uint32_t place)
{
    return at_place(scenario, KARPENTER, "NodeClaim", place);
}

static bool find_pod(void *context, json_t *pod)
{
    struct sought *sought = context;
    if (text_equal(view_label(pod, "app"), sought->app) &&
        view_text(pod, "metadata.deletionTimestamp") == NULL)
        sought->found = pod;
    return true;
}

json_t *moves_pod(struct scenario *scenario, const char *app)
{
    struct sought sought = {.app = app};
    each(scenario, "v1", "Pod", find_pod, &sought);
    return sought.found;
}

const char *moves_place_of(struct scenario *scenario, const char *app)
{
    const json_t *pod = moves_pod(scenario, app);
    return pod != NULL ? view_text(pod, "spec.nodeName") : NULL;
}

void moves_protect(struct scenario *scenario, const char *app)
{
    hand_patch(scenario, "v1", "Pod", "default", store_name(moves_pod(scenario, app)), NULL,
               "metadata: {annotations: {karpenter.sh/do-not-disrupt: 'true'}}");
}

static bool is_marked(const json_t *object)
{
    return view_annotation(object, ANNOTATION_DISRUPTION_COMMAND) != NULL;
}

static bool count_chosen(void *context, json_t *node)
{
    struct sought *sought = context;
    sought->count +=
        is_marked(node) && view_has_taint(node, "karpenter.sh/disrupted", "NoSchedule");
    return true;
}

uint32_t moves_chosen(struct scenario *scenario)
{
    struct sought sought = {0};
    each(scenario, "v1", "Node", count_chosen, &sought);
    return sought.count;
}

bool moves_any_chosen(struct scenario *scenario)
{
    return moves_chosen(scenario) > 0;
}

bool moves_none_chosen(struct scenario *scenario)
{
    return moves_chosen(scenario) == 0;
}

static bool find_replacement(void *context, json_t *claim)
{
    struct sought *sought = context;
    if (!is_marked(claim))
        return true;
    sought->found = claim;
    return false;
}

static json_t *replacement(struct scenario *scenario)
{
    struct sought sought = {0};
    each(scenario, KARPENTER, "NodeClaim", find_replacement, &sought);
    return sought.found;
}

const char *moves_replacement(struct scenario *scenario)
{
    json_t *claim = replacement(scenario);
    return claim != NULL ? store_name(claim) : "";
}

bool moves_replacement_there(struct scenario *scenario)
{
    return replacement(scenario) != NULL;
}

bool moves_replacement_node(struct scenario *scenario)
{
    json_t *claim = replacement(scenario);
    return claim != NULL && view_text(claim, "status.nodeName") != NULL;
}

static bool find_deleting(void *context, json_t *claim)
{
    struct sought *sought = context;
    sought->count += view_text(claim, "metadata.deletionTimestamp") != NULL;
    return true;
}

bool moves_any_deleting(struct scenario *scenario)
{
    struct sought sought = {0};
    each(scenario, KARPENTER, "NodeClaim", find_deleting, &sought);
    return sought.count > 0;
}

// --- the log -------------------------------------------------------------------------------------
static bool has(const char *line, size_t length, const char *part)
{
    return part == NULL || memmem(line, length, part, strlen(part)) != NULL;
}

uint32_t moves_logged(const char *part, const char *other)
{
    uint32_t count = 0;
    for (const char *line = lines.data; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        count += has(line, length, part) && has(line, length, other);
        line += length + 1;
    }
    return count;
}

const char *moves_last_line(const char *part)
{
    static char last[4000];
    last[0] = '\0';
    for (const char *line = lines.data; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (has(line, length, part))
            snprintf(last, sizeof last, "%.*s", (int)length, line);
        line += length + 1;
    }
    return last;
}
