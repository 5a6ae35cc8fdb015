// The key of a pod's class (pod_class.h): everything that scheduling reads of a pod, as one list of
// texts and numbers. Scheduling cannot tell pods with equal keys apart.
#pragma once

#include "base/vector.h"
#include "engine/problem/problem.h"

struct class_key { // the caller frees the vector
    VECTOR(struct class_key_part {
        const char *text; // the pod's or static; NULL: a number
        uint64_t number;
    })
    parts;
};
// Replaces the content of `key` with the pod's. Valid as long as the pod lives.
void class_key_make(const struct problem *problem, const struct queued_pod *queued,
                    struct class_key *key);
bool class_keys_equal(const struct class_key *a, const struct class_key *b);
// Replaces the content of `text` with the key as one text.
void class_key_text(const struct class_key *key, struct text *text);
