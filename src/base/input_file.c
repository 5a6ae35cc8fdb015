#include "base/input_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool names_descriptor(const char *path);
static FILE *open_at_once(const char *path, struct error *error);
static void refuse(const char *path, struct error *error);

const char *input_file_oddity(const struct stat *status)
{
    assert(status != NULL);
    if (S_ISFIFO(status->st_mode))
        return "a named pipe";
    if (S_ISSOCK(status->st_mode))
        return "a socket";
    return S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode) ? "a device" : NULL;
}

FILE *input_file_open(const char *path, struct error *error)
{
    assert(path != NULL);
    struct stat status;
    if (names_descriptor(path)) {
        FILE *file = fopen(path, "re");
        if (file == NULL)
            refuse(path, error);
        return file;
    }
    if (stat(path, &status) != 0) { // checked before the open, which may act on a device
        refuse(path, error);
        return NULL;
    }
    const char *oddity = input_file_oddity(&status);
    if (oddity == NULL)
        return open_at_once(path, error);
    error_set(error, ERROR_INVALID, "%s: this is %s, not a file; \"-\" reads standard input", path,
              oddity);
    return NULL;
}

static bool names_descriptor(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || text_starts_with(path, "/dev/fd/") ||
           text_starts_with(path, "/proc/self/fd/");
}

// Opens without blocking: the path may have become a pipe since the check.
static FILE *open_at_once(const char *path, struct error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    if (file != NULL)
        return file;
    refuse(path, error);
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

static void refuse(const char *path, struct error *error)
{
    int why = errno;
    bool missing = why == ENOENT || why == ENOTDIR;
    error_set(error, missing ? ERROR_NOT_FOUND : ERROR_UNAVAILABLE, "%s: %s",
              path[0] != '\0' ? path : "\"\"", strerror(why));
}
