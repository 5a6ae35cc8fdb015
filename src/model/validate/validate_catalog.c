#include "model/validate/validate_catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/schema/karpenter.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_requirements.h"

#define MATCHES_MAX    3
#define CANDIDATES_MAX 2000 // values of one key to search for a near one

struct catalog_facts {
    json_t *values; // key -> object whose keys are the values
    struct {
        json_t **items; // a list of requirements for each type, including its name
        uint32_t count, capacity;
    } types;
};

struct catalog_facts *catalog_facts_create(void)
{
    struct catalog_facts *facts = memory_allocate(sizeof *facts);
    facts->values = json_object();
    return facts;
}

void catalog_facts_destroy(struct catalog_facts *facts)
{
    if (facts == NULL)
        return;
    for (uint32_t i = 0; i < facts->types.count; i++)
        json_decref(facts->types.items[i]);
    vector_free(&facts->types);
    json_decref(facts->values);
    free(facts);
}

// --- collecting ----------------------------------------------------------------------------------
static void add_values(struct catalog_facts *facts, const json_t *requirements)
{
    size_t index, position;
    json_t *requirement, *value;
    json_array_foreach (requirements, index, requirement) {
        const char *key = json_text(requirement, "key");
        if (key == NULL || !json_text_is(requirement, "operator", "In"))
            continue;
        json_t *set = json_object_get(facts->values, key);
        if (set == NULL) {
            set = json_object();
            json_object_set_new(facts->values, key, set);
        }
        json_array_foreach (json_object_get(requirement, "values"), position, value)
            if (json_is_string(value))
                json_object_set_new(set, json_string_value(value), json_true());
    }
}

// The type's own requirements with its name, and the union of its offerings' values for each key.
static json_t *type_requirements(const json_t *type)
{
    const char *name = json_text(type, "name");
    json_t *list = json_pack("[{s:s,s:s,s:[s]}]", "key", LABEL_INSTANCE_TYPE, "operator", "In",
                             "values", name != NULL ? name : "");
    json_t *own = json_object_get(type, "requirements"), *offering, *requirement, *value;
    size_t index, position, place;
    json_t *together = json_object();
    if (json_is_array(own))
        json_array_extend(list, own);
    json_array_foreach (json_object_get(type, "offerings"), index, offering)
        json_array_foreach (json_object_get(offering, "requirements"), position, requirement) {
            const char *key = json_text(requirement, "key");
            if (key == NULL || !json_text_is(requirement, "operator", "In"))
                continue;
            json_t *values = json_object_get(together, key);
            if (values == NULL) {
                values = json_array();
                json_object_set_new(together, key, values);
            }
            json_array_foreach (json_object_get(requirement, "values"), place, value)
                json_array_append(values, value);
        }
    const char *key;
    json_object_foreach (together, key, value)
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:O}", "key", key, "operator", "In", "values", value));
    json_decref(together);
    return list;
}

void catalog_facts_add(struct catalog_facts *facts, const json_t *document)
{
    if (!json_text_is(document, "kind", "InstanceTypeCatalog"))
        return;
    size_t index;
    json_t *type;
    json_array_foreach (json_object_get(json_object_get(document, "spec"), "instanceTypes"), index,
                        type) {
        json_t *requirements = type_requirements(type);
        add_values(facts, requirements);
        vector_push(&facts->types, requirements);
    }
}

// --- checking ------------------------------------------------------------------------------------
struct subject {
    struct validated *object;
    const char *path; // of the list
    const json_t *requirements, *labels;
};

static bool subject_of(struct validated *object, struct subject *subject)
{
    const json_t *spec = json_object_get(object->stored, "spec");
    *subject = (struct subject){.object = object, .path = "spec.requirements"};
    if (object->kind->id == KIND_NODE_POOL) {
        const json_t *template = json_object_get(spec, "template");
        subject->path = "spec.template.spec.requirements";
        subject->labels = json_object_get(json_object_get(template, "metadata"), "labels");
        spec = json_object_get(template, "spec");
    } else if (object->kind->id != KIND_NODE_CLAIM) {
        return false;
    }
    subject->requirements = json_object_get(spec, "requirements");
    return json_is_array(subject->requirements);
}

