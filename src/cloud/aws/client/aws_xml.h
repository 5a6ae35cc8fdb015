// Replies in XML, by their shapes.
//
// Nothing outside the text is read, document types (hence entities of their own) are refused, and
// depth and size are limited.
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_codec_error.h"

json_t *aws_xml_decode(const struct aws_action_info *action, const char *body, size_t length,
                       char request_id[AWS_ID_BYTES], struct error *error) MUST_USE;
// The first Code, Message and request id found; false if it is no XML.
bool aws_xml_decode_error(const char *body, size_t length, struct aws_codec_error *out) MUST_USE;
