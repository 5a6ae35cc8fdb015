#include "properties/world.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine.h"
#include "model/manifest/input.h"
#include "model/manifest/yaml_write.h"

struct outcome world_plan(const json_t *world)
{
    struct outcome outcome = {.snapshot = snapshot_create()};
    char *text = json_dumps(world, 0);
    struct plan_options options = {.explain = true};
    struct text list = {0};
    text_format(&list, "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": %s}", text);
    if (snapshot_read_text(outcome.snapshot, list.data, list.length, "world", true,
                           &outcome.error) &&
        snapshot_complete(outcome.snapshot, &outcome.error))
        outcome.plan = engine_plan(outcome.snapshot, &options, &outcome.error);
    text_free(&list);
    free(text);
    return outcome;
}

void outcome_free(struct outcome *outcome)
{
    plan_destroy(outcome->plan);
    snapshot_destroy(outcome->snapshot);
}

char *plan_text(const struct plan *plan)
{
    CLEANUP_JSON json_t *json = plan_encode(plan);
    return json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
}

void world_write_yaml(const json_t *world, struct text *text)
{
    size_t index;
    json_t *document;
    json_array_foreach (world, index, document) {
        text_add(text, "---\n");
        yaml_write(document, text);
    }
}

json_t *world_with_setting(const json_t *world, const char *name, const char *value)
{
    json_t *copy = json_deep_copy(world);
    size_t index;
    json_t *document;
    json_array_foreach (copy, index, document)
        if (strcmp(document_kind(document), "SnapshotContext") == 0)
            json_object_set_new(json_object_get(json_object_get(document, "spec"), "settings"),
                                name, json_string(value));
    return copy;
}

void world_add_yaml(json_t *world, const char *yaml)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, yaml, strlen(yaml), "generated", false, &error)) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    for (uint32_t i = 0; i < documents.count; i++)
        if (documents.items[i].value != NULL)
            json_array_append_new(world, json_deep_copy(documents.items[i].value));
    documents_free(&documents);
}

const char *document_kind(const json_t *document)
{
    const char *kind = json_string_value(json_object_get(document, "kind"));
    return kind != NULL ? kind : "";
}

const char *document_name(const json_t *document)
{
    const char *name =
        json_string_value(json_object_get(json_object_get(document, "metadata"), "name"));
    return name != NULL ? name : "";
}
