// Requirements in API form against a label's value, and against an offering's own requirements.
#include "model/reading/requirement_match.h"

#include "model/helpers.h"
#include "model/schema/karpenter.h"

#define CLAIM                                                                     \
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c}, spec: {" \
    "nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: "

static struct node_claim *claim_of(const char *requirements)
{
    char text[2000];
    snprintf(text, sizeof text, CLAIM "%s}}", requirements);
    return (struct node_claim *)object_of(text);
}

static void requirement_entries_all_hold_SCH_64(void **state)
{
    (void)state;
    struct node_claim *claim = claim_of("[{key: cpu, operator: Gte, values: ['4']},"
                                        "{key: cpu, operator: Lte, values: ['8']},"
                                        "{key: gpu, operator: DoesNotExist},"
                                        "{key: tier, operator: Exists}]");
    const requirement_list *list = &claim->spec.requirements;
    assert_true(requirements_allow(list, "cpu", "4"));
    assert_true(requirements_allow(list, "cpu", "8"));
    assert_false(requirements_allow(list, "cpu", "9"));
    assert_false(requirements_allow(list, "cpu", "four"));
    assert_false(requirements_allow(list, "cpu", NULL));
    assert_true(requirements_allow(list, "gpu", NULL));
    assert_false(requirements_allow(list, "gpu", "a10"));
    assert_false(requirements_allow(list, "tier", NULL));
    assert_true(requirements_allow(list, "unmentioned", NULL));
    object_release((struct object *)claim);
}

static void an_unknown_operator_allows_nothing(void **state)
{
    (void)state;
    const char *four = "4";
    const struct selector_requirement like = {
        .key = "cpu", .operator= "Like", .values = {&four, 1}};
    const struct selector_requirement nothing = {.key = "cpu", .values = {&four, 1}};
    assert_false(requirement_allows(&like, "4"));
    assert_false(requirement_allows(&nothing, "4"));
    assert_false(requirement_allows(&nothing, NULL));
}

static void an_offering_needs_one_value_that_is_allowed(void **state)
{
    (void)state;
    const char *zones[] = {"a", "b"};
    struct selector_requirement zone = {.key = "zone", .operator= "In", .values = {zones, 2}};
    struct offering offering = {.available = true, .requirements = {&zone, 1}};
    struct node_claim *claim = claim_of("[{key: zone, operator: NotIn, values: [a]}]");
    assert_true(offering_compatible(&offering, &claim->spec.requirements));
    zone.values.count = 1;
    assert_false(offering_compatible(&offering, &claim->spec.requirements));
    zone.operator= "Exists"; // open: nothing contradicts
    assert_true(offering_compatible(&offering, &claim->spec.requirements));
    offering.available = false;
    assert_false(offering_compatible(&offering, &claim->spec.requirements));
    object_release((struct object *)claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirement_entries_all_hold_SCH_64),
        cmocka_unit_test(an_unknown_operator_allows_nothing),
        cmocka_unit_test(an_offering_needs_one_value_that_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
