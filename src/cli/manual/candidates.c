#include "cli/manual/candidates.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cli/manual/help_reader.h"
#include "cloud/providers.h"
#include "model/tables/kinds.h"

struct line { // the command line
    struct arena *arena;
    const struct command *const *commands;
    char *const *words; // behind the command's name, without the last one
    int count;
    const char *word; // the last one
    struct help help; // of the command
    uint32_t plain;   // words so far that are neither options nor their arguments
    const char *first_plain;
    const struct help_option *open; // the option whose argument the last word is; NULL: none
};

void candidates_add(struct candidates *candidates, const char *word, const char *text,
                    const char *description)
{
    struct candidate candidate = {text, description};
    if (text_starts_with(text, word))
        vector_push(&candidates->items, candidate);
}

static void add_commands(struct candidates *candidates, const struct command *const *commands,
                         const char *word)
{
    for (; *commands != NULL; commands++)
        candidates_add(candidates, word, (*commands)->name, (*commands)->summary);
}

// --- arguments of options ------------------------------------------------------------------------
static bool is_named(const struct help_option *option, const char *name)
{
    for (uint32_t i = 0; i < option->count; i++)
        if (strcmp(option->names[i], name) == 0)
            return true;
    return false;
}

static void add_providers(struct candidates *candidates, const struct command *command,
                          const char *word)
{
    const char *names[PROVIDERS_MAX + 1];
    if (strcmp(command->name, "controller") == 0)
        providers_running(names);
    else
        providers_offered(names);
    for (size_t i = 0; names[i] != NULL; i++)
        candidates_add(candidates, word, names[i], NULL);
}

// `prefix`: "--output=" before the value, or "".
static void add_values(struct candidates *candidates, const struct line *line,
                       const struct command *command, const struct help_option *option,
                       const char *prefix, const char *word)
{
    const char *argument = option->argument;
    if (is_named(option, "--provider")) {
        add_providers(candidates, command, word);
    } else if (option->values != NULL) {
        for (const char *const *value = option->values; *value != NULL; value++)
            candidates_add(candidates, word, arena_format(line->arena, "%s%s", prefix, *value),
                           NULL);
    } else {
        candidates->files = strstr(argument, "FILE") != NULL || strstr(argument, "DIR") != NULL;
    }
}

static void add_options(struct candidates *candidates, const struct line *line)
{
    for (uint32_t i = 0; i < line->help.count; i++) {
        const struct help_option *option = &line->help.parts[i].option;
        if (line->help.parts[i].kind == HELP_OPTION)
            candidates_add(candidates, line->word, option->names[option->count - 1],
                           option->description);
    }
    candidates_add(candidates, line->word, "--help", "what the command does, and its options");
}

// "--output=j".
static void complete_option(struct candidates *candidates, const struct line *line,
                            const struct command *command)
{
    const char *equals = strchr(line->word, '=');
    if (equals == NULL) {
        add_options(candidates, line);
        return;
    }
    const char *name = arena_format(line->arena, "%.*s", (int)(equals - line->word), line->word);
    const struct help_option *option = help_find(&line->help, name);
    if (option != NULL && option->argument != NULL)
        add_values(candidates, line, command, option, arena_format(line->arena, "%s=", name),
                   line->word);
}

// --- other arguments -----------------------------------------------------------------------------
static void complete_explain(struct candidates *candidates, const struct line *line)
{
    static const struct {
        const char *noun, *summary;
        enum kind_id kind;
    } nouns[] = {{"pod", "why it is pending, or goes where it goes", KIND_POD},
                 {"node", "why it stays", KIND_NODE},
                 {"nodes", "why each stays", KIND_COUNT},
                 {"budget", "what the budgets of a NodePool allow", KIND_NODE_POOL}};
    for (size_t i = 0; i < ARRAY_LENGTH(nouns); i++)
        if (line->plain == 0)
            candidates_add(candidates, line->word, nouns[i].noun, nouns[i].summary);
        else if (strcmp(line->first_plain, nouns[i].noun) == 0)
            candidates->names = nouns[i].kind;
}

