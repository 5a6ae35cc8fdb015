#include "cloud/aws/doctor/doctor_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/doctor/doctor_report.h"

#define TEST_MESSAGE "{\"version\":\"0\",\"source\":\"adze.doctor\",\"detail-type\":\"test\"}"
#define RECEIVES_MAX 5
#define BATCH        10
#define NO_HANDLE    "adze-doctor"
#define REMEDY \
    "create the queue with its EventBridge rules (docs/aws.md), or correct --interruption-queue"

// Of one queue, in order.
enum step { STEP_FIND, STEP_SEND, STEP_RECEIVE, STEP_DELETE, STEPS_COUNT };

static const struct queue_address *queue_of(const struct doctor *doctor)
{
    return &doctor->queues[doctor->part / STEPS_COUNT];
}

static void forget(struct doctor *doctor)
{
    free(doctor->queue.url);
    free(doctor->queue.message);
    free(doctor->queue.handle);
    doctor->queue.url = doctor->queue.message = doctor->queue.handle = NULL;
    doctor->queue.receives = 0;
}

// The queue's last line has been told.
static void leave_queue(struct doctor *doctor)
{
    doctor->part += STEPS_COUNT - 1 - doctor->part % STEPS_COUNT;
    forget(doctor);
    doctor_next_part(doctor);
}

static bool call(struct doctor *doctor, enum aws_action action, json_t *parameters, aws_done done)
{
    return doctor_call_in(doctor, queue_of(doctor)->region, action, parameters, done);
}

static void fail(struct doctor *doctor, enum aws_action action, const struct aws_result *result)
{
    doctor_report_failure(doctor, DOCTOR_FAILED, queue_of(doctor)->name, action, result, REMEDY);
    leave_queue(doctor);
}

// --- the steps -----------------------------------------------------------------------------------

static void found(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const char *url = json_string_value(json_object_get(result->reply, "QueueUrl"));
    if (result->error.kind != ERROR_NONE) {
        fail(doctor, SQS_GET_QUEUE_URL, result);
        return;
    }
    doctor->queue.url = memory_copy_string(text_or_empty(url));
    doctor_next_part(doctor);
}

static bool find(struct doctor *doctor)
{
    const struct queue_address *queue = queue_of(doctor);
    if (queue->url[0] != '\0') {
        doctor->queue.url = memory_copy_string(queue->url);
        doctor->part++;
        return false;
    }
    json_t *parameters = json_pack("{s:s}", "QueueName", queue->name);
    if (queue->account[0] != '\0')
        json_object_set_new(parameters, "QueueOwnerAWSAccountId", json_string(queue->account));
    return call(doctor, SQS_GET_QUEUE_URL, parameters, found);
}

static void sent(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const char *id = json_string_value(json_object_get(result->reply, "MessageId"));
    if (result->error.kind != ERROR_NONE && result->fault != AWS_FAULT_UNAUTHORIZED) {
        fail(doctor, SQS_SEND_MESSAGE, result);
        return;
    }
    doctor->queue.message = memory_copy_string(id); // NULL: it may not be sent
    doctor_next_part(doctor);
}

static void take_handle(struct doctor *doctor, const json_t *messages)
{
    const json_t *message;
    size_t i;
    json_array_foreach (messages, i, message)
        if (doctor->queue.message != NULL &&
            text_equal(json_string_value(json_object_get(message, "MessageId")),
                       doctor->queue.message))
            doctor->queue.handle =
                memory_copy_string(json_string_value(json_object_get(message, "ReceiptHandle")));
}

static void received(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    if (result->error.kind != ERROR_NONE) {
        fail(doctor, SQS_RECEIVE_MESSAGE, result);
        return;
    }
    take_handle(doctor, json_object_get(result->reply, "Messages"));
    doctor->queue.receives++;
    if (doctor->queue.handle == NULL && doctor->queue.message != NULL &&
        doctor->queue.receives < RECEIVES_MAX)
        doctor->part--; // once more
    doctor_next_part(doctor);
}

static void deleted(void *context, const struct aws_result *result)
{
    struct doctor *doctor = context;
    const char *name = queue_of(doctor)->name;
    bool own = doctor->queue.handle != NULL;
    if (result->fault == AWS_FAULT_UNAUTHORIZED || (own && result->error.kind != ERROR_NONE)) {
        fail(doctor, SQS_DELETE_MESSAGE, result);
        return;
    }
    if (own)
        doctor_report(doctor, DOCTOR_PASSED, name, "a test message was sent, received and deleted",
                      NULL);
    else if (doctor->queue.message != NULL)
        doctor_report(doctor, DOCTOR_PASSED, name,
                      "a test message was sent; another receiver, as a running controller is, has "
                      "taken it off the queue",
                      NULL);
    else
        doctor_report(doctor, DOCTOR_PASSED, name,
                      "it can be read; these credentials may not send a test message, which the "
                      "controller never does",
                      NULL);
    leave_queue(doctor);
}

static bool next_step(struct doctor *doctor)
{
    const char *url = doctor->queue.url, *handle = doctor->queue.handle;
    switch ((enum step)(doctor->part % STEPS_COUNT)) {
    case STEP_FIND:
        return find(doctor);
    case STEP_SEND:
        return call(doctor, SQS_SEND_MESSAGE,
                    json_pack("{s:s,s:s}", "QueueUrl", url, "MessageBody", TEST_MESSAGE), sent);
    case STEP_RECEIVE:
        return call(doctor, SQS_RECEIVE_MESSAGE,
                    json_pack("{s:s,s:i,s:i,s:i}", "QueueUrl", url, "MaxNumberOfMessages", BATCH,
                              "VisibilityTimeout", 0, "WaitTimeSeconds",
                              doctor->queue.message != NULL ? 1 : 0),
                    received);
    case STEP_DELETE:
        return call(doctor, SQS_DELETE_MESSAGE,
                    json_pack("{s:s,s:s}", "QueueUrl", url, "ReceiptHandle",
                              handle != NULL ? handle : NO_HANDLE),
                    deleted);
    case STEPS_COUNT:
        break;
    }
    return false;
}

static bool read_setting(struct doctor *doctor)
{
    const struct settings *settings = doctor->options.settings;
    struct error error = {0};
    if (text_is_empty(settings->interruption_queue)) {
        doctor_report(doctor, DOCTOR_WARNING, NULL, "INTERRUPTION_QUEUE is not set",
                      "set it: without a queue nodes learn of spot interruptions late or never");
        return false;
    }
    if (queue_addresses_parse(settings->interruption_queue, settings->compatibility_upstream,
                              doctor->queues, &doctor->queues_count, &error))
        return true;
    doctor->queues_count = 0;
    doctor_report(doctor, DOCTOR_FAILED, NULL, error.message,
                  "--interruption-queue takes names, ARNs or URLs of SQS queues");
    return false;
}

bool doctor_check_queue(struct doctor *doctor)
{
    if (doctor->part == 0 && !read_setting(doctor))
        return false;
    while (doctor->part < doctor->queues_count * STEPS_COUNT)
        if (next_step(doctor))
            return true;
    return false;
}
