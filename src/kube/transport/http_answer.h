// What an API server has answered to a transfer of libcurl that is over: its status, and its body
// as JSON or as an error.
#pragma once

#include <curl/curl.h>

#include "kube/transport/transport.h"

struct text;

struct http_answer {
    CURL *curl;
    const char *server, *path; // as messages name them
    enum kube_verb verb;
};
int http_answer_status(CURL *curl); // 0: none yet, or `curl` is NULL
bool http_answer_has_json(CURL *curl);
// `body`: the bytes of the answer, which are changed. Everything but a 2xx status is an error.
void http_answer_read(const struct http_answer *answer, struct text *body,
                      struct kube_response *response);
