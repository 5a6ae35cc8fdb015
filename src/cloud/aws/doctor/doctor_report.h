// The doctor's lines.
#pragma once

#include "cloud/aws/client/aws_request.h"
#include "cloud/aws/doctor/doctor_internal.h"

// `subject` follows the check's name; NULL: none. `remedy` NULL: none.
void doctor_report(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                   const char *text, const char *remedy);
// A call has failed: its error, and for a refused permission the statement that grants it;
// otherwise `remedy`.
void doctor_report_failure(struct doctor *doctor, enum doctor_verdict verdict, const char *subject,
                           enum aws_action action, const struct aws_result *result,
                           const char *remedy);
