#include "model/helpers.h"

#include "base/text.h"
#include "model/manifest/jsonpath_write.h"

static json_t *sample(void)
{
    static const char text[] =
        "{\"items\": [{\"name\": \"a\", \"price\": 0.5, \"n\": 3, \"zones\": [\"x\", \"y\"]},"
        " {\"name\": \"b\", \"price\": 2, \"n\": 10, \"zones\": [], \"spot\": true},"
        " {\"name\": \"c\", \"labels\": {\"a.b/c\": \"dotted\", \"plain\": \"p\"}}],"
        " \"totals\": {\"price\": 2.5, \"none\": null}}";
    return json_loads(text, 0, NULL);
}

static void assert_writes(const char *template, const char *expected)
{
    struct error error = {0};
    struct text text = {0};
    json_t *json = sample();
    struct jsonpath *path = jsonpath_compile(template, &error);
    if (path == NULL || !jsonpath_write(path, json, &text, &error))
        fail_msg("%s: %s", template, error.message);
    assert_string_equal(text_or_empty(text.data), expected);
    text_free(&text);
    jsonpath_destroy(path);
    json_decref(json);
}

static void assert_refuses(const char *template, const char *message)
{
    struct error error = {0};
    struct jsonpath *path = jsonpath_compile(template, &error);
    assert_null(path);
    assert_string_equal(error.message, message);
}

static void paths_are_those_of_kubectl(void **state)
{
    (void)state;
    assert_writes("{.items[*].name}", "a b c");
    assert_writes("{$.items[0].name}", "a");
    assert_writes("{.items[-1].name}", "c");
    assert_writes("{.items[0:2].name}", "a b");
    assert_writes("{.items[-2:].name}", "b c");
    assert_writes("{.items[::2].name}", "a c");
    assert_writes("{.items[0,2].name}", "a c");
    assert_writes("{.items[0]['name']}", "a");
    assert_writes("{.items[2].labels.a\\.b/c}", "dotted");
    assert_writes("{.items[2].labels['a.b/c']}", "dotted");
    assert_writes("{.items[2].labels.*}", "dotted p");
    assert_writes("{..price}", "0.5 2 2.5");
    assert_writes("{.totals}", "{\"price\":2.5,\"none\":null}");
    assert_writes("{.items[0].zones}", "[\"x\",\"y\"]");
    assert_writes("{.totals.nowhere.below}", "");
    assert_writes("price: {.totals.price} {.totals.none}\n", "price: 2.5 null\n");
    assert_writes("", "");
}

static void braces_and_the_first_dot_may_be_missing(void **state)
{
    (void)state;
    assert_writes(".totals.price", "2.5");
    assert_writes("totals.price", "2.5");
    assert_writes("$.totals.price", "2.5");
    assert_writes("{@.totals.price}{.}",
                  "2.5{\"items\":[{\"name\":\"a\",\"price\":0.5,\"n\":3,\"zones\":["
                  "\"x\",\"y\"]},{\"name\":\"b\",\"price\":2,\"n\":10,\"zones\":[],"
                  "\"spot\":true},{\"name\":\"c\",\"labels\":{\"a.b/c\":\"dotted\","
                  "\"plain\":\"p\"}}],\"totals\":{\"price\":2.5,\"none\":null}}");
}

static void filters_compare(void **state)
{
    (void)state;
    assert_writes("{.items[?(@.name==\"b\")].n}", "10");
    assert_writes("{.items[?(@.name != 'b')].name}", "a c");
    assert_writes("{.items[?(@.n > 3)].name}", "b");
    assert_writes("{.items[?(@.n>=3)].name}", "a b");
    assert_writes("{.items[?(@.price<2)].name}", "a");
    assert_writes("{.items[?(@.price <= 2)].name}", "a b");
    assert_writes("{.items[?(@.spot)].name}", "b");
    assert_writes("{.items[?(@.spot==true)].name}", "b");
    assert_writes("{.items[?(@.name < 3)].name}", "");
    assert_writes("{.items[?(@.zones[0] == \"x\")].name}", "a");
    assert_writes("{.items[?(@.price == $.items[1].price)].name}", "b");
}

static void ranges_repeat(void **state)
{
    (void)state;
    assert_writes("{range .items[*]}{.name}={.n}{\"\\n\"}{end}", "a=3\nb=10\nc=\n");
    assert_writes("{range .items[*]}{range .zones[*]}{@};{end}|{end}", "x;y;|||");
}

static void mistakes_are_named(void **state)
{
    (void)state;
    assert_refuses("{.a", "jsonpath: a closing brace was expected at \"\"");
    assert_refuses("{.a[}", "jsonpath: an index was expected at \"}\"");
    assert_refuses("{.a[x]}", "jsonpath: an index was expected at \"x]}\"");
    assert_refuses("{range .a[*]}", "jsonpath: {range} without {end}");
    assert_refuses("{end}", "jsonpath: {end} without {range}");
    assert_refuses("{.a[?(@.b=~\"c\")]}",
                   "jsonpath: a filter is one comparison, without &&, || or =~ at \"=~\"c\")]}\"");
    assert_refuses("{.a[?(@.b == c)]}",
                   "jsonpath: a path (@.x), a number or a text in quotes was expected at \"c)]}\"");
    assert_refuses("{\"open}", "jsonpath: a closing quote is missing at \"\"");
    assert_refuses("{}", "jsonpath: a path such as .items[0].name was expected at \"}\"");
    assert_refuses("{.a[::0]}", "jsonpath: a step above 0 was expected at \"]}\"");
    char *longest = memory_allocate(5000);
    memset(longest, 'a', 4998);
    assert_refuses(longest, "jsonpath: more than 4096 characters");
    free(longest);
    json_t *json = sample();
    struct text text = {0};
    struct error error = {0};
    struct jsonpath *path = jsonpath_compile("{.items[3]}", &error);
    assert_false(jsonpath_write(path, json, &text, &error));
    assert_string_equal(error.message, "jsonpath: index 3 of a list of 3");
    jsonpath_destroy(path);
    text_free(&text);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_those_of_kubectl),
        cmocka_unit_test(braces_and_the_first_dot_may_be_missing),
        cmocka_unit_test(filters_compare),
        cmocka_unit_test(ranges_repeat),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
