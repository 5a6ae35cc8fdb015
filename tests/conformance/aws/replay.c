// replay [--environment DIR] [--option NAME=VALUE]... SCENARIO: plays one recorded scenario
// (README.md) on virtual time, against the embedded cluster and the simulated AWS account, and
// prints one JSON document with what happened, raw:
// {"requests": [{"phase", "at", "service", "action", "params", "error", "reply", "count"}],
//  "nodeClass", "nodePool": objects, "nodeClaims": [{"object", "seen", "deleted"}],
//  "events": [[kind, name, type, reason, message]], "limits": [waits that were given up],
//  "rejected": the API server's refusal}
//
// check.py compares it with the recording.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "conformance/aws/replay_account.h"
#include "conformance/aws/replay_objects.h"
#include "conformance/aws/replay_record.h"
#include "model/reading/settings_read.h"
#include "sim/store/store_json.h"

#define BEGINNING     (INT64_C(1795248000) * SECOND) // 2026-11-21T08:00:00Z, as of the recordings
#define STEP          (100 * MILLISECOND)
#define OPTIONS_MAX   20
#define INSTANCE_MARK "$INSTANCE"

// Virtual seconds that the phases may take.
enum {
    SECONDS_START = 3,
    SECONDS_CLASS = 90,       // for a NodeClass that becomes ready
    SECONDS_CLASS_STUCK = 30, // for one that stays as it is
    SECONDS_POOL = 10,
    SECONDS_LAUNCH = 60,
    SECONDS_TAGS = 60,
    SECONDS_CLEANUP = 400,
};

struct replay {
    struct loop *loop;
    struct settings settings;
    struct scenario_account account;
    struct simulation *simulation;
    struct record record;
    json_t *scenario, *input; // input: borrowed from the scenario
    json_t *limits, *result;
    const char *class_name, *pool_name; // NULL: none
};

// --- time ----------------------------------------------------------------------------------------

typedef bool (*replay_condition)(struct replay *replay);

// Runs until the condition holds, `seconds` at most; tells whether it does.
static bool run_until(struct replay *replay, int seconds, replay_condition condition)
{
    for (int64_t left = seconds * SECOND; left > 0; left -= STEP) {
        if (condition != NULL && condition(replay))
            return true;
        loop_run_for(replay->loop, STEP);
    }
    return condition == NULL || condition(replay);
}

static void note_limit(struct replay *replay, const char *text)
{
    json_array_append_new(replay->limits, json_string(text));
}

static bool class_is(struct replay *replay, const char *status)
{
    json_t *object = objects_get(replay->simulation, "EC2NodeClass", replay->class_name);
    return text_equal(condition_status(object, "Ready"), status);
}

static bool class_is_ready(struct replay *replay)
{
    return class_is(replay, "True");
}

static bool class_is_gone(struct replay *replay)
{
    return objects_count(replay->simulation, "EC2NodeClass") == 0 &&
           objects_count(replay->simulation, "NodeClaim") == 0;
}

static bool pool_is_ready(struct replay *replay)
{
    return text_equal(
        condition_status(objects_get(replay->simulation, "NodePool", replay->pool_name), "Ready"),
        "True");
}

static bool pods_run(struct replay *replay)
{
    struct simulation *simulation = replay->simulation;
    return simulation_pods_running(simulation) == objects_count(simulation, "Pod") &&
           objects_all_are(simulation, "NodeClaim", "Initialized");
}

static bool tags_are_made(struct replay *replay)
{
    json_t *request;
    size_t i, tagged = 0;
    json_array_foreach (replay->record.requests, i, request)
        tagged += text_equal(json_string_value(json_object_get(request, "action")), "CreateTags");
    return tagged >= objects_count(replay->simulation, "NodeClaim");
}

// --- steps ---------------------------------------------------------------------------------------

