#include "cli/preflight/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/output/terminal.h"

void report_add(struct preflight_report *report, const char *check, enum verdict verdict,
                const char *remedy, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    vector_push(&report->lines,
                (struct report_line){
                    check, verdict, arena_copy_string(report->arena, text_or_empty(text.data)),
                    remedy != NULL ? arena_copy_string(report->arena, remedy) : NULL});
    text_free(&text);
}

bool report_failed(const struct preflight_report *report)
{
    vector_for_each (line, &report->lines)
        if (line->verdict == VERDICT_FAILED)
            return true;
    return false;
}

static const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"ok", "warning", "FAILED", "skipped"};
    return names[verdict];
}

static void print_verdict(enum verdict verdict)
{
    static const enum terminal_color colors[] = {IN_GREEN, IN_YELLOW, IN_BOLD_RED, IN_DIM};
    char cell[16];
    snprintf(cell, sizeof cell, "%-8s", verdict_name(verdict));
    terminal_print(stdout, colors[verdict], cell);
}

static void print_text(const char *text)
{
    struct text line = {0};
    terminal_add_line(&line, text);
    puts(text_or_empty(line.data));
    text_free(&line);
}

static void print_list(const char *title, const char *const *items, uint32_t count)
{
    if (count == 0)
        return;
    printf("\n%s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        fputs("  ", stdout);
        print_text(items[i]);
    }
}

void report_print_text(const struct preflight_report *report)
{
    uint32_t counts[4] = {0};
    vector_for_each (line, &report->lines) {
        counts[line->verdict]++;
        print_verdict(line->verdict);
        printf(" %s: ", line->check);
        print_text(line->text);
        if (line->remedy == NULL)
            continue;
        fputs("         -> ", stdout);
        print_text(line->remedy);
    }
    print_list("Settings of the running Karpenter, for adze as they are:", report->settings.items,
               report->settings.count);
    print_list("Settings without an equal:", report->no_equal.items, report->no_equal.count);
    print_list("The way in:", report->way_in.items, report->way_in.count);
    print_list("The way back:", report->way_back.items, report->way_back.count);
    printf("\n%u passed, %u warning%s, %u failed, %u skipped\n", counts[VERDICT_OK],
           counts[VERDICT_WARNING], text_plural(counts[VERDICT_WARNING]), counts[VERDICT_FAILED],
           counts[VERDICT_SKIPPED]);
}

static json_t *texts(const char *const *items, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(items[i]));
    return list;
}

json_t *report_encode(const struct preflight_report *report)
{
    json_t *checks = json_array();
    vector_for_each (line, &report->lines) {
        json_t *object = json_pack("{s:s, s:s, s:s}", "check", line->check, "result",
                                   verdict_name(line->verdict), "text", line->text);
        if (line->remedy != NULL)
            json_object_set_new(object, "remedy", json_string(line->remedy));
        json_array_append_new(checks, object);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "checks", checks, "settings",
                     texts(report->settings.items, report->settings.count), "settingsWithoutEqual",
                     texts(report->no_equal.items, report->no_equal.count), "wayIn",
                     texts(report->way_in.items, report->way_in.count), "wayBack",
                     texts(report->way_back.items, report->way_back.count));
}

void report_free(struct preflight_report *report)
{
    vector_free(&report->lines);
    vector_free(&report->settings);
    vector_free(&report->no_equal);
    vector_free(&report->way_in);
    vector_free(&report->way_back);
}
