// The simulated AWS account on the wire: reads, launches, queue, faults.
#include <unistd.h>

#include "account_driver.h"

#define CATALOGUE "(m5|c5|m6g|t3)\\.(large|xlarge)"
#define NAMES     "LaunchTemplateSpecification.LaunchTemplateName"

static const struct aws_account_options recorded = {.folder = ACCOUNT_FOLDER,
                                                    .catalogue = CATALOGUE};

static void filters_have_wildcards_and_lists(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    const char *body = ec2(&driver, "DescribeSubnets&Filter.1.Name=tag%3Akarpenter.sh%2Fdiscovery&"
                                    "Filter.1.Value.1=test-cluster&MaxResults=500");
    assert_int_equal(driver.status, 200);
    assert_int_equal(occurrences(body, "<subnetId>"), 4);
    assert_has(body, "<availabilityZoneId>usw2-az1</availabilityZoneId>");
    assert_has(body, "<availableIpAddressCount>4000</availableIpAddressCount>");
    body = ec2(&driver, "DescribeSubnets&Filter.1.Name=tag%3AName&Filter.1.Value.1=large-%2A");
    assert_int_equal(occurrences(body, "<subnetId>"), 2);
    body = ec2(&driver, "DescribeSubnets&Filter.1.Name=subnet-id&Filter.1.Value.1=subnet-bad&"
                        "Filter.1.Value.2=subnet-3fc993582222775b8");
    assert_int_equal(occurrences(body, "<subnetId>"), 1);
    body = ec2(&driver, "DescribeSecurityGroups&Filter.1.Name=group-name&Filter.1.Value.1=nodes%3F"
                        "group");
    assert_int_equal(occurrences(body, "<groupId>"), 1);
    body = ec2(&driver, "DescribeSubnets&Filter.1.Name=colour&Filter.1.Value.1=red");
    assert_int_equal(driver.status, 400);
    assert_string_equal(element(body, "Code"), "InvalidParameterValue");
    driver_close(&driver);
}

static void images_have_owners_states_and_deprecation(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    const char *body =
        ec2(&driver, "DescribeImages&Owner.1=amazon&Filter.1.Name=name&Filter.1.Value.1="
                     "amazon-eks-node-al2023-x86_64-standard-1.35-%2A&Filter.2.Name=state&"
                     "Filter.2.Value.1=available&IncludeDeprecated=true&MaxResults=1000");
    assert_int_equal(occurrences(body, "<imageId>"), 4);
    body = ec2(&driver, "DescribeImages&Owner.1=self&Owner.2=amazon&Filter.1.Name=name&"
                        "Filter.1.Value.1=custom-tie-%2A&IncludeDeprecated=true");
    assert_int_equal(occurrences(body, "<imageId>"), 2);
    body = ec2(&driver, "DescribeImages&Filter.1.Name=image-id&Filter.1.Value.1=ami-0bad");
    assert_int_equal(driver.status, 200);
    assert_int_equal(occurrences(body, "<imageId>"), 0);
    body = ec2(&driver, "DescribePlacementGroups&GroupName.1=unknown-group");
    assert_string_equal(element(body, "Code"), "InvalidPlacementGroup.Unknown");
    assert_string_equal(element(body, "Message"),
                        "The Placement Group 'unknown-group' is unknown.");
    body = ec2(&driver, "DescribePlacementGroups&GroupName.1=gone-group&Filter.1.Name=state&"
                        "Filter.1.Value.1=available");
    assert_int_equal(occurrences(body, "<groupId>"), 0);
    body = ec2(&driver, "DescribeCapacityReservations&Filter.1.Name=tag%3Aset&Filter.1.Value.1=two&"
                        "Filter.2.Name=instance-match-criteria&Filter.2.Value.1=open");
    assert_int_equal(occurrences(body, "<capacityReservationId>"), 1);
    assert_string_equal(element(body, "availableInstanceCount"), "4");
    driver_close(&driver);
}

