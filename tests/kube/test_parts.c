// The parts below the transport: paths, queries, statuses, lines, buckets, the object table.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/object_table.h"
#include "kube/path.h"
#include "kube/transport/bucket.h"
#include "kube/transport/line_reader.h"
#include "kube/transport/managed_fields.h"
#include "kube/transport/status.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

static void paths_follow_the_kind(void **state)
{
    (void)state;
    char path[256];
    kube_path(KIND_POD, "default", "x", "eviction", path, sizeof path);
    assert_string_equal(path, "/api/v1/namespaces/default/pods/x/eviction");
    kube_path(KIND_POD, NULL, NULL, NULL, path, sizeof path);
    assert_string_equal(path, "/api/v1/pods");
    kube_path(KIND_NODE, "ignored", "n", NULL, path, sizeof path);
    assert_string_equal(path, "/api/v1/nodes/n");
    kube_path(KIND_NODE_CLAIM, NULL, "a b/c", "status", path, sizeof path);
    assert_string_equal(path, "/apis/karpenter.sh/v1/nodeclaims/a%20b%2Fc/status");
}

static void queries_are_escaped(void **state)
{
    (void)state;
    struct text query = {0};
    query_add(&query, "labelSelector", "a/b in (x,y),!z");
    query_add(&query, "continue", NULL);
    query_add(&query, "continue", "");
    query_add(&query, "fieldSelector", "metadata.name=\xc3\xa9&~");
    assert_string_equal(query.data, "labelSelector=a%2Fb%20in%20%28x%2Cy%29%2C%21z&"
                                    "fieldSelector=metadata.name%3D%C3%A9%26~");
    text_free(&query);
}

static void statuses_become_errors(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *reason;
        enum error_kind kind;
    } table[] = {
        {400, "BadRequest", ERROR_INVALID},
        {401, "Unauthorized", ERROR_UNAUTHORIZED},
        {403, "Forbidden", ERROR_FORBIDDEN},
        {404, "NotFound", ERROR_NOT_FOUND},
        {409, "AlreadyExists", ERROR_ALREADY_EXISTS},
        {409, "Conflict", ERROR_CONFLICT},
        {409, "", ERROR_CONFLICT},
        {410, "Gone", ERROR_GONE},
        {410, "Expired", ERROR_GONE},
        {422, "Invalid", ERROR_INVALID},
        {429, "TooManyRequests", ERROR_TOO_MANY_REQUESTS},
        {500, "InternalError", ERROR_UNAVAILABLE},
        {500, "ServerTimeout", ERROR_UNAVAILABLE},
        {503, "ServiceUnavailable", ERROR_UNAVAILABLE},
        {504, "Timeout", ERROR_TIMEOUT},
        {504, "", ERROR_TIMEOUT},
        {418, "Unheard", ERROR_INVALID},
        {302, "", ERROR_INTERNAL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        json_t *body = json_pack("{s:s, s:s, s:s, s:s}", "kind", "Status", "status", "Failure",
                                 "reason", table[i].reason, "message", "why");
        struct error error = {0};
        assert_false(status_to_error(table[i].status, body, "GET /x", &error));
        assert_int_equal(error.kind, table[i].kind);
        assert_string_equal(error.message, "why");
        json_decref(body);
    }
    struct error error = {0};
    status_to_error(503, NULL, "GET /x", &error);
    assert_string_equal(error.message, "GET /x answered 503 Service Unavailable");
}

static const char stream[] = "{\"type\":\"ADDED\",\"object\":{\"a\":\"\\u0000\"}}\n\r\n"
                             "{\"type\":\"BOOKMARK\",\"object\":{}}\r\n{\"n\":3}\n";

static void lines_may_be_cut_anywhere(void **state)
{
    (void)state;
    size_t length = sizeof stream - 1;
    for (size_t a = 0; a <= length; a++) {
        for (size_t b = a; b <= length; b++) {
            struct line_reader reader = {0};
            const size_t cuts[] = {0, a, b, length};
            json_t *value;
            struct error error;
            int count = 0;
            for (int i = 0; i < 3; i++) {
                line_reader_feed(&reader, stream + cuts[i], cuts[i + 1] - cuts[i]);
                while (line_reader_next(&reader, &value, &error) == LINE_VALUE) {
                    count++;
                    json_decref(value);
                }
            }
            assert_int_equal(count, 3);
            assert_false(line_reader_has_rest(&reader));
            line_reader_free(&reader);
        }
    }
}

static void bad_lines_fail_without_quoting(void **state)
{
    (void)state;
    static const char *const bad[] = {"{\"token\":\"secret\n", "[1]\n", "secret\n", "{}x\n",
                                      "{\"a\":\xff}\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct line_reader reader = {0};
        json_t *value;
        struct error error = {0};
        line_reader_feed(&reader, bad[i], strlen(bad[i]));
        assert_int_equal(line_reader_next(&reader, &value, &error), LINE_FAILED);
        assert_null(strstr(error.message, "secret"));
        line_reader_free(&reader);
    }
}

