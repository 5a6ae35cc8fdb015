#include "model/validate/validate_settings.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/karpenter.h"
#include "model/tables/kinds.h"
#include "model/tables/rules_json.h"

static bool has_value(const json_t *requirement, const char *value)
{
    const json_t *values = json_object_get(requirement, "values");
    for (size_t i = 0; i < json_array_size(values); i++)
        if (text_equal(json_string_value(json_array_get(values, i)), value))
            return true;
    return false;
}

// Whether the requirement lets spot instances in.
static bool lets_in(const json_t *requirement)
{
    if (!json_text_is(requirement, "key", LABEL_CAPACITY_TYPE))
        return true;
    if (json_text_is(requirement, "operator", "In"))
        return has_value(requirement, CAPACITY_TYPE_SPOT);
    if (json_text_is(requirement, "operator", "NotIn"))
        return !has_value(requirement, CAPACITY_TYPE_SPOT);
    return json_text_is(requirement, "operator", "Exists");
}

static bool allows_spot(const json_t *pool)
{
    const json_t *template = json_object_get(json_object_get(pool, "spec"), "template");
    const json_t *requirements = json_object_get(json_object_get(template, "spec"), "requirements");
    const char *label = json_text(json_object_get(json_object_get(template, "metadata"), "labels"),
                                  LABEL_CAPACITY_TYPE);
    for (size_t i = 0; i < json_array_size(requirements); i++)
        if (!lets_in(json_array_get(requirements, i)))
            return false;
    return label == NULL || strcmp(label, CAPACITY_TYPE_SPOT) == 0;
}

static bool is_of_ec2(const json_t *pool)
{
    const json_t *template = json_object_get(json_object_get(pool, "spec"), "template");
    return json_text_is(json_object_get(json_object_get(template, "spec"), "nodeClassRef"), "kind",
                        "EC2NodeClass");
}

void validate_against_settings(struct validated *objects, size_t count,
                               const struct settings *settings)
{
    assert(objects != NULL || count == 0);
    for (size_t i = 0; i < count && text_is_empty(settings->interruption_queue); i++)
        if (objects[i].stored != NULL && objects[i].kind->id == KIND_NODE_POOL &&
            is_of_ec2(objects[i].stored) && allows_spot(objects[i].stored))
            findings_add(objects[i].findings,
                         &(struct finding){.level = FINDING_WARNING,
                                           .code = "W-spot-without-queue",
                                           .rule = "GUI-16",
                                           .path = "spec.template.spec.requirements",
                                           .hint = "set INTERRUPTION_QUEUE, or leave spot out of "
                                                   "karpenter.sh/capacity-type"},
                         "spot instances are allowed, and the controller has no interruption "
                         "queue: their nodes are not drained before they go");
}
