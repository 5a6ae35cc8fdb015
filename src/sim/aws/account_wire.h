// The wire of AWS's protocols, the server's side: requests into JSON, JSON into replies.
//
// The protocol is told by the request itself, not by its host: X-Amz-Target is JSON 1.0 or 1.1, a
// form with Action the query protocol (its Version names the service), anything else REST.
#pragma once

#include "sim/aws/account_internal.h"

// Fills service, action and params of the call. False: the call is refused.
bool account_wire_read(struct account_call *call, const struct aws_http_request *request);

// The body of the answer, and its content type.
struct account_body {
    struct text text;
    const char *content_type;
    char error_type[200]; // value of x-amzn-errortype; "" after success
    char query_error[200];
};
void account_wire_write(const struct account_call *call, const char *request_id,
                        struct account_body *body);

// Elements of `value` (an object), lists as sequences of `<item_name>`.
void account_xml_add(struct text *out, const json_t *value, const char *item_name);
char *account_base64_encode(const void *data, size_t length);
