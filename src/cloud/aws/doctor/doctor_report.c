#include "cloud/aws/doctor/doctor_report.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/refusal.h"

void doctor_report(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                   const char *text, const char *remedy)
{
    struct text name = {0};
    assert(text != NULL);
    text_add(&name, doctor->name);
    if (subject != NULL)
        text_format(&name, " %s", subject);
    struct doctor_line line = {verdict, name.data, text, remedy};
    doctor->options.line(doctor->options.context, &line);
    text_free(&name);
}

void doctor_report_failure(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                           enum aws_action action, const struct aws_result *result,
                           const char *remedy)
{
    struct text text = {0};
    assert(result->error.kind != ERROR_NONE);
    if (result->fault == AWS_FAULT_UNAUTHORIZED) {
        refusal_explain(aws_action_permission(action), result->message, &text);
        remedy = text.data + strspn(text.data, "; ");
    }
    doctor_report(doctor, verdict, subject, result->error.message, remedy);
    text_free(&text);
}

void doctor_next_part(struct doctor *doctor)
{
    doctor->call = NULL;
    doctor->http_call = NULL;
    doctor->part++;
    timer_start(doctor->next, 0);
}

bool doctor_call_in(struct doctor *doctor, const char *region, enum aws_action action,
                    json_t *parameters, aws_done done)
{
    struct aws_request request = {.action = action,
                                  .parameters = parameters,
                                  .region = region != NULL && *region != '\0' ? region : NULL,
                                  .done = done,
                                  .context = doctor};
    assert(doctor->call == NULL);
    doctor->call = aws_client_start(doctor->options.client, &request);
    return true;
}

bool doctor_call(struct doctor *doctor, enum aws_action action, json_t *parameters, aws_done done)
{
    return doctor_call_in(doctor, NULL, action, parameters, done);
}
