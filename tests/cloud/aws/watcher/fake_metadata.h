// An instance metadata service for tests, behind the HTTP port: a token, and three answers.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_http.h"
#include "cloud/aws/watcher/metadata_announcements.h"

struct fake_metadata {
    struct aws_http http; // first
    struct loop *loop;
    const char *answers[NODE_ANNOUNCEMENTS_COUNT]; // NULL: 404
    bool silent;                                   // no answer at all
    bool without_token;                            // a request came without a token
    uint32_t reads;
};
struct aws_http_call {
    struct fake_metadata *metadata;
    struct timer *timer;
    int status;
    const char *body;
    aws_http_done done;
    void *context;
};

static inline void fake_metadata_cancel(struct aws_http *http, struct aws_http_call *call)
{
    (void)http;
    timer_destroy(call->timer);
    free(call);
}

static inline void fake_metadata_answer(void *context)
{
    struct aws_http_call *call = context;
    struct aws_http_response response = {.status = call->status,
                                         .body = text_or_empty(call->body),
                                         .body_bytes = strlen(text_or_empty(call->body))};
    aws_http_done done = call->done;
    void *done_context = call->context;
    if (call->status == 0)
        error_set(&response.error, ERROR_TIMEOUT, "no answer");
    fake_metadata_cancel(&call->metadata->http, call);
    done(done_context, &response);
}

static inline struct aws_http_call *fake_metadata_start(struct aws_http *http,
                                                        const struct aws_http_request *request,
                                                        aws_http_done done, void *context)
{
    struct fake_metadata *metadata = (struct fake_metadata *)http;
    struct aws_http_call *call = memory_allocate(sizeof *call);
    bool has_token = request->headers_count == 1 &&
                     strcmp(request->headers[0].name, "X-aws-ec2-metadata-token") == 0 &&
                     strcmp(request->headers[0].value, "fake-token") == 0;
    *call = (struct aws_http_call){.metadata = metadata, .done = done, .context = context};
    if (!metadata->silent && strcmp(request->method, "PUT") == 0) {
        call->status = 200;
        call->body = "fake-token";
    } else if (!metadata->silent) {
        call->status = 404;
        metadata->without_token = metadata->without_token || !has_token;
        metadata->reads++;
        for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++)
            if (metadata->answers[i] != NULL &&
                strstr(request->url, metadata_announcement_path((enum node_announcement)i)) !=
                    NULL) {
                call->status = 200;
                call->body = metadata->answers[i];
            }
    }
    call->timer = timer_create_on(metadata->loop, fake_metadata_answer, call);
    timer_start(call->timer, MILLISECOND);
    return call;
}

static inline void fake_metadata_init(struct fake_metadata *metadata, struct loop *loop)
{
    static const struct aws_http_operations operations = {.start = fake_metadata_start,
                                                          .cancel = fake_metadata_cancel};
    *metadata = (struct fake_metadata){.http = {&operations}, .loop = loop};
}
