// What goes over the wire: names, lists, numbers, errors (AWN-342, AWI-300).
#include "support/cmocka_all.h"

#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_codec.h"

static json_t *parse(const char *text)
{
    json_error_t fault;
    json_t *value = json_loads(text, 0, &fault);
    if (value == NULL)
        print_error("%s\n", fault.text);
    assert_non_null(value);
    return value;
}

static void check_body(enum aws_action action, const char *parameters, const char *body)
{
    struct aws_wire wire;
    struct error error = {0};
    json_t *value = parse(parameters);
    if (!aws_codec_encode_request(action, value, &wire, &error))
        fail_msg("%s", error.message);
    assert_string_equal(text_or_empty(wire.body.data), body);
    if (wire.content_type != NULL) { // and back
        struct aws_http_header target = {"X-Amz-Target", wire.target};
        struct aws_http_request request = {.method = wire.method,
                                           .url = "https://aws/",
                                           .headers = &target,
                                           .headers_count = wire.target[0] != '\0',
                                           .body = wire.body.data,
                                           .body_bytes = wire.body.length};
        assert_int_equal(aws_codec_identify(&request), action);
        json_t *decoded = aws_codec_decode_request(action, &request, &error);
        assert_true(json_equal(decoded, value));
        json_decref(decoded);
    }
    aws_wire_clear(&wire);
    json_decref(value);
}

static void names_of_ec2(void **state)
{
    (void)state;
    check_body(EC2_DESCRIBE_SUBNETS,
               "{\"Filters\": [{\"Name\": \"tag:a b\", \"Values\": [\"x\", \"*\"]}],"
               " \"SubnetIds\": [\"subnet-1\"], \"MaxResults\": 500}",
               "Action=DescribeSubnets&Version=2016-11-15&Filter.1.Name=tag%3Aa%20b&"
               "Filter.1.Value.1=x&Filter.1.Value.2=%2A&SubnetId.1=subnet-1&MaxResults=500");
    check_body(EC2_CREATE_TAGS,
               "{\"Resources\": [\"i-1\"], \"Tags\": [{\"Key\": \"k\", \"Value\": \"\"}]}",
               "Action=CreateTags&Version=2016-11-15&ResourceId.1=i-1&Tag.1.Key=k&Tag.1.Value=");
    check_body(EC2_CREATE_LAUNCH_TEMPLATE,
               "{\"LaunchTemplateName\": \"t\", \"LaunchTemplateData\": {\"NetworkInterfaces\": "
               "[{\"DeviceIndex\": 0, \"Groups\": [\"sg-1\"], \"PrimaryIpv6\": true}],"
               "\"SecurityGroupIds\": [\"sg-2\"]}}",
               "Action=CreateLaunchTemplate&Version=2016-11-15&LaunchTemplateName=t&"
               "LaunchTemplateData.NetworkInterface.1.DeviceIndex=0&"
               "LaunchTemplateData.NetworkInterface.1.SecurityGroupId.1=sg-1&"
               "LaunchTemplateData.NetworkInterface.1.PrimaryIpv6=true&"
               "LaunchTemplateData.SecurityGroupId.1=sg-2");
}

static void names_of_fleets(void **state) // AWI-300: lists that keep their plural
{
    (void)state;
    check_body(EC2_CREATE_FLEET,
               "{\"LaunchTemplateConfigs\": [{\"Overrides\": [{\"Priority\": 9.6e-9}, "
               "{\"Priority\": 0.04}]}], \"ReservedCapacityOptions\": {\"ReservationTypes\": "
               "[\"r\"]}, \"TagSpecifications\": [{\"ResourceType\": \"fleet\"}]}",
               "Action=CreateFleet&Version=2016-11-15&ReservedCapacityOptions.ReservationType.1=r&"
               "LaunchTemplateConfigs.1.Overrides.1.Priority=0.0000000096&"
               "LaunchTemplateConfigs.1.Overrides.2.Priority=0.04&"
               "TagSpecification.1.ResourceType=fleet");
}

static void names_of_iam(void **state)
{
    (void)state;
    check_body(IAM_CREATE_INSTANCE_PROFILE,
               "{\"InstanceProfileName\": \"p\", \"Tags\": [{\"Key\": \"k\", \"Value\": \"v\"}]}",
               "Action=CreateInstanceProfile&Version=2010-05-08&InstanceProfileName=p&"
               "Tags.member.1.Key=k&Tags.member.1.Value=v");
}