static char *with_instance(const char *text, const char *id)
{
    struct text result = {0};
    const char *mark;
    while ((mark = strstr(text, INSTANCE_MARK)) != NULL) {
        text_format(&result, "%.*s%s", (int)(mark - text), text, id);
        text = mark + strlen(INSTANCE_MARK);
    }
    text_format(&result, "%s", text);
    return result.data;
}

// The instance of the first NodeClaim; "" if it has none.
static const char *first_instance(struct replay *replay)
{
    json_t *claims = record_claims(&replay->record), *claim;
    const char *id = "";
    size_t i;
    json_array_foreach (claims, i, claim) {
        const char *provider_id =
            json_string_value(store_path(json_object_get(claim, "object"), "status.providerID"));
        if (*id == '\0' && provider_id != NULL && strrchr(provider_id, '/') != NULL)
            id = strrchr(provider_id, '/') + 1;
    }
    json_decref(claims); // the record holds them
    return id;
}

static void send_message(struct replay *replay, const json_t *step)
{
    const json_t *given = json_object_get(step, "body");
    char *body = json_is_string(given) ? strdup(json_string_value(given)) // as it is
                                       : json_dumps(given, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    char *message = with_instance(body != NULL ? body : "{}", first_instance(replay));
    aws_account_send_message(simulation_account(replay->simulation), message);
    free(message);
    free(body);
}

static bool any_claim_has(struct replay *replay, const char *condition)
{
    json_t *claims = record_claims(&replay->record), *claim;
    bool found = false;
    size_t i;
    json_array_foreach (claims, i, claim)
        found = found ||
                text_equal(condition_status(json_object_get(claim, "object"), condition), "True");
    json_decref(claims);
    return found;
}

static void await(struct replay *replay, const json_t *step, int seconds)
{
    const char *condition = json_string_value(json_object_get(step, "condition"));
    for (int64_t left = seconds * SECOND; left > 0; left -= STEP) {
        loop_run_for(replay->loop, STEP);
        if (condition != NULL && any_claim_has(replay, condition))
            break;
    }
    run_until(replay, 2, NULL); // what follows from it
}

static void perform(struct replay *replay, const json_t *step)
{
    const char *action = json_string_value(json_object_get(step, "do"));
    json_t *patch = json_object_get(step, "patch");
    int seconds = (int)json_integer_value(json_object_get(step, "seconds"));
    seconds = seconds < 0 ? 0 : seconds > 3600 ? 3600 : seconds;
    if (action == NULL)
        return;
    if (text_equal(action, "patchClass") &&
        !objects_patch(replay->simulation, "EC2NodeClass", replay->class_name, patch, NULL))
        note_limit(replay, "a patch of the NodeClass was refused");
    else if (text_equal(action, "patchPool") && replay->pool_name != NULL &&
             !objects_patch(replay->simulation, "NodePool", replay->pool_name, patch, NULL))
        note_limit(replay, "a patch of the NodePool was refused");
    else if (text_equal(action, "message"))
        send_message(replay, step);
    else if (text_equal(action, "sleep"))
        run_until(replay, seconds, NULL);
    else if (text_equal(action, "await"))
        await(replay, step, seconds);
}

// --- phases --------------------------------------------------------------------------------------

static bool create(struct replay *replay, const json_t *object)
{
    json_t *refusal = NULL;
    if (objects_create(replay->simulation, object, &refusal))
        return true;
    json_object_set_new(replay->result, "rejected", refusal);
    return false;
}

static bool create_extra(struct replay *replay)
{
    json_t *object;
    size_t i;
    json_array_foreach (json_object_get(replay->input, "extra"), i, object)
        if (!create(replay, object))
            return false;
    return true;
}

static bool validate(struct replay *replay)
{
    json_t *node_class = json_object_get(replay->input, "nodeClass");
    replay->record.phase = "validation";
    if (!create_extra(replay) || !create(replay, node_class))
        return false;
    run_until(replay, SECONDS_CLASS_STUCK, class_is_ready);
    if (!class_is_ready(replay) && class_is(replay, "Unknown"))
        run_until(replay, SECONDS_CLASS, class_is_ready);
    run_until(replay, 2, NULL);
    return true;
}

static bool launch(struct replay *replay)
{
    json_t *pod;
    size_t i;
    replay->record.phase = "launch";
    if (replay->pool_name == NULL)
        return true;
    if (!create(replay, json_object_get(replay->input, "nodePool")))
        return false;
    run_until(replay, SECONDS_POOL, pool_is_ready);
    run_until(replay, 1, NULL);
    json_array_foreach (json_object_get(replay->input, "pods"), i, pod) {
        json_t *whole = scenario_pod(pod, replay->pool_name, i + 1);
        bool created = create(replay, whole);
        json_decref(whole);
        if (!created)
            return false;
    }
    run_until(replay, SECONDS_LAUNCH, pods_run);
    if (json_is_true(json_object_get(replay->scenario, "tagged")) &&
        !run_until(replay, SECONDS_TAGS, tags_are_made))
        note_limit(replay, "the instances were not tagged");
    run_until(replay, 1, NULL);
    return true;
}

static void take_steps(struct replay *replay)
{
    json_t *step;
    size_t i;
    replay->record.phase = "steps";
    json_array_foreach (json_object_get(replay->input, "steps"), i, step)
        perform(replay, step);
}

static void set_copy(json_t *object, const char *key, const json_t *value)
{
    if (value != NULL)
        json_object_set_new(object, key, json_deep_copy(value));
}

static void take_stock(struct replay *replay)
{
    struct simulation *simulation = replay->simulation;
    replay->record.claims_frozen = true;
    set_copy(replay->result, "nodeClass",
             objects_get(simulation, "EC2NodeClass", replay->class_name));
    if (replay->pool_name != NULL)
        set_copy(replay->result, "nodePool",
                 objects_get(simulation, "NodePool", replay->pool_name));
    json_object_set_new(replay->result, "nodeClaims", record_claims(&replay->record));
    json_object_set_new(replay->result, "events", objects_events(simulation));
}

static void clean_up(struct replay *replay)
{
    static const char *const kinds[] = {"Pod", "NodePool", "NodeClaim", "EC2NodeClass"};
    replay->record.phase = "cleanup";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        objects_delete_all(replay->simulation, kinds[i]);
    if (!run_until(replay, SECONDS_CLEANUP, class_is_gone))
        note_limit(replay, "the NodeClass or a NodeClaim was not removed");
    run_until(replay, 2, NULL);
}

// --- the program ---------------------------------------------------------------------------------

static int64_t now_ns(void *loop)
{
    return loop_now_ns(loop);
}

static void show_log(void *context, const char *line)
{
    (void)context;
    if (getenv("ADZE_TEST_LOG") != NULL)
        fprintf(stderr, "%s\n", line);
}

static bool set_stage(struct replay *replay, struct error *error)
{
    json_t *policy = scenario_policy(&replay->account, &replay->settings);
    struct aws_account_options account = {
        .policy = policy,
        .folder = replay->account.folder,
        .catalogue = replay->account.catalogue,
        .pricing_fails = replay->account.pricing_fails,
        .check_signatures = true,
        .requested = record_request,
        .context = &replay->record,
    };
    struct simulation_options options;
    simulation_options_defaults(&options);
    options.loop = replay->loop;
    options.settings = &replay->settings;
    options.aws = &account;
    options.aws_error = error;
    replay->simulation = simulation_create(&options);
    json_decref(policy);
    if (replay->simulation == NULL)
        return false;
    const json_t *settings = json_object_get(replay->scenario, "settings");
    const char *dns = scenario_account_dns(&replay->account, settings);
    if (dns != NULL) {
        json_t *service = dns_service(dns);
        if (!objects_create(replay->simulation, service, NULL))
            note_limit(replay, "the Service kube-dns cannot be created");
        json_decref(service);
    }
    scenario_faults(simulation_account(replay->simulation),
                    json_object_get(replay->input, "faults"));
    record_watch(&replay->record, replay->simulation);
    simulation_start_controller(replay->simulation);
    run_until(replay, SECONDS_START, NULL);
    return true;
}

static void play(struct replay *replay)
{
    if (!validate(replay))
        return;
    if (launch(replay))
        take_steps(replay);
    take_stock(replay);
    clean_up(replay);
}

static const char *name_of(const json_t *input, const char *key)
{
    const json_t *object = json_object_get(input, key);
    return json_is_object(object) ? store_name(object) : NULL;
}

static bool open_scenario(struct replay *replay, const char *path, const char *environment,
                          struct error *error)
{
    json_error_t problem;
    replay->scenario = json_load_file(path, 0, &problem);
    if (replay->scenario == NULL)
        return error_set(error, ERROR_INVALID, "%s:%d: %s", path, problem.line, problem.text);
    replay->input = json_object_get(replay->scenario, "input");
    replay->class_name = name_of(replay->input, "nodeClass");
    replay->pool_name = name_of(replay->input, "nodePool");
    if (replay->class_name == NULL)
        return error_set(error, ERROR_INVALID, "%s: it has no NodeClass", path);
    const json_t *settings = json_object_get(replay->scenario, "settings");
    return scenario_account_open(&replay->account, environment, settings, error) &&
           scenario_settings(&replay->settings, &replay->account, settings, error);
}

static bool set_options(struct settings *settings, char *const *options, size_t count,
                        struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        char *value = strchr(options[i], '=');
        if (value == NULL)
            return error_set(error, ERROR_INVALID, "--option takes NAME=VALUE");
        *value = '\0';
        if (!settings_set(settings, options[i], value + 1, error))
            return false;
    }
    return settings_finish(settings, error);
}

