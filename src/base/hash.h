// Hashes: 64-bit FNV-1 (drift hashes, API-200), FNV-1a and a fast word hash for tables, SHA-256.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME  UINT64_C(1099511628211)

uint64_t hash_fnv1(const void *data, size_t length);  // multiply, then xor
uint64_t hash_fnv1a(const void *data, size_t length); // xor, then multiply
uint64_t hash_string(const char *text);               // for tables; stable across runs
uint64_t hash_bytes(const void *data, size_t length); // the same of a text's bytes
// Combines two hashes, order matters. Multiplies to 128 bits and folds the halves: every bit of
// both inputs reaches every output bit.
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128)(a ^ UINT64_C(0x9E3779B97F4A7C15)) * (b ^ UINT64_C(0xD1B54A32D192ED03));
    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (a * FNV_PRIME);
}
void hash_sha256_hex(const void *data, size_t length, char out[65]);
// A deterministic UUID-shaped text from `text` (FMT-4: derived uids; idempotency tokens).
void hash_uuid(const char *text, char out[37]);
