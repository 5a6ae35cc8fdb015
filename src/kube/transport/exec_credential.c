#include "kube/transport/exec_credential.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/transport/secret_file.h"

static char *exec_info(const struct kube_config *config);
static bool overrides(const char *const *pairs, const char *pair);

char **exec_credential_environment(const struct kube_config *config)
{
    size_t inherited = 0, given = 0, count = 0;
    while (environ[inherited] != NULL)
        inherited++;
    while (config->exec_environment != NULL && config->exec_environment[given] != NULL)
        given++;
    char **environment = memory_allocate_array(inherited + given + 2, sizeof *environment);
    char *info = exec_info(config);
    const char *const own[] = {info, NULL};
    for (size_t i = 0; i < inherited; i++)
        if (!overrides((const char *const *)config->exec_environment, environ[i]) &&
            !overrides(own, environ[i]))
            environment[count++] = memory_copy_string(environ[i]);
    for (size_t i = 0; i < given; i++)
        if (!overrides(own, config->exec_environment[i]))
            environment[count++] = memory_copy_string(config->exec_environment[i]);
    assert(count <= inherited + given);
    environment[count] = info;
    return environment;
}

void exec_credential_environment_free(char **environment)
{
    for (char **at = environment; at != NULL && *at != NULL; at++)
        secret_wipe(at);
    free(environment);
}

// Whether one of `pairs` has the name of `pair`.
static bool overrides(const char *const *pairs, const char *pair)
{
    const char *end = strchr(pair, '=');
    if (end == NULL)
        return false;
    for (; pairs != NULL && *pairs != NULL; pairs++)
        if (strncmp(*pairs, pair, (size_t)(end - pair) + 1) == 0)
            return true;
    return false;
}

static char *exec_info(const struct kube_config *config)
{
    json_t *info = json_pack("{s:s, s:s, s:{s:b}}", "apiVersion", config->exec_api_version, "kind",
                             "ExecCredential", "spec", "interactive", 0);
    if (config->exec_cluster_config != NULL) {
        json_t *cluster = json_loads(config->exec_cluster_config, 0, NULL);
        if (cluster != NULL)
            json_object_set_new(json_object_get(info, "spec"), "cluster", cluster);
    }
    char *encoded = json_dumps(info, JSON_COMPACT);
    struct text pair = {0};
    text_format(&pair, "KUBERNETES_EXEC_INFO=%s", encoded);
    free(encoded);
    json_decref(info);
    return text_take(&pair);
}

bool exec_credential_parse(const char *output, size_t length, const char *api_version,
                           struct exec_credential *credential, struct error *error)
{
    *credential = (struct exec_credential){.expires_ns = INT64_MAX};
    json_t *root = json_loadb(output, length, 0, NULL);
    const char *version = json_string_value(json_object_get(root, "apiVersion"));
    const json_t *status = json_object_get(root, "status");
    const char *expires = json_string_value(json_object_get(status, "expirationTimestamp"));
    const char *certificate = json_string_value(json_object_get(status, "clientCertificateData"));
    const char *key = json_string_value(json_object_get(status, "clientKeyData"));
    const char *token = json_string_value(json_object_get(status, "token"));
    bool good = true;
    if (!text_equal(json_string_value(json_object_get(root, "kind")), "ExecCredential"))
        good = error_set(error, ERROR_UNAUTHORIZED, "its output is no ExecCredential");
    else if (!text_equal(version, api_version))
        good =
            error_set(error, ERROR_UNAUTHORIZED, "it answered with apiVersion \"%s\", asked was %s",
                      version != NULL ? version : "", api_version);
    else if ((certificate == NULL) != (key == NULL))
        good = error_set(error, ERROR_UNAUTHORIZED,
                         "clientCertificateData and clientKeyData belong together: one is missing");
    else if ((token == NULL || token[0] == '\0') && certificate == NULL)
        good = error_set(error, ERROR_UNAUTHORIZED,
                         "its answer has neither token nor clientCertificateData");
    else if (expires != NULL && !instant_parse(expires, &credential->expires_ns, NULL))
        good = error_set(error, ERROR_UNAUTHORIZED, "expirationTimestamp is not an RFC 3339 time");
    else if (certificate != NULL)
        good = secret_check_certificates(certificate, "clientCertificateData", error) &&
               secret_check_key(key, "clientKeyData", error);
    if (good) {
        credential->token = token != NULL && token[0] != '\0' ? memory_copy_string(token) : NULL;
        credential->certificate = memory_copy_string(certificate);
        credential->key = memory_copy_string(key);
    }
    json_decref(root);
    assert(!good || credential->token != NULL || credential->certificate != NULL);
    assert((credential->certificate == NULL) == (credential->key == NULL));
    return good;
}

void exec_credential_clear(struct exec_credential *credential)
{
    secret_wipe(&credential->token);
    secret_wipe(&credential->key);
    free(credential->certificate);
    *credential = (struct exec_credential){0};
}
