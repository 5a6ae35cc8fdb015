#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static void text_grows_and_is_taken(void **state)
{
    (void)state;
    struct text text = {0};
    text_join(&text, ", ", "a");
    text_join(&text, ", ", "b");
    text_add_char(&text, '!');
    text_add_bytes(&text, "xyz", 2);
    text_format(&text, "%03d", 7);
    assert_string_equal(text.data, "a, b!xy007");
    assert_int_equal(text.length, 10);
    text_clear(&text);
    assert_string_equal(text.data, "");
    for (int i = 0; i < 1000; i++)
        text_format(&text, "%d,", i);
    assert_int_equal(text.length, 3890);
    CLEANUP_FREE char *taken = text_take(&text);
    assert_int_equal(strlen(taken), 3890);
    assert_null(text.data);
    CLEANUP_FREE char *empty = text_take(&text);
    assert_string_equal(empty, "");
    text_clear(&text);
    text_free(&text);
}

static void text_comparisons(void **state)
{
    (void)state;
    assert_true(text_equal(NULL, NULL));
    assert_false(text_equal(NULL, ""));
    assert_false(text_equal("", NULL));
    assert_true(text_equal("a", "a"));
    assert_true(text_starts_with("karpenter.sh/x", "karpenter.sh/"));
    assert_false(text_starts_with("kar", "karpenter"));
    assert_true(text_ends_with("a.karpenter.sh", "karpenter.sh"));
    assert_false(text_ends_with("sh", "karpenter.sh"));
    assert_true(text_ends_with("x", ""));
}

#define S63 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff123"
#define S252                \
    S63 "." S63 "." S63 "." \
        "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff"

static void names_qualified_API_151(void **state)
{
    (void)state;
    static const char *const good[] = {"a",       "A_b-c.D", "1",          "karpenter.sh/nodepool",
                                       "x/Y",     S63,       S252 "/" S63, "a.b-c.d/e..f",
                                       S252 "1/a"};
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "name part must be non-empty"},
        {"/a", "prefix part must be non-empty"},
        {"a/", "name part must be non-empty"},
        {"a/b/c", "a qualified name must consist"},
        {"-a", "name part must consist"},
        {"a-", "name part must consist"},
        {"a b", "name part must consist"},
        {"\xC3\xA9", "name part must consist"},
        {"A.b/c", "prefix part a lowercase RFC 1123 subdomain"},
        {"a..b/c", "prefix part a lowercase RFC 1123 subdomain"},
        {"-a/c", "prefix part a lowercase RFC 1123 subdomain"},
        {"a_b/c", "prefix part a lowercase RFC 1123 subdomain"},
        {S63 "4", "name part must be no more than 63"},
        {S252 "12/a", "prefix part must be no more than 253"},
    };
    const char *why = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++)
        if (!text_is_qualified_name(good[i], &why))
            fail_msg("%s: %s", good[i], why);
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        assert_false(text_is_qualified_name(bad[i].text, &why));
        assert_true(text_starts_with(why, bad[i].why));
        assert_false(text_is_qualified_name(bad[i].text, NULL));
    }
}

static void names_label_values_API_151(void **state)
{
    (void)state;
    const char *why = NULL;
    assert_true(text_is_label_value("", &why));
    assert_true(text_is_label_value("on-demand", &why));
    assert_true(text_is_label_value(S63, &why));
    assert_false(text_is_label_value(S63 "4", &why));
    assert_string_equal(why, "must be no more than 63 characters");
    assert_false(text_is_label_value("not a label!", &why));
    assert_true(text_starts_with(why, "a valid label must be an empty string"));
    assert_false(text_is_label_value("_a", NULL));
    assert_false(text_is_label_value("a/b", NULL));
}

