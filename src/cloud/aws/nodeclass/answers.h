// Answers to asynchronous questions of the reconcilers: calls of AWS, or work of several calls. A
// pass asks; an answer that is known is there at once, else the pass's item waits for it.
//
// An answer lives for its time. A failure lives until a pass has seen it (answers_drop()), so that
// the retry of the item asks again.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "reconcile/operations.h"

struct answers;
struct answers *answers_create(struct loop *loop, struct aws_client *client);
// Calls under way are cancelled. No item waits any more.
void answers_destroy(struct answers *answers);

enum answer_state { ANSWER_PENDING, ANSWER_READY, ANSWER_FAILED };
struct answer {
    enum answer_state state;
    json_t *value;             // READY; NULL: AWS knows no such thing
    struct error error;        // FAILED
    enum aws_fault fault;      // FAILED
    char *code, *message;      // FAILED: AWS's own, "" if there are none
    int64_t since, expires_at; // monotonic
};

// A call whose reply is the answer.
struct question {
    const char *key;
    enum aws_action action;
    json_t *parameters; // stolen
    bool all_pages;
    int64_t lifetime_ns;
    int64_t absent_lifetime_ns; // of a not-found; 0: a not-found is a failure
    bool (*is_absent)(const struct aws_result *result); // further not-founds; NULL: none
    bool keeps_last;                                    // a failure leaves an older value in use
    // Called with each reply; may be NULL.
    void (*fetched)(void *context, const json_t *reply, int64_t asked_at);
    void *context;
};
// The answer, borrowed until the next call; never expired.
const struct answer *answers_ask(struct answers *answers, const struct question *question);
// NULL: neither known nor asked for.
const struct answer *answers_find(struct answers *answers, const char *key);

// Work of the caller's own: begins an answer that answers_end() or answers_fail() completes.
void answers_begin(struct answers *answers, const char *key);
void answers_end(struct answers *answers, const char *key, json_t *value /* stolen */,
                 int64_t lifetime_ns);
void answers_fail(struct answers *answers, const char *key, const struct aws_result *failure);

// Lets the item wait for a pending answer.
void answers_wait(struct answers *answers, const char *key, const struct operation_about *about);
void answers_drop(struct answers *answers, const char *key); // nothing happens if it is pending
void answers_drop_prefix(struct answers *answers, const char *prefix);
// Calls `see` with each known value whose key begins with `prefix`.
void answers_each(struct answers *answers, const char *prefix,
                  void (*see)(void *context, const char *key, const json_t *value), void *context);
