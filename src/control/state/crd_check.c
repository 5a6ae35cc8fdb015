#include "control/state/crd_check.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "model/tables/crd_fit.h"
#include "model/tables/kinds.h"

#define KINDS_MAX    5
#define FIT_NS       HOUR
#define UNFIT_NS     (5 * MINUTE)
#define FAILED_NS    (30 * SECOND)
#define UNDECIDED_NS SECOND
#define DECIDED_NS   (10 * SECOND) // from the start: by then a kind that is served is mirrored

struct crd_check {
    struct control *control;
    enum kind_id kinds[KINDS_MAX];
    char *problems[KINDS_MAX]; // told; "" or NULL: it fits
    uint32_t count, index;     // index: of the definition that is asked for
    struct timer *next;
    int64_t started_ns; // monotonic
    int64_t pause_ns;   // after the pass under way
    bool forbidden;     // told
};

static void ask(void *context);
static void answered(void *context, const struct kube_result *result);
static void on_object(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object);

struct crd_check *crd_check_create(struct control *control)
{
    struct manager *manager = &control->manager;
    struct crd_check *check = memory_allocate(sizeof *check);
    check->control = control;
    check->kinds[check->count++] = KIND_NODE_POOL;
    check->kinds[check->count++] = KIND_NODE_CLAIM;
    check->kinds[check->count++] = control->node_class_kind;
    if (manager->settings->gate_node_overlay)
        check->kinds[check->count++] = KIND_NODE_OVERLAY;
    if (manager->settings->gate_capacity_buffer)
        check->kinds[check->count++] = KIND_CAPACITY_BUFFER;
    assert(check->count <= KINDS_MAX);
    check->started_ns = loop_monotonic_ns(manager->loop);
    check->pause_ns = FIT_NS;
    check->next = timer_create_on(manager->loop, ask, check);
    timer_start(check->next, 0);
    manager_observe(manager, KIND_NODE_POOL, on_object, check);
    manager_observe(manager, control->node_class_kind, on_object, check);
    return check;
}

void crd_check_destroy(struct crd_check *check)
{
    if (check == NULL)
        return;
    kube_cancel(check->control->manager.client, check);
    timer_destroy(check->next);
    for (uint32_t i = 0; i < check->count; i++)
        free(check->problems[i]);
    free(check);
}

// --- events --------------------------------------------------------------------------------------

// The objects whose fields are dropped, where there are few of them; otherwise the NodePools.
static enum kind_id kind_of_events(const struct crd_check *check, uint32_t index)
{
    enum kind_id kind = check->kinds[index];
    return kind == check->control->node_class_kind &&
                   mirror_count(check->control->manager.mirror, kind) > 0
               ? kind
               : KIND_NODE_POOL;
}

static void publish_problem(struct crd_check *check, uint32_t index, const struct object *object)
{
    const struct kind *kind = kind_get(check->kinds[index]);
    struct text remedy = {0};
    crd_remedy(kind, &remedy);
    publish(&check->control->manager, object, EVENT_INCOMPATIBLE_CRD,
            "The CustomResourceDefinition %s.%s does not fit this version of adze: %s; run `%s`",
            kind->plural, kind->group, check->problems[index], remedy.data);
    text_free(&remedy);
}

static void on_object(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct crd_check *check = context;
    (void)old_object;
    for (uint32_t i = 0; i < check->count && change == MIRROR_ADDED; i++)
        if (!text_is_empty(check->problems[i]) && kind_of_events(check, i) == new_object->kind->id)
            publish_problem(check, i, new_object);
}

static void publish_to_all(struct crd_check *check, uint32_t index)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(check->control->manager.mirror, kind_of_events(check, index),
                               &iterator)) != NULL;)
        publish_problem(check, index, object);
}

// --- a pass --------------------------------------------------------------------------------------

static void ask(void *context)
{
    struct crd_check *check = context;
    char path[CRD_PATH_SIZE];
    assert(check->index < check->count);
    crd_path(kind_get(check->kinds[check->index]), path);
    kube_get_path(check->control->manager.client, path, answered, check);
}

static void log_change(const struct crd_check *check, const char *problem)
{
    const struct kind *kind = kind_get(check->kinds[check->index]);
    struct text name = {0}, remedy = {0};
    text_format(&name, "%s.%s", kind->plural, kind->group);
    crd_remedy(kind, &remedy);
    if (!text_is_empty(problem))
        log_error("a CustomResourceDefinition does not fit this version of adze",
                  "o:CustomResourceDefinition", name.data, "s:error", problem, "s:remedy",
                  remedy.data);
    else
        log_info("the CustomResourceDefinition fits now", "o:CustomResourceDefinition", name.data);
    text_free(&name);
    text_free(&remedy);
}

static void take(struct crd_check *check, const char *problem)
{
    const struct kind *kind = kind_get(check->kinds[check->index]);
    char **told = &check->problems[check->index];
    bool unfit = !text_is_empty(problem);
    metric_set(check->control->metrics.incompatible_crds, unfit, kind->plural);
    if (!text_equal(text_or_empty(*told), text_or_empty(problem)))
        log_change(check, problem);
    free(*told);
    *told = memory_copy_string(problem);
    if (!unfit)
        return;
    publish_to_all(check, check->index);
    check->pause_ns = ns_minimum(check->pause_ns, UNFIT_NS);
}

// A kind may be served without a definition, by an aggregated API server.
static void take_missing(struct crd_check *check)
{
    const struct manager *manager = &check->control->manager;
    enum kind_id kind = check->kinds[check->index];
    bool absent = mirror_is_absent(manager->mirror, kind);
    struct text problem = {0};
    if (absent || !mirror_kind_synced(manager->mirror, kind)) {
        int64_t age_ns = ns_subtract(loop_monotonic_ns(manager->loop), check->started_ns);
        if (!absent && age_ns < DECIDED_NS) {
            check->pause_ns = UNDECIDED_NS;
            return;
        }
        (void)crd_misfit(kind_get(kind), NULL, &problem);
    }
    take(check, problem.data);
    text_free(&problem);
}

static void take_failure(struct crd_check *check, const struct error *error)
{
    if (error->kind != ERROR_FORBIDDEN)
        check->pause_ns = ns_minimum(check->pause_ns, FAILED_NS);
    else if (!check->forbidden)
        log_info("CustomResourceDefinitions are not compared with adze's: the ServiceAccount may "
                 "not get them",
                 "s:error", error->message);
    check->forbidden = check->forbidden || error->kind == ERROR_FORBIDDEN;
}

static void answered(void *context, const struct kube_result *result)
{
    struct crd_check *check = context;
    struct text problem = {0};
    if (result->error.kind == ERROR_NOT_FOUND) {
        take_missing(check);
    } else if (result->error.kind != ERROR_NONE) {
        take_failure(check, &result->error);
    } else {
        check->forbidden = false;
        (void)crd_misfit(kind_get(check->kinds[check->index]), result->body, &problem);
        take(check, problem.data);
    }
    text_free(&problem);
    if (++check->index < check->count) {
        ask(check);
        return;
    }
    timer_start(check->next, check->pause_ns);
    check->index = 0;
    check->pause_ns = FIT_NS;
}
