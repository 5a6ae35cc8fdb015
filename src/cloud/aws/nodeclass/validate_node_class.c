#include "cloud/aws/nodeclass/validate_node_class.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "cloud/aws/families/block_devices.h"
#include "cloud/aws/families/user_data.h"
#include "cloud/aws/nodeclass/launch_template_groups.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "cloud/aws/nodeclass/validation_job.h"
#include "cloud/aws/nodeclass/validation_types.h"
#include "cloud/aws/types/instance_infos.h"
#include "model/schema/encode.h"
#include "model/validate/validate_kubelet.h"
#include "reconcile/events.h"

#define CIDR          "cluster-cidr"
#define SETTLED       (10 * MINUTE)
#define CIDR_LIFETIME (5 * MINUTE) // the facts of the cluster have it for good

static bool refuse(struct class_pass *pass, enum condition_reason reason, const char *message)
{
    conditions_set(&pass->conditions, CONDITION_VALIDATION_SUCCEEDED, "False", reason, message);
    // AWN-701: even then the other steps go on.
    if (!pass->settings->compatibility_upstream)
        class_pass_requeue(pass, SETTLED);
    return false;
}

// --- the cluster's CIDR (AWN-501) ----------------------------------------------------------------
static void on_cidr(void *context, const struct aws_result *result)
{
    struct node_class_controllers *controllers = context;
    if (result->error.kind == ERROR_NONE)
        answers_end(controllers->answers, CIDR, NULL, CIDR_LIFETIME);
    else
        answers_fail(controllers->answers, CIDR, result);
}

static bool check_cidr(struct class_pass *pass)
{
    const struct node_class_environment *environment = &pass->controllers->environment;
    if (ami_family_of(pass->node_class) != AMI_FAMILY_AL2023 ||
        !text_is_empty(environment->cluster->cidr) || environment->need_cidr == NULL)
        return true;
    if (answers_find(pass->controllers->answers, CIDR) == NULL) {
        answers_begin(pass->controllers->answers, CIDR);
        environment->need_cidr(environment->need_cidr_context, on_cidr, pass->controllers);
    }
    const struct answer *answer = pass_find(pass, CIDR);
    if (answer == NULL || answer->state == ANSWER_READY)
        return answer != NULL;
    pass_note_error(pass, &answer->error);
    if (answer->fault == AWS_FAULT_SERVER || answer->fault == AWS_FAULT_THROTTLED)
        return false;
    return refuse(pass, CONDITION_REASON_CLUSTER_CIDR_RESOLUTION_FAILED,
                  arena_format(pass->arena, "the cluster's range of Service addresses: %s",
                               pass_refusal(pass, answer)));
}

// --- the kubelet object --------------------------------------------------------------------------
// The messages of the findings by these rules, or NULL.
static const char *findings_text(struct class_pass *pass, const struct findings *findings,
                                 const char *rule, const char *other_rule)
{
    struct text text = {0};
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->level == FINDING_WARNING ||
            (!text_equal(finding->rule, rule) && !text_equal(finding->rule, other_rule)))
            continue;
        text_join(&text, "; ", "");
        if (!text_starts_with(finding->message, "spec.kubelet"))
            text_format(&text, "%s: ", finding->path);
        text_add(&text, finding->message);
    }
    const char *copy = text.data != NULL ? arena_copy_string(pass->arena, text.data) : NULL;
    text_free(&text);
    return copy;
}

static bool check_fields(struct class_pass *pass, const struct findings *findings)
{
    const char *wrong = findings_text(pass, findings, "AWN-231", "AWN-232");
    if (wrong != NULL)
        return refuse(pass, CONDITION_REASON_INVALID_KUBELET_CONFIGURATION, wrong);
    return true;
}

static bool check_expressions(struct class_pass *pass)
{
    struct kubelet_config config;
    struct error error = {0};
    if (!kubelet_config_read(&config, pass->arena, pass->node_class->spec.kubelet, &error))
        return refuse(pass, CONDITION_REASON_INVALID_KUBELET_CONFIGURATION,
                      arena_copy_string(pass->arena, error.message));
    bool good = true;
    if (kubelet_has_expressions(&config)) {
        if (!kubelet_expressions_enabled(pass->settings))
            good = refuse(pass, CONDITION_REASON_KUBELET_EXPRESSIONS_DISABLED,
                          "spec.kubelet has an expression, and the feature gate NodeClassCEL is "
                          "off; set AWS_FEATURE_GATES=NodeClassCEL=true on the controller");
        else if (!kubelet_check_expressions(&config, &error))
            good = refuse(pass, CONDITION_REASON_KUBELET_EXPRESSION_INVALID,
                          arena_copy_string(pass->arena, error.message));
    }
    kubelet_config_free(&config);
    return good;
}

