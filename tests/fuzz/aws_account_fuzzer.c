// The simulated AWS account: any request gets an answer. The first byte chooses between form, JSON
// and path, the second one the action; the rest is the form, the body or the path.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_action_info.h"
#include "sim/aws/aws_account.h"

#define REQUESTS_MAX 500 // of one account: its resources pile up

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct loop *loop;
static struct aws_account *account;
static struct aws_http *http;
static unsigned requests, answers;

static void note(void *context, const struct aws_http_response *response)
{
    (void)context;
    answers++;
    if (response->status < 200 || response->body == NULL)
        abort();
}

static void account_close(void)
{
    http->operations->destroy(http);
    aws_account_destroy(account);
    loop_destroy(loop);
    account = NULL;
}

static void account_open(void)
{
    struct error error = {0};
    loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    account = aws_account_create(
        &(struct aws_account_options){
            .loop = loop, .seed = 1, .catalogue = "m5.large", .latency_max = MILLISECOND},
        &error);
    if (account == NULL || !log_configure(&(struct log_options){.level = LOG_NONE}, &error))
        abort();
    http = aws_account_http(account);
    requests = 0;
}

static void send(const char *method, const char *path, const char *type, const char *target,
                 const struct text *body)
{
    struct text url = {0};
    text_format(&url, "https://aws.test%s", path);
    const struct aws_http_header headers[] = {{"Content-Type", type}, {"X-Amz-Target", target}};
    unsigned before = answers;
    http->operations->start(http,
                            &(struct aws_http_request){.method = method,
                                                       .url = url.data,
                                                       .headers = headers,
                                                       .headers_count = target != NULL ? 2 : 1,
                                                       .body = body->data,
                                                       .body_bytes = body->length},
                            note, NULL);
    loop_run_for(loop, 30 * SECOND); // a long poll lasts 20 s
    if (answers != before + 1)
        abort();
    text_free(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (account == NULL)
        account_open();
    const struct aws_action_info *info = aws_action_info(data[1] % AWS_ACTION_COUNT);
    const struct aws_service_info *service = aws_service_info(info->service);
    struct text text = {0}, target = {0};
    if (data[0] % 4 == 0)
        text_format(&text, "Action=%s&Version=%s&", info->name, text_or_empty(service->version));
    text_add(&text, "");
    text_add_bytes(&text, (const char *)data + 2, size - 2);
    text_format(&target, "%s.%s", text_or_empty(service->target), info->name);
    if (data[0] % 4 < 2)
        send("POST", "/", "application/x-www-form-urlencoded", NULL, &text);
    else if (data[0] % 4 == 2)
        send("POST", "/", "application/x-amz-json-1.1", target.data, &text);
    else
        send("GET", text.data, "text/plain", NULL, &(struct text){0});
    text_free(&text);
    text_free(&target);
    if (++requests == REQUESTS_MAX)
        account_close();
    return 0;
}
