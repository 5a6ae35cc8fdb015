// A scripted AWS behind the HTTP port: answers each action with what a test has said, encoded as on
// the wire, and records the parameters of each call.
//
// Answers that are said once are used up first, in order; then the standing one; without any, the
// call fails with "NoAnswerScripted" and status 400.
#pragma once

#include <jansson.h>

#include "base/loop.h"
#include "cloud/aws/client/aws_actions.h"
#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/client/aws_http.h"

struct fake_aws;
struct fake_aws *fake_aws_create(struct loop *loop);
void fake_aws_destroy(struct fake_aws *fake); // after every client of it
struct aws_http *fake_aws_http(struct fake_aws *fake);
// A client in us-west-2 with fixed credentials and an empty environment; destroyed with the fake,
// unless aws_client_destroy() was called through fake_aws_destroy_client().
struct aws_client *fake_aws_client(struct fake_aws *fake);
void fake_aws_destroy_client(struct fake_aws *fake);
void fake_aws_decode_denials(struct fake_aws *fake); // its client does; before that is made
void fake_aws_latency(struct fake_aws *fake, int64_t latency_ns); // 1 ms unless said

// `reply` is stolen; a member that the action does not have fails the test.
void fake_aws_reply(struct fake_aws *fake, enum aws_action action, json_t *reply);
void fake_aws_reply_once(struct fake_aws *fake, enum aws_action action, json_t *reply);
void fake_aws_error(struct fake_aws *fake, enum aws_action action, int status, const char *code,
                    const char *message);
void fake_aws_error_once(struct fake_aws *fake, enum aws_action action, int status,
                         const char *code, const char *message);
void fake_aws_lose_once(struct fake_aws *fake, enum aws_action action); // ERROR_UNAVAILABLE
// Any bytes as the next answer, with a header or none.
void fake_aws_raw_once(struct fake_aws *fake, enum aws_action action, int status, const char *body,
                       const char *header, const char *value);
// Computes the replies instead: returns a new reference, or NULL after fake_aws_error_once() or its
// like, which then answers.
typedef json_t *(*fake_aws_handler)(void *context, enum aws_action action,
                                    const json_t *parameters);
void fake_aws_handle(struct fake_aws *fake, enum aws_action action, fake_aws_handler handler,
                     void *context);

uint32_t fake_aws_calls(const struct fake_aws *fake, enum aws_action action);
// Of the call at `index`, as a client gave them (with ClientToken); borrowed. NULL: no such call.
const json_t *fake_aws_parameters(const struct fake_aws *fake, enum aws_action action,
                                  uint32_t index);
const json_t *fake_aws_last(const struct fake_aws *fake, enum aws_action action);
const char *fake_aws_header(const struct fake_aws *fake, const char *name); // of the last call
const char *fake_aws_url(const struct fake_aws *fake);                      // of the last call
void fake_aws_forget_calls(struct fake_aws *fake);
