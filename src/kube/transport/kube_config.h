// Pieces of kubeconfig reading that its files share (public part: kube/http_transport.h).
#pragma once

#include "kube/transport/http_transport.h"

// The whole file, at most 4 MiB; NULL with an error that names it (ERROR_NOT_FOUND if absent).
char *kube_config_read_file(const char *path, size_t *length, struct error *error);
// `place` ("FILE: users[0].user.client-key") begins the message.
bool kube_config_check_certificates(const char *pem, const char *place,
                                    struct error *error) MUST_USE;
bool kube_config_check_key(const char *pem, const char *place, struct error *error) MUST_USE;
// Wipes, frees and forgets.
void kube_config_wipe(char **secret);
