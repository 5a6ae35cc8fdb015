#include "properties/guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOLDS = 0, FAILS = 7 }; // status of the child; sanitizers and assertions end it otherwise

// Assertions and sanitizers would report the same failure a thousand times during shrinking.
static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

static void run_child(property_check check, const json_t *world, uint64_t seed, int out)
{
    struct text why = {0};
    be_quiet();
    bool holds = check(world, seed, &why);
    for (size_t done = 0; done < why.length;) {
        ssize_t written = write(out, why.data + done, why.length - done);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    _exit(holds ? HOLDS : FAILS);
}

bool guarded_check(property_check check, const json_t *world, uint64_t seed, struct text *why)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        close(ends[0]);
        run_child(check, world, seed, ends[1]);
    }
    close(ends[1]);
    char buffer[4096];
    ssize_t got;
    while ((got = read(ends[0], buffer, sizeof buffer)) > 0)
        text_add_bytes(why, buffer, (size_t)got);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        text_format(why, "crashes with signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status) != HOLDS && WEXITSTATUS(status) != FAILS)
        text_format(why, "ends with status %d\n", WEXITSTATUS(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == HOLDS;
}
