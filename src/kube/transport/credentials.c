#include "kube/transport/credentials.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "kube/transport/exec_credential.h"
#include "kube/transport/process.h"
#include "kube/transport/secret_file.h"

#define TOKEN_FILE_INTERVAL_NS MINUTE
#define PLUGIN_TIMEOUT_NS      MINUTE
#define PLUGIN_OUTPUT_MAX      ((size_t)1 << 20)
// A plugin's credential is used at least this long, even if it is expired or refused: a broken
// plugin must not run for every request.
#define PLUGIN_INTERVAL_NS (5 * SECOND)
// A credential is renewed a little before its end, so that none expires in transit.
#define PLUGIN_MARGIN_NS (10 * SECOND)

struct credentials {
    struct loop *loop;
    const struct kube_config *config;
    loop_function settled;
    void *context;
    uint64_t generation;
    // token file
    char *file_token;
    int64_t file_read_ns; // monotonic
    // plugin
    struct process *process;
    char **environment;
    bool have_plugin, refused;
    int64_t plugin_ran_ns; // monotonic
    struct exec_credential plugin;
    struct error plugin_error; // of the last run, until it is reported
};

static bool read_token_file(struct credentials *credentials, struct error *error);
static enum credentials_state plugin_state(struct credentials *credentials, struct error *error);
static bool plugin_is_recent(const struct credentials *credentials);
static void plugin_start(struct credentials *credentials);
static void plugin_done(void *context, const struct process_result *result);
static void plugin_describe(const struct credentials *credentials,
                            const struct process_result *result, struct error *error);

struct credentials *credentials_create(struct loop *loop, const struct kube_config *config,
                                       loop_function settled, void *context)
{
    assert(config != NULL);
    assert(settled != NULL);
    struct credentials *credentials = memory_allocate(sizeof *credentials);
    *credentials = (struct credentials){
        .loop = loop, .config = config, .settled = settled, .context = context, .generation = 1};
    return credentials;
}

void credentials_destroy(struct credentials *credentials)
{
    if (credentials == NULL)
        return;
    if (credentials->process != NULL)
        process_cancel(credentials->process);
    exec_credential_environment_free(credentials->environment);
    exec_credential_clear(&credentials->plugin);
    secret_wipe(&credentials->file_token);
    free(credentials);
}

enum credentials_state credentials_get(struct credentials *credentials,
                                       struct credential *credential, struct error *error)
{
    const struct kube_config *config = credentials->config;
    *credential = (struct credential){.token = config->token,
                                      .certificate = config->client_certificate,
                                      .key = config->client_key};
    if (config->token_file != NULL) {
        int64_t age_ns =
            ns_subtract(loop_monotonic_ns(credentials->loop), credentials->file_read_ns);
        bool stale = credentials->file_token == NULL || age_ns >= TOKEN_FILE_INTERVAL_NS;
        if (stale && !read_token_file(credentials, error) && credentials->file_token == NULL &&
            config->token == NULL)
            return CREDENTIALS_FAILED;
        if (credentials->file_token != NULL)
            credential->token = credentials->file_token;
    } else if (config->exec_command != NULL && config->token == NULL && config->username == NULL) {
        enum credentials_state state = plugin_state(credentials, error);
        if (state != CREDENTIALS_READY)
            return state;
        assert(credentials->have_plugin);
        credential->token = credentials->plugin.token;
        if (credentials->plugin.certificate != NULL) {
            credential->certificate = credentials->plugin.certificate;
            credential->key = credentials->plugin.key;
        }
    }
    if (credential->token == NULL) {
        credential->username = config->username;
        credential->password = config->password;
    }
    assert(credentials->generation > 0);
    credential->generation = credentials->generation;
    return CREDENTIALS_READY;
}

bool credentials_refused(struct credentials *credentials, uint64_t generation)
{
    assert(generation <= credentials->generation);
    if (generation != credentials->generation)
        return true; // renewed since that request was sent
    if (credentials->config->token_file != NULL)
        return read_token_file(credentials, NULL) && generation != credentials->generation;
    if (!credentials->have_plugin || plugin_is_recent(credentials))
        return false;
    credentials->refused = true;
    return true;
}

// If the file cannot be read, the token read before stays.
static bool read_token_file(struct credentials *credentials, struct error *error)
{
    credentials->file_read_ns = loop_monotonic_ns(credentials->loop);
    char *text = secret_file_read(credentials->config->token_file, NULL, error);
    if (text == NULL) {
        if (error != NULL)
            error->kind = ERROR_UNAUTHORIZED;
        return false;
    }
    size_t begin = strspn(text, " \t\r\n"), length = strcspn(text + begin, " \t\r\n");
    if (length == 0) {
        secret_wipe(&text);
        return error_set(error, ERROR_UNAUTHORIZED, "%s holds no token",
                         credentials->config->token_file);
    }
    memmove(text, text + begin, length);
    text[length] = '\0';
    if (text_equal(text, credentials->file_token)) {
        secret_wipe(&text);
        return true;
    }
    secret_wipe(&credentials->file_token);
    credentials->file_token = text;
    credentials->generation++;
    return true;
}

