#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"

static void quantity_values_API_12(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t units, thousandths;
    } cases[] = {
        {"0", 0, 0},
        {"-0", 0, 0},
        {"1", 1, 1000},
        {"+1", 1, 1000},
        {"-1", -1, -1000},
        {"007", 7, 7000},
        {"1.", 1, 1000},
        {".5", 1, 500},
        {"1.5", 2, 1500},
        {"100m", 1, 100},
        {"1500m", 2, 1500},
        {"0.5m", 1, 1},
        {"1n", 1, 1},
        {"1000000n", 1, 1},
        {"1000001n", 1, 2},
        {"1u", 1, 1},
        {"1k", 1000, 1000000},
        {"1.234567k", 1235, 1234567},
        {"1.2345678k", 1235, 1234568},
        {"1M", 1000000, 1000000000},
        {"1G", 1000000000, INT64_C(1000000000000)},
        {"1T", INT64_C(1000000000000), INT64_C(1000000000000000)},
        {"1P", INT64_C(1000000000000000), INT64_C(1000000000000000000)},
        {"1E", INT64_C(1000000000000000000), INT64_MAX},
        {"9E", INT64_C(9000000000000000000), INT64_MAX},
        {"10E", INT64_MAX, INT64_MAX},
        {"-10E", INT64_MIN, INT64_MIN},
        {"1Ki", 1024, 1024000},
        {"1Mi", 1 << 20, INT64_C(1000) << 20},
        {"1Gi", 1 << 30, INT64_C(1000) << 30},
        {"1Ti", INT64_C(1) << 40, INT64_C(1000) << 40},
        {"1Pi", INT64_C(1) << 50, INT64_C(1000) << 50},
        {"1Ei", INT64_C(1) << 60, INT64_MAX},
        {"8Ei", INT64_MAX, INT64_MAX},
        {"7.999999999999999999999999Ei", INT64_MAX, INT64_MAX},
        {"0.5Ki", 512, 512000},
        {"1.1Ki", 1127, 1126400},
        {"0.1Ki", 103, 102400},
        {"1.Gi", 1 << 30, INT64_C(1000) << 30},
        {"0.0009765625Ki", 1, 1000},
        {"0.00097656250000000000000000000001Ki", 2, 1001},
        {"1e3", 1000, 1000000},
        {"1E3", 1000, 1000000},
        {"1e+3", 1000, 1000000},
        {"1500e-3", 2, 1500},
        {"1e-9", 1, 1},
        {"1e-400", 1, 1},
        {"0e400", 0, 0},
        {"1e400", INT64_MAX, INT64_MAX},
        {"1e9000000000", INT64_MAX, INT64_MAX},
        {"1e-9000000000", 1, 1},
        {"-1.5", -2, -1500},
        {"9223372036854775807", INT64_MAX, INT64_MAX},
        {"9223372036854775808", INT64_MAX, INT64_MAX},
        {"9223372036854775806.5", INT64_MAX, INT64_MAX},
        {"-9223372036854775808", INT64_MIN, INT64_MIN},
        {"-9223372036854775807", -INT64_MAX, INT64_MIN},
        {"9007199254740993", INT64_C(9007199254740993), INT64_C(9007199254740993000)},
        {"00000000000000000000000000000000000000001", 1, 1000},
        {"100000000000000000000000000000000e-32", 1, 1000},
        {"123456789123456789123456789n", INT64_C(123456789123456790), INT64_MAX},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        int64_t value = 42;
        struct error error;
        if (!quantity_parse_scaled(cases[i].text, 0, &value, &error) || value != cases[i].units)
            fail_msg("%s gave %lld", cases[i].text, (long long)value);
        if (!quantity_parse_scaled(cases[i].text, 3, &value, &error) ||
            value != cases[i].thousandths)
            fail_msg("%s gave %lld thousandths", cases[i].text, (long long)value);
    }
}

static void quantity_refuses_what_kubernetes_refuses_API_12(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      " ",      " 1",       "1 ",     "1\n", "a",    "aoeu", "1i",
        "1.1.M", "1+1.0M", "1.2.",     "0.1mi",  "1ki", "1K",   "1KI",  "1mi",
        "1 Mi",  "1MiB",   "1B",       "--1",    "+-1", "1-",   "1e",   "1e+",
        "1e1.5", "1e1k",   "1kk",      "1m5",    "1,5", "0x10", "NaN",  "inf",
        "-Inf",  "1_0",    "\xD9\xA1", "1Zi",    "1Y",  "1ee3", "..",   "1e9999999999999999999",
        "Ei",    "Pi",     "e-10",     "3.01e-", ".5i",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        int64_t value = 42;
        struct error error = {0};
        if (quantity_parse_scaled(texts[i], 0, &value, &error))
            fail_msg("\"%s\" gave %lld", texts[i], (long long)value);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_int_equal(value, 42);
    }
}

static void quantity_missing_number_is_zero_API_12(void **state)
{
    (void)state;
    static const char *const texts[] = {"-", "+", ".", "-.", "m", "Ki", "Ti", "E", ".k", "e3"};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        int64_t value = 42;
        assert_true(quantity_parse_scaled(texts[i], 0, &value, NULL));
        assert_int_equal(value, 0);
    }
}

