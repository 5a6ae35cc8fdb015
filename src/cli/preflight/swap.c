#include "cli/preflight/swap.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/claim_drift.h"
#include "model/schema/condition_types.h"
#include "model/schema/decode.h"
#include "model/schema/drift_hash.h"
#include "model/tables/kinds.h"

#define NAMES_SHOWN 5

struct swap {
    const struct swap_options *options;
    struct preflight_report *report;
    struct map *pools, *classes; // name -> object, owned
    VECTOR(struct object *) claims;
    uint32_t unreadable;
};
struct names { // some of them, and how many there are
    struct text text;
    uint32_t count;
};

static void names_add(struct names *names, const char *name)
{
    if (names->count < NAMES_SHOWN)
        text_join(&names->text, ", ", name);
    else if (names->count == NAMES_SHOWN)
        text_add(&names->text, ", ...");
    names->count++;
}

// --- objects -------------------------------------------------------------------------------------
static struct object *decode(struct swap *swap, const json_t *item, enum kind_id id)
{
    struct error error;
    struct object *object = object_decode(item, kind_get(id), DECODE_LENIENT, &error);
    if (object != NULL && text_is_empty(object->meta.name)) {
        object_release(object);
        object = NULL;
    }
    swap->unreadable += object == NULL;
    return object;
}

static void decode_named(struct swap *swap, const json_t *list, enum kind_id id, struct map *map)
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)list, index, item) {
        struct object *object = decode(swap, item, id);
        struct object *before = object != NULL ? map_set(map, object->meta.name, object) : NULL;
        object_release(before);
    }
}

static void release(void *object)
{
    object_release(object);
}

// --- hashes --------------------------------------------------------------------------------------
static void check_hash(const struct object *object, const char *hash_key, const char *version_key,
                       const char *version, const char *hash, struct names *differ,
                       struct names *older)
{
    const char *stored = object_annotation(object, hash_key);
    const char *stored_version = object_annotation(object, version_key);
    if (stored == NULL)
        return;
    if (!text_equal(stored_version, version))
        names_add(older, object->meta.name); // migrated without drift (MIG-111)
    else if (strcmp(stored, hash) != 0)
        names_add(differ, object->meta.name);
}

static void check_pool_hashes(struct swap *swap)
{
    struct names differ = {0}, older = {0};
    char hash[24];
    for (struct map_entry *at = map_first(swap->pools); at != NULL; at = map_next(at)) {
        const struct node_pool *pool = map_value(at);
        node_pool_hash(pool, hash);
        check_hash((const struct object *)pool, ANNOTATION_NODE_POOL_HASH,
                   ANNOTATION_NODE_POOL_HASH_VERSION, NODE_POOL_HASH_VERSION, hash, &differ,
                   &older);
    }
    if (differ.count > 0)
        report_add(
            swap->report, "hash", VERDICT_FAILED,
            "start adze only when these NodePools have not been edited since the running "
            "controller saw them",
            "%u NodePool%s another drift hash than adze's: %s; adze would replace their nodes",
            differ.count, differ.count == 1 ? " has" : "s have", differ.text.data);
    else
        report_add(swap->report, "hash", VERDICT_OK, NULL,
                   "the drift hashes of %zu NodePool%s are "
                   "adze's%s",
                   map_count(swap->pools), text_plural(map_count(swap->pools)),
                   older.count > 0 ? ", or of an older version, which is migrated without drift"
                                   : "");
    text_free(&differ.text);
    text_free(&older.text);
}

// The bundle is part of a class's hash; without it a difference cannot be told from another bundle.
static void check_class_hashes(struct swap *swap)
{
    struct names differ = {0}, older = {0};
    char hash[24];
    for (struct map_entry *at = map_first(swap->classes); at != NULL; at = map_next(at)) {
        const struct ec2_node_class *class = map_value(at);
        ec2_node_class_hash(class, swap->options->ca_bundle, hash);
        check_hash((const struct object *)class, ANNOTATION_EC2_HASH, ANNOTATION_EC2_HASH_VERSION,
                   EC2_NODE_CLASS_HASH_VERSION, hash, &differ, &older);
    }
    bool known = swap->options->ca_bundle != NULL;
    if (differ.count > 0)
        report_add(swap->report, "ca-bundle", known ? VERDICT_FAILED : VERDICT_WARNING,
                   known ? "give the bundle that the running controller has (CLUSTER_CA_BUNDLE)"
                         : "give the cluster's CA with --ca-bundle (base64, as in the kubeconfig's "
                           "certificate-authority-data)",
                   "%u EC2NodeClass%s another drift hash%s: %s", differ.count,
                   differ.count == 1 ? " has" : "es have",
                   known ? " with this CA bundle" : " without a CA bundle", differ.text.data);
    else
        report_add(swap->report, "ca-bundle", VERDICT_OK, NULL,
                   "the drift hashes of %zu EC2NodeClass%s are adze's%s", map_count(swap->classes),
                   map_count(swap->classes) == 1 ? "" : "es",
                   older.count > 0 ? ", or of an older version, which is migrated without drift"
                                   : "");
    text_free(&differ.text);
    text_free(&older.text);
}

