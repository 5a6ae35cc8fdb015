#include "model/manifest/input_texts.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/vector.h"
#include "model/manifest/input_yaml.h"

#define DIRECTORY_DEPTH_MAX 32

struct paths {
    VECTOR(char *) list;
    const struct input_receiver *receiver; // of the skipped entries
};

static bool read_file(const char *path, const struct input_receiver *receiver, struct error *error);
static bool collect_directory(struct paths *paths, const char *directory, int depth,
                              struct error *error);

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool read_directory(const char *path, const struct input_receiver *receiver,
                           struct error *error)
{
    struct paths paths = {.receiver = receiver};
    bool fine = collect_directory(&paths, path, 1, error);
    if (fine && paths.list.count == 0)
        fine =
            error_set(error, ERROR_INVALID,
                      "%s: there is no manifest (*.yaml, *.yml, *.json) in this directory", path);
    if (paths.list.count > 1)
        qsort(paths.list.items, paths.list.count, sizeof *paths.list.items, compare_paths);
    for (uint32_t i = 0; i < paths.list.count; i++) {
        fine = fine && read_file(paths.list.items[i], receiver, error);
        free(paths.list.items[i]);
    }
    vector_free(&paths.list);
    return fine;
}

bool input_texts_read(const char *path, const struct input_receiver *receiver, struct error *error)
{
    assert(path != NULL);
    struct stat status;
    if (strcmp(path, "-") == 0)
        return read_file(path, receiver, error);
    if (stat(path, &status) != 0)
        return error_set(error, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_UNAVAILABLE, "%s: %s",
                         path[0] != '\0' ? path : "\"\"", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return read_directory(path, receiver, error);
    return read_file(path, receiver, error);
}

static bool is_manifest_name(const char *name)
{
    return text_ends_with(name, ".yaml") || text_ends_with(name, ".yml") ||
           text_ends_with(name, ".json");
}

// Hidden entries are skipped: version control's own files are no manifests.
static bool collect_directory(struct paths *paths, const char *directory, int depth,
                              struct error *error)
{
    if (depth > DIRECTORY_DEPTH_MAX)
        return error_set(error, ERROR_INVALID, "%s: directories nested deeper than %d", directory,
                         DIRECTORY_DEPTH_MAX);
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return error_set(error, ERROR_UNAVAILABLE, "%s: %s", directory, strerror(errno));
    bool fine = true;
    const struct dirent *entry;
    while (fine && (entry = readdir(stream)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        struct text path = {0};
        struct stat status;
        const char *separator = text_ends_with(directory, "/") ? "" : "/";
        text_format(&path, "%s%s%s", directory, separator, entry->d_name);
        if (stat(path.data, &status) != 0)
            fine = error_set(error, ERROR_UNAVAILABLE, "%s: %s", path.data, strerror(errno));
        else if (S_ISDIR(status.st_mode))
            fine = collect_directory(paths, path.data, depth + 1, error);
        else if (is_manifest_name(entry->d_name) && input_file_oddity(&status) != NULL)
            paths->receiver->skip(paths->receiver->context, path.data, input_file_oddity(&status));
        else if (is_manifest_name(entry->d_name))
            vector_push(&paths->list, text_take(&path));
        text_free(&path);
    }
    closedir(stream);
    return fine;
}

static bool read_stream(FILE *stream, const char *path, struct text *text, struct error *error)
{
    char buffer[65536];
    size_t count;
    // At the end a terminal would be asked once more.
    while (!feof(stream) && (count = fread(buffer, 1, sizeof buffer, stream)) > 0) {
        if (text->length + count > INPUT_FILE_BYTES_MAX)
            return error_set(error, ERROR_INVALID, "%s: larger than %u MiB", path,
                             INPUT_FILE_BYTES_MAX >> 20);
        text_add_bytes(text, buffer, count);
    }
    if (ferror(stream))
        return error_set(error, ERROR_UNAVAILABLE, "%s: %s", path, strerror(errno));
    return true;
}

bool standard_input_read(struct text *text, struct error *error)
{
    return read_stream(stdin, "-", text, error);
}

static bool read_file(const char *path, const struct input_receiver *receiver, struct error *error)
{
    bool is_standard_input = strcmp(path, "-") == 0;
    FILE *stream = is_standard_input ? stdin : input_file_open(path, error);
    if (stream == NULL)
        return false;
    struct text text = {0};
    bool fine = read_stream(stream, path, &text, error);
    if (!is_standard_input)
        fclose(stream);
    fine = fine && receiver->receive(receiver->context, path, &text, error);
    text_free(&text);
    return fine;
}
