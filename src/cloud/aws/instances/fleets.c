#include "cloud/aws/instances/fleets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/launch_failure.h"

#define TEMPLATE_GONE   "InvalidLaunchTemplateName.NotFoundException"
#define TOKEN_TAKEN     "IdempotentParameterMismatch"
#define TOKENS_MAX      8             // of one batch, when earlier ones are taken
#define ADVICES_MAX     1000          // sets of quotas that are used up
#define UNKNOWN_MAX_AGE (10 * MINUTE) // then the fleet is given up: what it made is an orphan

struct fleet { // one CreateFleet, and its repetitions with the same token
    struct launches *launches;
    struct fleet *next, *previous;
    VECTOR(struct launch *) members; // in the order of arrival; NULL: has left
    json_t *request;
    struct aws_call *call; // NULL: none is under way
    struct batch *batch;   // NULL: finished
    uint32_t attempt, tokens;
    bool busy;          // its members are being told: it must stay
    int64_t created_at; // monotonic
    int64_t asked_at;   // instant of the first call
};

// --- life ----------------------------------------------------------------------------------------

static struct fleet *fleet_create(struct launches *launches, struct batch *batch)
{
    struct fleet *fleet = memory_allocate(sizeof *fleet);
    fleet->launches = launches;
    fleet->batch = batch;
    fleet->created_at = loop_monotonic_ns(launches->environment.loop);
    fleet->next = launches->fleets;
    if (launches->fleets != NULL)
        launches->fleets->previous = fleet;
    launches->fleets = fleet;
    return fleet;
}

static void fleet_free(struct fleet *fleet)
{
    if (fleet->previous != NULL)
        fleet->previous->next = fleet->next;
    else
        fleet->launches->fleets = fleet->next;
    if (fleet->next != NULL)
        fleet->next->previous = fleet->previous;
    vector_for_each (member, &fleet->members)
        if (*member != NULL)
            (*member)->fleet = NULL;
    vector_free(&fleet->members);
    json_decref(fleet->request);
    free(fleet);
}

void fleets_destroy(struct launches *launches)
{
    while (launches->fleets != NULL) {
        struct fleet *fleet = launches->fleets;
        if (fleet->call != NULL)
            aws_call_cancel(fleet->call);
        if (fleet->batch != NULL)
            batch_abandon(fleet->batch);
        fleet_free(fleet);
    }
}

static struct launch *first_member(const struct fleet *fleet)
{
    vector_for_each (member, &fleet->members)
        if (*member != NULL)
            return *member;
    return NULL;
}

void fleet_leave(struct launch *launch)
{
    struct fleet *fleet = launch->fleet;
    vector_for_each (member, &fleet->members)
        if (*member == launch)
            *member = NULL;
    launch->fleet = NULL;
    if (first_member(fleet) == NULL && fleet->call == NULL && !fleet->busy)
        fleet_free(fleet);
}

// --- the call ------------------------------------------------------------------------------------

static void fleet_done(void *context, const struct aws_result *result);

// AWI-927: the token is the same whenever the same claims try for the same time, also in another
// life of the process.
static void set_token(struct fleet *fleet)
{
    char token[37];
    const char **uids = memory_allocate_array(fleet->members.count, sizeof *uids);
    for (uint32_t i = 0; i < fleet->members.count; i++)
        uids[i] = fleet->members.items[i]->record->uid;
    fleet_client_token(uids, fleet->members.count, fleet->attempt, token);
    json_object_set_new(fleet->request, "ClientToken", json_string(token));
    free(uids);
}

static void fleet_send(struct fleet *fleet)
{
    assert(fleet->call == NULL);
    fleet->call =
        aws_client_start(fleet->launches->environment.client,
                         &(struct aws_request){.action = EC2_CREATE_FLEET,
                                               .parameters = json_deep_copy(fleet->request),
                                               .done = fleet_done,
                                               .context = fleet});
}

