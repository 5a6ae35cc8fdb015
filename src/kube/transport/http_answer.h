// An API server's answer to a finished transfer of libcurl: its status, and its body as JSON or as
// an error.
#pragma once

#include <curl/curl.h>

#include "kube/transport/transport.h"

struct text;

struct http_answer {
    CURL *curl;
    const char *server, *path; // for messages
    enum kube_verb verb;
};
int http_answer_status(CURL *curl); // 0: none yet, or `curl` is NULL
bool http_answer_has_json(CURL *curl);
// `body`: the bytes of the answer, modified in place. Every status but 2xx is an error.
void http_answer_read(const struct http_answer *answer, struct text *body,
                      struct kube_response *response);
