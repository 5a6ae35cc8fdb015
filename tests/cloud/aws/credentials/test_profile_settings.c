// Settings of the shared files behind the environment's (AWN-523, AWN-524).
#include "cloud/aws/credentials/credential_world.h"

#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/credentials/profile_settings.h"
#include "cloud/aws/credentials/shared_config.h"

static const char config[] = "[default]\n"
                             "endpoint_url = http://all:1\n"
                             "services = here\n"
                             "max_attempts = 7\n"
                             "ca_bundle = /ca.pem\n"
                             "s3 =\n"
                             "    endpoint_url = http://wrong:1\n"
                             "\n"
                             "[services here]\n"
                             "ec2 =\n"
                             "  endpoint_url = http://ec2:1\n"
                             "  # a remark\n"
                             "  other = x\n"
                             "ARC_Zonal_Shift = \n"
                             "\tENDPOINT_URL = http://arc:1\n"
                             "sqs = x\n"
                             "  endpoint_url = http://continued:1\n"
                             "[services there]\n"
                             "service_quotas =\n"
                             "  endpoint_url=http://quotas:1\n"
                             "[profile fips]\n"
                             "  use_fips_endpoint = true\n"
                             "  use_dualstack_endpoint = true\n"
                             "  services = there\n"
                             "[profile none]\n"
                             "ignore_configured_endpoint_urls = true\n"
                             "endpoint_url = http://all:1\n"
                             "services = nowhere\n";

static void check_url(struct fixture *fixture, enum aws_service service, const char *url)
{
    struct aws_environment own = {environment, fixture};
    struct error error = {0};
    struct aws_endpoint endpoint;
    struct profile_settings *settings = profile_settings_create(&own, &error);
    assert_non_null(settings);
    struct aws_environment all = profile_settings_environment(settings);
    if (!aws_endpoint_find(&all, service, "us-west-2", &endpoint, &error))
        fail_msg("%s", error.message);
    assert_string_equal(endpoint.url, url);
    profile_settings_destroy(settings);
}

static void endpoints_of_services_and_profiles(void **state)
{
    struct fixture *fixture = *state;
    check_url(fixture, AWS_EC2, "https://ec2.us-west-2.amazonaws.com"); // no files
    write_file(fixture, "config", config);
    check_url(fixture, AWS_EC2, "http://ec2:1");
    check_url(fixture, AWS_ARC_ZONAL_SHIFT, "http://arc:1");
    check_url(fixture, AWS_SQS, "http://all:1");
    check_url(fixture, AWS_IAM, "http://all:1");
    fixture->environment[0] = "AWS_ENDPOINT_URL=http://env:1"; // above all that a profile says
    check_url(fixture, AWS_EC2, "http://env:1");
    fixture->environment[1] = "AWS_ENDPOINT_URL_EC2=http://env-ec2:1";
    check_url(fixture, AWS_EC2, "http://env-ec2:1");
    check_url(fixture, AWS_SQS, "http://env:1");
    fixture->environment[0] = "AWS_PROFILE=fips";
    check_url(fixture, AWS_EC2, "http://env-ec2:1");
    check_url(fixture, AWS_SQS, "https://sqs-fips.us-west-2.api.aws");
    check_url(fixture, AWS_SERVICE_QUOTAS, "http://quotas:1");
    fixture->environment[2] = "AWS_USE_FIPS_ENDPOINT=false";
    check_url(fixture, AWS_SQS, "https://sqs.us-west-2.api.aws");
    fixture->environment[0] = "AWS_PROFILE=none";
    check_url(fixture, AWS_EC2, "https://ec2.us-west-2.amazonaws.com");
    fixture->environment[2] = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=false";
    check_url(fixture, AWS_SQS, "http://all:1");
    fixture->environment[0] = "AWS_PROFILE=missing";
    check_url(fixture, AWS_SQS, "https://sqs.us-west-2.amazonaws.com");
}

static void other_settings(void **state)
{
    struct fixture *fixture = *state;
    struct aws_environment own = {environment, fixture};
    struct error error = {0};
    write_file(fixture, "config", config);
    fixture->environment[0] = "AWS_RETRY_MODE=adaptive";
    struct profile_settings *settings = profile_settings_create(&own, &error);
    struct aws_environment all = profile_settings_environment(settings);
    assert_string_equal(aws_environment_get(&all, "AWS_MAX_ATTEMPTS"), "7");
    assert_string_equal(aws_environment_get(&all, "AWS_CA_BUNDLE"), "/ca.pem");
    assert_string_equal(aws_environment_get(&all, "AWS_RETRY_MODE"), "adaptive");
    assert_null(aws_environment_get(&all, "AWS_USE_FIPS_ENDPOINT"));
    assert_null(aws_environment_get(&all, "AWS_ACCESS_KEY_ID"));
    fixture->environment[1] = "AWS_MAX_ATTEMPTS=2";
    assert_string_equal(aws_environment_get(&all, "AWS_MAX_ATTEMPTS"), "2");
    profile_settings_destroy(settings);
}

static void lines_of_shared_files(void **state)
{
    (void)state;
    struct shared_config *files =
        shared_config_parse("[default]\n  a = 1\n  b = 2\n    c = 3\n  d =\n    e = 4\n   f\n "
                            "[x]\n\n[profile  p ]\nA=5 # x\n"
                            "[ services s ]\nec2=\n endpoint_url=u\n[plugins]\na = 6\n",
                            "[p]\nb = 7\n[services t]\nec2=\n endpoint_url=v\n");
    assert_string_equal(shared_config_get(files, "default", "a"), "1");
    assert_string_equal(shared_config_get(files, "default", "b"), "2");
    assert_null(shared_config_get(files, "default", "c"));
    assert_string_equal(shared_config_get(files, "default", "d.e"), "4");
    assert_string_equal(shared_config_get(files, "p", "a"), "5");
    assert_string_equal(shared_config_get(files, "p", "b"), "7");
    assert_false(shared_config_has(files, "plugins"));
    assert_true(shared_config_has(files, "services t")); // a profile: the second file has no others
    assert_null(shared_config_service(files, "p", "ec2", "endpoint_url"));
    shared_config_destroy(files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(endpoints_of_services_and_profiles),
        TEST(other_settings),
        TEST(lines_of_shared_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
