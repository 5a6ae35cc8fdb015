#include "kube/transport/http_answer.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "kube/transport/http_easy.h"
#include "kube/transport/managed_fields.h"
#include "kube/transport/status.h"
#include "kube/transport/transient_json.h"

bool http_answer_has_json(CURL *curl)
{
    static const char json[] = "application/json";
    char *type = NULL;
    if (curl != NULL)
        curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    return type != NULL && strncasecmp(type, json, sizeof json - 1) == 0 &&
           strchr(" ;", type[sizeof json - 1]) != NULL;
}

int http_answer_status(CURL *curl)
{
    long status = 0;
    if (curl != NULL)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

static int64_t retry_after_ns(CURL *curl, const json_t *body)
{
    curl_off_t seconds = 0;
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds <= 0)
        return status_retry_after_ns(body);
    return ns_multiply(seconds > 3600 ? 3600 : seconds, SECOND);
}

void http_answer_read(const struct http_answer *answer, struct text *body,
                      struct kube_response *response)
{
    assert(answer->curl != NULL);
    const char *server = answer->server;
    const char *method = http_method(answer->verb);
    char *type = NULL;
    curl_easy_getinfo(answer->curl, CURLINFO_CONTENT_TYPE, &type);
    response->status = http_answer_status(answer->curl);
    bool good = response->status / 100 == 2;
    bool plain = type != NULL && strncasecmp(type, "text/plain", 10) == 0;
    if (http_answer_has_json(answer->curl) && body->length > 0) {
        body->length = managed_fields_cut(body->data, body->length);
        response->body = transient_json(body->data, body->length, NULL);
        if (response->body == NULL && good)
            error_set(&response->error, ERROR_UNAVAILABLE,
                      "%s %s%s: the answer (%zu bytes) is not valid JSON", method, server,
                      answer->path, body->length);
    } else if (good && plain && answer->verb == KUBE_GET) {
        response->body = json_stringn(body->data != NULL ? body->data : "",
                                      body->length); // NULL if not UTF-8
    } else if (good && body->length > 0) {
        error_set(&response->error, ERROR_UNAVAILABLE,
                  "%s %s%s: the answer is %.60s, not JSON: is this an API server?", method, server,
                  answer->path, type != NULL ? type : "of no type");
    }
    response->retry_after_ns = retry_after_ns(answer->curl, response->body);
    if (good)
        return;
    struct text what = {0};
    text_format(&what, "%s %s%s", method, server, answer->path);
    status_to_error(response->status, response->body, what.data, &response->error);
    text_free(&what);
}