static void json_bodies(void **state)
{
    (void)state;
    check_body(SQS_GET_QUEUE_URL, "{\"QueueName\":\"q\"}", "{\"QueueName\":\"q\"}");
    struct aws_wire wire;
    struct error error = {0};
    json_t *cluster = parse("{\"name\": \"a/b c\"}");
    assert_true(aws_codec_encode_request(EKS_DESCRIBE_CLUSTER, cluster, &wire, &error));
    assert_string_equal(wire.path, "/clusters/a%2Fb%20c");
    assert_string_equal(wire.method, "GET");
    aws_wire_clear(&wire);
    json_decref(cluster);
}

static void empty_values_are_not_sent(void **state)
{
    (void)state;
    struct aws_wire wire;
    struct error error = {0};
    json_t *parameters = parse("{\"Filters\": [], \"NextToken\": null}");
    assert_true(aws_codec_encode_request(EC2_DESCRIBE_SUBNETS, parameters, &wire, &error));
    assert_string_equal(wire.body.data, "Action=DescribeSubnets&Version=2016-11-15");
    aws_wire_clear(&wire);
    json_decref(parameters);
}

static void unknown_parameters_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum aws_action action;
        const char *parameters;
    } cases[] = {
        {EC2_DESCRIBE_SUBNETS, "{\"Filter\": []}"},
        {EC2_DESCRIBE_SUBNETS, "{\"Filters\": [{\"name\": \"x\"}]}"},
        {EC2_DESCRIBE_SUBNETS, "{\"MaxResults\": \"500\"}"},
        {SQS_GET_QUEUE_URL, "{\"Queue\": \"q\"}"},
        {PRICING_GET_PRODUCTS, "{\"Filters\": [{\"Name\": \"q\"}]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct aws_wire wire;
        struct error error = {0};
        json_t *parameters = parse(cases[i].parameters);
        assert_false(aws_codec_encode_request(cases[i].action, parameters, &wire, &error));
        assert_int_equal(error.kind, ERROR_INVALID);
        json_decref(parameters);
    }
}

static json_t *decode(enum aws_action action, const char *text)
{
    char id[AWS_ID_BYTES];
    struct error error = {0};
    json_t *reply = aws_codec_decode_reply(action, text, strlen(text), id, &error);
    if (reply == NULL)
        assert_int_not_equal(error.kind, ERROR_NONE);
    return reply;
}

static void check_reply(enum aws_action action, const char *text, const char *expected)
{
    json_t *reply = decode(action, text), *value = parse(expected);
    assert_non_null(reply);
    char *dump = json_dumps(reply, JSON_SORT_KEYS), *wanted = json_dumps(value, JSON_SORT_KEYS);
    assert_string_equal(dump, wanted);
    free(dump);
    free(wanted);
    struct error error = {0};
    char *again = aws_codec_encode_reply(action, reply, "id", &error);
    assert_non_null(again);
    json_t *back = decode(action, again);
    assert_true(json_equal(back, reply));
    free(again);
    json_decref(back);
    json_decref(reply);
    json_decref(value);
}

static void replies_in_xml(void **state)
{
    (void)state;
    check_reply(EC2_DESCRIBE_SUBNETS,
                "<?xml version=\"1.0\"?>\n<DescribeSubnetsResponse xmlns=\"x\">"
                "<requestId>r-1</requestId><subnetSet>\n <item><subnetId>s &lt;1&gt;</subnetId>"
                "<availableIpAddressCount>9</availableIpAddressCount><unknown><a>1</a></unknown>"
                "<defaultForAz>true</defaultForAz><tagSet><item><key>k</key><value/></item>"
                "</tagSet></item></subnetSet><nextToken/></DescribeSubnetsResponse>",
                "{\"Subnets\": [{\"SubnetId\": \"s <1>\", \"AvailableIpAddressCount\": 9, "
                "\"DefaultForAz\": true, \"Tags\": [{\"Key\": \"k\", \"Value\": \"\"}]}],"
                " \"NextToken\": \"\"}");
    check_reply(IAM_GET_INSTANCE_PROFILE,
                "<GetInstanceProfileResponse><GetInstanceProfileResult><InstanceProfile><Roles>"
                "<member><RoleName>r</RoleName></member></Roles><Tags/></InstanceProfile>"
                "</GetInstanceProfileResult><ResponseMetadata><RequestId>7</RequestId>"
                "</ResponseMetadata></GetInstanceProfileResponse>",
                "{\"InstanceProfile\": {\"Roles\": [{\"RoleName\": \"r\"}], \"Tags\": []}}");
    check_reply(ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE,
                "{\"zonalShifts\": [{\"expiryTime\": 1767225600.5, \"awayFrom\": \"a\"}]}",
                "{\"zonalShifts\": [{\"expiryTime\": \"2026-01-01T00:00:00Z\", \"awayFrom\": "
                "\"a\"}]}");
}

