// Cron schedules of disruption budgets (API-34): five fields or a macro, always UTC.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cron {
    uint64_t minutes, hours, days, months, weekdays; // bit sets
    bool any_day, any_weekday;                       // "*" or "?" (the two are or-ed otherwise)
};
bool cron_parse(const char *text, struct cron *cron, struct error *error) MUST_USE;
// First match strictly after `instant` (nanoseconds since the epoch); INT64_MAX if there is none
// within 5 years.
int64_t cron_next(const struct cron *cron, int64_t instant);