void fleets_run(void *launches, struct batch *batch)
{
    struct fleet *fleet = fleet_create(launches, batch);
    assert(batch->count > 0);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct launch *launch = batch->items[i];
        launch->fleet = fleet;
        vector_push(&fleet->members, launch);
        if (launch->record->attempts > fleet->attempt)
            fleet->attempt = launch->record->attempts;
    }
    fleet->request = json_deep_copy(fleet->members.items[0]->request);
    json_object_set_new(json_object_get(fleet->request, "TargetCapacitySpecification"),
                        "TotalTargetCapacity", json_integer(batch->count));
    fleet->asked_at = loop_now_ns(fleet->launches->environment.loop);
    set_token(fleet);
    fleet_send(fleet);
}

void fleet_resume(struct fleet *fleet)
{
    if (fleet->call == NULL)
        fleet_send(fleet);
}

// --- failed calls (AWI-311) ----------------------------------------------------------------------

static struct launch_error error_of(const struct aws_result *result)
{
    struct launch_error error = {0};
    struct text text = {0};
    text_format(&text, "%s: %s", result->code, result->message);
    struct launch_failure failure = launch_failure_of(text.data);
    const char *prefix = text_equal(result->code, TEMPLATE_GONE)
                             ? "Launch templates not found when creating fleet request"
                             : "Error creating fleet request";
    launch_refuse(&error, failure.reason, "%s: %s (%s)", prefix, failure.message,
                  result->error.message);
    text_free(&text);
    return error;
}

// EC2 may have made the instances all the same.
static bool is_unknown(const struct fleet *fleet, const struct aws_result *result)
{
    int64_t age =
        ns_subtract(loop_monotonic_ns(fleet->launches->environment.loop), fleet->created_at);
    return (result->fault == AWS_FAULT_NO_ANSWER || result->fault == AWS_FAULT_SERVER) &&
           age < UNKNOWN_MAX_AGE;
}

static void finish_batch(struct fleet *fleet)
{
    struct batch *batch = fleet->batch;
    fleet->batch = NULL;
    if (batch != NULL)
        batch_finish(batch);
}

// Each member leaves and gets its error; the fleet is gone then.
static void fail_all(struct fleet *fleet, const struct launch_error *error, bool retry)
{
    const struct launch_endings *endings = fleet->launches->endings;
    struct batch *batch = fleet->batch;
    VECTOR(struct launch *)
    members = {fleet->members.items, fleet->members.count, fleet->members.capacity};
    fleet->members.items = NULL;
    fleet->members.count = fleet->members.capacity = 0;
    vector_for_each (member, &members)
        if (*member != NULL)
            (*member)->fleet = NULL;
    fleet_free(fleet);
    vector_for_each (member, &members) {
        if (*member != NULL && retry)
            endings->retry(*member, error);
        else if (*member != NULL)
            endings->fail(*member, error);
    }
    vector_free(&members);
    if (batch != NULL)
        batch_finish(batch);
}

static void fleet_failed(struct fleet *fleet, const struct aws_result *result)
{
    const struct launch_endings *endings = fleet->launches->endings;
    struct launch_error error = error_of(result);
    if (text_equal(result->code, TOKEN_TAKEN) && fleet->tokens < TOKENS_MAX) {
        // Another request has used it, such as one of an earlier life with other offerings.
        fleet->tokens++;
        fleet->attempt++;
        bool complete = true;
        vector_for_each (member, &fleet->members)
            complete = complete && *member != NULL;
        if (complete) {
            set_token(fleet);
            fleet_send(fleet);
            return;
        }
    }
    if (!is_unknown(fleet, result)) {
        fail_all(fleet, &error, text_equal(result->code, TEMPLATE_GONE));
        return;
    }
    // Waiters may ask again at once, which sends the fleet anew: `fleet` stays, its list does not
    // change meanwhile but by NULLs.
    fleet->busy = true;
    for (uint32_t i = 0; i < fleet->members.count; i++)
        if (fleet->members.items[i] != NULL)
            endings->suspend(fleet->members.items[i], &error);
    finish_batch(fleet);
    fleet->busy = false;
    if (first_member(fleet) == NULL && fleet->call == NULL)
        fleet_free(fleet);
}

// --- answers (AWI-312, 365) ----------------------------------------------------------------------

