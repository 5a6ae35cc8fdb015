#include "base/hash.h"

#include <assert.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

uint64_t hash_fnv1(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < length; i++) {
        hash *= FNV_PRIME;
        hash ^= bytes[i];
    }
    return hash;
}

uint64_t hash_fnv1a(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < length; i++) {
        hash ^= bytes[i];
        hash *= FNV_PRIME;
    }
    return hash;
}

uint64_t hash_string(const char *text)
{
    assert(text != NULL);
    return hash_bytes(text, strlen(text));
}

// Eight bytes a round. The length goes in first, so that trailing zero bytes count.
uint64_t hash_bytes(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint64_t hash = hash_mix(FNV_OFFSET, length);
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        hash = hash_mix(hash, word);
    }
    uint64_t tail = 0;
    if (length != 0)
        memcpy(&tail, bytes, length);
    return hash_mix(hash, tail);
}

void hash_sha256_hex(const void *data, size_t length, char out[65])
{
    assert(data != NULL || length == 0);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(length != 0 ? data : "", length, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

// Takes the digest's first 128 bits and marks them as version 8 ("custom") of RFC 9562.
void hash_uuid(const char *text, char out[37])
{
    assert(text != NULL);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)text, strlen(text), digest);
    digest[6] = (unsigned char)((digest[6] & 0x0F) | 0x80);
    digest[8] = (unsigned char)((digest[8] & 0x3F) | 0x80);
    char *at = out;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        at += snprintf(at, 3, "%02x", digest[i]);
    }
    assert(at == out + 36);
    assert(out[14] == '8');
}
