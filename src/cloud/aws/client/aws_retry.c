#include "cloud/aws/client/aws_retry.h"

#include <assert.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"

#define ATTEMPTS_DEFAULT 3
#define ATTEMPTS_MAX     100
#define QUOTA_MAX        500
#define COST             5
#define COST_OF_TIMEOUT  10
#define DELAY_MAX        (20 * SECOND)

bool aws_retry_init(struct aws_retry *retry, const struct aws_environment *environment,
                    struct error *error)
{
    *retry = (struct aws_retry){ATTEMPTS_DEFAULT, QUOTA_MAX};
    const char *attempts = aws_environment_get(environment, "AWS_MAX_ATTEMPTS");
    const char *mode = aws_environment_get(environment, "AWS_RETRY_MODE");
    int64_t number;
    if (attempts != NULL) {
        if (!text_parse_int64(attempts, &number) || number < 0)
            return error_set(error, ERROR_INVALID,
                             "AWS_MAX_ATTEMPTS is no number of attempts: \"%.40s\"", attempts);
        // 0: no limit but that of the program
        retry->attempts_max =
            number == 0 || number > ATTEMPTS_MAX ? ATTEMPTS_MAX : (uint32_t)number;
    }
    // Buckets adapt to AWS's throttling in any mode, so all modes mean the same.
    if (mode != NULL && strcasecmp(mode, "standard") != 0 && strcasecmp(mode, "adaptive") != 0 &&
        strcasecmp(mode, "legacy") != 0)
        return error_set(error, ERROR_INVALID,
                         "AWS_RETRY_MODE is neither standard nor adaptive: \"%.40s\"", mode);
    return true;
}

bool aws_retry_take(struct aws_retry *retry, uint32_t attempt, bool timed_out, uint32_t *taken)
{
    assert(attempt >= 1);
    uint32_t cost = timed_out ? COST_OF_TIMEOUT : COST;
    if (attempt >= retry->attempts_max || retry->quota < cost)
        return false;
    retry->quota -= cost;
    *taken = cost;
    return true;
}

void aws_retry_give_back(struct aws_retry *retry, uint32_t taken)
{
    uint32_t quota = retry->quota + (taken > 0 ? taken : 1);
    retry->quota = quota < QUOTA_MAX ? quota : QUOTA_MAX;
}

int64_t aws_retry_delay(uint32_t attempt, struct random *random)
{
    assert(attempt >= 1);
    int64_t bound = attempt >= 5 ? DELAY_MAX : ns_multiply(INT64_C(1) << attempt, SECOND);
    return ns_from_seconds(random_unit(random) * ns_to_seconds(ns_minimum(bound, DELAY_MAX)));
}
