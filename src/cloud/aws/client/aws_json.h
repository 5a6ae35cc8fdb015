// Requests and replies in JSON, by their shapes.
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_codec_error.h"
#include "cloud/aws/client/aws_http.h"

// Whether all parameters are of the shape.
bool aws_json_check(const struct aws_action_info *action, const struct aws_shape *shape,
                    const json_t *parameters, struct error *error) MUST_USE;
// A copy without nulls, empty lists and empty objects at the top; NULL gives {}.
json_t *aws_json_without_empty(const json_t *parameters);
json_t *aws_json_decode(const struct aws_action_info *action, const char *body, size_t length,
                        struct error *error) MUST_USE;
char *aws_json_encode(const struct aws_action_info *action, const json_t *reply); // caller frees
void aws_json_decode_error(const struct aws_http_response *response, struct aws_codec_error *error);
