// Talks to a simulated AWS account over its HTTP port, with requests written by hand.
#pragma once

#include <libxml/parser.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "sim/aws/aws_account.h"

#define TEST_EPOCH (INT64_C(1785000000) * SECOND) // July 2026

struct driver {
    struct loop *loop;
    struct aws_account *account;
    struct aws_http *http;
    int status, answers;
    char *body;
    char error_type[100];
    enum error_kind failure;
};

static inline void driver_open(struct driver *driver, struct aws_account_options options)
{
    struct error error = {0};
    *driver = (struct driver){.loop = loop_create_virtual(TEST_EPOCH)};
    options.loop = driver->loop;
    options.seed = options.seed != 0 ? options.seed : 7;
    driver->account = aws_account_create(&options, &error);
    if (driver->account == NULL)
        fail_msg("%s", error.message);
    driver->http = aws_account_http(driver->account);
}

static inline void driver_close(struct driver *driver)
{
    driver->http->operations->destroy(driver->http);
    aws_account_destroy(driver->account);
    loop_destroy(driver->loop);
    free(driver->body);
}

static inline void driver_done(void *context, const struct aws_http_response *response)
{
    struct driver *driver = context;
    driver->status = response->status;
    driver->failure = response->error.kind;
    driver->answers++;
    free(driver->body);
    driver->body = memory_copy_string(response->body);
    driver->error_type[0] = '\0';
    for (uint32_t i = 0; i < response->headers_count; i++)
        if (strcasecmp(response->headers[i].name, "x-amzn-errortype") == 0)
            snprintf(driver->error_type, sizeof driver->error_type, "%s",
                     response->headers[i].value);
}

// Sends and returns without waiting.
static inline struct aws_http_call *driver_send(struct driver *driver, const char *method,
                                                const char *url, const char *type,
                                                const char *target, const char *body)
{
    const struct aws_http_header headers[] = {{"Content-Type", type}, {"X-Amz-Target", target}};
    const struct aws_http_request request = {
        .method = method,
        .url = url,
        .headers = headers,
        .headers_count = target != NULL ? 2 : 1,
        .body = body,
        .body_bytes = body != NULL ? strlen(body) : 0,
    };
    return driver->http->operations->start(driver->http, &request, driver_done, driver);
}

static inline const char *driver_wait(struct driver *driver)
{
    int before = driver->answers;
    while (driver->answers == before)
        assert_true(loop_step(driver->loop));
    return driver->body;
}

static inline const char *driver_query(struct driver *driver, const char *version, const char *form)
{
    struct text body = {0};
    text_format(&body, "Version=%s&Action=%s", version, form);
    driver_send(driver, "POST", "https://endpoint.example/",
                "application/x-www-form-urlencoded; charset=utf-8", NULL, body.data);
    text_free(&body);
    return driver_wait(driver);
}

static inline const char *ec2(struct driver *driver, const char *form)
{
    const char *body = driver_query(driver, "2016-11-15", form);
    if (driver->status != 0) { // every answer is well-formed XML
        xmlDoc *document = xmlReadMemory(body, (int)strlen(body), NULL, NULL, XML_PARSE_NONET);
        assert_non_null(document);
        xmlFreeDoc(document);
    }
    return body;
}

static inline json_t *json_call(struct driver *driver, const char *target, const char *body)
{
    driver_send(driver, "POST", "https://endpoint.example/", "application/x-amz-json-1.1", target,
                body);
    json_t *value = json_loads(driver_wait(driver), 0, NULL);
    assert_non_null(value);
    return value;
}

static inline int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

// The text of the first <element> after `from`; overwritten by the next call.
static inline const char *element(const char *from, const char *name)
{
    static char out[4096];
    char open[100];
    snprintf(open, sizeof open, "<%s>", name);
    const char *begin = strstr(from, open);
    out[0] = '\0';
    if (begin != NULL)
        snprintf(out, sizeof out, "%.*s", (int)strcspn(begin + strlen(open), "<"),
                 begin + strlen(open));
    return out;
}

#define assert_has(body, part)     assert_non_null(strstr(body, part))
#define assert_has_not(body, part) assert_null(strstr(body, part))
