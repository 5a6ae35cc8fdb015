// What people expect in any cluster beside their own objects: the definitions of the custom kinds,
// the Service "kubernetes", and in each namespace the ServiceAccount "default" and the ConfigMap
// "kube-root-ca.crt". A store without them is smaller and as good for the controller.
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct store;
struct store_resource;

// Adds them, for the present namespaces and for those to come. Random names and uids of other
// objects stay as they would be without.
void store_furnish(struct store *store);
// Writes the conditions of a definition whose kind is served; returns the stored object.
json_t *store_furnish_definition_status(struct store *store, json_t *definition);
