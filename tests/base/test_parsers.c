// Random bytes, always the same, through every parser of external text in base/.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cron.h"
#include "base/duration.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/text.h"

#define ROUNDS     60000
#define LENGTH_MAX 40

// On the heap with the exact size, so that the sanitizer sees every overread. Most bytes come from
// the alphabet, a few are arbitrary; some texts are a valid one with a few changed bytes.
static char *random_text(struct random *random, const char *alphabet, const char *const *seeds,
                         size_t seeds_count)
{
    if (random_chance(random, 0.5)) {
        char *text = memory_copy_string(seeds[random_below(random, seeds_count)]);
        size_t length = strlen(text);
        for (uint64_t changes = random_below(random, 3); changes > 0 && length > 0; changes--)
            text[random_below(random, length)] = alphabet[random_below(random, strlen(alphabet))];
        return text;
    }
    size_t length = random_below(random, LENGTH_MAX);
    char *text = memory_allocate(length + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = random_chance(random, 0.02) ? (char)(1 + random_below(random, 255))
                                              : alphabet[random_below(random, strlen(alphabet))];
    return text;
}

static void quantities_of_random_text(void **state)
{
    (void)state;
    static const char *const seeds[] = {"1.5Gi", "-100m",        "1e3", "12345678901234567890",
                                        ".5E",   "0.000000001Ei"};
    struct random random;
    random_seed(&random, 1);
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        CLEANUP_FREE char *text = random_text(&random, "0123456789..-+eEkKiMGTPnum", seeds, 6);
        int64_t value, thousandths, nanousd;
        struct error error;
        if (quantity_parse_scaled(text, 0, &value, &error)) {
            accepted++;
            assert_true(quantity_parse_scaled(text, 3, &thousandths, NULL));
            // Rounded up to the unit: the two readings agree.
            if (thousandths != INT64_MAX && thousandths != INT64_MIN)
                assert_true(value == (thousandths + (thousandths > 0   ? 999
                                                     : thousandths < 0 ? -999
                                                                       : 0)) /
                                         1000);
            static const char *const resources[] = {"cpu", "memory", "pods"};
            for (size_t r = 0; r < ARRAY_LENGTH(resources); r++) {
                char canonical[QUANTITY_TEXT_MAX];
                int64_t again;
                quantity_format(resources[r], value, canonical);
                assert_true(quantity_parse(resources[r], canonical, &again, NULL));
                assert_true(again == value);
            }
        }
        if (price_parse(text, &nanousd, &error))
            assert_true(nanousd >= 0 && nanousd <= INT64_C(1000000000000000000));
    }
    assert_in_range(accepted, ROUNDS / 50, ROUNDS);
}

static void durations_of_random_text(void **state)
{
    (void)state;
    static const char *const seeds[] = {"1h30m", "-1.5h", "300ms", "2562047h47m16.854775807s",
                                        "12\xC2\xB5s"};
    struct random random;
    random_seed(&random, 2);
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        CLEANUP_FREE char *text = random_text(&random, "01234567899.-+hmsunhms\xC2\xB5", seeds, 5);
        int64_t value, again;
        struct error error;
        if (!duration_parse(text, &value, &error))
            continue;
        accepted++;
        char canonical[DURATION_TEXT_MAX];
        duration_format(value, canonical);
        assert_true(duration_parse(canonical, &again, NULL));
        assert_true(again == value);
    }
    assert_in_range(accepted, ROUNDS / 50, ROUNDS);
}

static void instants_of_random_text(void **state)
{
    (void)state;
    static const char *const seeds[] = {"2026-01-31T12:34:56Z", "2024-02-29T23:59:59.999999999Z",
                                        "1999-12-31T00:00:00+05:30", "2262-04-11T23:47:16-00:01"};
    struct random random;
    random_seed(&random, 3);
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        CLEANUP_FREE char *text = random_text(&random, "0123456789-:TZ.+", seeds, 4);
        int64_t value, again;
        struct error error;
        if (!instant_parse(text, &value, &error))
            continue;
        accepted++;
        char canonical[INSTANT_TEXT_MAX];
        instant_format_micro(value, canonical);
        if (value > INT64_MIN + MICROSECOND) {
            assert_true(instant_parse(canonical, &again, NULL));
            assert_true(again <= value && value - again < MICROSECOND);
        }
    }
    assert_in_range(accepted, ROUNDS / 50, ROUNDS);
}

static void crons_of_random_text(void **state)
{
    (void)state;
    static const char *const seeds[] = {"*/5 9-17 * * mon-fri", "0 0 1,15 jan *", "@daily",
                                        "0 0 31 2 *", "59 23 ? 12 0-6/2"};
    struct random random;
    random_seed(&random, 4);
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        CLEANUP_FREE char *text =
            random_text(&random, "0123456789**/?/?--,,     @monjafri", seeds, 5);
        struct cron cron;
        struct error error;
        if (!cron_parse(text, &cron, &error))
            continue;
        accepted++;
        int64_t at = (int64_t)random_next(&random);
        int64_t next = cron_next(&cron, at);
        assert_true(next > at || next == INT64_MAX);
        assert_true(next == INT64_MAX || next % MINUTE == 0);
    }
    assert_in_range(accepted, ROUNDS / 50, ROUNDS);
}

static void texts_of_random_text(void **state)
{
    (void)state;
    static const char *const seeds[] = {"karpenter.sh/capacity-type", "NodePools", "-1234567",
                                        "node-pool"};
    struct random random;
    random_seed(&random, 5);
    for (int i = 0; i < ROUNDS / 4; i++) {
        CLEANUP_FREE char *a = random_text(&random, "abcs-./_ABC0123456789", seeds, 4);
        CLEANUP_FREE char *b = random_text(&random, "abcs-./_ABC0123456789", seeds, 4);
        const char *why = NULL;
        if (!text_is_qualified_name(a, &why))
            assert_non_null(why);
        if (!text_is_label_value(a, &why))
            assert_non_null(why);
        if (text_is_dns_label(a, &why))
            assert_true(text_is_dns_subdomain(a, NULL));
        int64_t value;
        if (text_parse_int64(a, &value))
            assert_true(value == strtoll(a, NULL, 10));
        size_t distance = text_distance(a, b);
        assert_int_equal(distance, text_distance(b, a));
        assert_int_equal(distance == 0, strcmp(a, b) == 0);
        assert_true(distance <= (strlen(a) > strlen(b) ? strlen(a) : strlen(b)));
        const char *matches[3];
        const char *const candidates[] = {b, a, b, seeds[0], seeds[1]};
        size_t count = text_nearest(a, candidates, 5, matches, 3);
        assert_in_range(count, 1, 3);
        assert_string_equal(matches[0], a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_of_random_text), cmocka_unit_test(durations_of_random_text),
        cmocka_unit_test(instants_of_random_text),   cmocka_unit_test(crons_of_random_text),
        cmocka_unit_test(texts_of_random_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
