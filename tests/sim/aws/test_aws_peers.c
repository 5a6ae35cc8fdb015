// The provider's own client against the simulated account: two independent readings of AWS's
// protocols and signatures must agree. And the Nodes that launched instances register.
#include "account_driver.h"

#include "cloud/aws/client/aws_client.h"

struct peers {
    struct loop *loop;
    struct aws_account *account;
    struct aws_http *http;
    struct aws_client *client;
    struct aws_credentials_source *credentials;
    json_t *reply;
    enum aws_fault fault;
    char code[128];
    int done;
};

static const char *no_environment(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static struct peers *peers_open(const char *folder)
{
    struct peers *peers = memory_allocate(sizeof *peers);
    struct error error = {0};
    peers->loop = loop_create_virtual(TEST_EPOCH);
    const struct aws_account_options options = {
        .loop = peers->loop,
        .seed = 3,
        .folder = folder,
        .catalogue = "(m5|m6g|g4dn|inf1)\\.(large|xlarge)",
        .latency_min = 5 * MILLISECOND,
        .latency_max = 50 * MILLISECOND,
        .check_signatures = true,
    };
    peers->account = aws_account_create(&options, &error);
    assert_non_null(peers->account);
    peers->http = aws_account_http(peers->account);
    const struct aws_credentials credentials = {AWS_ACCOUNT_ACCESS_KEY, AWS_ACCOUNT_SECRET_KEY,
                                                NULL, INT64_MAX};
    peers->credentials = aws_credentials_fixed(&credentials);
    const struct aws_client_options client = {
        .loop = peers->loop,
        .http = peers->http,
        .credentials = peers->credentials,
        .region = "us-west-2",
        .environment = no_environment,
    };
    peers->client = aws_client_create(&client, &error);
    assert_non_null(peers->client);
    return peers;
}

static void peers_close(struct peers *peers)
{
    aws_client_destroy(peers->client);
    peers->credentials->operations->destroy(peers->credentials);
    peers->http->operations->destroy(peers->http);
    aws_account_destroy(peers->account);
    loop_destroy(peers->loop);
    json_decref(peers->reply);
    free(peers);
}

static void note(void *context, const struct aws_result *result)
{
    struct peers *peers = context;
    peers->done++;
    peers->fault = result->fault;
    snprintf(peers->code, sizeof peers->code, "%s", result->code);
    json_decref(peers->reply);
    peers->reply = json_incref((json_t *)result->reply);
}

// The reply in the API's own names; NULL after an error. Steals the parameters.
static const json_t *call(struct peers *peers, enum aws_action action, json_t *parameters)
{
    const struct aws_request request = {.action = action,
                                        .parameters = parameters,
                                        .all_pages = true,
                                        .done = note,
                                        .context = peers};
    int before = peers->done;
    aws_client_start(peers->client, &request);
    while (peers->done == before)
        assert_true(loop_step(peers->loop));
    return peers->reply;
}

static json_t *at(const json_t *value, const char *path)
{
    char copy[200], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part = strtok_r(copy, ".", &rest); part != NULL; part = strtok_r(NULL, ".", &rest))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part))
                                     : json_object_get(value, part);
    return (json_t *)value;
}

static const char *text(const json_t *value, const char *path)
{
    return text_or_empty(json_string_value(at(value, path)));
}

