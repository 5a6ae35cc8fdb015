// The credential of a request: fixed values of the kubeconfig, a rotating token file, or a plugin.
#pragma once

#include "base/loop.h"
#include "kube/transport/kube_config.h"

struct credentials;
struct credential {                  // borrowed until the loop's next turn
    uint64_t generation;             // changes with the values
    const char *token;               // Authorization: Bearer; NULL if none
    const char *username, *password; // basic authentication; NULL if none
    const char *certificate, *key;   // client certificate, PEM; NULL if none
};

// After CREDENTIALS_PENDING, `settled` is called whenever a plugin has run: call credentials_get()
// again. `config` must outlive the credentials.
struct credentials *credentials_create(struct loop *loop, const struct kube_config *config,
                                       loop_function settled, void *context);
void credentials_destroy(struct credentials *credentials); // NULL is fine

enum credentials_state { CREDENTIALS_READY, CREDENTIALS_PENDING, CREDENTIALS_FAILED };
// FAILED: the plugin or the token file has failed just now; *error names it. A later call tries
// again.
enum credentials_state credentials_get(struct credentials *credentials,
                                       struct credential *credential, struct error *error);
// The server has answered 401 to the credential of this generation. Returns true if
// credentials_get() has, or may soon have, a different one.
bool credentials_refused(struct credentials *credentials, uint64_t generation);
