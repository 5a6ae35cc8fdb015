#include "sim/apiserver/kubeconfig_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/text.h"

#define MARK "# Made by adze, which removes it at its end.\n"

// JSON strings are YAML strings, so JSON's quoting suits.
static void add_quoted(struct text *text, const char *name, const char *value)
{
    json_t *string = json_string(value);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    text_format(text, "%s: %s\n", name, quoted);
    free(quoted);
    json_decref(string);
}

static void describe(struct text *text, const char *server, const char *token)
{
    text_add(text, MARK "apiVersion: v1\nkind: Config\ncurrent-context: adze\nclusters:\n"
                        "- name: adze\n  cluster:\n    ");
    add_quoted(text, "server", server);
    text_add(text, "contexts:\n- name: adze\n  context:\n    cluster: adze\n    user: adze\n"
                   "    namespace: default\nusers:\n- name: adze\n  user:");
    if (token != NULL) {
        text_add(text, "\n    ");
        add_quoted(text, "token", token);
    } else {
        text_add(text, " {}\n");
    }
}

static bool write_all(int file, const struct text *text)
{
    size_t written = 0;
    while (written < text->length) {
        ssize_t count = write(file, text->data + written, text->length - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        written += (size_t)count;
    }
    return true;
}

// Whether the file is a leftover of this program; other files stay.
static bool is_left_over(const char *path)
{
    char begin[sizeof MARK] = "";
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool ours = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_uid == geteuid() && read(file, begin, sizeof begin - 1) > 0 &&
                strcmp(begin, MARK) == 0;
    if (file >= 0)
        close(file);
    return ours;
}

static int create(const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = open(path, flags, 0600);
    if (file < 0 && errno == EEXIST) {
        bool removed = is_left_over(path) && unlink(path) == 0;
        errno = EEXIST;
        file = removed ? open(path, flags, 0600) : -1;
    }
    return file;
}

bool kubeconfig_write(struct kubeconfig_file *written, const char *path, const char *server,
                      const char *token, struct error *error)
{
    struct text text = {0};
    struct stat status = {0};
    describe(&text, server, token);
    int file = create(path);
    bool good =
        file >= 0 && fchmod(file, 0600) == 0 && write_all(file, &text) && fstat(file, &status) == 0;
    int why = errno;
    if (file >= 0 && close(file) != 0 && good) {
        why = errno;
        good = false;
    }
    explicit_bzero(text.data, text.length); // contains the token
    text_free(&text);
    if (good)
        *written = (struct kubeconfig_file){memory_copy_string(path), status.st_dev, status.st_ino};
    else if (why == EEXIST)
        error_set(error, ERROR_INVALID, "%s is there already: remove it, or name another file",
                  path);
    else
        error_set(error, ERROR_UNAVAILABLE, "cannot write %s: %s", path, strerror(why));
    if (!good && file >= 0)
        unlink(path);
    return good;
}

void kubeconfig_remove(struct kubeconfig_file *written)
{
    struct stat status;
    if (written->path != NULL && lstat(written->path, &status) == 0 &&
        status.st_dev == written->device && status.st_ino == written->inode)
        unlink(written->path);
    free(written->path);
    *written = (struct kubeconfig_file){0};
}
