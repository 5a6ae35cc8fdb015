// Announcements of the instance metadata service (AWI-959): where they stand, and how to read them.
// Pure; every byte of an answer is from outside.
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "cloud/aws/interruption/node_annotations.h"

#define METADATA_ANSWER_MAX (64 * 1024) // bytes
#define METADATA_EVENTS_MAX 100

const char *metadata_announcement_path(enum node_announcement what); // "/latest/meta-data/..."
// The instant that an answer announces, of several events the earliest that is neither over nor
// cancelled; 0: it announces none.
bool metadata_announcement_read(enum node_announcement what, const char *body, size_t length,
                                int64_t *instant, struct error *error) MUST_USE;
