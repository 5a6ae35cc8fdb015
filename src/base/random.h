// Seeded pseudo-random numbers (xoshiro256**); the same seed gives the same sequence everywhere.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};
void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
uint64_t random_below(struct random *random, uint64_t bound); // 0 <= result < bound; bound > 0
double random_unit(struct random *random);                    // 0 <= result < 1
bool random_chance(struct random *random, double probability);
// Kubernetes' generateName suffix: 5 characters of "bcdfghjklmnpqrstvwxz2456789" and a NUL.
void random_name_suffix(struct random *random, char out[6]);
void random_uuid(struct random *random, char out[37]); // version 4
uint64_t random_entropy(void);                         // from the operating system
// A number in least..most. If most <= least, returns `least` and draws nothing.
int64_t random_between(struct random *random, int64_t least, int64_t most);
