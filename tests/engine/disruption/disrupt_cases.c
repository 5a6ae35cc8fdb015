#include "engine/disruption/disrupt_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void build(const struct disrupt_case *row, struct text *world)
{
    text_add(world, row->bare ? row->more : "");
    for (size_t i = 0; i < CASE_POOLS; i++)
        if (i == 0 || row->pools[i].name != NULL)
            add_pool(world, row->pools[i]);
    for (size_t i = 0; i < CASE_NODES && row->nodes[i].name != NULL; i++)
        add_node(world, row->nodes[i]);
    for (size_t i = 0; i < CASE_PODS && row->pods[i].name != NULL; i++)
        add_pod(world, row->pods[i]);
    text_add(world, row->more != NULL && !row->bare ? row->more : "");
}

static bool is_told(const struct plan *plan, const char *wanted)
{
    char object[100];
    const char *colon = strstr(wanted, ": ");
    assert_non_null(colon);
    snprintf(object, sizeof object, "%.*s", (int)(colon - wanted), wanted);
    list_for_each (note, &plan->notes)
        if (note->object != NULL && text_equal(note->object->meta.name, object) &&
            strstr(note->message, colon + 2) != NULL)
            return true;
    return false;
}

static bool check(const struct disrupt_case *row)
{
    struct text world = {0}, actual = {0};
    const char *settings = row->settings != NULL ? row->settings : UPSTREAM;
    build(row, &world);
    PLAN p = row->bare ? disrupt_bare(&world, row->method, settings)
                       : disrupt(&world, row->method, settings);
    describe_disruptions(p.plan, &actual);
    const char *text = actual.data != NULL ? actual.data : "";
    bool fine = strcmp(text, row->expected) == 0;
    if (!fine)
        print_error("%s:\n  %s\n  instead of\n  %s\n", row->rule, text, row->expected);
    text_free(&actual);
    if (row->note == NULL || is_told(p.plan, row->note))
        return fine;
    print_error("%s: not told: %s\n", row->rule, row->note);
    list_for_each (note, &p.plan->notes)
        print_error("  %s: %s\n", note->object != NULL ? note->object->meta.name : "",
                    note->message);
    return false;
}

void check_disrupt_cases(const struct disrupt_case *cases, size_t count)
{
    uint32_t failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += !check(&cases[i]);
    assert_int_equal(failed, 0);
}
