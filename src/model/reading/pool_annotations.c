#include "model/reading/pool_annotations.h"

#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

static bool is_count(const char *value, int64_t most)
{
    int64_t number;
    return text_parse_int64(value, &number) && number > 0 && number <= most;
}

static bool is_percentage(const char *value)
{
    char digits[8];
    size_t length = strlen(value);
    if (length > 0 && value[length - 1] == '%')
        length--;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, value, length);
    digits[length] = '\0';
    return is_count(digits, 100);
}

static bool is_amount(const char *resource, const char *value)
{
    int64_t amount;
    struct error error;
    return quantity_parse(resource, value, &amount, &error) && amount > 0;
}

bool pool_annotation_is_true(const struct node_pool *pool, const char *key)
{
    return pool != NULL && text_equal(object_annotation((const struct object *)pool, key), "true");
}

const char *pool_annotation_problem(const char *key, const char *value)
{
    if (!text_starts_with(key, "adze.dev/"))
        return NULL;
    if (strcmp(key, ANNOTATION_PACKING_POLICY) == 0)
        return strcmp(value, "Greedy") == 0 || strcmp(value, "LowestPrice") == 0
                   ? NULL
                   : "must be Greedy or LowestPrice";
    if (strcmp(key, ANNOTATION_MAX_PODS_PER_NODE) == 0)
        return is_count(value, INT64_MAX) ? NULL : "must be a whole number above 0";
    if (strcmp(key, ANNOTATION_MAX_CPU_PER_NODE) == 0)
        return is_amount("cpu", value) ? NULL : "must be an amount of cpu, such as \"16\"";
    if (strcmp(key, ANNOTATION_MAX_SHARE_PER_WORKLOAD) == 0)
        return is_percentage(value) ? NULL : "must be a percentage from 1 to 100, such as \"50\"";
    if (strcmp(key, ANNOTATION_ON_DEMAND_FALLBACK) == 0 ||
        strcmp(key, ANNOTATION_REPLACE_AT_RISK) == 0)
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ? NULL
                                                                         : "must be true or false";
    if (strcmp(key, ANNOTATION_SPOT_INTERRUPTIONS) == 0)
        return NULL; // adze's own annotation
    return "is no annotation that adze reads on a NodePool";
}
