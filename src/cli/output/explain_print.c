#include "cli/output/explain_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/output/columns.h"
#include "cli/output/terminal.h"
#include "model/snapshot/plan_explanation.h"

#define CUTS_SHOWN  3
#define POOLS_SHOWN 6

char *explain_short_reason(const struct plan_reason *reason)
{
    struct text text = {0};
    const char *detail = reason->detail != NULL ? reason->detail : "";
    const char *rest = strstr(detail, ", requirements=");
    text_format(&text, "%s%s%s: ", reason_code_name(reason->code),
                reason->node_pool != NULL ? ", NodePool " : "",
                reason->node_pool != NULL ? reason->node_pool : "");
    text_add_bytes(&text, detail, rest != NULL ? (size_t)(rest - detail) : strlen(detail));
    return text_take(&text);
}

static void print_line(struct text *text, int indent)
{
    print_wrapped(stdout, text->data != NULL ? text->data : "", indent, text_width());
    text_clear(text);
}

static void print_stage(const struct plan_stage *stage, int indent)
{
    struct text head = {0}, cuts = {0};
    text_format(&head, "%-13s%5" PRIu32, stage_name(stage->kind), stage->left);
    text_add(&head, stage->cuts.count > 0 ? "  " : "");
    for (uint32_t i = 0; i < stage->cuts.count && i < CUTS_SHOWN; i++) {
        const struct plan_cut *cut = &stage->cuts.items[i];
        text_format(&cuts, "%s%s: %" PRIu32 " \xe2\x86\x92 %" PRIu32, i == 0 ? "" : "; ",
                    cut->value, cut->before, cut->left);
    }
    if (stage->cuts.count > CUTS_SHOWN)
        text_format(&cuts, "; and %" PRIu32 " more", stage->cuts.count - CUTS_SHOWN);
    print_hanging(stdout, head.data, text_or_empty(cuts.data), indent, text_width());
    text_free(&head);
    text_free(&cuts);
}

static void print_funnel(const struct plan_pool_funnel *funnel, int indent)
{
    struct text text = {0};
    text_format(&text, "NodePool %s: ", funnel->node_pool);
    if (strcmp(funnel->state, "considered") != 0)
        text_add(&text, funnel->detail != NULL ? funnel->detail : funnel->state);
    if (funnel->types > 0)
        text_format(&text,
                    "%s%" PRIu32 " of %" PRIu32 " types meet its own requirements; what is left of "
                    "them:",
                    strcmp(funnel->state, "considered") != 0 ? "; " : "", funnel->own,
                    funnel->types);
    print_line(&text, indent);
    list_for_each (stage, &funnel->stages)
        print_stage(stage, indent + 2);
    if (funnel->miss_type != NULL) {
        text_format(&text, "nearest miss: %s", funnel->miss_detail);
        print_line(&text, indent + 2);
    }
    text_free(&text);
}

static void print_list(const char *title, const struct string_list *list, int indent)
{
    struct text text = {0};
    for (uint32_t i = 0; i < list->count; i++)
        text_format(&text, "%s%s", i == 0 ? title : ", ", list->items[i]);
    if (list->count > 0)
        print_line(&text, indent);
    text_free(&text);
}

void explain_print(const struct plan_explanation *explanation, int indent)
{
    struct text text = {0};
    if (explanation->nodes > 0) {
        text_format(&text, "existing nodes: %s", explanation->nodes_summary);
        print_line(&text, indent);
    }
    for (uint32_t i = 0; i < explanation->funnel.count && i < POOLS_SHOWN; i++)
        print_funnel(&explanation->funnel.items[i], indent);
    if (explanation->funnel.count > POOLS_SHOWN) {
        text_format(&text, "and %" PRIu32 " more NodePools (-o json tells of all)",
                    explanation->funnel.count - POOLS_SHOWN);
        print_line(&text, indent);
    }
    print_list("preferences given up: ", &explanation->given_up, indent);
    if (explanation->help.count > 0)
        printf("%*swhat would help:\n", indent, "");
    list_for_each (help, &explanation->help) {
        text_format(&text, "- %s", help->detail);
        print_line(&text, indent + 2);
    }
    text_free(&text);
}
