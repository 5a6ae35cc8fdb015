#include "base/random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define NAME_SUFFIX_LENGTH   5
#define NAME_SUFFIX_ALPHABET "bcdfghjklmnpqrstvwxz2456789"

static uint64_t rotate_left(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

// splitmix64 spreads the seed, so that near seeds give unlike sequences and never all zeros.
void random_seed(struct random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t word = seed;
        word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
        random->state[i] = word ^ word >> 31;
    }
}

uint64_t random_next(struct random *random)
{
    uint64_t *state = random->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

// Rejects the few lowest numbers, which would bias the result.
uint64_t random_below(struct random *random, uint64_t bound)
{
    assert(bound > 0);
    uint64_t refused_below = -bound % bound;
    for (;;) {
        uint64_t number = random_next(random);
        if (number >= refused_below)
            return number % bound;
    }
}

double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

bool random_chance(struct random *random, double probability)
{
    assert(probability >= 0);
    assert(probability <= 1);
    return random_unit(random) < probability;
}

void random_name_suffix(struct random *random, char out[6])
{
    for (int i = 0; i < NAME_SUFFIX_LENGTH; i++)
        out[i] = NAME_SUFFIX_ALPHABET[random_below(random, sizeof NAME_SUFFIX_ALPHABET - 1)];
    out[NAME_SUFFIX_LENGTH] = '\0';
}

void random_uuid(struct random *random, char out[37])
{
    uint64_t high = (random_next(random) & ~UINT64_C(0xF000)) | UINT64_C(0x4000);
    uint64_t low = (random_next(random) & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    snprintf(out, 37, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFFF), (unsigned)(low >> 48),
             (unsigned long long)(low & UINT64_C(0xFFFFFFFFFFFF)));
    assert(out[14] == '4');
    assert(out[36] == '\0');
}

uint64_t random_entropy(void)
{
    uint64_t entropy;
    if (getrandom(&entropy, sizeof entropy, 0) != (ssize_t)sizeof entropy) {
        perror("adze: no random numbers from the operating system");
        abort();
    }
    return entropy;
}

int64_t random_between(struct random *random, int64_t least, int64_t most)
{
    return least + (most > least ? (int64_t)random_below(random, (uint64_t)(most - least) + 1) : 0);
}