static void types_come_in_pages(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    const char *body = ec2(&driver, "DescribeInstanceTypes&MaxResults=5");
    assert_int_equal(occurrences(body, "<instanceType>"), 5);
    struct text form = {0};
    text_format(&form, "DescribeInstanceTypes&MaxResults=5&NextToken=%s",
                element(body, "nextToken"));
    body = ec2(&driver, form.data);
    assert_int_equal(occurrences(body, "<instanceType>"), 3);
    assert_has_not(body, "<nextToken>");
    text_free(&form);
    body = ec2(&driver, "DescribeInstanceTypes&Filter.1.Name=processor-info.supported-architecture&"
                        "Filter.1.Value.1=arm64");
    assert_int_equal(occurrences(body, "<instanceType>"), 2);
    body = ec2(&driver, "DescribeInstanceTypeOfferings&LocationType=availability-zone");
    assert_int_equal(occurrences(body, "<instanceType>m5.large<"), 4);
    body = ec2(&driver, "DescribeSpotPriceHistory&ProductDescription.1=Linux%2FUNIX");
    assert_has(body, "<spotPrice>");
    body = ec2(&driver, "DescribeInstanceTypes&DryRun=true");
    assert_int_equal(driver.status, 412);
    assert_string_equal(element(body, "Code"), "DryRunOperation");
    driver_close(&driver);
}

// The built-in facts have the form of a recorded answer.
static void built_in_types_have_the_wire_form(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, (struct aws_account_options){.catalogue = "p4d\\.24xlarge"});
    const char *body = ec2(&driver, "DescribeInstanceTypes");
    assert_has(body, "<vCpuInfo><defaultVCpus>96</defaultVCpus>");
    assert_has(body, "<memoryInfo><sizeInMiB>1179648</sizeInMiB></memoryInfo>");
    assert_has(body, "<supportedArchitectures><item>x86_64</item></supportedArchitectures>");
    assert_has(body, "<gpuInfo><gpus><item><name>A100</name><manufacturer>NVIDIA</manufacturer>"
                     "<count>8</count>");
    assert_has(body, "<efaInfo><maximumEfaInterfaces>4</maximumEfaInterfaces></efaInfo>");
    driver_close(&driver);
}

// --- launches ------------------------------------------------------------------------------------

static void template_create(struct driver *driver, const char *name, const char *more)
{
    struct text form = {0};
    text_format(&form,
                "CreateLaunchTemplate&LaunchTemplateName=%s&LaunchTemplateData.ImageId="
                "ami-1&LaunchTemplateData.NetworkInterface.1.DeviceIndex=0&"
                "LaunchTemplateData.NetworkInterface.1.SecurityGroupId.1="
                "sg-164cf1ca8391532e4%s",
                name, more);
    ec2(driver, form.data);
    assert_int_equal(driver->status, 200);
    text_free(&form);
}

#define OVERRIDE(n, type, subnet, priority)                       \
    "&LaunchTemplateConfigs.1.Overrides." n ".InstanceType=" type \
    "&LaunchTemplateConfigs.1.Overrides." n ".SubnetId=" subnet   \
    "&LaunchTemplateConfigs.1.Overrides." n ".Priority=" priority
#define MAIN_A "subnet-703382ac24d3d9a0a"
#define MAIN_B "subnet-4ddf4e5541114fa0d"
#define FLEET_OF(capacity)                                                                        \
    "CreateFleet&Type=instant&LaunchTemplateConfigs.1." NAMES "=one&LaunchTemplateConfigs.1."     \
    "LaunchTemplateSpecification.Version=%24Latest" OVERRIDE("1", "m5.xlarge", MAIN_A, "0.1")     \
        OVERRIDE("2", "m5.large", MAIN_B, "0.3")                                                  \
            OVERRIDE("3", "m5.large", MAIN_A,                                                     \
                     "0.2") "&TargetCapacitySpecification.DefaultTargetCapacityType=" capacity    \
                            "&TagSpecification.1.ResourceType=instance&TagSpecification.1.Tag.1." \
                            "Key=karpenter.sh%2Fnode"                                             \
                            "pool&TagSpecification.1.Tag.1.Value=a%26b"
#define FLEET FLEET_OF("on-demand")

