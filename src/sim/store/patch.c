#include "sim/store/patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/store/patch_strategic.h"

static json_t *patch_merge(const json_t *object, const json_t *patch);
static json_t *patch_json(const json_t *object, const json_t *operations, struct failure *failure);

json_t *patch_apply(const char *type, const json_t *object, const json_t *patch,
                    struct failure *failure)
{
    if (strcmp(type, "json") == 0)
        return patch_json(object, patch, failure);
    if (!json_is_object(patch)) {
        failure_bad_request(failure, "the patch is not a JSON object");
        return NULL;
    }
    if (strcmp(type, "strategic") == 0)
        return patch_strategic(object, patch, failure);
    return patch_merge(object, patch);
}

// --- RFC 7386 ------------------------------------------------------------------------------------

static json_t *patch_merge(const json_t *object, const json_t *patch)
{
    if (!json_is_object(patch))
        return json_deep_copy(patch);
    json_t *result = json_is_object(object) ? json_copy((json_t *)object) : json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)patch, key, value) {
        if (json_is_null(value))
            json_object_del(result, key);
        else
            json_object_set_new(result, key, patch_merge(json_object_get(object, key), value));
    }
    return result;
}

// --- RFC 6902 ------------------------------------------------------------------------------------

#define POINTER_DEPTH_MAX 64

struct pointer { // RFC 6901
    char *tokens[POINTER_DEPTH_MAX];
    size_t count;
};

static void pointer_free(struct pointer *pointer)
{
    for (size_t i = 0; i < pointer->count; i++)
        free(pointer->tokens[i]);
    pointer->count = 0;
}

static char *unescape_token(const char *text, size_t length)
{
    char *token = memory_allocate(length + 1);
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '~' && i + 1 < length && (text[i + 1] == '0' || text[i + 1] == '1')) {
            token[out++] = text[i + 1] == '0' ? '~' : '/';
            i++;
        } else {
            token[out++] = text[i];
        }
    }
    return token;
}

static bool pointer_parse(const char *text, struct pointer *pointer)
{
    pointer->count = 0;
    if (text == NULL || (text[0] != '\0' && text[0] != '/'))
        return false;
    while (text[0] == '/') {
        text++;
        size_t length = strcspn(text, "/");
        if (pointer->count == POINTER_DEPTH_MAX) {
            pointer_free(pointer);
            return false;
        }
        pointer->tokens[pointer->count++] = unescape_token(text, length);
        text += length;
    }
    return true;
}

// The position in an array: digits without leading zeros, or "-" for the end. False for any other
// token.
static bool array_position(const char *token, size_t count, size_t *position)
{
    if (strcmp(token, "-") == 0) {
        *position = count;
        return true;
    }
    int64_t number;
    if (token[0] < '0' || token[0] > '9' || (token[0] == '0' && token[1] != '\0') ||
        !text_parse_int64(token, &number) || number < 0)
        return false;
    *position = (size_t)number;
    return true;
}

static json_t *step(json_t *value, const char *token)
{
    size_t position;
    if (json_is_object(value))
        return json_object_get(value, token);
    if (json_is_array(value) && array_position(token, json_array_size(value), &position))
        return json_array_get(value, position);
    return NULL;
}

static json_t *resolve(json_t *root, const struct pointer *pointer, size_t depth)
{
    json_t *value = root;
    for (size_t i = 0; i < depth && value != NULL; i++)
        value = step(value, pointer->tokens[i]);
    return value;
}

// Puts a value (whose reference it takes) at the pointer; `replace`: one must exist.
static bool place(json_t **root, const struct pointer *pointer, json_t *value, bool replace)
{
    if (pointer->count == 0) {
        json_decref(*root);
        *root = value;
        return true;
    }
    json_t *parent = resolve(*root, pointer, pointer->count - 1);
    const char *last = pointer->tokens[pointer->count - 1];
    size_t position;
    if (json_is_object(parent) && (!replace || json_object_get(parent, last) != NULL))
        return json_object_set_new(parent, last, value) == 0;
    if (json_is_array(parent) && array_position(last, json_array_size(parent), &position)) {
        if (replace && position < json_array_size(parent))
            return json_array_set_new(parent, position, value) == 0;
        if (!replace && position <= json_array_size(parent))
            return json_array_insert_new(parent, position, value) == 0;
    }
    json_decref(value);
    return false;
}

