// Classes of AWS's errors (AWN-600), and which are worth another attempt (AWN-524).
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cloud/aws/client/aws_request.h"

enum aws_fault aws_fault_of(const char *code, int status);
enum error_kind aws_fault_kind(enum aws_fault fault, const char *code, int status);
bool aws_fault_is_transient(const char *code, int status); // throttled, 5xx, a time-out of AWS's
bool aws_fault_is_of_credentials(const char *code);        // expired, or unknown to AWS
bool aws_fault_is_of_clock(const char *code);              // may come of a clock that is wrong
