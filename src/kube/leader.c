#include "kube/leader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"

// Random extra wait of candidates, so that they do not all write at once.
#define ACQUIRE_JITTER 1.2
// Releasing the lease must not delay the end of the process.
#define RELEASE_TIMEOUT_NS (5 * SECOND)

struct leader {
    struct loop *loop;
    struct kube_client *client;
    struct leader_options options;
    char *namespace, *name, *identity;
    struct random random;
    json_t *lease;                       // as last seen; NULL: never
    int64_t observed_ns;                 // monotonic, when its spec was last seen to change
    int64_t attempt_ns, attempt_wall_ns; // monotonic, wall: when the attempt under way began
    int64_t renewed_ns, renewed_wall_ns; // when the last successful attempt began
    bool is_leading, is_releasing;
    struct timer *retry;    // the next attempt
    struct timer *deadline; // leading: of the renewal; else of the attempt under way; or of the
                            // release
    void (*released)(void *context);
    void *released_context;
};

static void attempt(void *context);
static void get_lease(struct leader *leader);
static void got_lease(void *context, const struct kube_result *result);
static void write_lease(struct leader *leader);
static void wrote_lease(void *context, const struct kube_result *result);
static bool observe(struct leader *leader, const struct kube_result *result);
static bool held_by_other(const struct leader *leader);
static const char *holder(const struct leader *leader);
static json_t *new_lease(const struct leader *leader);
static void set_spec(const struct leader *leader, json_t *spec);
static void attempt_again(struct leader *leader);
static void deadline_reached(void *context);
static void lose(struct leader *leader, const char *why);
static void release_begin(void *context);
static void release_got(void *context, const struct kube_result *result);
static void release_write(struct leader *leader);
static void release_wrote(void *context, const struct kube_result *result);
static void release_end(struct leader *leader);

struct leader *leader_create(struct loop *loop, struct kube_client *client,
                             const struct leader_options *options)
{
    assert(options->name != NULL);
    assert(options->identity != NULL);
    assert(options->started != NULL);
    assert(options->lost != NULL);
    assert(options->retry_period_ns > 0);
    assert(options->renew_deadline_ns < options->lease_duration_ns);
    assert(options->retry_period_ns < options->renew_deadline_ns);
    struct leader *leader = memory_allocate(sizeof *leader);
    leader->loop = loop;
    leader->client = client;
    leader->options = *options;
    leader->namespace = memory_copy_string(options->namespace);
    leader->name = memory_copy_string(options->name);
    leader->identity = memory_copy_string(options->identity);
    random_seed(&leader->random,
                loop_is_virtual(loop) ? hash_string(leader->identity) : random_entropy());
    leader->retry = timer_create_on(loop, attempt, leader);
    leader->deadline = timer_create_on(loop, deadline_reached, leader);
    timer_start(leader->retry, 0);
    return leader;
}

void leader_destroy(struct leader *leader)
{
    if (leader == NULL)
        return;
    kube_cancel(leader->client, leader);
    timer_destroy(leader->retry);
    timer_destroy(leader->deadline);
    json_decref(leader->lease);
    free(leader->namespace);
    free(leader->name);
    free(leader->identity);
    free(leader);
}

// Checks both clocks: after a pause of the whole process the deadline's timer may be late. During a
// pause of the whole machine the monotonic clock stood still, and the wall clock jumped.
bool leader_is_leading(const struct leader *leader)
{
    int64_t limit_ns = leader->options.renew_deadline_ns;
    return leader->is_leading &&
           ns_subtract(loop_monotonic_ns(leader->loop), leader->renewed_ns) < limit_ns &&
           ns_subtract(loop_now_ns(leader->loop), leader->renewed_wall_ns) < limit_ns;
}

// --- acquiring and renewing ----------------------------------------------------------------------
static void attempt(void *context)
{
    struct leader *leader = context;
    assert(!leader->is_releasing);
    leader->attempt_ns = loop_monotonic_ns(leader->loop);
    leader->attempt_wall_ns = loop_now_ns(leader->loop);
    if (leader->is_leading) { // only the holder has reason to write it
        write_lease(leader);
        return;
    }
    timer_start(leader->deadline, leader->options.renew_deadline_ns);
    get_lease(leader);
}

static void get_lease(struct leader *leader)
{
    kube_get(leader->client, KIND_LEASE, leader->namespace, leader->name, got_lease, leader);
}

