// A handler's answer and its HTTP form.
#pragma once

#include <stdint.h>

#include "base/text.h"

struct evbuffer;
struct http_head;

struct web_response {
    int status;               // 200 unless set
    const char *content_type; // static text; "text/plain; charset=utf-8" unless set
    struct text body;
};
// --- for the server ------------------------------------------------------------------------------
const char *web_status_phrase(int status); // "Not Found"
// `head`: of the request. `now_ns`: wall clock.
void web_response_write(const struct web_response *response, const struct http_head *head,
                        int64_t now_ns, struct evbuffer *out);