static void fleets_take_the_cheapest_override(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    const char *body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    assert_string_equal(element(body, "Code"), "InvalidLaunchTemplateName.NotFoundException");
    template_create(&driver, "one", "");
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1&DryRun=true");
    assert_int_equal(driver.status, 412);
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1&ClientToken=t");
    assert_string_equal(element(body, "instanceType"), "m5.large");
    assert_string_equal(element(body, "subnetId"), MAIN_A); // ties by zone
    char id[64];
    snprintf(id, sizeof id, "%s", element(strstr(body, "<instanceIds>"), "item"));
    // The same token: the same answer, no second instance; other parameters: refused.
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1&ClientToken=t");
    assert_has(body, id);
    assert_int_equal(aws_account_instances(driver.account), 1);
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=2&ClientToken=t");
    assert_string_equal(element(body, "Code"), "IdempotentParameterMismatch");
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1&"
                              "OnDemandOptions.AllocationStrategy=prioritized");
    assert_string_equal(element(body, "instanceType"), "m5.xlarge");
    body = ec2(&driver, "DescribeInstances&Filter.1.Name=tag-key&Filter.1.Value.1="
                        "karpenter.sh%2Fnodepool&Filter.2.Name=instance-state-name&"
                        "Filter.2.Value.1=running");
    assert_int_equal(occurrences(body, "<instanceId>"), 2);
    assert_has(body, "<value>a&amp;b</value>");
    const struct aws_instance *instance = aws_account_instance(driver.account, id);
    assert_string_equal(aws_instance_zone(instance), "us-west-2a");
    assert_string_equal(aws_instance_tag(instance, "karpenter.sh/nodepool"), "a&b");
    driver_close(&driver);
}

static void faults_of_pools_are_fleet_errors(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    template_create(&driver, "one", "");
    json_t *pools = json_pack("[[s,s,s]]", "m5.large", "us-west-2[ab]", "*");
    struct aws_account_fault fault = {.action = (char *)"CreateFleet",
                                      .code = (char *)"InsufficientInstanceCapacity",
                                      .message = (char *)"none",
                                      .times = 1,
                                      .dry_run = -1,
                                      .pools = pools};
    aws_account_add_fault(driver.account, &fault);
    json_decref(pools);
    const char *body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=2");
    assert_int_equal(occurrences(body, "<errorCode>InsufficientInstanceCapacity<"), 2);
    assert_int_equal(aws_account_instances(driver.account), 2);
    const char *ids = strstr(body, "<instanceIds>");
    assert_string_equal(element(ids, "instanceType"), "m5.xlarge");
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    assert_has_not(body, "<errorCode>"); // it was for one fleet
    fault = (struct aws_account_fault){.action = (char *)"CreateFleet",
                                       .code = (char *)"RequestLimitExceeded",
                                       .times = 1,
                                       .dry_run = 0,
                                       .status = 503};
    aws_account_add_fault(driver.account, &fault);
    ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1&DryRun=true");
    assert_int_equal(driver.status, 412);
    ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    assert_int_equal(driver.status, 503);
    ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    assert_int_equal(driver.status, 200);
    driver_close(&driver);
}

static void reservations_and_partitions(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    template_create(&driver, "one",
                    "&LaunchTemplateData.Placement.GroupId=pg-6cb608b4b6fc4b7cb"
                    "&LaunchTemplateData.CapacityReservationSpecification.CapacityReservation"
                    "Target.CapacityReservationId=cr-08f2a164ab5381c9e");
    const char *body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    char id[64];
    snprintf(id, sizeof id, "%s", element(strstr(body, "<instanceIds>"), "item"));
    const json_t *shown = aws_instance_json(aws_account_instance(driver.account, id));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(shown, "placement"), "partitionNumber")),
        2);
    body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    assert_has(body, "ReservationCapacityExceeded"); // its one free instance is used up
    struct text form = {0};
    text_format(&form, "TerminateInstances&InstanceId.1=%s", id);
    body = ec2(&driver, form.data);
    assert_has(body, "<currentState><code>32</code><name>shutting-down</name></currentState>");
    text_free(&form);
    loop_run_for(driver.loop, 30 * SECOND);
    assert_int_equal(aws_account_instances(driver.account), 0);
    body = ec2(&driver, "DescribeCapacityReservations&CapacityReservationId.1="
                        "cr-08f2a164ab5381c9e");
    assert_string_equal(element(body, "availableInstanceCount"), "1");
    body = ec2(&driver, "TerminateInstances&InstanceId.1=i-0123");
    assert_string_equal(element(body, "Code"), "InvalidInstanceID.NotFound");
    driver_close(&driver);
}

