#include "cli/autoscaler/instance_requirements.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/convert/tree.h"

#define AWS(name) "karpenter.k8s.aws/instance-" name
#define PATH      "spec.template.spec.requirements"

static void lose(struct group *group, const char *name)
{
    note_add(group->pool, NOTE_LOST, "M-attribute", product_text(group->pool, PATH "/%s", name),
             "has no equal");
}

static void bound(struct group *group, const char *key, const char *operator, const json_t * number,
                  double factor)
{
    if (!json_is_number(number))
        return;
    double value = json_number_value(number) * factor;
    value = strcmp(operator, "Gte") == 0 ? ceil(value) : floor(value);
    if (value < 0 || value > 1e15)
        return;
    group_require(group, key, operator,
                  json_pack("[s]", product_text(group->pool, "%" PRId64, (int64_t)value)));
}

static void range(struct group *group, const char *key, const json_t *attribute, double factor)
{
    bound(group, key, "Gte", json_object_get(attribute, "Min"), factor);
    bound(group, key, "Lte", json_object_get(attribute, "Max"), factor);
}

// "amazon-web-services" -> "aws"; accelerators: the last part, lower case.
static json_t *words(const struct group *group, const json_t *list)
{
    json_t *result = json_array(), *item;
    size_t index;
    json_array_foreach ((json_t *)list, index, item) {
        const char *text = text_or_empty(json_string_value(item));
        if (strcmp(text, "apple") == 0)
            continue;
        char *copy = arena_copy_string(group->pool->conversion->arena,
                                       strcmp(text, "amazon-web-services") == 0 ? "aws" : text);
        for (char *at = copy; *at != '\0'; at++)
            *at = (char)tolower((unsigned char)*at);
        json_array_append_new(result, json_string(copy));
    }
    return result;
}

static void convert_accelerators(struct group *group, const json_t *attributes)
{
    const json_t *count = json_object_get(attributes, "AcceleratorCount");
    const json_t *max = json_object_get(count, "Max");
    if (json_is_integer(max) && json_integer_value(max) == 0) {
        group_require(group, AWS("gpu-count"), "DoesNotExist", NULL);
        group_require(group, AWS("accelerator-count"), "DoesNotExist", NULL);
        return;
    }
    const json_t *types = json_object_get(attributes, "AcceleratorTypes");
    bool gpu = !text_equal(json_string_value(json_array_get(types, 0)), "inference");
    const char *kind = gpu ? "gpu" : "accelerator";
    range(group, product_text(group->pool, AWS("%s-count"), kind), count, 1);
    const json_t *list = json_object_get(attributes, "AcceleratorManufacturers");
    if (json_array_size(list) > 0)
        group_require(group, product_text(group->pool, AWS("%s-manufacturer"), kind), "In",
                      words(group, list));
    list = json_object_get(attributes, "AcceleratorNames");
    if (json_array_size(list) > 0)
        group_require(group, product_text(group->pool, AWS("%s-name"), kind), "In",
                      words(group, list));
    if (gpu)
        range(group, AWS("gpu-memory"), json_object_get(attributes, "AcceleratorTotalMemoryMiB"),
              1);
}

// The types of --catalog that a pattern stands for; false: none, or there is no catalogue.
static bool expand(struct group *group, const char *pattern, json_t *types)
{
    json_t *names = group->pool->conversion->options.type_names, *name;
    size_t index, before = json_array_size(types);
    json_array_foreach (names, index, name)
        if (fnmatch(pattern, json_string_value(name), FNM_NOESCAPE) == 0)
            json_array_append(types, name);
    return json_array_size(types) > before;
}

// "m5.large" a type, "m5.*" a family; anything else with a star is expanded with a catalogue.
static bool has_other_pattern(const struct group *group, const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)list, index, item) {
        const char *text = text_or_empty(json_string_value(item)), *star = strchr(text, '*');
        size_t family = strcspn(text, ".");
        bool is_family = star != NULL && star > text + family && strcmp(text + family, ".*") == 0;
        if (group->pool->conversion->options.type_names != NULL && !is_family)
            return true; // families beside types would exclude each other
    }
    return false;
}

