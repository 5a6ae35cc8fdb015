// Sets of requirements: SCH-75 to SCH-82.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/requirements/requirement_sets.h"

struct fixture {
    struct vocabulary *vocabulary;
    struct requirement_sets *sets;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_allocate(sizeof *fixture);
    fixture->vocabulary = vocabulary_create();
    fixture->sets = requirement_sets_create(fixture->vocabulary);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    requirement_sets_destroy(fixture->sets);
    vocabulary_destroy(fixture->vocabulary);
    free(fixture);
    return 0;
}

// "key Op a,b; key Op; ..."
static uint32_t parse(struct fixture *fixture, const char *text)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    char *copy = arena_copy_string(arena, text), *outer = NULL;
    uint32_t set = SET_EMPTY;
    for (char *part = strtok_r(copy, ";", &outer); part != NULL;
         part = strtok_r(NULL, ";", &outer)) {
        char *save = NULL, *inner = NULL;
        struct selector_requirement source = {0};
        source.values.items = arena_allocate_array(arena, 16, sizeof(char *));
        source.key = strtok_r(part, " ", &save);
        source.operator= strtok_r(NULL, " ", &save);
        char *values = strtok_r(NULL, " ", &save);
        for (char *value = values != NULL ? strtok_r(values, ",", &inner) : NULL; value != NULL;
             value = strtok_r(NULL, ",", &inner))
            source.values.items[source.values.count++] = value;
        struct requirement requirement = requirement_make(arena, fixture->vocabulary, &source);
        set = set_add(fixture->sets, set, &requirement);
    }
    return set;
}

static void assert_set(struct fixture *fixture, uint32_t set, const char *expected)
{
    struct text text = {0};
    set_add_text(&text, fixture->sets, set);
    assert_string_equal(text.data != NULL ? text.data : "", expected);
    text_free(&text);
}

static void adding_intersects_in_any_order_SCH_75(void **state)
{
    struct fixture *fixture = *state;
    uint32_t a = parse(fixture, "z In a,b; arch In x; z NotIn a");
    uint32_t b = parse(fixture, "z NotIn a; z In a,b; arch In x");
    assert_int_equal(a, b);
    assert_set(fixture, a, "arch In [x], z In [b]");
    assert_int_equal(
        set_meet(fixture->sets, parse(fixture, "z In a,b"), parse(fixture, "arch In x; z NotIn a")),
        a);
    assert_int_equal(set_remove(fixture->sets, a, vocabulary_key(fixture->vocabulary, "arch")),
                     parse(fixture, "z In b"));
    assert_int_equal(set_remove(fixture->sets, parse(fixture, "z In b"),
                                vocabulary_key(fixture->vocabulary, "z")),
                     SET_EMPTY);
}

static void text_leaves_out_the_hostname_SCH_82(void **state)
{
    struct fixture *fixture = *state;
    assert_set(fixture, parse(fixture, "z In b; kubernetes.io/hostname In h; a Exists"),
               "a Exists, z In [b]");
    assert_set(fixture, SET_EMPTY, "");
}