static void got_lease(void *context, const struct kube_result *result)
{
    struct leader *leader = context;
    assert(!leader->is_releasing);
    if (result->error.kind == ERROR_NOT_FOUND) {
        json_decref(leader->lease);
        leader->lease = NULL;
        write_lease(leader);
        return;
    }
    if (!observe(leader, result)) {
        attempt_again(leader);
        return;
    }
    if (!held_by_other(leader)) {
        write_lease(leader);
        return;
    }
    if (leader->is_leading)
        lose(leader, "another process holds the lease");
    else
        attempt_again(leader);
}

static void write_lease(struct leader *leader)
{
    json_t *body = leader->lease != NULL ? json_deep_copy(leader->lease) : new_lease(leader);
    json_t *spec = json_object_get(body, "spec");
    if (!json_is_object(spec)) {
        spec = json_object();
        json_object_set_new(body, "spec", spec);
    }
    set_spec(leader, spec);
    if (leader->lease != NULL) // its resourceVersion is the optimistic lock
        kube_update_json(leader->client,
                         &(struct kube_target){KIND_LEASE, leader->namespace, leader->name}, body,
                         wrote_lease, leader);
    else
        kube_create_json(leader->client, KIND_LEASE, leader->namespace, body, wrote_lease, leader);
    json_decref(body);
}

static json_t *new_lease(const struct leader *leader)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{}}", "apiVersion", "coordination.k8s.io/v1",
                     "kind", "Lease", "metadata", "name", leader->name, "namespace",
                     leader->namespace, "spec");
}

static void set_spec(const struct leader *leader, json_t *spec)
{
    char now[INSTANT_TEXT_MAX];
    instant_format_micro(loop_now_ns(leader->loop), now);
    json_int_t transitions = json_integer_value(json_object_get(spec, "leaseTransitions"));
    if (!text_equal(holder(leader), leader->identity)) {
        json_object_set_new(spec, "acquireTime", json_string(now));
        if (leader->lease != NULL)
            transitions++;
    }
    json_object_set_new(spec, "holderIdentity", json_string(leader->identity));
    json_object_set_new(spec, "leaseDurationSeconds",
                        json_integer(leader->options.lease_duration_ns / SECOND));
    json_object_set_new(spec, "renewTime", json_string(now));
    json_object_set_new(spec, "leaseTransitions", json_integer(transitions));
}

static void wrote_lease(void *context, const struct kube_result *result)
{
    struct leader *leader = context;
    assert(!leader->is_releasing);
    if (observe(leader, result)) {
        leader->renewed_ns = leader->attempt_ns; // the server's clock started no earlier
        leader->renewed_wall_ns = leader->attempt_wall_ns;
        int64_t spent_ns = ns_subtract(loop_monotonic_ns(leader->loop), leader->renewed_ns);
        assert(spent_ns >= 0);
        timer_start(leader->deadline, ns_subtract(leader->options.renew_deadline_ns, spent_ns));
        timer_start(leader->retry, leader->options.retry_period_ns);
        bool is_new = !leader->is_leading;
        leader->is_leading = true;
        if (is_new) {
            log_info("became leader", "n:Lease", leader->namespace, leader->name, "s:identity",
                     leader->identity);
            leader->options.started(leader->options.context);
        }
        return;
    }
    bool changed = result->error.kind == ERROR_CONFLICT || result->error.kind == ERROR_NOT_FOUND ||
                   result->error.kind == ERROR_ALREADY_EXISTS;
    if (leader->is_leading && changed) {
        if (leader->options.slow_path != NULL)
            leader->options.slow_path(leader->options.context);
        get_lease(leader);
    } else {
        attempt_again(leader);
    }
}

// Records the server's Lease. This process's own clock decides whether another holder is alive: the
// lease duration counts from the moment at which the change was seen here.
static bool observe(struct leader *leader, const struct kube_result *result)
{
    if (result->error.kind != ERROR_NONE) {
        log_debug("leader election", "s:error", result->error.message);
        return false;
    }
    if (!json_is_object(json_object_get(result->body, "metadata")))
        return false;
    const json_t *before = json_object_get(leader->lease, "spec");
    json_t *lease = json_deep_copy(result->body);
    if (leader->lease == NULL || before == NULL ||
        !json_equal(before, json_object_get(lease, "spec")))
        leader->observed_ns = loop_monotonic_ns(leader->loop);
    json_decref(leader->lease);
    leader->lease = lease;
    return true;
}

