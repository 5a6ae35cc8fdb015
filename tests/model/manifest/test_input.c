#include "model/helpers.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "model/manifest/positions.h"

static void assert_reads(const char *yaml, const char *json)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, yaml, strlen(yaml), "f", false, &error))
        fail_msg("%s", error.message);
    assert_int_equal(documents.count, 1);
    char *text = json_dumps(documents.items[0].value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(text, json);
    free(text);
    documents_free(&documents);
}

static void assert_fails(const char *text, const char *message)
{
    struct documents documents = {0};
    struct error error = {0};
    bool fine = documents_read_text(&documents, text, strlen(text), "f.yaml", false, &error);
    uint32_t count = documents.count;
    documents_free(&documents);
    assert_false(fine);
    assert_int_equal(count, 0);
    assert_string_equal(error.message, message);
}

static void scalars_resolve_as_kubectl_does(void **state)
{
    (void)state;
    assert_reads("[true, True, yes, on, y, 'yes', \"on\"]",
                 "[true,true,true,true,true,\"yes\",\"on\"]");
    assert_reads("[false, no, Off, n, 'n']", "[false,false,false,false,\"n\"]");
    assert_reads("[null, ~, Null, '', 'null']", "[null,null,null,\"\",\"null\"]");
    assert_reads("[1, -2, +3, 0x1F, 0o17, 017, 0b101, 1_000]", "[1,-2,3,31,15,15,5,1000]");
    assert_reads("[1.5, .5, 1e3, 1.25e-2, 08]", "[1.5,0.5,1000,0.012500000000000001,8]");
    assert_reads("[9223372036854775807, -9223372036854775808]",
                 "[9223372036854775807,-9223372036854775808]");
    assert_reads("[10m, 1Gi, 1.2.3, 2026-01-01, '012', a, 0x, .]",
                 "[\"10m\",\"1Gi\",\"1.2.3\",\"2026-01-01\",\"012\",\"a\",\"0x\",\".\"]");
    assert_reads("[!!str 5, !!str true, !!int \"7\"]", "[\"5\",\"true\",7]");
    assert_reads("a: |\n  two\n  lines\nb: >-\n  one\n  line\n",
                 "{\"a\":\"two\\nlines\\n\",\"b\":\"one line\"}");
    assert_reads("{1: a, true: b, 1.5: c}", "{\"1\":\"a\",\"true\":\"b\",\"1.5\":\"c\"}");
    assert_fails("a: .nan", "f.yaml:1:4: document 1: .nan cannot be said in JSON");
    assert_fails("a: !thing b", "f.yaml:1:4: document 1: the tag !thing means nothing here");
    assert_fails("? [a]\n: b", "f.yaml:1:3: document 1: a key must be a text");
}

static void anchors_aliases_and_merges_resolve(void **state)
{
    (void)state;
    assert_reads("a: &x {k: 1}\nb: *x\n", "{\"a\":{\"k\":1},\"b\":{\"k\":1}}");
    assert_reads("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\n",
                 "{\"a\":{\"k\":1,\"l\":2},\"b\":{\"l\":3,\"k\":1}}");
    assert_reads("a: &x {k: 1}\nb: &y {k: 2, m: 4}\nc: {<<: [*x, *y]}\n",
                 "{\"a\":{\"k\":1},\"b\":{\"k\":2,\"m\":4},\"c\":{\"k\":1,\"m\":4}}");
    assert_fails("a: *x", "f.yaml:1:4: document 1: *x names no anchor that is complete before it");
    assert_fails("a: &x [*x]",
                 "f.yaml:1:8: document 1: *x names no anchor that is complete before it");
    assert_fails("a: {<<: 5}", "f.yaml:1:9: document 1: << takes a mapping or a list of them");
}

static void a_key_that_stands_twice_names_both_lines_GUI_7(void **state)
{
    (void)state;
    assert_fails(
        "a: 1\nb: 2\na: 3\n",
        "f.yaml:3:1: document 1: the key \"a\" stands twice in one mapping, on lines 1 and 3");
    assert_fails(
        "{\n\t\"a\": 1,\n\t\"a\": 2\n}",
        "f.yaml:3:2: document 1: the key \"a\" stands twice in one mapping, on lines 2 and 3");
}

static void syntax_errors_name_file_line_and_document(void **state)
{
    (void)state;
    struct documents documents = {0};
    struct error error = {0};
    static const char text[] = "a: 1\n---\nb: [1\nc: 2\n";
    assert_false(documents_read_text(&documents, text, strlen(text), "f.yaml", false, &error));
    assert_non_null(strstr(error.message, "f.yaml:4:"));
    assert_non_null(strstr(error.message, "document 2: "));
    documents_free(&documents);
}

