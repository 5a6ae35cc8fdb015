// The index of PodDisruptionBudgets agrees with asking each of them (DIS-42, DIS-43, SCH-24).
#include "engine/pods/pdb.h"

#include <stdlib.h>
#include <string.h>

#include "model/snapshot/snapshot_read.h"
#include "support/cmocka_all.h"

static const char world[] =
    "apiVersion: policy/v1\n"
    "kind: PodDisruptionBudget\n"
    "metadata: {name: web, namespace: a}\n"
    "spec: {selector: {matchLabels: {app: web}}}\n"
    "---\n"
    "apiVersion: policy/v1\n"
    "kind: PodDisruptionBudget\n"
    "metadata: {name: web, namespace: b}\n"
    "spec: {selector: {matchLabels: {app: web}}}\n"
    "---\n"
    "apiVersion: policy/v1\n"
    "kind: PodDisruptionBudget\n"
    "metadata: {name: both, namespace: a}\n"
    "spec: {selector: {matchLabels: {app: web, tier: front}}}\n"
    "---\n"
    "apiVersion: policy/v1\n"
    "kind: PodDisruptionBudget\n"
    "metadata: {name: expression, namespace: a}\n"
    "spec: {selector: {matchExpressions: [{key: tier, operator: Exists}]}}\n"
    "---\n"
    "apiVersion: policy/v1\n"
    "kind: PodDisruptionBudget\n"
    "metadata: {name: all, namespace: c}\n"
    "spec: {selector: {}}\n"
    "---\n"
    "apiVersion: policy/v1\n"
    "kind: PodDisruptionBudget\n"
    "metadata: {name: none, namespace: c}\n"
    "spec: {}\n";

static void found(const char *namespace, struct string_pair *labels, uint32_t count,
                  const char *expected)
{
    struct error error = {0};
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct snapshot *snapshot = snapshot_create();
    assert_true(snapshot_read_text(snapshot, world, strlen(world), "world", false, &error));
    struct pdb_index *budgets = pdb_index_create(arena, snapshot);
    struct pod pod = {
        .meta = {.namespace = namespace, .labels = {.items = labels, .count = count}}};
    struct pdb_matches matches = {0};
    char names[128] = "";
    pdb_index_find(budgets, &pod, &matches);
    vector_for_each (match, &matches.items) {
        strcat(names, names[0] != '\0' ? " " : "");
        strcat(names, budgets->items[*match]->meta.name);
    }
    assert_string_equal(names, expected);
    vector_free(&matches.items);
    snapshot_destroy(snapshot);
}

static void budgets_are_found_by_namespace_and_label_DIS_42(void **state)
{
    (void)state;
    found("a", (struct string_pair[]){{"app", "web"}}, 1, "web");
    found("b", (struct string_pair[]){{"app", "web"}}, 1, "web");
    found("a", (struct string_pair[]){{"app", "db"}}, 1, "");
    found("d", (struct string_pair[]){{"app", "web"}}, 1, "");
}

static void all_that_match_are_found_by_name_DIS_43(void **state)
{
    (void)state;
    found("a", (struct string_pair[]){{"app", "web"}, {"tier", "front"}}, 2, "both expression web");
    found("a", (struct string_pair[]){{"tier", "back"}}, 1, "expression");
}

static void an_empty_selector_has_all_and_none_nothing_DIS_42(void **state)
{
    (void)state;
    found("c", NULL, 0, "all");
    found("c", (struct string_pair[]){{"app", "web"}}, 1, "all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_found_by_namespace_and_label_DIS_42),
        cmocka_unit_test(all_that_match_are_found_by_name_DIS_43),
        cmocka_unit_test(an_empty_selector_has_all_and_none_nothing_DIS_42),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
