#include "cli/output/forecast_encode.h"

#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/schema/encode.h"
#include "model/snapshot/plan_encode.h"

#define NANO 1e9

// --- pieces --------------------------------------------------------------------------------------

static void set_text(json_t *json, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(json, key, json_string(text));
}

static void set_price(json_t *json, const char *key, int64_t price)
{
    json_object_set_new(json, key, json_real((double)price / NANO));
}

static json_t *encode_fields(const field_change_list *fields)
{
    json_t *list = json_array();
    list_for_each (field, fields) {
        json_t *json = json_object();
        set_text(json, "path", field->path);
        set_text(json, "from", field->from);
        set_text(json, "to", field->to);
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *encode_changes(const struct object_change_list *changes)
{
    static const char *const names[] = {"added", "removed", "edited", "none"};
    json_t *list = json_array();
    list_for_each (change, changes) {
        const struct object *object = change->after != NULL ? change->after : change->before;
        json_t *json = json_object();
        set_text(json, "change", names[change->kind]);
        set_text(json, "kind", object->kind->name);
        set_text(json, "namespace", object->meta.namespace);
        set_text(json, "name", object->meta.name);
        if (change->fields.count > 0)
            json_object_set_new(json, "fields", encode_fields(&change->fields));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *encode_mark(const struct drift_mark *mark)
{
    json_t *json = json_object();
    set_text(json, "node", mark->node);
    set_text(json, "nodeClaim", mark->claim->meta.name);
    set_text(json, "nodePool", object_label((const struct object *)mark->claim, LABEL_NODE_POOL));
    set_text(json, "reason", mark->reason);
    if (mark->reason != NULL)
        json_object_set_new(json, "before", json_boolean(mark->before));
    if (mark->fields.count > 0)
        json_object_set_new(json, "fields", encode_fields(&mark->fields));
    return json;
}

static json_t *encode_command(const struct forecast_command *command)
{
    json_t *json = json_object();
    set_text(json, "method", disruption_reason_name(command->reason));
    if (command->consolidation != CONSOLIDATION_NONE)
        set_text(json, "consolidation", consolidation_type_name(command->consolidation));
    json_object_set_new(json, "nodes", string_list_encode(&command->nodes));
    json_object_set_new(json, "replacements", string_list_encode(&command->replacements));
    set_price(json, "savings", command->savings);
    return json;
}

static json_t *encode_rounds(const struct forecast *forecast)
{
    json_t *list = json_array();
    list_for_each (round, &forecast->rounds) {
        json_t *json = json_object(), *commands = json_array();
        list_for_each (command, &round->commands)
            json_array_append_new(commands, encode_command(command));
        json_object_set_new(json, "commands", commands);
        json_object_set_new(json, "launched", string_list_encode(&round->launched));
        json_object_set_new(json, "podsPlaced", json_integer(round->placed));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *encode_node(const struct forecast_node *node)
{
    static const char *const fates[] = {"stays", "goes", "comes"};
    json_t *json = json_object();
    set_text(json, "name", node->name);
    set_text(json, "fate", fates[node->fate]);
    set_text(json, "nodePool", node->node_pool);
    set_text(json, "instanceType", node->type);
    set_text(json, "zone", node->zone);
    set_text(json, "capacityType", node->capacity_type);
    json_object_set_new(json, "pods", json_integer(node->pods));
    set_price(json, "pricePerHour", node->price);
    set_text(json, "why", node->why);
    if (node->round > 0)
        json_object_set_new(json, "round", json_integer(node->round));
    return json;
}

static json_t *encode_moves(const struct forecast *forecast)
{
    json_t *list = json_array();
    list_for_each (move, &forecast->moves) {
        char name[600];
        json_t *json = json_object();
        object_namespaced_name((const struct object *)move->pod, name);
        set_text(json, "pod", name);
        set_text(json, "from", move->from);
        set_text(json, "to", move->to);
        json_array_append_new(list, json);
    }
    return list;
}

// --- money ---------------------------------------------------------------------------------------

static json_t *encode_state(const struct cost_line *line)
{
    json_t *json = json_object();
    json_object_set_new(json, "nodes", json_integer(line->nodes));
    set_price(json, "pricePerHour", line->price);
    set_price(json, "pricePerMonth", quantity_multiply(line->price, HOURS_A_MONTH));
    set_price(json, "idlePerHour", line->idle);
    if (line->unpriced > 0)
        json_object_set_new(json, "nodesWithoutPrice", json_integer(line->unpriced));
    return json;
}

static const struct cost_line *line_of(const struct cluster_cost *cost, const char *pool)
{
    static const struct cost_line none = {0};
    list_for_each (line, &cost->pools)
        if (text_equal(line->name, pool))
            return line;
    return &none;
}

static json_t *encode_pool(const struct cluster_cost *now, const struct cluster_cost *after,
                           const char *pool)
{
    json_t *json = json_object();
    json_object_set_new(json, "nodePool", pool != NULL ? json_string(pool) : json_null());
    json_object_set_new(json, "now", encode_state(line_of(now, pool)));
    json_object_set_new(json, "after", encode_state(line_of(after, pool)));
    return json;
}

static bool has_line(const struct cluster_cost *cost, const char *pool)
{
    list_for_each (line, &cost->pools)
        if (text_equal(line->name, pool))
            return true;
    return false;
}

void costs_encode_into(json_t *json, const struct cluster_cost *now,
                       const struct cluster_cost *after)
{
    json_t *totals = json_object(), *pools = json_array();
    json_object_set_new(totals, "now", encode_state(&now->total));
    json_object_set_new(totals, "after", encode_state(&after->total));
    json_object_set_new(json, "totals", totals);
    list_for_each (line, &now->pools)
        json_array_append_new(pools, encode_pool(now, after, line->name));
    list_for_each (line, &after->pools)
        if (!has_line(now, line->name))
            json_array_append_new(pools, encode_pool(now, after, line->name));
    json_object_set_new(json, "nodePools", pools);
}

// --- documents -----------------------------------------------------------------------------------

void forecast_encode_into(json_t *json, const struct forecast *forecast)
{
    json_t *nodes = json_array();
    list_for_each (node, &forecast->nodes)
        json_array_append_new(nodes, encode_node(node));
    json_object_set_new(json, "rounds", encode_rounds(forecast));
    json_object_set_new(json, "complete", json_boolean(forecast->complete));
    json_object_set_new(json, "nodes", nodes);
    json_object_set_new(json, "moves", encode_moves(forecast));
    json_object_set_new(json, "unplaced", json_integer(forecast->unplaced));
    costs_encode_into(json, &forecast->before, &forecast->after);
}

json_t *diff_report_encode(const struct diff_report *report)
{
    json_t *json = json_object(), *drifted = json_array(), *settled = json_array();
    json_t *remarks = string_list_encode(report->remarks);
    set_text(json, "apiVersion", "adze/v1");
    set_text(json, "kind", "ClusterDiff");
    json_object_set_new(json, "changes", encode_changes(report->changes));
    list_for_each (mark, &report->edit->drifted)
        json_array_append_new(drifted, encode_mark(mark));
    list_for_each (mark, &report->edit->settled)
        json_array_append_new(settled, encode_mark(mark));
    json_object_set_new(json, "drifted", drifted);
    json_object_set_new(json, "driftedNoLonger", settled);
    json_object_set_new(json, "plan", plan_encode(report->forecast->first));
    forecast_encode_into(json, report->forecast);
    json_object_set_new(json_object_get(json, "totals"), "withoutEdit",
                        encode_state(&report->without->after.total));
    json_object_set_new(json, "remarks", remarks);
    return json;
}