// --- nodes ---------------------------------------------------------------------------------------
static const char *drift_of(struct swap *swap, const struct node_claim *claim)
{
    const char *pool_name = string_map_get(&claim->meta.labels, LABEL_NODE_POOL);
    const struct node_pool *pool = pool_name != NULL ? map_get(swap->pools, pool_name) : NULL;
    const char *class_name =
        claim->spec.node_class_ref != NULL ? claim->spec.node_class_ref->name : NULL;
    const struct object *class =
        text_is_empty(class_name) ? NULL : map_get(swap->classes, class_name);
    enum condition_reason reason;
    if (condition_is_true(&claim->status.conditions, CONDITION_DRIFTED))
        return "marked already";
    if (pool != NULL && claim_drifted_from_pool(claim, pool, &reason))
        return claim_template_drifted(claim, pool) ? "NodePool edited" : "requirements";
    return class != NULL && claim_node_class_drifted(claim, class) ? "EC2NodeClass edited" : NULL;
}

static void check_drift(struct swap *swap)
{
    struct names drifted = {0};
    vector_for_each (at, &swap->claims) {
        const struct node_claim *claim = (const struct node_claim *)*at;
        const char *reason = drift_of(swap, claim);
        if (reason != NULL)
            names_add(&drifted,
                      arena_format(swap->report->arena, "%s (%s)", claim->meta.name, reason));
    }
    if (drifted.count > 0)
        report_add(
            swap->report, "drift", VERDICT_FAILED,
            "set the NodePools' budgets to nodes: \"0\" first, or let the running controller "
            "replace them",
            "%u of %u node%s would be replaced: %s", drifted.count, swap->claims.count,
            text_plural(swap->claims.count), drifted.text.data);
    else
        report_add(swap->report, "drift", VERDICT_OK, NULL, "0 of %u node%s would be replaced",
                   swap->claims.count, text_plural(swap->claims.count));
    text_free(&drifted.text);
}

static void check_undisruptable(struct swap *swap)
{
    struct names expired = {0}, leaving = {0};
    vector_for_each (at, &swap->claims) {
        const struct node_claim *claim = (const struct node_claim *)*at;
        const struct duration *life = &claim->spec.expire_after;
        if (claim->meta.deletion_timestamp != 0)
            names_add(&leaving, claim->meta.name);
        else if (life->text != NULL && life->nanoseconds != DURATION_NEVER &&
                 claim->meta.creation_timestamp != 0 &&
                 claim->meta.creation_timestamp <
                     ns_subtract(swap->options->now, life->nanoseconds))
            names_add(&expired, claim->meta.name);
    }
    if (expired.count + leaving.count > 0)
        report_add(swap->report, "undisruptable", VERDICT_WARNING,
                   expired.count > 0 ? "expiry acts at once and asks no budget: set expireAfter: "
                                       "Never for the time of the swap"
                                     : NULL,
                   "%u node%s past expiry, %u being deleted%s%s", expired.count,
                   text_plural(expired.count), leaving.count, expired.count > 0 ? ": " : "",
                   text_or_empty(expired.text.data));
    else
        report_add(swap->report, "undisruptable", VERDICT_OK, NULL,
                   "no node is past its expiry or being deleted");
    text_free(&expired.text);
    text_free(&leaving.text);
}

static void check_ready(struct swap *swap)
{
    struct names unready = {0};
    for (struct map_entry *at = map_first(swap->classes); at != NULL; at = map_next(at)) {
        const struct object *class = map_value(at);
        const condition_list *conditions = object_conditions(class);
        if (condition_find_named(conditions, "Ready") != NULL &&
            !condition_is_true(conditions, CONDITION_READY))
            names_add(&unready, class->meta.name);
    }
    if (unready.count > 0)
        report_add(swap->report, "nodeclasses-ready", VERDICT_WARNING,
                   "kubectl describe ec2nodeclass NAME", "not Ready: %s", unready.text.data);
    else
        report_add(swap->report, "nodeclasses-ready", VERDICT_OK, NULL,
                   "%zu EC2NodeClass%s, none that is not Ready", map_count(swap->classes),
                   map_count(swap->classes) == 1 ? "" : "es");
    text_free(&unready.text);
}

void check_swap(const struct facts *facts, const struct swap_options *options,
                struct preflight_report *report)
{
    struct swap swap = {
        .options = options, .report = report, .pools = map_create(), .classes = map_create()};
    size_t index;
    json_t *item;
    if (facts->items[FACT_NODE_POOLS] == NULL) {
        report_add(report, "hash", VERDICT_SKIPPED, NULL, "NodePools are %s",
                   facts->problems[FACT_NODE_POOLS] != NULL ? facts->problems[FACT_NODE_POOLS]
                                                            : "not in the input");
    } else {
        decode_named(&swap, facts->items[FACT_NODE_POOLS], KIND_NODE_POOL, swap.pools);
        decode_named(&swap, facts->items[FACT_NODE_CLASSES], KIND_EC2_NODE_CLASS, swap.classes);
        json_array_foreach (facts->items[FACT_NODE_CLAIMS], index, item) {
            struct object *claim = decode(&swap, item, KIND_NODE_CLAIM);
            if (claim != NULL)
                vector_push(&swap.claims, claim);
        }
        check_pool_hashes(&swap);
        check_class_hashes(&swap);
        check_ready(&swap);
        check_drift(&swap);
        check_undisruptable(&swap);
        if (swap.unreadable > 0)
            report_add(report, "objects", VERDICT_FAILED, "adze validate names what is wrong",
                       "%u objects cannot be read as v1", swap.unreadable);
    }
    vector_for_each (at, &swap.claims)
        object_release(*at);
    vector_free(&swap.claims);
    map_destroy(swap.pools, release);
    map_destroy(swap.classes, release);
}
