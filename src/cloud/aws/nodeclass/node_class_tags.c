#include "cloud/aws/nodeclass/node_class_tags.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

// EC2's limits. Of the 50 tags of an instance, adze's own take up to six: four at the launch, and
// Name and the NodeClaim after registration.
#define TAGS_MAX         50
#define KEY_BYTES_MAX    512 // 128 characters of up to four bytes
#define KEY_MAX          128
#define VALUE_MAX        256
#define TAG_CLUSTER      "kubernetes.io/cluster"
#define TAG_NAME         "Name"
#define OWN_TAGS         6
#define MESSAGE_KEYS_MAX 10

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

// AWN-7, 463: admission and controller refuse by one pattern (AWN-720).
static bool is_restricted(const char *key)
{
    return text_starts_with(key, TAG_CLUSTER) || strcmp(key, TAG_NODE_POOL) == 0 ||
           strcmp(key, TAG_NODE_CLAIM) == 0 || strcmp(key, TAG_CLUSTER_NAME) == 0 ||
           strcmp(key, TAG_NODE_CLASS) == 0;
}

static bool check_restricted(const struct ec2_node_class *node_class, struct error *error)
{
    struct text keys = {0};
    uint32_t count = 0;
    list_for_each (tag, &node_class->spec.tags) {
        if (!is_restricted(tag->key) || ++count > MESSAGE_KEYS_MAX)
            continue;
        text_join(&keys, ", ", "");
        text_format(&keys, "\"%.*s\"", KEY_BYTES_MAX, tag->key);
    }
    if (count == 0)
        return true;
    error_set(error, ERROR_INVALID, "spec.tags: %s %s reserved for adze; remove %s", keys.data,
              count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    text_free(&keys);
    return false;
}

// AWN-720: EC2 would refuse each launch.
static bool check_limits(const struct ec2_node_class *node_class, struct error *error)
{
    uint32_t total = OWN_TAGS;
    list_for_each (tag, &node_class->spec.tags) {
        if (tag->key[0] == '\0')
            return error_set(error, ERROR_INVALID, "spec.tags: a key is empty");
        if (strncasecmp(tag->key, "aws:", 4) == 0)
            return error_set(error, ERROR_INVALID,
                             "spec.tags: \"%.200s\": keys beginning aws: are reserved for AWS",
                             tag->key);
        if (characters(tag->key) > KEY_MAX)
            return error_set(error, ERROR_INVALID,
                             "spec.tags: the key \"%.40s...\" is longer than the %d characters "
                             "that EC2 allows",
                             tag->key, KEY_MAX);
        if (characters(text_or_empty(tag->value)) > VALUE_MAX)
            return error_set(error, ERROR_INVALID,
                             "spec.tags: the value of \"%.200s\" is longer than the %d characters "
                             "that EC2 allows",
                             tag->key, VALUE_MAX);
        total += strcmp(tag->key, TAG_NAME) != 0;
    }
    if (total > TAGS_MAX)
        return error_set(error, ERROR_INVALID,
                         "spec.tags: %u tags and the %d of adze are more than the %d that EC2 "
                         "allows for a resource",
                         node_class->spec.tags.count, OWN_TAGS, TAGS_MAX);
    return true;
}

bool node_class_tags_check(const struct ec2_node_class *node_class, struct error *error)
{
    assert(node_class != NULL);
    return check_restricted(node_class, error) && check_limits(node_class, error);
}

static json_t *common_tags(const struct ec2_node_class *node_class,
                           const struct cluster_facts *cluster)
{
    assert(cluster->name != NULL);
    json_t *tags = json_object();
    list_for_each (tag, &node_class->spec.tags)
        json_object_set_new(tags, tag->key, json_string(text_or_empty(tag->value)));
    struct text owned = {0};
    text_format(&owned, TAG_CLUSTER "/%s", cluster->name);
    json_object_set_new(tags, owned.data, json_string("owned"));
    text_free(&owned);
    json_object_set_new(tags, TAG_CLUSTER_NAME, json_string(cluster->name));
    json_object_set_new(tags, TAG_NODE_CLASS, json_string(node_class->meta.name));
    return tags;
}

json_t *node_class_launch_tags(const struct ec2_node_class *node_class,
                               const struct cluster_facts *cluster, const char *node_pool)
{
    json_t *tags = common_tags(node_class, cluster);
    json_object_set_new(tags, TAG_NODE_POOL, json_string(text_or_empty(node_pool)));
    return tags;
}

json_t *node_class_profile_tags(const struct ec2_node_class *node_class,
                                const struct cluster_facts *cluster)
{
    assert(cluster->region != NULL);
    json_t *tags = common_tags(node_class, cluster);
    json_object_set_new(tags, LABEL_REGION, json_string(cluster->region));
    return tags;
}

bool node_class_tags_are_of(const json_t *list, const char *node_class,
                            const struct cluster_facts *cluster)
{
    struct text owned = {0};
    bool of_cluster = false, of_class = false;
    size_t i;
    const json_t *tag;
    assert(node_class != NULL && cluster->name != NULL);
    text_format(&owned, TAG_CLUSTER "/%s", cluster->name);
    json_array_foreach (list, i, tag) {
        const char *key = json_string_value(json_object_get(tag, "Key"));
        const char *value = json_string_value(json_object_get(tag, "Value"));
        of_cluster = of_cluster || (text_equal(key, owned.data) && text_equal(value, "owned"));
        of_class = of_class || (text_equal(key, TAG_NODE_CLASS) && text_equal(value, node_class));
    }
    text_free(&owned);
    return of_cluster && of_class;
}

json_t *tag_list_json(const json_t *tags)
{
    size_t count = json_object_size(tags), next = 0;
    const char **keys CLEANUP_FREE = memory_allocate_array(count + 1, sizeof *keys);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)tags, key, value)
        keys[next++] = key;
    qsort(keys, count, sizeof *keys, text_compare);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:O}", "Key", keys[i], "Value", json_object_get(tags, keys[i])));
    return list;
}
