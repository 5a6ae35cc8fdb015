#include "sim/apiserver/api_selector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "sim/apiserver/api_internal.h"
#include "sim/store/store_internal.h"

enum selector_operator {
    OPERATOR_EXISTS,
    OPERATOR_ABSENT,
    OPERATOR_IN,
    OPERATOR_NOT_IN,
    OPERATOR_GREATER,
    OPERATOR_LESS,
};

struct requirement {
    char *key;
    enum selector_operator operator;
    VECTOR(char *) values;
};

struct api_selector {
    VECTOR(struct requirement) labels, fields;
};

struct reader { // of a label selector's text
    const char *text;
    struct failure *failure;
    const char *whole;
};

static void requirement_clear(struct requirement *requirement)
{
    free(requirement->key);
    for (uint32_t i = 0; i < requirement->values.count; i++)
        free(requirement->values.items[i]);
    vector_free(&requirement->values);
}

void api_selector_destroy(struct api_selector *selector)
{
    if (selector == NULL)
        return;
    vector_for_each (requirement, &selector->labels)
        requirement_clear(requirement);
    vector_for_each (requirement, &selector->fields)
        requirement_clear(requirement);
    vector_free(&selector->labels);
    vector_free(&selector->fields);
    free(selector);
}

bool api_selector_is_empty(const struct api_selector *selector)
{
    return selector->labels.count == 0 && selector->fields.count == 0;
}

// --- parsing -------------------------------------------------------------------------------------

static bool refuse(struct reader *reader, const char *why)
{
    return failure_bad_request(reader->failure, "unable to parse requirement: %s in \"%s\"", why,
                               reader->whole);
}

static void skip_space(struct reader *reader)
{
    while (isspace((unsigned char)reader->text[0]))
        reader->text++;
}

static bool take_char(struct reader *reader, char c)
{
    skip_space(reader);
    if (reader->text[0] != c)
        return false;
    reader->text++;
    return true;
}

// A word ends at a space or at punctuation of the grammar; it may be empty.
static char *take_word(struct reader *reader)
{
    skip_space(reader);
    size_t length = strcspn(reader->text, " \t\r\n,=!()<>");
    char *word = memory_allocate(length + 1);
    memcpy(word, reader->text, length);
    reader->text += length;
    return word;
}

static bool take_key(struct reader *reader, struct requirement *requirement)
{
    const char *why = NULL;
    requirement->key = take_word(reader);
    return text_is_qualified_name(requirement->key, &why) || refuse(reader, why);
}

static bool take_value(struct reader *reader, struct requirement *requirement)
{
    const char *why = NULL;
    char *value = take_word(reader);
    vector_push(&requirement->values, value);
    return text_is_label_value(value, &why) || refuse(reader, why);
}

static bool take_set(struct reader *reader, struct requirement *requirement)
{
    if (!take_char(reader, '('))
        return refuse(reader, "found no '(' after in or notin");
    do {
        if (!take_value(reader, requirement))
            return false;
    } while (take_char(reader, ','));
    return take_char(reader, ')') || refuse(reader, "found no ')'");
}

static bool take_word_operator(struct reader *reader, struct requirement *requirement)
{
    CLEANUP_FREE char *word = take_word(reader);
    if (strcmp(word, "in") == 0)
        requirement->operator= OPERATOR_IN;
    else if (strcmp(word, "notin") == 0)
        requirement->operator= OPERATOR_NOT_IN;
    else
        return refuse(reader, "expected an operator");
    return take_set(reader, requirement);
}

static bool take_requirement(struct reader *reader, struct requirement *requirement)
{
    if (take_char(reader, '!')) {
        requirement->operator= OPERATOR_ABSENT;
        return take_key(reader, requirement);
    }
    if (!take_key(reader, requirement))
        return false;
    skip_space(reader);
    if (reader->text[0] == '\0' || reader->text[0] == ',') {
        requirement->operator= OPERATOR_EXISTS;
        return true;
    }
    if (take_char(reader, '=')) {
        take_char(reader, '=');
        requirement->operator= OPERATOR_IN;
        return take_value(reader, requirement);
    }
    if (take_char(reader, '>') || take_char(reader, '<')) {
        requirement->operator= reader->text[-1] == '>' ? OPERATOR_GREATER : OPERATOR_LESS;
        return take_value(reader, requirement);
    }
    if (take_char(reader, '!')) {
        requirement->operator= OPERATOR_NOT_IN;
        if (!take_char(reader, '='))
            return refuse(reader, "expected '=' after '!'");
        return take_value(reader, requirement);
    }
    return take_word_operator(reader, requirement);
}

static bool parse_labels(struct api_selector *selector, const char *text, struct failure *failure)
{
    struct reader reader = {text, failure, text};
    skip_space(&reader);
    while (reader.text[0] != '\0') {
        struct requirement requirement = {0};
        bool good = take_requirement(&reader, &requirement);
        vector_push(&selector->labels, requirement);
        if (!good)
            return false;
        skip_space(&reader);
        if (reader.text[0] != '\0' && !take_char(&reader, ','))
            return refuse(&reader, "expected ','");
        skip_space(&reader);
    }
    return true;
}

// Values may hold escaped commas, equals signs and backslashes.
static char *unescape_field(const char *text, size_t length)
{
    char *value = memory_allocate(length + 1);
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\' && i + 1 < length)
            i++;
        value[out++] = text[i];
    }
    return value;
}

static size_t field_term_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ',')
        length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
    return length;
}

