#include "cli/output/forecast_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cli/output/columns.h"
#include "cli/output/terminal.h"

#define NAMES_SHOWN 10
#define NANO        1e9

// --- what is edited ------------------------------------------------------------------------------

static void print_fields(const field_change_list *fields)
{
    list_for_each (field, fields) {
        print_paragraph(4, "%s: %s -> %s", field->path,
                        field->from != NULL ? field->from : "(none)",
                        field->to != NULL ? field->to : "(none)");
    }
}

static void print_change(const struct object_change *change)
{
    static const char signs[] = {'+', '-', '~'};
    const struct object *object = change->after != NULL ? change->after : change->before;
    printf("%c %s %s%s%s\n", signs[change->kind], object->kind->name,
           object->kind->namespaced ? text_or_empty(object->meta.namespace) : "",
           object->kind->namespaced ? "/" : "", object->meta.name);
    print_fields(&change->fields);
}

static void print_changes(const struct object_change_list *changes)
{
    uint32_t same = 0;
    print_heading("EDIT");
    list_for_each (change, changes) {
        same += change->kind == CHANGE_NONE;
        if (change->kind != CHANGE_NONE)
            print_change(change);
    }
    if (same == changes->count)
        printf("nothing\n");
    if (same > 0)
        printf("= %" PRIu32 " object%s as %s\n", same, text_plural(same),
               same == 1 ? "it is" : "they are");
    putchar('\n');
}

// --- drift ---------------------------------------------------------------------------------------

static bool same_fields(const field_change_list *a, const field_change_list *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!text_equal(a->items[i].path, b->items[i].path) ||
            !text_equal(a->items[i].from, b->items[i].from) ||
            !text_equal(a->items[i].to, b->items[i].to))
            return false;
    return true;
}

static const char *pool_of(const struct drift_mark *mark)
{
    return text_or_empty(object_label((const struct object *)mark->claim, LABEL_NODE_POOL));
}

static bool are_alike(const struct drift_mark *a, const struct drift_mark *b)
{
    return a->before == b->before && strcmp(pool_of(a), pool_of(b)) == 0 &&
           text_equal(a->reason, b->reason) && same_fields(&a->fields, &b->fields);
}

static void print_names(const struct drift_mark *const *marks, uint32_t count)
{
    struct text text = {0};
    for (uint32_t i = 0; i < count && i < NAMES_SHOWN; i++)
        text_format(&text, "%s%s", i > 0 ? " " : "", marks[i]->node);
    if (count > NAMES_SHOWN)
        text_format(&text, " and %" PRIu32 " more", count - NAMES_SHOWN);
    print_wrapped(stdout, text.data, 4, text_width());
    text_free(&text);
}

static void print_group(const struct drift_mark *const *marks, uint32_t count)
{
    const struct drift_mark *first = marks[0];
    struct text text = {0};
    text_format(&text, "%" PRIu32 " node%s of NodePool %s ", count, text_plural(count),
                pool_of(first));
    if (first->reason == NULL)
        text_format(&text, "drift%s no longer", count == 1 ? "s" : "");
    else
        text_format(&text, "%s: %s",
                    first->before ? count == 1 ? "has drifted already" : "have drifted already"
                    : count == 1  ? "drifts"
                                  : "drift",
                    first->reason);
    print_wrapped(stdout, text.data, 0, text_width());
    print_fields(&first->fields);
    print_names(marks, count);
    text_free(&text);
}

static void print_marks(const struct drift_mark *marks, uint32_t count)
{
    bool *told = memory_allocate_array((size_t)count + 1, sizeof *told);
    const struct drift_mark **group = memory_allocate_array((size_t)count + 1, sizeof *group);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = 0;
        for (uint32_t j = i; !told[i] && j < count; j++)
            if (!told[j] && are_alike(&marks[i], &marks[j])) {
                told[j] = j > i;
                group[size++] = &marks[j];
            }
        if (size > 0)
            print_group(group, size);
    }
    free(told);
    free(group);
}