static bool take_away(json_t *root, const struct pointer *pointer)
{
    if (pointer->count == 0)
        return false;
    json_t *parent = resolve(root, pointer, pointer->count - 1);
    const char *last = pointer->tokens[pointer->count - 1];
    size_t position;
    if (json_is_object(parent))
        return json_object_del(parent, last) == 0;
    return json_is_array(parent) && array_position(last, json_array_size(parent), &position) &&
           json_array_remove(parent, position) == 0;
}

// 1 and 1.0 are the same number to RFC 6902.
static bool same_value(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return a != NULL && json_equal(a, b);
}

static bool starts_with_pointer(const struct pointer *long_one, const struct pointer *short_one)
{
    if (long_one->count <= short_one->count)
        return false;
    for (size_t i = 0; i < short_one->count; i++)
        if (strcmp(long_one->tokens[i], short_one->tokens[i]) != 0)
            return false;
    return true;
}

static bool move_or_copy(json_t **root, const struct pointer *from, const struct pointer *to,
                         bool move)
{
    json_t *value = resolve(*root, from, from->count);
    if (value == NULL || (move && starts_with_pointer(to, from)))
        return false;
    value = json_deep_copy(value);
    if (move && from->count > 0 && !take_away(*root, from)) {
        json_decref(value);
        return false;
    }
    return place(root, to, value, false);
}

// Returns NULL on success, otherwise the reason.
static const char *operate(json_t **root, const json_t *operation)
{
    const char *name = json_string_value(json_object_get(operation, "op"));
    json_t *value = json_object_get(operation, "value");
    struct pointer path = {0}, from = {0};
    if (name == NULL ||
        !pointer_parse(json_string_value(json_object_get(operation, "path")), &path))
        return "an operation needs op and a path that starts with '/'";
    const char *why = NULL;
    bool needs_value =
        strcmp(name, "add") == 0 || strcmp(name, "replace") == 0 || strcmp(name, "test") == 0;
    bool needs_from = strcmp(name, "move") == 0 || strcmp(name, "copy") == 0;
    if (needs_value && value == NULL)
        why = "the operation needs a value";
    else if (needs_from &&
             !pointer_parse(json_string_value(json_object_get(operation, "from")), &from))
        why = "the operation needs from";
    else if (strcmp(name, "add") == 0)
        why = place(root, &path, json_deep_copy(value), false) ? NULL : "there is no such parent";
    else if (strcmp(name, "replace") == 0)
        why = place(root, &path, json_deep_copy(value), true) ? NULL : "there is no such value";
    else if (strcmp(name, "remove") == 0)
        why = take_away(*root, &path) ? NULL : "there is no such value";
    else if (strcmp(name, "test") == 0)
        why = same_value(resolve(*root, &path, path.count), value) ? NULL : "testing value failed";
    else if (needs_from)
        why = move_or_copy(root, &from, &path, strcmp(name, "move") == 0)
                  ? NULL
                  : "the value cannot be moved or copied there";
    else
        why = "the operation is unknown";
    pointer_free(&path);
    pointer_free(&from);
    return why;
}

static json_t *patch_json(const json_t *object, const json_t *operations, struct failure *failure)
{
    if (!json_is_array(operations)) {
        failure_bad_request(failure, "a JSON patch is an array of operations");
        return NULL;
    }
    json_t *result = json_deep_copy(object);
    size_t i;
    json_t *operation;
    json_array_foreach (operations, i, operation) {
        const char *why = operate(&result, operation);
        if (why == NULL)
            continue;
        const char *path = json_string_value(json_object_get(operation, "path"));
        failure_set(failure, 422, "Invalid",
                    "the server rejected our request due to an error in our request: operation %zu "
                    "at %s: %s",
                    i, path != NULL ? path : "?", why);
        json_decref(result);
        return NULL;
    }
    return result;
}
