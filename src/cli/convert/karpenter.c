#include "cli/convert/karpenter.h"

#include <assert.h>
#include <string.h>

#include "cli/convert/class_parts.h"
#include "cli/convert/document_text.h"
#include "cli/convert/mend.h"
#include "cli/convert/mend_class.h"
#include "cli/convert/mend_types.h"
#include "cli/convert/names.h"
#include "cli/convert/node_class.h"
#include "cli/convert/node_pool.h"
#include "cli/convert/node_template.h"
#include "cli/convert/provisioner.h"
#include "cli/convert/tree.h"

static bool in_group(const char *version, const char *group)
{
    size_t length = strlen(group);
    return strncmp(version, group, length) == 0 &&
           (version[length] == '/' || version[length] == '\0');
}

// MIG-47
static void drop_machine(struct source *source)
{
    struct product *product = product_add(source, "karpenter.sh/v1alpha5", "Machine",
                                          tree_text_at(source->value, "metadata.name"));
    product->is_dropped = true;
    note_add(product, NOTE_LOST, "M-machine", "",
             "Machines cannot be converted: their nodes stay until they are rolled");
}

static void mend_version(struct product *product, const char *wanted)
{
    const char *version = tree_text_at(product->object, "apiVersion");
    if (text_equal(version, wanted))
        return;
    note_add(product, NOTE_CHANGED, "M-api-version", "apiVersion", "%s is %s today",
             text_or_empty(version), wanted);
    json_object_set_new(product->object, "apiVersion", json_string(wanted));
}

// A v1 object: untouched if there is nothing to mend.
static void mend_v1(struct source *source, const char *version,
                    void (*mend)(struct source *source, struct product *product))
{
    struct product *product = product_add_object(source, json_deep_copy(source->value));
    mend_version(product, version);
    mend(source, product);
    if (source->is_mended)
        note_add(product, NOTE_INFO, "M-text", "",
                 "quotes, variables or indentation of the text were mended: look it over");
    bool same = json_equal(product->object, source->value);
    product->is_raw = same && !source->is_mended && product->kubelet == NULL;
    product->is_old = product->kubelet != NULL;
    if (!product->is_raw)
        json_object_set_new(product->object, "metadata",
                            metadata_today(product, tree_take(product->object, "metadata")));
    if (!product->is_raw)
        json_object_del(product->object, "status");
}

static void mend_old(struct source *source)
{
    for (uint32_t i = 0; i < source->products.count && !source->failed; i++) {
        struct product *product = source->products.items[i];
        if (!product->is_dropped)
            mend_by_type(source, product);
        if (source->is_mended)
            note_add(product, NOTE_INFO, "M-text", "",
                     "quotes, variables or indentation of the text were mended: look it over");
    }
}

static bool convert_kind(struct source *source, const char *version, const char *kind)
{
    const char *slash = strchr(version, '/'), *number = slash != NULL ? slash + 1 : "";
    bool is_v1 = strcmp(number, "v1") == 0;
    bool core = in_group(version, "karpenter.sh"), aws = in_group(version, "karpenter.k8s.aws");
    if (!core && !aws && !in_group(version, "eks.amazonaws.com"))
        return false;
    if (strcmp(kind, "Provisioner") == 0)
        provisioner_convert(source);
    else if (strcmp(kind, "AWSNodeTemplate") == 0)
        node_template_convert(source);
    else if (strcmp(kind, "Machine") == 0)
        drop_machine(source);
    else if (strcmp(kind, "NodePool") == 0 && is_v1)
        mend_v1(source, "karpenter.sh/v1", mend_node_pool);
    else if (strcmp(kind, "EC2NodeClass") == 0 && is_v1)
        mend_v1(source, "karpenter.k8s.aws/v1", mend_node_class);
    else if (strcmp(kind, "NodePool") == 0)
        node_pool_convert(source);
    else if (strcmp(kind, "NodeClaim") == 0 && !is_v1)
        node_claim_convert(source);
    else if (strcmp(kind, "EC2NodeClass") == 0)
        node_class_convert(source);
    else if (strcmp(kind, "NodeClass") == 0)
        auto_mode_class_convert(source);
    else
        return false;
    return true;
}

bool karpenter_convert(struct source *source)
{
    const char *version = tree_text_at(source->value, "apiVersion");
    const char *kind = tree_text_at(source->value, "kind");
    if (version == NULL || kind == NULL || !convert_kind(source, version, kind))
        return false;
    if (!text_ends_with(version, "/v1") || strcmp(kind, "NodeClass") == 0)
        mend_old(source);
    return true;
}

// --- variables -----------------------------------------------------------------------------------
static void note_variables(struct product *product, const char *path, const json_t *value,
                           struct text *found)
{
    const char *key, *text = json_string_value(value);
    json_t *member;
    size_t index;
    if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, member)
            if (strcmp(key, "userData") != 0) // its variables are the shell's
                note_variables(product,
                               path[0] != '\0' ? product_text(product, "%s.%s", path, key)
                                               : product_text(product, "%s", key),
                               member, found);
    } else if (json_is_array(value)) {
        json_array_foreach (value, index, member)
            note_variables(product, product_text(product, "%s[%zu]", path, index), member, found);
    } else if (text != NULL && text_variable(text, found) != NULL) {
        note_add(product, NOTE_TODO, "M-variable", path,
                 "%s was not filled in: --set NAME=VALUE does, or --cluster-name", found->data);
    }
}

void variables_note(struct conversion *conversion)
{
    struct text found = {0};
    vector_for_each (item, &conversion->sources)
        for (uint32_t i = 0; i < (*item)->products.count && !(*item)->failed; i++) {
            struct product *product = (*item)->products.items[i];
            const char *version = text_or_empty(tree_text_at(product->object, "apiVersion"));
            if (!product->is_dropped && text_starts_with(version, "karpenter."))
                note_variables(product, "", product->object, &found);
        }
    text_free(&found);
}

// --- EKS Auto Mode -------------------------------------------------------------------------------
static bool has_class(const struct conversion *conversion, const char *name)
{
    vector_for_each (item, &conversion->sources)
        for (uint32_t i = 0; i < (*item)->products.count; i++) {
            const struct product *product = (*item)->products.items[i];
            if (strcmp(product_kind(product), "EC2NodeClass") == 0 &&
                strcmp(product_name(product), name) == 0)
                return true;
        }
    return false;
}

static void add_built_in(struct source *source, const char *name)
{
    struct product *class = product_add(source, "karpenter.k8s.aws/v1", "EC2NodeClass", name);
    json_t *spec = product_spec(class);
    class_set_family(source, class, spec, "Bottlerocket", NULL);
    class_require_network(class, spec);
    class_require_role(class, spec,
                       "a node role of your own: that of Auto Mode's built-in class lacks the "
                       "policies of self-managed nodes");
    note_add(class, NOTE_CHANGED, "M-auto-mode", "",
             "stands for Auto Mode's built-in class: subnets and security groups are the "
             "cluster's there");
}

void auto_mode_classes_add(struct conversion *conversion)
{
    vector_for_each (item, &conversion->sources) {
        struct source *source = *item;
        for (uint32_t i = 0, count = source->products.count; i < count && !source->failed; i++) {
            const struct product *product = source->products.items[i];
            const char *name =
                tree_text_at(product->object, "spec.template.spec.nodeClassRef.name");
            if (product->is_auto_mode && name != NULL && !has_class(conversion, name))
                add_built_in(source, name);
        }
    }
}
