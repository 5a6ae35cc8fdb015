// Kubernetes quantities as integers. Source: the API's resource.Quantity (API-12, SCH-115).
//
// cpu is held in millicores, every other resource in base units (bytes, counts), rounded up to the
// next unit and saturating at INT64_MAX / INT64_MIN.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define QUANTITY_TEXT_MAX 40

// Parses `text` in units of 10^-exponent (0: whole units, 3: thousandths), rounding up, that is,
// away from zero. Exact. Accepts what Kubernetes accepts and nothing else, including the quirks of
// its scanner: "1.Gi", ".5", and a missing number as zero ("m").
bool quantity_parse_scaled(const char *text, int exponent, int64_t *value,
                           struct error *error) MUST_USE;

// By the resource's name: "cpu" (also "limits.cpu", "requests.cpu") in millicores, others in units.
bool quantity_parse(const char *resource, const char *text, int64_t *value,
                    struct error *error) MUST_USE;

// Canonical text for a value of that resource: cpu "1500m" or "2"; memory, storage and hugepages
// with the largest binary suffix that loses nothing ("2Gi", "123Mi", "1025"); others, and bytes
// below 1024, decimal ("110", "1k").
void quantity_format(const char *resource, int64_t value, char out[QUANTITY_TEXT_MAX]);

int64_t quantity_add(int64_t a, int64_t b);      // saturating
int64_t quantity_subtract(int64_t a, int64_t b); // saturating
int64_t quantity_multiply(int64_t a, int64_t b); // saturating

// USD an hour as decimal text or number to nano-dollars and back; refuses negatives, NaN, > 1e9.
bool price_parse(const char *text, int64_t *nanousd, struct error *error) MUST_USE;
int64_t price_from_double(double usd); // rounds to nearest; saturates; NaN and negatives give -1
double price_to_double(int64_t nanousd);
int64_t price_a_month(int64_t nanousd_an_hour); // of 730 hours; saturating
