// What goes over the wire, from the tables of shapes: both directions, for the client and for
// accounts that are simulated.
//
// In JSON all members have the API's own names, timestamps are RFC 3339 texts, and texts are as on
// the wire: user data stays in base64.
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "cloud/aws/client/aws_actions.h"
#include "cloud/aws/client/aws_codec_error.h"
#include "cloud/aws/client/aws_http.h"

// --- requests ------------------------------------------------------------------------------------
struct aws_wire { // free with aws_wire_clear()
    const char *method;
    char *path;               // escaped
    struct text body;         //
    const char *content_type; // NULL: none
    char target[96];          // X-Amz-Target; "": none
};
// `parameters` NULL: {}. Empty lists, empty objects and nulls are not sent. A member that the
// action does not have, or one of another type, is an error (ERROR_INVALID) that names it.
bool aws_codec_encode_request(enum aws_action action, const json_t *parameters,
                              struct aws_wire *wire, struct error *error) MUST_USE;
void aws_wire_clear(struct aws_wire *wire);
// Which action a request from the wire asks for; AWS_ACTION_COUNT if unknown.
enum aws_action aws_codec_identify(const struct aws_http_request *request);
// The parameters of a request from the wire; NULL if malformed. A new reference.
json_t *aws_codec_decode_request(enum aws_action action, const struct aws_http_request *request,
                                 struct error *error) MUST_USE;

// --- replies -------------------------------------------------------------------------------------
// NULL if malformed; unknown elements are skipped. A new reference, always an object.
json_t *aws_codec_decode_reply(enum aws_action action, const char *body, size_t length,
                               char request_id[AWS_ID_BYTES], struct error *error) MUST_USE;
// The text of a reply; the caller frees. With `error`, an unknown member or one of another type
// gives NULL; without, it is left out.
char *aws_codec_encode_reply(enum aws_action action, const json_t *reply, const char *request_id,
                             struct error *error);

// Reads the error from an answer other than 2xx, whatever its body is. Of a message that quotes the
// request, only the part before is kept: session tokens and signatures do not get into errors.
void aws_codec_decode_error(enum aws_service service, const struct aws_http_response *response,
                            struct aws_codec_error *error);
char *aws_codec_encode_error(enum aws_service service, const char *code, const char *message,
                             const char *request_id); // the caller frees