static void hint_near_values(const json_t *set, const char *word, struct text *hint)
{
    const char *candidates[CANDIDATES_MAX], *matches[MATCHES_MAX], *key;
    size_t count = 0;
    json_t *value;
    json_object_foreach ((json_t *)set, key, value)
        if (count < CANDIDATES_MAX)
            candidates[count++] = key;
    size_t found = text_nearest(word, candidates, count, matches, MATCHES_MAX);
    for (size_t i = 0; i < found; i++)
        text_format(hint, "%s%s", i == 0 ? "there is " : ", ", matches[i]);
}

static void check_values(const struct subject *subject, const struct catalog_facts *facts)
{
    size_t index, position;
    json_t *requirement, *value;
    json_array_foreach (subject->requirements, index, requirement) {
        const char *given = json_text(requirement, "key");
        const json_t *set =
            given != NULL ? json_object_get(facts->values, label_alias_target(given)) : NULL;
        if (set == NULL || !json_text_is(requirement, "operator", "In"))
            continue;
        json_array_foreach (json_object_get(requirement, "values"), position, value) {
            const char *word = json_string_value(value);
            char path[200];
            struct text hint = {0};
            if (word == NULL || json_object_get(set, word) != NULL)
                continue;
            snprintf(path, sizeof path, "%s[%zu].values[%zu]", subject->path, index, position);
            hint_near_values(set, word, &hint);
            findings_add(subject->object->findings,
                         &(struct finding){.level = FINDING_WARNING,
                                           .code = "W-unknown-value",
                                           .rule = "GUI-13",
                                           .path = path,
                                           .hint = hint.data},
                         "no instance type of the catalog has %s %s", given, word);
            text_free(&hint);
        }
    }
}

// Whether any type meets the requirements at the given positions (NULL: all, with the labels).
static bool leaves_a_type(const struct subject *subject, const struct catalog_facts *facts,
                          const json_t *some)
{
    for (uint32_t i = 0; i < facts->types.count; i++) {
        struct requirement_source sources[] = {
            {some != NULL ? some : subject->requirements, some != NULL ? NULL : subject->labels},
            {facts->types.items[i], NULL},
        };
        int index;
        if (requirements_contradiction(sources, 2, &index) == NULL)
            return true;
    }
    return false;
}

// The smallest set of one or two requirements that excludes every type; all of them if there is
// none.
static json_t *smallest_conflict(const struct subject *subject, const struct catalog_facts *facts)
{
    size_t count = json_array_size(subject->requirements);
    for (size_t size = 1; size <= 2; size++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = size == 1 ? i : i + 1; k < (size == 1 ? i + 1 : count); k++) {
                json_t *some = json_array();
                json_array_append(some, json_array_get(subject->requirements, i));
                if (k != i)
                    json_array_append(some, json_array_get(subject->requirements, k));
                if (!leaves_a_type(subject, facts, some))
                    return some;
                json_decref(some);
            }
    return json_incref((json_t *)subject->requirements);
}

static void check_any_type(const struct subject *subject, const struct catalog_facts *facts)
{
    struct requirement_source alone = {subject->requirements, subject->labels};
    int last;
    if (requirements_contradiction(&alone, 1, &last) != NULL || // already reported
        leaves_a_type(subject, facts, NULL))
        return;
    json_t *conflict = smallest_conflict(subject, facts), *requirement;
    struct text keys = {0};
    size_t index;
    json_array_foreach (conflict, index, requirement) {
        const char *key = json_text(requirement, "key");
        text_join(&keys, " and ", key != NULL ? key : "");
    }
    findings_add(subject->object->findings,
                 &(struct finding){.level = FINDING_WARNING,
                                   .code = "W-no-instance-type",
                                   .rule = "GUI-13",
                                   .path = subject->path},
                 "the requirements on %s leave no instance type of the catalog",
                 keys.data != NULL ? keys.data : "labels");
    text_free(&keys);
    json_decref(conflict);
}

void validate_against_catalog(struct validated *objects, size_t count,
                              const struct catalog_facts *facts)
{
    for (size_t i = 0; i < count && facts->types.count > 0; i++) {
        struct subject subject;
        if (objects[i].stored == NULL || !subject_of(&objects[i], &subject))
            continue;
        check_values(&subject, facts);
        check_any_type(&subject, facts);
    }
}
