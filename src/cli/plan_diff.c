#include "cli/plan_diff.h"

#include "cli/input/progress.h"
#include "cli/output/document.h"
#include "cli/output/forecast_table.h"
#include "cli/output/plan_table.h"

static struct string_list all_remarks(const struct edited_input *edited,
                                      const struct edit_forecast *edit,
                                      const struct forecast *forecast)
{
    struct string_list list = {0};
    list.items = arena_allocate_array(
        edited->arena, edited->remarks.count + edit->remarks.count + 2, sizeof *list.items);
    list_for_each (remark, &edited->remarks)
        list.items[list.count++] = *remark;
    list_for_each (remark, &edit->remarks)
        list.items[list.count++] = *remark;
    if (forecast->remark != NULL)
        list.items[list.count++] = forecast->remark;
    return list;
}

static int report(const struct input_options *input, const struct edited_input *edited,
                  const struct edit_forecast *edit, const struct snapshot *before, int64_t lines)
{
    struct error error = {0};
    progress_begin("foretelling what follows");
    const struct forecast_options options = {FORECAST_ROUNDS_MAX, &edit->fresh},
                                  no_edit = {FORECAST_ROUNDS_MAX, NULL};
    struct forecast *with = forecast_create(edited->after, &options, &error);
    struct forecast *without = with != NULL ? forecast_create(before, &no_edit, &error) : NULL;
    progress_end();
    int status = without == NULL ? command_failed(&command_plan, &error) : 0;
    if (without != NULL) {
        struct cluster_cost now = with->before;
        const struct string_list remarks = all_remarks(edited, edit, with);
        const struct diff_report made = {&edited->changes, edit, with, without, &remarks};
        with->before = without->before; // the cluster before the edit
        if (document_is_wanted(input->common.format)) {
            status = document_print(&command_plan, input->common.format, NULL,
                                    input_with_notes(input, diff_report_encode(&made)));
        } else {
            plan_print_catalog(input->catalog_text);
            diff_report_print(&made, lines);
        }
        with->before = now;
        status = status == 0 && with->unplaced > 0 ? EXIT_UNPLACED : status;
    }
    forecast_destroy(without);
    forecast_destroy(with);
    return status;
}

int plan_diff(struct input_options *input, const struct edit_options *edits, int64_t lines)
{
    struct error error = {0};
    struct edited_input edited = {0};
    struct snapshot *before = snapshot_create();
    int status;
    if (input_read(input, before, &error) && edits_read(input, edits, before, &edited, &error)) {
        struct edit_forecast edit =
            edit_forecast_apply(edited.arena, before, edited.after, &edited.changes);
        status = report(input, &edited, &edit, before, lines);
    } else {
        status = command_failed(&command_plan, &error);
    }
    edited_input_free(&edited);
    snapshot_destroy(before);
    return status;
}
