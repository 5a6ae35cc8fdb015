// Figures of instance types that EC2 does not tell (AWI-30): network bandwidth, branch interfaces,
// addresses of an interface on Windows. They age with the release: a file in the form of
// data/ec2/instance-types.json may be laid over those built in (AWI-911):
// {"types": [{"name": "m9g.large", "networkMbps": 937, "branchInterfaces": 9, "ipv4PerEni": 10}]}
//
// One table is made at start and serves every refresh of the types.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "cloud/aws/types/instance_info.h"

struct type_figures;
struct type_figures *type_figures_create(void);          // those built in
void type_figures_destroy(struct type_figures *figures); // NULL is fine
// Lays figures over the present ones; those that a type of the file lacks stay. All or nothing: the
// error names the entry.
bool type_figures_add(struct type_figures *figures, const json_t *value,
                      struct error *error) MUST_USE;
bool type_figures_load(struct type_figures *figures, const char *path,
                       struct error *error) MUST_USE;

// Fills the figures of the type. False: there are none.
bool type_figures_fill(const struct type_figures *figures, struct instance_info *info);
// Whether this is asked for the first time for the type: an unknown type is logged once.
bool type_figures_tell(struct type_figures *figures, const char *instance_type);
