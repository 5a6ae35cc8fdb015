// Bodies in Kubernetes' protobuf encoding, which kubectl's typed commands send (kubectl create
// namespace, auth can-i, ...). Only requests use it; answers are JSON, which every client accepts.
//
// Supports the kinds that kubectl itself creates, in full except for parts that it never sets.
// Anything unknown is refused, never dropped.
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "sim/store/failure.h"

bool protobuf_is_body(const char *data, size_t length); // starts with "k8s\0"
// The object as JSON with apiVersion and kind; NULL with failure set.
json_t *protobuf_read(const char *data, size_t length, struct failure *failure);