static void names_dns(void **state)
{
    (void)state;
    assert_true(text_is_dns_label("a-1", NULL));
    assert_false(text_is_dns_label("", NULL));
    assert_false(text_is_dns_label("a.b", NULL));
    assert_false(text_is_dns_label("A", NULL));
    assert_false(text_is_dns_label(S63 "4", NULL));
    assert_true(text_is_dns_label(S63, NULL));
    assert_true(text_is_dns_subdomain("a.b-c.1", NULL));
    assert_false(text_is_dns_subdomain("", NULL));
    assert_false(text_is_dns_subdomain(".", NULL));
    assert_false(text_is_dns_subdomain("a.", NULL));
    assert_false(text_is_dns_subdomain("a.-b", NULL));
    assert_true(text_is_dns_subdomain(S252 "1", NULL));
    assert_false(text_is_dns_subdomain(S252 "12", NULL));
}

static void integers_API_17(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"+5", 5},
                {"007", 7},
                {"-1", -1},
                {"-0", 0},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"0000000000000000000000000000000000001", 1}};
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "1.5",
                                      "1k",
                                      " 1",
                                      "1 ",
                                      "--1",
                                      "0x1",
                                      "1_0",
                                      "9223372036854775808",
                                      "-9223372036854775809"};
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        int64_t value;
        assert_true(text_parse_int64(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        int64_t value = 42;
        assert_false(text_parse_int64(bad[i], &value));
        assert_true(value == 42);
    }
}

static void distances_API_317(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "", 3},
        {"abc", "abc", 0},
        {"abc", "abd", 1},
        {"abc", "acb", 1},
        {"abc", "ab", 1},
        {"abc", "xabc", 1},
        {"kitten", "sitting", 3},
        {"weigth", "weight", 1},
        {"ab", "ba", 1},
        {"abcd", "badc", 2},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_int_equal(text_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(text_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
    char longer[1001], shorter[901];
    memset(longer, 'a', 1000);
    memset(shorter, 'a', 900);
    longer[1000] = shorter[900] = '\0';
    assert_int_equal(text_distance(shorter, longer), 100);
}

static void nearest_API_317(void **state)
{
    (void)state;
    static const char *const fields[] = {"weight", "limits", "template", "disruption", "replicas"};
    const char *matches[3];
    assert_int_equal(text_nearest("weigth", fields, 5, matches, 3), 1);
    assert_string_equal(matches[0], "weight");
    assert_int_equal(text_nearest("limit", fields, 5, matches, 3), 1);
    assert_string_equal(matches[0], "limits");
    assert_int_equal(text_nearest("xyz", fields, 5, matches, 3), 0);
    assert_int_equal(text_nearest("", fields, 5, matches, 3), 0);
    assert_int_equal(text_nearest("weigth", fields, 5, matches, 0), 0);
    // Equal but for case, dashes or plural "s", though distant by edits.
    static const char *const kinds[] = {"NodePool", "NodeClaim", "EC2NodeClass"};
    assert_int_equal(text_nearest("NODE-POOLS", kinds, 3, matches, 3), 1);
    assert_string_equal(matches[0], "NodePool");
    assert_int_equal(text_nearest("ec2nodeclass", kinds, 3, matches, 3), 1);
    // max(1, length / 4): two edits are near from eight characters on.
    assert_int_equal(text_nearest("replixxs", fields, 5, matches, 3), 1);
    assert_int_equal(text_nearest("wexxht", fields, 5, matches, 3), 0);
    // Nearest first, ties in byte order, at most three, each once.
    static const char *const many[] = {"abcdefgz", "abcdefgy", "abcdefgh", "abcdefgx",
                                       "abcdefgy", "abcdefzz", "abcdefga"};
    assert_int_equal(text_nearest("abcdefgh", many, 7, matches, 3), 3);
    assert_string_equal(matches[0], "abcdefgh");
    assert_string_equal(matches[1], "abcdefga");
    assert_string_equal(matches[2], "abcdefgx");
    assert_int_equal(text_nearest("abcdefgh", many, 7, matches, 1), 1);
    assert_string_equal(matches[0], "abcdefgh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_is_taken),
        cmocka_unit_test(text_comparisons),
        cmocka_unit_test(names_qualified_API_151),
        cmocka_unit_test(names_label_values_API_151),
        cmocka_unit_test(names_dns),
        cmocka_unit_test(integers_API_17),
        cmocka_unit_test(distances_API_317),
        cmocka_unit_test(nearest_API_317),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