static void quantity_units_go_by_resource_SCH_115(void **state)
{
    (void)state;
    int64_t value;
    struct error error;
    assert_true(quantity_parse("cpu", "1.5", &value, &error));
    assert_int_equal(value, 1500);
    assert_true(quantity_parse("limits.cpu", "100m", &value, &error));
    assert_int_equal(value, 100);
    assert_true(quantity_parse("requests.cpu", "2", &value, &error));
    assert_int_equal(value, 2000);
    assert_true(quantity_parse("memory", "1Gi", &value, &error));
    assert_int_equal(value, 1 << 30);
    assert_true(quantity_parse("example.com/cpu", "2", &value, &error));
    assert_int_equal(value, 2);
    assert_false(quantity_parse("memory", "1GB", &value, &error));
    assert_non_null(strstr(error.message, "resource memory, quantity \"1GB\""));
}

static void quantity_canonical_texts(void **state)
{
    (void)state;
    static const struct {
        const char *resource;
        int64_t value;
        const char *text;
    } cases[] = {
        {"cpu", 0, "0"},
        {"cpu", 1, "1m"},
        {"cpu", 1500, "1500m"},
        {"cpu", 2000, "2"},
        {"cpu", -250, "-250m"},
        {"cpu", 4000000, "4k"},
        {"limits.cpu", 1000, "1"},
        {"cpu", INT64_MAX, "9223372036854775807m"},
        {"memory", 0, "0"},
        {"memory", INT64_C(2) << 30, "2Gi"},
        {"memory", 128974848, "123Mi"},
        {"memory", 10 << 20, "10Mi"},
        {"memory", 1536, "1536"},
        {"memory", 1024, "1Ki"},
        {"memory", -1024, "-1Ki"},
        {"memory", 1000, "1k"},
        {"memory", 1023, "1023"},
        {"memory", 128974849, "128974849"},
        {"memory", INT64_MIN, "-8Ei"},
        {"memory", INT64_MAX, "9223372036854775807"},
        {"requests.storage", 1024, "1Ki"},
        {"ephemeral-storage", INT64_C(20) << 30, "20Gi"},
        {"hugepages-2Mi", 2 << 20, "2Mi"},
        {"pods", 110, "110"},
        {"pods", 1000, "1k"},
        {"nvidia.com/gpu", 8, "8"},
        {"nodes", INT64_C(1000000000000000000), "1E"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char text[QUANTITY_TEXT_MAX];
        quantity_format(cases[i].resource, cases[i].value, text);
        assert_string_equal(text, cases[i].text);
        int64_t again;
        assert_true(quantity_parse(cases[i].resource, text, &again, NULL));
        assert_true(again == cases[i].value);
    }
}

static void quantity_arithmetic_saturates(void **state)
{
    (void)state;
    assert_true(quantity_add(INT64_MAX, 1) == INT64_MAX);
    assert_true(quantity_add(INT64_MIN, -1) == INT64_MIN);
    assert_true(quantity_add(2, 3) == 5);
    assert_true(quantity_subtract(INT64_MIN, 1) == INT64_MIN);
    assert_true(quantity_subtract(0, INT64_MIN) == INT64_MAX);
    assert_true(quantity_subtract(2, 3) == -1);
    assert_true(quantity_multiply(INT64_MAX, 2) == INT64_MAX);
    assert_true(quantity_multiply(INT64_MAX, -2) == INT64_MIN);
    assert_true(quantity_multiply(INT64_MIN, -1) == INT64_MAX);
    assert_true(quantity_multiply(INT64_MIN, 0) == 0);
}

static void price_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nanousd;
    } cases[] = {
        {"0", 0},
        {"0.0416", 41600000},
        {"1", 1000000000},
        {"1.5e-1", 150000000},
        {"1E2", INT64_C(100000000000)},
        {"0.0000000004", 0},
        {"0.0000000005", 1},
        {"0.00000000149999999999999999999999", 1},
        {"1000000000", INT64_C(1000000000000000000)},
        {"1000000000.0000000004", INT64_C(1000000000000000000)},
        {"1e9", INT64_C(1000000000000000000)},
        {"32.7726000000", INT64_C(32772600000)},
        {"1e-400", 0},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        int64_t nanousd = -1;
        assert_true(price_parse(cases[i].text, &nanousd, NULL));
        assert_int_equal(nanousd, cases[i].nanousd);
    }
    static const char *const refused[] = {
        "",   "-1",           "-0",   "NaN",  "inf", "1.1.1", "1 ", " 1",  "1Ki",
        "1m", "1000000000.1", "1e10", "1e99", "e3",  ".",     "1e", "0x1", "1e999999999999"};
    for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
        int64_t nanousd;
        struct error error = {0};
        if (price_parse(refused[i], &nanousd, &error))
            fail_msg("\"%s\" gave %lld", refused[i], (long long)nanousd);
        assert_int_equal(error.kind, ERROR_INVALID);
    }
}

static void price_doubles(void **state)
{
    (void)state;
    assert_true(price_from_double(0.0416) == 41600000);
    assert_true(price_from_double(0) == 0);
    assert_true(price_from_double(-0.1) == -1);
    assert_true(price_from_double(NAN) == -1);
    assert_true(price_from_double(INFINITY) == INT64_MAX);
    assert_true(price_from_double(-INFINITY) == -1);
    assert_true(price_from_double(1e300) == INT64_MAX);
    assert_true(price_to_double(41600000) == 0.0416);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantity_values_API_12),
        cmocka_unit_test(quantity_refuses_what_kubernetes_refuses_API_12),
        cmocka_unit_test(quantity_missing_number_is_zero_API_12),
        cmocka_unit_test(quantity_units_go_by_resource_SCH_115),
        cmocka_unit_test(quantity_canonical_texts),
        cmocka_unit_test(quantity_arithmetic_saturates),
        cmocka_unit_test(price_texts),
        cmocka_unit_test(price_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
