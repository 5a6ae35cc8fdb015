// The dry runs of a validation as adze makes them (AWN-713): nothing is left behind, with the tag
// and the capacity type of a NodePool, further types, all subnets' errors.
#include <string.h>

#include "node_class_world.h"
#include "reconcile_support.h"

static void add_pool(struct run *run, const char *name, const char *requirements)
{
    struct text text = {0};
    text_format(&text,
                "{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': '%s'}, "
                "'spec': {'template': {'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', "
                "'kind': 'EC2NodeClass', 'name': 'web'}, 'requirements': [%s]}}}}",
                name, requirements);
    add_object(run, store_resource_find(run->store, "karpenter.sh", "v1", "nodepools"),
               json_of(text.data));
    text_free(&text);
}

static void adjust_upstream(struct run *run)
{
    run->settings.compatibility_upstream = true;
}

static void open_mode(struct run *run, bool upstream)
{
    open_run_with(run, upstream ? adjust_upstream : NULL);
}

static const char *validation(struct run *run, const char *field)
{
    return text_at(condition_of(node_class_now(run, "web"), "ValidationSucceeded"), field);
}

static bool requested(const struct run *run, const char *action, const char *part)
{
    const json_t *parameters = last_request(run, action);
    char *text = json_dumps(parameters, JSON_COMPACT | JSON_SORT_KEYS);
    bool found = text != NULL && strstr(text, part) != NULL;
    free(text);
    return found;
}

static void refuse_with(struct run *run, const char *action, const char *code, const char *message)
{
    aws_account_add_fault(run->account, &(struct aws_account_fault){.action = (char *)action,
                                                                    .code = (char *)code,
                                                                    .message = (char *)message,
                                                                    .times = 1,
                                                                    .dry_run = 1});
}

static void templates_of_validations_go_AWN_713(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct run run;
        open_mode(&run, upstream != 0);
        add_class(&run, "web", SPEC("'role': 'node-role'"));
        loop_run_for(run.loop, 20 * SECOND);
        assert_string_equal(validation(&run, "status"), "True");
        assert_int_equal(requests_of(&run, "CreateLaunchTemplate"), 1);
        assert_int_equal(aws_account_templates(run.account), upstream);
        assert_int_equal(requests_of(&run, "DeleteLaunchTemplate"), !upstream);
        close_run(&run);
    }
}

// Also if the dry runs fail.
static void templates_of_failed_validations_go_AWN_713(void **state)
{
    (void)state;
    struct run run;
    open_mode(&run, false);
    refuse(&run, "RunInstances", 403, "UnauthorizedOperation", -1);
    add_class(&run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run.loop, 20 * SECOND);
    assert_string_equal(validation(&run, "reason"), "RunInstancesAuthCheckFailed");
    assert_int_equal(aws_account_templates(run.account), 0);
    close_run(&run);
}

static void tags_name_a_nodepool_AWN_713(void **state)
{
    static const char named[] = "{\"Key\":\"karpenter.sh/nodepool\",\"Value\":\"apps\"}";
    static const char empty[] = "{\"Key\":\"karpenter.sh/nodepool\",\"Value\":\"\"}";
    static const char *const actions[] = {"CreateLaunchTemplate", "CreateFleet", "RunInstances"};
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct run run;
        open_mode(&run, upstream != 0);
        add_pool(&run, "web", "");
        add_pool(&run, "apps", "");
        loop_run_for(run.loop, SECOND);
        add_class(&run, "web", SPEC("'role': 'node-role'"));
        loop_run_for(run.loop, 20 * SECOND);
        for (size_t i = 0; i < ARRAY_LENGTH(actions); i++) {
            assert_true(requested(&run, actions[i], upstream ? empty : named));
            assert_false(requested(&run, actions[i], upstream ? named : empty));
        }
        close_run(&run);
    }
}

static void spot_is_tried_where_only_spot_is_wanted_AWN_713(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct run run;
        open_mode(&run, upstream != 0);
        add_pool(&run, "web",
                 "{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['spot']}");
        loop_run_for(run.loop, SECOND);
        add_class(&run, "web", SPEC("'role': 'node-role'"));
        loop_run_for(run.loop, 20 * SECOND);
        assert_string_equal(validation(&run, "status"), "True");
        assert_int_equal(requested(&run, "CreateFleet", "\"DefaultTargetCapacityType\":\"spot\""),
                         !upstream);
        close_run(&run);
    }
}

static void open_large(struct run *run, bool upstream)
{
    open_mode(run, upstream);
    add_pool(run, "web",
             "{'key': 'karpenter.k8s.aws/instance-size', 'operator': 'In', 'values': ['large']}");
    loop_run_for(run->loop, SECOND);
}

