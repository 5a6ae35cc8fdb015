// Options that say which cluster is read, with the names and meanings of kubectl's.
#pragma once

#include <getopt.h>

#include "kube/transport/kube_choice.h"

// Rows of getopt_long()'s table; -s and -n are the short forms of two.
enum {
    CLUSTER_KUBECONFIG = 8192,
    CLUSTER_CONTEXT,
    CLUSTER_CLUSTER,
    CLUSTER_USER,
    CLUSTER_SERVER,
    CLUSTER_TLS_SERVER_NAME,
    CLUSTER_AUTHORITY,
    CLUSTER_TOKEN,
    CLUSTER_CERTIFICATE,
    CLUSTER_KEY,
    CLUSTER_INSECURE,
    CLUSTER_NAMESPACE,
};
#define CLUSTER_OPTIONS                                                        \
    {"kubeconfig", required_argument, NULL, CLUSTER_KUBECONFIG},               \
        {"context", required_argument, NULL, CLUSTER_CONTEXT},                 \
        {"cluster", required_argument, NULL, CLUSTER_CLUSTER},                 \
        {"user", required_argument, NULL, CLUSTER_USER},                       \
        {"server", required_argument, NULL, CLUSTER_SERVER},                   \
        {"tls-server-name", required_argument, NULL, CLUSTER_TLS_SERVER_NAME}, \
        {"certificate-authority", required_argument, NULL, CLUSTER_AUTHORITY}, \
        {"token", required_argument, NULL, CLUSTER_TOKEN},                     \
        {"client-certificate", required_argument, NULL, CLUSTER_CERTIFICATE},  \
        {"client-key", required_argument, NULL, CLUSTER_KEY},                  \
        {"insecure-skip-tls-verify", no_argument, NULL, CLUSTER_INSECURE},     \
    {                                                                          \
        "namespace", required_argument, NULL, CLUSTER_NAMESPACE                \
    }
#define CLUSTER_OPTIONS_SHORT "s:n:"
#define CLUSTER_HELP(namespace)                                                                  \
    "      --kubeconfig FILE  the live cluster; default: $KUBECONFIG, the service account,\n"    \
    "                       ~/.kube/config\n"                                                    \
    "      --context NAME   of the kubeconfig; default: the current one\n"                       \
    "  -n, --namespace NAME " namespace "      --cluster NAME   of the kubeconfig, in place of " \
                                        "the context's\n"                                        \
                                        "      --user NAME      of the kubeconfig, in place of " \
                                        "the context's\n"                                        \
                                        "  -s, --server URL     of the API server\n"             \
                                        "      --token TOKEN    the bearer token for it\n"       \
                                        "      --certificate-authority FILE  the authority of "  \
                                        "its certificate\n"                                      \
                                        "      --client-certificate FILE  with --client-key: "   \
                                        "what to present to it\n"                                \
                                        "      --client-key FILE  of the client's certificate\n" \
                                        "      --tls-server-name NAME  in its certificate, if "  \
                                        "not that of the URL\n"                                  \
                                        "      --insecure-skip-tls-verify  trust any "           \
                                        "certificate\n"

// Takes one option with optarg; false: not one of these.
bool cluster_options_take(struct kube_choice *choice, int option);
