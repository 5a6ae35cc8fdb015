#include "control/command/blocked_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define LOOKERS 2

struct cause {
    enum kind_id kind; // of the object: the Node, or the NodeClaim if there is no Node
    char *name, *uid;
    uint64_t message;    // hash of the last published message
    uint64_t evaluation; // the last evaluation that found it
};

struct blocked_events {
    struct control *control;
    struct map *causes[LOOKERS]; // struct cause by "REASON UID"
    uint64_t evaluation;
};

struct blocked_events *blocked_events_create(struct control *control)
{
    struct blocked_events *causes = memory_allocate(sizeof *causes);
    causes->control = control;
    causes->evaluation = 1;
    for (int i = 0; i < LOOKERS; i++)
        causes->causes[i] = map_create();
    return causes;
}

static void cause_destroy(void *value)
{
    struct cause *cause = value;
    free(cause->name);
    free(cause->uid);
    free(cause);
}

void blocked_events_destroy(struct blocked_events *causes)
{
    if (causes == NULL)
        return;
    for (int i = 0; i < LOOKERS; i++)
        map_destroy(causes->causes[i], cause_destroy);
    free(causes);
}

static struct cause *find_or_make(struct map *causes, const char *key, const struct object *about)
{
    struct cause *cause = map_get(causes, key);
    if (cause == NULL) {
        cause = memory_allocate(sizeof *cause);
        cause->kind = about->kind->id;
        cause->name = memory_copy_string(about->meta.name);
        cause->uid = memory_copy_string(about->meta.uid != NULL ? about->meta.uid : "");
        map_set(causes, key, cause);
    }
    return cause;
}

static bool was_published(const struct blocked_events *causes, const char *key, uint64_t message)
{
    for (int i = 0; i < LOOKERS; i++) {
        const struct cause *cause = map_get(causes->causes[i], key);
        if (cause != NULL && cause->message == message)
            return true;
    }
    return false;
}

void blocked_events_publish(struct blocked_events *causes, enum node_looker looker,
                            enum event_reason event, const struct node *node,
                            const struct node_claim *claim, const char *message)
{
    const struct object *about =
        node != NULL ? (const struct object *)node : (const struct object *)claim;
    uint64_t hash = hash_string(message) | 1; // 0: nothing was published yet
    struct text key = {0};
    text_format(&key, "%s %s", event_name(event),
                about->meta.uid != NULL ? about->meta.uid : about->meta.name);
    struct cause *cause = find_or_make(causes->causes[looker], key.data, about);
    cause->evaluation = causes->evaluation;
    // A message that another evaluation published a moment ago waits for its interval.
    if (was_published(causes, key.data, hash) ||
        publish_of_node(&causes->control->manager, node, claim, event, "%s", message))
        cause->message = hash;
    text_free(&key);
}

static bool is_gone(const struct control *control, const struct cause *cause)
{
    const struct object *about =
        mirror_get(control->manager.mirror, cause->kind, NULL, cause->name);
    return about == NULL || strcmp(about->meta.uid != NULL ? about->meta.uid : "", cause->uid) != 0;
}

void blocked_events_end(struct blocked_events *causes, enum node_looker looker, bool was_complete)
{
    struct map_entry *next;
    for (struct map_entry *entry = map_first(causes->causes[looker]); entry != NULL; entry = next) {
        const struct cause *cause = map_value(entry);
        next = map_next(entry);
        if ((was_complete && cause->evaluation != causes->evaluation) ||
            is_gone(causes->control, cause))
            cause_destroy(map_remove(causes->causes[looker], map_key(entry)));
    }
    causes->evaluation++;
}
