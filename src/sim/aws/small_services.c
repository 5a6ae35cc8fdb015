// STS, SSM, EKS, Pricing, ARC zonal shift and Service Quotas.
#include <stdio.h>
#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_policy.h"
#include "sim/aws/account_types.h"

// --- STS -----------------------------------------------------------------------------------------

void sts_get_caller_identity(struct account_call *call)
{
    const char *number = account_number(call->account);
    call->reply =
        json_pack("{s:o,s:s,s:s}", "Arn",
                  json_sprintf("arn:aws:sts::%s:assumed-role/KarpenterController/adze", number),
                  "UserId", "AROASIMULATED:adze", "Account", number);
}

static json_t *session(const struct account_call *call)
{
    char expiry[INSTANT_TEXT_MAX];
    int64_t seconds = 3600;
    const char *duration = json_text(call->params, "DurationSeconds");
    if (duration[0] != '\0' && !text_parse_int64(duration, &seconds))
        seconds = 3600;
    int64_t now = ns_truncate(loop_now_ns(call->account->loop), SECOND);
    instant_format(ns_add(now, ns_multiply(seconds, SECOND)), expiry);
    return json_pack("{s:s,s:s,s:s,s:s}", "AccessKeyId", AWS_ACCOUNT_ACCESS_KEY, "SecretAccessKey",
                     AWS_ACCOUNT_SECRET_KEY, "SessionToken", "simulated-session-token",
                     "Expiration", expiry);
}

void sts_assume_role(struct account_call *call)
{
    const char *role = json_text(call->params, "RoleArn");
    if (!text_starts_with(role, "arn:")) {
        account_refuse(call, 400, "ValidationError", "%s is invalid", role);
        return;
    }
    call->reply = json_pack("{s:o,s:{s:s,s:s}}", "Credentials", session(call), "AssumedRoleUser",
                            "AssumedRoleId", "AROASIMULATED:adze", "Arn", role);
}

void sts_assume_role_with_web_identity(struct account_call *call)
{
    if (json_text(call->params, "WebIdentityToken")[0] == '\0') {
        account_refuse(call, 400, "InvalidIdentityToken", "The token is missing");
        return;
    }
    sts_assume_role(call);
}

void sts_decode_authorization_message(struct account_call *call)
{
    const char *encoded = json_text(call->params, "EncodedMessage");
    if (encoded[0] == '\0') {
        account_refuse(call, 400, "InvalidAuthorizationMessageException",
                       "The message cannot be decoded");
        return;
    }
    const json_t *plain = account_policy_decode(call->account, encoded);
    if (plain == NULL) {
        account_refuse(call, 400, "InvalidAuthorizationMessageException",
                       "The message is not of this account");
        return;
    }
    CLEANUP_FREE char *text = json_dumps(plain, JSON_COMPACT);
    call->reply = json_pack("{s:s}", "DecodedMessage", text);
}

// --- SSM, EKS ------------------------------------------------------------------------------------

// A parameter is asked for by its name or by its ARN (…:parameter/path/name, …:parameter/name).
static const char *parameter_value(const json_t *parameters, const char **name)
{
    static const char mark[] = ":parameter/";
    const char *path = text_starts_with(*name, "arn:") ? strstr(*name, mark) : NULL;
    if (path != NULL) {
        *name = path + sizeof mark - 2; // with its slash
        if (json_object_get(parameters, *name) == NULL)
            ++*name;
    }
    return json_string_value(json_object_get(parameters, *name));
}

void ssm_get_parameter(struct account_call *call)
{
    const char *name = json_text(call->params, "Name");
    const struct aws_account *account = call->account;
    const char *value =
        parameter_value(json_object_get(account->environment, "ssmParameters"), &name);
    if (value == NULL) {
        account_refuse(call, 400, "ParameterNotFound", "ParameterNotFound");
        return;
    }
    call->reply =
        json_pack("{s:{s:s,s:s,s:s,s:i,s:s,s:o}}", "Parameter", "Name", name, "Type", "String",
                  "Value", value, "Version", 1, "DataType", "text", "ARN",
                  json_sprintf("arn:aws:ssm:%s::parameter%s", account_region(account), name));
}

void eks_describe_cluster(struct account_call *call)
{
    const char *name = json_text(call->params, "name");
    const struct aws_account *account = call->account;
    const json_t *cluster = json_object_get(account->environment, "cluster");
    if (strcmp(name, json_text(cluster, "name")) != 0) {
        account_refuse(call, 404, "ResourceNotFoundException", "No cluster found for name: %s.",
                       name);
        return;
    }
    const char *ipv6 = json_text(cluster, "serviceIpv6Cidr");
    json_t *network = json_pack("{s:s,s:s}", ipv6[0] ? "serviceIpv6Cidr" : "serviceIpv4Cidr",
                                ipv6[0] ? ipv6 : json_text(cluster, "serviceIpv4Cidr"), "ipFamily",
                                ipv6[0] ? "ipv6" : "ipv4");
    json_t *shown =
        json_pack("{s:s,s:o,s:s,s:s,s:s,s:{s:s},s:o}", "name", name, "arn",
                  json_sprintf("arn:aws:eks:%s:%s:cluster/%s", account_region(account),
                               account_number(account), name),
                  "version", json_text(cluster, "version"), "endpoint",
                  json_text(cluster, "endpoint"), "status", "ACTIVE", "certificateAuthority",
                  "data", json_text(cluster, "caBundle"), "kubernetesNetworkConfig", network);
    call->reply = json_pack("{s:o}", "cluster", shown);
}

