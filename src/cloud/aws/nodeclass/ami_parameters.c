#include "cloud/aws/nodeclass/ami_parameters.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/karpenter.h"

#define EKS          "/aws/service/eks/optimized-ami"
#define BOTTLEROCKET "/aws/service/bottlerocket/aws-k8s"
#define GPUS         "karpenter.k8s.aws/instance-gpu-count"
#define ACCELERATORS "karpenter.k8s.aws/instance-accelerator-count"

static uint32_t al2(const char *version, const char *kubernetes, struct arena *arena,
                    struct ami_parameter *out)
{
    static const struct {
        const char *folder, *node;
        uint32_t variants;
    } rows[] = {{"amazon-linux-2", "amazon-eks-node", AMI_STANDARD},
                {"amazon-linux-2-arm64", "amazon-eks-arm64-node", AMI_STANDARD},
                {"amazon-linux-2-gpu", "amazon-eks-gpu-node", AMI_NEURON | AMI_NVIDIA}};
    bool latest = strcmp(version, "latest") == 0;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const char *image =
            latest ? "recommended"
                   : arena_format(arena, "%s-%s-%s", rows[i].node, kubernetes, version);
        out[i].path =
            arena_format(arena, EKS "/%s/%s/%s/image_id", kubernetes, rows[i].folder, image);
        out[i].variants = rows[i].variants;
    }
    return ARRAY_LENGTH(rows);
}

static uint32_t al2023(const char *version, const char *kubernetes, struct arena *arena,
                       struct ami_parameter *out)
{
    static const struct {
        const char *architecture, *variant;
        uint32_t variants;
    } rows[] = {{"x86_64", "standard", AMI_STANDARD},
                {"arm64", "standard", AMI_STANDARD},
                {"x86_64", "nvidia", AMI_NVIDIA},
                {"arm64", "nvidia", AMI_NVIDIA},
                {"x86_64", "neuron", AMI_NEURON}};
    bool latest = strcmp(version, "latest") == 0;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const char *image =
            latest ? "recommended"
                   : arena_format(arena, "amazon-eks-node-al2023-%s-%s-%s-%s", rows[i].architecture,
                                  rows[i].variant, kubernetes, version);
        out[i].path = arena_format(arena, EKS "/%s/amazon-linux-2023/%s/%s/%s/image_id", kubernetes,
                                   rows[i].architecture, rows[i].variant, image);
        out[i].variants = rows[i].variants;
    }
    return ARRAY_LENGTH(rows);
}

static uint32_t bottlerocket(const char *version, const char *kubernetes, struct arena *arena,
                             struct ami_parameter *out)
{
    static const struct {
        const char *suffix, *architecture;
        uint32_t variants;
    } rows[] = {{"", "x86_64", AMI_STANDARD | AMI_NEURON},
                {"", "arm64", AMI_STANDARD},
                {"-nvidia", "x86_64", AMI_NVIDIA},
                {"-nvidia", "arm64", AMI_NVIDIA}};
    while (*version == 'v')
        version++;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        out[i].path = arena_format(arena, BOTTLEROCKET "-%s%s/%s/%s/image_id", kubernetes,
                                   rows[i].suffix, rows[i].architecture, version);
        out[i].variants = rows[i].variants;
    }
    return ARRAY_LENGTH(rows);
}

uint32_t ami_parameters_of(const struct ami_alias *alias, const char *kubernetes,
                           struct arena *arena, struct ami_parameter out[AMI_PARAMETERS_MAX])
{
    assert(alias->version != NULL);
    assert(kubernetes != NULL);
    const char *year = NULL;
    switch (alias->family) {
    case AMI_FAMILY_AL2:
        return al2(alias->version, kubernetes, arena, out);
    case AMI_FAMILY_AL2023:
        return al2023(alias->version, kubernetes, arena, out);
    case AMI_FAMILY_BOTTLEROCKET:
        return bottlerocket(alias->version, kubernetes, arena, out);
    case AMI_FAMILY_WINDOWS_2019:
        year = "2019";
        break;
    case AMI_FAMILY_WINDOWS_2022:
        year = "2022";
        break;
    case AMI_FAMILY_WINDOWS_2025:
        year = "2025";
        break;
    case AMI_FAMILY_CUSTOM:
    case AMI_FAMILY_COUNT:
    default:
        return 0;
    }
    out[0].path = arena_format(arena,
                               "/aws/service/ami-windows-latest/"
                               "Windows_Server-%s-English-Core-EKS_Optimized-%s/image_id",
                               year, kubernetes);
    out[0].variants = AMI_WINDOWS;
    return 1;
}

static json_t *in(const char *key, const char *value)
{
    return json_pack("{s:s, s:s, s:[s]}", "key", key, "operator", "In", "values", value);
}

static json_t *is(const char *key, const char *operator)
{
    return json_pack("{s:s, s:s}", "key", key, "operator", operator);
}

// In the order of AWN-175: by the length of keys.
json_t *ami_requirements(const char *architecture, uint32_t variant, const char *build)
{
    assert(architecture != NULL);
    json_t *list = json_array();
    if (variant == AMI_WINDOWS)
        json_array_append_new(list, in(LABEL_OS, "windows"));
    json_array_append_new(list, in(LABEL_ARCH, architecture));
    if (variant == AMI_WINDOWS && build != NULL)
        json_array_append_new(list, in(LABEL_WINDOWS_BUILD, build));
    if (variant == AMI_STANDARD || variant == AMI_NVIDIA)
        json_array_append_new(list, is(GPUS, variant == AMI_NVIDIA ? "Exists" : "DoesNotExist"));
    if (variant == AMI_STANDARD || variant == AMI_NEURON)
        json_array_append_new(list,
                              is(ACCELERATORS, variant == AMI_NEURON ? "Exists" : "DoesNotExist"));
    return list;
}
