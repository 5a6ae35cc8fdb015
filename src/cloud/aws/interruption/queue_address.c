#include "cloud/aws/interruption/queue_address.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// SQS: letters, digits, hyphens and underscores; FIFO queues end with ".fifo".
static bool is_queue_name(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length > QUEUE_NAME_MAX)
        return false;
    if (text_ends_with(text, ".fifo"))
        length -= strlen(".fifo");
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
            return false;
    return length > 0;
}

static bool is_account(const char *text)
{
    return strlen(text) == 12 && strspn(text, "0123456789") == 12;
}

static bool is_region(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length < QUEUE_REGION_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static bool refuse(struct error *error, const char *text, const char *problem)
{
    return error_set(error, ERROR_INVALID, "interruption queue %.200s %s", text, problem);
}

// arn:aws:sqs:us-west-2:111122223333:name
static bool parse_arn(const char *text, struct queue_address *address, struct error *error)
{
    char copy[QUEUE_ADDRESS_MAX];
    char *parts[6], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (size_t i = 0; i < 6; i++)
        parts[i] = i < 5 ? strsep(&rest, ":") : rest;
    for (size_t i = 0; i < 6; i++)
        if (parts[i] == NULL)
            return refuse(error, text, "is no ARN of an SQS queue");
    if (!text_starts_with(parts[1], "aws") || !text_equal(parts[2], "sqs") ||
        !is_region(parts[3]) || !is_account(parts[4]) || !is_queue_name(parts[5]))
        return refuse(error, text, "is no ARN of an SQS queue");
    snprintf(address->region, sizeof address->region, "%s", parts[3]);
    snprintf(address->account, sizeof address->account, "%s", parts[4]);
    snprintf(address->name, sizeof address->name, "%s", parts[5]);
    return true;
}

// The region of "sqs.us-west-2.amazonaws.com", "us-west-2.queue.amazonaws.com" and their like.
static void region_of_host(const char *host, char out[QUEUE_REGION_MAX])
{
    static const char *const prefixes[] = {"sqs.", "sqs-fips."};
    const char *start = NULL;
    for (size_t i = 0; i < 2; i++)
        if (text_starts_with(host, prefixes[i]))
            start = host + strlen(prefixes[i]);
    if (start == NULL && strstr(host, ".queue.amazonaws.") != NULL)
        start = host;
    size_t length = start != NULL ? strcspn(start, ".") : 0;
    bool is_aws = strstr(host, ".amazonaws.") != NULL || strstr(host, ".api.aws") != NULL;
    if (is_aws && length > 0 && length < QUEUE_REGION_MAX) {
        snprintf(out, QUEUE_REGION_MAX, "%.*s", (int)length, start);
        if (!is_region(out) || strchr(out, '-') == NULL)
            out[0] = '\0';
    }
}

// https://sqs.us-west-2.amazonaws.com/111122223333/name
static bool parse_url(const char *text, struct queue_address *address, struct error *error)
{
    char host[QUEUE_ADDRESS_MAX];
    const char *start = strstr(text, "://");
    assert(start != NULL);
    start += strlen("://");
    size_t length = strcspn(start, "/");
    const char *name = strrchr(start, '/');
    for (const char *at = text; *at != '\0'; at++)
        if (!isgraph((unsigned char)*at) || *at == '?' || *at == '#')
            return refuse(error, "(URL)", "has characters that no URL of a queue has");
    if (length == 0 || memchr(start, '@', length) != NULL || name == NULL ||
        !is_queue_name(name + 1))
        return refuse(error, text, "is no URL of an SQS queue");
    const char *account = name;
    while (account > start && account[-1] != '/')
        account--;
    snprintf(host, sizeof host, "%.*s", (int)length, start);
    snprintf(address->url, sizeof address->url, "%s", text);
    snprintf(address->name, sizeof address->name, "%s", name + 1);
    if (name - account == 12)
        snprintf(address->account, sizeof address->account, "%.12s", account);
    region_of_host(host, address->region);
    return true;
}

bool queue_address_parse(const char *text, bool upstream, struct queue_address *address,
                         struct error *error)
{
    assert(text != NULL);
    *address = (struct queue_address){0};
    if (strlen(text) >= QUEUE_ADDRESS_MAX)
        return refuse(error, text, "is too long");
    if (!upstream && text_starts_with(text, "arn:"))
        return parse_arn(text, address, error);
    if (!upstream && (text_starts_with(text, "https://") || text_starts_with(text, "http://")))
        return parse_url(text, address, error);
    if (!is_queue_name(text))
        return refuse(error, text, "is neither a queue's name nor its ARN nor its URL");
    snprintf(address->name, sizeof address->name, "%s", text);
    return true;
}

bool queue_addresses_parse(const char *setting, bool upstream,
                           struct queue_address addresses[QUEUES_MAX], unsigned *count,
                           struct error *error)
{
    *count = 0;
    if (text_is_empty(setting))
        return true;
    if (strlen(setting) >= QUEUES_MAX * QUEUE_ADDRESS_MAX)
        return error_set(error, ERROR_INVALID, "the interruption queue's name is too long");
    char copy[QUEUES_MAX * QUEUE_ADDRESS_MAX];
    snprintf(copy, sizeof copy, "%s", setting);
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        part += strspn(part, " ");
        part[strcspn(part, " ")] = '\0';
        if (*part == '\0')
            continue;
        if (*count == QUEUES_MAX)
            return error_set(error, ERROR_INVALID, "more than %d interruption queues", QUEUES_MAX);
        if (!queue_address_parse(part, upstream, &addresses[*count], error))
            return false;
        (*count)++;
    }
    return true;
}
