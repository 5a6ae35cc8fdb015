#include "sim/aws/account_faults.h"

#include <assert.h>
#include <fnmatch.h>
#include <string.h>

#include "base/hash.h"

#define STOCK_OUT_SPAN (10 * MINUTE) // a pool is without capacity for so long, or again

struct fault {
    struct aws_account_fault order;
    bool hit; // in the fleet at hand
};
struct account_faults {
    VECTOR(struct fault) list;
};

struct account_faults *account_faults_create(void)
{
    return memory_allocate(sizeof(struct account_faults));
}

void account_faults_add(struct aws_account *account, const struct aws_account_fault *fault)
{
    assert(fault->action != NULL);
    assert(fault->code != NULL);
    struct fault copy = {.order = *fault};
    copy.order.action = memory_copy_string(fault->action);
    copy.order.code = memory_copy_string(fault->code);
    copy.order.message = memory_copy_string(text_or_empty(fault->message));
    copy.order.pools = json_deep_copy(fault->pools);
    vector_push(&account->faults->list, copy);
}

void account_faults_clear(struct aws_account *account)
{
    vector_for_each (fault, &account->faults->list) {
        free(fault->order.action);
        free(fault->order.code);
        free(fault->order.message);
        json_decref(fault->order.pools);
    }
    vector_free(&account->faults->list);
}

void account_faults_destroy(struct account_faults *faults)
{
    assert(faults == NULL || faults->list.count == 0);
    free(faults);
}

static bool throttle_refuse(struct account_call *call)
{
    if (call->service == AWS_EC2)
        return account_refuse(call, 503, "RequestLimitExceeded", "Request limit exceeded.");
    bool xml = call->service == AWS_IAM || call->service == AWS_STS;
    return account_refuse(call, 400, xml ? "Throttling" : "ThrottlingException", "Rate exceeded");
}

static void random_faults(struct account_call *call)
{
    struct aws_account *account = call->account;
    const struct aws_account_options *options = &account->options;
    if (options->throttle_share > 0 && random_chance(&account->random, options->throttle_share))
        throttle_refuse(call);
    else if (options->server_error_share > 0 &&
             random_chance(&account->random, options->server_error_share))
        account_refuse(call, random_chance(&account->random, 0.5) ? 500 : 503,
                       call->service == AWS_EC2 ? "InternalError" : "InternalFailure",
                       "An internal error has occurred");
}

static bool fault_is_left(const struct fault *fault, const char *action)
{
    return fault->order.times != 0 && strcmp(fault->order.action, action) == 0;
}

void account_faults_of_call(struct account_call *call)
{
    assert(call->code == NULL);
    vector_for_each (fault, &call->account->faults->list) {
        const struct aws_account_fault *order = &fault->order;
        if (order->pools != NULL || !fault_is_left(fault, call->action) ||
            (order->dry_run >= 0 && order->dry_run != (int)call->dry_run))
            continue;
        if (order->times > 0)
            fault->order.times--;
        account_refuse(call, order->status != 0 ? order->status : 400, order->code, "%s",
                       order->message);
        return;
    }
    random_faults(call);
}

static bool pool_matches(const json_t *pool, const char *type, const char *zone,
                         const char *const *capacity_types)
{
    const char *patterns[3];
    for (size_t i = 0; i < 3; i++) {
        const char *pattern = json_string_value(json_array_get(pool, i));
        patterns[i] = pattern != NULL ? pattern : "*";
    }
    if (fnmatch(patterns[0], type, 0) != 0 || fnmatch(patterns[1], zone, 0) != 0)
        return false;
    for (; *capacity_types != NULL; capacity_types++)
        if (fnmatch(patterns[2], *capacity_types, 0) == 0)
            return true;
    return false;
}

const struct aws_account_fault *account_faults_of_pool(struct aws_account *account,
                                                       const char *type, const char *zone,
                                                       const char *const *capacity_types)
{
    assert(capacity_types[0] != NULL);
    vector_for_each (fault, &account->faults->list) {
        size_t i;
        json_t *pool;
        if (!fault_is_left(fault, "CreateFleet") || fault->order.pools == NULL)
            continue;
        json_array_foreach (fault->order.pools, i, pool) {
            if (!pool_matches(pool, type, zone, capacity_types))
                continue;
            fault->hit = true;
            return &fault->order;
        }
    }
    return NULL;
}

void account_faults_fleet_ends(struct aws_account *account)
{
    vector_for_each (fault, &account->faults->list) {
        if (fault->hit && fault->order.times > 0)
            fault->order.times--;
        fault->hit = false;
    }
}

bool account_faults_stock_out(const struct aws_account *account, const char *type, const char *zone,
                              const char *capacity_type)
{
    double share = account->options.stock_out_share;
    if (share <= 0)
        return false;
    uint64_t span = (uint64_t)(loop_now_ns(account->loop) / STOCK_OUT_SPAN);
    uint64_t hash = hash_mix(account->options.seed, span);
    hash = hash_mix(hash, hash_string(type));
    hash = hash_mix(hash, hash_string(zone));
    hash = hash_mix(hash, hash_string(capacity_type));
    return (double)(hash >> 11) * 0x1p-53 < share;
}

bool account_faults_pool_runs_dry(struct aws_account *account)
{
    double share = account->options.stock_out_share;
    return share > 0 && random_chance(&account->random, share);
}
