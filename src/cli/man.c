// adze man: man pages, made from the table of commands.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/manual/man_page.h"

static struct text page_of(const struct command *command)
{
    struct text page = {0};
    if (command != NULL)
        man_page(&page, command);
    else
        man_page_overview(&page, commands);
    return page;
}

static bool write_page(const char *folder, const struct command *command, struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const char *path = arena_format(arena, "%s/adze%s%s.1", folder, command != NULL ? "-" : "",
                                    command != NULL ? command->name : "");
    struct text page = page_of(command);
    FILE *file = fopen(path, "we");
    bool done = file != NULL && fwrite(page.data, 1, page.length, file) == page.length;
    if (file != NULL)
        done = fclose(file) == 0 && done;
    if (!done)
        error_set(error, ERROR_UNAVAILABLE, "writing %s: %s", path, strerror(errno));
    text_free(&page);
    return done;
}

static int write_all(const char *folder)
{
    struct error error = {0};
    bool done = write_page(folder, NULL, &error);
    for (const struct command *const *at = commands; *at != NULL && done; at++)
        done = write_page(folder, *at, &error);
    return done ? 0 : command_failed(&command_man, &error);
}

static int run(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--directory") == 0)
        return write_all(argv[2]);
    if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
        return command_usage_error(&command_man, "one command, or --directory DIR");
    const struct command *command = argc == 2 ? command_find(argv[1]) : NULL;
    if (argc == 2 && command == NULL)
        return command_unknown(argv[1]);
    struct text page = page_of(command);
    fwrite(page.data, 1, page.length, stdout);
    text_free(&page);
    return 0;
}

const struct command command_man = {
    .name = "man",
    .arguments = "[COMMAND | --directory DIR]",
    .summary = "print a man page",
    .help =
        "  --directory DIR      write all pages to this folder, as adze.1, adze-plan.1 and so on\n"
        "\n"
        "  adze man plan | man -l -\n"
        "  adze man --directory /usr/local/share/man/man1\n",
    .run = run,
};
