// The algebra of requirements: SCH-60 to SCH-70.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/requirements/requirement.h"

struct fixture {
    struct vocabulary *vocabulary;
    struct arena *arena;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_allocate(sizeof *fixture);
    fixture->vocabulary = vocabulary_create();
    fixture->arena = arena_create(4096);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    vocabulary_destroy(fixture->vocabulary);
    arena_destroy(fixture->arena);
    free(fixture);
    return 0;
}

// "key Op a,b,c" or "key Op"; a trailing " minValues n".
static struct requirement parse(struct fixture *fixture, const char *text)
{
    char *copy = arena_copy_string(fixture->arena, text);
    char *save = NULL;
    struct selector_requirement source = {0};
    source.key = strtok_r(copy, " ", &save);
    source.operator= strtok_r(NULL, " ", &save);
    source.values.items = arena_allocate_array(fixture->arena, 16, sizeof(char *));
    char *values = strtok_r(NULL, " ", &save);
    if (values != NULL && strcmp(values, "minValues") == 0) {
        source.min_values = (struct optional_int){true, atoi(strtok_r(NULL, " ", &save))};
        values = NULL;
    }
    char *minimum = strtok_r(NULL, " ", &save);
    if (minimum != NULL)
        source.min_values = (struct optional_int){true, atoi(strtok_r(NULL, " ", &save))};
    char *inner = NULL;
    for (char *value = values != NULL ? strtok_r(values, ",", &inner) : NULL; value != NULL;
         value = strtok_r(NULL, ",", &inner))
        source.values.items[source.values.count++] = value;
    return requirement_make(fixture->arena, fixture->vocabulary, &source);
}