static void print_drift(const struct edit_forecast *edit)
{
    print_heading("DRIFT");
    if (edit->drifted.count == 0 && edit->settled.count == 0)
        printf("no node drifts\n");
    print_marks(edit->drifted.items, edit->drifted.count);
    print_marks(edit->settled.items, edit->settled.count);
    putchar('\n');
}

// --- nodes and pods ------------------------------------------------------------------------------

static bool has_drifted(const struct edit_forecast *edit, const char *name)
{
    for (uint32_t i = 0; edit != NULL && i < edit->drifted.count; i++)
        if (strcmp(edit->drifted.items[i].node, name) == 0)
            return true;
    return false;
}

static void add_node(struct columns *columns, const struct forecast_node *node, const char *sign)
{
    columns_add_format(columns, "%s %s", sign, node->name);
    columns_add(columns, text_or_empty(node->type));
    columns_add(columns, text_or_empty(node->zone));
    columns_add_format(columns, "%" PRIu32, node->pods);
    columns_add_format(columns, "$%.4f", (double)node->price / NANO);
    if (node->round > 0)
        columns_add_format(columns, "%" PRIu32, node->round);
    else
        columns_add(columns, "");
    columns_add(columns, text_or_empty(node->why));
}

void forecast_print_nodes(const struct forecast *forecast, const struct edit_forecast *edit,
                          int64_t lines)
{
    static const char *const titles[] = {"  NODE",   "TYPE",  "ZONE", ">PODS",
                                         ">PRICE/H", ">STEP", "WHY",  NULL};
    struct columns *columns = columns_create(titles);
    uint32_t stay = 0, left = 0;
    print_heading("NODES");
    list_for_each (node, &forecast->nodes) {
        bool drifted = has_drifted(edit, node->name);
        if (node->fate == NODE_STAYS && !drifted) {
            stay++;
        } else if (lines-- > 0) {
            struct forecast_node shown = *node;
            if (node->fate == NODE_STAYS)
                shown.why = "stays for now";
            add_node(columns, &shown, drifted ? "~" : node->fate == NODE_COMES ? "+" : "-");
        } else {
            left++;
        }
    }
    if (stay + left < forecast->nodes.count)
        columns_print(columns, stdout);
    if (left > 0)
        printf("and %" PRIu32 " more (--lines)\n", left);
    printf("%" PRIu32 " node%s stay%s\n\n", stay, text_plural(stay), stay == 1 ? "s" : "");
    columns_destroy(columns);
}

static void print_leaving(const struct forecast *forecast, uint32_t moving, int64_t lines)
{
    static const char *const titles[] = {"POD", "FROM", "TO", NULL};
    struct columns *columns = columns_create(titles);
    int64_t left = lines;
    list_for_each (move, &forecast->moves) {
        char name[600];
        if (move->from == NULL || left-- <= 0)
            continue;
        object_namespaced_name((const struct object *)move->pod, name);
        columns_add(columns, name);
        columns_add(columns, move->from);
        columns_add(columns, move->to != NULL ? move->to : "(no place)");
    }
    print_heading("PODS THAT MOVE");
    if (lines > 0)
        columns_print(columns, stdout);
    if (moving > lines)
        printf("and %" PRId64 " more (--lines)\n", (int64_t)moving - lines);
    putchar('\n');
    columns_destroy(columns);
}

// Pods that waited for a place are a number: nothing is interrupted for them.
void forecast_print_moves(const struct forecast *forecast, int64_t lines)
{
    uint32_t moving = 0;
    list_for_each (move, &forecast->moves)
        moving += move->from != NULL;
    uint32_t pending = forecast->moves.count - moving;
    if (moving > 0)
        print_leaving(forecast, moving, lines);
    if (pending > 0)
        printf("%" PRIu32 " pending pod%s get%s a place\n\n", pending, text_plural(pending),
               pending == 1 ? "s" : "");
}

