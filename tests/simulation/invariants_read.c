// Readings of the world's objects for the observer (invariants_internal.h).
#include <stdlib.h>
#include <string.h>

#include "simulation/invariants_internal.h"

const struct store_resource *resource(const struct invariants *invariants, const char *api_version,
                                      const char *kind)
{
    return store_resource_of_kind(invariants->store, api_version, kind);
}

const struct store_resource *claims_of(const struct invariants *invariants)
{
    return resource(invariants, "karpenter.sh/v1", "NodeClaim");
}

const char *text_at(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

const char *label_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(store_path(object, "metadata.labels"), key));
}

const char *annotation_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(store_path(object, "metadata.annotations"), key));
}

bool is_deleting(const json_t *object)
{
    return store_path(object, "metadata.deletionTimestamp") != NULL;
}

const json_t *condition_of(const json_t *object, const char *type)
{
    size_t i;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), i, condition)
        if (text_equal(json_string_value(json_object_get(condition, "type")), type))
            return condition;
    return NULL;
}

bool condition_is(const json_t *object, const char *type, const char *status)
{
    const json_t *condition = condition_of(object, type);
    return condition != NULL &&
           text_equal(json_string_value(json_object_get(condition, "status")), status);
}

bool has_ended(const json_t *pod)
{
    const char *phase = text_at(pod, "status.phase");
    return text_equal(phase, "Succeeded") || text_equal(phase, "Failed");
}

bool is_healthy(const json_t *pod)
{
    return !is_deleting(pod) && !has_ended(pod) && condition_is(pod, "Ready", "True");
}

bool is_owned_by(const json_t *object, const char *kind)
{
    size_t i;
    json_t *owner;
    json_array_foreach (store_path(object, "metadata.ownerReferences"), i, owner)
        if (text_equal(json_string_value(json_object_get(owner, "kind")), kind))
            return true;
    return false;
}

bool has_finalizer(const json_t *object)
{
    size_t i;
    json_t *finalizer;
    json_array_foreach (store_path(object, "metadata.finalizers"), i, finalizer)
        if (text_equal(json_string_value(finalizer), FINALIZER_TERMINATION))
            return true;
    return false;
}

static bool has_taint(const json_t *node, const char *key)
{
    size_t i;
    json_t *taint;
    json_array_foreach (store_path(node, "spec.taints"), i, taint)
        if (text_equal(json_string_value(json_object_get(taint, "key")), key))
            return true;
    return false;
}

bool is_tainted(const json_t *node)
{
    return has_taint(node, TAINT_DISRUPTED);
}

bool is_awaiting_pods(const json_t *node)
{
    return has_taint(node, TAINT_AWAITING_PODS);
}

bool is_selected(const json_t *object, const json_t *selector)
{
    const char *key;
    json_t *value;
    if (selector == NULL)
        return false;
    json_object_foreach (json_object_get(selector, "matchLabels"), key, value)
        if (!text_equal(label_of(object, key), json_string_value(value)))
            return false;
    return true;
}

int64_t share_of(const json_t *value, int64_t total)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    const char *text = json_string_value(value);
    return strchr(text, '%') != NULL ? (atoi(text) * total + 99) / 100 : atoi(text);
}

// "/api/v1/namespaces/NS/pods/NAME/eviction", "/apis/GROUP/VERSION/PLURAL/NAME".
bool read_target(const struct kube_request *request, struct target *target)
{
    char *part[10] = {0}, *rest = NULL;
    size_t count = 0;
    if (strlen(request->path) >= sizeof target->path)
        return false;
    strcpy(target->path, request->path);
    for (char *word = strtok_r(target->path, "/", &rest); word != NULL && count < 10;
         word = strtok_r(NULL, "/", &rest))
        part[count++] = word;
    size_t at = count > 0 && strcmp(part[0], "api") == 0 ? 2 : 3;
    target->namespace = "";
    if (at + 2 < count && strcmp(part[at], "namespaces") == 0) {
        target->namespace = part[at + 1];
        at += 2;
    }
    if (at >= 9)
        return false;
    target->plural = part[at];
    target->name = part[at + 1];
    target->subresource = at + 2 < 10 ? part[at + 2] : NULL;
    return target->plural != NULL && target->name != NULL;
}

// --- finding -------------------------------------------------------------------------------------

// The records have its last place; only if it is not there (any more) everything is searched.
struct search {
    const char *wanted;
    json_t *found;
};

