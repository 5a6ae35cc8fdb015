// The mark on a command's objects for the successor of this process.
#include "support/cmocka_all.h"

#include "control/command/disruption_command.h"

#define ID "00000000-0000-4000-8000-000000000001"

static bool read(const char *text, struct command_mark *mark)
{
    struct string_pair annotation = {ANNOTATION_DISRUPTION_COMMAND, text};
    struct object object = {.meta = {.annotations = {&annotation, 1}}};
    return command_mark_read(&object, mark);
}

static void marks_have_the_names_of_reason_and_kind_DIS_724(void **unused)
{
    static const struct {
        enum disruption_reason reason;
        enum consolidation_type consolidation;
        const char *text;
    } cases[] = {{DISRUPTION_EMPTY, CONSOLIDATION_EMPTY, ID ",Empty,empty,0,0"},
                 {DISRUPTION_DRIFTED, CONSOLIDATION_NONE, ID ",Drifted,,0,0"},
                 {DISRUPTION_UNDERUTILIZED, CONSOLIDATION_MULTI, ID ",Underutilized,multi,0,0"},
                 {DISRUPTION_UNDERUTILIZED, CONSOLIDATION_SINGLE, ID ",Underutilized,single,0,0"}};
    (void)unused;
    struct arena *arena = arena_create(256);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct disruption_command command = {
            .id = ID, .reason = cases[i].reason, .consolidation = cases[i].consolidation};
        struct command_mark mark;
        assert_string_equal(command_mark_text(arena, &command), cases[i].text);
        assert_true(read(cases[i].text, &mark));
        assert_string_equal(mark.id, ID);
        assert_int_equal(mark.reason, cases[i].reason);
        assert_int_equal(mark.consolidation, cases[i].consolidation);
    }
    arena_destroy(arena);
}

static void marks_of_others_are_none_DIS_724(void **unused)
{
    static const char *const unsound[] = {"",
                                          ID,
                                          ID ",Empty,empty,0",
                                          ID ",Expired,,1,0",
                                          ID ",Drifted,none,1,0",
                                          ID ",,empty,1,0",
                                          ID ",empty,empty,1,0",
                                          ID ",Empty,Empty,1,0",
                                          ID ",Empty,empty,1,99999",
                                          ID ",Empty,empty,1,0,",
                                          ID ",Empty-and-a-name-that-is-far-too-long,empty,1,0"};
    struct command_mark mark;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(unsound); i++)
        assert_false(read(unsound[i], &mark));
    assert_true(read(ID ",Empty,empty,2,1", &mark));
    assert_int_equal(mark.nodes, 2);
    assert_int_equal(mark.replacements, 1);
}

static void labels_are_those_of_metrics_DIS_324(void **unused)
{
    struct disruption_command command = {.reason = DISRUPTION_DRIFTED};
    (void)unused;
    assert_string_equal(command_reason_label(&command), "drifted");
    assert_string_equal(command_consolidation_label(&command), "");
    command.reason = DISRUPTION_EMPTY;
    command.consolidation = CONSOLIDATION_EMPTY;
    assert_string_equal(command_reason_label(&command), "empty");
    assert_string_equal(command_consolidation_label(&command), "empty");
    command.reason = DISRUPTION_UNDERUTILIZED;
    command.consolidation = CONSOLIDATION_MULTI;
    assert_string_equal(command_reason_label(&command), "underutilized");
    assert_string_equal(command_consolidation_label(&command), "multi");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_have_the_names_of_reason_and_kind_DIS_724),
        cmocka_unit_test(marks_of_others_are_none_DIS_724),
        cmocka_unit_test(labels_are_those_of_metrics_DIS_324),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