static void reads_agree(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    const json_t *reply = call(peers, EC2_DESCRIBE_SUBNETS,
                               json_pack("{s:[{s:s,s:[s]}],s:i}", "Filters", "Name", "tag:Name",
                                         "Values", "main-*", "MaxResults", 3));
    assert_int_equal(json_array_size(at(reply, "Subnets")), 4); // two pages
    assert_string_equal(text(reply, "Subnets.0.Tags.0.Key"), "Name");
    assert_int_equal(json_integer_value(at(reply, "Subnets.0.AvailableIpAddressCount")), 4000);
    reply = call(peers, EC2_DESCRIBE_SECURITY_GROUPS,
                 json_pack("{s:[s]}", "GroupIds", "sg-164cf1ca8391532e4"));
    assert_string_equal(text(reply, "SecurityGroups.0.GroupName"), "cluster-group");
    reply = call(peers, EC2_DESCRIBE_IMAGES,
                 json_pack("{s:[s],s:b}", "Owners", "self", "IncludeDeprecated", 1));
    assert_true(json_array_size(at(reply, "Images")) > 3);
    assert_string_equal(text(reply, "Images.0.OwnerId"), "111122223333");
    reply = call(peers, EC2_DESCRIBE_INSTANCE_TYPES, json_pack("{s:i}", "MaxResults", 5));
    assert_true(json_array_size(at(reply, "InstanceTypes")) > 5);
    assert_true(json_integer_value(at(reply, "InstanceTypes.0.VCpuInfo.DefaultVCpus")) > 0);
    reply = call(peers, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS,
                 json_pack("{s:s}", "LocationType", "availability-zone"));
    assert_string_equal(text(reply, "InstanceTypeOfferings.0.LocationType"), "availability-zone");
    reply = call(peers, EC2_DESCRIBE_SPOT_PRICE_HISTORY, NULL);
    assert_true(text(reply, "SpotPriceHistory.0.SpotPrice")[0] != '\0');
    reply = call(peers, EC2_DESCRIBE_CAPACITY_RESERVATIONS,
                 json_pack("{s:[s]}", "CapacityReservationIds", "cr-7692c3ad3540bb803"));
    assert_int_equal(json_integer_value(at(reply, "CapacityReservations.0.AvailableInstanceCount")),
                     5);
    reply = call(peers, EC2_DESCRIBE_PLACEMENT_GROUPS,
                 json_pack("{s:[s]}", "GroupNames", "partition-group"));
    assert_int_equal(json_integer_value(at(reply, "PlacementGroups.0.PartitionCount")), 3);
    reply = call(peers, EC2_DESCRIBE_AVAILABILITY_ZONES, NULL);
    assert_string_equal(text(reply, "AvailabilityZones.1.ZoneId"), "usw2-az2");
    call(peers, EC2_DESCRIBE_INSTANCE_TYPES, json_pack("{s:b}", "DryRun", 1));
    assert_int_equal(peers->fault, AWS_FAULT_DRY_RUN_PASSED);
    reply = call(peers, EC2_GET_SPOT_PLACEMENT_SCORES, json_pack("{s:i}", "TargetCapacity", 1));
    assert_int_equal(json_integer_value(at(reply, "SpotPlacementScores.0.Score")), 9);
    peers_close(peers);
}

