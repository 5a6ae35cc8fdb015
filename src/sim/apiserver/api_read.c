#include "sim/apiserver/api_read.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/apiserver/api_internal.h"
#include "sim/apiserver/api_selector.h"
#include "sim/apiserver/api_views.h"
#include "sim/printing/table.h"
#include "sim/store/store_internal.h"

bool version_parse(const char *text, uint64_t *version)
{
    int64_t number;
    if (!text_parse_int64(text, &number) || number < 0)
        return false;
    *version = (uint64_t)number;
    return true;
}

// A version of the future gets the answer that makes clients wait (their cache is ahead of this
// server's).
static bool check_version(struct api_call *call, uint64_t *version)
{
    const char *text = call_query(call, "resourceVersion");
    *version = 0;
    if (text == NULL)
        return true;
    if (!version_parse(text, version))
        return failure_bad_request(&call->failure,
                                   "Invalid value: \"%s\": invalid resource version", text);
    if (*version <= store_version(call->store))
        return true;
    failure_set(&call->failure, 504, "Timeout",
                "Timeout: Too large resource version: %llu, current: %llu",
                (unsigned long long)*version, (unsigned long long)store_version(call->store));
    call->failure.details =
        json_pack("{s:[{s:s, s:s}], s:i}", "causes", "reason", "ResourceVersionTooLarge", "message",
                  "Too large resource version", "retryAfterSeconds", 1);
    call->response->retry_after_seconds = 1;
    return false;
}

bool call_get(struct api_call *call)
{
    uint64_t version;
    if (!check_version(call, &version))
        return false;
    json_t *object = store_get(call->store, call->resource, call->path.namespace, call->path.name);
    if (object == NULL)
        return failure_not_found(&call->failure, call->view, call->path.name);
    return answer_object(call, 200, object);
}

// --- continue tokens -----------------------------------------------------------------------------

static char *continue_encode(uint64_t version, const char *key)
{
    struct text plain = {0};
    text_format(&plain, "%llu %s", (unsigned long long)version, key);
    char *token = memory_allocate(plain.length * 4 / 3 + 8);
    EVP_EncodeBlock((unsigned char *)token, (const unsigned char *)plain.data, (int)plain.length);
    // The URL-safe alphabet without padding.
    size_t length = strcspn(token, "=");
    token[length] = '\0';
    for (size_t i = 0; i < length; i++)
        token[i] = token[i] == '+' ? '-' : token[i] == '/' ? '_' : token[i];
    text_free(&plain);
    return token;
}

static bool continue_decode(const char *token, uint64_t *version, char **key)
{
    size_t length = strlen(token);
    if (length == 0 || length > 2000)
        return false;
    CLEANUP_FREE char *padded = memory_allocate(length + 5);
    for (size_t i = 0; i < length; i++)
        padded[i] = token[i] == '-' ? '+' : token[i] == '_' ? '/' : token[i];
    while (length % 4 != 0)
        padded[length++] = '=';
    CLEANUP_FREE char *plain = memory_allocate(length + 1);
    int size = EVP_DecodeBlock((unsigned char *)plain, (unsigned char *)padded, (int)length);
    char *space = size > 0 ? strchr(plain, ' ') : NULL;
    if (space == NULL)
        return false;
    *space = '\0';
    if (!version_parse(plain, version))
        return false;
    *key = memory_copy_string(space + 1);
    return true;
}

// --- list ----------------------------------------------------------------------------------------

struct list_pass {
    struct api_call *call;
    struct api_selector *selector;
    json_t *items;
    uint64_t limit; // 0: none
    char *next_key; // where the next page begins
    uint64_t remaining;
};

static bool add_item(void *context, json_t *object)
{
    struct list_pass *pass = context;
    if (!api_selector_matches(pass->selector, object))
        return true;
    if (pass->limit > 0 && json_array_size(pass->items) == pass->limit) {
        if (pass->next_key == NULL) {
            char key[OBJECT_KEY_MAX];
            object_key(store_namespace(object), store_name(object), key);
            pass->next_key = memory_copy_string(key);
        }
        pass->remaining++;
        // The remaining count is only exact without selectors, and only then computed.
        return api_selector_is_empty(pass->selector);
    }
    json_array_append_new(pass->items, view_of(pass->call->view, object));
    return true;
}

