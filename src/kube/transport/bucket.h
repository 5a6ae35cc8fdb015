// A token bucket: `rate` tokens a second, at most `burst` at once, full at the start.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct bucket {
    double rate; // <= 0: unlimited
    double burst;
    double tokens;
    int64_t filled_ns; // monotonic instant of `tokens`
};
struct bucket bucket_create(double rate, double burst, int64_t now_ns);
// Takes one token if there is one.
bool bucket_allow(struct bucket *bucket, int64_t now_ns);
// Takes one token, on credit if necessary. Returns the wait before its use.
int64_t bucket_reserve(struct bucket *bucket, int64_t now_ns);