static void intersects_allows_two_absences_SCH_77(void **state)
{
    static const struct {
        const char *a, *b;
        bool expected;
    } cases[] = {
        {"k DoesNotExist", "k DoesNotExist", true},  {"k NotIn a", "k DoesNotExist", true},
        {"k DoesNotExist", "k NotIn a", true},       {"k Exists", "k DoesNotExist", false},
        {"k In a", "k DoesNotExist", false},         {"k In a", "j In b", true},
        {"k In a; j In b", "k In a; j In c", false},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        for (int again = 0; again < 2; again++)
            assert_int_equal(sets_intersect(fixture->sets, parse(fixture, cases[i].a),
                                            parse(fixture, cases[i].b)),
                             cases[i].expected);
}

// The table of SCH-79, row by row.
static void compatibility_table_SCH_78_79(void **state)
{
    static const char *const asked[] = {"k In 7", "k NotIn 7", "k Exists", "k DoesNotExist",
                                        "k Gt 5"};
    static const struct {
        const char *defined;
        bool allow;
        bool expected[5];
    } rows[] = {
        {"", false, {false, true, false, true, false}},
        {"k In 7", false, {true, false, true, false, true}},
        {"k In 3", false, {false, true, true, false, false}},
        {"k NotIn 7", false, {false, true, true, true, true}},
        {"k NotIn 3", false, {true, true, true, true, true}},
        {"k Exists", false, {true, true, true, false, true}},
        {"k Gt 6", false, {true, true, true, false, true}},
        {"k Gt 8", false, {false, true, true, false, true}},
        {"k DoesNotExist", false, {false, true, false, true, false}},
        {"", true, {true, true, true, true, true}},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].allow)
            vocabulary_mark_well_known(fixture->vocabulary,
                                       vocabulary_key(fixture->vocabulary, "k"));
        for (size_t j = 0; j < ARRAY_LENGTH(asked); j++)
            assert_int_equal(sets_compatible(fixture->sets, parse(fixture, rows[i].defined),
                                             parse(fixture, asked[j]), rows[i].allow),
                             rows[i].expected[j]);
    }
}

static void assert_conflict(struct fixture *fixture, const char *a, const char *b, bool allow,
                            const char *expected)
{
    struct text text = {0};
    sets_add_conflict(&text, fixture->sets, parse(fixture, a), parse(fixture, b), allow);
    assert_string_equal(text.data != NULL ? text.data : "", expected);
    text_free(&text);
}

static void conflicts_are_told_SCH_77_78_80(void **state)
{
    struct fixture *fixture = *state;
    assert_conflict(fixture, "", "zone In a", true,
                    "label \"zone\" does not have known values "
                    "(typo of \"topology.kubernetes.io/zone\"?)");
    assert_conflict(fixture, "", "b Exists; a In x", false,
                    "label \"a\" does not have known values");
    assert_conflict(
        fixture, "my.org/team In x", "other.org/team In x", false,
        "label \"other.org/team\" does not have known values (typo of \"my.org/team\"?)");
    assert_conflict(fixture, "z In a; k In b", "z In c; k In d", false,
                    "key k, k In [d] not in k In [b]; key z, z In [c] not in z In [a]");
    assert_conflict(fixture, "z In a", "z In a", false, "");
    assert_conflict(fixture, "", "topology.kubernetes.io/zone In a", true, "");
}

static void unknown_well_known_keys_are_allowed_only_when_asked_SCH_81(void **state)
{
    struct fixture *fixture = *state;
    uint32_t asked = parse(fixture, "topology.kubernetes.io/zone In a");
    assert_true(sets_compatible(fixture->sets, SET_EMPTY, asked, true));
    assert_false(sets_compatible(fixture->sets, SET_EMPTY, asked, false));
    assert_false(sets_compatible(fixture->sets, SET_EMPTY,
                                 parse(fixture, "kubernetes.io/hostname In a"), true));
}

static void many_sets_stay_distinct(void **state)
{
    struct fixture *fixture = *state;
    uint32_t first[3000];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < ARRAY_LENGTH(first); i++) {
            char text[64];
            snprintf(text, sizeof text, "k%u In v%u; z In a", i % 50, i);
            uint32_t set = parse(fixture, text);
            if (round == 0)
                first[i] = set;
            assert_int_equal(set, first[i]);
            if (i > 0)
                assert_int_not_equal(first[i], first[i - 1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adding_intersects_in_any_order_SCH_75, setup, teardown),
        cmocka_unit_test_setup_teardown(text_leaves_out_the_hostname_SCH_82, setup, teardown),
        cmocka_unit_test_setup_teardown(intersects_allows_two_absences_SCH_77, setup, teardown),
        cmocka_unit_test_setup_teardown(compatibility_table_SCH_78_79, setup, teardown),
        cmocka_unit_test_setup_teardown(conflicts_are_told_SCH_77_78_80, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_well_known_keys_are_allowed_only_when_asked_SCH_81,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(many_sets_stay_distinct, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
