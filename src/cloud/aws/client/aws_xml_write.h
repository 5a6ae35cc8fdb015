// Writes replies in XML, by their shapes: for accounts that are simulated.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "cloud/aws/client/aws_action_info.h"

// Like aws_codec_encode_reply().
char *aws_xml_encode(const struct aws_action_info *action, const json_t *reply,
                     const char *request_id, struct error *error);
char *aws_xml_encode_error(enum aws_protocol protocol, const char *code, const char *message,
                           const char *request_id);