// Every kind can be selected by name and namespace, some by a few fields more.
static bool may_select(const struct store_resource *resource, const char *field)
{
    static const struct {
        const char *group, *plural, *fields; // each field between spaces
    } more[] = {
        {"", "pods",
         " spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName "
         "spec.hostNetwork status.phase status.podIP status.podIPs status.nominatedNodeName "},
        {"", "nodes", " spec.unschedulable "},
        {"", "namespaces", " status.phase "},
        {"", "secrets", " type "},
        {"", "services", " spec.clusterIP spec.type "},
        {"", "replicationcontrollers", " status.replicas "},
        {"apps", "replicasets", " status.replicas "},
        {"batch", "jobs", " status.successful "},
        {"certificates.k8s.io", "certificatesigningrequests", " spec.signerName "},
        {"", "events",
         " involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid "
         "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason "
         "reportingComponent source type "},
    };
    struct text padded = {0};
    text_format(&padded, " %s ", field);
    bool may = strcmp(field, "metadata.name") == 0 || strcmp(field, "metadata.namespace") == 0;
    for (size_t i = 0; i < ARRAY_LENGTH(more); i++)
        may = may || (strcmp(resource->group, more[i].group) == 0 &&
                      strcmp(resource->plural, more[i].plural) == 0 &&
                      strstr(more[i].fields, padded.data) != NULL);
    text_free(&padded);
    return may;
}

static bool parse_field_term(struct api_selector *selector, const char *text, size_t length,
                             const struct store_resource *resource, struct failure *failure)
{
    const char *equals = memchr(text, '=', length);
    if (equals == NULL || equals == text)
        return failure_bad_request(failure, "invalid selector: '%.*s'; can't understand '%.*s'",
                                   (int)length, text, (int)length, text);
    struct requirement requirement = {.operator= OPERATOR_IN };
    const char *value = equals + 1;
    size_t key_length = (size_t)(equals - text);
    if (key_length > 1 && equals[-1] == '!') {
        requirement.operator= OPERATOR_NOT_IN;
        key_length--;
    } else if (value < text + length && value[0] == '=') {
        value++;
    }
    requirement.key = memory_allocate(key_length + 1);
    memcpy(requirement.key, text, key_length);
    vector_push(&requirement.values, unescape_field(value, (size_t)(text + length - value)));
    vector_push(&selector->fields, requirement);
    if (!may_select(resource, requirement.key))
        return failure_bad_request(failure, "field label not supported: %s", requirement.key);
    return true;
}

static bool parse_fields(struct api_selector *selector, const char *text,
                         const struct store_resource *resource, struct failure *failure)
{
    while (text[0] != '\0') {
        size_t length = field_term_length(text);
        if (length > 0 && !parse_field_term(selector, text, length, resource, failure))
            return false;
        text += length;
        if (text[0] == ',')
            text++;
    }
    return true;
}

struct api_selector *api_selector_parse(const char *labels, const char *fields,
                                        const struct store_resource *resource,
                                        struct failure *failure)
{
    struct api_selector *selector = memory_allocate(sizeof *selector);
    if ((labels == NULL || parse_labels(selector, labels, failure)) &&
        (fields == NULL || parse_fields(selector, fields, resource, failure)))
        return selector;
    api_selector_destroy(selector);
    return NULL;
}

// --- matching ------------------------------------------------------------------------------------

static bool in_values(const struct requirement *requirement, const char *value)
{
    for (uint32_t i = 0; i < requirement->values.count; i++)
        if (strcmp(requirement->values.items[i], value) == 0)
            return true;
    return false;
}

static bool compare_numbers(const struct requirement *requirement, const char *value)
{
    int64_t number, bound;
    if (!text_parse_int64(value, &number) ||
        !text_parse_int64(requirement->values.items[0], &bound))
        return false;
    return requirement->operator== OPERATOR_GREATER ? number > bound : number<bound;
}

static bool label_fits(const struct requirement *requirement, const json_t *labels)
{
    const char *value = string_at(labels, requirement->key);
    switch (requirement->operator) {
    case OPERATOR_EXISTS:
        return value != NULL;
    case OPERATOR_ABSENT:
        return value == NULL;
    case OPERATOR_IN:
        return value != NULL && in_values(requirement, value);
    case OPERATOR_NOT_IN:
        return value == NULL || !in_values(requirement, value);
    case OPERATOR_GREATER:
    case OPERATOR_LESS:
        return value != NULL && compare_numbers(requirement, value);
    }
    return false;
}

// The field as text; an absent field is "", an absent flag "false".
static const char *field_text(const json_t *object, const char *path, char buffer[32])
{
    const json_t *value = store_path(object, path);
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value)) {
        snprintf(buffer, 32, "%lld", (long long)json_integer_value(value));
        return buffer;
    }
    if (json_is_true(value))
        return "true";
    if (json_is_false(value) || strcmp(path, "spec.unschedulable") == 0 ||
        strcmp(path, "spec.hostNetwork") == 0)
        return "false";
    return "";
}

bool api_selector_matches(const struct api_selector *selector, const json_t *object)
{
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    for (uint32_t i = 0; i < selector->labels.count; i++)
        if (!label_fits(&selector->labels.items[i], labels))
            return false;
    for (uint32_t i = 0; i < selector->fields.count; i++) {
        const struct requirement *field = &selector->fields.items[i];
        char buffer[32];
        bool equal = in_values(field, field_text(object, field->key, buffer));
        if (equal != (field->operator== OPERATOR_IN))
            return false;
    }
    return true;
}
