#include "model/helpers.h"

#include "model/reading/selector.h"
#include "model/schema/core.h"

// labels: {app: web, tier: ""}
static const struct string_map labels = {(struct string_pair[]){{"app", "web"}, {"tier", ""}}, 2};

static bool matches(const char *selector)
{
    char text[500];
    snprintf(text, sizeof text,
             "{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {selector: %s}}", selector);
    CLEANUP_OBJECT struct object *object = object_of(text);
    return label_selector_matches(((struct pod_disruption_budget *)object)->spec.selector, &labels);
}

static void nil_selects_nothing_and_empty_everything(void **state)
{
    (void)state;
    assert_false(matches("null"));
    assert_true(matches("{}"));
    assert_true(matches("{matchLabels: {}, matchExpressions: []}"));
}

static void labels_must_all_match(void **state)
{
    (void)state;
    assert_true(matches("{matchLabels: {app: web}}"));
    assert_true(matches("{matchLabels: {app: web, tier: ''}}"));
    assert_false(matches("{matchLabels: {app: web, other: ''}}"));
    assert_false(matches("{matchLabels: {app: db}}"));
}

static void expressions_follow_the_api(void **state)
{
    (void)state;
    assert_true(matches("{matchExpressions: [{key: app, operator: In, values: [db, web]}]}"));
    assert_false(matches("{matchExpressions: [{key: app, operator: In, values: [db]}]}"));
    assert_false(matches("{matchExpressions: [{key: none, operator: In, values: [db]}]}"));
    assert_true(matches("{matchExpressions: [{key: app, operator: NotIn, values: [db]}]}"));
    assert_false(matches("{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}"));
    assert_true(matches("{matchExpressions: [{key: none, operator: NotIn, values: [web]}]}"));
    assert_true(matches("{matchExpressions: [{key: tier, operator: Exists}]}"));
    assert_false(matches("{matchExpressions: [{key: none, operator: Exists}]}"));
    assert_true(matches("{matchExpressions: [{key: none, operator: DoesNotExist}]}"));
    assert_false(matches("{matchExpressions: [{key: app, operator: DoesNotExist}]}"));
    assert_false(matches("{matchLabels: {app: web}, matchExpressions: [{key: none, operator: "
                         "Exists}]}"));
}

static void an_invalid_selector_selects_nothing(void **state)
{
    (void)state;
    assert_false(matches("{matchExpressions: [{key: none, operator: NotIn, values: []}]}"));
    assert_false(matches("{matchExpressions: [{key: app, operator: Exists, values: [web]}]}"));
    assert_false(matches("{matchExpressions: [{key: app, operator: Like, values: [web]}]}"));
    assert_false(matches("{matchExpressions: [{key: '-', operator: DoesNotExist}]}"));
    assert_false(matches("{matchExpressions: [{key: none, operator: NotIn, values: ['a b']}]}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nil_selects_nothing_and_empty_everything),
        cmocka_unit_test(labels_must_all_match),
        cmocka_unit_test(expressions_follow_the_api),
        cmocka_unit_test(an_invalid_selector_selects_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
