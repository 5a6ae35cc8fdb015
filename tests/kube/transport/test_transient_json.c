// The pool of parsed values, enabled even with sanitizers.
#define TRANSIENT_JSON_TEST
#include "../../src/kube/transport/transient_json.c" // instead of the library's

#include "support/cmocka_all.h"

#include <stdio.h>
#include <string.h>

static bool is_pooled(const void *block)
{
    return (uintptr_t)block - (uintptr_t)pool.data < POOL_BYTES;
}

static json_t *parse(const char *text)
{
    json_error_t why;
    return transient_json(text, strlen(text), &why);
}

static void values_come_from_the_pool_and_it_begins_anew(void **state)
{
    (void)state;
    const json_t *first = NULL;
    for (int i = 0; i < 5000; i++) { // far more than the pool holds
        char text[100];
        snprintf(text, sizeof text, "{\"a\":[%d,\"a\\u0000b\"],\"long\":\"%050d\"}", i, i);
        json_t *value = parse(text);
        const json_t *list = json_object_get(value, "a");
        assert_int_equal(json_integer_value(json_array_get(list, 0)), i);
        assert_int_equal(json_string_length(json_array_get(list, 1)), 3);
        assert_int_equal(atoi(json_string_value(json_object_get(value, "long"))), i);
        assert_true(is_pooled(value));
        if (first == NULL)
            first = value;
        assert_ptr_equal(value, first);
        json_decref(value);
    }
}

static void a_value_that_stays_is_not_overwritten(void **state)
{
    (void)state;
    json_t *kept = parse("{\"name\":\"kept\"}");
    bool all_pooled = true;
    for (int i = 0; i < 5000; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"name\":\"%060d\"}", i);
        json_t *value = parse(text);
        assert_int_equal(atoi(json_string_value(json_object_get(value, "name"))), i);
        all_pooled = all_pooled && is_pooled(value);
        json_decref(value);
    }
    assert_false(all_pooled); // it was full, and the heap was used
    assert_string_equal(json_string_value(json_object_get(kept, "name")), "kept");
    // Later additions come from the heap, and are freed with it.
    json_object_set_new(kept, "more", json_string("later"));
    assert_false(is_pooled(json_object_get(kept, "more")));
    json_decref(kept);
    json_t *value = parse("[]");
    assert_true(is_pooled(value));
    json_decref(value);
}

static void large_and_bad_texts_leave_nothing(void **state)
{
    (void)state;
    size_t length = 2 * POOL_BYTES;
    char *text = malloc(length + 1);
    memset(text, 'x', length);
    text[0] = text[length - 1] = '"';
    text[length] = '\0';
    assert_null(parse(text)); // not an object, nor a list
    memcpy(text, "[\"", 2), memcpy(text + length - 2, "\"]", 2);
    json_t *value = parse(text);
    assert_int_equal(json_string_length(json_array_get(value, 0)), length - 4);
    json_decref(value);
    free(text);
    assert_null(parse("{\"a\":[1,2,{\"b\":"));
    assert_int_equal(atomic_load(&pool.live), 0);
}

static void *drop(void *value)
{
    json_decref(value);
    json_decref(parse("{\"other\":[\"thread\"]}"));
    return NULL;
}

static void values_may_be_dropped_by_another_thread(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, drop, parse("{\"a\":[1,\"two\",{}]}")), 0);
        json_decref(parse("{\"one\":[\"thread\"]}"));
        pthread_join(thread, NULL);
    }
    assert_int_equal(atomic_load(&pool.live), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_from_the_pool_and_it_begins_anew),
        cmocka_unit_test(a_value_that_stays_is_not_overwritten),
        cmocka_unit_test(large_and_bad_texts_leave_nothing),
        cmocka_unit_test(values_may_be_dropped_by_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
