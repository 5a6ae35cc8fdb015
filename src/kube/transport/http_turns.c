#include "kube/transport/http_turns.h"

#include <assert.h>
#include <string.h>

#define UNDER_WAY_MAX          96 // leaves a few streams for the lease
#define ORDINARY_UNDER_WAY_MAX 64

void http_turns_init(struct http_turns *turns)
{
    *turns = (struct http_turns){0};
    TAILQ_INIT(&turns->urgent);
    TAILQ_INIT(&turns->ordinary);
}

static bool begins(const char *path, const char *start)
{
    return strncmp(path, start, strlen(start)) == 0;
}

enum http_turn_kind http_turn_kind(enum kube_verb verb, const char *path)
{
    if (verb == KUBE_WATCH || begins(path, "/apis/coordination.k8s.io/"))
        return TURN_AT_ONCE;
    return verb == KUBE_PATCH && begins(path, "/api/v1/nodes/") ? TURN_URGENT : TURN_ORDINARY;
}

static struct http_turn_list *list_of(struct http_turns *turns, const struct http_turn *turn)
{
    return turn->kind == TURN_URGENT ? &turns->urgent : &turns->ordinary;
}

static bool has_room(const struct http_turns *turns, const struct http_turn *turn)
{
    return turns->under_way < UNDER_WAY_MAX &&
           (turn->kind == TURN_URGENT || turns->ordinary_under_way < ORDINARY_UNDER_WAY_MAX);
}

// Urgent calls that wait go before ordinary ones, also before those that have just begun.
static bool is_next(const struct http_turns *turns, const struct http_turn *turn)
{
    return TAILQ_EMPTY(&turns->urgent) &&
           (turn->kind == TURN_URGENT || TAILQ_EMPTY(&turns->ordinary));
}

static void count(struct http_turns *turns, struct http_turn *turn)
{
    turn->is_counted = true;
    turns->under_way++;
    turns->ordinary_under_way += turn->kind == TURN_ORDINARY;
}

bool http_turns_begin(struct http_turns *turns, struct http_turn *turn)
{
    assert(!turn->is_queued && !turn->is_counted);
    if (turn->kind == TURN_AT_ONCE)
        return true;
    if (is_next(turns, turn) && has_room(turns, turn)) {
        count(turns, turn);
        return true;
    }
    turn->is_queued = true;
    TAILQ_INSERT_TAIL(list_of(turns, turn), turn, link);
    return false;
}

static void leave_queue(struct http_turns *turns, struct http_turn *turn)
{
    turn->is_queued = false;
    TAILQ_REMOVE(list_of(turns, turn), turn, link);
}

struct http_turn *http_turns_next(struct http_turns *turns)
{
    struct http_turn *turn = TAILQ_FIRST(&turns->urgent);
    if (turn == NULL)
        turn = TAILQ_FIRST(&turns->ordinary);
    if (turn == NULL || !has_room(turns, turn))
        return NULL;
    leave_queue(turns, turn);
    count(turns, turn);
    return turn;
}

void http_turns_end(struct http_turns *turns, struct http_turn *turn)
{
    if (turn->is_queued)
        leave_queue(turns, turn);
    if (!turn->is_counted)
        return;
    turn->is_counted = false;
    assert(turns->under_way > 0);
    turns->under_way--;
    turns->ordinary_under_way -= turn->kind == TURN_ORDINARY;
}

bool http_turns_are_awaited(const struct http_turns *turns)
{
    return !TAILQ_EMPTY(&turns->urgent) || !TAILQ_EMPTY(&turns->ordinary);
}

bool http_turns_are_idle(const struct http_turns *turns)
{
    return !http_turns_are_awaited(turns) && turns->under_way == 0;
}