// --- Pricing -------------------------------------------------------------------------------------

static const char *product_filter(const json_t *params, const char *field)
{
    size_t i;
    json_t *filter;
    json_array_foreach (json_object_get(params, "Filters"), i, filter)
        if (strcmp(json_text(filter, "Field"), field) == 0)
            return json_text(filter, "Value");
    return "";
}

// A price list item, in the shape of the offer files, as text.
static json_t *product_show(const struct aws_account *account, const struct account_type *type,
                            const char *family)
{
    char price[40];
    snprintf(price, sizeof price, "%.10f", type->price);
    const char *currency = text_starts_with(account_region(account), "cn-") ? "CNY" : "USD";
    json_t *product = json_pack(
        "{s:{s:s,s:{s:s,s:s,s:s,s:s}},s:s,s:{s:{s:{s:{s:{s:s,s:{s:s}}}}}}}", "product",
        "productFamily", family, "attributes", "instanceType", type->name, "operatingSystem",
        "Linux", "regionCode", account_region(account), "servicecode", "AmazonEC2", "serviceCode",
        "AmazonEC2", "terms", "OnDemand", "SKU.JRTCKXETXF", "priceDimensions",
        "SKU.JRTCKXETXF.6YS6EN2CT7", "unit", "Hrs", "pricePerUnit", currency, price);
    char *text = json_dumps(product, JSON_COMPACT);
    json_t *item = json_string(text);
    free(text);
    json_decref(product);
    return item;
}

void pricing_get_products(struct account_call *call)
{
    const struct aws_account *account = call->account;
    if (account->options.pricing_fails) {
        account_refuse(call, 400, "AccessDeniedException",
                       "User is not authorized to perform: pricing:GetProducts");
        return;
    }
    const char *family = product_filter(call->params, "productFamily");
    const char *region = product_filter(call->params, "regionCode");
    const char *token = json_text(call->params, "NextToken");
    int64_t first = 0, index = 0;
    int64_t limit = json_integer_value(json_object_get(call->params, "MaxResults"));
    bool metal = strstr(family, "bare metal") != NULL;
    if (token[0] != '\0' && !text_parse_int64(token, &first)) {
        account_refuse(call, 400, "InvalidNextTokenException", "The token is invalid");
        return;
    }
    limit = limit > 0 && limit <= 100 ? limit : 100;
    json_t *list = json_array();
    call->reply = json_pack("{s:s,s:o}", "FormatVersion", "aws_v1", "PriceList", list);
    vector_for_each (type, &account->types) {
        if (type->price < 0 || (strstr(type->name, ".metal") != NULL) != metal ||
            (region[0] != '\0' && strcmp(region, account_region(account)) != 0) || index++ < first)
            continue;
        if ((int64_t)json_array_size(list) == limit) {
            json_object_set_new(call->reply, "NextToken",
                                json_sprintf("%lld", (long long)(first + limit)));
            break;
        }
        json_array_append_new(list, product_show(account, type, family));
    }
}

// --- ARC zonal shift, Service Quotas -------------------------------------------------------------

void arc_get_managed_resource(struct account_call *call)
{
    const char *arn = json_text(call->params, "resourceIdentifier");
    const json_t *cluster = json_object_get(call->account->environment, "cluster");
    const char *slash = strrchr(arn, '/');
    if (slash == NULL || strcmp(slash + 1, json_text(cluster, "name")) != 0) {
        account_refuse(call, 404, "ResourceNotFoundException", "%s is not a managed resource", arn);
        return;
    }
    call->reply =
        json_pack("{s:s,s:s,s:O,s:{},s:[]}", "arn", arn, "name", json_text(cluster, "name"),
                  "zonalShifts", call->account->zonal_shifts, "appliedWeights", "autoshifts");
}

void quotas_get_service_quota(struct account_call *call)
{
    const char *code = json_text(call->params, "QuotaCode");
    const json_t *known = json_object_get(call->account->quotas, code);
    double value = known != NULL ? json_real_value(known) : 1920;
    call->reply = json_pack("{s:{s:s,s:s,s:s,s:f,s:s,s:b}}", "Quota", "ServiceCode",
                            json_text(call->params, "ServiceCode"), "QuotaCode", code, "QuotaName",
                            "Running instances", "Value", value, "Unit", "None", "Adjustable", 1);
}