static int fail(const struct error *error)
{
    fprintf(stderr, "replay: %s\n", error->message);
    return 1;
}

static int replay_file(struct replay *replay, const char *path, const char *environment,
                       char *const *options, size_t options_count)
{
    struct error error = {0};
    struct log_options log = {
        .level = LOG_DEBUG, .sink = show_log, .now_ns = now_ns, .now_context = replay->loop};
    if (!log_configure(&log, &error) || !open_scenario(replay, path, environment, &error) ||
        !set_options(&replay->settings, options, options_count, &error) ||
        !set_stage(replay, &error))
        return fail(&error);
    play(replay);
    json_object_set(replay->result, "requests", replay->record.requests);
    json_object_set(replay->result, "limits", replay->limits);
    json_dumpf(replay->result, stdout, JSON_SORT_KEYS | JSON_INDENT(1));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {{"environment", required_argument, NULL, 'e'},
                                          {"option", required_argument, NULL, 'o'},
                                          {0}};
    const char *environment = NULL;
    char *options[OPTIONS_MAX];
    size_t options_count = 0;
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (letter == 'e')
            environment = optarg;
        else if (letter == 'o' && options_count < OPTIONS_MAX)
            options[options_count++] = optarg;
        else
            return 2;
    if (environment == NULL || optind != argc - 1) {
        fprintf(stderr, "usage: replay --environment DIR [--option NAME=VALUE]... SCENARIO\n");
        return 2;
    }
    struct replay replay = {
        .loop = loop_create_virtual(BEGINNING), .limits = json_array(), .result = json_object()};
    record_begin(&replay.record, replay.loop);
    int status = replay_file(&replay, argv[optind], environment, options, options_count);
    record_unwatch(&replay.record);
    simulation_destroy(replay.simulation);
    record_end(&replay.record);
    scenario_account_close(&replay.account);
    settings_free(&replay.settings);
    json_decref(replay.scenario);
    json_decref(replay.limits);
    json_decref(replay.result);
    loop_destroy(replay.loop);
    return status;
}
