// The table of condition types (LIF-10): numbered types are spelled as in the API.
#include "model/helpers.h"

#include "model/schema/condition_types.h"

static void every_type_has_a_row_of_its_own_LIF_10(void **state)
{
    (void)state;
    for (int type = 0; type < CONDITION_TYPES_COUNT; type++) {
        const struct condition_row *row = condition_row((enum condition_type)type);
        assert_true(row->name != NULL && row->name[0] >= 'A' && row->name[0] <= 'Z');
        assert_true(row->kinds != 0 && row->meaning != NULL && row->rule != NULL);
        for (int other = 0; other < type; other++)
            assert_string_not_equal(row->name, condition_name((enum condition_type)other));
    }
}

static void kinds_are_those_that_carry_them_LIF_10(void **state)
{
    (void)state;
    assert_true(condition_is_of(CONDITION_READY, KIND_NODE_CLAIM));
    assert_true(condition_is_of(CONDITION_LAUNCHED, KIND_NODE_CLAIM));
    assert_false(condition_is_of(CONDITION_LAUNCHED, KIND_NODE_POOL));
    assert_true(condition_is_of(CONDITION_NODE_CLASS_READY, KIND_NODE_POOL));
    assert_true(condition_is_of(CONDITION_VALIDATION_SUCCEEDED, KIND_NODE_OVERLAY));
    assert_false(condition_is_of(CONDITION_POD_SCHEDULED, KIND_NODE));
}

static void conditions_are_found_by_type_and_by_name(void **state)
{
    struct condition items[] = {{.type = "Registered", .status = "Unknown"},
                                {.type = "Launched", .status = "True"},
                                {.type = "NetworkUnavailable", .status = "True"}};
    const condition_list list = {.items = items, .count = 3};
    (void)state;
    assert_ptr_equal(condition_find(&list, CONDITION_REGISTERED), &items[0]);
    assert_null(condition_find(&list, CONDITION_INITIALIZED));
    assert_true(condition_is_true(&list, CONDITION_LAUNCHED));
    assert_false(condition_is_true(&list, CONDITION_REGISTERED));
    assert_ptr_equal(condition_find_named(&list, "NetworkUnavailable"), &items[2]);
    assert_null(condition_find_named(&list, "DiskPressure"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_a_row_of_its_own_LIF_10),
        cmocka_unit_test(kinds_are_those_that_carry_them_LIF_10),
        cmocka_unit_test(conditions_are_found_by_type_and_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