static enum credentials_state plugin_state(struct credentials *credentials, struct error *error)
{
    if (credentials->process != NULL)
        return CREDENTIALS_PENDING;
    if (credentials->plugin_error.kind != ERROR_NONE && plugin_is_recent(credentials)) {
        error_set(error, credentials->plugin_error.kind, "%s", credentials->plugin_error.message);
        return CREDENTIALS_FAILED;
    }
    if (credentials->have_plugin) {
        bool expired = credentials->plugin.expires_ns != INT64_MAX &&
                       loop_now_ns(credentials->loop) >=
                           ns_subtract(credentials->plugin.expires_ns, PLUGIN_MARGIN_NS);
        if ((!expired && !credentials->refused) || plugin_is_recent(credentials))
            return CREDENTIALS_READY;
    }
    plugin_start(credentials);
    return CREDENTIALS_PENDING;
}

static bool plugin_is_recent(const struct credentials *credentials)
{
    return credentials->plugin_ran_ns != 0 &&
           ns_subtract(loop_monotonic_ns(credentials->loop), credentials->plugin_ran_ns) <
               PLUGIN_INTERVAL_NS;
}

static void plugin_start(struct credentials *credentials)
{
    assert(credentials->process == NULL);
    assert(credentials->config->exec_command != NULL);
    const struct kube_config *config = credentials->config;
    size_t count = 0;
    while (config->exec_arguments != NULL && config->exec_arguments[count] != NULL)
        count++;
    CLEANUP_FREE const char **arguments = memory_allocate_array(count + 2, sizeof *arguments);
    arguments[0] = config->exec_command;
    for (size_t i = 0; i < count; i++)
        arguments[i + 1] = config->exec_arguments[i];
    if (credentials->environment == NULL)
        credentials->environment = exec_credential_environment(config);
    struct process_request request = {.arguments = arguments,
                                      .environment = (const char *const *)credentials->environment,
                                      .timeout_ns = PLUGIN_TIMEOUT_NS,
                                      .output_bytes_max = PLUGIN_OUTPUT_MAX};
    credentials->process = process_start(credentials->loop, &request, plugin_done, credentials);
}

static void plugin_done(void *context, const struct process_result *result)
{
    struct credentials *credentials = context;
    assert(credentials->process != NULL);
    credentials->process = NULL;
    credentials->plugin_ran_ns = loop_monotonic_ns(credentials->loop);
    credentials->plugin_error = (struct error){0};
    struct exec_credential given = {0};
    if (!result->started || result->timed_out || result->too_much || result->exit_status != 0) {
        plugin_describe(credentials, result, &credentials->plugin_error);
    } else if (exec_credential_parse(result->output, result->output_bytes,
                                     credentials->config->exec_api_version, &given,
                                     &credentials->plugin_error)) {
        exec_credential_clear(&credentials->plugin);
        credentials->plugin = given;
        credentials->have_plugin = true;
        credentials->refused = false;
        credentials->generation++;
    } else {
        error_prefix(&credentials->plugin_error, "credential plugin %s",
                     credentials->config->exec_command);
    }
    credentials->settled(credentials->context);
}

// The last line of the plugin's diagnostics is the most specific. Its output may be a secret and is
// never quoted.
static void plugin_describe(const struct credentials *credentials,
                            const struct process_result *result, struct error *error)
{
    const struct kube_config *config = credentials->config;
    if (!result->started) {
        error_set(error, ERROR_UNAUTHORIZED, "credential plugin %s%s%s", result->error.message,
                  config->exec_install_hint != NULL ? ": " : "",
                  config->exec_install_hint != NULL ? config->exec_install_hint : "");
    } else if (result->timed_out) {
        error_set(error, ERROR_UNAUTHORIZED, "credential plugin %s did not end within %d s",
                  config->exec_command, (int)(PLUGIN_TIMEOUT_NS / SECOND));
    } else if (result->too_much) {
        error_set(error, ERROR_UNAUTHORIZED, "credential plugin %s printed more than %zu bytes",
                  config->exec_command, PLUGIN_OUTPUT_MAX);
    } else {
        const char *begin = result->diagnostics, *end = begin + strlen(begin);
        while (end > begin && strchr(" \t\r\n", end[-1]) != NULL)
            end--;
        const char *line = end;
        while (line > begin && line[-1] != '\n')
            line--;
        int length = end - line > 300 ? 300 : (int)(end - line);
        error_set(error, ERROR_UNAUTHORIZED, "credential plugin %s failed with status %d%s%.*s",
                  config->exec_command, result->exit_status, length > 0 ? ": " : "", length, line);
    }
}
