#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/error.h"

static void error_set_fills_and_returns_false(void **state)
{
    (void)state;
    struct error error = {0};
    assert_false(error_set(&error, ERROR_CONFLICT, "pod %s/%d", "a", 3));
    assert_int_equal(error.kind, ERROR_CONFLICT);
    assert_string_equal(error.message, "pod a/3");
    assert_false(error_set(NULL, ERROR_CONFLICT, "x"));
    assert_false(error_prefix(NULL, "x"));
}

static void error_arguments_may_be_its_own_message(void **state)
{
    (void)state;
    struct error error = {0};
    error_set(&error, ERROR_INVALID, "inner");
    error_set(&error, ERROR_INTERNAL, "outer (%s)", error.message);
    assert_string_equal(error.message, "outer (inner)");
    error_prefix(&error, "<%s>", error.message);
    assert_string_equal(error.message, "<outer (inner)>, outer (inner)");
    assert_int_equal(error.kind, ERROR_INTERNAL);
}

static void error_long_messages_are_cut_at_a_character(void **state)
{
    (void)state;
    struct error error = {0};
    char text[4001] = "";
    for (int i = 0; i < 2000; i++)
        memcpy(text + 2 * i, "\xC3\xA9", 3);
    error_set(&error, ERROR_INVALID, "%s", text);
    assert_int_equal(strlen(error.message), 1498);
    error_prefix(&error, "a");
    assert_int_equal(strlen(error.message), 1499);
    error_prefix(&error, "%s", text);
    assert_int_equal(strlen(error.message), 1498);
    assert_memory_equal(error.message, "\xC3\xA9", 2);
    error_prefix(&error, "%s", "");
    assert_memory_equal(error.message, ", \xC3\xA9", 4);
}

// Messages become JSON, which is UTF-8.
static void error_arguments_that_were_cut_are_repaired(void **state)
{
    (void)state;
    struct error error = {0};
    error_set(&error, ERROR_INVALID, "%.3s|%.4s|%.1s|%s", "\xC3\xA9\xC3\xA9",
              "\xE2\x82\xAC\xE2\x82\xAC", "\xF0\x9F\x92\xBB", "\xF0\x9F\x92\xBB\xA9");
    assert_string_equal(error.message, "\xC3\xA9?|\xE2\x82\xAC?|?|\xF0\x9F\x92\xBB?");
}

static void error_path_is_the_beginning_of_its_message(void **state)
{
    (void)state;
    struct error error = {0};
    error_set(&error, ERROR_INVALID, "a: b");
    assert_int_equal(error.path_length, 0); // a colon alone is no path
    assert_false(error_locate(&error, "spec.labels[\"%s\"]", "x: y"));
    assert_string_equal(error.message, "spec.labels[\"x: y\"]: a: b");
    assert_int_equal(error.path_length, strlen("spec.labels[\"x: y\"]"));
    assert_int_equal(error.kind, ERROR_INVALID);
    error_prefix(&error, "file");
    assert_int_equal(error.path_length, 0);
    assert_false(error_locate(NULL, "x"));
}

static void error_kinds_have_names(void **state)
{
    (void)state;
    for (int kind = ERROR_NONE; kind <= ERROR_INTERNAL; kind++)
        assert_string_not_equal(error_kind_name((enum error_kind)kind), "Unknown");
    assert_string_equal(error_kind_name(ERROR_INSUFFICIENT_CAPACITY), "InsufficientCapacity");
    assert_string_equal(error_kind_name((enum error_kind)99), "Unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_set_fills_and_returns_false),
        cmocka_unit_test(error_arguments_may_be_its_own_message),
        cmocka_unit_test(error_long_messages_are_cut_at_a_character),
        cmocka_unit_test(error_arguments_that_were_cut_are_repaired),
        cmocka_unit_test(error_path_is_the_beginning_of_its_message),
        cmocka_unit_test(error_kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