static void dry_runs_of_instances_check_the_profile(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    template_create(&driver, "good", "&LaunchTemplateData.IamInstanceProfile.Name=any");
    template_create(&driver, "bad", "&LaunchTemplateData.IamInstanceProfile.Name=missing-profile");
#define RUN                                                                 \
    "RunInstances&DryRun=true&MinCount=1&MaxCount=1&InstanceType=m5.large&" \
    "NetworkInterface.1.DeviceIndex=0&NetworkInterface.1.SubnetId=" MAIN_A  \
    "&LaunchTemplate.LaunchTemplateName="
    ec2(&driver, RUN "good");
    assert_int_equal(driver.status, 412);
    const char *body = ec2(&driver, RUN "bad");
    assert_int_equal(driver.status, 400);
    assert_has(body, "iamInstanceProfile.name is invalid"); // AWN-611
    driver_close(&driver);
}

// The resource of a refusal is cut; it stays UTF-8, or its message could not be encoded.
static void refusals_of_long_names(void **state)
{
    (void)state;
    struct driver driver;
    struct text form = {0};
    driver_open(&driver, recorded);
    json_t *nothing = json_pack("{s:[]}", "Statement");
    aws_account_set_policy(driver.account, nothing);
    json_decref(nothing);
    text_add(&form, "RunInstances&MinCount=1&MaxCount=1&ImageId=");
    for (int i = 0; i < 200; i++)
        text_add(&form, "%E2%82%AC");
    const char *body = ec2(&driver, form.data);
    assert_int_equal(driver.status, 403);
    assert_has(body, "Encoded authorization failure message");
    text_free(&form);
    driver_close(&driver);
}

static void new_instances_show_after_the_lag(void **state)
{
    (void)state;
    struct driver driver;
    struct aws_account_options options = recorded;
    options.lag_min = options.lag_max = 3 * SECOND;
    driver_open(&driver, options);
    template_create(&driver, "one", "");
    const char *body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    struct text form = {0};
    text_format(&form, "DescribeInstances&InstanceId.1=%s",
                element(strstr(body, "<instanceIds>"), "item"));
    body = ec2(&driver, form.data);
    assert_string_equal(element(body, "Code"), "InvalidInstanceID.NotFound");
    loop_run_for(driver.loop, 4 * SECOND);
    body = ec2(&driver, form.data);
    assert_int_equal(occurrences(body, "<instanceId>"), 1);
    text_free(&form);
    driver_close(&driver);
}

// --- other services ------------------------------------------------------------------------------

static void profiles_have_roles(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
#define IAM(form) driver_query(&driver, "2010-05-08", form)
    const char *body = IAM("GetInstanceProfile&InstanceProfileName=p");
    assert_int_equal(driver.status, 404);
    assert_string_equal(element(body, "Code"), "NoSuchEntity");
    assert_string_equal(element(body, "Message"), "Instance Profile p cannot be found.");
    IAM("CreateInstanceProfile&InstanceProfileName=p&Path=%2Fkarpenter%2Fx%2F&"
        "Tags.member.1.Key=k&Tags.member.1.Value=v");
    assert_int_equal(driver.status, 200);
    IAM("CreateInstanceProfile&InstanceProfileName=p");
    assert_int_equal(driver.status, 409);
    IAM("AddRoleToInstanceProfile&InstanceProfileName=p&RoleName=missing-role");
    assert_int_equal(driver.status, 404);
    IAM("AddRoleToInstanceProfile&InstanceProfileName=p&RoleName=node-role");
    assert_int_equal(driver.status, 200);
    body = IAM("GetInstanceProfile&InstanceProfileName=p");
    assert_has(body, "<Roles><member><Path>/</Path><RoleName>node-role</RoleName>");
    assert_has(body, "<Tags><member><Key>k</Key><Value>v</Value></member></Tags>");
    body = IAM("ListInstanceProfiles&PathPrefix=%2Fkarpenter%2F");
    assert_int_equal(occurrences(body, "<InstanceProfileName>"), 1);
    IAM("DeleteInstanceProfile&InstanceProfileName=p");
    assert_int_equal(driver.status, 409);
    IAM("RemoveRoleFromInstanceProfile&InstanceProfileName=p&RoleName=node-role");
    IAM("DeleteInstanceProfile&InstanceProfileName=p");
    assert_int_equal(driver.status, 200);
    body = driver_query(&driver, "2011-06-15", "GetCallerIdentity");
    assert_string_equal(element(body, "Account"), "111122223333");
    driver_close(&driver);
}

