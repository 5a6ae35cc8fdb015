#include "cli/input/progress.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    const char *what; // NULL: nothing is under way
    bool is_over, is_shown;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void show(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; // a failure has nowhere to be reported
}

// Tells the seconds, each as it passes, until the end.
static void *tell(void *unused)
{
    struct timespec next;
    char line[160];
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&progress.lock);
    for (int seconds = 1; !progress.is_over; seconds++) {
        next.tv_sec++;
        while (!progress.is_over &&
               pthread_cond_timedwait(&progress.ended, &progress.lock, &next) != ETIMEDOUT)
            continue;
        if (progress.is_over)
            break;
        snprintf(line, sizeof line, "\r\033[Kadze: %.100s, %d s", progress.what, seconds);
        show(line);
        progress.is_shown = true;
    }
    pthread_mutex_unlock(&progress.lock);
    return unused;
}

void progress_begin(const char *what)
{
    const char *kind = getenv("TERM");
    sigset_t all, before;
    assert(progress.what == NULL);
    if (isatty(STDERR_FILENO) != 1 || kind == NULL || strcmp(kind, "dumb") == 0)
        return;
    progress.what = what;
    progress.is_over = progress.is_shown = false;
    sigfillset(&all); // signals are the main thread's
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&progress.thread, NULL, tell, NULL) != 0)
        progress.what = NULL;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void)
{
    if (progress.what == NULL)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.is_over = true;
    pthread_cond_signal(&progress.ended);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.what = NULL;
    if (progress.is_shown)
        show("\r\033[K");
}