static bool read_limit(struct api_call *call, uint64_t *limit)
{
    const char *text = call_query(call, "limit");
    *limit = 0;
    return text == NULL || version_parse(text, limit) ||
           failure_bad_request(&call->failure, "strconv.ParseInt: parsing \"%s\": invalid syntax",
                               text);
}

// The start and the version of the list: those of its first page.
static bool read_continue(struct api_call *call, uint64_t *version, char **start)
{
    const char *token = call_query(call, "continue");
    *start = NULL;
    if (token == NULL)
        return true;
    if (!continue_decode(token, version, start))
        return failure_bad_request(&call->failure, "continue key is not valid: invalid token");
    if (*version >= store_table(call->store, call->resource)->compacted)
        return true;
    free(*start);
    *start = NULL;
    return failure_set(&call->failure, 410, "Expired",
                       "The provided continue parameter is too old to display a consistent list "
                       "result. You can start a new list without the continue parameter.");
}

// Exact requests the state of one version; the store keeps only the present one.
static bool check_match(struct api_call *call, uint64_t asked)
{
    const char *match = call_query(call, "resourceVersionMatch");
    if (match == NULL || call_query(call, "sendInitialEvents") != NULL)
        return true;
    if (call_query(call, "resourceVersion") == NULL)
        return failure_bad_request(&call->failure,
                                   "resourceVersionMatch is forbidden unless resourceVersion is "
                                   "provided");
    if (strcmp(match, "NotOlderThan") == 0)
        return true;
    if (strcmp(match, "Exact") != 0)
        return failure_bad_request(&call->failure,
                                   "resourceVersionMatch: Unsupported value: \"%s\"", match);
    return asked == store_version(call->store) ||
           failure_set(&call->failure, 410, "Expired",
                       "The resourceVersion for the provided list is too old.");
}

static json_t *list_body(struct list_pass *pass, uint64_t version)
{
    const struct store_resource *view = pass->call->view;
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    json_t *metadata = json_pack("{s:s}", "resourceVersion", text);
    if (pass->next_key != NULL) {
        CLEANUP_FREE char *token = continue_encode(version, pass->next_key);
        json_object_set_new(metadata, "continue", json_string(token));
        if (api_selector_is_empty(pass->selector))
            json_object_set_new(metadata, "remainingItemCount",
                                json_integer((json_int_t)pass->remaining));
    }
    json_t *api_version =
        json_sprintf("%s%s%s", view->group, view->group[0] != '\0' ? "/" : "", view->version);
    return json_pack("{s:s, s:o, s:o, s:O}", "kind", view->list_kind, "apiVersion", api_version,
                     "metadata", metadata, "items", pass->items);
}

bool call_list(struct api_call *call)
{
    uint64_t version = 0, limit;
    CLEANUP_FREE char *start = NULL;
    if (!check_version(call, &version) || !check_match(call, version) || !read_limit(call, &limit))
        return false;
    version = store_version(call->store);
    if (!read_continue(call, &version, &start))
        return false;
    struct api_selector *selector =
        api_selector_parse(call_query(call, "labelSelector"), call_query(call, "fieldSelector"),
                           call->resource, &call->failure);
    if (selector == NULL)
        return false;
    struct list_pass pass = {call, selector, json_array(), limit, NULL, 0};
    store_each_from(call->store, call->resource, call->path.namespace, start, add_item, &pass);
    json_t *body = list_body(&pass, version);
    if (wants_table(call)) {
        json_t *table = table_of_list(call->view, body, call_query(call, "includeObject"),
                                      loop_now_ns(call->server->loop));
        json_decref(body);
        body = table;
    }
    api_selector_destroy(selector);
    json_decref(pass.items);
    free(pass.next_key);
    return answer_value(call, 200, body);
}
