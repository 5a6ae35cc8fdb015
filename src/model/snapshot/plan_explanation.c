#include "model/snapshot/plan_explanation.h"

#include "base/quantity.h"
#include "model/schema/encode.h"

static json_t *encode_nodes(const struct plan_explanation *explanation)
{
    json_t *refused = json_array();
    list_for_each (refusal, &explanation->refused)
        json_array_append_new(
            refused, json_pack("{s:s, s:I, s:s}", "code", reason_code_name(refusal->code), "count",
                               (json_int_t)refusal->count, "detail", refusal->detail));
    json_t *json = json_object();
    json_object_set_new(json, "count", json_integer(explanation->nodes));
    json_object_set_new(json, "summary", json_string(explanation->nodes_summary));
    json_object_set_new(json, "refused", refused);
    return json;
}

static json_t *encode_stage(const struct plan_stage *stage)
{
    json_t *json = json_object();
    json_object_set_new(json, "stage", json_string(stage_name(stage->kind)));
    json_object_set_new(json, "left", json_integer(stage->left));
    if (stage->cuts.count == 0)
        return json;
    json_t *cuts = json_array();
    list_for_each (cut, &stage->cuts)
        json_array_append_new(cuts,
                              json_pack("{s:s, s:I, s:I}", "value", cut->value, "before",
                                        (json_int_t)cut->before, "left", (json_int_t)cut->left));
    json_object_set_new(json, "cuts", cuts);
    return json;
}

static json_t *encode_funnel(const struct plan_pool_funnel *funnel)
{
    json_t *json = json_object();
    json_object_set_new(json, "nodePool", json_string(funnel->node_pool));
    json_object_set_new(json, "state", json_string(funnel->state));
    if (funnel->detail != NULL)
        json_object_set_new(json, "detail", json_string(funnel->detail));
    if (funnel->types == 0)
        return json;
    json_object_set_new(json, "types", json_integer(funnel->types));
    json_object_set_new(json, "typesOfPool", json_integer(funnel->own));
    json_t *stages = json_array();
    list_for_each (stage, &funnel->stages)
        json_array_append_new(stages, encode_stage(stage));
    json_object_set_new(json, "stages", stages);
    if (funnel->miss_type != NULL)
        json_object_set_new(json, "nearestMiss",
                            json_pack("{s:s, s:s, s:s}", "instanceType", funnel->miss_type, "stage",
                                      stage_name(funnel->miss_stage), "detail",
                                      funnel->miss_detail));
    return json;
}

void plan_explanation_encode(json_t *json, const struct plan_explanation *explanation)
{
    json_t *funnel = json_array(), *help = json_array();
    list_for_each (pool, &explanation->funnel)
        json_array_append_new(funnel, encode_funnel(pool));
    list_for_each (entry, &explanation->help)
        json_array_append_new(
            help, json_pack("{s:s, s:s}", "change", entry->change, "detail", entry->detail));
    json_object_set_new(json, "nodes", encode_nodes(explanation));
    json_object_set_new(json, "funnel", funnel);
    json_object_set_new(json, "help", help);
    if (explanation->given_up.count > 0)
        json_object_set_new(json, "preferencesGivenUp", string_list_encode(&explanation->given_up));
}

json_t *plan_choice_encode(const struct plan_choice *choice)
{
    json_t *alternatives = json_array();
    list_for_each (alternative, &choice->alternatives) {
        json_t *entry = json_object();
        json_object_set_new(entry, "what", json_string(alternative->what));
        json_object_set_new(entry, "extraPricePerHour",
                            json_real(price_to_double(alternative->extra_price)));
        json_array_append_new(alternatives, entry);
    }
    json_t *json = json_object();
    json_object_set_new(json, "extraPricePerHour", json_real(price_to_double(choice->extra_price)));
    json_object_set_new(json, "why", string_list_encode(&choice->why));
    json_object_set_new(json, "alternatives", alternatives);
    if (choice->explanation != NULL)
        plan_explanation_encode(json, choice->explanation);
    return json;
}
