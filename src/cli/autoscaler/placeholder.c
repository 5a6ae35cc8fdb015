#include "cli/autoscaler/placeholder.h"

#include <string.h>

#include "cli/convert/tree.h"
#include "model/tables/kinds.h"

// Whether a PriorityClass of that name with a value below 0 is in the input.
static bool is_below_zero(const struct conversion *conversion, const char *name)
{
    for (uint32_t i = 0; i < conversion->sources.count; i++) {
        const json_t *value = conversion->sources.items[i]->value;
        if (text_equal(tree_text_at(value, "kind"), "PriorityClass") &&
            text_equal(tree_text_at(value, "metadata.name"), name))
            return json_integer_value(tree_at(value, "value")) < 0;
    }
    return false;
}

static bool is_placeholder(const struct conversion *conversion, const json_t *spec)
{
    const json_t *container = json_array_get(json_object_get(spec, "containers"), 0);
    const char *image = text_or_empty(tree_text_at(container, "image"));
    const char *class = text_or_empty(tree_text_at(spec, "priorityClassName"));
    int64_t priority = json_integer_value(json_object_get(spec, "priority"));
    return strstr(image, "pause") != NULL &&
           (strstr(class, "provision") != NULL || priority < 0 || is_below_zero(conversion, class));
}

static void add_buffer(struct source *source, const struct product *deployment,
                       const json_t *template)
{
    const char *name = product_name(deployment);
    const char *namespace = tree_text_at(deployment->object, "metadata.namespace");
    const json_t *replicas = tree_at(deployment->object, "spec.replicas");
    struct product *pods = product_add(source, "v1", "PodTemplate", name);
    const struct kind *kind = kind_get(KIND_CAPACITY_BUFFER);
    struct product *buffer = product_add(source, kind->api_version, kind->name, name);
    json_t *copy = json_deep_copy(template), *spec = json_object_get(copy, "spec");
    json_object_del(spec, "priorityClassName");
    json_object_del(spec, "priority");
    json_object_del(spec, "terminationGracePeriodSeconds");
    tree_put(pods->object, "template", copy);
    if (namespace != NULL) {
        tree_put(tree_make(pods->object, "metadata"), "namespace", json_string(namespace));
        tree_put(tree_make(buffer->object, "metadata"), "namespace", json_string(namespace));
    }
    tree_put(product_spec(buffer), "podTemplateRef", json_pack("{s:s}", "name", name));
    tree_put(product_spec(buffer), "replicas",
             json_integer(replicas != NULL ? json_integer_value(replicas) : 1));
    note_add(buffer, NOTE_CHANGED, "M-placeholder", "spec",
             "keeps the room of the Deployment's pods without pods; needs "
             "FEATURE_GATES=CapacityBuffer=true; delete the Deployment");
}

void placeholder_convert(struct source *source, struct product *product, const json_t *template)
{
    const json_t *spec = json_object_get(template, "spec");
    if (!is_placeholder(source->conversion, spec))
        return;
    bool becomes_buffer =
        source->conversion->options.buffers && strcmp(product_kind(product), "Deployment") == 0;
    if (becomes_buffer)
        add_buffer(source, product, template);
    else
        note_add(product, NOTE_INFO, "M-placeholder", "spec",
                 "pods that keep room ready: a CapacityBuffer does that without pods (--buffers)");
    product->is_dropped = becomes_buffer;
}