static void other_services_agree(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    const json_t *reply = call(peers, SSM_GET_PARAMETER, json_pack("{s:s}", "Name", "/none"));
    assert_int_equal(peers->fault, AWS_FAULT_NOT_FOUND);
    reply = call(peers, EKS_DESCRIBE_CLUSTER, json_pack("{s:s}", "name", "test-cluster"));
    assert_string_equal(text(reply, "cluster.endpoint"), "https://test-cluster.example");
    json_t *shift = json_pack("[{s:s,s:i,s:s}]", "awayFrom", "usw2-az1", "expiryTime", 1785003600,
                              "appliedStatus", "APPLIED");
    aws_account_set_zonal_shifts(peers->account, shift);
    json_decref(shift);
    char arn[200];
    snprintf(arn, sizeof arn, "arn:aws:eks:us-west-2:111122223333:cluster/test-cluster");
    reply = call(peers, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE,
                 json_pack("{s:s}", "resourceIdentifier", arn));
    assert_string_equal(text(reply, "zonalShifts.0.awayFrom"), "usw2-az1");
    reply = call(peers, PRICING_GET_PRODUCTS,
                 json_pack("{s:s,s:[{s:s,s:s,s:s}],s:i}", "ServiceCode", "AmazonEC2", "Filters",
                           "Type", "TERM_MATCH", "Field", "productFamily", "Value",
                           "Compute Instance", "MaxResults", 3));
    assert_true(json_array_size(at(reply, "PriceList")) > 3);
    reply = call(peers, STS_GET_CALLER_IDENTITY, NULL);
    assert_string_equal(text(reply, "Account"), "111122223333");
    reply =
        call(peers, STS_ASSUME_ROLE,
             json_pack("{s:s,s:s}", "RoleArn", "arn:aws:iam::1:role/r", "RoleSessionName", "adze"));
    assert_string_equal(text(reply, "Credentials.AccessKeyId"), AWS_ACCOUNT_ACCESS_KEY);
    reply = call(peers, SERVICE_QUOTAS_GET_SERVICE_QUOTA,
                 json_pack("{s:s,s:s}", "ServiceCode", "ec2", "QuotaCode", "L-1216C47A"));
    assert_true(json_number_value(at(reply, "Quota.Value")) > 0);
    call(peers, IAM_CREATE_INSTANCE_PROFILE,
         json_pack("{s:s,s:s,s:[{s:s,s:s}]}", "InstanceProfileName", "p", "Path", "/k/", "Tags",
                   "Key", "a b", "Value", "\xc3\xa4/+&"));
    reply = call(peers, IAM_GET_INSTANCE_PROFILE, json_pack("{s:s}", "InstanceProfileName", "p"));
    assert_string_equal(text(reply, "InstanceProfile.Tags.0.Value"), "\xc3\xa4/+&");
    reply = call(peers, IAM_LIST_INSTANCE_PROFILES, json_pack("{s:s}", "PathPrefix", "/k/"));
    assert_string_equal(text(reply, "InstanceProfiles.0.InstanceProfileName"), "p");
    call(peers, IAM_GET_INSTANCE_PROFILE, json_pack("{s:s}", "InstanceProfileName", "q"));
    assert_int_equal(peers->fault, AWS_FAULT_NOT_FOUND);
    peers_close(peers);
}

static void the_queue_agrees(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    const json_t *reply = call(peers, SQS_GET_QUEUE_URL, json_pack("{s:s}", "QueueName", "other"));
    assert_null(reply);
    assert_int_equal(peers->fault, AWS_FAULT_NOT_FOUND);
    reply = call(peers, SQS_GET_QUEUE_URL, json_pack("{s:s}", "QueueName", "interruptions"));
    char url[200];
    snprintf(url, sizeof url, "%s", text(reply, "QueueUrl"));
    call(peers, SQS_SEND_MESSAGE, json_pack("{s:s,s:s}", "QueueUrl", url, "MessageBody", "{}"));
    reply = call(peers, SQS_RECEIVE_MESSAGE,
                 json_pack("{s:s,s:i,s:i,s:[s]}", "QueueUrl", url, "MaxNumberOfMessages", 10,
                           "WaitTimeSeconds", 20, "AttributeNames", "SentTimestamp"));
    assert_string_equal(text(reply, "Messages.0.Body"), "{}");
    json_t *entries = json_pack("[{s:s,s:s}]", "Id", "1", "ReceiptHandle",
                                text(reply, "Messages.0.ReceiptHandle"));
    reply = call(peers, SQS_DELETE_MESSAGE_BATCH,
                 json_pack("{s:s,s:o}", "QueueUrl", url, "Entries", entries));
    assert_string_equal(text(reply, "Successful.0.Id"), "1");
    reply = call(peers, SQS_GET_QUEUE_ATTRIBUTES,
                 json_pack("{s:s,s:[s]}", "QueueUrl", url, "AttributeNames", "All"));
    assert_string_equal(text(reply, "Attributes.ApproximateNumberOfMessages"), "0");
    peers_close(peers);
}

