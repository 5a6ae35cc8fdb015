// Changes that may affect a decision (SCH-526).
#include "support/cmocka_all.h"

#include "control/state/decision_inputs.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

static struct object *decode(const char *text)
{
    struct error error = {0};
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    assert_non_null(object);
    return object;
}

static bool matters(const char *before_text, const char *after_text)
{
    struct object *before = decode(before_text), *after = decode(after_text);
    bool answer = false;
    if (before->kind->id == KIND_NODE)
        answer = node_change_matters((struct node *)before, (struct node *)after);
    else if (before->kind->id == KIND_POD)
        answer = pod_change_matters((struct pod *)before, (struct pod *)after);
    else
        answer = claim_change_matters((struct node_claim *)before, (struct node_claim *)after);
    object_release(before);
    object_release(after);
    return answer;
}

#define NODE(metadata, spec, status)                                                             \
    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\"" metadata "}, " \
    "\"spec\": {" spec "}, \"status\": {" status "}}"
#define POD(metadata, spec, status)                                                             \
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"" metadata "}, " \
    "\"spec\": {\"containers\": []" spec "}, \"status\": {" status "}}"
#define CONDITION(type, status, time)                                 \
    "\"conditions\": [{\"type\": \"" type "\", \"status\": \"" status \
    "\", \"lastTransitionTime\": \"" time "\", \"lastHeartbeatTime\": \"" time "\"}]"
#define EARLY "2026-01-01T00:00:00Z"
#define LATE  "2026-01-01T00:05:00Z"

static void heartbeats_do_not_matter_SCH_526(void **state)
{
    (void)state;
    assert_false(
        matters(NODE("", "", CONDITION("Ready", "True", EARLY)),
                NODE(", \"resourceVersion\": \"9\"", "", CONDITION("Ready", "True", LATE))));
    assert_false(matters(POD("", "", "\"phase\": \"Running\", \"containerStatuses\": []"),
                         POD("", "",
                             "\"phase\": \"Running\", \"containerStatuses\": [{\"name\": "
                             "\"c\", \"restartCount\": 3, \"ready\": true}]")));
}

static void what_a_node_offers_matters_SCH_526(void **state)
{
    (void)state;
    const char *plain = NODE("", "", "");
    assert_true(matters(plain, NODE(", \"labels\": {\"a\": \"b\"}", "", "")));
    assert_true(matters(plain, NODE("", "\"unschedulable\": true", "")));
    assert_true(
        matters(plain, NODE("", "\"taints\": [{\"key\": \"a\", \"effect\": \"NoSchedule\"}]", "")));
    assert_true(matters(plain, NODE("", "", "\"allocatable\": {\"cpu\": \"1\"}")));
    assert_true(matters(plain, NODE(", \"deletionTimestamp\": \"" EARLY "\"", "", "")));
    assert_true(matters(NODE("", "", CONDITION("Ready", "False", EARLY)),
                        NODE("", "", CONDITION("Ready", "True", EARLY))));
}

// Taints that lead pods of guided drains change no decision.
static void the_taint_of_guided_drains_does_not_matter_DIS_749(void **state)
{
    (void)state;
#define A           "{\"key\": \"a\", \"effect\": \"NoSchedule\"}"
#define LATE_FILLED "{\"key\": \"adze.dev/filled-later\", \"effect\": \"PreferNoSchedule\"}"
    assert_false(matters(NODE("", "", ""), NODE("", "\"taints\": [" LATE_FILLED "]", "")));
    assert_false(matters(NODE("", "\"taints\": [" LATE_FILLED ", " A "]", ""),
                         NODE("", "\"taints\": [" A "]", "")));
    assert_true(matters(NODE("", "\"taints\": [" LATE_FILLED ", " A "]", ""),
                        NODE("", "\"taints\": [" LATE_FILLED "]", "")));
}

static void what_a_pod_asks_for_and_where_it_is_matters_SCH_526(void **state)
{
    (void)state;
    const char *plain = POD("", "", "\"phase\": \"Pending\"");
    assert_true(matters(plain, POD("", ", \"nodeName\": \"n\"", "\"phase\": \"Pending\"")));
    assert_true(matters(plain, POD("", "", "\"phase\": \"Running\"")));
    assert_true(
        matters(plain, POD("", "", "\"phase\": \"Pending\", \"nominatedNodeName\": \"n\"")));
    assert_true(matters(plain, POD(", \"labels\": {\"a\": \"b\"}", "", "\"phase\": \"Pending\"")));
    assert_true(
        matters(plain, POD("", ", \"overhead\": {\"cpu\": \"1\"}", "\"phase\": \"Pending\"")));
    assert_true(matters(
        plain, POD("", "", "\"phase\": \"Pending\", " CONDITION("PodScheduled", "False", EARLY))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heartbeats_do_not_matter_SCH_526),
        cmocka_unit_test(what_a_node_offers_matters_SCH_526),
        cmocka_unit_test(the_taint_of_guided_drains_does_not_matter_DIS_749),
        cmocka_unit_test(what_a_pod_asks_for_and_where_it_is_matters_SCH_526),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
