// The table of conditions' reasons (LIF-10).
#include "model/helpers.h"

#include <ctype.h>

#include "model/schema/condition_reasons.h"

static void every_reason_has_a_row_of_its_own_LIF_10(void **state)
{
    (void)state;
    for (int i = 0; i < CONDITION_REASONS_COUNT; i++) {
        const struct condition_reason_row *row = condition_reason_row((enum condition_reason)i);
        assert_true(row->types != 0 && row->types >> CONDITION_TYPES_COUNT == 0);
        assert_true(row->meaning != NULL && strlen(row->meaning) > 15);
        assert_true(isupper((unsigned char)*row->name));
        for (const char *at = row->name; *at != '\0'; at++)
            assert_true(isalnum((unsigned char)*at));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(row->name, condition_reason_name((enum condition_reason)k));
    }
}

static void reasons_are_of_their_conditions_LIF_11_66(void **state)
{
    (void)state;
    assert_string_equal(condition_reason_name(CONDITION_REASON_NODE_NOT_FOUND), "NodeNotFound");
    assert_true(condition_reason_is_of(CONDITION_REASON_NODE_NOT_FOUND, CONDITION_REGISTERED));
    assert_true(condition_reason_is_of(CONDITION_REASON_NODE_NOT_FOUND, CONDITION_INITIALIZED));
    assert_false(condition_reason_is_of(CONDITION_REASON_NODE_NOT_FOUND, CONDITION_LAUNCHED));
    const enum condition_reason awaiting = CONDITION_REASON_AWAITING_RECONCILIATION;
    assert_true(condition_reason_is_of(awaiting, CONDITION_NODE_CLASS_READY));
    assert_false(condition_reason_is_of(awaiting, CONDITION_DRIFTED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_a_row_of_its_own_LIF_10),
        cmocka_unit_test(reasons_are_of_their_conditions_LIF_11_66),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
