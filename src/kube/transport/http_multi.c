#include "kube/transport/http_multi.h"

#include <assert.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

// One API server and its watches. Calls beyond this number wait.
#define CONNECTIONS_MAX      128
#define IDLE_CONNECTIONS_MAX 16

struct http_multi {
    CURLM *curl;
    struct loop *loop;
    struct timer *timer;
};

struct transfer { // CURLOPT_PRIVATE of an easy handle under way
    http_multi_done done;
    void *context;
};

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known);
static int watch_timeout(CURLM *curl, long timeout_ms, void *context);
static void socket_ready(evutil_socket_t socket, short events, void *context);
static void timeout_reached(void *context);
static void act(struct http_multi *multi, curl_socket_t socket, int events);
static void collect_finished(struct http_multi *multi);
static struct transfer *transfer_take(CURL *easy);

struct http_multi *http_multi_create(struct loop *loop, struct error *error)
{
    if (loop_event_base(loop) == NULL) {
        error_set(error, ERROR_INTERNAL, "HTTP needs a real loop, not virtual time");
        return NULL;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) { // counted, and thread-safe since 7.84
        error_set(error, ERROR_INTERNAL, "libcurl cannot be set up");
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); // a closed peer fails the write instead of killing the process
    struct http_multi *multi = memory_allocate(sizeof *multi);
    multi->loop = loop;
    multi->curl = curl_multi_init();
    assert(multi->curl != NULL);
    multi->timer = timer_create_on(loop, timeout_reached, multi);
    curl_multi_setopt(multi->curl, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(multi->curl, CURLMOPT_SOCKETDATA, multi);
    curl_multi_setopt(multi->curl, CURLMOPT_TIMERFUNCTION, watch_timeout);
    curl_multi_setopt(multi->curl, CURLMOPT_TIMERDATA, multi);
    curl_multi_setopt(multi->curl, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi->curl, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)CONNECTIONS_MAX);
    curl_multi_setopt(multi->curl, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS_MAX);
    return multi;
}

void http_multi_destroy(struct http_multi *multi)
{
    if (multi == NULL)
        return;
    curl_multi_cleanup(multi->curl); // closes the connections, whose events go with them
    timer_destroy(multi->timer);
    free(multi);
    curl_global_cleanup();
}

void http_multi_add(struct http_multi *multi, CURL *easy, http_multi_done done, void *context)
{
    assert(easy != NULL);
    assert(done != NULL);
    struct transfer *transfer = memory_allocate(sizeof *transfer);
    *transfer = (struct transfer){done, context};
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    CURLMcode code = curl_multi_add_handle(multi->curl, easy);
    assert(code == CURLM_OK); // only misuse and lack of memory fail here
    (void)code;
}

void http_multi_remove(struct http_multi *multi, CURL *easy)
{
    CURLMcode code = curl_multi_remove_handle(multi->curl, easy);
    assert(code == CURLM_OK);
    (void)code;
    free(transfer_take(easy));
}

// libcurl sets the events to wait for on this socket. The event is libcurl's pointer for the
// socket.
static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known)
{
    (void)easy;
    struct http_multi *multi = context;
    struct event *event = known;
    if (event != NULL)
        event_free(event);
    if (what == CURL_POLL_REMOVE) {
        curl_multi_assign(multi->curl, socket, NULL);
        return 0;
    }
    short wanted = EV_PERSIST;
    if (what & CURL_POLL_IN)
        wanted |= EV_READ;
    if (what & CURL_POLL_OUT)
        wanted |= EV_WRITE;
    event = event_new(loop_event_base(multi->loop), socket, wanted, socket_ready, multi);
    assert(event != NULL);
    event_add(event, NULL);
    curl_multi_assign(multi->curl, socket, event);
    return 0;
}

static int watch_timeout(CURLM *curl, long timeout_ms, void *context)
{
    (void)curl;
    struct http_multi *multi = context;
    assert(multi->curl == curl);
    if (timeout_ms < 0)
        timer_stop(multi->timer);
    else
        timer_start(multi->timer, ns_multiply(timeout_ms, MILLISECOND));
    return 0;
}

static void socket_ready(evutil_socket_t socket, short events, void *context)
{
    act(context, socket,
        (events & EV_READ ? CURL_CSELECT_IN : 0) | (events & EV_WRITE ? CURL_CSELECT_OUT : 0));
}

static void timeout_reached(void *context)
{
    act(context, CURL_SOCKET_TIMEOUT, 0);
}

static void act(struct http_multi *multi, curl_socket_t socket, int events)
{
    int running;
    CURLMcode code = curl_multi_socket_action(multi->curl, socket, events, &running);
    assert(code == CURLM_OK);
    (void)code;
    collect_finished(multi);
}

static void collect_finished(struct http_multi *multi)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi->curl, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        CURL *easy = message->easy_handle; // the message is invalid after the removal
        CURLcode result = message->data.result;
        curl_multi_remove_handle(multi->curl, easy);
        struct transfer *transfer = transfer_take(easy);
        struct transfer copy = *transfer;
        free(transfer);
        copy.done(copy.context, result);
    }
}

static struct transfer *transfer_take(CURL *easy)
{
    char *private = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, NULL);
    assert(private != NULL);
    return (struct transfer *)(void *)private;
}
