#include "sim/kubeconfig_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/text.h"

// JSON strings are YAML strings, so quoting is JSON's.
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
    text_add(text, "apiVersion: v1\nkind: Config\ncurrent-context: adze\nclusters:\n"
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

bool kubeconfig_write(const char *path, const char *server, const char *token, struct error *error)
{
    struct text text = {0}, temporary = {0};
    describe(&text, server, token);
    text_format(&temporary, "%s.%ld", path, (long)getpid());
    int file = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = file >= 0 && write_all(file, &text);
    if (file >= 0)
        good = close(file) == 0 && good;
    good = good && rename(temporary.data, path) == 0;
    if (!good) {
        error_set(error, ERROR_INTERNAL, "cannot write %s: %s", path, strerror(errno));
        unlink(temporary.data);
    }
    text_free(&text);
    text_free(&temporary);
    return good;
}