static bool check_kubelet(struct class_pass *pass)
{
    if (pass->node_class->spec.kubelet == NULL)
        return true;
    json_t *kubelet = json_loads(pass->node_class->spec.kubelet, JSON_REJECT_DUPLICATES, NULL);
    if (kubelet == NULL)
        return refuse(pass, CONDITION_REASON_INVALID_KUBELET_CONFIGURATION,
                      "spec.kubelet is no JSON object without duplicate fields");
    struct findings findings = {0};
    static const struct validate_options options = {.advise = true};
    struct validation validation = {
        .kind = pass->node_class->kind, .options = &options, .findings = &findings};
    const char *family = ami_family_facts(ami_family_of(pass->node_class))->name;
    advise_kubelet(&validation, kubelet, family);
    json_decref(kubelet);
    bool good = check_fields(pass, &findings) && check_expressions(pass);
    const char *unfit = good ? findings_text(pass, &findings, "AWN-429", "AWN-429") : NULL;
    findings_free(&findings);
    if (unfit != NULL)
        return refuse(pass, CONDITION_REASON_UNSUPPORTED_KUBELET_CONFIGURATION, unfit);
    return good;
}

// --- dependencies --------------------------------------------------------------------------------
static bool check_dependencies(struct class_pass *pass)
{
    static const enum condition_type types[] = {
        CONDITION_AMIS_READY, CONDITION_INSTANCE_PROFILE_READY, CONDITION_SECURITY_GROUPS_READY,
        CONDITION_SUBNETS_READY};
    struct text missing = {0};
    bool any_false = false;
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        if (conditions_are(&pass->conditions, types[i], "True"))
            continue;
        any_false = any_false || conditions_are(&pass->conditions, types[i], "False");
        text_join(&missing, ", ", condition_name(types[i]));
    }
    if (missing.data == NULL)
        return true;
    conditions_set(&pass->conditions, CONDITION_VALIDATION_SUCCEEDED,
                   any_false ? "False" : "Unknown", CONDITION_REASON_DEPENDENCIES_NOT_READY,
                   arena_format(pass->arena, "waiting for %s to become True", missing.data));
    text_free(&missing);
    class_pass_requeue(pass, SETTLED);
    return false;
}

// AWN-421.9, 718: an expression that no type has a valid value for; upstream: that one type lacks.
static bool check_evaluation(struct class_pass *pass, const struct kubelet_config *config)
{
    const struct instance_infos *infos = ec2_types_infos(pass->controllers->environment.types);
    struct error error = {0}, first = {0};
    uint32_t bad = 0;
    for (uint32_t i = 0; i < infos->count; i++) {
        struct kubelet_values values;
        struct kubelet_variables variables =
            kubelet_variables_of(pass->node_class, infos->items[i]);
        error = (struct error){0};
        if (kubelet_resolve(config, &variables, true, pass->arena, &values, &error))
            continue;
        if (bad++ == 0)
            first = error;
    }
    if (bad == 0 || (bad < infos->count && !pass->settings->compatibility_upstream))
        return true;
    return refuse(pass, CONDITION_REASON_KUBELET_EXPRESSION_EVALUATION_FAILED,
                  arena_copy_string(pass->arena, first.message));
}

static bool check_types(struct class_pass *pass)
{
    if (!ec2_types_loaded(pass->controllers->environment.types)) {
        struct error error = {0};
        error_set(&error, ERROR_UNAVAILABLE, "instance types are not loaded yet");
        pass_note_error(pass, &error);
        return false;
    }
    struct kubelet_config config;
    if (!kubelet_config_read(&config, pass->arena, pass->node_class->spec.kubelet, NULL))
        return false;
    bool good = !kubelet_has_expressions(&config) || check_evaluation(pass, &config);
    kubelet_config_free(&config);
    return good;
}