// --- money ---------------------------------------------------------------------------------------

static void add_prices(struct columns *columns, const char *name, const struct cost_line *now,
                       const struct cost_line *after)
{
    columns_add(columns, name);
    columns_add_format(columns, "%" PRIu32, now->nodes);
    columns_add_format(columns, "%" PRIu32, after->nodes);
    columns_add_format(columns, "$%.4f", (double)now->price / NANO);
    columns_add_format(columns, "$%.4f", (double)after->price / NANO);
    columns_add_format(columns, "$%.2f",
                       (double)quantity_multiply(after->price, HOURS_A_MONTH) / NANO);
    double change =
        (double)quantity_multiply(quantity_subtract(after->price, now->price), HOURS_A_MONTH) /
        NANO;
    columns_add_format(columns, "%s$%.2f", change < 0 ? "-" : "+", change < 0 ? -change : change);
}

static const struct cost_line *line_of(const struct cluster_cost *cost, const char *pool)
{
    list_for_each (line, &cost->pools)
        if (text_equal(line->name, pool))
            return line;
    return NULL;
}

void costs_print(const struct cluster_cost *now, const struct cluster_cost *after)
{
    static const char *const titles[] = {"NODEPOOL", ">NODES",   ">AFTER",  ">PRICE/H",
                                         ">AFTER",   ">A MONTH", ">CHANGE", NULL};
    static const struct cost_line none = {0};
    struct columns *columns = columns_create(titles);
    list_for_each (line, &now->pools) {
        const struct cost_line *then = line_of(after, line->name);
        add_prices(columns, line->name != NULL ? line->name : "(none)", line,
                   then != NULL ? then : &none);
    }
    list_for_each (line, &after->pools)
        if (line_of(now, line->name) == NULL)
            add_prices(columns, line->name != NULL ? line->name : "(none)", &none, line);
    add_prices(columns, "total", &now->total, &after->total);
    print_heading("PRICE");
    columns_print(columns, stdout);
    columns_destroy(columns);
}

static void print_end(const struct diff_report *report)
{
    const struct forecast *forecast = report->forecast;
    const struct cost_line *after = &forecast->after.total,
                           *without = &report->without->after.total;
    putchar('\n');
    if (!forecast->complete)
        printf("after %" PRIu32 " steps; more would follow\n", forecast->rounds.count);
    if (forecast->unplaced > 0)
        printf("%" PRIu32 " pod%s would have no place\n", forecast->unplaced,
               text_plural(forecast->unplaced));
    if (forecast->after.total.unpriced > 0)
        printf("%" PRIu32 " node%s without a known price count%s as free\n", after->unpriced,
               text_plural(after->unpriced), after->unpriced == 1 ? "s" : "");
    int64_t change = quantity_subtract(after->price, without->price);
    double now = (double)without->price / NANO;
    double month = (double)quantity_multiply(change < 0 ? -change : change, HOURS_A_MONTH) / NANO;
    if (change == 0)
        print_paragraph(
            0, "without the edit the cluster comes to $%.4f an hour: the edit costs nothing", now);
    else
        print_paragraph(0,
                        "without the edit the cluster comes to $%.4f an hour: the edit %s $%.2f a "
                        "month",
                        now, change < 0 ? "saves" : "costs", month);
}

void diff_report_print(const struct diff_report *report, int64_t lines)
{
    print_changes(report->changes);
    print_drift(report->edit);
    forecast_print_nodes(report->forecast, report->edit, lines);
    forecast_print_moves(report->forecast, lines);
    for (uint32_t i = 0; i < report->remarks->count; i++)
        print_wrapped(stdout, report->remarks->items[i], 0, text_width());
    if (report->remarks->count > 0)
        putchar('\n');
    costs_print(&report->forecast->before, &report->forecast->after);
    print_end(report);
}
