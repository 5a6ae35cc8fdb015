#include "cloud/aws/doctor/doctor_quotas.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/doctor/doctor_report.h"

#define SHARE_HIGH 0.8 // of the quota in use
#define LEAST      32  // vCPUs: a new account's quota is smaller

static const struct quota {
    const char *code, *name;
} quotas[2] = {
    {"L-1216C47A", "on-demand standard instances"},
    {"L-34B43A08", "spot standard instances"},
};

// The families that share a quota: A, C, D, H, I, M, R, T and Z.
static bool is_standard(const char *instance_type)
{
    static const char *const others[] = {"inf", "trn", "hpc", "mac", "dl"};
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (text_starts_with(instance_type, others[i]))
            return false;
    return instance_type[0] != '\0' && strchr("acdhimrtz", instance_type[0]) != NULL;
}

static double vcpus_of(const json_t *instance)
{
    const json_t *cpu = json_object_get(instance, "CpuOptions");
    double cores = json_number_value(json_object_get(cpu, "CoreCount"));
    double threads = json_number_value(json_object_get(cpu, "ThreadsPerCore"));
    return cores > 0 ? cores * (threads > 0 ? threads : 1) : 0;
}

static bool count_page(void *context, const json_t *reply)
{
    struct doctor *doctor = context;
    size_t i, k;
    json_t *reservation, *instance;
    json_array_foreach (json_object_get(reply, "Reservations"), i, reservation)
        json_array_foreach (json_object_get(reservation, "Instances"), k, instance) {
            const char *life = json_string_value(json_object_get(instance, "InstanceLifecycle"));
            const char *type = json_string_value(json_object_get(instance, "InstanceType"));
            if (is_standard(text_or_empty(type)))
                doctor->vcpus[text_equal(life, "spot")] += vcpus_of(instance);
        }
    return true;
}

static void counted(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    if (result->error.kind != ERROR_NONE)
        doctor->vcpus[0] = doctor->vcpus[1] = -1;
    doctor_next_part(doctor);
}

static bool count(struct doctor *doctor)
{
    json_t *parameters =
        json_pack("{s:[{s:s,s:[s,s]}],s:i}", "Filters", "Name", "instance-state-name", "Values",
                  "pending", "running", "MaxResults", 1000);
    doctor->call = aws_client_start(doctor->options.client,
                                    &(struct aws_request){.action = EC2_DESCRIBE_INSTANCES,
                                                          .parameters = parameters,
                                                          .all_pages = true,
                                                          .page = count_page,
                                                          .done = counted,
                                                          .context = doctor});
    return true;
}

static void report_quota(struct doctor *doctor, uint32_t index, double quota)
{
    struct text text = {0};
    double used = doctor->vcpus[index];
    bool full = used >= SHARE_HIGH * quota;
    const char *remedy = full ? "ask for more at Service Quotas: launches fail at this limit"
                         : quota < LEAST ? "ask for more at Service Quotas: few nodes fit into it"
                                         : NULL;
    if (used < 0)
        text_format(&text, "%.0f vCPUs; those in use are unknown", quota);
    else
        text_format(&text, "%.0f of %.0f vCPUs are in use", used, quota);
    doctor_report(doctor, remedy != NULL ? DOCTOR_WARNING : DOCTOR_PASSED, quotas[index].name,
                  text.data, remedy);
    text_free(&text);
}

static void quota_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    uint32_t index = doctor->part - 1;
    const json_t *value = json_object_get(json_object_get(result->reply, "Quota"), "Value");
    if (result->error.kind != ERROR_NONE)
        doctor_report_failure(doctor, DOCTOR_SKIPPED, quotas[index].name,
                              SERVICE_QUOTAS_GET_SERVICE_QUOTA, result, NULL);
    else if (!json_is_number(value) || json_number_value(value) < 0)
        doctor_report(doctor, DOCTOR_SKIPPED, quotas[index].name, "Service Quotas tells no value",
                      NULL);
    else
        report_quota(doctor, index, json_number_value(value));
    doctor_next_part(doctor);
}

bool doctor_check_quotas(struct doctor *doctor)
{
    if (doctor->part == 0)
        return count(doctor);
    return doctor->part <= ARRAY_LENGTH(quotas) &&
           doctor_call(doctor, SERVICE_QUOTAS_GET_SERVICE_QUOTA,
                       json_pack("{s:s,s:s}", "ServiceCode", "ec2", "QuotaCode",
                                 quotas[doctor->part - 1].code),
                       quota_told);
}
