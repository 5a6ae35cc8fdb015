// Arithmetic on time: instants (nanoseconds since the Unix epoch, or of a monotonic clock) and
// spans (nanoseconds, also negative) are int64 everywhere inside adze.
//
// Times come from outside and may be anywhere in the range of int64, so a sum saturates instead of
// wrapping: the end of a grace period of three centuries is far in the future, never in the past.
// `+`, `-` and `*` on nanoseconds appear in no other source (tests/nanoseconds-check).
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"

// An instant that never comes. Adding or subtracting a span does not change it.
#define NS_NEVER INT64_MAX

// An instant or a span, and a span.
static inline int64_t ns_add(int64_t time, int64_t span)
{
    int64_t sum;
    if (time == NS_NEVER || span == NS_NEVER)
        return NS_NEVER;
    if (__builtin_add_overflow(time, span, &sum))
        return span < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

// A span before an instant, or the span from `earlier` to `time`.
static inline int64_t ns_subtract(int64_t time, int64_t earlier)
{
    int64_t difference;
    if (time == NS_NEVER)
        return NS_NEVER;
    if (__builtin_sub_overflow(time, earlier, &difference))
        return earlier > 0 ? INT64_MIN : INT64_MAX;
    return difference;
}

// `count` times a span, such as a number of seconds: ns_multiply(seconds, SECOND).
static inline int64_t ns_multiply(int64_t count, int64_t span)
{
    int64_t product;
    if (__builtin_mul_overflow(count, span, &product))
        return (count < 0) != (span < 0) ? INT64_MIN : INT64_MAX;
    return product;
}

static inline int64_t ns_minimum(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t ns_maximum(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Truncates `time` to a multiple of `unit`, such as a SECOND.
static inline int64_t ns_truncate(int64_t time, int64_t unit)
{
    assert(unit > 0);
    return time - time % unit;
}

static inline int64_t ns_from_seconds(double seconds)
{
    double span = seconds * (double)SECOND;
    if (!(span < 0x1p63)) // or no number
        return INT64_MAX;
    return span <= -0x1p63 ? INT64_MIN : (int64_t)span;
}

static inline double ns_to_seconds(int64_t span)
{
    return (double)span / (double)SECOND;
}

static inline double seconds_between(int64_t from, int64_t to) // never negative
{
    return to > from ? (double)ns_subtract(to, from) / SECOND : 0;
}
