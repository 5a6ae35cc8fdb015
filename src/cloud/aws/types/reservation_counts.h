// Free instances of capacity reservations (AWN-134, AWI-615, 941): the fetched number less the
// launches begun since the fetch.
#pragma once

#include "base/loop.h"

struct reservation_counts;
struct reservation_counts *reservation_counts_create(struct loop *loop);
void reservation_counts_destroy(struct reservation_counts *counts);

void reservation_counts_fetched(struct reservation_counts *counts, const char *id,
                                int64_t available,
                                int64_t asked_at); // instant of the request
void reservation_counts_launched(struct reservation_counts *counts, const char *id,
                                 int64_t launched_at);
void reservation_counts_terminated(struct reservation_counts *counts, const char *id);
void reservation_counts_exhausted(struct reservation_counts *counts, const char *id); // 0 until the
                                                                                      // next fetch
int64_t reservation_counts_free(const struct reservation_counts *counts, const char *id);
uint64_t reservation_counts_generation(const struct reservation_counts *counts);
