// An error as an answer of AWS names it.
#pragma once

#define AWS_CODE_BYTES    128
#define AWS_MESSAGE_BYTES 1024
#define AWS_ID_BYTES      128

struct aws_codec_error {
    char code[AWS_CODE_BYTES]; // "" if the answer has none
    char message[AWS_MESSAGE_BYTES];
    char request_id[AWS_ID_BYTES];
};
