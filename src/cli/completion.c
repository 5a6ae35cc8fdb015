// adze completion: scripts for shells, and the candidates that they ask for.
#include "cli/completion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/options.h"
#include "cli/manual/candidates.h"
#include "cli/manual/live_names.h"

// The scripts hand the words of the line to `adze completion --candidates`. Each line of the answer
// is a candidate, perhaps with a tab and its description; the line ":files" stands for file names.
static const char bash[] =
    "# bash completion of adze: source <(adze completion bash)\n"
    "_adze() {\n"
    "    local line words=(\"${COMP_WORDS[@]:1:COMP_CWORD}\") current=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    # bash takes '=' as a word of its own: --output = json\n"
    "    if [ \"$current\" = = ]; then words=(\"${words[@]:0:${#words[@]}-1}\" ''); current=''; "
    "fi\n"
    "    [ \"${#words[@]}\" -lt 2 ] || [ \"${words[${#words[@]}-2]}\" != = ] ||\n"
    "        words=(\"${words[@]:0:${#words[@]}-2}\" \"$current\")\n"
    "    while IFS= read -r line; do\n"
    "        if [ \"$line\" = :files ]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- "
    "\"$current\")\n"
    "        else\n"
    "            COMPREPLY+=(\"${line%%$'\\t'*}\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]}\" completion --candidates -- \"${words[@]}\" 2>/dev/null)\n"
    "    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
    "}\n"
    "complete -F _adze adze\n";

static const char zsh[] =
    "#compdef adze\n"
    "# zsh completion of adze: a file _adze in a folder of $fpath, or source <(adze completion "
    "zsh)\n"
    "_adze() {\n"
    "    local line files\n"
    "    local -a found\n"
    "    while IFS= read -r line; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            files=1\n"
    "        elif [[ $line == *$'\\t'* ]]; then\n"
    "            found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        else\n"
    "            found+=(\"${line//:/\\\\:}\")\n"
    "        fi\n"
    "    done < <(\"${words[1]}\" completion --candidates -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)\n"
    "    (( ${#found} )) && _describe adze found\n"
    "    [[ -n $files ]] && _files\n"
    "    return 0\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _adze ]; then _adze \"$@\"; else compdef _adze adze; fi\n";

static const char fish[] =
    "# fish completion of adze: adze completion fish > ~/.config/fish/completions/adze.fish\n"
    "function __adze_candidates\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in (command $words[1] completion --candidates -- $words[2..-1] 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c adze -f -a '(__adze_candidates)'\n";

static const struct {
    const char *name, *script;
} shells[] = {{"bash", bash}, {"fish", fish}, {"zsh", zsh}};

static void add_names(struct arena *arena, struct candidates *candidates, const char *word)
{
    name_list names = {0};
    live_names_list(arena, candidates->names, &candidates->cluster, &names);
    vector_for_each (name, &names) {
        const char *slash = strchr(*name, '/');
        bool is_short = slash != NULL && strncmp(*name, "default/", strlen("default/")) == 0 &&
                        strchr(word, '/') == NULL;
        candidates_add(candidates, word, is_short ? slash + 1 : *name, NULL);
    }
    vector_free(&names);
}

static struct candidates find(struct arena *arena, char **words, int count)
{
    static char none[] = "";
    char *empty[] = {none};
    if (count == 0) {
        words = empty;
        count = 1;
    }
    struct candidates candidates = candidates_find(arena, commands, words, count);
    if (candidates.names != KIND_COUNT)
        add_names(arena, &candidates, words[count - 1]);
    return candidates;
}

static void print_words(const struct candidates *candidates)
{
    vector_for_each (candidate, &candidates->items) {
        const char *description = text_or_empty(candidate->description);
        printf("%s%s%s\n", candidate->word, *description != '\0' ? "\t" : "", description);
    }
}

static int print_candidates(char **words, int count)
{
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct candidates candidates = find(arena, words, count);
    print_words(&candidates);
    if (candidates.files)
        printf(":files\n");
    vector_free(&candidates.items);
    return 0;
}

int complete_for_kubectl(int count, char **words)
{
    enum { NO_BLANK_BEHIND = 2, NO_FILES = 4 };
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct candidates candidates = find(arena, words, count);
    int directive = candidates.files ? 0 : NO_FILES;
    vector_for_each (candidate, &candidates.items)
        if (text_ends_with(candidate->word, "="))
            directive |= NO_BLANK_BEHIND;
    print_words(&candidates);
    printf(":%d\n", directive);
    vector_free(&candidates.items);
    return 0;
}

static int run(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--candidates") == 0) {
        int first = argc > 2 && strcmp(argv[2], "--") == 0 ? 3 : 2;
        return print_candidates(argv + first, argc - first);
    }
    if (argc != 2)
        return command_usage_error(&command_completion, "for which shell: bash, fish or zsh?");
    for (size_t i = 0; i < ARRAY_LENGTH(shells); i++)
        if (strcmp(argv[1], shells[i].name) == 0) {
            fputs(shells[i].script, stdout);
            return 0;
        }
    static const char *const names[] = {"bash", "fish", "zsh", NULL};
    int status = EXIT_BAD_INPUT;
    option_is_one_of(&command_completion, "it", argv[1], names, &status);
    return status;
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "bash|fish|zsh",
    .summary = "print the completion script of a shell",
    .help =
        "Commands, options and their values are completed, and names of pods, nodes and NodePools "
        "of the live\ncluster, if it answers within a second or so.\n\n"
        "  source <(adze completion bash)                                # now\n"
        "  adze completion bash > /etc/bash_completion.d/adze             # for all shells to "
        "come\n"
        "  adze completion fish > ~/.config/fish/completions/adze.fish\n"
        "  adze completion zsh > \"${fpath[1]}/_adze\"\n",
    .run = run,
};