static void assert_text(struct fixture *fixture, struct requirement requirement,
                        const char *expected)
{
    struct text text = {0};
    requirement_add_text(&text, fixture->vocabulary, &requirement);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void construction_gives_complement_values_and_bounds_SCH_61_69(void **state)
{
    static const char *const cases[][2] = {
        {"k In b,a", "k In [a b]"},
        {"k In", "k DoesNotExist"},
        {"k In a,a", "k In [a]"},
        {"k NotIn b,a", "k NotIn [a b]"},
        {"k NotIn", "k Exists"},
        {"k Exists", "k Exists"},
        {"k DoesNotExist", "k DoesNotExist"},
        {"k Gt 4", "k Exists >=5"},
        {"k Lt 4", "k Exists <=3"},
        {"k Gte 4", "k Exists >=4"},
        {"k Lte 4", "k Exists <=4"},
        {"k Lt 0", "k Exists <=-1"},
        {"k Gt 9223372036854775807", "k DoesNotExist"},
        {"k Gt 9223372036854775807 minValues 3", "k DoesNotExist"},
        {"k Gt pear", "k Exists >=1"},
        {"k Gt", "k Exists >=1"},
        {"k In e,d,c,b,a,f,g,h minValues 2", "k In [a b c d e and 3 others] minValues 2"},
        {"k Exists minValues 7", "k Exists minValues 7"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_text(*state, parse(*state, cases[i][0]), cases[i][1]);
}

static void old_keys_stand_for_new_ones_SCH_62(void **state)
{
    assert_text(*state, parse(*state, "failure-domain.beta.kubernetes.io/zone In a"),
                "topology.kubernetes.io/zone In [a]");
    assert_text(*state, parse(*state, "failure-domain.beta.kubernetes.io/region In a"),
                "topology.kubernetes.io/region In [a]");
    assert_text(*state, parse(*state, "beta.kubernetes.io/arch In a"), "kubernetes.io/arch In [a]");
    assert_text(*state, parse(*state, "beta.kubernetes.io/os In a"), "kubernetes.io/os In [a]");
    assert_text(*state, parse(*state, "beta.kubernetes.io/instance-type In a"),
                "node.kubernetes.io/instance-type In [a]");
}

static void operator_is_derived_SCH_63(void **state)
{
    static const struct {
        const char *text;
        enum requirement_operator operator;
    } cases[] = {
        {"k In a", OPERATOR_IN},       {"k NotIn a", OPERATOR_NOT_IN},
        {"k Exists", OPERATOR_EXISTS}, {"k DoesNotExist", OPERATOR_DOES_NOT_EXIST},
        {"k Gt 1", OPERATOR_EXISTS},   {"k Lt 1", OPERATOR_EXISTS},
        {"k Gte 1", OPERATOR_EXISTS},  {"k Lte 1", OPERATOR_EXISTS},
        {"k NotIn", OPERATOR_EXISTS},  {"k In", OPERATOR_DOES_NOT_EXIST},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct requirement requirement = parse(*state, cases[i].text);
        assert_int_equal(requirement_operator(&requirement), cases[i].operator);
    }
}

static void has_reads_values_and_bounds_SCH_64(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *text, *value;
        bool expected;
    } cases[] = {
        {"k In a,b", "a", true},   {"k In a,b", "c", false},
        {"k NotIn a", "a", false}, {"k NotIn a", "b", true},
        {"k Exists", "x", true},   {"k DoesNotExist", "x", false},
        {"k Gt 4", "4", false},    {"k Gt 4", "5", true},
        {"k Gt 4", "+5", true},    {"k Gt 4", "5a", false},
        {"k Gt 4", "", false},     {"k Gt -3", "-2", true},
        {"k Lt 4", "3", true},     {"k Lt 4", "4", false},
        {"k Gte 4", "4", true},    {"k Lte 4", "4", true},
        {"k Lte 4", "5", false},   {"k Gt 4", "99999999999999999999", false},
        {"k In a", "", false},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct requirement requirement = parse(fixture, cases[i].text);
        uint32_t value = vocabulary_value(fixture->vocabulary, cases[i].value);
        assert_int_equal(requirement_has(fixture->vocabulary, &requirement, value),
                         cases[i].expected);
    }
}

static void length_counts_what_is_allowed_SCH_65(void **state)
{
    struct requirement finite = parse(*state, "k In a,b"),
                       complement = parse(*state, "k NotIn a,b,c");
    struct requirement none = parse(*state, "k DoesNotExist");
    assert_int_equal(requirement_length(&finite), 2);
    assert_int_equal(requirement_length(&complement), INT64_MAX - 3);
    assert_int_equal(requirement_length(&none), 0);
}

static void intersection_follows_the_table_SCH_66(void **state)
{
    static const char *const cases[][3] = {
        {"k In a,b,c", "k In b,c,d", "k In [b c]"},
        {"k In a", "k In b", "k DoesNotExist"},
        {"k In a,b", "k NotIn a", "k In [b]"},
        {"k In a", "k NotIn a", "k DoesNotExist"},
        {"k NotIn a", "k NotIn b", "k NotIn [a b]"},
        {"k NotIn a", "k NotIn a", "k NotIn [a]"},
        {"k Exists", "k In a", "k In [a]"},
        {"k Exists", "k NotIn a", "k NotIn [a]"},
        {"k Exists", "k Exists", "k Exists"},
        {"k Exists", "k DoesNotExist", "k DoesNotExist"},
        {"k NotIn a", "k DoesNotExist", "k DoesNotExist"},
        {"k DoesNotExist", "k DoesNotExist", "k DoesNotExist"},
        {"k Gt 1", "k Lt 9", "k Exists >=2 <=8"},
        {"k Gt 1", "k Gt 5", "k Exists >=6"},
        {"k Lte 7", "k Lt 7", "k Exists <=6"},
        {"k Gt 5", "k Lt 5", "k DoesNotExist"},
        {"k Gt 5 minValues 2", "k Lt 5", "k DoesNotExist minValues 2"},
        {"k Gte 5", "k Lte 5", "k Exists >=5 <=5"},
        {"k In 1,5,9", "k Gt 4", "k In [5 9]"},
        {"k In 1,x,9", "k Gt 4", "k In [9]"},
        {"k In 1", "k Gt 4", "k DoesNotExist"},
        // Excluded values outside the bounds, or no integers, are dropped too.
        {"k NotIn 1,7,x", "k Gt 4", "k NotIn [7] >=5"},
        {"k NotIn 1", "k Gt 4", "k Exists >=5"},
        {"k In a minValues 2", "k Exists minValues 5", "k In [a] minValues 5"},
        {"k In a", "k In a minValues 1", "k In [a] minValues 1"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct requirement a = parse(fixture, cases[i][0]), b = parse(fixture, cases[i][1]);
        assert_text(fixture, requirement_intersect(fixture->arena, fixture->vocabulary, &a, &b),
                    cases[i][2]);
        assert_text(fixture, requirement_intersect(fixture->arena, fixture->vocabulary, &b, &a),
                    cases[i][2]);
    }
}

static void has_intersection_SCH_67(void **state)
{
    static const struct {
        const char *a, *b;
        bool expected;
    } cases[] = {
        {"k In a", "k In a", true},
        {"k In a", "k In b", false},
        {"k In a,b", "k NotIn a", true},
        {"k In a", "k NotIn a", false},
        {"k NotIn a", "k NotIn b", true},
        {"k Gt 5", "k Lt 3", false},
        {"k Gt 5", "k Lt 9", true},
        // Both are complements: true even where their exclusions leave nothing.
        {"k NotIn 6,7,8", "k Gt 5", true},
        {"k In 6", "k Gt 5", true},
        {"k In 5", "k Gt 5", false},
        {"k In x", "k Gt 5", false},
        {"k DoesNotExist", "k Exists", false},
        {"k DoesNotExist", "k DoesNotExist", false},
        {"k DoesNotExist", "k NotIn a", false},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct requirement a = parse(fixture, cases[i].a), b = parse(fixture, cases[i].b);
        assert_int_equal(requirement_has_intersection(fixture->vocabulary, &a, &b),
                         cases[i].expected);
        assert_int_equal(requirement_has_intersection(fixture->vocabulary, &b, &a),
                         cases[i].expected);
    }
}

// hasIntersection and intersection agree wherever one side is finite, over every pair of a sample.
static void intersection_and_has_intersection_agree(void **state)
{
    static const char *const sample[] = {
        "k In a",      "k In a,b", "k In 1,2,3",     "k In 5,b", "k NotIn a",
        "k NotIn 1,2", "k Exists", "k DoesNotExist", "k Gt 1",   "k Lt 3",
        "k Gte 2",     "k Lte 5",  "k Gt 8",
    };
    static const char *const probes[] = {"a", "b", "c", "1", "2", "3", "5", "9", "-1", "x"};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(sample); i++)
        for (size_t j = 0; j < ARRAY_LENGTH(sample); j++) {
            struct requirement a = parse(fixture, sample[i]), b = parse(fixture, sample[j]);
            struct requirement both =
                requirement_intersect(fixture->arena, fixture->vocabulary, &a, &b);
            if (!both.complement)
                assert_int_equal(requirement_has_intersection(fixture->vocabulary, &a, &b),
                                 both.count > 0);
            for (size_t p = 0; p < ARRAY_LENGTH(probes); p++) {
                uint32_t value = vocabulary_value(fixture->vocabulary, probes[p]);
                assert_int_equal(requirement_has(fixture->vocabulary, &both, value),
                                 requirement_has(fixture->vocabulary, &a, value) &&
                                     requirement_has(fixture->vocabulary, &b, value));
            }
        }
}

static void any_is_the_smallest_SCH_68(void **state)
{
    static const char *const cases[][2] = {
        {"k In b,a", "a"}, {"k Exists", "0"}, {"k NotIn 0,1", "2"},
        {"k Gt 4", "5"},   {"k Gt -9", "0"},  {"k DoesNotExist", ""},
        {"k Lt 0", ""},    {"k Lte 3", "0"},  {"k NotIn a", "0"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct requirement requirement = parse(fixture, cases[i][0]);
        assert_string_equal(requirement_any(fixture->arena, fixture->vocabulary, &requirement),
                            cases[i][1]);
    }
    struct requirement a = parse(fixture, "k NotIn 5,6"), b = parse(fixture, "k Gt 4");
    struct requirement both = requirement_intersect(fixture->arena, fixture->vocabulary, &a, &b);
    assert_string_equal(requirement_any(fixture->arena, fixture->vocabulary, &both), "7");
}

static void api_form_keeps_bounds_and_exclusions_SCH_70(void **state)
{
    struct fixture *fixture = *state;
    struct requirement a = parse(fixture, "k NotIn 7 minValues 2"), b = parse(fixture, "k Gt 4");
    struct requirement c = parse(fixture, "k Lt 10");
    struct requirement met = requirement_intersect(fixture->arena, fixture->vocabulary, &a, &b);
    met = requirement_intersect(fixture->arena, fixture->vocabulary, &met, &c);
    struct selector_requirement out[3];
    assert_int_equal(requirement_to_api(fixture->arena, fixture->vocabulary, &met, out), 3);
    assert_string_equal(out[0].operator, "Gte");
    assert_string_equal(out[0].values.items[0], "5");
    assert_string_equal(out[1].operator, "Lte");
    assert_string_equal(out[1].values.items[0], "9");
    assert_string_equal(out[2].operator, "NotIn");
    assert_string_equal(out[2].values.items[0], "7");
    for (int i = 0; i < 3; i++)
        assert_int_equal(out[i].min_values.value, 2);
    struct requirement in = parse(fixture, "k In b,a");
    assert_int_equal(requirement_to_api(fixture->arena, fixture->vocabulary, &in, out), 1);
    assert_string_equal(out[0].values.items[0], "a");
    assert_string_equal(out[0].values.items[1], "b");
    assert_false(out[0].min_values.present);
    struct requirement none = parse(fixture, "k DoesNotExist");
    assert_int_equal(requirement_to_api(fixture->arena, fixture->vocabulary, &none, out), 1);
    assert_string_equal(out[0].operator, "DoesNotExist");
    assert_int_equal(out[0].values.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(construction_gives_complement_values_and_bounds_SCH_61_69,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(old_keys_stand_for_new_ones_SCH_62, setup, teardown),
        cmocka_unit_test_setup_teardown(operator_is_derived_SCH_63, setup, teardown),
        cmocka_unit_test_setup_teardown(has_reads_values_and_bounds_SCH_64, setup, teardown),
        cmocka_unit_test_setup_teardown(length_counts_what_is_allowed_SCH_65, setup, teardown),
        cmocka_unit_test_setup_teardown(intersection_follows_the_table_SCH_66, setup, teardown),
        cmocka_unit_test_setup_teardown(has_intersection_SCH_67, setup, teardown),
        cmocka_unit_test_setup_teardown(intersection_and_has_intersection_agree, setup, teardown),
        cmocka_unit_test_setup_teardown(any_is_the_smallest_SCH_68, setup, teardown),
        cmocka_unit_test_setup_teardown(api_form_keeps_bounds_and_exclusions_SCH_70, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
