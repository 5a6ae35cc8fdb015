#include "kube/transport/kube_config_load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "kube/transport/kube_config_files.h"
#include "kube/transport/secret_file.h"

#define FILES_MAX       64
#define SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static struct kube_config *find(const struct kube_choice *choice, struct error *error);
static struct kube_config *load_named(const char *path, const struct kube_choice *choice,
                                      struct error *error);
static struct kube_config *load_list(const char *list, const struct kube_choice *choice,
                                     struct error *error);
static struct kube_config *load_default(const struct kube_choice *choice, struct error *error);
static char *trimmed(char *text);
static char *server_of_environment(struct error *error);

struct kube_config *kube_config_load(const struct kube_choice *choice, struct error *error)
{
    struct kube_config *config = find(choice, error);
    if (config == NULL || kube_choice_apply(choice, config, error))
        return config;
    kube_config_free(config);
    return NULL;
}

static struct kube_config *find(const struct kube_choice *choice, struct error *error)
{
    const char *path = choice->kubeconfig;
    if (path != NULL && path[0] != '\0')
        return load_named(path, choice, error);
    const char *list = getenv("KUBECONFIG");
    if (list != NULL && list[0] != '\0')
        return load_list(list, choice, error);
    if (getenv("KUBERNETES_SERVICE_HOST") != NULL && choice->context == NULL &&
        access(SERVICE_ACCOUNT "/token", F_OK) == 0)
        return kube_config_in_cluster(NULL, error);
    return load_default(choice, error);
}

// A missing file that the user named is bad input.
static struct kube_config *load_named(const char *path, const struct kube_choice *choice,
                                      struct error *error)
{
    struct kube_config *config = kube_config_from_files(&path, 1, true, choice, error);
    if (config == NULL && error != NULL && error->kind == ERROR_NOT_FOUND)
        error->kind = ERROR_INVALID;
    return config;
}

static struct kube_config *load_list(const char *list, const struct kube_choice *choice,
                                     struct error *error)
{
    const char *paths[FILES_MAX];
    size_t count = 0;
    CLEANUP_FREE char *copy = memory_copy_string(list);
    char *rest = copy;
    for (char *path; (path = strsep(&rest, ":")) != NULL;) {
        if (path[0] == '\0')
            continue;
        if (count == FILES_MAX) {
            error_set(error, ERROR_INVALID, "KUBECONFIG lists more than %d files", FILES_MAX);
            return NULL;
        }
        paths[count++] = path;
    }
    struct kube_config *config = kube_config_from_files(paths, count, false, choice, error);
    if (config == NULL && error != NULL && error->kind == ERROR_NOT_FOUND) {
        error_prefix(error, "KUBECONFIG=%s", list);
        error->kind = ERROR_INVALID;
    }
    return config;
}

// What is missing comes from the other options.
static struct kube_config *server_alone(const char *server)
{
    struct kube_config *config = memory_allocate(sizeof *config);
    config->server = memory_copy_string(server);
    config->namespace = memory_copy_string("default");
    return config;
}

static struct kube_config *load_default(const struct kube_choice *choice, struct error *error)
{
    const char *home = getenv("HOME");
    struct text path = {0};
    text_format(&path, "%s/.kube/config", home != NULL ? home : "");
    const char *paths[] = {path.data};
    struct error why = {0};
    struct kube_config *config = kube_config_from_files(paths, 1, true, choice, &why);
    if (config == NULL && why.kind == ERROR_NOT_FOUND && choice->server != NULL)
        config = server_alone(choice->server);
    else if (config == NULL && why.kind == ERROR_NOT_FOUND)
        error_set(error, ERROR_NOT_FOUND,
                  "no cluster to talk to: give --kubeconfig, set KUBECONFIG, or run in a pod "
                  "(there is no %s)",
                  path.data);
    else if (config == NULL)
        error_set(error, why.kind, "%s", why.message);
    text_free(&path);
    return config;
}

struct kube_config *kube_config_in_cluster(const char *folder, struct error *error)
{
    if (folder == NULL)
        folder = SERVICE_ACCOUNT;
    struct text token = {0}, authority = {0}, namespace = {0};
    text_format(&token, "%s/token", folder);
    text_format(&authority, "%s/ca.crt", folder);
    text_format(&namespace, "%s/namespace", folder);
    struct kube_config *config = memory_allocate(sizeof *config);
    config->server = server_of_environment(error);
    bool good = config->server != NULL;
    if (good) {
        config->token_file = text_take(&token);
        char *now = secret_file_read(config->token_file, NULL, error);
        good = now != NULL;
        secret_wipe(&now);
    }
    if (good) {
        config->ca_data = secret_file_read(authority.data, NULL, error);
        good = config->ca_data != NULL &&
               secret_check_certificates(config->ca_data, authority.data, error);
    }
    if (good) {
        char *name = secret_file_read(namespace.data, NULL, NULL);
        config->namespace = memory_copy_string(
            name != NULL && trimmed(name)[0] != '\0' ? trimmed(name) : "default");
        free(name);
    }
    text_free(&token);
    text_free(&authority);
    text_free(&namespace);
    if (good)
        return config;
    kube_config_free(config);
    return NULL;
}

static char *server_of_environment(struct error *error)
{
    const char *host = getenv("KUBERNETES_SERVICE_HOST");
    const char *port = getenv("KUBERNETES_SERVICE_PORT");
    if (host == NULL || host[0] == '\0' || port == NULL || port[0] == '\0') {
        error_set(error, ERROR_NOT_FOUND,
                  "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: "
                  "this is not a pod");
        return NULL;
    }
    bool bare_ipv6 = strchr(host, ':') != NULL && host[0] != '[';
    struct text server = {0};
    text_format(&server, bare_ipv6 ? "https://[%s]:%s" : "https://%s:%s", host, port);
    return text_take(&server);
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}
