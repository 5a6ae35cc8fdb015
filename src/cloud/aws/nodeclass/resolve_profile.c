#include "cloud/aws/nodeclass/resolve_profile.h"

#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/instance_profiles.h"

#define READ_LIFETIME   (15 * MINUTE)
#define ABSENT_LIFETIME MINUTE

static void set_profile(struct class_pass *pass, const char *name)
{
    const char *former = pass->node_class->status.instance_profile;
    if (!text_is_empty(former) && strcmp(former, name) != 0)
        instance_profile_protect(pass->controllers->profiles, former);
    pass->instance_profile = arena_copy_string(pass->arena, name);
    conditions_set_true(&pass->conditions, CONDITION_INSTANCE_PROFILE_READY);
}

// AWN-394, 702: a role that does not exist is shown.
static bool role_is_missing(struct class_pass *pass, const char *role)
{
    const char *key = arena_format(pass->arena, "no-role/%s", role);
    const struct answer *missing = answers_find(pass->controllers->answers, key);
    if (missing == NULL || missing->state != ANSWER_READY)
        return false;
    struct error error = {0};
    error_set(&error, ERROR_INVALID, "the IAM role \"%s\" of spec.role does not exist (%.300s)",
              role, text_or_empty(json_string_value(missing->value)));
    pass_note_error(pass, &error);
    if (!pass->settings->compatibility_upstream)
        conditions_set(&pass->conditions, CONDITION_INSTANCE_PROFILE_READY, "False",
                       CONDITION_REASON_ROLE_NOT_FOUND,
                       arena_copy_string(pass->arena, error.message));
    return true;
}

static void create(struct class_pass *pass, const char *key, const char *role)
{
    const struct answer *created = pass_find(pass, key);
    if (created == NULL && pass->pending)
        return;
    if (created != NULL && created->state == ANSWER_READY) {
        set_profile(pass, json_string_value(created->value));
        return;
    }
    if (role_is_missing(pass, role))
        return;
    if (created != NULL) {
        pass_fail(pass, CONDITION_INSTANCE_PROFILE_READY, created);
        return;
    }
    instance_profile_begin_creation(pass->controllers->profiles, pass->node_class, key);
    (void)pass_find(pass, key); // waits
}

// The role of the current profile, read from IAM. False: pending or failed.
static bool current_role(struct class_pass *pass, const char *name, const char **role)
{
    const char *key = arena_format(pass->arena, "profile/%s", name);
    const struct answer *answer = pass_ask(
        pass, &(struct question){.key = key,
                                 .action = IAM_GET_INSTANCE_PROFILE,
                                 .parameters = json_pack("{s:s}", "InstanceProfileName", name),
                                 .lifetime_ns = READ_LIFETIME,
                                 .absent_lifetime_ns = ABSENT_LIFETIME});
    if (answer == NULL || answer->state == ANSWER_FAILED) {
        if (answer != NULL)
            pass_fail(pass, CONDITION_INSTANCE_PROFILE_READY, answer);
        return false;
    }
    const json_t *profile = json_object_get(answer->value, "InstanceProfile");
    const json_t *first = json_array_get(json_object_get(profile, "Roles"), 0);
    *role = json_string_value(json_object_get(first, "RoleName"));
    return true;
}

void resolve_instance_profile(struct class_pass *pass)
{
    const struct ec2_node_class *node_class = pass->node_class;
    if (!text_is_empty(node_class->spec.instance_profile)) {
        set_profile(pass, node_class->spec.instance_profile);
        return;
    }
    if (text_is_empty(node_class->spec.role))
        return;
    const char *role = role_name(node_class->spec.role);
    // AWN-396: of this role and NodeClass alone; also the work that creates it.
    const char *key = arena_format(pass->arena, "created-profile/%s/%s",
                                   text_or_empty(node_class->meta.uid), role);
    const struct answer *created = answers_find(pass->controllers->answers, key);
    if (created != NULL) {
        create(pass, key, role);
        return;
    }
    const char *current = node_class->status.instance_profile, *found = NULL;
    if (!text_is_empty(current)) {
        if (!current_role(pass, current, &found))
            return;
        // AWN-705: IAM knows roles without their path.
        if (text_equal(found, role)) {
            set_profile(pass, current);
            return;
        }
    }
    create(pass, key, role);
}
