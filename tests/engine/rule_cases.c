#include "engine/rule_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"

struct check {
    const struct plan *plan;
    char pod[100];
    char actual[2000]; // the plan's value instead
};

static const char *place_of(const struct check *check, const char *pod)
{
    static char place[200];
    const struct plan_claim *claim = claim_of(check->plan, pod);
    const char *node = node_of(check->plan, pod);
    if (claim != NULL)
        snprintf(place, sizeof place, "claim %td", claim - check->plan->claims.items);
    else if (node != NULL)
        snprintf(place, sizeof place, "@%s", node);
    else
        snprintf(place, sizeof place, "%s", unplaced(check->plan, pod) != NULL ? "!" : "unknown");
    return place;
}

static void types_of(const struct plan_claim *claim, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    list_for_each (type, &claim->types)
        if (length < size)
            length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? "," : "",
                                       type->instance_type->name);
}

static const char *or_none(const char *text)
{
    return text != NULL ? text : "-";
}

// The claim's value for the name before the "=".
static void read_claim(const struct plan_claim *claim, const char *name, char *out, size_t size)
{
    char inner[200];
    snprintf(inner, sizeof inner, "%.*s", (int)strcspn(name + 1, "]}>"), name + 1);
    if (name[0] == '[')
        snprintf(out, size, "%s", claim_values(claim, inner));
    else if (name[0] == '{')
        snprintf(out, size, "%s", or_none(string_map_get(&claim->labels, inner)));
    else if (name[0] == '<')
        snprintf(out, size, "%s", or_none(string_map_get(&claim->annotations, inner)));
    else if (strcmp(inner, "pool") == 0)
        snprintf(out, size, "%s", claim->node_pool->meta.name);
    else if (strcmp(inner, "types") == 0)
        types_of(claim, out, size);
    else if (strcmp(inner, "zone") == 0)
        snprintf(out, size, "%s", claim_values(claim, LABEL_ZONE));
    else if (strcmp(inner, "ct") == 0)
        snprintf(out, size, "%s", claim_values(claim, LABEL_CAPACITY_TYPE));
    else if (strcmp(inner, "price") == 0)
        snprintf(out, size, "%g", (double)claim->price / 1e9);
    else
        snprintf(out, size, "%lld", (long long)resource_map_get(&claim->requests, inner));
}

static bool check_claim(struct check *check, const char *rest)
{
    const struct plan_claim *claim = claim_of(check->plan, check->pod);
    const char *wanted = strchr(rest + 1, '=');
    if (claim == NULL || wanted == NULL) {
        snprintf(check->actual, sizeof check->actual, "%s", place_of(check, check->pod));
        return false;
    }
    char name[200];
    snprintf(name, sizeof name, "%.*s", (int)(wanted - rest), rest);
    read_claim(claim, name, check->actual, sizeof check->actual);
    return strcmp(check->actual, wanted + 1) == 0;
}

static bool check_pod(struct check *check, const char *rest)
{
    const struct plan_claim *claim = claim_of(check->plan, check->pod);
    snprintf(check->actual, sizeof check->actual, "%s", place_of(check, check->pod));
    switch (rest[0]) {
    case '@':
        return strcmp(check->actual, rest) == 0;
    case '+':
        return claim != NULL;
    case '!':
        return unplaced(check->plan, check->pod) != NULL;
    case '=':
        return claim != NULL && claim == claim_of(check->plan, rest + 1);
    case '/':
        return claim != NULL && claim_of(check->plan, rest + 1) != NULL &&
               claim != claim_of(check->plan, rest + 1);
    default:
        return check_claim(check, rest);
    }
}

static bool check_one(struct check *check, const char *text)
{
    if (text[0] == '#') {
        snprintf(check->actual, sizeof check->actual, "%u", check->plan->claims.count);
        return strcmp(check->actual, text + 1) == 0;
    }
    if (strncmp(text, "total=", 6) == 0) {
        snprintf(check->actual, sizeof check->actual, "%g", (double)check->plan->price / 1e9);
        return strcmp(check->actual, text + 6) == 0;
    }
    if (strncmp(text, "zones=", 6) == 0) {
        snprintf(check->actual, sizeof check->actual, "%s", spread_over(check->plan, LABEL_ZONE));
        for (char *c = check->actual; *c != '\0'; c++)
            *c = *c == ' ' ? ',' : *c;
        return strcmp(check->actual, text + 6) == 0;
    }
    size_t length = strcspn(text, "@+!=/.[{<");
    snprintf(check->pod, sizeof check->pod, "%.*s", (int)length, text);
    return check_pod(check, text + length);
}

static bool check_message(const struct plan *plan, const char *message)
{
    char pod[100];
    const char *text = strstr(message, ": ");
    snprintf(pod, sizeof pod, "%.*s", (int)(text - message), message);
    const struct plan_unschedulable *entry = unplaced(plan, pod);
    if (entry != NULL && strstr(entry->message, text + 2) != NULL)
        return true;
    print_error("  message of %s: %s\n  lacks: %s\n", pod,
                entry != NULL ? entry->message : "(it has a place)", text + 2);
    return false;
}

static bool check_case(const struct rule_case *row)
{
    PLAN fixture = row->bare ? plan_yaml_bare(row->world, row->settings)
                             : plan_yaml(row->world, row->settings);
    struct check check = {.plan = fixture.plan};
    char *expected = strdup(row->expected), *rest = expected;
    bool fine = true;
    for (char *one = strsep(&rest, " "); one != NULL; one = strsep(&rest, " "))
        if (!check_one(&check, one)) {
            print_error("  expected %s, got %s\n", one, check.actual);
            fine = false;
        }
    free(expected);
    if (row->message != NULL && !check_message(fixture.plan, row->message))
        fine = false;
    return fine;
}

void check_rule_cases(const struct rule_case *cases, size_t count)
{
    uint32_t failed = 0;
    for (size_t i = 0; i < count; i++)
        if (!check_case(&cases[i])) {
            print_error("row %zu: %s\n", i, cases[i].rule);
            failed++;
        }
    assert_int_equal(failed, 0);
}
