// Whose turn it is to be sent: few enough calls at a time for one connection of HTTP/2.
//
// A server accepts some 100 streams on each connection. Without a limit a burst of hundreds of
// calls opens connection after connection and holds buffers for all of them, with no faster
// answers. At most 96 calls are under way, at most 64 of them ordinary ones; the others wait in the
// order of their start.
#pragma once

#include <stdbool.h>
#include <sys/queue.h>

#include "kube/transport/transport.h"

enum http_turn_kind {
    TURN_AT_ONCE, // never waits: a watch is long-lived, a late renewal loses the lease
    TURN_URGENT,  // goes first: the nodes of a wave are to open together
                  // (control/nomination/openings.h)
    TURN_ORDINARY,
};

struct http_turn { // of a call, in which it is embedded
    TAILQ_ENTRY(http_turn) link;
    enum http_turn_kind kind;
    struct kube_call *call;
    bool is_queued, is_counted;
};
TAILQ_HEAD(http_turn_list, http_turn);

struct http_turns {
    struct http_turn_list urgent, ordinary; // that wait
    unsigned under_way, ordinary_under_way; // without those that never wait
};

void http_turns_init(struct http_turns *turns);
enum http_turn_kind http_turn_kind(enum kube_verb verb, const char *path);
// The call begins. True: it is sent now; false: http_turns_next() returns it when it is its turn.
bool http_turns_begin(struct http_turns *turns, struct http_turn *turn);
// A call that has waited and is sent now; NULL: none.
struct http_turn *http_turns_next(struct http_turns *turns);
// The call has ended, or is given up while it waits.
void http_turns_end(struct http_turns *turns, struct http_turn *turn);
bool http_turns_are_awaited(const struct http_turns *turns); // some calls wait
bool http_turns_are_idle(const struct http_turns *turns);    // none waits, none is counted
