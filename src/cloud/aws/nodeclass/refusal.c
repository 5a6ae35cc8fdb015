#include "cloud/aws/nodeclass/refusal.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define ACTION   "is not authorized to perform: "
#define RESOURCE "on resource: "
#define WORD_MAX 400

// The first row whose parts begin the permission and are in the resource.
static const char *const rows[][3] = {
    {"ec2:DescribeSpotInstanceRequests", "", "AllowSpotInterruptionReadActions"},
    {"ec2:Describe", "", "AllowRegionalReadActions"},
    {"ec2:GetConsoleOutput", "", "AllowDiagnosticReadActions"},
    {"ec2:DeleteLaunchTemplate", "", "AllowScopedDeletion"},
    {"ec2:TerminateInstances", "", "AllowScopedDeletion"},
    {"ec2:CreateLaunchTemplate", "", "AllowScopedEC2InstanceActionsWithTags"},
    {"ec2:CreateTags", "", "AllowScopedResourceCreationTagging"},
    {"ec2:CreateFleet", ":launch-template/", "AllowScopedEC2LaunchTemplateAccessActions"},
    {"ec2:RunInstances", ":launch-template/", "AllowScopedEC2LaunchTemplateAccessActions"},
    {"ec2:", ":image/", "AllowScopedEC2InstanceAccessActions"},
    {"ec2:", ":snapshot/", "AllowScopedEC2InstanceAccessActions"},
    {"ec2:", ":security-group/", "AllowScopedEC2InstanceAccessActions"},
    {"ec2:", ":subnet/", "AllowScopedEC2InstanceAccessActions"},
    {"ec2:", ":capacity-reservation/", "AllowScopedEC2InstanceAccessActions"},
    {"ec2:", ":placement-group/", "AllowScopedEC2InstanceAccessActions"},
    {"ec2:CreateFleet", "", "AllowScopedEC2InstanceActionsWithTags"},
    {"ec2:RunInstances", "", "AllowScopedEC2InstanceActionsWithTags"},
    {"ssm:GetParameter", "", "AllowSSMReadActions"},
    {"pricing:GetProducts", "", "AllowPricingReadActions"},
    {"iam:PassRole", "", "AllowPassingInstanceRole"},
    {"iam:GetInstanceProfile", "", "AllowInstanceProfileReadActions"},
    {"iam:ListInstanceProfiles", "", "AllowUnscopedInstanceProfileListAction"},
    {"iam:CreateInstanceProfile", "", "AllowScopedInstanceProfileCreationActions"},
    {"iam:TagInstanceProfile", "", "AllowScopedInstanceProfileTagActions"},
    {"iam:AddRoleToInstanceProfile", "", "AllowScopedInstanceProfileActions"},
    {"iam:RemoveRoleFromInstanceProfile", "", "AllowScopedInstanceProfileActions"},
    {"iam:DeleteInstanceProfile", "", "AllowScopedInstanceProfileActions"},
    {"eks:DescribeCluster", "", "AllowAPIServerEndpointDiscovery"},
    {"sqs:SendMessage", "", "AllowDoctorTestMessage"},
    {"sqs:", "", "AllowInterruptionQueueActions"},
    {"arc-zonal-shift:GetManagedResource", "", "AllowZonalShiftStatusReadOnly"},
    {"servicequotas:GetServiceQuota", "", "AllowDoctorQuotaRead"},
    {"sts:DecodeAuthorizationMessage", "", "AllowDiagnosticReadActions"},
};

const char *refusal_statement(const char *permission, const char *resource)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (text_starts_with(permission, rows[i][0]) &&
            strstr(text_or_empty(resource), rows[i][1]) != NULL)
            return rows[i][2];
    return NULL;
}

// The word after `introduction`; "": there is none.
static void word_after(const char *text, const char *introduction, char out[WORD_MAX])
{
    const char *start = strstr(text, introduction);
    out[0] = '\0';
    if (start == NULL)
        return;
    start += strlen(introduction);
    size_t length = strcspn(start, " ,;\"\n");
    if (length < WORD_MAX)
        snprintf(out, WORD_MAX, "%.*s", (int)length, start);
}

void refusal_explain(const char *permission, const char *message, struct text *out)
{
    char action[WORD_MAX], resource[WORD_MAX];
    word_after(text_or_empty(message), ACTION, action);
    word_after(text_or_empty(message), RESOURCE, resource);
    if (action[0] == '\0')
        snprintf(action, sizeof action, "%s", permission);
    const char *statement = refusal_statement(action, resource);
    text_format(out, "; adze's role needs %s", action);
    if (resource[0] != '\0')
        text_format(out, " on %s", resource);
    if (statement != NULL)
        text_format(out, " (statement %s of the policy that `adze iam` prints)", statement);
}
