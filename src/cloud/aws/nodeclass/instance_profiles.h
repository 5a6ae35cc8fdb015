// IAM instance profiles (AWN-390 to 398): created for spec.role, deleted with their NodeClass, and
// collected when nothing uses them any more.
#pragma once

#include "cloud/aws/nodeclass/answers.h"
#include "model/schema/ec2_node_class.h"

struct node_class_controllers;
struct instance_profiles;
struct instance_profiles *instance_profiles_create(struct node_class_controllers *controllers);
void instance_profiles_destroy(struct instance_profiles *profiles); // cancels work under way

// Begins the creation of a profile for the role. The answer `key` becomes its name (a text).
void instance_profile_begin_creation(struct instance_profiles *profiles,
                                     const struct ec2_node_class *node_class, const char *key);
// AWN-397: detaches the role and deletes; an absent profile is success. `done` is called once,
// later. With `owner`, a NodeClass's name, only if its tags say that it is the NodeClass's
// (AWN-717): otherwise it stays, which is success, too. NULL: in any case.
typedef void (*instance_profile_deleted)(void *context, const struct aws_result *result);
void instance_profile_delete(struct instance_profiles *profiles, const char *name,
                             const char *owner, instance_profile_deleted done, void *context);
// AWN-398: the profile was created, replaced or found unused just now.
void instance_profile_protect(struct instance_profiles *profiles, const char *name);
bool instance_profile_was_protected(struct instance_profiles *profiles, const char *name); // ever
bool instance_profile_is_protected(struct instance_profiles *profiles, const char *name);
// "/karpenter/<region>/<cluster>/", with the UID of a NodeClass or NULL. The caller frees.
char *instance_profile_path(const struct instance_profiles *profiles, const char *uid);
// AWN-395: the name that upstream gave before paths. The caller frees; NULL: not valid for IAM.
char *instance_profile_legacy_name(const struct instance_profiles *profiles,
                                   const char *node_class);
const char *role_name(const char *role); // the part after the last "/"
