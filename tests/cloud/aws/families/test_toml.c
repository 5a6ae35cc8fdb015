// TOML 1.0 as Bottlerocket's user data has it: reading, and the form in which it is written
// (AWN-295). With the argument --copy it copies standard input, for user_data_formats.py.
#include <stdio.h>

#include "base/text.h"
#include "cloud/aws/families/helpers.h"
#include "cloud/aws/families/toml_read.h"
#include "cloud/aws/families/toml_write.h"

static bool copy(const char *input, struct text *output, struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct toml_value *table = toml_read(input, arena, error);
    if (table == NULL)
        return false;
    text_add(output, "");
    toml_write(table, NULL, output);
    return true;
}

static void test_written_form(void **state)
{
    static const struct {
        const char *input, *output;
    } cases[] = {
        {"", ""},
        {"\xEF\xBB\xBF# only a comment", ""},
        {"b = 1\na = 'x' # comment\r\n", "a = 'x'\nb = 1\n"},
        {"i = [+1_000, -0, 0xFF, 0o17, 0b101]", "i = [1000, 0, 255, 15, 5]\n"},
        {"f = [1.0, -0.5, 6.02e23, 1e-7, 3.141592653589793, inf, -inf, +nan]",
         "f = [1.0, -0.5, 601999999999999995805696.0, 0.0000001, 3.141592653589793, inf, -inf, "
         "nan]\n"},
        {"b = [true, false]", "b = [true, false]\n"},
        {"d = [1979-05-27T07:32:00Z, 1979-05-27 00:32:00.500-07:00, 1979-05-27t07:32:00.120, "
         "1979-05-27, 07:32:00.25, 2024-02-29T00:00:00.100+00:00]",
         "d = [1979-05-27T07:32:00Z, 1979-05-27T00:32:00.5-07:00, 1979-05-27T07:32:00.120, "
         "1979-05-27, 07:32:00.25, 2024-02-29T00:00:00.1Z]\n"},
        {"s = \"a\\tb\\\"\\u00e4\\U0001F600\\\\\"", "s = 'a\tb\"ä😀\\'\n"},
        {"s = \"it's\\n\\u0001\\u007f\\\"\"", "s = \"it's\\n\\u0001\\u007F\\\"\"\n"},
        {"s = '''\nline\n''two''''", "s = \"line\\n''two'\"\n"},
        {"s = \"\"\"\\\n   joined \\\n\n   text\"\"\"", "s = 'joined text'\n"},
        {"s = \"\"\"a \"\" b\"\"\"\"\"", "s = 'a \"\" b\"\"'\n"},
        {"'' = 1\n\"a b\" = 2\n\"it's\" = 3\n3.1 = 4",
         "'' = 1\n'a b' = 2\n\"it's\" = 3\n\n[3]\n1 = 4\n"},
        {"[a]\n[a.b]\nx = 1\n[c]", "[a]\n[a.b]\nx = 1\n\n[c]\n"},
        {"[a.'k.x'.c]\ny = []\n[a]\nz = {}", "[a]\n[a.'k.x']\n[a.'k.x'.c]\ny = []\n\n[a.z]\n"},
        {"a.b.c = 1\na.b.d = 2", "[a]\n[a.b]\nc = 1\nd = 2\n"},
        {"[[t]]\nx = 1\n[t.sub]\ny = 2\n[[t]]\n[[t.more]]\n[[t.more]]",
         "[[t]]\nx = 1\n\n[t.sub]\ny = 2\n\n[[t]]\n[[t.more]]\n\n[[t.more]]\n"},
        {"a = [ # comment\n  1, # one\n\n  2,\n]", "a = [1, 2]\n"},
        {"a = [{x = 1, y.z = 'b'}, 2]", "a = [{x = 1, y = {z = 'b'}}, 2]\n"},
        {"a = [{x = 1}, {x = 2}]", "[[a]]\nx = 1\n\n[[a]]\nx = 2\n"},
        {"a = [['x', 'y'], []]", "a = [['x', 'y'], []]\n"},
        {"[fruit]\napple.color = 1\n[fruit.apple.taste]\nsweet = true",
         "[fruit]\n[fruit.apple]\ncolor = 1\n\n[fruit.apple.taste]\nsweet = true\n"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text output = {0}, again = {0};
        struct error error = {0};
        if (!copy(cases[i].input, &output, &error))
            fail_msg("%s: %s", cases[i].input, error.message);
        assert_string_equal(output.data, cases[i].output);
        assert_true(copy(output.data, &again, &error));
        assert_string_equal(again.data, output.data);
        text_free(&output);
        text_free(&again);
    }
}

static void test_errors(void **state) // AWN-295
{
    static const struct {
        const char *input, *message;
    } cases[] = {
        {"[settings\nx=", "line 1, column 10: the header must end in ]"},
        {"a = 1\n[[b]", "line 2, column 4: the header must end in ]]"},
        {"a", "line 1, column 2: = must follow the key a"},
        {"= 1", "line 1, column 1: a key must stand here"},
        {"a = ", "no valid value"},
        {"a = word", "no valid value; quote texts"},
        {"a = 1 2", "line 1, column 7: the line must end here"},
        {"a = 1\na = 2", "line 2, column 4: a is defined twice"},
        {"[a]\n[a]", "a is defined twice"},
        {"a = 1\n[a.b]", "a has a value already"},
        {"a = {}\n[a.b]", "a has a value already"},
        {"a = [{}]\n[[a]]", "no array of tables"},
        {"[[a]]\n[a]", "a is defined twice"},
        {"[a.b]\n[a]\nb.c = 1", "b is defined elsewhere"},
        {"a.b = 1\n[a]", "a is defined twice"},
        {"a = {b = 1}\na.c = 2", "a is defined elsewhere"},
        {"a = \"x", "no closing quotes"},
        {"a = \"x\ny\"", "no closing quotes"},
        {"a = '''x", "no closing quotes"},
        {"a = \"\\q\"", "unknown escape"},
        {"a = \"\\u12\"", "4 hexadecimal digits"},
        {"a = \"\\ud800\"", "no character"},
        {"a = \"\\u0000\"", "no character"},
        {"a = \"\x01\"", "control character in a string"},
        {"# \x01", "control character in a comment"},
        {"a = \"x\ry\"", "control character in a string"},
        {"a = 01", "no valid value"},
        {"a = 1__0", "no valid value"},
        {"a = 1_", "no valid value"},
        {"a = _1", "no valid value"},
        {"a = 1.", "digits must follow the point"},
        {"a = 1e", "digits must follow the exponent"},
        {"a = 0x", "no valid integer"},
        {"a = 0b2", "no valid integer"},
        {"a = 9223372036854775808", "does not fit 64 bits"},
        {"a = 0xFFFFFFFFFFFFFFFF", "does not fit 64 bits"},
        {"a = 2023-02-29", "no valid date"},
        {"a = 2023-13-01", "no valid date"},
        {"a = 24:00:00", "no valid time"},
        {"a = 10:00", "no valid time"},
        {"a = 2023-01-01T10:00:00+25:00", "no valid offset"},
        {"a = [1 2]", "a comma or ] must follow"},
        {"a = [1", "a comma or ] must follow"},
        {"a = {b = 1,}", "no comma after its last value"},
        {"a = {b = 1 c = 2}", "a comma or } must follow"},
        {"a = {b = 1\n}", "a comma or } must follow"},
        {"a = trueish", "the line must end here"},
        {"a\rb = 1", "= must follow"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text output = {0};
        struct error error = {0};
        if (copy(cases[i].input, &output, &error))
            fail_msg("%s: %s", cases[i].input, output.data);
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].input, error.message);
        text_free(&output);
    }
}

