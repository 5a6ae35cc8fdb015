// Encoded authorization messages: EC2 hides why it refuses a call, and STS decodes it
// (sts:DecodeAuthorizationMessage). The text becomes the one that other services give in plain.
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "cloud/aws/client/aws_request.h"

// The encoded part of AWS's message, where it begins with its introduction; NULL: there is none.
const char *aws_denial_encoded(const char *message, const char **introduction);
// Appends "User: ... is not authorized to perform: ec2:RunInstances on resource: arn:... because no
// identity-based policy allows the ec2:RunInstances action" from STS's answer. False: it cannot be
// read, and nothing is appended.
bool aws_denial_read(const char *decoded, struct text *out);

// What was decoded last for an action: calls that are refused again and again ask once in a while.
struct aws_denials {
    char *texts[AWS_ACTION_COUNT]; // "": it could not be decoded; NULL: never asked
    int64_t asked[AWS_ACTION_COUNT];
};
void aws_denials_free(struct aws_denials *denials);
struct aws_call;
typedef void (*aws_denial_end)(struct aws_call *call, struct aws_result *result);
struct aws_denied { // a refused call's result, until its message is decoded
    char *code, *message, *request_id;
    int status;
    aws_denial_end end;
};
void aws_denied_free(struct aws_denied *denied); // NULL is fine
