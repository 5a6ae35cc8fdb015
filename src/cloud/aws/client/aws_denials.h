// Encoded authorization messages: EC2 hides why it refuses a call, and STS decodes it
// (sts:DecodeAuthorizationMessage). The text becomes the one that other services give in plain.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"
#include "cloud/aws/client/aws_request.h"

// The encoded part of AWS's message, where it begins with its introduction; NULL: there is none.
const char *aws_denial_encoded(const char *message, const char **introduction);
// Appends "User: ... is not authorized to perform: ec2:RunInstances on resource: arn:... because no
// identity-based policy allows the ec2:RunInstances action" from STS's answer. False: it cannot be
// read, and nothing is appended.
bool aws_denial_read(const char *decoded, struct text *out);

// The first encoded message of the errors inside a fleet's answer that has no instances; NULL:
// there is none.
const char *aws_denial_in_fleet(const json_t *reply);

// What was decoded last for an action, and at the end for errors inside fleets' answers: those that
// are refused again and again ask once in a while.
#define AWS_DENIALS_COUNT (AWS_ACTION_COUNT + 1)
struct aws_denials {
    char *texts[AWS_DENIALS_COUNT]; // "": it could not be decoded; NULL: never asked
    int64_t asked[AWS_DENIALS_COUNT];
};
void aws_denials_free(struct aws_denials *denials);
struct aws_call;
typedef void (*aws_denial_end)(struct aws_call *call, struct aws_result *result);
struct aws_denied { // a call's result, until its message is decoded
    char *code, *message, *request_id;
    json_t *reply; // of a fleet whose errors are encoded; NULL: the call was refused
    int status;
    aws_denial_end end;
};
void aws_denied_free(struct aws_denied *denied); // NULL is fine
