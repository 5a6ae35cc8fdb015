#include "cli/input/cluster_options.h"

bool cluster_options_take(struct kube_choice *choice, int option)
{
    const char **const texts[] = {
        [CLUSTER_KUBECONFIG - CLUSTER_KUBECONFIG] = &choice->kubeconfig,
        [CLUSTER_CONTEXT - CLUSTER_KUBECONFIG] = &choice->context,
        [CLUSTER_CLUSTER - CLUSTER_KUBECONFIG] = &choice->cluster,
        [CLUSTER_USER - CLUSTER_KUBECONFIG] = &choice->user,
        [CLUSTER_SERVER - CLUSTER_KUBECONFIG] = &choice->server,
        [CLUSTER_TLS_SERVER_NAME - CLUSTER_KUBECONFIG] = &choice->tls_server_name,
        [CLUSTER_AUTHORITY - CLUSTER_KUBECONFIG] = &choice->certificate_authority,
        [CLUSTER_TOKEN - CLUSTER_KUBECONFIG] = &choice->token,
        [CLUSTER_CERTIFICATE - CLUSTER_KUBECONFIG] = &choice->client_certificate,
        [CLUSTER_KEY - CLUSTER_KUBECONFIG] = &choice->client_key,
    };
    if (option == CLUSTER_INSECURE)
        choice->insecure_skip_tls_verify = true;
    else if (option == CLUSTER_NAMESPACE || option == 'n')
        choice->namespace = optarg;
    else if (option == 's')
        choice->server = optarg;
    else if (option >= CLUSTER_KUBECONFIG && option <= CLUSTER_KEY)
        *texts[option - CLUSTER_KUBECONFIG] = optarg;
    else
        return false;
    return true;
}
