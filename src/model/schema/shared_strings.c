#include "model/schema/shared_strings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SLOTS (SHARED_STRINGS_MAX * 2) // at most half full: probes stay short and always end

struct shared_entry {
    uint32_t hash;
    uint32_t length;
    char text[];
};

// The one process-wide table: a cache of immutable texts, invisible to every result.
static struct shared_entry *slots[SLOTS];
static uint32_t entries;

static bool entry_is(const struct shared_entry *entry, const char *text, size_t length,
                     uint64_t hash)
{
    return entry->hash == (uint32_t)hash && entry->length == length &&
           memcmp(entry->text, text, length) == 0;
}

static struct shared_entry *entry_create(const char *text, size_t length, uint64_t hash)
{
    assert(length <= SHARED_STRING_LENGTH_MAX);
    struct shared_entry *entry = memory_allocate(sizeof *entry + length + 1);
    entry->hash = (uint32_t)hash;
    entry->length = (uint32_t)length;
    memcpy(entry->text, text, length);
    return entry;
}

// Takes one of the SHARED_STRINGS_MAX entries; false when all are taken.
static bool reserve_place(void)
{
    if (__atomic_add_fetch(&entries, 1, __ATOMIC_RELAXED) <= SHARED_STRINGS_MAX)
        return true;
    __atomic_sub_fetch(&entries, 1, __ATOMIC_RELAXED);
    return false;
}

const char *shared_string(const char *text, size_t length, uint64_t hash, bool add)
{
    assert(text != NULL);
    if (length > SHARED_STRING_LENGTH_MAX)
        return NULL;
    struct shared_entry *fresh = NULL;
    for (size_t slot = hash % SLOTS;; slot = (slot + 1) % SLOTS) {
        struct shared_entry *entry = __atomic_load_n(&slots[slot], __ATOMIC_ACQUIRE);
        if (entry == NULL) {
            if (fresh == NULL) {
                if (!add || !reserve_place())
                    return NULL;
                fresh = entry_create(text, length, hash);
            }
            if (__atomic_compare_exchange_n(&slots[slot], &entry, fresh, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return fresh->text;
            // Another thread took this slot: `entry` is its string.
        }
        if (entry_is(entry, text, length, hash)) {
            if (fresh != NULL) {
                free(fresh);
                __atomic_sub_fetch(&entries, 1, __ATOMIC_RELAXED);
            }
            return entry->text;
        }
    }
}

uint32_t shared_strings_count(void)
{
    return __atomic_load_n(&entries, __ATOMIC_RELAXED);
}