static bool held_by_other(const struct leader *leader)
{
    assert(leader->lease != NULL);
    const char *who = holder(leader);
    if (who == NULL || who[0] == '\0' || strcmp(who, leader->identity) == 0)
        return false;
    const json_t *spec = json_object_get(leader->lease, "spec");
    int64_t duration_ns = leader->options.lease_duration_ns;
    json_int_t seconds = json_integer_value(json_object_get(spec, "leaseDurationSeconds"));
    if (seconds > 0 && seconds < INT32_MAX)
        duration_ns = ns_multiply(seconds, SECOND);
    return ns_subtract(loop_monotonic_ns(leader->loop), leader->observed_ns) < duration_ns;
}

static const char *holder(const struct leader *leader)
{
    return json_string_value(
        json_object_get(json_object_get(leader->lease, "spec"), "holderIdentity"));
}

static void attempt_again(struct leader *leader)
{
    assert(!leader->is_releasing);
    int64_t delay_ns = leader->options.retry_period_ns;
    if (!leader->is_leading) {
        timer_stop(leader->deadline);
        delay_ns = ns_add(
            delay_ns, (int64_t)((double)delay_ns * ACQUIRE_JITTER * random_unit(&leader->random)));
    }
    timer_start(leader->retry, delay_ns);
}

static void deadline_reached(void *context)
{
    struct leader *leader = context;
    if (leader->is_releasing) {
        release_end(leader);
    } else if (leader->is_leading) {
        lose(leader, "it could not be renewed in time");
    } else { // the attempt got no answer
        kube_cancel(leader->client, leader);
        attempt_again(leader);
    }
}

// Final: a replica that has lost the lease must not resume with its old state.
static void lose(struct leader *leader, const char *why)
{
    assert(leader->is_leading);
    leader->is_leading = false;
    kube_cancel(leader->client, leader);
    timer_stop(leader->retry);
    timer_stop(leader->deadline);
    log_error("leader election lost", "n:Lease", leader->namespace, leader->name, "s:reason", why);
    leader->options.lost(leader->options.context);
}

// --- releasing -----------------------------------------------------------------------------------
void leader_release(struct leader *leader, void (*done)(void *context), void *context)
{
    assert(done != NULL);
    assert(!leader->is_releasing);
    leader->is_releasing = true;
    leader->released = done;
    leader->released_context = context;
    kube_cancel(leader->client, leader);
    timer_stop(leader->retry);
    if (leader->is_leading) {
        leader->is_leading = false;
        timer_start(leader->deadline, RELEASE_TIMEOUT_NS);
        // Reads first: a renewal that was under way may have changed the version.
        release_begin(leader);
    } else {
        timer_start(leader->deadline, 0);
    }
}

static void release_begin(void *context)
{
    struct leader *leader = context;
    kube_get(leader->client, KIND_LEASE, leader->namespace, leader->name, release_got, leader);
}

static void release_got(void *context, const struct kube_result *result)
{
    struct leader *leader = context;
    assert(leader->is_releasing);
    if (observe(leader, result) && text_equal(holder(leader), leader->identity))
        release_write(leader);
    else
        release_end(leader);
}

static void release_write(struct leader *leader)
{
    assert(leader->lease != NULL);
    char now[INSTANT_TEXT_MAX];
    instant_format_micro(loop_now_ns(leader->loop), now);
    json_t *body = json_deep_copy(leader->lease);
    json_t *spec = json_object_get(body, "spec");
    json_object_set_new(spec, "holderIdentity", json_string(""));
    json_object_set_new(spec, "leaseDurationSeconds", json_integer(1));
    json_object_set_new(spec, "renewTime", json_string(now));
    json_object_set_new(spec, "acquireTime", json_string(now));
    kube_update_json(leader->client,
                     &(struct kube_target){KIND_LEASE, leader->namespace, leader->name}, body,
                     release_wrote, leader);
    json_decref(body);
}

static void release_wrote(void *context, const struct kube_result *result)
{
    struct leader *leader = context;
    if (result->error.kind == ERROR_CONFLICT) // the cancelled renewal arrived after all
        release_begin(leader);
    else
        release_end(leader);
}

static void release_end(struct leader *leader)
{
    assert(leader->is_releasing);
    assert(!leader->is_leading);
    kube_cancel(leader->client, leader);
    timer_stop(leader->deadline);
    leader->released(leader->released_context); // may destroy the leader
}
