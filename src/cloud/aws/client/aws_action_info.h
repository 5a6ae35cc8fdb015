// The rows of the tables of services and actions.
#pragma once

#include <stdbool.h>

#include "cloud/aws/client/aws_action.h"
#include "cloud/aws/client/aws_shapes.h"

enum aws_protocol {
    AWS_PROTOCOL_EC2,       // form in, XML out; lists are numbered: Filter.1
    AWS_PROTOCOL_QUERY,     // form in, XML out; lists have members: Tags.member.1
    AWS_PROTOCOL_JSON,      // the action is in the header X-Amz-Target
    AWS_PROTOCOL_REST_JSON, // the action is in method and path
};
struct aws_service_info {
    const char *name, *signing_name;
    const char *endpoint_prefix;
    const char *variable; // the suffix of AWS_ENDPOINT_URL_...
    const char *sdk_id;   // the label "service" of metrics
    enum aws_protocol protocol;
    const char *version; // form: "2016-11-15"; JSON: "1.1"
    const char *target;  // JSON: the part of X-Amz-Target before the dot
};
// AWI-936: calls that wait for the same bucket go in this order.
enum aws_priority {
    AWS_PRIORITY_TERMINATE,
    AWS_PRIORITY_LAUNCH,
    AWS_PRIORITY_READ,
    AWS_PRIORITY_TAG,
    AWS_PRIORITY_COUNT
};
struct aws_action_info {
    enum aws_service service;
    const char *name, *permission;
    const struct aws_shape *request;
    const struct aws_shape *reply; // NULL: JSON that passes as it is
    bool is_mutating;
    enum aws_priority priority;
    // Paging; NULL: none. The token has the same name in request and reply.
    const char *page_token, *page_list;
    const char *page_more;      // a flag of the reply without which the token does not count
    const char *client_token;   // the idempotency token's member
    const char *path;           // REST: up to the parameter, "/clusters/"
    const char *path_parameter; // REST: the only parameter
};
const struct aws_action_info *aws_action_info(enum aws_action action);
const struct aws_service_info *aws_service_info(enum aws_service service);