// More than five minutes apart, requests are refused until the client has corrected its clock.
static void clock_skew_is_corrected(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    aws_account_skew_clock(peers->account, 20 * MINUTE);
    assert_non_null(call(peers, EC2_DESCRIBE_SUBNETS, NULL));
    assert_true(aws_client_sent(peers->client, EC2_DESCRIBE_SUBNETS) > 1);
    assert_non_null(
        call(peers, SSM_GET_PARAMETER, json_pack("{s:s}", "Name", "/oracle/image/x86")));
    peers_close(peers);
}

// --- instances -----------------------------------------------------------------------------------

static char *base64(const char *plain)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct text out = {0};
    size_t length = strlen(plain);
    for (size_t i = 0; i < length; i += 3) {
        uint32_t word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (i + k < length ? (unsigned char)plain[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            text_add_char(&out, i + k > length ? '=' : digits[word >> (18 - 6 * k) & 63]);
    }
    return text_take(&out);
}

static const struct aws_instance *launch(struct peers *peers, const char *user_data)
{
    CLEANUP_FREE char *encoded = base64(user_data);
    call(peers, EC2_CREATE_LAUNCH_TEMPLATE,
         json_pack("{s:s,s:{s:s,s:s,s:[{s:s,s:{s:i}}],s:[{s:i,s:[s]},{s:i,s:s}]}}",
                   "LaunchTemplateName", "template", "LaunchTemplateData", "ImageId", "ami-1",
                   "UserData", encoded, "BlockDeviceMappings", "DeviceName", "/dev/xvda", "Ebs",
                   "VolumeSize", 50, "NetworkInterfaces", "DeviceIndex", 0, "Groups",
                   "sg-164cf1ca8391532e4", "DeviceIndex", 1, "InterfaceType", "efa-only"));
    assert_int_equal(peers->fault, AWS_FAULT_NONE);
    const json_t *reply =
        call(peers, EC2_CREATE_FLEET,
             json_pack("{s:s,s:[{s:{s:s,s:s},s:[{s:s,s:s,s:s,s:f}]}],s:{s:i,s:s},s:{s:s},"
                       "s:[{s:s,s:[{s:s,s:s}]}]}",
                       "Type", "instant", "LaunchTemplateConfigs", "LaunchTemplateSpecification",
                       "LaunchTemplateName", "template", "Version", "$Latest", "Overrides",
                       "InstanceType", "m5.large", "SubnetId", "subnet-703382ac24d3d9a0a",
                       "ImageId", "ami-2", "Priority", 0.5, "TargetCapacitySpecification",
                       "TotalTargetCapacity", 1, "DefaultTargetCapacityType", "spot", "SpotOptions",
                       "AllocationStrategy", "price-capacity-optimized", "TagSpecifications",
                       "ResourceType", "instance", "Tags", "Key", "team", "Value", "web"));
    assert_string_equal(text(reply, "Instances.0.InstanceType"), "m5.large");
    assert_string_equal(text(reply, "Instances.0.LaunchTemplateAndOverrides.Overrides.SubnetId"),
                        "subnet-703382ac24d3d9a0a");
    const struct aws_instance *instance =
        aws_account_instance(peers->account, text(reply, "Instances.0.InstanceIds.0"));
    assert_non_null(instance);
    assert_string_equal(aws_instance_user_data(instance), user_data);
    call(peers, EC2_DELETE_LAUNCH_TEMPLATE, json_pack("{s:s}", "LaunchTemplateName", "template"));
    return instance;
}

static void instances_agree(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    const char *id = aws_instance_id(launch(peers, "#!/bin/bash\n"));
    call(peers, EC2_CREATE_TAGS,
         json_pack("{s:[s],s:[{s:s,s:s}]}", "Resources", id, "Tags", "Key", "Name", "Value", "n"));
    const json_t *reply =
        call(peers, EC2_DESCRIBE_INSTANCES,
             json_pack("{s:[{s:s,s:[s]}]}", "Filters", "Name", "tag:Name", "Values", "n"));
    const json_t *shown = at(reply, "Reservations.0.Instances.0");
    assert_string_equal(text(shown, "InstanceId"), id);
    assert_string_equal(text(shown, "State.Name"), "running");
    assert_string_equal(text(shown, "ImageId"), "ami-2");
    assert_string_equal(text(shown, "InstanceLifecycle"), "spot");
    assert_string_equal(text(shown, "Placement.AvailabilityZone"), "us-west-2a");
    assert_string_equal(text(shown, "SecurityGroups.0.GroupId"), "sg-164cf1ca8391532e4");
    assert_string_equal(text(shown, "NetworkInterfaces.1.InterfaceType"), "efa-only");
    assert_string_equal(text(shown, "Tags.0.Value"), "web");
    json_t *status = json_pack("{s:{s:s,s:[{s:s,s:s}]}}", "instanceStatus", "status", "impaired",
                               "details", "name", "reachability", "status", "failed");
    aws_account_set_status(peers->account, id, status);
    json_decref(status);
    reply = call(peers, EC2_DESCRIBE_INSTANCE_STATUS,
                 json_pack("{s:[{s:s,s:[s]}]}", "Filters", "Name", "instance-status.status",
                           "Values", "impaired"));
    assert_string_equal(text(reply, "InstanceStatuses.0.InstanceStatus.Details.0.Status"),
                        "failed");
    reply = call(peers, EC2_GET_CONSOLE_OUTPUT, json_pack("{s:s}", "InstanceId", id));
    assert_true(text(reply, "Output")[0] != '\0');
    reply = call(peers, EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS, NULL);
    assert_string_equal(text(reply, "SpotInstanceRequests.0.State"), "active");
    reply = call(peers, EC2_TERMINATE_INSTANCES, json_pack("{s:[s]}", "InstanceIds", id));
    assert_string_equal(text(reply, "TerminatingInstances.0.CurrentState.Name"), "shutting-down");
    peers_close(peers);
}

#define NODE_CONFIG(config)                                                          \
    "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster: {name: " \
    "test-cluster}\n"                                                                \
    "  kubelet:\n    config:\n      " config "\n"
#define SCRIPT(arguments) \
    "#!/bin/bash\n/etc/eks/bootstrap.sh 'test-cluster' --kubelet-extra-args '" arguments "'\n"
#define BOTTLEROCKET(settings) "[settings.kubernetes]\ncluster-name = 'test-cluster'\n" settings
#define WINDOWS(arguments)                                                    \
    "<powershell>\n& $EKSBootstrapScriptFile -EKSClusterName 'test-cluster' " \
    "-KubeletExtraArgs '" arguments "'\n</powershell>"

static const struct {
    const char *user_data, *label, *taint;
    int64_t pods;
} boots[] = {
    {"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"//\"\n\n--//\n"
     "Content-Type: text/x-shellscript\n\necho --node-labels=no=no\n--//\n"
     "Content-Type: application/node.eks.aws\n\napiVersion: node.eks.aws/v1alpha1\n"
     "kind: NodeConfig\nspec:\n  cluster:\n    apiServerEndpoint: https://test-cluster.example\n"
     "    name: test-cluster\n  kubelet:\n    config:\n      maxPods: 29\n"
     "      registerWithTaints:\n      - effect: NoExecute\n        key: "
     "karpenter.sh/unregistered\n"
     "    flags:\n    - --node-labels=\"a=1,karpenter.sh/nodepool=web\"\n\n--//--\n",
     "web", "karpenter.sh/unregistered", 29},
    {"#!/bin/bash -xe\n/etc/eks/bootstrap.sh 'test-cluster' --apiserver-endpoint "
     "'https://test-cluster.example' --b64-cluster-ca 'Y2E' \\\n--use-max-pods false \\\n"
     "--kubelet-extra-args '--node-labels=\"karpenter.sh/nodepool=web\" "
     "--register-with-taints=\"dedicated=x:NoSchedule,karpenter.sh/unregistered:NoExecute\" "
     "--max-pods=17'\n",
     "web", "dedicated", 17},
    {"[settings]\n[settings.kubernetes]\napi-server = 'https://test-cluster.example'\n"
     "cluster-name = 'test-cluster'\nmax-pods = 12\n\n[settings.kubernetes.node-labels]\n"
     "'karpenter.sh/nodepool' = 'web'\n\n[settings.kubernetes.node-taints]\n"
     "dedicated = ['x:NoSchedule']\n",
     "web", "dedicated", 12},
    {"<powershell>\n& $EKSBootstrapScriptFile -EKSClusterName 'test-cluster' -APIServerEndpoint "
     "'https://test-cluster.example' -KubeletExtraArgs '--node-labels=\"karpenter.sh/nodepool=web\""
     " --register-with-taints=\"dedicated=x:NoSchedule\" --max-pods=110'\n</powershell>",
     "web", "dedicated", 110},
    {"#!/bin/bash\necho hello\n", NULL, NULL, 110},
};

static void instances_boot_by_their_user_data(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(boots); i++) {
        struct peers *peers = peers_open(ACCOUNT_FOLDER);
        CLEANUP_ARENA struct arena *arena = arena_create(4096);
        const struct aws_instance *instance = launch(peers, boots[i].user_data);
        struct machine_boot boot;
        assert_true(aws_instance_boot(instance, arena, &boot));
        assert_string_equal(boot.name, aws_instance_private_dns(instance));
        assert_true(
            text_equal(string_map_get(&boot.labels, "karpenter.sh/nodepool"), boots[i].label));
        assert_string_equal(string_map_get(&boot.labels, "topology.k8s.aws/zone-id"), "usw2-az1");
        assert_int_equal(boot.taints.count > 0, boots[i].taint != NULL);
        if (boots[i].taint != NULL)
            assert_string_equal(boot.taints.items[0].key, boots[i].taint);
        assert_int_equal(resource_map_get(&boot.capacity, "pods"), boots[i].pods);
        assert_int_equal(resource_map_get(&boot.capacity, "cpu"), 2000);
        int64_t memory = resource_map_get(&boot.capacity, "memory");
        assert_true(memory > INT64_C(8192) * 925 / 1000 << 20); // more than AWI-92 estimates
        assert_int_equal(resource_map_get(&boot.capacity, "ephemeral-storage"), INT64_C(50) << 30);
        peers_close(peers);
    }
}

