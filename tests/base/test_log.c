#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/text.h"

struct capture {
    struct text lines; // one after another, each with a newline
    int count;
    int64_t now_ns;
};

static void capture_line(void *context, const char *line)
{
    struct capture *capture = context;
    text_format(&capture->lines, "%s\n", line);
    capture->count++;
}

static int64_t capture_now(void *context)
{
    return ((struct capture *)context)->now_ns;
}

static void configure(struct capture *capture, enum log_level level, enum log_format format)
{
    text_free(&capture->lines);
    *capture = (struct capture){.now_ns = INT64_C(1767225600123456789)};
    struct log_options options = {
        .level = level,
        .format = format,
        .now_ns = capture_now,
        .now_context = capture,
        .sink = capture_line,
        .sink_context = capture,
    };
    assert_true(log_configure(&options, NULL));
}

static void log_json_lines_LIF_400(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    log_info("initialized \"x\"", "s:controller", "node", "i:count", INT64_C(-7), "f:cost", 0.1,
             "b:ready", 1, "j:values", "[1,2]", "d:after", 90 * SECOND, "o:NodePool", "default",
             "n:Pod", "kube-system", "coredns", "s:gone", (const char *)NULL, "o:Node",
             (const char *)NULL);
    assert_string_equal(
        capture->lines.data,
        "{\"level\":\"INFO\",\"time\":\"2026-01-01T00:00:00.123Z\",\"logger\":\"controller\","
        "\"message\":\"initialized \\\"x\\\"\",\"commit\":\"" ADZE_COMMIT
        "\",\"controller\":\"node\","
        "\"count\":-7,\"cost\":0.1,\"ready\":true,\"values\":[1,2],\"after\":\"1m30s\","
        "\"NodePool\":{\"name\":\"default\"},"
        "\"Pod\":{\"name\":\"coredns\",\"namespace\":\"kube-system\"}}\n");
}

static void log_levels_LIF_400(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    assert_false(log_enabled(LOG_DEBUG));
    assert_true(log_enabled(LOG_INFO));
    log_debug("no");
    assert_int_equal(capture->count, 0);
    log_error("yes");
    assert_int_equal(capture->count, 1);
    assert_non_null(strstr(capture->lines.data, "\"level\":\"ERROR\""));
    configure(capture, LOG_NONE, LOG_JSON);
    assert_false(log_enabled(LOG_ERROR));
    assert_false(log_enabled(LOG_NONE));
    log_error("no");
    assert_int_equal(capture->count, 0);
    configure(capture, LOG_DEBUG, LOG_JSON);
    log_debug("yes");
    assert_int_equal(capture->count, 1);
}

static void log_any_bytes_give_json(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    char every_byte[256];
    for (int i = 0; i < 255; i++)
        every_byte[i] = (char)(i + 1);
    every_byte[255] = '\0';
    const char *const texts[] = {
        every_byte,
        "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80",
        "\xC3",                  // cut short
        "\xE2\x82",              //
        "\xF0\x9F\x98",          //
        "\xC0\x80 \xE0\x80\x80", // overlong
        "\xED\xA0\x80",          // a surrogate
        "\xF4\x90\x80\x80",      // above the last character
        "a\nb\tc\rd\\\"\x01\x7F",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        text_clear(&capture->lines);
        log_info(texts[i], "s:text", texts[i], "o:Kind", texts[i]);
        assert_ptr_equal(strchr(capture->lines.data, '\n'),
                         capture->lines.data + capture->lines.length - 1);
        json_error_t error;
        json_t *json = json_loads(capture->lines.data, 0, &error);
        if (json == NULL)
            fail_msg("%s: %s", error.text, capture->lines.data);
        if (i == 1 || i == 8)
            assert_string_equal(json_string_value(json_object_get(json, "text")), texts[i]);
        if (i == 2)
            assert_string_equal(json_string_value(json_object_get(json, "text")), "\xEF\xBF\xBD");
        json_decref(json);
    }
}

static void log_numbers(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    log_info("m", "f:a", 1.0 / 3, "f:b", NAN, "f:c", INFINITY, "f:d", 1e300, "f:e", -INFINITY,
             "f:f", 2.0, "i:min", INT64_MIN);
    assert_non_null(strstr(capture->lines.data,
                           "\"a\":0.3333333333333333,\"b\":\"NaN\",\"c\":\"+Inf\",\"d\":1e+300,"
                           "\"e\":\"-Inf\",\"f\":2,\"min\":-9223372036854775808}"));
}