static void broken_replies_are_errors(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "no XML",
        "<html/>",
        "<DescribeSubnetsResponse>",
        "<DescribeSubnetsResponse><subnetSet><item></subnetSet></DescribeSubnetsResponse>",
        "<DescribeSubnetsResponse/>rest",
        "<!DOCTYPE a [<!ENTITY e \"x\">]><DescribeSubnetsResponse/>",
        "<DescribeSubnetsResponse><subnetSet><item><subnetId>&e;</subnetId></item></subnetSet>"
        "</DescribeSubnetsResponse>",
        "<DescribeSubnetsResponse><subnetSet><item><availableIpAddressCount>1e3"
        "</availableIpAddressCount></item></subnetSet></DescribeSubnetsResponse>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (decode(EC2_DESCRIBE_SUBNETS, texts[i]) != NULL)
            fail_msg("accepted: %s", texts[i]);
    }
    assert_null(decode(SQS_GET_QUEUE_URL, "[]"));
}

static void check_error(enum aws_service service, const char *body, const char *code,
                        const char *message, const char *id)
{
    struct aws_codec_error error;
    struct aws_http_response response = {.status = 400, .body = body, .body_bytes = strlen(body)};
    aws_codec_decode_error(service, &response, &error);
    assert_string_equal(error.code, code);
    assert_string_equal(error.message, message);
    assert_string_equal(error.request_id, id);
}

static void errors_of_each_protocol(void **state)
{
    (void)state;
    for (enum aws_service service = 0; service < AWS_SERVICE_COUNT; service++) {
        char *text = aws_codec_encode_error(service, "NoSuchThing", "a <b> & c", "r-9");
        bool has_id = strchr(text, '<') == text;
        check_error(service, text, "NoSuchThing", "a <b> & c", has_id ? "r-9" : "");
        free(text);
        check_error(service, "<html>502</html>", "", "", "");
        check_error(service, "", "", "", "");
    }
    check_error(AWS_SQS,
                "{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist:http://x\",\"Message\":\"m\"}",
                "QueueDoesNotExist", "m", "");
}

// Messages that quote the request would tell its session token and signature.
static void quoted_requests_are_hidden(void **state)
{
    (void)state;
    check_error(AWS_EC2,
                "<Response><Errors><Error><Code>SignatureDoesNotMatch</Code><Message>It does not "
                "match.\n\nThe Canonical String for this request should have been\n'POST\n/\n"
                "x-amz-security-token:token</Message></Error></Errors></Response>",
                "SignatureDoesNotMatch", "It does not match.", "");
    check_error(
        AWS_SSM,
        "{\"__type\": \"IncompleteSignatureException\", \"message\": \"Something is missing. "
        "Authorization=AWS4-HMAC-SHA256 Credential=a\"}",
        "IncompleteSignatureException", "Something is missing.", "");
    check_error(AWS_SSM, "{\"__type\": \"Other\", \"message\": \"X-Amz-Security-Token: token\"}",
                "Other", "", "");
}

static void every_action_has_shapes(void **state)
{
    (void)state;
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT; action++) {
        const struct aws_action_info *info = aws_action_info(action);
        assert_int_equal(aws_action_find(info->service, info->name), action);
        struct error error = {0};
        json_t *empty = json_object();
        char *text = aws_codec_encode_reply(action, empty, "id", &error);
        json_t *reply = decode(action, text);
        assert_true(json_equal(reply, empty));
        free(text);
        json_decref(reply);
        json_decref(empty);
    }
    assert_int_equal(aws_action_find(AWS_EC2, "None"), AWS_ACTION_COUNT);
    assert_string_equal(aws_action_permission(SERVICE_QUOTAS_GET_SERVICE_QUOTA),
                        "servicequotas:GetServiceQuota");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_ec2),
        cmocka_unit_test(names_of_fleets),
        cmocka_unit_test(names_of_iam),
        cmocka_unit_test(json_bodies),
        cmocka_unit_test(empty_values_are_not_sent),
        cmocka_unit_test(unknown_parameters_are_refused),
        cmocka_unit_test(replies_in_xml),
        cmocka_unit_test(broken_replies_are_errors),
        cmocka_unit_test(errors_of_each_protocol),
        cmocka_unit_test(quoted_requests_are_hidden),
        cmocka_unit_test(every_action_has_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
