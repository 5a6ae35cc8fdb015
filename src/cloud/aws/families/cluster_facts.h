// Facts of the cluster that nodes need to join it (AWN-500 to 506). The provider's door discovers
// them; a NULL or empty one is not known (yet).
#pragma once

struct cluster_facts {
    const char *name, *region, *partition, *account;
    const char *endpoint;
    const char *ca_bundle; // base64; "" if unknown
    const char *cidr;      // of Services (AWN-501); NULL until looked up
    const char *kube_dns;  // clusterIP of kube-system/kube-dns; NULL: there is none
    const char *version;   // Kubernetes "1.35"
};
