#include "engine/templates/static_claim.h"

#include "engine/templates/claim_object.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/templates.h"
#include "model/schema/drift_hash.h"

void static_claim_make(struct arena *arena, const struct settings *settings,
                       const struct instance_type_catalog *catalog, const struct node_pool *pool,
                       struct plan_claim *out)
{
    // A minimal problem for requirements: no pods or nodes, only the catalog's label names.
    const struct object *catalogs[] = {(const struct object *)catalog};
    struct snapshot snapshot = {0};
    snapshot.objects[KIND_INSTANCE_TYPE_CATALOG].items = catalogs;
    snapshot.objects[KIND_INSTANCE_TYPE_CATALOG].count = catalog != NULL;
    struct problem problem = {.settings = settings,
                              .strategy = engine_strategy_of(settings),
                              .arena = arena,
                              .snapshot = &snapshot};
    struct node_template template = {.pool = pool};
    problem.vocabulary = vocabulary_create();
    problem.sets = requirement_sets_create(problem.vocabulary);
    problem.keys.hostname = vocabulary_key(problem.vocabulary, LABEL_HOSTNAME);
    instance_types_learn_keys(&problem);
    template_make_sets(&problem, &template);
    *out = (struct plan_claim){.node_pool = pool};
    claim_object_requirements(&problem, template.set, arena, &out->requirements);
    claim_object_labels(&problem, &template, template.set, arena, &out->labels);
    char hash[24];
    node_pool_hash(pool, hash);
    claim_object_annotations(pool, arena_copy_string(arena, hash), arena, &out->annotations);
    pairs_sort(&out->annotations);
    requirement_sets_destroy(problem.sets);
    vocabulary_destroy(problem.vocabulary);
}