static void small_services_answer(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    json_t *reply = json_call(&driver, "AmazonSSM.GetParameter", "{\"Name\": \"/none\"}");
    assert_int_equal(driver.status, 400);
    assert_string_equal(json_string_value(json_object_get(reply, "__type")), "ParameterNotFound");
    json_decref(reply);
    reply = json_call(&driver, "AmazonSSM.GetParameter", "{\"Name\": \"/oracle/image/x86\"}");
    assert_has(driver.body, "\"Value\":\"ami-99e906cf16966e5bd\"");
    json_decref(reply);
    // AWN-170: by ARN as well.
    reply =
        json_call(&driver, "AmazonSSM.GetParameter",
                  "{\"Name\": \"arn:aws:ssm:us-west-2:111122223333:parameter/oracle/image/arm\"}");
    assert_has(driver.body, "\"Value\":\"ami-28855d4cbc523a14c\"");
    json_decref(reply);
    reply = json_call(&driver, "AWSPriceListService.GetProducts",
                      "{\"ServiceCode\": \"AmazonEC2\", \"Filters\": [{\"Field\": "
                      "\"productFamily\", \"Value\": \"Compute Instance\"}]}");
    assert_int_equal(json_array_size(json_object_get(reply, "PriceList")), 8);
    json_decref(reply);
    driver_send(&driver, "GET", "https://eks.example/clusters/test-cluster", "text/plain", NULL,
                NULL);
    assert_has(driver_wait(&driver), "\"certificateAuthority\":{\"data\":\"Y2EtYnVuZGxl\"}");
    driver_send(&driver, "GET", "https://eks.example/clusters/other", "text/plain", NULL, NULL);
    driver_wait(&driver);
    assert_int_equal(driver.status, 404);
    assert_string_equal(driver.error_type, "ResourceNotFoundException");
    driver_send(&driver, "GET",
                "https://arc.example/managedresources/arn%3Aaws%3Aeks%3Aus-west-2%3A1%3Acluster"
                "%2Ftest-cluster",
                "text/plain", NULL, NULL);
    assert_has(driver_wait(&driver), "\"zonalShifts\":[]");
    driver_close(&driver);
}

#define QUEUE "https://sqs.us-west-2.amazonaws.com/111122223333/interruptions"

// A long poll ends with the first message; one that is not deleted comes back.
static const char *const other_files[] = {"instance-types.xml.gz", "offerings.xml.gz",
                                          "prices.json.gz"};

static void link_other_files(const char *folder)
{
    for (size_t i = 0; i < ARRAY_LENGTH(other_files); i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, other_files[i]);
        struct text target = {0};
        text_format(&target, "%s/%s", ACCOUNT_FOLDER, other_files[i]);
        assert_int_equal(symlink(target.data, path), 0);
        text_free(&target);
    }
}

