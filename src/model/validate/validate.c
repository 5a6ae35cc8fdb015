#include "model/validate/validate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/schema/form.h"
#include "model/tables/rules_json.h"
#include "model/validate/validate_metadata.h"
#include "model/validate/validate_prepare.h"
#include "model/validate/validate_runtime.h"
#include "model/validate/validate_schema.h"
#include "model/validate/validate_warnings.h"
#include "model/validate/validate_warnings_ec2.h"
#include "model/validate/validation.h"

static json_t *prepare_root(struct validation *validation, const json_t *object);
static void settle_status(struct validation *validation, json_t *stored, const json_t *old);
static void check_root(struct validation *validation, const json_t *stored, const json_t *old);
static void check_scale(struct validation *validation, const json_t *stored);
static void advise(struct validation *validation, const json_t *stored);

bool validate_object(const struct kind *kind, const json_t *object, const json_t *old,
                     const struct validate_options *options, struct findings *findings,
                     json_t **stored)
{
    assert(kind != NULL);
    assert(options != NULL);
    if (stored != NULL)
        *stored = NULL;
    if (!kind->custom) {
        if (stored != NULL)
            *stored = json_incref((json_t *)object);
        return true;
    }
    struct validation validation = {.kind = kind, .options = options, .findings = findings};
    if (!json_is_object(object)) {
        validation_report(&validation, &(struct report){.level = FINDING_REFUSED},
                          "must be an object");
        return false;
    }
    json_t *result = prepare_root(&validation, object);
    json_t *old_result = NULL;
    if (json_is_object(old)) {
        struct validation silent = {.kind = kind, .options = options};
        old_result = prepare_root(&silent, old);
        check_root(&silent, old_result, NULL);
        validation.forgives_duplicates = silent.has_duplicates;
    }
    settle_status(&validation, result, old_result);
    check_root(&validation, result, old_result);
    if (options->advise)
        advise(&validation, result);
    json_decref(old_result);
    if (stored != NULL)
        *stored = result;
    else
        json_decref(result);
    return !validation.refused;
}

// The header's fields are not in the kind's table.
static json_t *prepare_root(struct validation *validation, const json_t *object)
{
    assert(json_is_object(object));
    json_t *body = json_object(), *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (field_is_header(key)) {
            json_object_set(result, key, value);
        } else if (strcmp(key, "metadata") == 0) {
            struct place place = {NULL, "metadata", 0};
            if (json_is_object(value))
                json_object_set_new(result, key,
                                    prepare_object(validation, &place, &type_any_metadata, value));
            else if (json_is_given(value))
                json_object_set(result, key, value);
        } else {
            json_object_set(body, key, value);
        }
    }
    json_t *prepared = prepare_object(validation, NULL, validation->kind->type, body);
    json_object_update(result, prepared);
    json_decref(prepared);
    json_decref(body);
    return result;
}

// With a status subresource a request writes either the status or the rest; the other part keeps
// its old value (API-107).
static void settle_status(struct validation *validation, json_t *stored, const json_t *old)
{
    const struct field *status = type_field(validation->kind->type, "status");
    if (validation->options->status_written) {
        if (old == NULL)
            return;
        json_t *written = json_incref(json_object_get(stored, "status"));
        json_object_clear(stored);
        json_object_update(stored, (json_t *)old);
        json_object_del(stored, "status");
        if (written != NULL)
            json_object_set_new(stored, "status", written);
        return;
    }
    json_object_del(stored, "status");
    if (json_has(old, "status"))
        json_object_set(stored, "status", json_object_get(old, "status"));
    else if (status->default_json != NULL)
        json_object_set_new(stored, "status", field_default(status, false));
}

static void check_root(struct validation *validation, const json_t *stored, const json_t *old)
{
    assert(validation->kind->custom_facts != NULL);
    check_metadata(validation, json_object_get(stored, "metadata"),
                   json_object_get(old, "metadata"));
    const struct type *type = validation->kind->type;
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        bool is_status = strcmp(field->name, "status") == 0;
        if (strcmp(field->name, "metadata") == 0 ||
            (is_status && !validation->options->status_written))
            continue;
        struct place place = {NULL, field->name, 0};
        const json_t *value = json_object_get(stored, field->name);
        if (value != NULL)
            check_field(validation, &place, field, value, json_object_get(old, field->name));
        else if (field_is_required(field, validation->options->as_of_aws_1_14))
            validation_report(validation,
                              &(struct report){.level = FINDING_REFUSED,
                                               .rule = schema_rule(validation, field),
                                               .place = &place},
                              "is required");
    }
    if (validation->kind->custom_facts->scale_spec_path != NULL)
        check_scale(validation, stored);
}

// API-28: the scale subresource's checks. All kinds with one have it at spec.replicas.
static void check_scale(struct validation *validation, const json_t *stored)
{
    assert(strcmp(validation->kind->custom_facts->scale_spec_path, ".spec.replicas") == 0);
    const json_t *json = json_object_get(stored, "spec");
    const json_t *replicas = json_object_get(json, "replicas");
    struct place spec = {NULL, "spec", 0}, place = {&spec, "replicas", 0};
    if (json != NULL && !json_is_object(json))
        validation_report(
            validation,
            &(struct report){.level = FINDING_REFUSED, .rule = "API-28", .place = &place},
            "cannot be read: spec is no object");
    if (json_is_integer(replicas) && json_integer_value(replicas) > INT32_MAX)
        validation_report(
            validation,
            &(struct report){.level = FINDING_REFUSED, .rule = "API-28", .place = &place},
            "%" JSON_INTEGER_FORMAT " is more than %d", json_integer_value(replicas), INT32_MAX);
}

static void advise(struct validation *validation, const json_t *stored)
{
    if (validation->oversized || validation_is_full(validation))
        return;
    warn_texts(validation, stored);
    enum kind_id id = validation->kind->id;
    if (id == KIND_NODE_POOL) {
        check_node_pool_at_run_time(validation, stored);
        warn_node_pool(validation, stored);
    } else if (id == KIND_NODE_OVERLAY) {
        check_node_overlay_at_run_time(validation, stored);
        warn_node_overlay(validation, stored);
    } else if (id == KIND_NODE_CLAIM) {
        warn_node_claim(validation, stored);
    } else if (id == KIND_CAPACITY_BUFFER) {
        warn_capacity_buffer(validation, stored);
    } else if (id == KIND_EC2_NODE_CLASS) {
        warn_ec2_node_class(validation, stored);
    }
}
