// Expressions of a kubelet object: AWN-233 to 235.
#include <inttypes.h>

#include "base/text.h"
#include "cloud/aws/families/expression_tree.h"
#include "cloud/aws/families/helpers.h"
#include "cloud/aws/families/kubelet_expression.h"

static const struct kubelet_variables large = {
    .vcpus = 2,
    .memory_mib = 8192,
    .default_enis = 3,
    .ips_per_eni = 10,
    .max_pods = 29,
    .instance_type = "m5.large",
};

static bool evaluate(const char *text, int64_t *result, struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct expression *expression = expression_compile(text, arena, error);
    return expression != NULL && expression_evaluate(expression, &large, result, error);
}

static void test_values(void **state) // AWN-233
{
    static const struct {
        const char *text;
        int64_t result;
    } cases[] = {
        {"110", 110},
        {"0x10", 16},
        {"-9223372036854775808", INT64_MIN},
        {"vcpus * 10", 20},
        {"default_enis * (ips_per_eni - 1) + 2", 29},
        {"min(max_pods, 20)", 20},
        {"max(max_pods, 20)", 29},
        {"min(1, 2.5)", 1},
        {"max(1, 2.5)", 2},
        {"7 / 2 * 2 + 7 % 4", 9},
        {"-7 / 2", -3},
        {"2 + 3 * 4 - 1", 13},
        {"-(vcpus + 1)", -3},
        {"double(vcpus) * 1.9", 3},
        {"-1.9", -1},
        {"1e3", 1000},
        {".5 + .5", 1},
        {"int('12') + int(2.9)", 14},
        {"int(double('2.5e1'))", 25},
        {"vcpus > 4 ? 58 : 29", 29},
        {"vcpus >= 2 && memory_mib < 9000 ? 1 : 0", 1},
        {"vcpus == 2 || 1 / 0 == 1 ? 1 : 0", 1},
        {"1 / 0 == 1 || vcpus == 2 ? 1 : 0", 1},
        {"1 / 0 == 1 && vcpus == 3 ? 1 : 0", 0},
        {"!(vcpus != 2) ? 1 : 0", 1},
        {"vcpus < 2.5 ? 1 : 0", 1},
        {"instance_type.startsWith('m5.') ? 20 : 10", 20},
        {"instance_type.endsWith(\".large\") ? 20 : 10", 20},
        {"instance_type.contains('5.l') ? 20 : 10", 20},
        {"instance_type in ['c5.large', 'm5.large'] ? 20 : 10", 20},
        {"instance_type in [] ? 20 : 10", 10},
        {"vcpus in [1, 3] ? 20 : 10", 10},
        {"instance_type == 'm5' + '.large' ? 1 : 0", 1},
        {"instance_type < 'n' ? 1 : 0", 1},
        {"size(instance_type) + 'äö'.size()", 10},
        {"size(string(vcpus) + string(true) + string(1.5))", 8},
        {"vcpus > 5 ? 3 : vcpus > 1 ? 2 : 1", 2},
        {" // comment\n vcpus\t+\r\n1 ", 3},
        {"true ? 1 : 2", 1},
        {"size('\\n\\'')", 2},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct error error = {0};
        int64_t result;
        if (!evaluate(cases[i].text, &result, &error))
            fail_msg("%s: %s", cases[i].text, error.message);
        if (result != cases[i].result)
            fail_msg("%s: %" PRId64, cases[i].text, result);
    }
}

