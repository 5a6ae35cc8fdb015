#include "sim/aws/iam_api.h"

#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_filters.h"

#define PROFILES_MAX 1000

struct account_profile {
    json_t *shown;
};

void account_profile_free(void *account_profile)
{
    struct account_profile *profile = account_profile;
    json_decref(profile->shown);
    free(profile);
}

const json_t *account_profile_shown(const struct aws_account *account, const char *name)
{
    const struct account_profile *profile = map_get(account->profiles, name);
    return profile != NULL ? profile->shown : NULL;
}

static struct account_profile *profile_find(struct account_call *call)
{
    const char *name = json_text(call->params, "InstanceProfileName");
    struct account_profile *profile = map_get(call->account->profiles, name);
    if (profile == NULL)
        account_refuse(call, 404, "NoSuchEntity", "Instance Profile %s cannot be found.", name);
    return profile;
}

static json_t *roles_of(const struct account_profile *profile)
{
    return json_object_get(profile->shown, "Roles");
}

void iam_get_instance_profile(struct account_call *call)
{
    const struct account_profile *profile = profile_find(call);
    if (profile != NULL)
        call->reply = json_pack("{s:O}", "InstanceProfile", profile->shown);
}

void iam_create_instance_profile(struct account_call *call)
{
    struct aws_account *account = call->account;
    const char *name = json_text(call->params, "InstanceProfileName");
    const char *path = json_text(call->params, "Path");
    char now[INSTANT_TEXT_MAX];
    if (name[0] == '\0' || strlen(name) > 128) {
        account_refuse(call, 400, "ValidationError", "The name of the instance profile is invalid");
        return;
    }
    if (map_get(account->profiles, name) != NULL) {
        account_refuse(call, 409, "EntityAlreadyExists", "Instance Profile %s already exists.",
                       name);
        return;
    }
    if (map_count(account->profiles) >= PROFILES_MAX) {
        account_refuse(call, 409, "LimitExceeded",
                       "Cannot exceed quota for InstanceProfilesPerAccount: %d", PROFILES_MAX);
        return;
    }
    path = path[0] != '\0' ? path : "/";
    instant_format(ns_truncate(loop_now_ns(account->loop), SECOND), now);
    CLEANUP_FREE char *id = account_id(account, "AIPA");
    const json_t *tags = json_object_get(call->params, "Tags");
    struct account_profile *profile = map_ensure(account->profiles, name, sizeof *profile);
    profile->shown = json_pack(
        "{s:s,s:s,s:s,s:o,s:s,s:[],s:o}", "Path", path, "InstanceProfileName", name,
        "InstanceProfileId", id, "Arn",
        json_sprintf("arn:aws:iam::%s:instance-profile%s%s", account_number(account), path, name),
        "CreateDate", now, "Roles", "Tags", tags != NULL ? json_deep_copy(tags) : json_array());
    call->reply = json_pack("{s:O}", "InstanceProfile", profile->shown);
}

void iam_delete_instance_profile(struct account_call *call)
{
    struct account_profile *profile = profile_find(call);
    if (profile == NULL)
        return;
    if (json_array_size(roles_of(profile)) > 0) {
        account_refuse(call, 409, "DeleteConflict",
                       "Cannot delete entity, must remove roles from instance profile first.");
        return;
    }
    map_remove(call->account->profiles, json_text(call->params, "InstanceProfileName"));
    account_profile_free(profile);
}

static bool role_is_missing(const struct account_call *call, const char *role)
{
    size_t i;
    json_t *missing;
    json_array_foreach (json_object_get(call->account->environment, "missingRoles"), i, missing)
        if (strcmp(text_or_empty(json_string_value(missing)), role) == 0)
            return true;
    return false;
}

void iam_add_role_to_instance_profile(struct account_call *call)
{
    const char *role = json_text(call->params, "RoleName");
    struct account_profile *profile = profile_find(call);
    char now[INSTANT_TEXT_MAX];
    if (profile == NULL)
        return;
    if (role_is_missing(call, role)) {
        account_refuse(call, 404, "NoSuchEntity", "The role with name %s cannot be found.", role);
        return;
    }
    if (json_array_size(roles_of(profile)) > 0) {
        account_refuse(call, 409, "LimitExceeded",
                       "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1");
        return;
    }
    instant_format(ns_truncate(call->account->start, SECOND), now);
    json_array_append_new(
        roles_of(profile),
        json_pack("{s:s,s:s,s:s,s:o,s:s}", "Path", "/", "RoleName", role, "RoleId", "AROASIMULATED",
                  "Arn",
                  json_sprintf("arn:aws:iam::%s:role/%s", account_number(call->account), role),
                  "CreateDate", now));
}

void iam_remove_role_from_instance_profile(struct account_call *call)
{
    const char *role = json_text(call->params, "RoleName");
    const struct account_profile *profile = profile_find(call);
    if (profile == NULL)
        return;
    if (strcmp(json_text(json_array_get(roles_of(profile), 0), "RoleName"), role) != 0) {
        account_refuse(call, 404, "NoSuchEntity", "The role with name %s cannot be found.", role);
        return;
    }
    json_array_clear(roles_of(profile));
}

// Tags are not listed: as the real IAM, which shows them only on Get.
static json_t *profile_listed(const struct account_profile *profile)
{
    json_t *copy = json_copy(profile->shown);
    json_object_del(copy, "Tags");
    return copy;
}

void iam_list_instance_profiles(struct account_call *call)
{
    const char *prefix = json_text(call->params, "PathPrefix");
    const char *marker = json_text(call->params, "Marker");
    const char *limit = json_text(call->params, "MaxItems");
    int64_t first = 0, count = 100, index = 0, shown = 0;
    bool more = false;
    if ((marker[0] != '\0' && !text_parse_int64(marker, &first)) ||
        (limit[0] != '\0' && (!text_parse_int64(limit, &count) || count < 1))) {
        account_refuse(call, 400, "ValidationError", "Invalid Marker or MaxItems.");
        return;
    }
    json_t *list = json_array();
    for (struct map_entry *e = map_first(call->account->profiles); e != NULL; e = map_next(e)) {
        const struct account_profile *profile = map_value(e);
        if (!text_starts_with(json_text(profile->shown, "Path"), prefix) || index++ < first)
            continue;
        more = shown == count;
        if (more)
            break;
        json_array_append_new(list, profile_listed(profile));
        shown++;
    }
    call->reply = json_pack("{s:o,s:b}", "InstanceProfiles", list, "IsTruncated", more);
    if (more)
        json_object_set_new(call->reply, "Marker",
                            json_sprintf("%lld", (long long)(first + count)));
}
