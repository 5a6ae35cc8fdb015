// Kubeconfigs: merging, files and data, errors that name file and field; the service account of a
// pod.
#include "support/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/memory.h"
#include "base/text.h"
#include "kube/fake_server.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"
#include "kube/transport/secret_file.h"

struct world {
    char folder[64];
    struct fake_identity identity;
    char *encoded_certificate, *encoded_key;
};

static char *encode(const char *text)
{
    char *out = memory_allocate(strlen(text) * 2 + 8);
    EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)text, (int)strlen(text));
    return out;
}

static int set_up(void **state)
{
    struct world *world = memory_allocate(sizeof *world);
    strcpy(world->folder, "/tmp/adze-config-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    world->identity = fake_identity_create("x", "IP:127.0.0.1");
    world->encoded_certificate = encode(world->identity.certificate);
    world->encoded_key = encode(world->identity.key);
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
    setenv("HOME", world->folder, 1);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    static const char *const files[] = {"a",         "b",          "ca.crt",     "token",
                                        "namespace", "client.crt", "client.key", ".kube/config"};
    char path[128];
    for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
        snprintf(path, sizeof path, "%s/%s", world->folder, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/.kube", world->folder);
    rmdir(path);
    rmdir(world->folder);
    fake_identity_clear(&world->identity);
    free(world->encoded_certificate);
    free(world->encoded_key);
    free(world);
    unsetenv("KUBECONFIG");
    return 0;
}

static const char *write_file(const struct world *world, const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", world->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

#define CONTEXT                                             \
    "apiVersion: v1\nkind: Config\ncurrent-context: main\n" \
    "contexts:\n- name: main\n  context: {cluster: c, user: u}\n"
#define CLUSTER "clusters:\n- name: c\n  cluster: {server: 'https://10.0.0.1:6443/'}\n"

static struct kube_config *load(const char *path, const char *context)
{
    struct error error = {0};
    struct kube_config *config =
        kube_config_load(&(struct kube_choice){.kubeconfig = path, .context = context}, &error);
    if (config == NULL)
        fail_msg("%s", error.message);
    return config;
}

static void expect_error(const char *path, const char *context, const char *part)
{
    struct error error = {0};
    struct kube_config *config =
        kube_config_load(&(struct kube_choice){.kubeconfig = path, .context = context}, &error);
    assert_null(config);
    assert_null(strchr(error.message, '\n'));
    if (strstr(error.message, part) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", error.message, part);
}

static void data_and_files_are_read(void **state)
{
    struct world *world = *state;
    struct text text = {0};
    text_format(&text,
                CONTEXT "clusters:\n- name: c\n  cluster:\n    server: https://10.0.0.1:6443/\n"
                        "    certificate-authority-data: %s\n    tls-server-name: api.test\n"
                        "    proxy-url: http://proxy:3128\n"
                        "users:\n- name: u\n  user:\n    client-certificate: client.crt\n"
                        "    client-key-data: %s\n    tokenFile: token\n    token: abc\n",
                world->encoded_certificate, world->encoded_key);
    write_file(world, "client.crt", world->identity.certificate);
    struct kube_config *config = load(write_file(world, "a", text.data), NULL);
    text_free(&text);
    assert_string_equal(config->server, "https://10.0.0.1:6443");
    assert_string_equal(config->namespace, "default");
    assert_string_equal(config->ca_data, world->identity.certificate);
    assert_string_equal(config->client_certificate, world->identity.certificate);
    assert_string_equal(config->client_key, world->identity.key);
    assert_string_equal(config->tls_server_name, "api.test");
    assert_string_equal(config->proxy_url, "http://proxy:3128");
    assert_string_equal(config->token, "abc");
    assert_true(text_ends_with(config->token_file, "/token")); // beside the kubeconfig
    assert_true(text_starts_with(config->token_file, world->folder));
    struct kube_config *copy = kube_config_copy(config);
    kube_config_free(config);
    assert_string_equal(copy->server, "https://10.0.0.1:6443");
    kube_config_free(copy);
}

static void several_files_are_merged_the_first_wins(void **state)
{
    struct world *world = *state;
    write_file(world, "a",
               "kind: Config\nclusters:\n- name: c\n  cluster: {server: https://first}\n"
               "contexts:\n- name: other\n  context: {cluster: c, user: u, namespace: ns1}\n");
    write_file(world, "b",
               CONTEXT "clusters:\n- name: c\n  cluster: {server: https://second, proxy-url: p}\n"
                       "users:\n- name: u\n  user: {username: me, password: '123'}\n");
    char list[256];
    snprintf(list, sizeof list, "%s/missing:%s/a::%s/b", world->folder, world->folder,
             world->folder);
    setenv("KUBECONFIG", list, 1);
    struct kube_config *config = load(NULL, NULL); // context "main" of the second file
    assert_string_equal(config->server, "https://first");
    assert_null(config->proxy_url); // the first entry of a name counts whole
    assert_string_equal(config->username, "me");
    assert_string_equal(config->password, "123");
    kube_config_free(config);
    config = load(NULL, "other");
    assert_string_equal(config->namespace, "ns1");
    kube_config_free(config);
    expect_error(NULL, "nowhere", "there is no context named \"nowhere\"");
    snprintf(list, sizeof list, "%s/missing", world->folder);
    setenv("KUBECONFIG", list, 1);
    expect_error(NULL, NULL, "KUBECONFIG=");
}

static void the_home_folder_is_the_last_resort(void **state)
{
    struct world *world = *state;
    expect_error(NULL, NULL, "no cluster to talk to");
    char path[128];
    snprintf(path, sizeof path, "%s/.kube", world->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(world, ".kube/config", CONTEXT CLUSTER "users:\n- name: u\n  user: {token: t}\n");
    struct kube_config *config = load(NULL, NULL);
    assert_string_equal(config->token, "t");
    kube_config_free(config);
    write_file(world, ".kube/config",
               CONTEXT "clusters:\n- name: c\n  cluster: {server: 'https://x', "
                       "certificate-authority: absent.crt}\n");
    expect_error(NULL, NULL, "clusters[0].cluster.certificate-authority, "); // not "no cluster"
}

static void an_exec_plugin_is_read(void **state)
{
    struct world *world = *state;
    struct kube_config *config =
        load(write_file(world, "a",
                        CONTEXT
                        "clusters:\n- name: c\n  cluster:\n    server: https://10.0.0.1\n"
                        "    extensions:\n    - name: client.authentication.k8s.io/exec\n"
                        "      extension: {audience: x}\n"
                        "users:\n- name: u\n  user:\n    exec:\n"
                        "      apiVersion: client.authentication.k8s.io/v1beta1\n"
                        "      command: ./bin/plugin\n      args: [eks, get-token]\n"
                        "      env: [{name: AWS_PROFILE, value: dev}]\n      installHint: get it\n"
                        "      interactiveMode: IfAvailable\n      provideClusterInfo: true\n"),
             NULL);
    assert_true(text_starts_with(config->exec_command, world->folder));
    assert_true(text_ends_with(config->exec_command, "/./bin/plugin"));
    assert_string_equal(config->exec_arguments[1], "get-token");
    assert_null(config->exec_arguments[2]);
    assert_string_equal(config->exec_environment[0], "AWS_PROFILE=dev");
    assert_string_equal(config->exec_install_hint, "get it");
    assert_string_equal(config->exec_cluster_config,
                        "{\"server\":\"https://10.0.0.1\",\"config\":{\"audience\":\"x\"}}");
    kube_config_free(config);
}

static void errors_name_file_and_field(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *text, *part;
    } table[] = {
        {"- a\n", "it should be a mapping"},
        {"{", "/a"},
        {"kind: Config\n", "/a: current-context is not set"},
        {"current-context: x\n", "/a: there is no context named \"x\" in contexts"},
        {CONTEXT, "there is no cluster named \"c\" in clusters"},
        {CONTEXT CLUSTER, "there is no user named \"u\" in users"},
        {CONTEXT "clusters:\n- name: c\n", "/a: clusters[0].cluster.server is missing"},
        {CONTEXT "clusters:\n- name: b\n- name: c\n  cluster: {server: 'ftp://x'}\n",
         "/a: clusters[1].cluster.server should begin with https://"},
        {CONTEXT "clusters:\n- name: c\n  cluster: {server: 7}\n",
         "clusters[0].cluster.server should be a string"},
        {CONTEXT "clusters:\n- name: c\n  cluster: {server: 'https://x', "
                 "insecure-skip-tls-verify: 'yes'}\n",
         "insecure-skip-tls-verify should be true or false"},
        {CONTEXT "clusters:\n- name: c\n  cluster: {server: 'https://x', "
                 "certificate-authority-data: '%%%'}\n",
         "clusters[0].cluster.certificate-authority-data is not base64"},
        {CONTEXT "clusters:\n- name: c\n  cluster: {server: 'https://x', "
                 "certificate-authority-data: aGVsbG8=}\n",
         "holds no PEM certificate"},
        {CONTEXT "clusters:\n- name: c\n  cluster: {server: 'https://x', "
                 "certificate-authority: absent.crt}\n",
         "clusters[0].cluster.certificate-authority, /"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {token: 12345}\n",
         "users[0].user.token should be a string"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {client-key-data: aGVsbG8=}\n",
         "users[0].user: client-certificate is missing"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {auth-provider: {name: gcp}}\n",
         "users[0].user.auth-provider is not supported"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {exec: {command: x, apiVersion: "
                         "client.authentication.k8s.io/v1alpha1}}\n",
         "users[0].user.exec.apiVersion should be"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {exec: {apiVersion: "
                         "client.authentication.k8s.io/v1}}\n",
         "users[0].user.exec.command is missing"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {exec: {command: x, interactiveMode: Always, "
                         "apiVersion: client.authentication.k8s.io/v1}}\n",
         "needs a terminal"},
        {CONTEXT CLUSTER "users:\n- name: u\n  user: {exec: {command: x, args: [1], apiVersion: "
                         "client.authentication.k8s.io/v1}}\n",
         "users[0].user.exec.args[0] should be a string"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        expect_error(write_file(world, "a", table[i].text), NULL, table[i].part);
    expect_error("/nonexistent/kubeconfig", NULL, "/nonexistent/kubeconfig cannot be read");
}

// Longer than a message can hold.
static void a_path_may_be_long(void **state)
{
    (void)state;
    struct error error = {0};
    char path[2000];
    for (size_t length = sizeof error.message - 10; length < sizeof path; length += 7) {
        memset(path, 'x', length);
        path[0] = '/';
        path[length] = '\0';
        assert_null(secret_file_read(path, NULL, &error));
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_true(text_starts_with(error.message, "/xxx"));
    }
}

static void an_encrypted_key_is_refused_and_never_asked_for(void **state)
{
    struct world *world = *state;
    char *key = encode("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                       "MIGjMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBA=\n"
                       "-----END ENCRYPTED PRIVATE KEY-----\n");
    struct text text = {0};
    text_format(&text,
                CONTEXT CLUSTER "users:\n- name: u\n  user:\n    client-certificate-data: %s\n"
                                "    client-key-data: %s\n",
                world->encoded_certificate, key);
    expect_error(write_file(world, "a", text.data), NULL, "users[0].user.client-key");
    text_free(&text);
    free(key);
}

static void a_pod_has_its_service_account(void **state)
{
    struct world *world = *state;
    struct error error = {0};
    assert_null(kube_config_in_cluster(world->folder, &error));
    assert_non_null(strstr(error.message, "KUBERNETES_SERVICE_HOST"));
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    assert_null(kube_config_in_cluster(world->folder, &error));
    assert_non_null(strstr(error.message, "/token cannot be read"));
    write_file(world, "token", "secret\n");
    write_file(world, "ca.crt", world->identity.certificate);
    write_file(world, "namespace", "karpenter\n");
    struct kube_config *config = kube_config_in_cluster(world->folder, &error);
    assert_non_null(config);
    assert_string_equal(config->server, "https://[fd00::1]:443");
    assert_string_equal(config->namespace, "karpenter");
    assert_null(config->token); // read from the file each time
    assert_non_null(config->token_file);
    assert_string_equal(config->ca_data, world->identity.certificate);
    kube_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(data_and_files_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_files_are_merged_the_first_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_home_folder_is_the_last_resort, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_exec_plugin_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_name_file_and_field, set_up, tear_down),
        cmocka_unit_test(a_path_may_be_long),
        cmocka_unit_test_setup_teardown(an_encrypted_key_is_refused_and_never_asked_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_pod_has_its_service_account, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