static void convert_types(struct group *group, const char *name, const json_t *list,
                          const char *operator)
{
    json_t *types = json_array(), *families = json_array(), *item;
    bool expands = has_other_pattern(group, list);
    size_t index;
    json_array_foreach ((json_t *)list, index, item) {
        const char *text = text_or_empty(json_string_value(item));
        const char *star = strchr(text, '*');
        size_t family = strcspn(text, ".");
        if (star == NULL)
            json_array_append(types, item);
        else if (text[family] == '.' && !(expands && strcmp(operator, "In") == 0) &&
                 strcmp(text + family, ".*") == 0 && star > text + family)
            json_array_append_new(families, json_stringn(text, family));
        else if (!expand(group, text, types))
            lose(group, name);
    }
    bool both = json_array_size(types) > 0 && json_array_size(families) > 0;
    if (both && strcmp(operator, "In") == 0) { // together they would exclude each other
        lose(group, name);
        json_array_clear(types);
    }
    if (json_array_size(types) > 0)
        group_require(group, "node.kubernetes.io/instance-type", operator, json_incref(types));
    if (json_array_size(families) > 0)
        group_require(group, AWS("family"), operator, json_incref(families));
    json_decref(types);
    json_decref(families);
}

static void convert_choice(struct group *group, const char *value, const char *otherwise,
                           const char *key, const char *excluded, const char *required)
{
    value = value != NULL ? value : otherwise;
    if (strcmp(value, "excluded") == 0 && excluded == NULL)
        group_require(group, key, "In", json_pack("[s, s]", "nitro", "xen"));
    else if (strcmp(value, "excluded") == 0)
        group_require(group, key, "NotIn", json_pack("[s]", excluded));
    else if (strcmp(value, "required") == 0)
        group_require(group, key, "In", json_pack("[s]", required));
}

static void convert_storage(struct group *group, const json_t *attributes)
{
    if (text_equal(tree_text_at(attributes, "LocalStorage"), "required"))
        group_require(group, AWS("local-nvme"), "Exists", NULL);
    range(group, AWS("local-nvme"), json_object_get(attributes, "TotalLocalStorageGB"), 1);
    const json_t *types = json_object_get(attributes, "LocalStorageTypes");
    for (size_t i = 0; i < json_array_size(types); i++)
        if (text_equal(json_string_value(json_array_get(types, i)), "hdd"))
            lose(group, "LocalStorageTypes");
}

void instance_requirements_convert(struct group *group, const json_t *attributes)
{
    static const char *const lost[] = {"MemoryGiBPerVCpu",
                                       "NetworkInterfaceCount",
                                       "BaselinePerformanceFactors",
                                       "SpotMaxPricePercentageOverLowestPrice",
                                       "OnDemandMaxPricePercentageOverLowestPrice",
                                       "MaxSpotPriceAsPercentageOfOptimalOnDemandPrice"};
    assert(attributes != NULL);
    for (size_t i = 0; i < ARRAY_LENGTH(lost); i++)
        if (json_object_get(attributes, lost[i]) != NULL)
            lose(group, lost[i]);
    if (json_is_true(json_object_get(attributes, "RequireHibernateSupport")))
        lose(group, "RequireHibernateSupport");
    range(group, AWS("cpu"), json_object_get(attributes, "VCpuCount"), 1);
    range(group, AWS("memory"), json_object_get(attributes, "MemoryMiB"), 1);
    range(group, AWS("network-bandwidth"), json_object_get(attributes, "NetworkBandwidthGbps"),
          1000);
    range(group, AWS("ebs-bandwidth"), json_object_get(attributes, "BaselineEbsBandwidthMbps"), 1);
    if (json_object_get(attributes, "BaselineEbsBandwidthMbps") != NULL)
        note_add(group->pool, NOTE_CHANGED, "M-ebs-bandwidth", PATH,
                 "the maximum of EBS bandwidth counts here, not the baseline");
    const json_t *makers = json_object_get(attributes, "CpuManufacturers");
    if (json_array_size(makers) > 0)
        group_require(group, AWS("cpu-manufacturer"), "In", words(group, makers));
    const json_t *generations = json_object_get(attributes, "InstanceGenerations");
    if (json_array_size(generations) == 1 &&
        text_equal(json_string_value(json_array_get(generations, 0)), "current")) {
        group_require(group, AWS("generation"), "Gt", json_pack("[s]", "2"));
        note_add(group->pool, NOTE_CHANGED, "M-generation", PATH,
                 "the current generations are written as those after the second");
    }
    convert_choice(group, tree_text_at(attributes, "BurstablePerformance"), "excluded",
                   AWS("category"), "t", "t");
    convert_choice(group, tree_text_at(attributes, "BareMetal"), "excluded", AWS("hypervisor"),
                   NULL, "");
    convert_storage(group, attributes);
    convert_accelerators(group, attributes);
    convert_types(group, "AllowedInstanceTypes",
                  json_object_get(attributes, "AllowedInstanceTypes"), "In");
    convert_types(group, "ExcludedInstanceTypes",
                  json_object_get(attributes, "ExcludedInstanceTypes"), "NotIn");
}
