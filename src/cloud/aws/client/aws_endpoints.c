#include "cloud/aws/client/aws_endpoints.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/client/aws_action_info.h"

struct partition {
    const char *name;
    const char *prefixes[8];   // of its regions
    const char *domain;        // "amazonaws.com"
    const char *dual_domain;   // of its dual-stack endpoints
    const char *global_region; // IAM is signed for it
    const char *iam_host, *iam_fips_host;
};
static const struct partition partitions[] = {
    {"aws-cn",
     {"cn-"},
     "amazonaws.com.cn",
     "api.amazonwebservices.com.cn",
     "cn-north-1",
     "iam.cn-north-1.amazonaws.com.cn",
     "iam-fips.amazonaws.com.cn"},
    {"aws-us-gov",
     {"us-gov-"},
     "amazonaws.com",
     "api.aws",
     "us-gov-west-1",
     "iam.us-gov.amazonaws.com",
     "iam.us-gov.amazonaws.com"},
    {"aws-iso-b",
     {"us-isob-"},
     "sc2s.sgov.gov",
     "api.aws.scloud",
     "us-isob-east-1",
     "iam.us-isob-east-1.sc2s.sgov.gov",
     "iam-fips.us-isob-east-1.sc2s.sgov.gov"},
    {"aws-iso-e",
     {"eu-isoe-"},
     "cloud.adc-e.uk",
     "api.cloud-aws.adc-e.uk",
     "eu-isoe-west-1",
     "iam.eu-isoe-west-1.cloud.adc-e.uk",
     "iam-fips.cloud.adc-e.uk"},
    {"aws-iso-f",
     {"us-isof-", "eu-isof-"},
     "csp.hci.ic.gov",
     "api.aws.hci.ic.gov",
     "us-isof-south-1",
     "iam.us-isof-south-1.csp.hci.ic.gov",
     "iam-fips.csp.hci.ic.gov"},
    {"aws-iso",
     {"us-iso-"},
     "c2s.ic.gov",
     "api.aws.ic.gov",
     "us-iso-east-1",
     "iam.us-iso-east-1.c2s.ic.gov",
     "iam-fips.us-iso-east-1.c2s.ic.gov"},
    {"aws-eusc",
     {"eusc-"},
     "amazonaws.eu",
     "api.amazonwebservices.eu",
     "eusc-de-east-1",
     "iam.eusc-de-east-1.amazonaws.eu",
     "iam-fips.amazonaws.eu"},
    {"aws",
     {""},
     "amazonaws.com",
     "api.aws",
     "us-east-1",
     "iam.amazonaws.com",
     "iam-fips.amazonaws.com"},
};

static const struct partition *partition_of(const char *region);
static void choose_region(enum aws_service service, const char *region,
                          const struct partition *partition, char out[AWS_REGION_BYTES]);
static const char *configured_url(const struct aws_environment *environment,
                                  const struct aws_service_info *service);
static bool use_configured(const char *url, const struct aws_service_info *service,
                           struct aws_endpoint *endpoint, struct error *error);
static bool flag(const struct aws_environment *environment, const char *name);
static void name_host(const struct aws_service_info *service, enum aws_service kind,
                      const struct partition *partition, const char *region, bool fips, bool dual,
                      char host[AWS_URL_BYTES]);

const char *aws_environment_get(const struct aws_environment *environment, const char *name)
{
    const char *value =
        environment->get != NULL ? environment->get(environment->context, name) : getenv(name);
    return text_is_empty(value) ? NULL : value;
}

const char *aws_partition_of(const char *region)
{
    return partition_of(region)->name;
}

static const struct partition *partition_of(const char *region)
{
    for (size_t i = 0;; i++) {
        assert(i < ARRAY_LENGTH(partitions)); // the last one has all that is left
        for (const char *const *prefix = partitions[i].prefixes; *prefix != NULL; prefix++) {
            if (text_starts_with(region, *prefix))
                return &partitions[i];
        }
    }
}

bool aws_region_is_valid(const char *region)
{
    return text_is_dns_label(region, NULL);
}

bool aws_endpoint_find(const struct aws_environment *environment, enum aws_service service,
                       const char *region, struct aws_endpoint *endpoint, struct error *error)
{
    const struct aws_service_info *info = aws_service_info(service);
    *endpoint = (struct aws_endpoint){0};
    if (!aws_region_is_valid(region))
        return error_set(error, ERROR_INVALID, "AWS region \"%.64s\" is no name of a region",
                         region);
    const struct partition *partition = partition_of(region);
    choose_region(service, region, partition, endpoint->signing_region);
    const char *url = configured_url(environment, info);
    if (url != NULL)
        return use_configured(url, info, endpoint, error);
    bool fips = flag(environment, "AWS_USE_FIPS_ENDPOINT");
    bool dual = flag(environment, "AWS_USE_DUALSTACK_ENDPOINT");
    name_host(info, service, partition, endpoint->signing_region, fips, dual, endpoint->host);
    snprintf(endpoint->url, sizeof endpoint->url, "https://%.500s", endpoint->host);
    return true;
}

