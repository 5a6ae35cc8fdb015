#include "cli/input/edits.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cli/input/class_catalogs.h"
#include "cli/input/left_out.h"
#include "cli/input/manifest_check.h"
#include "cli/input/missing_objects.h"
#include "model/schema/pack.h"
#include "model/snapshot/claims_admission.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"
#include "model/snapshot/workload_overlay.h"
#include "model/tables/kinds.h"

void edit_options_free(struct edit_options *options)
{
    vector_free(&options->files);
    vector_free(&options->deletions);
}

void edited_input_free(struct edited_input *edited)
{
    snapshot_destroy(edited->after);
    snapshot_destroy(edited->edits);
    arena_destroy(edited->arena);
}

// --- reading -------------------------------------------------------------------------------------

static void add_remark(struct edited_input *edited, const char *remark)
{
    const char **items =
        arena_allocate_array(edited->arena, edited->remarks.count + 1, sizeof *items);
    for (uint32_t i = 0; i < edited->remarks.count; i++)
        items[i] = edited->remarks.items[i];
    items[edited->remarks.count++] = arena_copy_string(edited->arena, remark);
    edited->remarks.items = items;
}

// Those that the head of the cluster does not have.
static void add_remarks(const struct input_options *input, struct edited_input *edited,
                        const char *lines)
{
    while (lines != NULL && *lines != '\0') {
        lines += *lines == '\n';
        size_t length = strcspn(lines, "\n");
        const char *line = arena_copy_bytes(edited->arena, lines, length);
        if (strstr(input->assumptions, line) == NULL)
            add_remark(edited, line);
        lines += length;
    }
}

static bool read_manifests(const struct input_options *input, const struct edit_options *options,
                           struct edited_input *edited, struct error *error)
{
    struct manifest_check check = {.strict = input->strict, .force = input->force};
    struct left_out left_out = {.strict = input->strict};
    const struct snapshot_examiner examiner = {manifest_examine, left_out_unread, &check,
                                               &left_out};
    bool fine = true;
    for (uint32_t i = 0; fine && i < options->files.count; i++) {
        input_await(options->files.items[i]);
        fine = snapshot_read_examined(edited->edits, options->files.items[i], input->strict,
                                      &examiner, error);
    }
    if (!fine && error->kind == ERROR_NOT_FOUND)
        error->kind = ERROR_INVALID;
    left_out_tell(&left_out, "left out: ", &check.remarks);
    if (fine)
        add_remarks(input, edited, check.remarks.data);
    manifest_check_free(&check);
    left_out_free(&left_out);
    snapshot_merge_duplicates(edited->edits);
    return fine;
}

static const struct kind *kind_named(const char *name, size_t length)
{
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        const char *const names[] = {kind->name, kind->plural, kind->singular};
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
            if (names[i] != NULL && strlen(names[i]) == length &&
                strncasecmp(names[i], name, length) == 0)
                return kind;
    }
    return NULL;
}

static bool parse_deletion(struct arena *arena, const char *text, struct object_name *name,
                           struct error *error)
{
    size_t length = strcspn(text, "/");
    const struct kind *kind = kind_named(text, length);
    const char *rest = text + length;
    if (kind == NULL || *rest == '\0' || rest[1] == '\0')
        return error_set(error, ERROR_INVALID,
                         "--delete takes KIND/NAME or KIND/NAMESPACE/NAME, such as "
                         "nodepool/spot or deployment/shop/web, not %.200s",
                         text);
    rest++;
    const char *slash = strchr(rest, '/');
    *name = (struct object_name){kind->id, NULL, slash != NULL ? slash + 1 : rest};
    if (slash != NULL)
        name->namespace = arena_copy_bytes(arena, rest, (size_t)(slash - rest));
    return true;
}

static bool lay_over(const struct edit_options *options, const struct snapshot *before,
                     struct edited_input *edited, struct error *error)
{
    struct object_name *names =
        arena_allocate_array(edited->arena, options->deletions.count + 1, sizeof *names);
    struct overlay overlay = {.edits = edited->edits};
    for (uint32_t i = 0; i < options->deletions.count; i++)
        if (!parse_deletion(edited->arena, options->deletions.items[i], &names[i], error))
            return false;
    overlay.deletions.items = names;
    overlay.deletions.count = options->deletions.count;
    edited->after = snapshot_overlay(edited->arena, before, &overlay, &edited->changes, error);
    return edited->after != NULL && workload_overlay(edited->after, &edited->changes, error);
}

