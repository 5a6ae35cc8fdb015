// Recorded NodeClasses become what was recorded, and leave nothing behind when they are deleted.
#include <stdio.h>
#include <string.h>

#include "node_class_world.h"

static json_t *load_case(const char *name)
{
    char path[500];
    snprintf(path, sizeof path, CASES_FOLDER "/%s.json", name);
    json_error_t problem;
    json_t *scenario = json_load_file(path, 0, &problem);
    if (scenario == NULL)
        fail_msg("%s: %s", path, problem.text);
    return scenario;
}

static void compare_list(const json_t *expected, const json_t *actual, const char *key)
{
    json_t *want = json_object_get(expected, key), *have = json_object_get(actual, key);
    if (json_equal(want, have) || (json_array_size(want) == 0 && json_array_size(have) == 0))
        return;
    char *text = json_dumps(have, JSON_SORT_KEYS);
    char *other = json_dumps(want, JSON_SORT_KEYS);
    fail_msg("%s:\n%s\ninstead of\n%s", key, text, other);
}

static void compare_conditions(const json_t *expected, const json_t *actual)
{
    size_t index, other_index;
    json_t *want, *have;
    json_array_foreach (json_object_get(expected, "conditions"), index, want) {
        const char *type = json_string_value(json_object_get(want, "type"));
        bool found = false;
        json_array_foreach (json_object_get(actual, "conditions"), other_index, have) {
            if (strcmp(json_string_value(json_object_get(have, "type")), type) != 0)
                continue;
            found = true;
            static const char *const keys[] = {"status", "reason"};
            for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
                if (!json_equal(json_object_get(want, keys[i]), json_object_get(have, keys[i])))
                    fail_msg("%s: %s (%s) instead of %s", type,
                             json_string_value(json_object_get(have, keys[i])),
                             json_string_value(json_object_get(have, "message")),
                             json_string_value(json_object_get(want, keys[i])));
            if (strcmp(type, "Ready") == 0)
                assert_string_equal(json_string_value(json_object_get(have, "message")),
                                    json_string_value(json_object_get(want, "message")));
        }
        if (!found)
            fail_msg("no condition %s", type);
    }
}

static void replay(const char *name)
{
    print_message("%s\n", name);
    struct run run;
    open_run(&run);
    json_t *scenario = load_case(name);
    json_t *object = json_object_get(json_object_get(scenario, "input"), "nodeClass");
    struct error error = {0};
    const char *version =
        json_string_value(json_object_get(json_object_get(scenario, "settings"), "version"));
    if (version != NULL)
        run.cluster.version = version;
    if (store_add(run.store, run.resource, NULL, object, &error) == NULL)
        fail_msg("%s: %s", name, error.message);
    const char *object_name =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
    loop_run_for(run.loop, 30 * SECOND);
    json_t *expected = json_object_get(
        json_object_get(json_object_get(scenario, "expect"), "nodeClass"), "status");
    json_t *actual = json_object_get(node_class_now(&run, object_name), "status");
    compare_list(expected, actual, "amis");
    compare_list(expected, actual, "subnets");
    compare_list(expected, actual, "securityGroups");
    compare_conditions(expected, actual);
    uint32_t made = run.creations;
    loop_run_for(run.loop, 20 * MINUTE); // no call is repeated
    assert_int_equal(run.creations, made);
    store_remove(run.store, run.resource, NULL, object_name,
                 &(struct store_delete_options){.grace_period_seconds = -1}, &error);
    loop_run_for(run.loop, MINUTE);
    assert_null(node_class_now(&run, object_name));
    json_decref(scenario);
    close_run(&run);
}

static void recorded_node_classes_AWN_32_37(void **state)
{
    (void)state;
    static const char *const names[] = {"discover-ami-mixed",
                                        "discover-ami-alias-latest",
                                        "discover-ami-br-latest",
                                        "discover-ami-al2-k135",
                                        "discover-ami-deprecated",
                                        "discover-ami-id-unknown",
                                        "discover-ami-name-owner",
                                        "discover-ami-ssm-odd",
                                        "discover-cr-id",
                                        "discover-cr-over",
                                        "discover-nothing-matches",
                                        "discover-pg-deleted",
                                        "discover-pg-id",
                                        "discover-sg-none",
                                        "discover-subnet-id-and-tags",
                                        "discover-subnet-tags",
                                        "discover-subnet-wildcard-value",
                                        "kubelet-al2-any",
                                        "kubelet-bad-unknown",
                                        "options-interfaces-public",
                                        "options-role-path"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        replay(names[i]);
}

struct event_count {
    const char *text; // of the message
    uint32_t count;   // of repetitions, too
};

static bool count_event(void *context, json_t *event)
{
    struct event_count *wanted = context;
    const char *reason = json_string_value(json_object_get(event, "reason"));
    const char *message = json_string_value(json_object_get(event, "message"));
    if (text_equal(reason, "UserDataUnused") && strstr(message, wanted->text) != NULL)
        wanted->count += (uint32_t)json_integer_value(json_object_get(event, "count"));
    return true;
}

static uint32_t events_of(struct run *run, const char *text)
{
    struct event_count wanted = {.text = text};
    store_each(run->store, store_resource_of_kind(run->store, "v1", "Event"), NULL, count_event,
               &wanted);
    return wanted.count;
}

// What of the user data has no effect is told once an hour, and stops nothing.
static void unused_user_data_is_told_AWN_711(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct run run;
        struct error error = {0};
        open_run(&run);
        run.settings.compatibility_upstream = upstream;
        json_t *scenario = load_case("discover-ami-br-latest");
        json_t *object = json_object_get(json_object_get(scenario, "input"), "nodeClass");
        json_object_set_new(json_object_get(object, "spec"), "userData",
                            json_string("[other]\na = 1\n"));
        const char *name =
            json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
        assert_non_null(store_add(run.store, run.resource, NULL, object, &error));
        loop_run_for(run.loop, 40 * MINUTE);
        assert_int_equal(events_of(&run, "other is left out"), !upstream);
        const json_t *status = json_object_get(node_class_now(&run, name), "status");
        compare_conditions(
            json_object_get(json_object_get(json_object_get(scenario, "expect"), "nodeClass"),
                            "status"),
            status);
        json_decref(scenario);
        close_run(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_node_classes_AWN_32_37),
                                       cmocka_unit_test(unused_user_data_is_told_AWN_711)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
