#include "engine/pods/identity_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct identity_entry {
    uint64_t hash;
    uint32_t identity, next;
};
struct identity_index {
    uint32_t *heads; // by hash: an entry's index + 1
    uint32_t mask;
    VECTOR(struct identity_entry) entries;
    uint32_t known; // number of indexed identities
};

static uint64_t label_hash(const char *namespace, const struct string_pair *label)
{
    return hash_mix(hash_mix(hash_string(namespace), hash_string(label->key)),
                    hash_string(label->value));
}

static void link_entry(struct identity_index *index, uint32_t at)
{
    assert(at < index->entries.count);
    struct identity_entry *entry = &index->entries.items[at];
    uint32_t *head = &index->heads[entry->hash & index->mask];
    entry->next = *head;
    *head = at + 1;
}

static void add_identity(struct identity_index *index, const struct problem *problem,
                         uint32_t identity)
{
    const struct identity *own = &problem->interned.identities.items[identity];
    for (uint32_t i = 0; i < problem->topology.selector_keys_count; i++) {
        struct string_pair label = {
            problem->topology.selector_keys[i],
            string_map_get(own->labels, problem->topology.selector_keys[i])};
        if (label.value != NULL)
            vector_push(&index->entries,
                        (struct identity_entry){label_hash(own->namespace, &label), identity, 0});
    }
}

static struct identity_index *index_of(struct problem *problem)
{
    if (problem->topology.identity_index == NULL)
        problem->topology.identity_index =
            memory_allocate(sizeof *problem->topology.identity_index);
    struct identity_index *index = problem->topology.identity_index;
    assert(index->known <= problem->interned.identities.count);
    if (index->heads != NULL && index->known == problem->interned.identities.count)
        return index;
    for (; index->known < problem->interned.identities.count; index->known++)
        add_identity(index, problem, index->known);
    uint32_t heads = 64;
    while (heads < 2 * index->entries.count)
        heads *= 2;
    free(index->heads);
    index->heads = memory_allocate_array(heads, sizeof *index->heads);
    index->mask = heads - 1;
    for (uint32_t i = 0; i < index->entries.count; i++)
        link_entry(index, i);
    return index;
}

void identity_index_find(struct problem *problem, const char *namespace,
                         const struct string_pair *label,
                         void (*found)(void *context, uint32_t identity), void *context)
{
    const struct identity_index *index = index_of(problem);
    uint64_t hash = label_hash(namespace, label);
    for (uint32_t at = index->heads[hash & index->mask]; at != 0;
         at = index->entries.items[at - 1].next)
        if (index->entries.items[at - 1].hash == hash)
            found(context, index->entries.items[at - 1].identity);
}

void identity_index_free(struct problem *problem)
{
    if (problem->topology.identity_index == NULL)
        return;
    vector_free(&problem->topology.identity_index->entries);
    free(problem->topology.identity_index->heads);
    free(problem->topology.identity_index);
    problem->topology.identity_index = NULL;
}
