// A world with a simulated AWS account, and looks at what users are told in it.
#pragma once

#include <stdarg.h>
#include <string.h>

#include "support/cmocka_all.h"

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/settings_read.h"
#include "sim/aws/aws_account.h"
#include "sim/simulation.h"

#define TAGGED "[{tags: {karpenter.sh/discovery: shop}}]"

struct scene {
    struct loop *loop;
    struct settings settings;
    struct aws_account_options account;
    struct simulation *simulation;
};
// Cluster "shop" with m5.large and m5.xlarge; the settings and the account's options may be changed
// before scene_begin().
struct scene *scene_open(void);
void scene_begin(struct scene *scene);
void scene_close(struct scene *scene);
void run(struct scene *scene, int seconds);

void apply(struct scene *scene, const char *format, ...) PRINTF_LIKE(2, 3);
void apply_class(struct scene *scene, const char *subnets, const char *groups,
                 const char *identity);
void apply_pool(struct scene *scene, const char *requirements);
void apply_pods(struct scene *scene, int replicas);
// Deletes the NodeClaim without its finalizer, so that the instance is left over.
void lose_claim(struct scene *scene);

// A condition or an event in which both texts occur.
struct wanted {
    const char *kind, *type, *reason, *part, *remedy;
    bool found;
    struct text all; // that were seen
};
bool look_at_conditions(void *context, json_t *object); // store_each()
void expect_event(struct scene *scene, const char *kind, const char *reason, const char *part,
                  const char *remedy);
void expect_no_event(struct scene *scene, const char *kind, const char *reason);
void expect_condition(struct scene *scene, const char *api_version, const char *kind,
                      const char *type, const char *reason, const char *part, const char *remedy);
// On the EC2NodeClass, both.
void expect_problem(struct scene *scene, const char *type, const char *reason, const char *part,
                    const char *remedy);
