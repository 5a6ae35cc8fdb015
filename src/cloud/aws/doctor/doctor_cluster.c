#include "cloud/aws/doctor/doctor_cluster.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cloud/aws/doctor/doctor_report.h"
#include "model/tables/crd_fit.h"
#include "model/tables/kinds.h"

// --- EKS -----------------------------------------------------------------------------------------

static bool is_same_url(const char *a, const char *b)
{
    size_t length = strlen(a), other = strlen(b);
    length -= length > 0 && a[length - 1] == '/';
    other -= other > 0 && b[other - 1] == '/';
    return length == other && strncasecmp(a, b, length) == 0;
}

static void report_cluster(struct doctor *doctor, const json_t *cluster)
{
    const char *own = doctor->options.settings->cluster_endpoint;
    const char *endpoint = json_string_value(json_object_get(cluster, "endpoint"));
    const char *version = json_string_value(json_object_get(cluster, "version"));
    struct text text = {0};
    if (!text_is_empty(own) && endpoint != NULL && !is_same_url(own, endpoint)) {
        text_format(&text, "CLUSTER_ENDPOINT is %s, EKS says %s", own, endpoint);
        doctor_report(doctor, DOCTOR_FAILED, NULL, text.data,
                      "leave CLUSTER_ENDPOINT out: new nodes would join another cluster");
    } else {
        text_format(&text, "%s, Kubernetes %s", endpoint != NULL ? endpoint : "no endpoint",
                    version != NULL ? version : "of unknown version");
        doctor_report(doctor, DOCTOR_PASSED, NULL, text.data, NULL);
    }
    text_free(&text);
}

static void cluster_told(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    bool needed = text_is_empty(doctor->options.settings->cluster_endpoint);
    if (result->error.kind == ERROR_NONE)
        report_cluster(doctor, json_object_get(result->reply, "cluster"));
    else
        doctor_report_failure(
            doctor, needed ? DOCTOR_FAILED : DOCTOR_WARNING, NULL, EKS_DESCRIBE_CLUSTER, result,
            needed ? "correct --cluster-name or the region; for a cluster that is "
                     "not of EKS set CLUSTER_ENDPOINT"
                   : NULL);
    doctor_next_part(doctor);
}

bool doctor_check_cluster(struct doctor *doctor)
{
    return doctor->part == 0 &&
           doctor_call(doctor, EKS_DESCRIBE_CLUSTER,
                       json_pack("{s:s}", "name", doctor->options.settings->cluster_name),
                       cluster_told);
}

// --- the API server ------------------------------------------------------------------------------

static const char *kube_remedy(const struct error *error)
{
    if (error->kind == ERROR_UNAUTHORIZED || error->kind == ERROR_FORBIDDEN)
        return "give the kubeconfig's user access: an EKS access entry, or RBAC";
    return "see that the endpoint of the kubeconfig can be reached from here (private endpoint, "
           "security group, VPN), and that the cluster still exists";
}

static void api_told(void *context, const struct kube_result *result)
{
    struct doctor *doctor = context;
    const char *version = json_string_value(json_object_get(result->body, "gitVersion"));
    if (result->error.kind != ERROR_NONE)
        doctor_report(doctor, DOCTOR_FAILED, NULL, result->error.message,
                      kube_remedy(&result->error));
    else
        doctor_report(doctor, DOCTOR_PASSED, NULL, version != NULL ? version : "answers", NULL);
    doctor->has_cluster = result->error.kind == ERROR_NONE;
    doctor_next_part(doctor);
}

bool doctor_check_api_server(struct doctor *doctor)
{
    if (doctor->part > 0)
        return false;
    if (doctor->options.kube == NULL) {
        const char *problem = doctor->options.kube_problem;
        doctor_report(doctor, DOCTOR_SKIPPED, NULL,
                      problem != NULL ? problem : "no kubeconfig was found",
                      "--kubeconfig names one");
        return false;
    }
    kube_get_path(doctor->options.kube, "/version", api_told, doctor);
    return true;
}

// --- CRDs ----------------------------------------------------------------------------------------

static const struct kind *crd_of_part(const struct doctor *doctor)
{
    static const enum kind_id kinds[] = {KIND_NODE_POOL, KIND_NODE_CLAIM, KIND_EC2_NODE_CLASS};
    return doctor->part < ARRAY_LENGTH(kinds) ? kind_get(kinds[doctor->part]) : NULL;
}

static void crd_told(void *context, const struct kube_result *result)
{
    struct doctor *doctor = context;
    const struct kind *kind = crd_of_part(doctor);
    bool missing = result->error.kind == ERROR_NOT_FOUND;
    struct text text = {0}, remedy = {0};
    crd_remedy(kind, &remedy);
    if (result->error.kind != ERROR_NONE && !missing)
        doctor_report(doctor, DOCTOR_FAILED, kind->plural, result->error.message,
                      kube_remedy(&result->error));
    else if (crd_misfit(kind, missing ? NULL : result->body, &text))
        doctor_report(doctor, DOCTOR_FAILED, kind->plural, text.data, remedy.data);
    else
        doctor_report(doctor, DOCTOR_PASSED, kind->plural, kind->api_version, NULL);
    text_free(&text);
    text_free(&remedy);
    doctor_next_part(doctor);
}

bool doctor_check_crds(struct doctor *doctor)
{
    const struct kind *kind = crd_of_part(doctor);
    char path[CRD_PATH_SIZE];
    if (doctor->options.kube == NULL || kind == NULL)
        return false;
    if (!doctor->has_cluster) { // each would be waited for
        doctor_report(doctor, DOCTOR_SKIPPED, NULL, "the API server cannot be asked", NULL);
        return false;
    }
    crd_path(kind, path);
    kube_get_path(doctor->options.kube, path, crd_told, doctor);
    return true;
}
