// Signatures and endpoints, compared with those of AWS's own library (make_signatures.py; AWN-523).
#include "support/cmocka_all.h"

#include <jansson.h>

#include "base/duration.h"
#include "base/text.h"
#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/client/sigv4.h"

static json_t *load(const char *name)
{
    char path[512];
    json_error_t fault;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    json_t *rows = json_load_file(path, 0, &fault);
    assert_true(json_array_size(rows) > 100);
    return rows;
}

static const char *member(const json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

static void signatures_are_botocores(void **state)
{
    (void)state;
    json_t *rows = load("signatures.json"), *row, *header;
    size_t index, position;
    int64_t now;
    struct error error = {0};
    assert_true(instant_parse("2026-01-01T00:00:00Z", &now, &error));
    json_array_foreach (rows, index, row) {
        struct aws_http_header headers[SIGV4_SIGNED_HEADERS_MAX];
        uint32_t count = 0;
        json_array_foreach (json_object_get(row, "headers"), position, header)
            headers[count++] =
                (struct aws_http_header){json_string_value(json_array_get(header, 0)),
                                         json_string_value(json_array_get(header, 1))};
        const char *body = member(row, "body");
        char authorization[SIGV4_AUTHORIZATION_BYTES], date[SIGV4_DATE_BYTES];
        struct aws_credentials credentials = {"AKIDEXAMPLE",
                                              "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                              member(row, "token"), INT64_MAX};
        sigv4_sign(&(struct sigv4_request){member(row, "method"), member(row, "host"),
                                           member(row, "path"), member(row, "query"), headers,
                                           count, body, strlen(body), member(row, "region"),
                                           member(row, "service"), now},
                   &credentials, authorization);
        sigv4_date(now, date);
        assert_string_equal(date, member(row, "date"));
        assert_string_equal(authorization, member(row, "authorization"));
    }
    json_decref(rows);
}

static const char *settings(void *context, const char *name)
{
    const json_t *row = context;
    if (strcmp(name, "AWS_USE_FIPS_ENDPOINT") == 0)
        return json_is_true(json_object_get(row, "fips")) ? "true" : "";
    if (strcmp(name, "AWS_USE_DUALSTACK_ENDPOINT") == 0)
        return json_is_true(json_object_get(row, "dual")) ? "true" : NULL;
    return member(row, name);
}

static enum aws_service service_of(const char *name)
{
    enum aws_service service = 0;
    while (strcmp(aws_service_name(service), name) != 0)
        service++;
    return service;
}

static void endpoints_are_botocores(void **state)
{
    (void)state;
    json_t *rows = load("endpoints.json"), *row;
    size_t index, wrong = 0;
    json_array_foreach (rows, index, row) {
        enum aws_service service = service_of(member(row, "service"));
        struct aws_environment environment = {settings, row};
        struct aws_endpoint endpoint;
        struct error error = {0};
        if (!aws_endpoint_find(&environment, service, member(row, "region"), &endpoint, &error))
            fail_msg("%s", error.message);
        bool is_elsewhere = strcmp(endpoint.signing_region, member(row, "region")) != 0;
        if (service == AWS_PRICING && is_elsewhere)
            continue;
        if (strcmp(endpoint.url, member(row, "url")) != 0) {
            print_error("%s, not %s\n", endpoint.url, member(row, "url"));
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    json_decref(rows);
}

static void check_url(const char *environment_text, enum aws_service service, const char *region,
                      const char *url, const char *host, const char *signing_region)
{
    json_t *values = json_loads(environment_text, 0, NULL);
    struct aws_environment environment = {settings, values};
    struct aws_endpoint endpoint;
    struct error error = {0};
    bool good = aws_endpoint_find(&environment, service, region, &endpoint, &error);
    assert_int_equal(good, url != NULL);
    if (good) {
        assert_string_equal(endpoint.url, url);
        assert_string_equal(endpoint.host, host);
        assert_string_equal(endpoint.signing_region, signing_region);
    }
    json_decref(values);
}

static void configured_endpoints_win(void **state)
{
    (void)state;
    const char *moto = "{\"AWS_ENDPOINT_URL\": \"http://127.0.0.1:5000/\","
                       " \"AWS_ENDPOINT_URL_SQS\": \"https://sqs.test:443/base\"}";
    check_url(moto, AWS_EC2, "us-west-2", "http://127.0.0.1:5000", "127.0.0.1:5000", "us-west-2");
    check_url(moto, AWS_SQS, "us-west-2", "https://sqs.test:443/base", "sqs.test", "us-west-2");
    check_url("{\"AWS_ENDPOINT_URL\": \"http://x\", \"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS\": "
              "\"true\"}",
              AWS_STS, "eu-west-1", "https://sts.eu-west-1.amazonaws.com",
              "sts.eu-west-1.amazonaws.com", "eu-west-1");
    check_url("{\"AWS_ENDPOINT_URL\": \"ftp://x\"}", AWS_STS, "eu-west-1", NULL, NULL, NULL);
    check_url("{\"AWS_ENDPOINT_URL\": \"http://u:p@x\"}", AWS_STS, "eu-west-1", NULL, NULL, NULL);
    check_url("{\"AWS_ENDPOINT_URL\": \"http://x\\r\\nA: b\"}", AWS_STS, "eu-west-1", NULL, NULL,
              NULL);
    check_url("{}", AWS_STS, "../evil", NULL, NULL, NULL);
    check_url("{}", AWS_STS, "a.b", NULL, NULL, NULL);
}

static void prices_are_kept_in_a_few_regions(void **state)
{
    (void)state;
    check_url("{}", AWS_PRICING, "us-west-2", "https://api.pricing.us-east-1.amazonaws.com",
              "api.pricing.us-east-1.amazonaws.com", "us-east-1");
    check_url("{}", AWS_PRICING, "ap-northeast-1", "https://api.pricing.ap-south-1.amazonaws.com",
              "api.pricing.ap-south-1.amazonaws.com", "ap-south-1");
    check_url("{}", AWS_PRICING, "eu-west-3", "https://api.pricing.eu-central-1.amazonaws.com",
              "api.pricing.eu-central-1.amazonaws.com", "eu-central-1");
    check_url("{}", AWS_PRICING, "cn-north-1",
              "https://api.pricing.cn-northwest-1.amazonaws.com.cn",
              "api.pricing.cn-northwest-1.amazonaws.com.cn", "cn-northwest-1");
    check_url("{}", AWS_IAM, "eu-west-3", "https://iam.amazonaws.com", "iam.amazonaws.com",
              "us-east-1");
    assert_string_equal(aws_partition_of("us-isob-east-1"), "aws-iso-b");
    assert_string_equal(aws_partition_of("us-iso-west-1"), "aws-iso");
    assert_string_equal(aws_partition_of("us-gov-east-1"), "aws-us-gov");
    assert_string_equal(aws_partition_of("mx-central-1"), "aws");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_botocores),
        cmocka_unit_test(endpoints_are_botocores),
        cmocka_unit_test(configured_endpoints_win),
        cmocka_unit_test(prices_are_kept_in_a_few_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