static void test_limits(void **state)
{
    struct text text = {0}, output = {0};
    struct error error = {0};
    (void)state;
    text_add(&text, "a = ");
    for (int i = 0; i <= TOML_DEPTH_MAX; i++)
        text_add_char(&text, '[');
    assert_false(copy(text.data, &output, &error));
    assert_non_null(strstr(error.message, "nest deeper than 64"));
    text_clear(&text);
    for (int i = 0; i <= TOML_DEPTH_MAX + 1; i++)
        text_add(&text, i == 0 ? "a" : ".a");
    text_add(&text, " = 1");
    assert_false(copy(text.data, &output, &error));
    assert_non_null(strstr(error.message, "nest deeper than 64"));
    text_clear(&text);
    for (uint32_t i = 0; i <= TOML_BYTES_MAX; i++)
        text_add_char(&text, ' ');
    assert_false(copy(text.data, &output, &error));
    assert_non_null(strstr(error.message, "longer than"));
    text_free(&text);
    text_free(&output);
}

static int copy_standard_input(void)
{
    struct text input = {0}, output = {0};
    struct error error;
    char part[4096];
    size_t length;
    while ((length = fread(part, 1, sizeof part, stdin)) > 0)
        text_add_bytes(&input, part, length);
    bool copied = copy(text_or_empty(input.data), &output, &error);
    fputs(copied ? output.data : error.message, copied ? stdout : stderr);
    text_free(&input);
    text_free(&output);
    return copied ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_form),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
    };
    if (argc > 1 && strcmp(argv[1], "--copy") == 0)
        return copy_standard_input();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
