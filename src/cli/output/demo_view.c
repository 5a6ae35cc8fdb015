#include "cli/output/demo_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/output/terminal.h"
#include "sim/store/store_watch.h"

#define SUMMARY_INTERVAL (500 * MILLISECOND)

// What happened to objects of a kind. Alike but for the object's name, they become one line:
// "NodeClaim default-a and 28 more: launched 29 × t3a.2xlarge in us-east-1a".
struct news {
    const char *kind, *verb; // verb "": `text` is no number of things
    char *first, *text;      // the first one's name, and what happened
    uint32_t count;
};

struct demo_view {
    struct loop *loop;
    struct simulation *simulation;
    int64_t begun;
    bool quiet;
    struct store_watch *claims, *events;
    struct timer *timer;
    struct map *told;         // "what/uid": printed once
    VECTOR(struct news) news; // since the last look
    struct world_counts last;
    int64_t last_price;
};

// --- lines ---------------------------------------------------------------------------------------

void demo_view_say(struct demo_view *view, const char *format, ...)
{
    double seconds =
        (double)ns_subtract(loop_monotonic_ns(view->loop), view->begun) / (double)SECOND;
    va_list arguments;
    va_start(arguments, format);
    char clock[32];
    snprintf(clock, sizeof clock, "%6.1fs  ", seconds);
    terminal_print(stdout, IN_DIM, clock);
    struct text line = {0};
    text_format_list(&line, format, arguments);
    for (char *c = line.data; c != NULL && *c != '\0'; c++)
        if (*c == '\n' || *c == '\t') // a message is one line
            *c = ' ';
    printf("%s\n", line.data != NULL ? line.data : "");
    text_free(&line);
    fflush(stdout);
    va_end(arguments);
}

// Told at the next look.
static void tell(struct demo_view *view, const char *kind, const char *name, const char *verb,
                 const char *format, ...) PRINTF_LIKE(5, 6);

static void tell(struct demo_view *view, const char *kind, const char *name, const char *verb,
                 const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    vector_for_each (news, &view->news) {
        if (text_equal(news->kind, kind) && text_equal(news->verb, verb) &&
            text_equal(news->text, text.data)) {
            news->count++;
            text_free(&text);
            return;
        }
    }
    struct news news = {kind, verb, memory_copy_string(name), text_take(&text), 1};
    vector_push(&view->news, news);
}

static void tell_news(struct demo_view *view)
{
    vector_for_each (news, &view->news) {
        struct text who = {0}, number = {0};
        text_format(&who, "%s %s", news->kind, news->first);
        if (news->count > 1)
            text_format(&who, " and %u more", news->count - 1);
        if (news->count > 1 && news->verb[0] != '\0')
            text_format(&number, " %u ×", news->count);
        demo_view_say(view, "%s: %s%s%s%s", who.data, news->verb,
                      number.data != NULL ? number.data : "", news->verb[0] != '\0' ? " " : "",
                      news->text);
        text_free(&who);
        text_free(&number);
        free(news->first);
        free(news->text);
    }
    view->news.count = 0;
}

static bool first_time(struct demo_view *view, const char *what, const char *uid)
{
    char key[200];
    snprintf(key, sizeof key, "%s/%s", what, uid);
    return map_set(view->told, key, view) == NULL;
}

static const char *text_at(json_t *object, const char *path)
{
    const char *text = json_string_value(store_path(object, path));
    return text != NULL ? text : "";
}

static const char *label(json_t *object, const char *key)
{
    const char *text =
        json_string_value(json_object_get(store_path(object, "metadata.labels"), key));
    return text != NULL ? text : "?";
}

static size_t types_offered(json_t *claim)
{
    size_t index;
    json_t *requirement;
    json_array_foreach (store_path(claim, "spec.requirements"), index, requirement)
        if (text_equal(json_string_value(json_object_get(requirement, "key")), LABEL_INSTANCE_TYPE))
            return json_array_size(json_object_get(requirement, "values"));
    return 0;
}

static int64_t price_of_machine(struct demo_view *view, json_t *claim)
{
    const char *id = text_at(claim, "status.providerID");
    struct simulation_machine machine;
    for (uint32_t i = 0; simulation_machine_at(view->simulation, i, &machine); i++)
        if (text_equal(machine.provider_id, id))
            return machine.price;
    return 0;
}

static void claim_event(void *context, const char *type, json_t *claim)
{
    struct demo_view *view = context;
    const char *uid = store_uid(claim), *name = store_name(claim);
    json_t *requests = store_path(claim, "spec.resources.requests");
    if (view->quiet)
        return;
    if (strcmp(type, "DELETED") == 0) {
        tell(view, "NodeClaim", name, "", "gone");
        return;
    }
    if (first_time(view, "planned", uid))
        tell(view, "NodeClaim", name, "",
             "%s pods, %s cpu (DaemonSets included) could go on any of %zu instance types",
             text_at(requests, "pods"), text_at(requests, "cpu"), types_offered(claim));
    if (store_condition_is_true(claim, CONDITION_LAUNCHED) && first_time(view, "launched", uid))
        tell(view, "NodeClaim", name, "launched",
             "%s in %s, %s, $%.4f an hour: the cheapest offering that fits",
             label(claim, LABEL_INSTANCE_TYPE), label(claim, LABEL_ZONE),
             label(claim, LABEL_CAPACITY_TYPE), price_to_double(price_of_machine(view, claim)));
    if (store_condition_is_true(claim, CONDITION_INITIALIZED) &&
        first_time(view, "initialized", uid))
        tell(view, "Node", text_at(claim, "status.nodeName"), "", "initialized");
}