static void complete_kinds(struct candidates *candidates, const struct line *line)
{
    for (int id = 0; id < KIND_COUNT; id++)
        if (kind_get((enum kind_id)id)->custom)
            candidates_add(candidates, line->word, kind_get((enum kind_id)id)->plural, NULL);
}

static void complete_shells(struct candidates *candidates, const struct line *line)
{
    static const char *const shells[] = {"bash", "fish", "zsh"};
    for (size_t i = 0; i < ARRAY_LENGTH(shells) && line->plain == 0; i++)
        candidates_add(candidates, line->word, shells[i], NULL);
}

static void complete_plain(struct candidates *candidates, const struct line *line,
                           const struct command *command)
{
    if (strcmp(command->name, "explain") == 0)
        complete_explain(candidates, line);
    else if (strcmp(command->name, "budgets") == 0)
        candidates->names = KIND_NODE_POOL;
    else if (strcmp(command->name, "crds") == 0)
        complete_kinds(candidates, line);
    else if (strcmp(command->name, "completion") == 0)
        complete_shells(candidates, line);
    else if (strcmp(command->name, "man") == 0)
        add_commands(candidates, line->commands, line->word);
    else
        candidates->files = strstr(command->arguments, "[FILE") != NULL;
}

// --- the line ------------------------------------------------------------------------------------
static const struct command *command_of(const struct command *const *commands, const char *name)
{
    for (; *commands != NULL; commands++)
        if (strcmp((*commands)->name, name) == 0)
            return *commands;
    return NULL;
}

static void note_argument(struct candidates *candidates, const struct help_option *option,
                          const char *value)
{
    const struct {
        const char *name, **value;
    } places[] = {{"--kubeconfig", &candidates->cluster.kubeconfig},
                  {"--context", &candidates->cluster.context},
                  {"--cluster", &candidates->cluster.cluster},
                  {"--user", &candidates->cluster.user},
                  {"--server", &candidates->cluster.server},
                  {"--token", &candidates->cluster.token},
                  {"--certificate-authority", &candidates->cluster.certificate_authority}};
    for (size_t i = 0; i < ARRAY_LENGTH(places); i++)
        if (is_named(option, places[i].name))
            *places[i].value = value;
}

// Which option, if any, the last word belongs to; what the words before it have given.
static void read_words(struct line *line, struct candidates *candidates)
{
    for (int i = 0; i < line->count; i++) {
        const char *word = line->words[i];
        if (word[0] != '-' || word[1] == '\0') {
            line->first_plain = line->plain++ == 0 ? word : line->first_plain;
            continue;
        }
        const struct help_option *option = help_find(&line->help, word);
        if (option == NULL || option->argument == NULL)
            continue;
        if (i + 1 == line->count)
            line->open = option;
        else
            note_argument(candidates, option, line->words[++i]);
    }
}

struct candidates candidates_find(struct arena *arena, const struct command *const *commands,
                                  char *const *words, int count)
{
    struct candidates candidates = {.names = KIND_COUNT};
    assert(count > 0);
    const struct command *command = count > 1 ? command_of(commands, words[0]) : NULL;
    bool is_first = count == 1 || (count == 2 && strcmp(words[0], "help") == 0);
    if (is_first) {
        add_commands(&candidates, commands, words[count - 1]);
        if (count == 1)
            candidates_add(&candidates, words[0], "help", "what a command does, and its options");
    }
    if (command == NULL)
        return candidates;
    struct line line = {.arena = arena,
                        .commands = commands,
                        .words = words + 1,
                        .count = count - 2,
                        .word = words[count - 1],
                        .help = help_of_command(arena, command)};
    read_words(&line, &candidates);
    if (line.open != NULL)
        add_values(&candidates, &line, command, line.open, "", line.word);
    else if (line.word[0] == '-')
        complete_option(&candidates, &line, command);
    else
        complete_plain(&candidates, &line, command);
    return candidates;
}
