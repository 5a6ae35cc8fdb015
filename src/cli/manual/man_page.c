#include "cli/manual/man_page.h"

#include <assert.h>
#include <string.h>

#include "cli/manual/help_reader.h"

// Text as roff prints it: backslashes, hyphens and dots at the beginning of a line are characters.
static void add_plain(struct text *page, const char *text)
{
    if (*text == '.' || *text == '\'')
        text_add(page, "\\&");
    for (; *text != '\0'; text++)
        if (*text == '\\')
            text_add(page, "\\e");
        else if (*text == '-')
            text_add(page, "\\-");
        else
            text_add_char(page, *text);
}

static void add_line(struct text *page, const char *text)
{
    add_plain(page, text);
    text_add_char(page, '\n');
}

// `name` in capitals, as titles of pages are.
static void begin(struct text *page, const char *name)
{
    text_add(page, ".TH ");
    for (; *name != '\0'; name++)
        text_add_char(page, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name);
    text_add(page, " 1 \"\" \"adze " ADZE_VERSION "\" \"adze manual\"\n");
}

// --- parts of a help text ------------------------------------------------------------------------
static void add_option(struct text *page, const struct help_option *option)
{
    text_add(page, ".TP\n");
    for (uint32_t i = 0; i < option->count; i++) {
        text_add(page, i > 0 ? ", \\fB" : "\\fB");
        add_plain(page, option->names[i]);
        text_add(page, "\\fR");
    }
    if (option->argument != NULL) {
        text_add(page, " \\fI");
        add_plain(page, option->argument);
        text_add(page, "\\fR");
    }
    text_add_char(page, '\n');
    add_line(page, option->description);
}

static bool has_kind(const struct help *help, enum help_part_kind kind)
{
    for (uint32_t i = 0; i < help->count; i++)
        if (help->parts[i].kind == kind)
            return true;
    return false;
}

static bool is_invocation(const struct help_part *part)
{
    return part->kind == HELP_EXAMPLE &&
           (strstr(part->text, "adze ") != NULL || strstr(part->text, "| ") != NULL);
}

// Options with the titles above them, and the lists below titles ("Providers:").
static void add_options(struct text *page, const struct help *help)
{
    if (!has_kind(help, HELP_OPTION))
        return;
    text_add(page, ".SH OPTIONS\n");
    for (uint32_t i = 0; i < help->count; i++) {
        const struct help_part *part = &help->parts[i];
        bool heads =
            part->kind == HELP_TITLE && i + 1 < help->count && !is_invocation(&help->parts[i + 1]);
        if (part->kind == HELP_OPTION) {
            add_option(page, &part->option);
        } else if (heads) {
            text_add(page, ".SS ");
            add_line(page, part->text);
        } else if (part->kind == HELP_EXAMPLE && !is_invocation(part)) {
            text_add(page, ".br\n");
            add_line(page, part->text + strspn(part->text, " "));
        }
    }
}

static void add_examples(struct text *page, const struct help *help)
{
    bool any = false;
    for (uint32_t i = 0; i < help->count; i++) {
        const struct help_part *part = &help->parts[i];
        if (!is_invocation(part))
            continue;
        text_add(page, any ? "" : ".SH EXAMPLES\n.nf\n");
        any = true;
        add_line(page, part->text + strspn(part->text, " "));
    }
    text_add(page, any ? ".fi\n" : "");
}

static void add_paragraphs(struct text *page, const struct help *help, enum help_part_kind kind)
{
    for (uint32_t i = 0; i < help->count; i++)
        if (help->parts[i].kind == kind) {
            text_add(page, ".PP\n");
            add_line(page, help->parts[i].text);
        }
}

// --- pages ---------------------------------------------------------------------------------------
void man_page(struct text *page, const struct command *command)
{
    assert(command != NULL);
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct help help = help_of_command(arena, command);
    begin(page, arena_format(arena, "adze-%s", command->name));
    text_add(page, ".SH NAME\n");
    add_plain(page, arena_format(arena, "adze-%s", command->name));
    text_add(page, " \\- ");
    add_line(page, command->summary);
    text_add(page, ".SH SYNOPSIS\n.B ");
    add_line(page, arena_format(arena, "adze %s", command->name));
    add_line(page, command->arguments);
    if (has_kind(&help, HELP_PARAGRAPH))
        text_add(page, ".SH DESCRIPTION\n");
    add_paragraphs(page, &help, HELP_PARAGRAPH);
    add_options(page, &help);
    if (has_kind(&help, HELP_STATUS))
        text_add(page, ".SH EXIT STATUS\n");
    add_paragraphs(page, &help, HELP_STATUS);
    add_examples(page, &help);
    text_add(page, ".SH SEE ALSO\n.BR adze (1)\n");
}

void man_page_overview(struct text *page, const struct command *const *commands)
{
    begin(page, "adze");
    text_add(page, ".SH NAME\nadze \\- nodes for Kubernetes pods, just in time\n"
                   ".SH SYNOPSIS\n.B adze\n.I COMMAND\n[options]\n.SH COMMANDS\n");
    for (; *commands != NULL; commands++) {
        text_add(page, ".TP\n.BR ");
        add_plain(page, "adze-");
        add_plain(page, (*commands)->name);
        text_add(page, " (1)\n");
        add_line(page, (*commands)->summary);
    }
    text_add(page,
             ".SH EXIT STATUS\n0 fine, 1 failed, 2 bad usage or input, 3 not everything could "
             "be placed.\n.SH ENVIRONMENT\n.TP\n.B KUBECONFIG\nthe live cluster, for commands "
             "that read one\n.TP\n.B NO_COLOR\nset to anything: no colors\n");
}