static const char *kind_name(const char *kind)
{
    static const char *const names[] = {"Pod", "Node", "NodeClaim", "NodePool"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(kind, names[i]) == 0)
            return names[i];
    return "Object";
}

// Reasons in the words of Kubernetes events.
static void kubernetes_event(void *context, const char *type, json_t *event)
{
    static const char *const telling[] = {"FailedScheduling",          "InsufficientCapacityError",
                                          "DisruptionTerminating",     "FailedDraining",
                                          "NoCompatibleInstanceTypes", "DisruptionBlocked"};
    struct demo_view *view = context;
    const char *reason = text_at(event, "reason");
    if (view->quiet || strcmp(type, "ADDED") != 0)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(telling); i++) {
        char key[300];
        if (strcmp(reason, telling[i]) != 0)
            continue;
        // One of a kind is enough: two hundred pods may wait for the same reason.
        snprintf(key, sizeof key, "%s%.200s", reason, text_at(event, "message"));
        if (first_time(view, "event", key))
            tell(view, kind_name(text_at(event, "involvedObject.kind")),
                 text_at(event, "involvedObject.name"), "", "%s: %s", reason,
                 text_at(event, "message"));
    }
}

// --- the running sum -----------------------------------------------------------------------------

static bool same(const struct world_counts *a, const struct world_counts *b)
{
    return a->pods_unassigned == b->pods_unassigned && a->pods_starting == b->pods_starting &&
           a->pods_running == b->pods_running && a->pods_terminating == b->pods_terminating &&
           a->nodes == b->nodes && a->nodes_ready == b->nodes_ready;
}

static void summary(void *context)
{
    struct demo_view *view = context;
    struct world_counts now = world_counts(simulation_world(view->simulation));
    int64_t price = simulation_price(view->simulation);
    timer_start(view->timer, SUMMARY_INTERVAL);
    tell_news(view);
    if (view->quiet || (same(&now, &view->last) && price == view->last_price))
        return;
    view->last = now;
    view->last_price = price;
    struct text ending = {0};
    if (now.pods_terminating > 0)
        text_format(&ending, ", %u Terminating", now.pods_terminating);
    demo_view_say(view,
                  "pods: %u Pending, %u ContainerCreating, %u Running%s   nodes: %u Ready of %u   "
                  "cost: $%.4f an hour",
                  now.pods_unassigned, now.pods_starting, now.pods_running,
                  ending.data != NULL ? ending.data : "", now.nodes_ready, now.nodes,
                  price_to_double(price));
    text_free(&ending);
}

// --- the summary ---------------------------------------------------------------------------------

struct kind_of_node {
    struct simulation_machine sample;
    uint32_t count;
    int64_t price;
};
typedef VECTOR(struct kind_of_node) node_kinds;

static void count_machine(node_kinds *kinds, const struct simulation_machine *machine)
{
    vector_for_each (kind, kinds) {
        if (text_equal(kind->sample.instance_type, machine->instance_type) &&
            text_equal(kind->sample.zone, machine->zone) &&
            text_equal(kind->sample.capacity_type, machine->capacity_type)) {
            kind->count++;
            kind->price += machine->price;
            return;
        }
    }
    struct kind_of_node kind = {*machine, 1, machine->price};
    vector_push(kinds, kind);
}

void demo_view_picture(struct demo_view *view, const char *title)
{
    tell_news(view);
    struct world_counts now = world_counts(simulation_world(view->simulation));
    node_kinds kinds = {0};
    struct simulation_machine machine;
    for (uint32_t i = 0; simulation_machine_at(view->simulation, i, &machine); i++)
        count_machine(&kinds, &machine);
    printf("\n  %s: %u pod%s running on %u node%s\n", title, now.pods_running,
           now.pods_running == 1 ? "" : "s", now.nodes, now.nodes == 1 ? "" : "s");
    if (kinds.count > 0)
        printf("  %-5s  %-18s  %-12s  %-10s  %s\n", "COUNT", "TYPE", "ZONE", "CAPACITY", "PRICE/H");
    vector_for_each (kind, &kinds)
        printf("  %-5u  %-18s  %-12s  %-10s  $%.4f\n", kind->count, kind->sample.instance_type,
               kind->sample.zone, kind->sample.capacity_type, price_to_double(kind->price));
    printf("  total $%.4f an hour\n\n", price_to_double(simulation_price(view->simulation)));
    fflush(stdout);
    vector_free(&kinds);
}

// --- life ----------------------------------------------------------------------------------------

static struct store_watch *watch(struct demo_view *view, const char *api_version, const char *kind,
                                 store_event event)
{
    struct store *store = simulation_store(view->simulation);
    return store_watch_create(
        store, &(struct store_target){store_resource_of_kind(store, api_version, kind)}, 0, event,
        view, NULL);
}

struct demo_view *demo_view_create(struct loop *loop, struct simulation *simulation, bool quiet)
{
    struct demo_view *view = memory_allocate(sizeof *view);
    view->loop = loop;
    view->simulation = simulation;
    view->begun = loop_monotonic_ns(loop);
    view->quiet = quiet;
    view->told = map_create();
    view->claims = watch(view, "karpenter.sh/v1", "NodeClaim", claim_event);
    view->events = watch(view, "v1", "Event", kubernetes_event);
    view->timer = timer_create_on(loop, summary, view);
    timer_start(view->timer, SUMMARY_INTERVAL);
    return view;
}

void demo_view_destroy(struct demo_view *view)
{
    if (view == NULL)
        return;
    timer_destroy(view->timer);
    if (view->claims != NULL)
        store_watch_destroy(view->claims);
    if (view->events != NULL)
        store_watch_destroy(view->events);
    map_destroy(view->told, NULL);
    tell_news(view);
    vector_free(&view->news);
    free(view);
}