static void long_lines_fail_before_their_end(void **state)
{
    (void)state;
    struct line_reader reader = {.line_bytes_max = 10};
    json_t *value;
    struct error error = {0};
    line_reader_feed(&reader, "{\"a\":1234}\n{\"a\":1", 17);
    assert_int_equal(line_reader_next(&reader, &value, &error), LINE_VALUE);
    json_decref(value);
    assert_int_equal(line_reader_next(&reader, &value, &error), LINE_NEED_MORE);
    assert_true(line_reader_has_rest(&reader));
    line_reader_feed(&reader, "234567", 6);
    assert_int_equal(line_reader_next(&reader, &value, &error), LINE_FAILED);
    assert_int_equal(error.kind, ERROR_INTERNAL);
    line_reader_free(&reader);
}

static void managed_fields_are_cut_from_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *cut;
    } table[] = {
        {"", ""},
        {"{}", "{}"},
        {"{\"managedFields\":[]}", "{\"managedFields\":[]}"},
        {"{\"a\":1,\"managedFields\":[{\"f:x\":{\"k:{\\\"u\\\":\\\"]\\\\\\\"}\":{}}},[1]],\"b\":[2]"
         "}",
         "{\"a\":1,\"managedFields\":[],\"b\":[2]}"},
        {"[{\"managedFields\":[1]},{\"x\":0,\"managedFields\":[\"]\",2]},3]",
         "[{\"managedFields\":[]},{\"x\":0,\"managedFields\":[]},3]"},
        // Not a list, not a key, not a separate member, without an end.
        {"{\"managedFields\":{\"a\":[1]}}", "{\"managedFields\":{\"a\":[1]}}"},
        {"{\"a\":\"{\\\"managedFields\\\":[1]}\"}", "{\"a\":\"{\\\"managedFields\\\":[1]}\"}"},
        {"{\"a\\\"managedFields\":[1]}", "{\"a\\\"managedFields\":[1]}"},
        {"{\"managedFields\":[1}", "{\"managedFields\":[1}"},
        {"{\"managedFields\":[\"1]}", "{\"managedFields\":[\"1]}"},
        {"\"managedFields\":[1]", "\"managedFields\":[1]"},
        {"{\"managedFields\":[", "{\"managedFields\":["},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        size_t length = strlen(table[i].text);
        char *text = memory_copy(table[i].text, length); // without NUL: an overread is detected
        length = managed_fields_cut(text, length);
        if (length != strlen(table[i].cut) || memcmp(text, table[i].cut, length) != 0)
            fail_msg("%s became %.*s", table[i].text, (int)length, text);
        free(text);
    }
}

static void buckets_let_bursts_through_then_the_rate(void **state)
{
    (void)state;
    struct bucket bucket = bucket_create(5, 10, 0);
    for (int i = 0; i < 10; i++)
        assert_true(bucket_allow(&bucket, 0));
    assert_false(bucket_allow(&bucket, 0));
    assert_false(bucket_allow(&bucket, 199 * MILLISECOND));
    assert_true(bucket_allow(&bucket, 201 * MILLISECOND));
    bucket = bucket_create(10, 1, 0);
    assert_int_equal(bucket_reserve(&bucket, 0), 0);
    assert_int_equal(bucket_reserve(&bucket, 0), 100 * MILLISECOND);
    assert_int_equal(bucket_reserve(&bucket, 0), 200 * MILLISECOND);
    bucket = bucket_create(0, 0, 0);
    assert_int_equal(bucket_reserve(&bucket, 0), 0);
}

static struct object *pod_named(int number)
{
    char name[24];
    snprintf(name, sizeof name, "p-%d", number);
    json_t *document = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Pod",
                                 "metadata", "name", name, "namespace", number % 2 ? "a" : "b");
    struct error error = {0};
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    assert_non_null(object);
    json_decref(document);
    return object;
}

static void table_finds_what_was_added_and_not_what_was_removed(void **state)
{
    (void)state;
    enum { NAMES = 200 };
    struct object_table table = {0};
    bool present[NAMES] = {false};
    uint32_t count = 0;
    struct random random;
    random_seed(&random, 7);
    for (int step = 0; step < 20000; step++) {
        int number = (int)random_below(&random, NAMES);
        char name[24];
        snprintf(name, sizeof name, "p-%d", number);
        const char *namespace = number % 2 ? "a" : "b";
        struct object_entry *entry = object_table_find(&table, namespace, name);
        assert_int_equal(entry != NULL, present[number]);
        assert_null(object_table_find(&table, "c", name));
        if (entry == NULL && random_chance(&random, 0.5)) {
            object_table_add(&table, pod_named(number));
            present[number] = true;
            count++;
        } else if (entry != NULL && random_chance(&random, 0.5)) {
            object_release(object_table_remove(&table, entry));
            present[number] = false;
            count--;
        }
        assert_int_equal(table.count, count);
    }
    object_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_follow_the_kind),
        cmocka_unit_test(queries_are_escaped),
        cmocka_unit_test(statuses_become_errors),
        cmocka_unit_test(lines_may_be_cut_anywhere),
        cmocka_unit_test(bad_lines_fail_without_quoting),
        cmocka_unit_test(long_lines_fail_before_their_end),
        cmocka_unit_test(managed_fields_are_cut_from_the_text),
        cmocka_unit_test(buckets_let_bursts_through_then_the_rate),
        cmocka_unit_test(table_finds_what_was_added_and_not_what_was_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
