// Messages of the interruption queue: the envelope of EventBridge and the five kinds of events that
// are understood (AWI-510 to 517). Pure; every byte of a body is from outside.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "cloud/aws/interruption/interruption_kinds.h"
#include "model/schema/object.h"

#define INTERRUPTION_BODY_MAX      (1024 * 1024) // the limit of SQS
#define INTERRUPTION_INSTANCES_MAX 1000          // of one message

enum interruption_fault { // why a body is unparsable: label of a metric (AWI-952)
    INTERRUPTION_PARSED,
    INTERRUPTION_NOT_JSON,
    INTERRUPTION_WRONG_TYPE,
    INTERRUPTION_MISSING_FIELD,
    INTERRUPTION_TOO_LARGE,
    INTERRUPTION_FAULT_COUNT
};
const char *interruption_fault_name(enum interruption_fault fault); // "not_json"

struct interruption_message {
    enum interruption_kind kind;
    int64_t time;                 // of the event; 0: unknown
    int64_t starts;               // of a scheduled change; 0: unknown
    struct string_list instances; // ids, as the message has them; in the arena
};
// `body` NULL: the message had none. COMPATIBILITY=upstream (`upstream`): a message without
// version, source, detail-type or instance is no_op or concerns nothing; else it is unparsable
// (AWI-952).
enum interruption_fault interruption_message_parse(struct arena *arena, const char *body,
                                                   size_t length, bool upstream,
                                                   struct interruption_message *message,
                                                   struct error *error);