static void remove_folder(const char *folder, const char *environment)
{
    for (size_t i = 0; i < ARRAY_LENGTH(other_files); i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, other_files[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(unlink(environment), 0);
    assert_int_equal(rmdir(folder), 0);
}

// A folder of whatever origin: the parts that it leaves out are empty.
static void absent_parts_are_empty(void **state)
{
    (void)state;
    char folder[] = "/tmp/adze-account-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    link_other_files(folder);
    snprintf(path, sizeof path, "%s/environment.json", folder);
    json_t *environment = json_pack("{s:s}", "region", "us-gov-west-1");
    assert_int_equal(json_dump_file(environment, path, 0), 0);
    struct driver driver;
    driver_open(&driver, (struct aws_account_options){.folder = folder, .catalogue = "m5\\.large"});
    const char *body = ec2(&driver, "DescribePlacementGroups");
    assert_int_equal(driver.status, 200);
    assert_int_equal(occurrences(body, "<groupId>"), 0);
    body = ec2(&driver, "DescribeSubnets");
    assert_int_equal(occurrences(body, "<subnetId>"), 0);
    driver_close(&driver);
    struct error error = {0};
    struct loop *loop = loop_create_virtual(TEST_EPOCH);
    json_object_set_new(environment, "images", json_object());
    assert_int_equal(json_dump_file(environment, path, 0), 0);
    assert_null(
        aws_account_create(&(struct aws_account_options){.folder = folder, .loop = loop}, &error));
    assert_string_equal(error.message, "environment.json: images is no list");
    loop_destroy(loop);
    json_decref(environment);
    remove_folder(folder, path);
}

static void messages_wait_hide_and_come_back(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    json_t *reply =
        json_call(&driver, "AmazonSQS.GetQueueUrl", "{\"QueueName\": \"interruptions\"}");
    assert_string_equal(json_string_value(json_object_get(reply, "QueueUrl")), QUEUE);
    json_decref(reply);
#define RECEIVE                                                   \
    "{\"QueueUrl\": \"" QUEUE "\", \"MaxNumberOfMessages\": 10, " \
    "\"VisibilityTimeout\": 20, \"WaitTimeSeconds\": 20}"
    int64_t start = loop_now_ns(driver.loop);
    json_decref(json_call(&driver, "AmazonSQS.ReceiveMessage", RECEIVE));
    assert_string_equal(driver.body, "{}");
    assert_true(ns_subtract(loop_now_ns(driver.loop), start) == 20 * SECOND);
    driver_send(&driver, "POST", "https://sqs.example/", "application/x-amz-json-1.0",
                "AmazonSQS.ReceiveMessage", RECEIVE);
    loop_run_for(driver.loop, 5 * SECOND);
    aws_account_send_message(driver.account, "hello");
    assert_has(driver_wait(&driver), "\"Body\":\"hello\"");
    start = loop_now_ns(driver.loop);
    reply = json_call(&driver, "AmazonSQS.ReceiveMessage", RECEIVE); // again, 20 s later
    assert_true(ns_subtract(loop_now_ns(driver.loop), start) == 20 * SECOND);
    const json_t *message = json_array_get(json_object_get(reply, "Messages"), 0);
    struct text body = {0};
    text_format(&body, "{\"QueueUrl\": \"%s\", \"ReceiptHandle\": \"%s\"}", QUEUE,
                json_string_value(json_object_get(message, "ReceiptHandle")));
    json_decref(reply);
    json_decref(json_call(&driver, "AmazonSQS.DeleteMessage", body.data));
    assert_int_equal(driver.status, 200);
    text_free(&body);
    json_decref(json_call(&driver, "AmazonSQS.ReceiveMessage", RECEIVE));
    assert_string_equal(driver.body, "{}");
    // A controller that is killed while it polls.
    driver_send(&driver, "POST", "https://sqs.example/", "application/x-amz-json-1.0",
                "AmazonSQS.ReceiveMessage", RECEIVE);
    loop_run_for(driver.loop, SECOND);
    driver_close(&driver);
}

static void interruptions_end_the_instance_two_minutes_later(void **state)
{
    (void)state;
    struct driver driver;
    driver_open(&driver, recorded);
    template_create(&driver, "one", "");
    const char *body = ec2(&driver, FLEET "&TargetCapacitySpecification.TotalTargetCapacity=1");
    char id[64];
    snprintf(id, sizeof id, "%s", element(strstr(body, "<instanceIds>"), "item"));
    assert_true(aws_account_interrupt(driver.account, id));
    json_decref(json_call(&driver, "AmazonSQS.ReceiveMessage", RECEIVE));
    assert_has(driver.body, "EC2 Spot Instance Interruption Warning");
    assert_has(driver.body, id);
    loop_run_for(driver.loop, 119 * SECOND);
    assert_int_equal(aws_account_instances(driver.account), 1);
    loop_run_for(driver.loop, 30 * SECOND);
    assert_int_equal(aws_account_instances(driver.account), 0);
    driver_close(&driver);
}

// A lost answer is no answer, but the effect is there.
static void lost_answers_have_their_effect(void **state)
{
    (void)state;
    struct driver driver;
    struct aws_account_options options = recorded;
    options.lost_share = 1;
    driver_open(&driver, options);
    driver_query(&driver, "2010-05-08", "CreateInstanceProfile&InstanceProfileName=p");
    assert_int_equal(driver.status, 0);
    assert_int_equal(driver.failure, ERROR_UNAVAILABLE);
    driver_close(&driver);
}

static void throttling_by_chance_is_reproducible(void **state)
{
    (void)state;
    int statuses[2][40];
    for (int run = 0; run < 2; run++) {
        struct driver driver;
        struct aws_account_options options = recorded;
        options.throttle_share = 0.3;
        options.server_error_share = 0.2;
        options.latency_min = 10 * MILLISECOND;
        options.latency_max = 200 * MILLISECOND;
        driver_open(&driver, options);
        for (int i = 0; i < 40; i++) {
            ec2(&driver, "DescribeSubnets");
            statuses[run][i] = driver.status;
        }
        driver_close(&driver);
    }
    assert_memory_equal(statuses[0], statuses[1], sizeof statuses[0]);
}

static void end_noted(void *context, const struct aws_instance *instance)
{
    assert_non_null(aws_instance_id(instance));
    ++*(int *)context;
}

// Of many spot instances some are interrupted within the hour; pools run dry.
static void worlds_have_stock_outs_and_interruptions(void **state)
{
    (void)state;
    struct driver driver;
    int ended = 0;
    struct aws_account_options options = recorded;
    options.stock_out_share = 0.1;
    options.interruptions_per_hour = 1;
    options.state_messages = true;
    options.gone = end_noted;
    options.machines_context = &ended;
    driver_open(&driver, options);
    template_create(&driver, "one", "");
    const char *body =
        ec2(&driver, FLEET_OF("spot") "&TargetCapacitySpecification.TotalTargetCapacity=100");
    assert_has(body, "InsufficientInstanceCapacity");
    int launched = (int)aws_account_instances(driver.account);
    assert_true(launched > 0 && launched < 100);
    loop_run_for(driver.loop, 4 * HOUR);
    assert_true(ended > launched / 2);
    assert_int_equal((int)aws_account_instances(driver.account), launched - ended);
    driver_close(&driver);
}

static void unsigned_requests_are_refused(void **state)
{
    (void)state;
    struct driver driver;
    struct aws_account_options options = recorded;
    options.check_signatures = true;
    driver_open(&driver, options);
    const char *body = ec2(&driver, "DescribeSubnets");
    assert_int_equal(driver.status, 401);
    assert_string_equal(element(body, "Code"), "AuthFailure");
    driver_close(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_have_wildcards_and_lists),
        cmocka_unit_test(images_have_owners_states_and_deprecation),
        cmocka_unit_test(types_come_in_pages),
        cmocka_unit_test(built_in_types_have_the_wire_form),
        cmocka_unit_test(fleets_take_the_cheapest_override),
        cmocka_unit_test(faults_of_pools_are_fleet_errors),
        cmocka_unit_test(reservations_and_partitions),
        cmocka_unit_test(dry_runs_of_instances_check_the_profile),
        cmocka_unit_test(refusals_of_long_names),
        cmocka_unit_test(new_instances_show_after_the_lag),
        cmocka_unit_test(profiles_have_roles),
        cmocka_unit_test(small_services_answer),
        cmocka_unit_test(absent_parts_are_empty),
        cmocka_unit_test(messages_wait_hide_and_come_back),
        cmocka_unit_test(interruptions_end_the_instance_two_minutes_later),
        cmocka_unit_test(lost_answers_have_their_effect),
        cmocka_unit_test(throttling_by_chance_is_reproducible),
        cmocka_unit_test(worlds_have_stock_outs_and_interruptions),
        cmocka_unit_test(unsigned_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