static void documents_are_counted_and_lists_unpacked_API_300(void **state)
{
    (void)state;
    static const char text[] = "---\n# nothing\n---\nkind: List\nitems:\n- {kind: A}\n- kind: B\n"
                               "---\napiVersion: v1\nkind: PodList\nitems: [{metadata: {}}]\n"
                               "---\nkind: List\nitems: []\n";
    struct documents documents = {0};
    struct error error = {0};
    assert_true(documents_read_text(&documents, text, strlen(text), "f", true, &error));
    assert_int_equal(documents.count, 4);
    assert_null(documents.items[0].value);
    assert_int_equal(documents.items[1].index, 1);
    assert_int_equal(documents.items[1].line, 6);
    assert_int_equal(documents.items[2].index, 1);
    assert_int_equal(documents.items[2].line, 7);
    assert_int_equal(documents.items[3].index, 2);
    const json_t *pod = documents.items[3].value;
    assert_string_equal(json_string_value(json_object_get(pod, "kind")), "Pod");
    assert_string_equal(json_string_value(json_object_get(pod, "apiVersion")), "v1");
    documents_free(&documents);
    assert_true(documents_read_text(&documents, "", 0, "f", true, &error));
    assert_int_equal(documents.count, 0);
    documents_free(&documents);
}

static void assert_position(const struct document *document, const char *path, uint32_t line,
                            uint32_t column)
{
    uint32_t found_line, found_column;
    document_position(document, path, &found_line, &found_column);
    assert_int_equal(found_line, line);
    assert_int_equal(found_column, column);
}

static void positions_are_those_of_values_or_parents_API_316(void **state)
{
    (void)state;
    static const char text[] = "spec:\n"
                               "  limits: {cpu: 5}\n"
                               "  x:\n"
                               "  - a\n"
                               "  - k: z\n"
                               "labels:\n"
                               "  team/x: b\n";
    struct documents documents = {0};
    struct error error = {0};
    assert_true(documents_read_text(&documents, text, strlen(text), "f", true, &error));
    const struct document *document = &documents.items[0];
    assert_position(document, "", 1, 1);
    assert_position(document, "spec.limits.cpu", 2, 17);
    assert_position(document, "spec.x[1].k", 5, 8);
    assert_position(document, "spec.x[1].none.deeper[3]", 5, 5);
    assert_position(document, "labels[\"team/x\"]", 7, 11);
    assert_position(document, "labels[\"other/x\"]", 7, 3);
    assert_position(document, "none", 1, 1);
    documents_free(&documents);
}

static void keys_of_any_kind_have_positions_API_316(void **state)
{
    (void)state;
    static const char text[] = "kind: List\nitems:\n- {kind: A}\n- kind: B\n  labels:\n"
                               "    ? 'a\"b'\n    : 1\n    ? 'c\\d'\n    : 2\n    '': 3\n"
                               "  x: [1, [2, 3], {k: 4}]\n---\nkind: C\nx: {'7': 5}\n";
    struct documents documents = {0};
    struct error error = {0};
    assert_true(documents_read_text(&documents, text, strlen(text), "f", true, &error));
    assert_int_equal(documents.count, 3);
    const struct document *document = &documents.items[1];
    assert_int_equal(document->line, 4);
    assert_position(document, "labels[\"a\\\"b\"]", 7, 7);
    assert_position(document, "labels[\"a\"b\"]", 7, 7);
    assert_position(document, "labels[\"c\\\\d\"]", 9, 7);
    assert_position(document, "labels[\"\"]", 10, 9);
    assert_position(document, "labels[\"", 6, 5);
    assert_position(document, "x[1][1]", 11, 14);
    assert_position(document, "x[2].k", 11, 22);
    assert_position(document, "x[99999999999999999999]", 11, 6);
    assert_position(document, "x[a]", 11, 6);
    assert_position(&documents.items[2], "x.7", 14, 10);
    assert_position(&documents.items[2], "x[7]", 14, 4);
    documents_free(&documents);
}

static void positions_are_found_as_the_tree_grows(void **state)
{
    (void)state;
    struct positions *positions = positions_create();
    uint32_t line, column, root = positions_add_root(positions, 1, 1);
    for (uint32_t i = 0; i < 5000; i++) {
        char name[20], path[40];
        snprintf(name, sizeof name, "k%u", i % 50);
        uint32_t item = positions_add_item(positions, root, i, i + 2, 1);
        positions_add_member(positions, item, name, i + 2, 7);
        snprintf(path, sizeof path, "[%u].%s", i, name);
        positions_get(positions, positions_find(positions, root, path), &line, &column);
        assert_int_equal(line, i + 2);
        assert_int_equal(column, 7);
    }
    assert_int_equal(positions_find(positions, root, "[5000]"), root);
    positions_release(positions_retain(positions));
    positions_release(positions);
}