static void log_shortage(const struct fleet_answer *answer, const struct launch_error *error,
                         const char *request_id)
{
    log_error("failed creating fleet instances", "s:error", error->error.message, "s:fleet-id",
              answer->fleet_id, "s:aws-error-code", "UnfulfillableCapacity", "s:aws-operation-name",
              "CreateFleet", "s:aws-service-name", "EC2", "i:aws-status-code", (int64_t)200,
              "s:aws-request-id", request_id);
}

static void learn(struct fleet *fleet, const struct launch *launch,
                  const struct fleet_answer *answer)
{
    struct aws_machines_environment *environment = &fleet->launches->environment;
    struct fleet_learning learning = {environment->unavailable, environment->reservations,
                                      environment->addresses, fleet->launches->failures};
    struct fleet_launch facts = launch_plan_for_fleet(&launch->plan);
    bool role_missing = fleet_errors_learn(&learning, &facts, answer);
    if (!role_missing || environment->spot_role_missing == NULL)
        return;
    vector_for_each (member, &fleet->members)
        if (*member != NULL)
            environment->spot_role_missing(environment->context, (*member)->plan.claim);
}

static void distribute(struct fleet *fleet, const struct fleet_answer *answer,
                       const struct launch_error *error)
{
    const struct launch_endings *endings = fleet->launches->endings;
    VECTOR(struct launch *)
    members = {fleet->members.items, fleet->members.count, fleet->members.capacity};
    int64_t asked_at = fleet->asked_at;
    uint32_t given = 0;
    fleet->members.items = NULL;
    fleet->members.count = fleet->members.capacity = 0;
    vector_for_each (member, &members)
        if (*member != NULL)
            (*member)->fleet = NULL;
    // The place counts, also of those who have left: the same order at every repetition.
    for (uint32_t i = 0; i < members.count; i++) {
        const struct fleet_instance *instance =
            given < answer->count ? &answer->items[given++] : NULL;
        if (members.items[i] == NULL)
            continue;
        if (instance != NULL)
            endings->succeed(members.items[i], instance, asked_at);
        else
            endings->fail(members.items[i], error);
    }
    vector_free(&members);
    for (; given < answer->count; given++)
        log_error("received more instances than requested, ignoring instance", "s:instance-id",
                  answer->items[given].id, "s:fleet-id", answer->fleet_id);
}

// AWI-928. The text lives as long as the launches do: there are few quotas.
static const char *quota_advice(const struct fleet *fleet, const struct launch *launch,
                                const struct fleet_answer *answer)
{
    struct launches *launches = fleet->launches;
    const struct aws_machines_environment *environment = &launches->environment;
    struct text text = {0};
    if (launch == NULL || environment->settings->compatibility_upstream)
        return NULL;
    fleet_quota_advice(answer, launch->plan.capacity_type, environment->cluster->region, &text);
    if (text.length == 0 || map_count(launches->advices) >= ADVICES_MAX) {
        text_free(&text);
        return NULL;
    }
    char *kept = map_get(launches->advices, text.data);
    if (kept == NULL) {
        kept = memory_copy_string(text.data);
        map_set(launches->advices, kept, kept);
    }
    text_free(&text);
    return kept;
}

static void fleet_answered(struct fleet *fleet, const struct aws_result *result)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct launch *launch = first_member(fleet);
    struct batch *batch = fleet->batch;
    struct fleet_answer answer;
    struct launch_error error = {0};
    fleet_answer_read(arena, fleet->request, result->reply, &answer);
    if (launch != NULL)
        learn(fleet, launch, &answer);
    fleet_failure(&answer, &error.error, &error.reason);
    if (answer.count < fleet->members.count)
        log_shortage(&answer, &error, result->request_id);
    if (error.error.kind == ERROR_INSUFFICIENT_CAPACITY) {
        error_prefix(&error.error, "creating instance");
        error.reason = quota_advice(fleet, launch, &answer);
    }
    distribute(fleet, &answer, &error);
    fleet_free(fleet); // the answer's texts were its request's
    if (batch != NULL)
        batch_finish(batch);
}

static void fleet_done(void *context, const struct aws_result *result)
{
    struct fleet *fleet = context;
    fleet->call = NULL;
    if (result->error.kind != ERROR_NONE)
        fleet_failed(fleet, result);
    else
        fleet_answered(fleet, result);
}
