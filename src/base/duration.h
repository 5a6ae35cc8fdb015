// Durations and instants: int64 nanoseconds everywhere inside adze.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NANOSECOND  INT64_C(1)
#define MICROSECOND (1000 * NANOSECOND)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND      (1000 * MILLISECOND)
#define MINUTE      (60 * SECOND)
#define HOUR        (60 * MINUTE)

#define DURATION_TEXT_MAX 48
#define INSTANT_TEXT_MAX  40

// Go's time.ParseDuration: "1h30m", "300ms", "-1.5h", "0".
bool duration_parse(const char *text, int64_t *nanoseconds, struct error *error) MUST_USE;
// Go's Duration.String(): "1h30m0s", "1.5s", "0s".
void duration_format(int64_t nanoseconds, char out[DURATION_TEXT_MAX]);

// RFC 3339 as Kubernetes reads it: any offset, optional fraction. Result: nanoseconds since the
// Unix epoch. Instants outside the years 1678 to 2262 become INT64_MIN or INT64_MAX: an API server
// also stores the end of a grace period of three centuries.
bool instant_parse(const char *text, int64_t *nanoseconds, struct error *error) MUST_USE;
void instant_format(int64_t nanoseconds, char out[INSTANT_TEXT_MAX]);       // 2026-01-01T00:00:00Z
void instant_format_micro(int64_t nanoseconds, char out[INSTANT_TEXT_MAX]); // ...00.000000Z
void instant_format_milli(int64_t nanoseconds, char out[INSTANT_TEXT_MAX]); // ...00.000Z
