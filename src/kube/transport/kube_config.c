#include "kube/transport/kube_config.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/transport/kube_config_files.h"

#define FILE_BYTES_MAX  ((size_t)4 << 20)
#define FILES_MAX       64
#define SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static struct kube_config *load_named(const char *path, const char *context, struct error *error);
static struct kube_config *load_list(const char *list, const char *context, struct error *error);
static struct kube_config *load_default(const char *context, struct error *error);
static char *trimmed(char *text);
static char *server_of_environment(struct error *error);
static char **copy_strings(char *const *strings);
static void free_strings(char **strings);
static int no_passphrase(char *buffer, int size, int writing, void *context);

struct kube_config *kube_config_load(const char *path, const char *context, struct error *error)
{
    if (path != NULL && path[0] != '\0')
        return load_named(path, context, error);
    const char *list = getenv("KUBECONFIG");
    if (list != NULL && list[0] != '\0')
        return load_list(list, context, error);
    if (getenv("KUBERNETES_SERVICE_HOST") != NULL && context == NULL &&
        access(SERVICE_ACCOUNT "/token", F_OK) == 0)
        return kube_config_in_cluster(NULL, error);
    return load_default(context, error);
}

// Who names a file that is not there has given bad input.
static struct kube_config *load_named(const char *path, const char *context, struct error *error)
{
    struct kube_config *config = kube_config_from_files(&path, 1, true, context, error);
    if (config == NULL && error != NULL && error->kind == ERROR_NOT_FOUND)
        error->kind = ERROR_INVALID;
    return config;
}

static struct kube_config *load_list(const char *list, const char *context, struct error *error)
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
    struct kube_config *config = kube_config_from_files(paths, count, false, context, error);
    if (config == NULL && error != NULL && error->kind == ERROR_NOT_FOUND) {
        error_prefix(error, "KUBECONFIG=%s", list);
        error->kind = ERROR_INVALID;
    }
    return config;
}

static struct kube_config *load_default(const char *context, struct error *error)
{
    const char *home = getenv("HOME");
    struct text path = {0};
    text_format(&path, "%s/.kube/config", home != NULL ? home : "");
    const char *paths[] = {path.data};
    struct error why = {0};
    struct kube_config *config = kube_config_from_files(paths, 1, true, context, &why);
    if (config == NULL && why.kind == ERROR_NOT_FOUND)
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
        char *now = kube_config_read_file(config->token_file, NULL, error);
        good = now != NULL;
        kube_config_wipe(&now);
    }
    if (good) {
        config->ca_data = kube_config_read_file(authority.data, NULL, error);
        good = config->ca_data != NULL &&
               kube_config_check_certificates(config->ca_data, authority.data, error);
    }
    if (good) {
        char *name = kube_config_read_file(namespace.data, NULL, NULL);
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

char *kube_config_read_file(const char *path, size_t *length, struct error *error)
{
    struct error why = {0};
    FILE *file = input_file_open(path, &why);
    if (file == NULL) { // its message begins with the path
        error_set(error, why.kind == ERROR_NOT_FOUND ? ERROR_NOT_FOUND : ERROR_INVALID,
                  "%s cannot be read%s", path, why.message + strlen(path));
        return NULL;
    }
    struct text text = {0};
    char piece[8192];
    size_t got;
    while (text.length <= FILE_BYTES_MAX && (got = fread(piece, 1, sizeof piece, file)) > 0)
        text_add_bytes(&text, piece, got);
    explicit_bzero(piece, sizeof piece);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed || text.length > FILE_BYTES_MAX) {
        error_set(error, ERROR_INVALID, "%s cannot be read: %s", path,
                  failed ? strerror(EIO) : "it is larger than 4 MiB");
        text_free(&text);
        return NULL;
    }
    if (length != NULL)
        *length = text.length;
    return text_take(&text);
}

bool kube_config_check_certificates(const char *pem, const char *place, struct error *error)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    ERR_clear_error();
    if (certificate == NULL)
        return error_set(error, ERROR_INVALID, "%s holds no PEM certificate", place);
    X509_free(certificate);
    return true;
}

// Without this check OpenSSL would ask for a passphrase on the terminal, in the middle of a
// request.
bool kube_config_check_key(const char *pem, const char *place, struct error *error)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    ERR_clear_error();
    if (key == NULL)
        return error_set(error, ERROR_INVALID,
                         "%s holds no PEM private key (an encrypted one cannot be used)", place);
    EVP_PKEY_free(key);
    return true;
}

static int no_passphrase(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

struct kube_config *kube_config_copy(const struct kube_config *config)
{
    struct kube_config *copy = memory_copy(config, sizeof *config);
    char **texts[] = {&copy->server,
                      &copy->namespace,
                      &copy->ca_data,
                      &copy->client_certificate,
                      &copy->client_key,
                      &copy->token,
                      &copy->token_file,
                      &copy->username,
                      &copy->password,
                      &copy->exec_command,
                      &copy->exec_api_version,
                      &copy->exec_install_hint,
                      &copy->exec_cluster_config,
                      &copy->tls_server_name,
                      &copy->proxy_url};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        *texts[i] = memory_copy_string(*texts[i]);
    copy->exec_arguments = copy_strings(config->exec_arguments);
    copy->exec_environment = copy_strings(config->exec_environment);
    return copy;
}

void kube_config_free(struct kube_config *config)
{
    if (config == NULL)
        return;
    kube_config_wipe(&config->client_key);
    kube_config_wipe(&config->token);
    kube_config_wipe(&config->password);
    kube_config_wipe(&config->proxy_url); // may carry a password
    char *texts[] = {config->server,
                     config->namespace,
                     config->ca_data,
                     config->client_certificate,
                     config->token_file,
                     config->username,
                     config->exec_command,
                     config->exec_api_version,
                     config->exec_install_hint,
                     config->exec_cluster_config,
                     config->tls_server_name};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        free(texts[i]);
    free_strings(config->exec_arguments);
    free_strings(config->exec_environment);
    free(config);
}

void kube_config_wipe(char **secret)
{
    if (*secret != NULL)
        explicit_bzero(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}

static char **copy_strings(char *const *strings)
{
    if (strings == NULL)
        return NULL;
    size_t count = 0;
    while (strings[count] != NULL)
        count++;
    char **copy = memory_allocate_array(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = memory_copy_string(strings[i]);
    return copy;
}

static void free_strings(char **strings)
{
    for (char **at = strings; at != NULL && *at != NULL; at++)
        kube_config_wipe(at);
    free(strings);
}
