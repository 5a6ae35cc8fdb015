#include "web/health.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/vector.h"

struct check {
    char *name;
    health_check function;
    void *context;
};

struct endpoint {
    const char *name, *path, *below;
    VECTOR(struct check) checks; // sorted by name
};

struct health {
    struct endpoint endpoints[2];
};

static void serve_all(void *context, const struct web_request *request,
                      struct web_response *response);
static void serve_one(void *context, const struct web_request *request,
                      struct web_response *response);
static bool is_excluded(const struct web_request *request, const char *name);
static void warn_unknown(const struct endpoint *endpoint, const struct web_request *request,
                         struct text *body);
static bool run(const struct check *check, struct error *error);
static int compare_names(const void *a, const void *b);

struct health *health_create(void)
{
    struct health *health = memory_allocate(sizeof *health);
    health->endpoints[HEALTH_LIVE] =
        (struct endpoint){.name = "healthz", .path = "/healthz", .below = "/healthz/"};
    health->endpoints[HEALTH_READY] =
        (struct endpoint){.name = "readyz", .path = "/readyz", .below = "/readyz/"};
    return health;
}

void health_destroy(struct health *health)
{
    if (health == NULL)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(health->endpoints); i++) {
        vector_for_each (check, &health->endpoints[i].checks)
            free(check->name);
        vector_free(&health->endpoints[i].checks);
    }
    free(health);
}

void health_add(struct health *health, enum health_endpoint which, const char *name,
                health_check check, void *context)
{
    assert(which <= HEALTH_READY);
    assert(name[0] != '\0');
    struct endpoint *endpoint = &health->endpoints[which];
    vector_push(&endpoint->checks, (struct check){memory_copy_string(name), check, context});
    qsort(endpoint->checks.items, endpoint->checks.count, sizeof *endpoint->checks.items,
          compare_names);
}

void health_serve(struct health *health, struct web_server *server)
{
    for (size_t i = 0; i < ARRAY_LENGTH(health->endpoints); i++) {
        struct endpoint *endpoint = &health->endpoints[i];
        web_server_route(server, endpoint->path, serve_all, endpoint);
        web_server_route(server, endpoint->below, serve_one, endpoint);
    }
}

// "ok" if all checks pass and the query has no ?verbose; otherwise a line a check. The reason of a
// failure is shown at the check's own path only.
static void serve_all(void *context, const struct web_request *request,
                      struct web_response *response)
{
    struct endpoint *endpoint = context;
    struct text *lines = &response->body;
    bool good = true;
    vector_for_each (check, &endpoint->checks) {
        struct error error = {0};
        if (is_excluded(request, check->name)) {
            text_format(lines, "[+]%s excluded: ok\n", check->name);
        } else if (run(check, &error)) {
            text_format(lines, "[+]%s ok\n", check->name);
        } else {
            good = false;
            text_format(lines, "[-]%s failed: reason withheld\n", check->name);
            log_debug("health check failed", "s:endpoint", endpoint->name, "s:check", check->name,
                      "s:error", error.message);
        }
    }
    if (endpoint->checks.count == 0)
        text_add(lines, "[+]ping ok\n");
    response->status = good ? 200 : 500;
    if (good && web_request_query(request, "verbose", 0) == NULL) {
        text_clear(lines);
        text_add(lines, "ok");
        return;
    }
    warn_unknown(endpoint, request, lines);
    text_add(lines, good ? "healthz check passed\n" : "healthz check failed\n");
}

static void serve_one(void *context, const struct web_request *request,
                      struct web_response *response)
{
    struct endpoint *endpoint = context;
    assert(text_starts_with(web_request_path(request), endpoint->below));
    const char *name = web_request_path(request) + strlen(endpoint->below);
    if (name[0] == '\0') {
        serve_all(context, request, response);
        return;
    }
    const struct check *found = NULL;
    vector_for_each (check, &endpoint->checks) {
        if (strcmp(check->name, name) == 0)
            found = check;
    }
    struct error error = {0};
    if (found == NULL) {
        response->status = 404;
        text_add(&response->body, "404 page not found\n");
    } else if (run(found, &error)) {
        text_add(&response->body, "ok");
    } else {
        response->status = 500;
        text_format(&response->body, "internal server error: %s\n", error.message);
    }
}

static bool is_excluded(const struct web_request *request, const char *name)
{
    const char *value;
    for (unsigned i = 0; (value = web_request_query(request, "exclude", i)) != NULL; i++)
        if (strcmp(value, name) == 0)
            return true;
    return false;
}

static void warn_unknown(const struct endpoint *endpoint, const struct web_request *request,
                         struct text *body)
{
    struct text names = {0};
    const char *value;
    for (unsigned i = 0; (value = web_request_query(request, "exclude", i)) != NULL; i++) {
        bool known = false;
        for (uint32_t at = 0; at < endpoint->checks.count; at++)
            known = known || strcmp(endpoint->checks.items[at].name, value) == 0;
        if (!known) {
            text_join(&names, ",", "\"");
            text_format(&names, "%.100s\"", value);
        }
    }
    if (names.length > 0)
        text_format(body, "warn: some health checks cannot be excluded: no matches for %s\n",
                    names.data);
    text_free(&names);
}

static bool run(const struct check *check, struct error *error)
{
    return check->function == NULL || check->function(check->context, error);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct check *)a)->name, ((const struct check *)b)->name);
}
