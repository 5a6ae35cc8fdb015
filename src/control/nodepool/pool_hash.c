#include "control/nodepool/pool_hash.h"

#include "control/nodepool/pool_controller.h"
#include "control/runtime/control.h"
#include "model/schema/condition_types.h"
#include "model/schema/drift_hash.h"
#include "reconcile/operations.h"

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct pool_controller *pool_hash_create(struct control *control)
{
    return pool_controller_create(control, "nodepool.hash", reconcile, false);
}

static bool has_version(const struct object *object)
{
    return text_equal(object_annotation(object, ANNOTATION_NODE_POOL_HASH_VERSION),
                      NODE_POOL_HASH_VERSION);
}

static json_t *annotate(const char *hash)
{
    json_t *body = json_object();
    json_t *annotations = json_metadata(body, "annotations");
    json_object_set_new(annotations, ANNOTATION_NODE_POOL_HASH_VERSION,
                        json_string(NODE_POOL_HASH_VERSION));
    if (hash != NULL)
        json_object_set_new(annotations, ANNOTATION_NODE_POOL_HASH, json_string(hash));
    return body;
}

// NodeClaims of an older version get the new version; they get the new hash only if they have not
// drifted, so that drifted NodeClaims stay drifted (DIS-80).
static uint32_t migrate_claims(struct control *control, const struct operation_about *about,
                               const struct node_pool *pool, const char *hash)
{
    VECTOR(const struct object *) claims = {0};
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (text_equal(object_label(object, LABEL_NODE_POOL), pool->meta.name) &&
            managed_claim(control, (const struct node_claim *)object) && !has_version(object))
            vector_push(&claims, object);
    uint32_t count = claims.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct node_claim *claim = (const struct node_claim *)claims.items[i];
        bool drifted = condition_find(&claim->status.conditions, CONDITION_DRIFTED) != NULL;
        start_patch(about, claims.items[i], NULL, annotate(drifted ? NULL : hash));
    }
    vector_free(&claims);
    return count;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct control *control = ((struct pool_controller *)context)->control;
    const struct node_pool *pool = find_pool(control, work_item_key(item));
    (void)error;
    if (pool == NULL || !managed_pool(control, pool))
        return reconcile_done();
    char hash[24];
    node_pool_hash(pool, hash);
    const struct object *object = (const struct object *)pool;
    struct operation_about about = {
        .manager = &control->manager, .item = item, .doing = "updating nodepool hash"};
    bool current = has_version(object);
    if (!current && migrate_claims(control, &about, pool, hash) > 0)
        return reconcile_running();
    if (current && text_equal(object_annotation(object, ANNOTATION_NODE_POOL_HASH), hash))
        return reconcile_done();
    return start_patch(&about, object, NULL, annotate(hash));
}
