// For the checks: lines, calls, the way to the next part.
#pragma once

#include "cloud/aws/client/aws_request.h"
#include "cloud/aws/doctor/doctor_state.h"

// `subject` follows the check's name; NULL: none. `remedy` NULL: none.
void doctor_report(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                   const char *text, const char *remedy);
// A call has failed: its error, and for a refused permission the statement that grants it;
// otherwise `remedy`.
void doctor_report_failure(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                           enum aws_action action, const struct aws_result *result,
                           const char *remedy);

void doctor_next_part(struct doctor *doctor); // from the answer of a part
bool doctor_call(struct doctor *doctor, enum aws_action action, json_t *parameters, aws_done done);
bool doctor_call_in(struct doctor *doctor, const char *region, enum aws_action action,
                    json_t *parameters, aws_done done);