static void log_console_text(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_CONSOLE);
    log_info("two\nlines", "s:a", "x y", "i:b", INT64_C(2), "o:Node", "n");
    log_error("plain");
    assert_string_equal(capture->lines.data,
                        "2026-01-01T00:00:00.123Z\tINFO\ttwo\\nlines\ta=\"x y\" b=2 "
                        "Node={\"name\":\"n\"}\n"
                        "2026-01-01T00:00:00.123Z\tERROR\tplain\n");
}

static void log_sampling_LIF_400(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    for (int i = 0; i < 1000; i++)
        log_info("often");
    assert_int_equal(capture->count, 109); // 100, and the 200th, 300th, ... 1000th
    for (int i = 0; i < 100; i++) {
        log_error("often"); // another level
        log_info("other");  // another message
    }
    assert_int_equal(capture->count, 309);
    log_info("often");
    assert_int_equal(capture->count, 309);
    capture->now_ns += SECOND;
    for (int i = 0; i < 150; i++)
        log_info("often");
    assert_int_equal(capture->count, 409);
    capture->now_ns -= 5 * SECOND; // a clock that was set back does not silence anything
    log_info("often");
    assert_int_equal(capture->count, 410);
}

static void log_many_messages_are_not_lost(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    char message[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(message, sizeof message, "message %d", i);
        log_info(message);
    }
    assert_int_equal(capture->count, 5000);
}

static char *read_file(const char *path)
{
    struct text text = {0};
    char block[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t count; (count = fread(block, 1, sizeof block, file)) > 0;)
        text_add_bytes(&text, block, count);
    fclose(file);
    return text_take(&text);
}

static void *log_lines(void *context)
{
    char message[32];
    for (int i = 0; i < 90; i++) {
        snprintf(message, sizeof message, "%s %d", (const char *)context, i);
        log_info(message, "s:filler", "0123456789012345678901234567890123456789");
    }
    return NULL;
}

static void log_files_get_whole_lines_from_threads(void **state)
{
    (void)state;
    char a[] = "/tmp/adze-log-XXXXXX", b[] = "/tmp/adze-log-XXXXXX";
    close(mkstemp(a));
    close(mkstemp(b));
    struct text paths = {0};
    text_format(&paths, "%s,%s", a, b);
    struct log_options options = {.level = LOG_INFO, .output_paths = paths.data};
    assert_true(log_configure(&options, NULL));
    text_free(&paths);
    pthread_t threads[3];
    char names[3][2] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, log_lines, names[i]), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    char *text = read_file(a), *copy = read_file(b);
    assert_string_equal(text, copy);
    int count = 0;
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
        json_t *json = json_loads(line, 0, NULL);
        assert_non_null(json);
        json_decref(json);
        count++;
    }
    assert_int_equal(count, 270);
    free(text);
    free(copy);
    unlink(a);
    unlink(b);
}

static void log_refuses_bad_outputs(void **state)
{
    struct capture *capture = *state;
    configure(capture, LOG_INFO, LOG_JSON);
    struct error error = {0};
    struct log_options options = {.output_paths = "stdout,/nonexistent/adze/log"};
    assert_false(log_configure(&options, &error));
    assert_non_null(strstr(error.message, "\"/nonexistent/adze/log\" cannot be opened"));
    options.output_paths = "stdout,stdout,stdout,stdout,stdout,stdout,stdout,stdout,stdout";
    assert_false(log_configure(&options, &error));
    options.output_paths = "";
    assert_false(log_configure(&options, &error));
    log_info("still here"); // a failed change leaves everything as it was
    assert_int_equal(capture->count, 1);
}

int main(void)
{
    struct capture capture = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(log_json_lines_LIF_400, &capture),
        cmocka_unit_test_prestate(log_levels_LIF_400, &capture),
        cmocka_unit_test_prestate(log_any_bytes_give_json, &capture),
        cmocka_unit_test_prestate(log_numbers, &capture),
        cmocka_unit_test_prestate(log_console_text, &capture),
        cmocka_unit_test_prestate(log_sampling_LIF_400, &capture),
        cmocka_unit_test_prestate(log_many_messages_are_not_lost, &capture),
        cmocka_unit_test_prestate(log_files_get_whole_lines_from_threads, &capture),
        cmocka_unit_test_prestate(log_refuses_bad_outputs, &capture),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    text_free(&capture.lines);
    return failures;
}
