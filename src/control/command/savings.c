#include "control/command/savings.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/metrics_text.h"

#define NANOUSD 1e9
#define DAY_NS  (24 * HOUR)

enum side { PREDICTED, REALISED, KINDS };
static const char *const kind_names[KINDS] = {"predicted", "realised"};

struct pool_savings {
    int64_t day;           // since the epoch, of sums[0]
    double sums[2][KINDS]; // of that day, and of the one before
};

struct savings {
    struct control *control;
    struct map *pools; // struct pool_savings by name
};

static void collect(void *context, const struct metric *metric, struct text *out);

struct savings *savings_create(struct control *control)
{
    struct savings *savings = memory_allocate(sizeof *savings);
    savings->control = control;
    savings->pools = map_create();
    metric_collect(control->metrics.consolidation_savings_by_day, collect, savings);
    return savings;
}

void savings_destroy(struct savings *savings)
{
    if (savings == NULL)
        return;
    metric_collect(savings->control->metrics.consolidation_savings_by_day, NULL, NULL);
    map_destroy(savings->pools, free);
    free(savings);
}

static void start_day(const struct savings *savings, struct pool_savings *pool)
{
    int64_t day = manager_now(&savings->control->manager) / DAY_NS;
    if (day == pool->day)
        return;
    if (day == pool->day + 1)
        memcpy(pool->sums[1], pool->sums[0], sizeof pool->sums[1]);
    else
        memset(pool->sums[1], 0, sizeof pool->sums[1]);
    memset(pool->sums[0], 0, sizeof pool->sums[0]);
    pool->day = day;
}

static struct pool_savings *page_of(struct savings *savings, const char *name)
{
    struct pool_savings *pool = map_ensure(savings->pools, name, sizeof *pool);
    start_day(savings, pool);
    return pool;
}

static void add(struct savings *savings, const char *name, double predicted, double realised)
{
    const struct control_metrics *metrics = &savings->control->metrics;
    struct pool_savings *pool = page_of(savings, name);
    pool->sums[0][PREDICTED] += predicted;
    pool->sums[0][REALISED] += realised;
    metric_add(metrics->consolidation_savings, predicted > 0 ? predicted : 0, name, "predicted");
    metric_add(metrics->consolidation_savings, realised > 0 ? realised : 0, name, "realised");
    if (realised < 0) // a counter never falls
        metric_add(metrics->consolidation_savings, -realised, name, "lost");
}

void savings_note(struct savings *savings, const struct disruption_command *command,
                  int64_t launched)
{
    if (command->price == 0 || command->nodes.count == 0)
        return;
    double predicted = (double)command->savings / NANOUSD;
    double realised = (double)(command->price - launched) / NANOUSD;
    double share = 1.0 / command->nodes.count;
    list_for_each (entry, &command->nodes)
        add(savings, entry->pool, predicted * share, realised * share);
}

void savings_lose(struct savings *savings, const char *pool, int64_t lost)
{
    add(savings, pool, 0, -(double)lost / NANOUSD);
}

static void collect(void *context, const struct metric *metric, struct text *out)
{
    const struct savings *savings = context;
    static const char *const days[] = {"today", "yesterday"};
    for (struct map_entry *entry = map_first(savings->pools); entry != NULL;
         entry = map_next(entry)) {
        struct pool_savings *pool = map_value(entry);
        start_day(savings, pool);
        for (size_t day = 0; day < ARRAY_LENGTH(days); day++)
            for (int kind = 0; kind < KINDS; kind++) {
                const char *const values[] = {map_key(entry), kind_names[kind], days[day]};
                metric_emit(metric, out, pool->sums[day][kind], values, ARRAY_LENGTH(values));
            }
    }
}
