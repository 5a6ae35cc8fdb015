#include "cli/convert/mend_class.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "cli/convert/base64.h"
#include "cli/convert/class_parts.h"
#include "cli/convert/mend_types.h"
#include "cli/convert/names.h"
#include "cli/convert/selectors.h"
#include "cli/convert/tree.h"

#define BASE64_LENGTH_MIN 24

// GUI-6: a list `ids` is one term each.
static void mend_ids(struct product *product, json_t *spec, const char *field)
{
    json_t *terms = list_of(tree_take(spec, field)), *term, *result = json_array(), *id;
    size_t index, inner;
    bool any = false;
    json_array_foreach (terms, index, term) {
        json_t *ids = json_object_get(term, "ids");
        any = any || ids != NULL;
        if (ids == NULL)
            json_array_append(result, term);
        else if (json_is_array(ids))
            json_array_foreach (ids, inner, id)
                json_array_append_new(result, json_pack("{s:O}", "id", id));
        else
            json_array_append_new(result, json_pack("{s:O}", "id", ids));
    }
    if (any)
        note_add(product, NOTE_CHANGED, "M-ids", product_text(product, "spec.%s", field),
                 "a list of ids is one term for each");
    if (terms != NULL)
        json_object_set(spec, field, result);
    json_decref(terms);
    json_decref(result);
}

// Selector maps of AWSNodeTemplates.
static void mend_selectors(struct source *source, struct product *product, json_t *spec)
{
    static const char *const fields[][2] = {{"subnetSelector", "subnetSelectorTerms"},
                                            {"securityGroupSelector", "securityGroupSelectorTerms"},
                                            {"amiSelector", "amiSelectorTerms"}};
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++) {
        json_t *map = tree_take(spec, fields[i][0]);
        if (map == NULL)
            continue;
        const char *path = product_text(product, "spec.%s", fields[i][1]);
        json_t *terms =
            i == 2 && json_is_object(map)
                ? ami_terms(source, product, map)
                : selector_terms(source, product_text(product, "spec.%s", fields[i][0]), map);
        if (json_object_get(spec, fields[i][1]) == NULL)
            tree_put(spec, fields[i][1], terms);
        else
            json_decref(terms);
        note_add(product, NOTE_CHANGED, "M-selector", path, "was the map %s", fields[i][0]);
    }
}

static void mend_family(struct source *source, struct product *product, json_t *spec)
{
    const char *family = tree_text_at(spec, "amiFamily");
    bool has_terms = json_array_size(json_object_get(spec, "amiSelectorTerms")) > 0;
    if (family == NULL || has_terms)
        return;
    json_t *name = tree_take(spec, "amiFamily");
    class_set_family(source, product, spec, json_string_value(name), NULL);
    note_add(product, NOTE_CHANGED, "M-ami-family", "spec.amiSelectorTerms",
             "v1 needs terms: amiFamily %s is written as an alias", json_string_value(name));
    json_decref(name);
}

// GUI-14: only texts that are nothing but base64 of a text.
static void mend_user_data(struct product *product, json_t *spec)
{
    const char *text = tree_text_at(spec, "userData");
    struct text decoded = {0};
    if (text != NULL && strlen(text) >= BASE64_LENGTH_MIN && base64_decode(text, &decoded)) {
        bool printable = true;
        for (size_t i = 0; i < decoded.length; i++)
            printable = printable && (isprint((unsigned char)decoded.data[i]) ||
                                      isspace((unsigned char)decoded.data[i]));
        if (printable) {
            json_object_set_new(spec, "userData", json_string(decoded.data));
            note_add(product, NOTE_CHANGED, "M-base64", "spec.userData",
                     "was base64: it is plain text here");
        }
    }
    text_free(&decoded);
}

static void mend_role(struct product *product, json_t *spec, const char *field)
{
    const char *text = tree_text_at(spec, field), *name = text != NULL ? arn_name(text) : NULL;
    if (text == NULL || name == text)
        return;
    note_add(product, NOTE_CHANGED, "M-arn", product_text(product, "spec.%s", field),
             "the name, not the ARN");
    json_t *short_name = json_string(name);
    json_object_set_new(spec, field, short_name);
}

static void mend_volumes(struct product *product, json_t *spec)
{
    size_t index;
    json_t *mapping;
    json_t *volumes = list_of(tree_take(spec, "blockDeviceMappings"));
    json_array_foreach (volumes, index, mapping) {
        json_t *ebs = tree_at(mapping, "ebs");
        const char *path =
            product_text(product, "spec.blockDeviceMappings[%zu].ebs.volumeSize", index);
        const char *size =
            tree_scalar(json_object_get(ebs, "volumeSize"), product->conversion->arena);
        const char *today = size != NULL ? volume_size_today(product, path, size) : NULL;
        if (today == NULL || strcmp(today, size) == 0)
            continue;
        note_add(product, NOTE_CHANGED, "M-volume-size", path, "%s is written %s", size, today);
        json_object_set_new(ebs, "volumeSize", json_string(today));
    }
    tree_put(spec, "blockDeviceMappings", volumes);
}

void mend_node_class(struct source *source, struct product *product)
{
    json_t *spec = tree_at(product->object, "spec");
    if (!json_is_object(spec)) {
        source_fail(source, "spec is missing");
        return;
    }
    static const char *const lists[] = {"amiSelectorTerms", "subnetSelectorTerms",
                                        "securityGroupSelectorTerms",
                                        "capacityReservationSelectorTerms"};
    json_t *kubelet = tree_take(spec, "kubeletConfiguration");
    if (kubelet != NULL && json_object_get(spec, "kubelet") == NULL) {
        json_object_set(spec, "kubelet", kubelet);
        note_add(product, NOTE_CHANGED, "M-level", "spec.kubelet", "was kubeletConfiguration");
    }
    json_decref(kubelet);
    mend_selectors(source, product, spec);
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
        mend_ids(product, spec, lists[i]);
    ami_terms_mend(product, json_object_get(spec, "amiSelectorTerms"));
    mend_family(source, product, spec);
    mend_user_data(product, spec);
    mend_role(product, spec, "role");
    mend_role(product, spec, "instanceProfile");
    mend_volumes(product, spec);
    mend_by_type(source, product);
}
