#include "sim/aws/built_in_account.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define VERSION     "1.35"
#define ZONES_COUNT 4
#define CREATED     "2026-07-15T10:00:00.000Z"
#define NEWER       "2026-08-20T10:00:00.000Z"

static const char zones[ZONES_COUNT][2] = {"a", "b", "c", "d"};

// An SSM alias and the images behind it. `%s` is the release.
static const struct alias {
    const char *parameter; // of the pinned release
    const char *latest;    // of the latest one
    const char *image;     // name
    const char *architecture, *owner;
    const char *release, *newer;
} aliases[] = {
#define AL2023(arch, variant)                                                                   \
    {                                                                                           \
        "/aws/service/eks/optimized-ami/" VERSION "/amazon-linux-2023/" arch "/" variant        \
        "/amazon-eks-node-al2023-" arch "-" variant "-" VERSION "-%s/image_id",                 \
            "/aws/service/eks/optimized-ami/" VERSION "/amazon-linux-2023/" arch "/" variant    \
            "/recommended/image_id",                                                            \
            "amazon-eks-node-al2023-" arch "-" variant "-" VERSION "-%s", arch, "602401143452", \
            "v20260715", "v20260820"                                                            \
    }
    AL2023("x86_64", "standard"),
    AL2023("arm64", "standard"),
    AL2023("x86_64", "nvidia"),
    AL2023("arm64", "nvidia"),
    AL2023("x86_64", "neuron"),
#define AL2(folder, name, arch)                                                                   \
    {                                                                                             \
        "/aws/service/eks/optimized-ami/" VERSION "/" folder "/" name "-" VERSION "-%s/image_id", \
            "/aws/service/eks/optimized-ami/" VERSION "/" folder "/recommended/image_id",         \
            name "-" VERSION "-%s", arch, "602401143452", "v20260715", "v20260820"                \
    }
    AL2("amazon-linux-2", "amazon-eks-node", "x86_64"),
    AL2("amazon-linux-2-arm64", "amazon-eks-arm64-node", "arm64"),
    AL2("amazon-linux-2-gpu", "amazon-eks-gpu-node", "x86_64"),
#define BOTTLEROCKET(variant, arch)                                                           \
    {                                                                                         \
        "/aws/service/bottlerocket/aws-k8s-" VERSION variant "/" arch "/%s/image_id",         \
            "/aws/service/bottlerocket/aws-k8s-" VERSION variant "/" arch "/latest/image_id", \
            "bottlerocket-aws-k8s-" VERSION variant "-" arch "-v%s-0123abcd", arch,           \
            "092701018921", "1.50.0", "1.51.0"                                                \
    }
    BOTTLEROCKET("", "x86_64"),
    BOTTLEROCKET("", "arm64"),
    BOTTLEROCKET("-nvidia", "x86_64"),
    BOTTLEROCKET("-nvidia", "arm64"),
#define WINDOWS(year)                                                                      \
    {                                                                                      \
        "",                                                                                \
            "/aws/service/ami-windows-latest/Windows_Server-" year                         \
            "-English-Core-EKS_Optimized-" VERSION "/image_id",                            \
            "Windows_Server-" year "-English-Core-EKS_Optimized-" VERSION "-%s", "x86_64", \
            "801119661308", "2026.07.10", "2026.08.20"                                     \
    }
    WINDOWS("2019"),
    WINDOWS("2022"),
    WINDOWS("2025"),
};

static json_t *id_of(const char *prefix, const char *name)
{
    char hash[65];
    hash_sha256_hex(name, strlen(name), hash);
    return json_sprintf("%s-0%.16s", prefix, hash);
}

