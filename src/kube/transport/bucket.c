#include "kube/transport/bucket.h"

#include <assert.h>

#include "base/nanoseconds.h"

static void bucket_fill(struct bucket *bucket, int64_t now_ns);

struct bucket bucket_create(double rate, double burst, int64_t now_ns)
{
    double size = burst >= 1 ? burst : 1; // below one token nothing would ever pass
    return (struct bucket){.rate = rate, .burst = size, .tokens = size, .filled_ns = now_ns};
}

bool bucket_allow(struct bucket *bucket, int64_t now_ns)
{
    assert(bucket->burst >= 1);
    if (bucket->rate <= 0)
        return true;
    bucket_fill(bucket, now_ns);
    if (bucket->tokens < 1)
        return false;
    bucket->tokens -= 1;
    return true;
}

int64_t bucket_reserve(struct bucket *bucket, int64_t now_ns)
{
    assert(bucket->burst >= 1);
    if (bucket->rate <= 0)
        return 0;
    bucket_fill(bucket, now_ns);
    bucket->tokens -= 1;
    if (bucket->tokens >= 0)
        return 0;
    return ns_from_seconds(-bucket->tokens / bucket->rate);
}

static void bucket_fill(struct bucket *bucket, int64_t now_ns)
{
    assert(now_ns >= bucket->filled_ns);
    double seconds = (double)ns_subtract(now_ns, bucket->filled_ns) / (double)SECOND;
    bucket->filled_ns = now_ns;
    bucket->tokens += seconds * bucket->rate;
    if (bucket->tokens > bucket->burst)
        bucket->tokens = bucket->burst;
}