// Of an m5.large with 7610 Mi and 50 Gi.
static const struct {
    const char *user_data;
    int64_t cpu, memory_mib, storage_mib, pods;
} allocatables[] = {
    // AWI-115: EKS's image reserves 574 Mi by its table, whatever maxPods is.
    {NODE_CONFIG("maxPods: 5"), 1930, 7610 - 574 - 100, 51200 - 1024 - 5120, 5},
    // nodeadm sets single entries.
    {NODE_CONFIG("maxPods: 29\n      podsPerCore: 4\n      kubeReserved: {cpu: 300m}\n"
                 "      systemReserved: {memory: 1Gi, cpu: 100m}\n"
                 "      evictionHard: {memory.available: 10%}"),
     1600, 7610 - 574 - 1024 - 761, 51200 - 1024 - 5120, 8},
    // A flag of the kubelet replaces the whole map.
    {SCRIPT("--max-pods=17 --kube-reserved=\"memory=700Mi\" --system-reserved=\"cpu=200m\" "
            "--eviction-hard=\"nodefs.available<20%\""),
     1800, 7610 - 700, 51200 - 10240, 17},
    {SCRIPT("--max-pods=17"), 1930, 7610 - 574 - 100, 51200 - 1024 - 5120, 17},
    // Bottlerocket reserves by max-pods, and single entries are the user's.
    {BOTTLEROCKET("max-pods = 12\npods-per-core = 1\n[settings.kubernetes.kube-reserved]\n"
                  "'cpu' = '90m'\n[settings.kubernetes.system-reserved]\nmemory = '1Gi'\n"),
     1910, 7610 - 387 - 1024 - 100, 51200 - 1024 - 5120, 12},
    {BOTTLEROCKET("max-pods = 12\n[settings.kubernetes.eviction-hard]\n'memory.available' = "
                  "'5%'\n"),
     1930, 7610 - 387 - 381, 51200 - 1024, 12},
    // Windows and users' own images have the kubelet's defaults.
    {WINDOWS("--max-pods=110"), 2000, 7610 - 500, 51200 - 5120, 110},
    {WINDOWS("--pods-per-core=9 --kube-reserved=\"memory=2Gi\""), 2000, 7610 - 2048 - 500,
     51200 - 5120, 18},
    {"#!/bin/bash\necho hello\n", 2000, 7610 - 100, 51200 - 5120, 110},
};

