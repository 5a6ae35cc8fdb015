#include "kube/transport/kube_config_files.h"

#include <assert.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/url.h"
#include "base/vector.h"
#include "kube/transport/secret_file.h"
#include "model/manifest/input.h"

struct file {
    const char *path;
    struct documents documents;
    const json_t *root; // borrowed from the document
};
typedef VECTOR(struct file) file_list;

// An entry of `clusters`, `users` or `contexts`, with its location.
struct entry {
    const json_t *value;        // the value of "cluster", "user" or "context"; NULL if empty
    const char *path;           // of its file
    char place[PATH_MAX + 400]; // "FILE: users[0].user", for the start of messages
};

static bool read_files(file_list *files, const char *const *paths, size_t count, bool must_exist,
                       struct error *error);
static bool read_file(struct file *file, struct error *error);
static void free_files(file_list *files);
static struct kube_config *resolve(const file_list *files, const struct kube_choice *choice,
                                   struct error *error);
static const char *current_context(const file_list *files);
static bool find_entry(const file_list *files, const char *list, const char *singular,
                       const char *name, struct entry *entry, struct error *error);
static bool read_cluster(struct kube_config *config, const struct entry *cluster,
                         struct error *error);
static bool read_user(struct kube_config *config, const struct entry *user, struct error *error);
static bool read_exec(struct kube_config *config, const struct entry *user,
                      const struct entry *cluster, struct error *error);
static bool read_exec_arguments(struct kube_config *config, const struct entry *exec,
                                struct error *error);
static bool read_exec_environment(struct kube_config *config, const struct entry *exec,
                                  struct error *error);
static char *exec_cluster(const struct kube_config *config, const struct entry *cluster);
static bool get_text(const struct entry *entry, const char *name, char **out, struct error *error);
static bool get_bool(const struct entry *entry, const char *name, bool *out, struct error *error);
static bool get_data(const struct entry *entry, const char *name, char **out, struct error *error);
static char *decode_base64(const char *text, size_t *length);
static char *encode_base64(const char *data);
static char *beside(const char *file, const char *path);

struct kube_config *kube_config_from_files(const char *const *paths, size_t count, bool must_exist,
                                           const struct kube_choice *choice, struct error *error)
{
    file_list files = {0};
    struct kube_config *config = NULL;
    if (read_files(&files, paths, count, must_exist, error))
        config = resolve(&files, choice, error);
    free_files(&files);
    return config;
}

static bool read_files(file_list *files, const char *const *paths, size_t count, bool must_exist,
                       struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct file file = {.path = paths[i]};
        struct error why = {0};
        if (read_file(&file, &why))
            vector_push(files, file);
        else if (why.kind != ERROR_NOT_FOUND || must_exist)
            return error_set(error, why.kind, "%s", why.message);
    }
    if (files->count == 0)
        return error_set(error, ERROR_NOT_FOUND, "there is no kubeconfig");
    return true;
}

static bool read_file(struct file *file, struct error *error)
{
    size_t length;
    char *text = secret_file_read(file->path, &length, error);
    if (text == NULL)
        return false;
    bool good = documents_read_text(&file->documents, text, length, file->path, false, error);
    explicit_bzero(text, length);
    free(text);
    if (good && file->documents.count > 0)
        file->root = file->documents.items[0].value;
    if (good && file->root != NULL && !json_is_object(file->root))
        good = error_set(error, ERROR_INVALID, "%s is not a kubeconfig: it should be a mapping",
                         file->path);
    if (!good)
        documents_free(&file->documents);
    return good;
}

static void free_files(file_list *files)
{
    vector_for_each (file, files)
        documents_free(&file->documents);
    vector_free(files);
}

