// Field numbers of the Kubernetes API's protobuf encoding.
#pragma once

#include "sim/printing/protobuf.h"

const struct protobuf_message *protobuf_messages(size_t *count);