// IAM has one endpoint a partition; the price list is kept in a few regions.
static void choose_region(enum aws_service service, const char *region,
                          const struct partition *partition, char out[AWS_REGION_BYTES])
{
    const char *chosen = region;
    if (service == AWS_IAM)
        chosen = partition->global_region;
    else if (service == AWS_PRICING && text_starts_with(region, "ap-"))
        chosen = "ap-south-1";
    else if (service == AWS_PRICING && text_starts_with(region, "eu-"))
        chosen = "eu-central-1";
    else if (service == AWS_PRICING && text_starts_with(region, "cn-"))
        chosen = "cn-northwest-1";
    else if (service == AWS_PRICING)
        chosen = "us-east-1";
    snprintf(out, AWS_REGION_BYTES, "%s", chosen);
}

static const char *configured_url(const struct aws_environment *environment,
                                  const struct aws_service_info *service)
{
    if (flag(environment, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"))
        return NULL;
    char name[64];
    snprintf(name, sizeof name, "AWS_ENDPOINT_URL_%s", service->variable);
    const char *url = aws_environment_get(environment, name);
    return url != NULL ? url : aws_environment_get(environment, "AWS_ENDPOINT_URL");
}

static bool use_configured(const char *url, const struct aws_service_info *service,
                           struct aws_endpoint *endpoint, struct error *error)
{
    const char *host = text_starts_with(url, "https://")  ? url + 8
                       : text_starts_with(url, "http://") ? url + 7
                                                          : NULL;
    size_t host_length = host != NULL ? strcspn(host, "/?#") : 0;
    bool good = host_length > 0 && strlen(url) < AWS_URL_BYTES && strpbrk(host, "?#@ \\") == NULL;
    for (const char *c = url; good && *c != '\0'; c++)
        good = (unsigned char)*c > ' ' && (unsigned char)*c < 127;
    if (!good)
        return error_set(error, ERROR_INVALID,
                         "AWS_ENDPOINT_URL or AWS_ENDPOINT_URL_%s is no URL of http or https",
                         service->variable);
    snprintf(endpoint->url, sizeof endpoint->url, "%s", url);
    for (size_t length = strlen(endpoint->url); endpoint->url[length - 1] == '/';)
        endpoint->url[--length] = '\0';
    snprintf(endpoint->host, sizeof endpoint->host, "%.*s", (int)host_length, host);
    // The scheme's own port is not part of the header.
    const char *port = text_starts_with(url, "https://") ? ":443" : ":80";
    if (text_ends_with(endpoint->host, port))
        endpoint->host[host_length - strlen(port)] = '\0';
    return true;
}

static bool flag(const struct aws_environment *environment, const char *name)
{
    const char *value = aws_environment_get(environment, name);
    return value != NULL && strcasecmp(value, "true") == 0;
}

static void name_host(const struct aws_service_info *service, enum aws_service kind,
                      const struct partition *partition, const char *region, bool fips, bool dual,
                      char host[AWS_URL_BYTES])
{
    bool is_gov = strcmp(partition->name, "aws-us-gov") == 0;
    // GovCloud's own endpoints are validated already, and most have no other name.
    bool is_fips_anyway = is_gov && !dual &&
                          (kind == AWS_EC2 || kind == AWS_STS || kind == AWS_SSM ||
                           kind == AWS_SQS || kind == AWS_SERVICE_QUOTAS || kind == AWS_EKS);
    bool is_aws = strcmp(partition->name, "aws") == 0;
    bool is_eks = kind == AWS_EKS && !dual && (is_aws || is_gov);
    bool is_global = is_aws || (strcmp(partition->name, "aws-cn") == 0 && !fips);
    const char *before = fips && is_eks && !is_fips_anyway ? "fips." : "";
    const char *after = fips && !is_eks && !is_fips_anyway ? "-fips" : "";
    if (kind == AWS_IAM && !dual)
        snprintf(host, AWS_URL_BYTES, "%s", fips ? partition->iam_fips_host : partition->iam_host);
    else if (kind == AWS_IAM)
        snprintf(host, AWS_URL_BYTES, "iam%s.%s%s", fips && !is_gov ? "-fips" : "",
                 is_gov      ? "us-gov."
                 : is_global ? "global."
                             : "",
                 partition->dual_domain);
    else
        snprintf(host, AWS_URL_BYTES, "%s%s%s.%s.%s", before, service->endpoint_prefix, after,
                 region, dual ? partition->dual_domain : partition->domain);
}
