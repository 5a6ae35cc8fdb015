// Leader election by a Lease (LIF-330), compatible with client-go's.
#pragma once

#include "kube/client.h"

struct leader_options {
    const char *namespace, *name, *identity;
    int64_t lease_duration_ns, renew_deadline_ns, retry_period_ns; // 15 s, 10 s, 2 s
    void (*started)(void *context);                                // became the leader
    void (*lost)(void *context); // was the leader and could not renew; may destroy the leader
    void (*slow_path)(
        void *context); // the Lease changed during a renewal and is read again; may be NULL
    void *context;
};
struct leader;
struct leader *leader_create(struct loop *loop, struct kube_client *client,
                             const struct leader_options *options);
// Reads the clocks at each call: false from the renew deadline on, even before `lost` is called.
// Writes of this replica check it at the moment of sending (kube_client_gate_writes()).
bool leader_is_leading(const struct leader *leader);
// Releases the lease (LIF-474), then calls done.
void leader_release(struct leader *leader, void (*done)(void *context), void *context);
void leader_destroy(struct leader *leader);