// --- dry runs ------------------------------------------------------------------------------------
// AWN-422. Its own hash annotations play no part, so that writing them causes no calls.
static const char *verdict_key(struct class_pass *pass, const struct ec2_node_class *draft)
{
    json_t *all = object_encode((const struct object *)draft);
    json_t *status = json_object_get(all, "status");
    json_t *annotations =
        json_incref(json_object_get(json_object_get(all, "metadata"), "annotations"));
    json_object_del(annotations, ANNOTATION_EC2_HASH);
    json_object_del(annotations, ANNOTATION_EC2_HASH_VERSION);
    json_object_del(annotations, ANNOTATION_PUBLIC_ADDRESSES);
    // Upstream's hash of the spec leaves it out, though it changes the network interfaces.
    if (pass->settings->compatibility_upstream)
        json_object_del(json_object_get(all, "spec"), "ipPrefixCount");
    json_object_del(status, "conditions");
    json_object_del(status, "capacityReservations");
    json_object_del(all, "metadata");
    if (json_object_size(annotations) > 0)
        json_object_set(all, "annotations", annotations);
    json_decref(annotations);
    char *dump CLEANUP_FREE = json_dumps(all, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(all);
    char digest[65];
    hash_sha256_hex(dump, strlen(dump), digest);
    return arena_format(pass->arena, "verdict/%s/%s", draft->meta.name, digest);
}

static void begin_dry_runs(struct class_pass *pass, const struct ec2_node_class *draft,
                           const char *key)
{
    struct error error = {0};
    const struct instance_type_catalog *catalog =
        ec2_types_for(pass->controllers->environment.types, draft, &error);
    struct validation_types types = {0};
    if (catalog != NULL)
        types = validation_types(pass, draft, catalog);
    if (types.count == 0) {
        if (catalog != NULL)
            error_set(&error, ERROR_INTERNAL,
                      "no instance type can boot an AMI of the EC2NodeClass; compare the "
                      "architectures of status.amis with the requirements of its NodePools");
        struct answer failure = {.state = ANSWER_FAILED, .error = error};
        pass_fail(pass, CONDITION_VALIDATION_SUCCEEDED, &failure);
    } else {
        validation_job_begin(pass->controllers, &(struct validation_job_options){
                                                    .key = key,
                                                    .draft = draft,
                                                    .catalog = catalog,
                                                    .types = &types,
                                                    .tenancy = validation_tenancy(pass),
                                                    .capacity_type = validation_capacity_type(pass),
                                                    .node_pool = validation_node_pool(pass)});
        (void)pass_find(pass, key); // waits
    }
    object_release((const struct object *)catalog);
}

static void apply_failure(struct class_pass *pass, const struct answer *failure)
{
    if (strcmp(failure->code, CODE_PROFILE_NOT_FOUND) == 0) {
        pass_note_error(pass, &failure->error);
        const char *profile = pass->node_class->spec.instance_profile;
        if (!text_is_empty(profile))
            refuse(pass, CONDITION_REASON_INSTANCE_PROFILE_NOT_FOUND,
                   arena_format(pass->arena, "EC2 knows no instance profile \"%s\"", profile));
    } else if (failure->fault == AWS_FAULT_THROTTLED || failure->fault == AWS_FAULT_SERVER) {
        pass_note_error(pass, &failure->error);
    } else {
        pass_fail(pass, CONDITION_VALIDATION_SUCCEEDED, failure);
    }
}

static void apply_verdict(struct class_pass *pass, const json_t *verdict)
{
    class_pass_requeue(pass, SETTLED);
    if (text_equal(json_string_value(json_object_get(verdict, "status")), "True")) {
        conditions_set_true(&pass->conditions, CONDITION_VALIDATION_SUCCEEDED);
        return;
    }
    enum condition_reason reason =
        (enum condition_reason)json_integer_value(json_object_get(verdict, "reason"));
    refuse(pass, reason,
           arena_copy_string(pass->arena, json_string_value(json_object_get(verdict, "message"))));
}

static void dry_run(struct class_pass *pass, const struct ec2_node_class *draft)
{
    const char *key = verdict_key(pass, draft);
    const struct answer *known = answers_find(pass->controllers->answers, key);
    if (known == NULL && pass->settings->disable_dry_run) {
        answers_end(pass->controllers->answers, key, json_pack("{s:s}", "status", "True"),
                    VERDICT_LIFETIME);
        known = answers_find(pass->controllers->answers, key);
    }
    if (known == NULL) {
        begin_dry_runs(pass, draft, key);
        return;
    }
    const struct answer *answer = pass_find(pass, key);
    if (answer == NULL)
        return;
    if (answer->state == ANSWER_FAILED)
        apply_failure(pass, answer);
    else
        apply_verdict(pass, answer->value);
}

// AWN-711: the NodeClass is fine, but not all of it has an effect.
static void tell_unused_user_data(struct class_pass *pass)
{
    if (pass->settings->compatibility_upstream)
        return;
    struct string_list warnings = user_data_warnings(pass->node_class, pass->arena);
    struct text text = {0};
    for (uint32_t i = 0; i < warnings.count; i++)
        text_join(&text, "; ", warnings.items[i]);
    if (text.length > 0)
        publish(pass->controllers->manager, (const struct object *)pass->node_class,
                EVENT_USER_DATA_UNUSED, "%s", text.data);
    text_free(&text);
}

void validate_node_class(struct class_pass *pass, const struct ec2_node_class *draft)
{
    assert(draft != NULL);
    struct error error = {0};
    tell_unused_user_data(pass);
    if (!check_cidr(pass) || !check_kubelet(pass) || !check_dependencies(pass))
        return;
    if (!block_devices_check(draft, &error)) { // AWN-704
        refuse(pass, CONDITION_REASON_INVALID_BLOCK_DEVICE_MAPPINGS,
               arena_copy_string(pass->arena, error.message));
        return;
    }
    if (!check_types(pass))
        return;
    if (!node_class_tags_check(draft, &error)) {
        refuse(pass, CONDITION_REASON_TAG_VALIDATION_FAILED,
               arena_copy_string(pass->arena, error.message));
        return;
    }
    if (draft->status.subnets.count > 0)
        dry_run(pass, draft);
}
