#include "cli/convert/together.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/convert/tree.h"

#define NAME_MAX_LENGTH 253

struct user { // a NodePool of a class
    struct source *source;
    struct product *product;
    uint32_t group; // of equal kubelets
};
struct class_users {
    VECTOR(struct user) users;
    bool any; // one of them has settings
};
struct class_place {
    struct source *owner;
    struct product *class;
};
struct kubelet_group {
    const json_t *kubelet; // NULL: none
    uint32_t members;
    const char *first; // the smallest name of its pools
};

// --- which NodePools use a class -----------------------------------------------------------------
static const char *class_of(const struct product *product)
{
    const char *kind = tree_text_at(product->object, "spec.template.spec.nodeClassRef.kind");
    return text_equal(kind, "EC2NodeClass")
               ? tree_text_at(product->object, "spec.template.spec.nodeClassRef.name")
               : NULL;
}

static void collect_users(const struct conversion *conversion, struct map *classes)
{
    vector_for_each (item, &conversion->sources) {
        struct source *source = *item;
        for (uint32_t i = 0; i < source->products.count && !source->failed; i++) {
            struct product *product = source->products.items[i];
            if (!product->is_old || strcmp(product_kind(product), "NodePool") != 0)
                continue;
            const char *name = class_of(product);
            if (name == NULL)
                continue;
            struct class_users *users = map_ensure(classes, name, sizeof *users);
            vector_push(&users->users, (struct user){source, product, 0});
            users->any = users->any || product->kubelet != NULL;
        }
    }
}

static void free_users(void *value)
{
    struct class_users *users = value;
    vector_free(&users->users);
    free(users);
}