static struct kube_config *resolve(const file_list *files, const struct kube_choice *choice,
                                   struct error *error)
{
    const char *context = choice->context;
    const char *first = files->items[0].path;
    if (context == NULL || context[0] == '\0')
        context = current_context(files);
    if (context == NULL) {
        error_set(error, ERROR_INVALID, "%s: current-context is not set: name a context", first);
        return NULL;
    }
    struct kube_config *config = memory_allocate(sizeof *config);
    struct entry *places = memory_allocate_array(3, sizeof *places); // too large for the stack
    struct entry *chosen = &places[0], *cluster = &places[1], *user = &places[2];
    char *cluster_name = NULL, *user_name = NULL;
    bool good = find_entry(files, "contexts", "context", context, chosen, error) &&
                get_text(chosen, "cluster", &cluster_name, error) &&
                get_text(chosen, "user", &user_name, error) &&
                get_text(chosen, "namespace", &config->namespace, error);
    if (good && choice->cluster != NULL) {
        free(cluster_name);
        cluster_name = memory_copy_string(choice->cluster);
    }
    if (good && choice->user != NULL) {
        free(user_name);
        user_name = memory_copy_string(choice->user);
    }
    if (good && cluster_name == NULL)
        good = error_set(error, ERROR_INVALID, "%s.cluster is missing", chosen->place);
    good = good && find_entry(files, "clusters", "cluster", cluster_name, cluster, error) &&
           read_cluster(config, cluster, error);
    if (good && user_name != NULL)
        good = find_entry(files, "users", "user", user_name, user, error) &&
               read_user(config, user, error) && read_exec(config, user, cluster, error);
    if (good && config->namespace == NULL)
        config->namespace = memory_copy_string("default");
    free(cluster_name);
    free(user_name);
    free(places);
    if (good)
        return config;
    kube_config_free(config);
    return NULL;
}

static const char *current_context(const file_list *files)
{
    for (const struct file *file = files->items; file < files->items + files->count; file++) {
        const char *name = json_string_value(json_object_get(file->root, "current-context"));
        if (name != NULL && name[0] != '\0')
            return name;
    }
    return NULL;
}

static bool find_entry(const file_list *files, const char *list, const char *singular,
                       const char *name, struct entry *entry, struct error *error)
{
    for (const struct file *file = files->items; file < files->items + files->count; file++) {
        const json_t *items = json_object_get(file->root, list);
        for (size_t i = 0; i < json_array_size(items); i++) {
            const json_t *item = json_array_get(items, i);
            if (!text_equal(json_string_value(json_object_get(item, "name")), name))
                continue;
            entry->value = json_object_get(item, singular);
            entry->path = file->path;
            snprintf(entry->place, sizeof entry->place, "%s: %s[%zu].%s", file->path, list, i,
                     singular);
            return true;
        }
    }
    struct text paths = {0};
    for (const struct file *file = files->items; file < files->items + files->count; file++)
        text_join(&paths, ":", file->path);
    error_set(error, ERROR_INVALID, "%s: there is no %s named \"%s\" in %s", paths.data, singular,
              name, list);
    text_free(&paths);
    return false;
}

static bool refuse_server(const struct entry *cluster, const char *server, struct error *error)
{
    struct text shown = {0};
    url_show(&shown, server);
    error_set(error, ERROR_INVALID, "%s.server should begin with https:// (or http://), not \"%s\"",
              cluster->place, shown.data != NULL ? shown.data : "");
    text_free(&shown);
    return false;
}

static bool read_cluster(struct kube_config *config, const struct entry *cluster,
                         struct error *error)
{
    if (!get_text(cluster, "server", &config->server, error) ||
        !get_text(cluster, "tls-server-name", &config->tls_server_name, error) ||
        !get_text(cluster, "proxy-url", &config->proxy_url, error) ||
        !get_bool(cluster, "insecure-skip-tls-verify", &config->insecure_skip_tls_verify, error) ||
        !get_data(cluster, "certificate-authority", &config->ca_data, error))
        return false;
    if (config->server == NULL)
        return error_set(error, ERROR_INVALID, "%s.server is missing", cluster->place);
    if (!text_starts_with(config->server, "https://") &&
        !text_starts_with(config->server, "http://"))
        return refuse_server(cluster, config->server, error);
    for (size_t length = strlen(config->server); config->server[length - 1] == '/'; length--)
        config->server[length - 1] = '\0';
    if (config->insecure_skip_tls_verify && config->ca_data != NULL)
        return error_set(error, ERROR_INVALID,
                         "%s: certificate-authority and insecure-skip-tls-verify exclude each "
                         "other: remove one",
                         cluster->place);
    return config->ca_data == NULL ||
           secret_check_certificates(config->ca_data, cluster->place, error);
}