json_t *claim_of_uid(const struct invariants *invariants, const char *uid)
{
    const struct claim_record *record = map_get(invariants->claims, uid);
    json_t *claim = record != NULL && record->name != NULL
                        ? store_get(invariants->store, claims_of(invariants), NULL, record->name)
                        : NULL;
    return claim != NULL && text_equal(store_uid(claim), uid) ? claim : NULL;
}

struct machine_record *machine_record(const struct invariants *invariants, const char *provider_id)
{
    return map_ensure(invariants->machines, provider_id, sizeof(struct machine_record));
}

void free_machine_record(void *value)
{
    struct machine_record *record = value;
    free(record->claim);
    free(record->node);
    free(record);
}

static json_t *find_at(const struct invariants *invariants, const struct store_resource *resource,
                       const char *name, const char *path, const char *provider_id)
{
    json_t *object = name != NULL ? store_get(invariants->store, resource, NULL, name) : NULL;
    return object != NULL && text_equal(text_at(object, path), provider_id) ? object : NULL;
}

static bool match_claim(void *context, json_t *claim)
{
    struct search *search = context;
    if (text_equal(text_at(claim, "status.providerID"), search->wanted))
        search->found = claim;
    return search->found == NULL;
}

json_t *claim_of_machine(const struct invariants *invariants, const char *provider_id)
{
    struct search search = {.wanted = provider_id};
    if (provider_id == NULL)
        return NULL;
    struct machine_record *record = machine_record(invariants, provider_id);
    json_t *claim =
        find_at(invariants, claims_of(invariants), record->claim, "status.providerID", provider_id);
    if (claim != NULL || record->absent_version == store_version(invariants->store))
        return claim;
    store_each(invariants->store, claims_of(invariants), NULL, match_claim, &search);
    if (search.found == NULL)
        record->absent_version = store_version(invariants->store);
    return search.found;
}

static bool match_node(void *context, json_t *node)
{
    struct search *search = context;
    if (text_equal(text_at(node, "spec.providerID"), search->wanted) &&
        (search->found == NULL || !text_ends_with(store_name(node), "-again")))
        search->found = node;
    return true;
}

const char *node_of_machine(const struct invariants *invariants, const char *provider_id)
{
    struct search search = {.wanted = provider_id};
    if (provider_id == NULL)
        return "";
    search.found =
        find_at(invariants, resource(invariants, "v1", "Node"),
                machine_record(invariants, provider_id)->node, "spec.providerID", provider_id);
    if (search.found == NULL)
        store_each(invariants->store, resource(invariants, "v1", "Node"), NULL, match_node,
                   &search);
    return search.found != NULL ? store_name(search.found) : "";
}

json_t *node_of_claim(const struct invariants *invariants, const json_t *claim)
{
    const char *name = text_at(claim, "status.nodeName");
    json_t *node =
        name != NULL ? store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, name)
                     : NULL;
    const char *provider_id = text_at(claim, "status.providerID");
    return node != NULL && text_equal(text_at(node, "spec.providerID"), provider_id) ? node : NULL;
}

json_t *pool_of(const struct invariants *invariants, const json_t *claim)
{
    const char *name = label_of(claim, LABEL_NODE_POOL);
    return name != NULL ? store_get(invariants->store,
                                    resource(invariants, "karpenter.sh/v1", "NodePool"), NULL, name)
                        : NULL;
}

// Past its deadline, or, with a share, when that part of its life (a tenth: 10) is left.
static bool is_old(const struct invariants *invariants, const json_t *claim, int64_t share)
{
    const char *after = text_at(claim, "spec.expireAfter");
    int64_t created = 0, nanoseconds = 0;
    struct error error = {0};
    return after != NULL && duration_parse(after, &nanoseconds, &error) &&
           instant_parse(text_at(claim, "metadata.creationTimestamp"), &created, &error) &&
           loop_now_ns(invariants->options.loop) + SECOND + invariants->clock_slack_ns >=
               created + nanoseconds - (share > 0 ? nanoseconds / share : 0);
}

// An expired one is deleted by force, whatever else was planned for it.
bool is_expired(const struct invariants *invariants, const json_t *claim)
{
    return is_old(invariants, claim, 0);
}

// In the last tenth of its life it may be replaced before it must go (DIS-762).
bool is_expiring(const struct invariants *invariants, const json_t *claim)
{
    return is_old(invariants, claim, 10);
}