static void kubelets_reserve_what_user_data_says(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    for (size_t i = 0; i < ARRAY_LENGTH(allocatables); i++) {
        struct machine_boot boot;
        assert_true(aws_instance_boot(launch(peers, allocatables[i].user_data), arena, &boot));
        assert_int_equal(resource_map_get(&boot.allocatable, "cpu"), allocatables[i].cpu);
        assert_int_equal(resource_map_get(&boot.allocatable, "memory") >> 20,
                         allocatables[i].memory_mib);
        assert_int_equal(resource_map_get(&boot.allocatable, "ephemeral-storage") >> 20,
                         allocatables[i].storage_mib);
        assert_int_equal(resource_map_get(&boot.allocatable, "pods"), allocatables[i].pods);
    }
    peers_close(peers);
}

static void user_data_of_another_cluster_never_joins(void **state)
{
    (void)state;
    struct peers *peers = peers_open(ACCOUNT_FOLDER);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct machine_boot boot;
    const struct aws_instance *instance =
        launch(peers, "[settings.kubernetes]\ncluster-name = \"other\"\n"
                      "api-server = \"https://test-cluster.example\"\n");
    assert_false(aws_instance_boot(instance, arena, &boot));
    peers_close(peers);
}

// The built-in account has what the examples select.
static void the_built_in_account_has_a_cluster(void **state)
{
    (void)state;
    struct peers *peers = peers_open(NULL);
    const json_t *reply = call(peers, EC2_DESCRIBE_SUBNETS,
                               json_pack("{s:[{s:s,s:[s]}]}", "Filters", "Name",
                                         "tag:karpenter.sh/discovery", "Values", "demo"));
    assert_int_equal(json_array_size(at(reply, "Subnets")), 4);
    reply = call(peers, SSM_GET_PARAMETER,
                 json_pack("{s:s}", "Name",
                           "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/"
                           "recommended/image_id"));
    char image[64];
    snprintf(image, sizeof image, "%s", text(reply, "Parameter.Value"));
    reply = call(peers, EC2_DESCRIBE_IMAGES, json_pack("{s:[s]}", "ImageIds", image));
    assert_string_equal(text(reply, "Images.0.Name"),
                        "amazon-eks-node-al2023-x86_64-standard-1.35-v20260715");
    struct error error;
    assert_true(aws_account_put(peers->account, "ssmParameters",
                                at(aws_account_environment(peers->account), "released"), &error));
    reply = call(peers, SSM_GET_PARAMETER,
                 json_pack("{s:s}", "Name",
                           "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/"
                           "recommended/image_id"));
    assert_string_not_equal(text(reply, "Parameter.Value"), image);
    reply = call(peers, EC2_DESCRIBE_INSTANCE_TYPES, NULL);
    assert_true(json_array_size(at(reply, "InstanceTypes")) >= 5);
    peers_close(peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_agree),
        cmocka_unit_test(other_services_agree),
        cmocka_unit_test(the_queue_agrees),
        cmocka_unit_test(clock_skew_is_corrected),
        cmocka_unit_test(instances_agree),
        cmocka_unit_test(instances_boot_by_their_user_data),
        cmocka_unit_test(kubelets_reserve_what_user_data_says),
        cmocka_unit_test(user_data_of_another_cluster_never_joins),
        cmocka_unit_test(the_built_in_account_has_a_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