// The type of the validation's last dry run; a static buffer.
static const char *type_tried(struct run *run)
{
    static char type[64];
    add_class(run, "web", SPEC("'role': 'node-role'"));
    loop_run_for(run->loop, 20 * SECOND);
    assert_string_equal(validation(run, "status"), "True");
    snprintf(type, sizeof type, "%s",
             text_or_empty(text_at(last_request(run, "RunInstances"), "InstanceType")));
    return type;
}

// EC2 does not offer the first type there: another family is tried at once.
static void another_type_is_tried_AWN_713(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++)
        for (int of_fleet = 0; of_fleet < 2; of_fleet++) {
            struct run run;
            open_large(&run, upstream != 0);
            char *first = memory_copy_string(type_tried(&run));
            close_run(&run);
            open_large(&run, upstream != 0);
            for (int i = 0; i < (of_fleet ? 1 : 4); i++) // in each of the subnets
                refuse_with(&run, of_fleet ? "CreateFleet" : "RunInstances", "Unsupported",
                            "not offered there");
            const char *type = type_tried(&run);
            if (upstream) {
                assert_string_equal(type, first); // later
            } else {
                assert_string_not_equal(type, first);
                assert_int_equal(requests_of(&run, "CreateFleet"), 2);
                assert_int_equal(aws_account_templates(run.account), 0);
            }
            free(first);
            close_run(&run);
        }
}

static void all_subnets_are_named_AWN_713(void **state)
{
    static const char *const messages[] = {"one thing", "another thing", "one thing", "a third"};
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        struct run run;
        open_mode(&run, upstream != 0);
        for (size_t i = 0; i < ARRAY_LENGTH(messages); i++)
            refuse_with(&run, "RunInstances", "InvalidParameterCombination", messages[i]);
        add_class(&run, "web", SPEC("'role': 'node-role'"));
        for (int i = 0; i < 1000 && requests_of(&run, "RunInstances") < 4; i++)
            loop_run_for(run.loop, 10 * MILLISECOND);
        loop_run_for(run.loop, 100 * MILLISECOND);
        const char *message = validation(&run, "message");
        assert_string_equal(validation(&run, "status"), "Unknown");
        const char *first = strstr(message, "one thing");
        assert_int_equal(first != NULL, !upstream);
        assert_int_equal(strstr(message, "another thing") != NULL, !upstream);
        assert_int_equal(strstr(message, "a third") != NULL, !upstream);
        assert_int_equal(strstr(message, "in subnet-") != NULL, !upstream);
        if (first != NULL)
            assert_null(strstr(first + 1, "one thing"));
        close_run(&run);
    }
}

// In both modes: upstream's controller ends there, which nobody relies on.
static void block_devices_without_a_volume_are_refused_AWN_704(void **state)
{
    static const struct {
        const char *mapping, *message;
    } rows[] = {
        {"{'deviceName': '/dev/xvdb'}", "[1] (/dev/xvdb) has no ebs"},
        {"{'deviceName': '/dev/xvdb', 'rootVolume': true}", "[1] (/dev/xvdb) has no ebs"},
        {"{'ebs': {'volumeSize': '10Gi'}}", "[1] has no deviceName"},
    };
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++)
        for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
            struct run run;
            struct text spec = {0};
            open_mode(&run, upstream != 0);
            text_format(&spec,
                        SPEC("'role': 'node-role', 'blockDeviceMappings': [{'deviceName': "
                             "'/dev/xvda', 'ebs': {'volumeSize': '20Gi'}}, %s]"),
                        rows[i].mapping);
            add_class(&run, "web", spec.data);
            text_free(&spec);
            loop_run_for(run.loop, 30 * SECOND);
            assert_string_equal(validation(&run, "status"), "False");
            assert_string_equal(validation(&run, "reason"), "InvalidBlockDeviceMappings");
            assert_non_null(strstr(validation(&run, "message"), rows[i].message));
            assert_int_equal(requests_of(&run, "CreateLaunchTemplate"), 0);
            patch_class(&run, "web",
                        "{'spec': {'blockDeviceMappings': [{'deviceName': '/dev/xvda', 'ebs': "
                        "{'volumeSize': '20Gi'}}]}}");
            loop_run_for(run.loop, 30 * SECOND);
            assert_string_equal(validation(&run, "status"), "True");
            close_run(&run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_of_validations_go_AWN_713),
        cmocka_unit_test(templates_of_failed_validations_go_AWN_713),
        cmocka_unit_test(tags_name_a_nodepool_AWN_713),
        cmocka_unit_test(spot_is_tried_where_only_spot_is_wanted_AWN_713),
        cmocka_unit_test(another_type_is_tried_AWN_713),
        cmocka_unit_test(all_subnets_are_named_AWN_713),
        cmocka_unit_test(block_devices_without_a_volume_are_refused_AWN_704),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
