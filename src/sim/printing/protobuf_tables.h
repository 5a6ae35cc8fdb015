// Field numbers of the Kubernetes API's protobuf encoding.
#pragma once

#include <stddef.h>

// Messages by name. Fields are "NUMBER TYPE NAME", separated by ", ". TYPE: s text, y bytes, i
// integer, b flag, q quantity, t time, I int-or-string, S map of texts, R of quantities, Y of
// bytes, another message's name, or ? for an unknown one; * before it: repeated; ! after it: zero
// counts.
struct protobuf_message {
    const char *name, *fields;
};

const struct protobuf_message *protobuf_messages(size_t *count);
