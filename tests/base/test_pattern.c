#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"

#define QUANTITY                                                                                 \
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(" \
    "\\.[0-9]*)?)|(\\.[0-9]+))))?$"
#define KEY                                                                  \
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/" \
    "))?([A-Za-z0-9][-A-Za-z0"                                               \
    "-9_.]*)?[A-Za-z0-9]$"
#define CONDITION                                                         \
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/" \
    ")?(([A-Za-z0-9][-A-Za-z0-9_"                                         \
    ".]*)?[A-Za-z0-9])$"
#define SCHEDULE                                                                                   \
    "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+)" \
    ")$"
#define VOLUME                                                                                    \
    "^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{" \
    "4}|"                                                                                         \
    "[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$"

static const struct {
    const char *expression, *text;
    bool matches;
} cases[] = {
    {QUANTITY, "1.5Gi", true},
    {QUANTITY, "1e1.5", true},
    {QUANTITY, "1e", false},
    {QUANTITY, "", false},
    {QUANTITY, "1\n", false},
    {KEY, "karpenter.sh/capacity-type", true},
    {KEY, "a/b/c", false},
    {KEY, "-a", false},
    {"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "", true},
    {"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "a!", false},
    {"ami-[0-9a-z]+", "xx-ami-1", true}, // API-15: unanchored
    {"ami-[0-9a-z]+", "ami-", false},
    {"^(([0-9]+(s|m|h))+|Never)$", "30m1h", true},
    {"^(([0-9]+(s|m|h))+|Never)$", "never", false},
    {"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$", "48h0m0s", true},
    {"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$", "30m1h", false},
    {CONDITION, "Ready", true},
    {CONDITION, "a.b/Ready", true},
    {"^[^/]*$", "karpenter.sh", true},
    {"^[^/]*$", "a/b", false},
    {"^[^/]*$", "a\nb", true},
    {"^((100|[0-9]{1,2})%|[0-9]+)$", "00%", true}, // API-33
    {"^((100|[0-9]{1,2})%|[0-9]+)$", "101%", false},
    {SCHEDULE, "@dailyfoo", true}, // API-34: loose
    {SCHEDULE, "0 9 * * mon-fri", true},
    {SCHEDULE, "0 9 * *", false},
    {SCHEDULE, "\xC3\xA9 9 * * mon", true},
    {VOLUME, "59000Gi", true}, // API-93
    {VOLUME, "18Ti", false},
    {VOLUME, "Ti", true},
    {"^.{2}$", "\xC3\xA9\xC3\xA9", true}, // characters, not bytes
    {"^.$", "\xFF", false},
};

static void patterns_of_the_schemas_API_15(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) // the second time from the cache
        for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
            if (pattern_matches(cases[i].expression, cases[i].text) != cases[i].matches)
                fail_msg("%s on %s", cases[i].expression, cases[i].text);
}

// Takes ages without a limit.
static void patterns_give_up_on_hostile_text_API_34(void **state)
{
    (void)state;
    char text[20002];
    memset(text, ' ', sizeof text);
    text[20000] = '\n';
    text[20001] = '\0';
    assert_false(pattern_matches(SCHEDULE, text));
    memset(text, 'a', 20000);
    text[20000] = '!';
    assert_false(pattern_matches(KEY, text));
    assert_false(pattern_matches("^((a+)+)+$", text));
    text[20000] = '\0';
    assert_true(pattern_matches(KEY, text));
}

static void *match_all(void *context)
{
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
            if (pattern_matches(cases[i].expression, cases[i].text) != cases[i].matches)
                *(bool *)context = false;
    return NULL;
}

static void patterns_are_thread_safe(void **state)
{
    (void)state;
    pthread_t threads[4];
    bool right[4] = {true, true, true, true};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, match_all, &right[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(right[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_thread_safe), // first, so that they also compile at once
        cmocka_unit_test(patterns_of_the_schemas_API_15),
        cmocka_unit_test(patterns_give_up_on_hostile_text_API_34),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