static bool read_user(struct kube_config *config, const struct entry *user, struct error *error)
{
    static const char *const refused[] = {"auth-provider", "as", "as-uid", "as-groups",
                                          "as-user-extra"};
    for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
        if (json_object_get(user->value, refused[i]) != NULL)
            return error_set(error, ERROR_INVALID,
                             "%s.%s is not supported: use a token, a client certificate or an "
                             "exec plugin",
                             user->place, refused[i]);
    char *token_file = NULL;
    if (!get_data(user, "client-certificate", &config->client_certificate, error) ||
        !get_data(user, "client-key", &config->client_key, error) ||
        !get_text(user, "token", &config->token, error) ||
        !get_text(user, "username", &config->username, error) ||
        !get_text(user, "password", &config->password, error) ||
        !get_text(user, "tokenFile", &token_file, error))
        return false;
    if (token_file != NULL)
        config->token_file = beside(user->path, token_file);
    free(token_file);
    if ((config->client_certificate == NULL) != (config->client_key == NULL))
        return error_set(error, ERROR_INVALID, "%s: %s is missing: the two belong together",
                         user->place,
                         config->client_key == NULL ? "client-key" : "client-certificate");
    char place[sizeof user->place + 32];
    snprintf(place, sizeof place, "%s.client-certificate", user->place);
    if (config->client_certificate != NULL &&
        !secret_check_certificates(config->client_certificate, place, error))
        return false;
    snprintf(place, sizeof place, "%s.client-key", user->place);
    return config->client_key == NULL || secret_check_key(config->client_key, place, error);
}

static bool read_exec(struct kube_config *config, const struct entry *user,
                      const struct entry *cluster, struct error *error)
{
    const json_t *value = json_object_get(user->value, "exec");
    if (value == NULL || json_is_null(value))
        return true;
    struct entry exec = {.value = value, .path = user->path};
    snprintf(exec.place, sizeof exec.place, "%.*s.exec", (int)sizeof exec.place - 8, user->place);
    char *command = NULL, *mode = NULL;
    bool cluster_info = false;
    bool good = get_text(&exec, "command", &command, error) &&
                get_text(&exec, "apiVersion", &config->exec_api_version, error) &&
                get_text(&exec, "installHint", &config->exec_install_hint, error) &&
                get_text(&exec, "interactiveMode", &mode, error) &&
                get_bool(&exec, "provideClusterInfo", &cluster_info, error) &&
                read_exec_arguments(config, &exec, error) &&
                read_exec_environment(config, &exec, error);
    if (good && command == NULL)
        good = error_set(error, ERROR_INVALID, "%s.command is missing", exec.place);
    if (good && !text_equal(config->exec_api_version, "client.authentication.k8s.io/v1") &&
        !text_equal(config->exec_api_version, "client.authentication.k8s.io/v1beta1"))
        good =
            error_set(error, ERROR_INVALID,
                      "%s.apiVersion should be client.authentication.k8s.io/v1 or "
                      "client.authentication.k8s.io/v1beta1, not \"%s\"",
                      exec.place, config->exec_api_version != NULL ? config->exec_api_version : "");
    if (good && text_equal(mode, "Always"))
        good = error_set(error, ERROR_INVALID,
                         "%s.interactiveMode Always needs a terminal, which this program never has",
                         exec.place);
    if (good) // a bare name is looked up in $PATH
        config->exec_command =
            strchr(command, '/') != NULL ? beside(exec.path, command) : memory_copy_string(command);
    if (good && cluster_info)
        config->exec_cluster_config = exec_cluster(config, cluster);
    free(command);
    free(mode);
    return good;
}

static bool read_exec_arguments(struct kube_config *config, const struct entry *exec,
                                struct error *error)
{
    const json_t *list = json_object_get(exec->value, "args");
    size_t count = json_array_size(list);
    config->exec_arguments = memory_allocate_array(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL)
            return error_set(error, ERROR_INVALID, "%s.args[%zu] should be a string", exec->place,
                             i);
        config->exec_arguments[i] = memory_copy_string(text);
    }
    return true;
}

static bool read_exec_environment(struct kube_config *config, const struct entry *exec,
                                  struct error *error)
{
    const json_t *list = json_object_get(exec->value, "env");
    size_t count = json_array_size(list);
    config->exec_environment = memory_allocate_array(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *value = json_string_value(json_object_get(item, "value"));
        if (name == NULL || name[0] == '\0' || strchr(name, '=') != NULL || value == NULL)
            return error_set(error, ERROR_INVALID,
                             "%s.env[%zu] should have a name and a value, both strings",
                             exec->place, i);
        struct text pair = {0};
        text_format(&pair, "%s=%s", name, value);
        config->exec_environment[i] = text_take(&pair);
    }
    return true;
}

