#include "engine/problem/volume_alternatives.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "engine/problem/asked_keys.h"

#define ALTERNATIVES_MAX 4096 // of one pod; volumes with more alternatives are refused

static bool is_hostname(const struct problem *problem, const char *key)
{
    return vocabulary_find_key(problem->vocabulary, key) == problem->keys.hostname;
}

static void ask(struct problem *problem, const char *key)
{
    problem_ask_key(problem, vocabulary_key(problem->vocabulary, key));
}

static struct volume_alternatives of_volume(struct problem *problem,
                                            const struct persistent_volume *volume)
{
    struct volume_alternatives result = {0};
    if (volume->spec.node_affinity == NULL || volume->spec.node_affinity->required == NULL)
        return result;
    const node_selector_term_list *terms =
        &volume->spec.node_affinity->required->node_selector_terms;
    bool elsewhere = volume->spec.local != NULL || volume->spec.host_path != NULL;
    result.sets = arena_allocate_array(problem->arena, terms->count + 1, sizeof *result.sets);
    list_for_each (term, terms) {
        if (term->match_expressions.count == 0)
            continue;
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        uint32_t set = SET_EMPTY;
        list_for_each (expression, &term->match_expressions) {
            struct requirement requirement =
                requirement_make(scratch, problem->vocabulary, expression);
            if (elsewhere && is_hostname(problem, expression->key))
                continue;
            ask(problem, expression->key);
            set = set_add(problem->sets, set, &requirement);
        }
        result.sets[result.count++] = set;
    }
    return result;
}

// SCH-515: the zones of the volume's own labels; several are joined by "__".
static uint32_t zones_of_volume(struct problem *problem, const struct persistent_volume *volume)
{
    static const char *const keys[] = {LABEL_ZONE, "topology.kubernetes.io/region",
                                       "failure-domain.beta.kubernetes.io/zone",
                                       "failure-domain.beta.kubernetes.io/region"};
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    uint32_t set = SET_EMPTY;
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        const char *label = string_map_get(&volume->meta.labels, keys[i]);
        if (label == NULL || label[0] == '\0')
            continue;
        uint32_t values[64], count = 0;
        for (const char *rest = label; rest != NULL && count < ARRAY_LENGTH(values);) {
            const char *end = strstr(rest, "__");
            size_t length = end != NULL ? (size_t)(end - rest) : strlen(rest);
            values[count++] = vocabulary_value(problem->vocabulary,
                                               arena_format(scratch, "%.*s", (int)length, rest));
            rest = end != NULL ? end + 2 : NULL;
        }
        uint32_t key = vocabulary_key(problem->vocabulary, keys[i]);
        struct requirement requirement = requirement_in_values(scratch, key, values, count);
        problem_ask_key(problem, key);
        set = set_add(problem->sets, set, &requirement);
    }
    return set;
}

// The alternatives narrowed to the volume's labels; without alternatives, the labels alone.
static void add_zones(struct problem *problem, const struct persistent_volume *volume,
                      struct volume_alternatives *alternatives)
{
    uint32_t zones = zones_of_volume(problem, volume);
    if (zones == SET_EMPTY || !problem->strategy->filters_as_scheduler)
        return;
    if (alternatives->count == 0) {
        alternatives->sets = arena_allocate_array(problem->arena, 1, sizeof *alternatives->sets);
        alternatives->sets[alternatives->count++] = zones;
        return;
    }
    for (uint32_t i = 0; i < alternatives->count; i++)
        alternatives->sets[i] = set_meet(problem->sets, alternatives->sets[i], zones);
}

static struct volume_alternatives of_class(struct problem *problem,
                                           const struct storage_class *class)
{
    struct volume_alternatives result = {0};
    result.sets = arena_allocate_array(problem->arena, class->allowed_topologies.count + 1,
                                       sizeof *result.sets);
    list_for_each (term, &class->allowed_topologies) {
        if (term->match_label_expressions.count == 0)
            continue;
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        uint32_t set = SET_EMPTY;
        list_for_each (label, &term->match_label_expressions) {
            struct selector_requirement source = {
                .key = label->key, .operator= "In", .values = label->values};
            struct requirement requirement =
                requirement_make(scratch, problem->vocabulary, &source);
            ask(problem, label->key);
            set = set_add(problem->sets, set, &requirement);
        }
        result.sets[result.count++] = set;
    }
    return result;
}

bool volume_alternatives_of(struct problem *problem, const struct persistent_volume_claim *claim,
                            struct volume_alternatives *out, struct text *error)
{
    if (!text_is_empty(claim->spec.volume_name)) {
        const struct persistent_volume *volume =
            map_get(problem->volumes.items, claim->spec.volume_name);
        if (volume == NULL) {
            text_format(error,
                        "getting existing requirements, getting persistent volume, "
                        "persistentvolumes \"%s\" not found (PersistentVolume=%s)",
                        claim->spec.volume_name, claim->spec.volume_name);
            return false;
        }
        *out = of_volume(problem, volume);
        add_zones(problem, volume, out);
        return true;
    }
    const char *class_name = claim->spec.storage_class_name;
    if (text_is_empty(class_name))
        return true;
    const struct storage_class *class = map_get(problem->volumes.storage_classes, class_name);
    if (class == NULL) {
        text_format(error,
                    "getting storage class, storageclasses.storage.k8s.io \"%s\" not found "
                    "(StorageClass=%s)",
                    class_name, class_name);
        return false;
    }
    *out = of_class(problem, class);
    return true;
}

// SCH-335: the cross product, earlier volumes varying slowest. Pairs that do not intersect are
// dropped unless none would be left.
bool volume_alternatives_cross(struct problem *problem, struct volume_alternatives *all,
                               const struct volume_alternatives *next)
{
    if (next->count == 0)
        return true;
    if (all->count == 0) {
        *all = *next;
        return true;
    }
    uint64_t pairs = (uint64_t)all->count * next->count;
    if (pairs > ALTERNATIVES_MAX)
        return false;
    uint32_t *sets = arena_allocate_array(problem->arena, pairs, sizeof *sets);
    uint32_t count = 0;
    for (int keep_all = 0; keep_all < 2 && count == 0; keep_all++)
        for (uint32_t i = 0; i < all->count; i++)
            for (uint32_t j = 0; j < next->count; j++)
                if (keep_all || sets_intersect(problem->sets, all->sets[i], next->sets[j]))
                    sets[count++] = set_meet(problem->sets, all->sets[i], next->sets[j]);
    assert(count > 0);
    assert(count <= pairs);
    *all = (struct volume_alternatives){sets, count};
    return true;
}
