#include "sim/store/managed_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "sim/store/field_set.h"
#include "sim/store/store_internal.h"

static json_t *entries_of(const json_t *object)
{
    return store_path(object, "metadata.managedFields");
}

static const char *operation_of(const struct field_manager *manager)
{
    return manager->applies ? "Apply" : "Update";
}

static bool is_of(const json_t *entry, const struct field_manager *manager)
{
    return text_equal(string_at(entry, "manager"), manager->name) &&
           text_equal(string_at(entry, "operation"), operation_of(manager)) &&
           text_equal(string_at(entry, "subresource"), manager->subresource);
}

json_t *managed_fields_of(const json_t *object, const struct field_manager *manager)
{
    size_t i;
    json_t *entry;
    json_array_foreach (entries_of(object), i, entry) {
        if (is_of(entry, manager))
            return json_object_get(entry, "fieldsV1");
    }
    return NULL;
}

json_t *managed_fields_of_others(const json_t *object, const struct field_manager *manager)
{
    json_t *fields = json_object();
    size_t i;
    json_t *entry;
    json_array_foreach (entries_of(object), i, entry) {
        if (is_of(entry, manager))
            continue;
        json_t *both = field_set_union(fields, json_object_get(entry, "fieldsV1"));
        json_decref(fields);
        fields = both;
    }
    return fields;
}

// --- writing -------------------------------------------------------------------------------------

static json_t *entry_with(const json_t *entry, json_t *fields)
{
    json_t *copy = json_copy((json_t *)entry);
    json_object_set(copy, "fieldsV1", fields);
    return copy;
}

static json_t *new_entry(struct store *store, const json_t *object,
                         const struct field_manager *manager, json_t *fields)
{
    char now[40];
    json_t *entry =
        json_pack("{s:s, s:s, s:O, s:s, s:s, s:O}", "manager", manager->name, "operation",
                  operation_of(manager), "apiVersion", json_object_get(object, "apiVersion"),
                  "fieldsType", "FieldsV1", "time", now_text(store, now), "fieldsV1", fields);
    if (manager->subresource != NULL)
        json_object_set_new(entry, "subresource", json_string(manager->subresource));
    return entry;
}

// The manager's entry gets `own`; all others lose `lost`.
static void rewrite(struct store *store, json_t *object, const struct field_manager *manager,
                    json_t *own, const json_t *lost)
{
    json_t *entries = json_array();
    bool found = false;
    size_t i;
    json_t *entry;
    json_array_foreach (entries_of(object), i, entry) {
        const json_t *fields = json_object_get(entry, "fieldsV1");
        bool mine = is_of(entry, manager);
        json_t *left = mine ? json_incref(own) : field_set_subtract(fields, lost);
        found = found || mine;
        if (json_equal(left, fields))
            json_array_append(entries, entry);
        else if (json_object_size(left) > 0)
            json_array_append_new(entries, mine ? new_entry(store, object, manager, left)
                                                : entry_with(entry, left));
        json_decref(left);
    }
    if (!found && json_object_size(own) > 0)
        json_array_append_new(entries, new_entry(store, object, manager, own));
    json_decref(own);
    json_t *metadata = json_object_get(object, "metadata");
    if (json_array_size(entries) > 0)
        json_object_set(metadata, "managedFields", entries);
    else
        json_object_del(metadata, "managedFields");
    json_decref(entries);
}

void managed_fields_update(struct store *store, json_t *object, const json_t *old,
                           const struct field_manager *manager)
{
    json_t *metadata = json_object_get(object, "metadata");
    if (json_object_get(metadata, "managedFields") == NULL && entries_of(old) != NULL)
        json_object_set(metadata, "managedFields", entries_of(old)); // a client that left them out
    json_t *changed = field_set_changed(old, object);
    json_t *removed = old != NULL ? field_set_removed(old, object) : json_object();
    json_t *lost = field_set_union(changed, removed);
    json_t *before = managed_fields_of(object, manager);
    json_t *all = before != NULL ? field_set_union(before, changed) : json_incref(changed);
    rewrite(store, object, manager, field_set_subtract(all, removed), lost);
    json_decref(all);
    json_decref(changed);
    json_decref(removed);
    json_decref(lost);
}

void managed_fields_apply(struct store *store, json_t *object, const json_t *old,
                          const struct field_manager *manager, const json_t *applied)
{
    json_t *changed = old != NULL ? field_set_changed(old, object) : json_object();
    json_t *removed = old != NULL ? field_set_removed(old, object) : json_object();
    json_t *lost = field_set_union(changed, removed);
    rewrite(store, object, manager, json_deep_copy(applied), lost);
    json_decref(changed);
    json_decref(removed);
    json_decref(lost);
}

// --- conflicts -----------------------------------------------------------------------------------

struct conflicts {
    struct text message;
    json_t *causes;
    const char *who; // the manager of the paths that follow
    uint32_t count;
    bool told; // of this manager
};

// "kubectl" with subresource "scale" using apps/v1
static char *described(const json_t *entry)
{
    struct text text = {0};
    const char *subresource = string_at(entry, "subresource");
    text_format(&text, "\"%s\"", string_at(entry, "manager"));
    if (subresource != NULL)
        text_format(&text, " with subresource \"%s\"", subresource);
    if (!text_equal(string_at(entry, "operation"), "Apply"))
        text_format(&text, " using %s", string_at(entry, "apiVersion"));
    return text_take(&text);
}

static void add_conflict(void *context, const char *path)
{
    struct conflicts *conflicts = context;
    struct text cause = {0};
    text_format(&cause, "conflict with %s", conflicts->who);
    json_array_append_new(conflicts->causes,
                          json_pack("{s:s, s:s, s:s}", "reason", "FieldManagerConflict", "message",
                                    cause.data, "field", path));
    if (!conflicts->told)
        text_format(&conflicts->message,
                    "%sconflicts with %s:", conflicts->message.length > 0 ? "\n" : "",
                    conflicts->who);
    text_format(&conflicts->message, "\n- %s", path);
    conflicts->told = true;
    conflicts->count++;
    text_free(&cause);
}

static void gather(struct conflicts *conflicts, const json_t *old, const json_t *changed,
                   const struct field_manager *manager)
{
    size_t i;
    json_t *entry;
    json_array_foreach (entries_of(old), i, entry) {
        if (is_of(entry, manager))
            continue;
        json_t *common = field_set_intersect(json_object_get(entry, "fieldsV1"), changed);
        CLEANUP_FREE char *who = described(entry);
        conflicts->who = who;
        conflicts->told = false;
        field_set_each(common, add_conflict, conflicts);
        json_decref(common);
    }
}

bool managed_fields_conflict(const json_t *old, const json_t *merged,
                             const struct field_manager *manager, struct failure *failure)
{
    struct conflicts conflicts = {.causes = json_array()};
    json_t *changed = field_set_changed(old, merged);
    gather(&conflicts, old, changed, manager);
    json_decref(changed);
    if (conflicts.count == 1) {
        const json_t *only = json_array_get(conflicts.causes, 0);
        failure_set(failure, 409, "Conflict", "Apply failed with 1 conflict: %s: %s",
                    string_at(only, "message"), string_at(only, "field"));
    } else if (conflicts.count > 1) {
        failure_set(failure, 409, "Conflict", "Apply failed with %u conflicts: %s", conflicts.count,
                    conflicts.message.data);
    }
    text_free(&conflicts.message);
    if (conflicts.count > 0)
        failure->details = json_pack("{s:o}", "causes", conflicts.causes);
    else
        json_decref(conflicts.causes);
    return conflicts.count == 0;
}
