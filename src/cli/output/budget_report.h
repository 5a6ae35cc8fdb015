// Disruption budgets of NodePools as text and JSON (DIS-777): shared by `adze budgets` and `adze
// explain budget`. Instants are nanoseconds since the epoch.
#pragma once

#include <jansson.h>

#include "engine/disruption/candidates.h"
#include "model/reading/budget_windows.h"

#define LOCAL_TEXT_MAX 64
// "Mon 05 Jan 2026 10:00 CET", in the time zone of TZ.
void local_time_format(int64_t instant, char out[LOCAL_TEXT_MAX]);
// "Mon 05 Jan 10:00 to 18:00 CET"; the end has its day if it differs.
void local_window_add(const struct budget_window *window, struct text *out);
// Sets the instant in UTC and in local time with its offset.
void budget_encode_instant(json_t *json, const char *utc_key, const char *local_key,
                           int64_t instant);

// Allowed disruptions by reason at an instant; BUDGET_UNLIMITED; 0 if a budget is invalid.
void budget_allowed_at(const struct disruption_pool *pool, int64_t instant,
                       int64_t allowed[BUDGET_REASONS_COUNT]);
// By reason: a number, or null without a limit.
json_t *budget_encode_allowed(const int64_t allowed[BUDGET_REASONS_COUNT]);
// "12", or "any" without a limit; `out` has room for 24 characters.
const char *budget_allowed_text(int64_t allowed, char out[24]);

// "NodePool default: 12 nodes, 1 of them is being disrupted or not ready".
void budget_print_heading(const struct disruption_pool *pool);
// The pool's oddities, a line each; nothing if there are none.
void budget_print_oddities(const struct disruption_pool *pool, int64_t now);
json_t *budget_encode_oddities(const struct disruption_pool *pool, int64_t now);