static void objects_are_counted_API_303(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 500001; i++)
        text_add(&text, "{}\n");
    assert_fails(text.data, "f.yaml: more than 500000 objects");
    text_clear(&text);
    text_add(&text, "kind: List\nitems: [");
    for (int i = 0; i < 500001; i++)
        text_add(&text, "1,");
    text_add(&text, "]");
    assert_fails(text.data, "f.yaml: more than 500000 objects");
    text_free(&text);
}

static void memory_of_values_is_bounded_API_303(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "[");
    for (int i = 0; i < 2700000; i++)
        text_add(&text, "{},");
    text_add(&text, "{}]");
    assert_fails(text.data, "f.yaml: the values take more than 768 MiB of memory");
    text_free(&text);
}

static void json_has_positions_too(void **state)
{
    (void)state;
    static const char text[] =
        "{\n\t\"kind\": \"List\",\n\t\"items\": [\n\t\t{\"a\": 1},\n\t\t{\"a\": "
        "{\"b\": \"\\u00e9\"}}\n\t]\n}\n";
    struct documents documents = {0};
    struct error error = {0};
    assert_true(documents_read_text(&documents, text, strlen(text), "f", true, &error));
    assert_int_equal(documents.count, 2);
    assert_position(&documents.items[0], "a", 4, 9);
    assert_position(&documents.items[1], "a.b", 5, 15);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(documents.items[1].value, "a"), "b")),
        "\xc3\xa9");
    documents_free(&documents);
}

static void depth_is_bounded_API_303(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 70; i++)
        text_add_char(&text, '[');
    for (int i = 0; i < 70; i++)
        text_add_char(&text, ']');
    assert_fails(text.data, "f.yaml: document 1: nested deeper than 64");
    text_clear(&text);
    text_add(&text, "a: &a ");
    for (int i = 0; i < 40; i++)
        text_add_char(&text, '[');
    for (int i = 0; i < 40; i++)
        text_add_char(&text, ']');
    text_add(&text, "\nb: ");
    for (int i = 0; i < 40; i++)
        text_add_char(&text, '[');
    text_add(&text, "*a");
    for (int i = 0; i < 40; i++)
        text_add_char(&text, ']');
    assert_fails(text.data, "f.yaml:2:44: document 1: nested deeper than 64");
    text_free(&text);
}

static void alias_expansion_is_bounded_API_303(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
        text_format(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            text_format(&text, "%s*a%d", k == 0 ? "" : ", ", i - 1);
        text_add(&text, "]\n");
    }
    struct documents documents = {0};
    struct error error = {0};
    assert_false(documents_read_text(&documents, text.data, text.length, "f", false, &error));
    assert_non_null(
        strstr(error.message, "the values take more than 768 MiB of memory after aliases"));
    documents_free(&documents);
    text_free(&text);
}

static void write_file(const char *directory, const char *name, const char *content)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void directories_are_read_in_byte_order_API_300(void **state)
{
    (void)state;
    char directory[] = "/tmp/adze-input-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char inner[300], command[400];
    snprintf(inner, sizeof inner, "%s/b", directory);
    assert_int_equal(mkdir(inner, 0700), 0);
    write_file(directory, "c.yaml", "n1: 3");
    write_file(directory, "a.json", "{\"n1\": 1}");
    write_file(directory, "ignored.txt", "n1: 9");
    write_file(directory, ".hidden.yaml", "n1: 9");
    write_file(inner, "x.yml", "n1: 2");
    struct documents documents = {0};
    struct error error = {0};
    assert_true(documents_read(&documents, directory, false, &error));
    assert_int_equal(documents.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(json_integer_value(json_object_get(documents.items[i].value, "n1")),
                         i + 1);
    documents_free(&documents);
    snprintf(command, sizeof command, "%s/none.yaml", directory);
    assert_false(documents_read(&documents, command, false, &error));
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
    documents_free(&documents);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_resolve_as_kubectl_does),
        cmocka_unit_test(anchors_aliases_and_merges_resolve),
        cmocka_unit_test(a_key_that_stands_twice_names_both_lines_GUI_7),
        cmocka_unit_test(syntax_errors_name_file_line_and_document),
        cmocka_unit_test(documents_are_counted_and_lists_unpacked_API_300),
        cmocka_unit_test(positions_are_those_of_values_or_parents_API_316),
        cmocka_unit_test(keys_of_any_kind_have_positions_API_316),
        cmocka_unit_test(positions_are_found_as_the_tree_grows),
        cmocka_unit_test(objects_are_counted_API_303),
        cmocka_unit_test(memory_of_values_is_bounded_API_303),
        cmocka_unit_test(json_has_positions_too),
        cmocka_unit_test(depth_is_bounded_API_303),
        cmocka_unit_test(alias_expansion_is_bounded_API_303),
        cmocka_unit_test(directories_are_read_in_byte_order_API_300),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
