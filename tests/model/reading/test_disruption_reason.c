// Names of reasons, methods, kinds of consolidation and of cancellations (DIS-3, DIS-11, DIS-263).
#include "model/reading/disruption_reason.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ROUND_TRIP(type, count, name, parse)                                   \
    for (int i = 0; i < (count); i++) {                                        \
        enum type read = (enum type)((i + 1) % (count));                       \
        assert_true(parse(name((enum type)i), &read) && read == (enum type)i); \
    }

static void every_name_is_read_again(void **state)
{
    (void)state;
    ROUND_TRIP(disruption_reason, DISRUPTION_REASONS_COUNT, disruption_reason_name,
               disruption_reason_parse)
    ROUND_TRIP(disruption_method, METHODS_COUNT, disruption_method_name, disruption_method_parse)
    ROUND_TRIP(consolidation_type, CONSOLIDATION_TYPES_COUNT, consolidation_type_name,
               consolidation_type_parse)
    ROUND_TRIP(cancel_kind, CANCEL_KINDS_COUNT, cancel_kind_name, cancel_kind_parse)
}

static void names_are_those_of_the_API_DIS_3(void **state)
{
    (void)state;
    assert_string_equal(disruption_reason_name(DISRUPTION_EMPTY), "Empty");
    assert_string_equal(disruption_reason_name(DISRUPTION_DRIFTED), "Drifted");
    assert_string_equal(disruption_reason_name(DISRUPTION_UNDERUTILIZED), "Underutilized");
    assert_int_equal(BUDGET_REASONS_COUNT, 3);
    assert_string_equal(disruption_method_name(METHOD_STATIC_DRIFT), "static-drift");
    assert_string_equal(consolidation_type_name(CONSOLIDATION_NONE), "none");
    assert_string_equal(cancel_kind_name(CANCEL_SCHEDULING), "scheduling");
}

static void other_words_are_no_names(void **state)
{
    (void)state;
    enum disruption_reason reason = DISRUPTION_DRIFTED;
    enum disruption_method method = METHOD_DRIFT;
    enum consolidation_type type = CONSOLIDATION_MULTI;
    enum cancel_kind kind = CANCEL_BUDGET;
    assert_false(disruption_reason_parse("empty", &reason) || disruption_reason_parse("", &reason));
    assert_false(disruption_reason_parse(NULL, &reason) ||
                 disruption_method_parse("Drift", &method));
    assert_false(consolidation_type_parse("", &type) || cancel_kind_parse(NULL, &kind));
    assert_true(reason == DISRUPTION_DRIFTED && method == METHOD_DRIFT);
    assert_true(type == CONSOLIDATION_MULTI && kind == CANCEL_BUDGET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_read_again),
        cmocka_unit_test(names_are_those_of_the_API_DIS_3),
        cmocka_unit_test(other_words_are_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
