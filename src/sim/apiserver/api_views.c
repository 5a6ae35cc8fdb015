#include "sim/apiserver/api_views.h"

#include <string.h>

#include "base/memory.h"
#include "sim/apiserver/api_autoscalers.h"
#include "sim/apiserver/api_events.h"
#include "sim/store/store_resources.h"

static const struct {
    const char *group, *version; // of the view
    const char *stored_group, *stored_version, *plural;
    json_t *(*to)(const json_t *object);
    json_t *(*from)(const json_t *object);
} views[] = {
    {"events.k8s.io", "v1", "", "v1", "events", event_to_view, event_from_view},
    {"autoscaling", "v1", "autoscaling", "v2", "horizontalpodautoscalers", autoscaler_to_v1,
     autoscaler_from_v1},
};
_Static_assert(ARRAY_LENGTH(views) == API_VIEWS, "a view each");

void views_create(struct api_server *server)
{
    for (size_t i = 0; i < ARRAY_LENGTH(views); i++) {
        server->views[i] = *store_resource_find(server->store, views[i].stored_group,
                                                views[i].stored_version, views[i].plural);
        server->views[i].group = views[i].group;
        server->views[i].version = views[i].version;
    }
}

// The place among `views`, or their number.
static size_t place_of(const char *group, const char *version, const char *plural)
{
    size_t i = 0;
    while (i < ARRAY_LENGTH(views) &&
           (strcmp(group, views[i].group) != 0 || strcmp(version, views[i].version) != 0 ||
            strcmp(plural, views[i].plural) != 0))
        i++;
    return i;
}

const struct store_resource *view_find(const struct api_server *server, const struct api_path *path,
                                       const struct store_resource **stored)
{
    size_t i = place_of(path->group, path->version, path->plural);
    if (i == ARRAY_LENGTH(views))
        return NULL;
    *stored = store_resource_find(server->store, views[i].stored_group, views[i].stored_version,
                                  views[i].plural);
    return &server->views[i];
}

json_t *view_of(const struct store_resource *view, json_t *object)
{
    size_t i = place_of(view->group, view->version, view->plural);
    return i < ARRAY_LENGTH(views) ? views[i].to(object) : json_incref(object);
}

json_t *view_read(const struct store_resource *view, json_t *object)
{
    size_t i = place_of(view->group, view->version, view->plural);
    if (!json_is_object(object) || i == ARRAY_LENGTH(views))
        return json_incref(object);
    return views[i].from(object);
}