static json_t *subnets(const char *cluster)
{
    json_t *list = json_array();
    for (int tier = 0; tier < 2; tier++)
        for (int zone = 0; zone < ZONES_COUNT; zone++) {
            char name[40], zone_name[20];
            snprintf(name, sizeof name, "%s-%s", tier == 0 ? "private" : "public", zones[zone]);
            snprintf(zone_name, sizeof zone_name, "us-west-2%s", zones[zone]);
            json_t *tags = json_pack("{s:s}", "Name", name);
            if (tier == 0)
                json_object_set_new(tags, "karpenter.sh/discovery", json_string(cluster));
            json_array_append_new(list, json_pack("{s:o,s:s,s:s,s:i,s:b,s:o}", "id",
                                                  id_of("subnet", name), "key", name, "zone",
                                                  zone_name, "free", tier == 0 ? 8000 : 200,
                                                  "public", tier == 1, "tags", tags));
        }
    return list;
}

static json_t *security_groups(const char *cluster)
{
    static const char *const names[] = {"cluster", "nodes"};
    json_t *list = json_array();
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        json_array_append_new(list, json_pack("{s:o,s:s,s:{s:s,s:s}}", "id", id_of("sg", names[i]),
                                              "name", names[i], "tags", "Name", names[i],
                                              "karpenter.sh/discovery", cluster));
    return list;
}

// Image names and parameters hold one "%s": the release.
static void release_fill(char *out, size_t size, const char *pattern, const char *release)
{
    const char *place = strstr(pattern, "%s");
    if (place == NULL)
        snprintf(out, size, "%s", pattern);
    else
        snprintf(out, size, "%.*s%s%s", (int)(place - pattern), pattern, release, place + 2);
}

static void image_add(json_t *environment, const struct alias *alias, bool newer)
{
    char name[200], parameter[300];
    const char *release = newer ? alias->newer : alias->release;
    release_fill(name, sizeof name, alias->image, release);
    release_fill(parameter, sizeof parameter, alias->parameter, release);
    json_t *id = id_of("ami", name);
    json_array_append_new(json_object_get(environment, "images"),
                          json_pack("{s:O,s:s,s:s,s:s,s:s,s:s}", "id", id, "name", name,
                                    "architecture", alias->architecture, "owner", alias->owner,
                                    "created", newer ? NEWER : CREATED, "alias", "amazon"));
    json_t *parameters = json_object_get(environment, newer ? "released" : "ssmParameters");
    if (parameter[0] != '\0')
        json_object_set(json_object_get(environment, "ssmParameters"), parameter, id);
    json_object_set(parameters, alias->latest, id);
    json_decref(id);
}

json_t *built_in_environment(const char *cluster)
{
    json_t *environment = json_pack(
        "{s:s,s:s,s:s,s:{s:s,s:s,s:s,s:s},s:{s:s,s:s,s:s,s:s,s:s,s:s}}", "region", "us-west-2",
        "account", "111122223333", "vpc", "vpc-0a1b2c3d4e5f60718", "zones", "us-west-2a",
        "usw2-az1", "us-west-2b", "usw2-az2", "us-west-2c", "usw2-az3", "us-west-2d", "usw2-az4",
        "cluster", "name", cluster, "endpoint", "https://demo.example", "caBundle", "Y2EtYnVuZGxl",
        "version", VERSION, "serviceIpv4Cidr", "10.100.0.0/16", "kubeDNS", "10.100.0.10");
    assert(environment != NULL);
    json_object_set_new(environment, "subnets", subnets(cluster));
    json_object_set_new(environment, "securityGroups", security_groups(cluster));
    static const char *const lists[] = {"images", "capacityReservations", "placementGroups",
                                        "missingRoles", "missingInstanceProfiles"};
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
        json_object_set_new(environment, lists[i], json_array());
    json_object_set_new(environment, "ssmParameters", json_object());
    json_object_set_new(environment, "released", json_object());
    for (size_t i = 0; i < ARRAY_LENGTH(aliases); i++) {
        image_add(environment, &aliases[i], false);
        image_add(environment, &aliases[i], true);
    }
    return environment;
}
