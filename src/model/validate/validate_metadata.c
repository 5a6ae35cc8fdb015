#include "model/validate/validate_metadata.h"

#include <stdlib.h>
#include <string.h>

#include "model/schema/tables.h"
#include "model/tables/rules_json.h"
#include "model/validate/validate_schema.h"
#include "model/validate/validation.h"

#define ANNOTATIONS_BYTES_MAX (256 * 1024)

#define ROW(json_name, kind_name, extra_flags, ...) \
    FIELD_SCHEMA(json_name, kind_name, extra_flags, .rule_id = "API-27", __VA_ARGS__)

static const struct field owner_fields[] = {
    ROW("apiVersion", STRING, FIELD_REQUIRED),
    ROW("blockOwnerDeletion", BOOL, 0),
    ROW("controller", BOOL, 0),
    ROW("kind", STRING, FIELD_REQUIRED),
    ROW("name", STRING, FIELD_REQUIRED),
    ROW("uid", STRING, FIELD_REQUIRED),
};
static const struct type type_owner = TYPE("OwnerReference", struct owner_reference, owner_fields);

static const struct field managed_fields[] = {
    ROW("apiVersion", STRING, 0), ROW("fieldsType", STRING, 0), ROW("fieldsV1", JSON, 0),
    ROW("manager", STRING, 0),    ROW("operation", STRING, 0),  ROW("subresource", STRING, 0),
    ROW("time", TIME, 0),
};
static const struct type type_managed =
    TYPE("ManagedFieldsEntry", struct object_meta, managed_fields);

static const struct field metadata_fields[] = {
    ROW("annotations", STRING_MAP, 0),
    ROW("creationTimestamp", TIME, 0),
    ROW("deletionGracePeriodSeconds", OPTIONAL_INT, 0),
    ROW("deletionTimestamp", TIME, 0),
    ROW("finalizers", STRING_LIST, 0),
    ROW("generateName", STRING, 0),
    ROW("generation", INT, 0),
    ROW("labels", STRING_MAP, 0),
    ROW("managedFields", LIST, 0, .type = &type_managed),
    ROW("name", STRING, 0),
    ROW("namespace", STRING, 0),
    ROW("ownerReferences", LIST, 0, .type = &type_owner),
    ROW("resourceVersion", STRING, 0),
    ROW("selfLink", STRING, 0),
    ROW("uid", STRING, 0),
};
const struct type type_any_metadata = TYPE("ObjectMeta", struct object_meta, metadata_fields);

static void check_name(struct validation *validation, const struct place *metadata_place,
                       const json_t *metadata);
static void check_labels(struct validation *validation, const struct place *metadata_place,
                         const json_t *labels);
static void check_annotations(struct validation *validation, const struct place *metadata_place,
                              const json_t *annotations);
static void check_finalizers(struct validation *validation, const struct place *metadata_place,
                             const json_t *finalizers);

void check_metadata(struct validation *validation, const json_t *metadata,
                    const json_t *old_metadata)
{
    (void)old_metadata; // metadata is checked again at every write
    struct place place = {NULL, "metadata", 0};
    if (metadata != NULL && !json_is_object(metadata)) {
        validation_report(validation, &(struct report){.level = FINDING_REFUSED, .place = &place},
                          "must be an object");
        return;
    }
    if (metadata != NULL)
        check_object(validation, &place, &type_any_metadata, metadata, NULL);
    check_name(validation, &place, metadata);
    check_labels(validation, &place, json_object_get(metadata, "labels"));
    check_annotations(validation, &place, json_object_get(metadata, "annotations"));
    check_finalizers(validation, &place, json_object_get(metadata, "finalizers"));
}

static void refuse(struct validation *validation, const struct place *place, const char *value,
                   const char *why)
{
    validation_report(validation,
                      &(struct report){.level = FINDING_REFUSED, .rule = "API-27", .place = place},
                      "\"%.260s\" is not allowed: %s", value, why);
}

static void refuse_name(struct validation *validation, const struct place *place, const char *name,
                        const char *why);

static void check_name(struct validation *validation, const struct place *metadata_place,
                       const json_t *metadata)
{
    struct place place = {metadata_place, "name", 0};
    const json_t *name = json_object_get(metadata, "name");
    const char *why;
    if (name != NULL && !json_is_string(name))
        return; // reported as a wrong type
    const char *text = name != NULL ? json_string_value(name) : "";
    const char *generate = json_text(metadata, "generateName");
    if (text[0] == '\0' && (generate == NULL || generate[0] == '\0'))
        validation_report(
            validation,
            &(struct report){.level = FINDING_REFUSED, .rule = "API-27", .place = &place},
            "a name (or generateName) is required");
    else if (text[0] != '\0' && !text_is_dns_subdomain(text, &why))
        refuse_name(validation, &place, text, why);
}

static void lower_ascii(char *text)
{
    for (; *text != '\0'; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text += 'a' - 'A';
}

// default-pool is near to Default_Pool.
static void refuse_name(struct validation *validation, const struct place *place, const char *name,
                        const char *why)
{
    struct text hint = {0};
    const char *other;
    CLEANUP_FREE char *lowered = memory_copy_string(name);
    lower_ascii(lowered);
    for (char *at = lowered; *at != '\0'; at++)
        if (*at == '_' || *at == ' ')
            *at = '-';
    if (text_is_dns_subdomain(lowered, &other))
        text_format(&hint, "write %.253s", lowered);
    validation_report(
        validation,
        &(struct report){
            .level = FINDING_REFUSED, .rule = "API-27", .place = place, .hint = hint.data},
        "\"%.260s\" is not allowed: %s", name, why);
    text_free(&hint);
}

static void check_labels(struct validation *validation, const struct place *metadata_place,
                         const json_t *labels)
{
    struct place labels_place = {metadata_place, "labels", 0};
    const char *key, *why;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        struct place place = {&labels_place, key, 0};
        if (!text_is_qualified_name(key, &why))
            refuse(validation, &place, key, why);
        if (json_is_string(value) && !text_is_label_value(json_string_value(value), &why))
            refuse(validation, &place, json_string_value(value), why);
    }
}

// Annotation keys may have capitals in the prefix.
static void check_annotations(struct validation *validation, const struct place *metadata_place,
                              const json_t *annotations)
{
    struct place annotations_place = {metadata_place, "annotations", 0};
    const char *key, *why;
    json_t *value;
    size_t bytes = 0;
    json_object_foreach ((json_t *)annotations, key, value) {
        struct place place = {&annotations_place, key, 0};
        char *lowered = memory_copy_string(key);
        lower_ascii(lowered);
        if (!text_is_qualified_name(lowered, &why))
            refuse(validation, &place, key, why);
        free(lowered);
        bytes += strlen(key) + json_string_length(value);
    }
    if (bytes > ANNOTATIONS_BYTES_MAX)
        validation_report(
            validation,
            &(struct report){
                .level = FINDING_REFUSED, .rule = "API-27", .place = &annotations_place},
            "are %zu bytes long together; at most %d are allowed", bytes, ANNOTATIONS_BYTES_MAX);
}

static void check_finalizers(struct validation *validation, const struct place *metadata_place,
                             const json_t *finalizers)
{
    struct place list_place = {metadata_place, "finalizers", 0};
    const char *why;
    size_t index;
    json_t *value;
    json_array_foreach (finalizers, index, value) {
        struct place place = {&list_place, NULL, index};
        if (json_is_string(value) && !text_is_qualified_name(json_string_value(value), &why))
            refuse(validation, &place, json_string_value(value), why);
    }
}