// The cluster's data for the plugin (provideClusterInfo), as JSON text.
static char *exec_cluster(const struct kube_config *config, const struct entry *cluster)
{
    json_t *info = json_pack("{s:s}", "server", config->server);
    if (config->tls_server_name != NULL)
        json_object_set_new(info, "tls-server-name", json_string(config->tls_server_name));
    if (config->insecure_skip_tls_verify)
        json_object_set_new(info, "insecure-skip-tls-verify", json_true());
    if (config->proxy_url != NULL)
        json_object_set_new(info, "proxy-url", json_string(config->proxy_url));
    if (config->ca_data != NULL) {
        char *encoded = encode_base64(config->ca_data);
        json_object_set_new(info, "certificate-authority-data", json_string(encoded));
        free(encoded);
    }
    const json_t *extensions = json_object_get(cluster->value, "extensions");
    for (size_t i = 0; i < json_array_size(extensions); i++) {
        const json_t *item = json_array_get(extensions, i);
        json_t *content = json_object_get(item, "extension");
        if (content != NULL && text_equal(json_string_value(json_object_get(item, "name")),
                                          "client.authentication.k8s.io/exec"))
            json_object_set(info, "config", content);
    }
    char *text = json_dumps(info, JSON_COMPACT);
    json_decref(info);
    return text;
}

static bool get_text(const struct entry *entry, const char *name, char **out, struct error *error)
{
    const json_t *value = json_object_get(entry->value, name);
    if (value == NULL || json_is_null(value))
        return true;
    if (!json_is_string(value))
        return error_set(error, ERROR_INVALID, "%s.%s should be a string: put it in quotes",
                         entry->place, name);
    if (strlen(json_string_value(value)) != json_string_length(value))
        return error_set(error, ERROR_INVALID, "%s.%s holds a NUL byte", entry->place, name);
    if (json_string_length(value) > 0)
        *out = memory_copy_string(json_string_value(value));
    return true;
}

static bool get_bool(const struct entry *entry, const char *name, bool *out, struct error *error)
{
    const json_t *value = json_object_get(entry->value, name);
    if (value == NULL || json_is_null(value))
        return true;
    if (!json_is_boolean(value))
        return error_set(error, ERROR_INVALID, "%s.%s should be true or false", entry->place, name);
    *out = json_is_true(value);
    return true;
}

// The content of NAME-data (base64), else of the file named by NAME, in kubectl's order of
// preference.
static bool get_data(const struct entry *entry, const char *name, char **out, struct error *error)
{
    char data_name[64];
    snprintf(data_name, sizeof data_name, "%s-data", name);
    char *encoded = NULL, *path = NULL;
    if (!get_text(entry, data_name, &encoded, error))
        return false;
    if (encoded != NULL) {
        size_t length = 0;
        *out = decode_base64(encoded, &length);
        secret_wipe(&encoded);
        if (*out == NULL || strlen(*out) != length)
            return error_set(error, ERROR_INVALID, "%s.%s is not base64 of a PEM text",
                             entry->place, data_name);
        return true;
    }
    if (!get_text(entry, name, &path, error))
        return false;
    if (path == NULL)
        return true;
    char *resolved = beside(entry->path, path);
    struct error why = {0};
    *out = secret_file_read(resolved, NULL, &why);
    if (*out == NULL) // always INVALID: NOT_FOUND would mean that there is no kubeconfig
        error_set(error, ERROR_INVALID, "%s.%s, %s", entry->place, name, why.message);
    free(resolved);
    free(path);
    return *out != NULL;
}

static char *decode_base64(const char *text, size_t *length)
{
    size_t size = strlen(text);
    assert(size < INT_MAX); // files are limited to 4 MiB
    char *out = memory_allocate(size + 1);
    EVP_ENCODE_CTX *decoder = EVP_ENCODE_CTX_new();
    EVP_DecodeInit(decoder);
    int first = 0, last = 0;
    bool good = EVP_DecodeUpdate(decoder, (unsigned char *)out, &first, (const unsigned char *)text,
                                 (int)size) >= 0 &&
                EVP_DecodeFinal(decoder, (unsigned char *)out + first, &last) == 1;
    EVP_ENCODE_CTX_free(decoder);
    if (!good) {
        free(out);
        return NULL;
    }
    *length = (size_t)(first + last);
    out[*length] = '\0';
    return out;
}

static char *encode_base64(const char *data)
{
    size_t size = strlen(data);
    assert(size < INT_MAX / 2);
    char *out = memory_allocate(size / 3 * 4 + 5);
    EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)data, (int)size);
    return out;
}

// A path in a kubeconfig is relative to the folder of that file.
static char *beside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (path[0] == '/' || slash == NULL)
        return memory_copy_string(path);
    struct text joined = {0};
    text_add_bytes(&joined, file, (size_t)(slash - file) + 1);
    text_add(&joined, path);
    return text_take(&joined);
}