// --- groups of equal kubelets --------------------------------------------------------------------
static bool same_kubelet(const json_t *a, const json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

static uint32_t group_users(struct class_users *users, struct kubelet_group *groups)
{
    uint32_t count = 0;
    vector_for_each (user, &users->users) {
        const char *name = product_name(user->product);
        uint32_t i = 0;
        while (i < count && !same_kubelet(groups[i].kubelet, user->product->kubelet))
            i++;
        if (i == count)
            groups[count++] = (struct kubelet_group){user->product->kubelet, 0, name};
        groups[i].members++;
        if (strcmp(name, groups[i].first) < 0)
            groups[i].first = name;
        user->group = i;
    }
    return count;
}

static uint32_t main_group(const struct kubelet_group *groups, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (groups[i].members > groups[best].members ||
            (groups[i].members == groups[best].members &&
             strcmp(groups[i].first, groups[best].first) < 0))
            best = i;
    return best;
}

// Where each class is, by its name; the first of a name counts.
static void collect_classes(const struct conversion *conversion, struct map *places)
{
    vector_for_each (item, &conversion->sources)
        for (uint32_t i = 0; i < (*item)->products.count; i++) {
            struct product *product = (*item)->products.items[i];
            if (strcmp(product_kind(product), "EC2NodeClass") != 0 ||
                map_get(places, product_name(product)) != NULL)
                continue;
            struct class_place *place = map_ensure(places, product_name(product), sizeof *place);
            *place = (struct class_place){*item, product};
        }
}

// MIG-46: a document with the settings alone, for a class that is not in the input.
static void add_orphan(struct source *source, const char *name, const json_t *kubelet)
{
    struct product *patch = product_add(source, "karpenter.k8s.aws/v1", "EC2NodeClass", name);
    json_object_set_new(product_spec(patch), "kubelet", json_deep_copy(kubelet));
    note_add(patch, NOTE_TODO, "M-kubelet-orphan", "spec.kubelet",
             "the class %s is not in the input: merge this into it (kubectl patch --type merge)",
             name);
}

static void add_copy(struct class_users *users, uint32_t group, const struct kubelet_group *facts,
                     struct source *owner, const struct product *class)
{
    const char *old = product_name(class), *pools = NULL;
    struct arena *arena = owner->conversion->arena;
    char *name = arena_format(arena, "%s-%s", old, facts->first);
    if (strlen(name) > NAME_MAX_LENGTH)
        name[NAME_MAX_LENGTH] = '\0';
    vector_for_each (user, &users->users) {
        if (user->group != group)
            continue;
        json_object_set_new(tree_make(user->product->object, "spec.template.spec.nodeClassRef"),
                            "name", json_string(name));
        const char *pool = product_name(user->product);
        pools = pools == NULL ? pool : arena_format(arena, "%s, %s", pools, pool);
    }
    struct product *copy = product_add_object(owner, json_deep_copy(class->object));
    copy->is_old = true;
    json_object_set_new(tree_make(copy->object, "metadata"), "name", json_string(name));
    json_object_del(product_spec(copy), "kubelet");
    if (facts->kubelet != NULL)
        json_object_set_new(product_spec(copy), "kubelet", json_deep_copy(facts->kubelet));
    note_add(copy, NOTE_CHANGED, "M-kubelet-split", "spec.kubelet",
             "NodePool %s had another kubelet than the other users of class %s; its nodes will "
             "drift once",
             pools, old);
}

static void move_of_class(const char *name, struct class_users *users,
                          const struct class_place *place)
{
    assert(users->users.count > 0);
    struct kubelet_group *groups = memory_allocate_array(users->users.count, sizeof *groups);
    uint32_t count = group_users(users, groups), best = main_group(groups, count);
    if (place == NULL) {
        for (uint32_t i = 0; i < count; i++)
            if (groups[i].kubelet != NULL)
                add_orphan(users->users.items[0].source, name, groups[i].kubelet);
        free(groups);
        return;
    }
    if (groups[best].kubelet != NULL)
        json_object_set_new(product_spec(place->class), "kubelet",
                            json_deep_copy(groups[best].kubelet));
    for (uint32_t i = 0; i < count; i++)
        if (i != best)
            add_copy(users, i, &groups[i], place->owner, place->class);
    free(groups);
}

void kubelets_move(struct conversion *conversion)
{
    struct map *classes = map_create(), *places = map_create();
    collect_users(conversion, classes);
    collect_classes(conversion, places);
    for (struct map_entry *entry = map_first(classes); entry != NULL; entry = map_next(entry)) {
        struct class_users *users = map_value(entry);
        if (users->any)
            move_of_class(map_key(entry), users, map_get(places, map_key(entry)));
    }
    map_destroy(places, free);
    map_destroy(classes, free_users);
}

// --- names ---------------------------------------------------------------------------------------
static bool is_node_class(const char *kind)
{
    static const char *const kinds[] = {"EC2NodeClass", "KWOKNodeClass", "AWSNodeTemplate",
                                        "NodeClass"};
    for (size_t i = 0; kind != NULL && i < ARRAY_LENGTH(kinds); i++)
        if (strcmp(kinds[i], kind) == 0)
            return true;
    return false;
}

const json_t *class_named(const struct conversion *conversion, const char *name, uint32_t *count)
{
    const json_t *found = NULL;
    *count = 0;
    vector_for_each (item, &conversion->sources)
        if (is_node_class(tree_text_at((*item)->value, "kind")) &&
            text_equal(tree_text_at((*item)->value, "metadata.name"), name) && ++*count > 0)
            found = (*item)->value;
    return *count == 1 ? found : NULL;
}

void classes_list(const struct conversion *conversion, struct text *out)
{
    vector_for_each (item, &conversion->sources) {
        const char *kind = tree_text_at((*item)->value, "kind");
        if (!is_node_class(kind))
            continue;
        text_join(out, ", ", kind);
        text_format(out, " %.253s", text_or_empty(tree_text_at((*item)->value, "metadata.name")));
    }
}

// MIG-18: equal objects are printed once.
static void check_product(struct source *source, struct product *product, struct map *seen)
{
    const char *kind = product_kind(product), *name = product_name(product);
    if (!product->is_old || product->is_dropped || name[0] == '\0')
        return;
    const char *key = product_text(product, "%s|%s", kind, name);
    struct product *before = map_get(seen, key);
    if (before == NULL)
        map_set(seen, key, product);
    else if (json_equal(before->object, product->object))
        product->is_dropped = true;
    else
        source_fail(source, "%s %s is there twice, with different content", kind, name);
}

void duplicates_check(struct conversion *conversion)
{
    struct map *seen = map_create();
    vector_for_each (item, &conversion->sources)
        for (uint32_t i = 0; i < (*item)->products.count && !(*item)->failed; i++)
            check_product(*item, (*item)->products.items[i], seen);
    map_destroy(seen, NULL);
}