// --- instance types ------------------------------------------------------------------------------

static bool changes_types(const struct object_change_list *changes)
{
    list_for_each (change, changes) {
        const struct object *object = change->after != NULL ? change->after : change->before;
        if (change->kind != CHANGE_NONE &&
            (object->kind->id == KIND_EC2_NODE_CLASS || object->kind->id == KIND_NODE_POOL))
            return true;
    }
    return false;
}

// The catalogs of node classes are made anew.
static void remake_catalogs(const struct input_options *input, struct snapshot *after)
{
    const struct object *common = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < after->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct object *object = after->objects[KIND_INSTANCE_TYPE_CATALOG].items[i];
        if (((const struct instance_type_catalog *)object)->spec.node_pools.count > 0) {
            object_release(object);
            continue;
        }
        common = object;
        after->objects[KIND_INSTANCE_TYPE_CATALOG].items[kept++] = object;
    }
    after->objects[KIND_INSTANCE_TYPE_CATALOG].count = kept;
    if (common != NULL)
        class_catalogs_add(after, input->built_in, &input->region,
                           (const struct instance_type_catalog *)common, NULL);
}

static const char *class_name(const struct node_pool *pool)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    return reference != NULL ? reference->name : NULL;
}

static bool serves_class(const struct snapshot *after, const struct instance_type_catalog *catalog,
                         const char *class)
{
    for (uint32_t i = 0; i < after->objects[KIND_NODE_POOL].count; i++) {
        const struct node_pool *pool =
            (const struct node_pool *)after->objects[KIND_NODE_POOL].items[i];
        if (string_list_has(&catalog->spec.node_pools, pool->meta.name) &&
            text_equal(class_name(pool), class))
            return true;
    }
    return false;
}

// A new NodePool gets the recorded catalog of its node class.
static void join_catalog(struct edited_input *edited, const struct node_pool *pool)
{
    struct snapshot *after = edited->after;
    for (uint32_t i = 0; i < after->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct object **slot = &after->objects[KIND_INSTANCE_TYPE_CATALOG].items[i];
        struct instance_type_catalog catalog = *(const struct instance_type_catalog *)*slot;
        struct string_list *names = &catalog.spec.node_pools;
        if (!serves_class(after, &catalog, class_name(pool)))
            continue;
        const char **items = arena_allocate_array(edited->arena, names->count + 1, sizeof *items);
        for (uint32_t n = 0; n < names->count; n++)
            items[n] = names->items[n];
        items[names->count] = pool->meta.name;
        *names = (struct string_list){items, names->count + 1};
        const struct object *copy = object_copy((const struct object *)&catalog);
        snapshot_keep(after, *slot);
        object_release(*slot);
        *slot = copy;
        return;
    }
}

static void adapt_types(const struct input_options *input, struct edited_input *edited)
{
    if (!changes_types(&edited->changes))
        return;
    if (input->built_in != NULL && input->built_in->class_catalog != NULL) {
        remake_catalogs(input, edited->after);
        return;
    }
    list_for_each (change, &edited->changes) {
        if (change->kind == CHANGE_ADDED && change->after->kind->id == KIND_NODE_POOL)
            join_catalog(edited, (const struct node_pool *)change->after);
        if (change->kind == CHANGE_EDITED && change->after->kind->id == KIND_EC2_NODE_CLASS)
            add_remark(edited, arena_format(edited->arena,
                                            "EC2NodeClass %s: the instance types are recorded "
                                            "ones, so that the edit does not change their sizes",
                                            change->after->meta.name));
    }
}

bool edits_read(const struct input_options *input, const struct edit_options *options,
                const struct snapshot *before, struct edited_input *edited, struct error *error)
{
    *edited = (struct edited_input){.arena = arena_create(65536), .edits = snapshot_create()};
    bool judges = input->built_in != NULL && !input->force;
    CLEANUP_FREE char *files = input_file_words(options->files.items, options->files.count);
    if (!read_manifests(input, options, edited, error) ||
        (judges && !missing_objects_refuse_classes(edited->edits, files, "--diff ", error)) ||
        !lay_over(options, before, edited, error))
        return false;
    struct text remarks = {0};
    claims_admit(edited->after, &remarks);
    missing_objects_tell(edited->after, input->built_in, &remarks);
    add_remarks(input, edited, remarks.data);
    text_free(&remarks);
    adapt_types(input, edited);
    return true;
}
