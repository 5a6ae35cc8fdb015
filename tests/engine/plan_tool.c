// plan -f FILE [-o json] [--disrupt] [--method NAME]: prints the plan of a snapshot as JSON. Drives
// the recorded decisions without the rest of the command line.
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

static int print_plan(const struct snapshot *snapshot, const struct plan_options *options)
{
    struct error error = {0};
    struct plan *plan = engine_plan(snapshot, options, &error);
    if (plan == NULL) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    json_t *json = plan_encode(plan);
    json_dumpf(json, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(json);
    int status = plan->unschedulable.count > 0 ? 3 : 0;
    plan_destroy(plan);
    return status;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    bool fine = true;
    struct plan_options options = {.explain = true};
    for (int i = 1; i < argc && fine; i++) {
        if (strcmp(argv[i], "--disrupt") == 0)
            options.disrupt = true;
        else if (i + 1 < argc && strcmp(argv[i], "--method") == 0) {
            enum disruption_method method = METHOD_ANY;
            fine = disruption_method_parse(argv[++i], &method);
            options.methods = disruption_methods_of(method);
        } else if (i + 1 < argc && strcmp(argv[i], "-f") == 0)
            fine = snapshot_read(snapshot, argv[++i], false, &error);
    }
    fine = fine && snapshot_complete(snapshot, &error);
    if (!fine)
        fprintf(stderr, "%s\n", error.message);
    int status = fine ? print_plan(snapshot, &options) : 2;
    snapshot_destroy(snapshot);
    return status;
}