static void test_compile_errors(void **state) // AWN-233
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"vcpus *",
         "compiling expression, ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' "
         "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
         "NUM_UINT, STRING, BYTES, IDENTIFIER}\n | vcpus *\n | .......^ (expression=vcpus *)"},
        {"instance.vcpus", "1:15: Syntax error: mismatched input '<EOF>' expecting '('"},
        {"cpus * 2", "1:1: undeclared reference to 'cpus' (in container '')\n | cpus * 2\n | ^"},
        {"abs(1)", "1:4: undeclared reference to 'abs' (in container '')"},
        {"vcpus * 1.5", "1:7: found no matching overload for '_*_' applied to '(int, double)'"},
        {"vcpus + '1'", "applied to '(int, string)'"},
        {"1 % 2.0", "'_%_' applied to '(int, double)'"},
        {"vcpus ? 1 : 2", "'_?_:_' applied to '(int, int, int)'"},
        {"true ? 1 : 2.0", "'_?_:_' applied to '(bool, int, double)'"},
        {"!vcpus", "'!_' applied to '(int)'"},
        {"vcpus && true", "'_&&_' applied to '(int, bool)'"},
        {"vcpus == 'x' ? 1 : 2", "'_==_' applied to '(int, string)'"},
        {"min(1)", "'min' applied to '(int)'"},
        {"min('a', 'b')", "'min' applied to '(string, string)'"},
        {"instance_type.startsWith(1) ? 1 : 2", "'startsWith' applied to 'string.(int)'"},
        {"startsWith('a', 'b') ? 1 : 2", "undeclared reference to 'startsWith'"},
        {"1 in ['a'] ? 1 : 2", "'@in' applied to '(int, list)'"},
        {"1 in [1, 'a'] ? 1 : 2", "of one type"},
        {"string(vcpus * 10) + 'm'",
         "expression must return int or double (expression=string(vcpus "
         "* 10) + 'm', output-type=string)"},
        {"vcpus > 1", "output-type=bool"},
        {"", "mismatched input '<EOF>'"},
        {"1 2", "mismatched input '2' expecting <EOF>"},
        {"(1", "expecting ')'"},
        {"min(1 2)", "expecting {')', ','}"},
        {"1 ? 2", "expecting ':'"},
        {"1u", "mismatched input 'u'"},
        {"99999999999999999999", "invalid int literal"},
        {"1e999", "invalid double literal"},
        {"'abc", "no closing '"},
        {"'\\q'", "unknown escape"},
        {"vcpus\n+ x", "<input>:2:3: undeclared reference to 'x'"},
        {"instance_type.", "expecting IDENTIFIER"},
        {"@", "mismatched input '@'"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct error error = {0};
        int64_t result;
        assert_false(evaluate(cases[i].text, &result, &error));
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].text, error.message);
    }
}

static void test_evaluation_errors(void **state) // AWN-233
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 / (vcpus - 2)", "division by zero"},
        {"1 % (vcpus - 2)", "modulus by zero"},
        {"1.0 / 0.0", "not a finite number"},
        {"0.0 / 0.0", "not a finite number"},
        {"9223372036854775807 + vcpus", "integer overflow"},
        {"-9223372036854775808 - vcpus", "integer overflow"},
        {"9223372036854775807 * vcpus", "integer overflow"},
        {"-9223372036854775808 / -1", "integer overflow"},
        {"-(-9223372036854775808)", "integer overflow"},
        {"1e300 * 1e10", "not a finite number"},
        {"1e19", "integer overflow"},
        {"int('x')", "no integer"},
        {"int(double('x'))", "no number"},
        {"1 / 0 == 1 || vcpus == 3 ? 1 : 0", "division by zero"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct error error = {0};
        int64_t result;
        if (evaluate(cases[i].text, &result, &error))
            fail_msg("%s: %" PRId64, cases[i].text, result);
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].text, error.message);
    }
}

static void test_limits(void **state)
{
    struct text text = {0};
    struct error error;
    int64_t result;
    (void)state;
    for (int i = 0; i < EXPRESSION_DEPTH_MAX + 1; i++)
        text_add_char(&text, '(');
    assert_false(evaluate(text.data, &result, &error));
    assert_non_null(strstr(error.message, "nests deeper than 32"));
    text_clear(&text);
    for (int i = 0; i < EXPRESSION_DEPTH_MAX + 1; i++)
        text_add(&text, "- ");
    text_add(&text, "vcpus");
    assert_false(evaluate(text.data, &result, &error));
    assert_non_null(strstr(error.message, "nests deeper than 32"));
    text_clear(&text);
    for (int i = 0; i < EXPRESSION_NODES_MAX; i++)
        text_add(&text, "1+");
    text_add(&text, "1");
    assert_false(evaluate(text.data, &result, &error));
    assert_non_null(strstr(error.message, "more than 1024 parts"));
    text_clear(&text);
    for (int i = 0; i <= EXPRESSION_BYTES_MAX; i++)
        text_add_char(&text, ' ');
    assert_false(evaluate(text.data, &result, &error));
    assert_non_null(strstr(error.message, "longer than 4096 bytes"));
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_compile_errors),
        cmocka_unit_test(test_evaluation_errors),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
