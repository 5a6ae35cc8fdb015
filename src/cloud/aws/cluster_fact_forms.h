// Forms of facts of the cluster, of settings and of answers: they go into user data of nodes.
#pragma once

#include <stdbool.h>

bool fact_is_url(const char *text); // AWN-502: an absolute URL with a host
// The same without characters that mean something in shells, TOML or YAML; NULL is none.
bool fact_is_plain_url(const char *text);
bool fact_is_cidr(const char *text);    // AWN-707: of either family
bool fact_is_address(const char *text); // of either family; NULL is none
