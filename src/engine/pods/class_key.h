// What makes a pod's class (pod_class.h): everything that scheduling reads of it, in one row of
// texts and numbers. Pods with equal rows cannot be told apart.
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
// The row of the pod, in place of what was in `key` before. As long as the pod lives.
void class_key_make(const struct problem *problem, const struct queued_pod *queued,
                    struct class_key *key);
bool class_keys_equal(const struct class_key *a, const struct class_key *b);
// The row as one text; replaces what was in `text`.
void class_key_text(const struct class_key *key, struct text *text);
