#include "cloud/aws/client/aws_fault.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const char *const not_found[] = {
    "InvalidCapacityReservationId.NotFound",
    "InvalidInstanceID.NotFound",
    "InvalidLaunchTemplateName.NotFoundException",
    "InvalidLaunchTemplateId.NotFound",
    "QueueDoesNotExist",
    "AWS.SimpleQueueService.NonExistentQueue", // the same in the older protocol
    "NoSuchEntity",
    "ParameterNotFound",
    "InvalidPlacementGroup.Unknown", // AWN-706
    "InvalidPlacementGroupId.Unknown",
};
static const char *const unauthorized[] = {"UnauthorizedOperation", "AccessDenied",
                                           "AccessDeniedException"};
static const char *const throttled[] = {
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottled",
    "RequestThrottledException",
    "TooManyRequestsException",
    "ProvisionedThroughputExceededException",
    "BandwidthLimitExceeded",
    "PriorRequestNotComplete",
    "EC2ThrottledException",
    "SlowDown",
    "TransactionInProgressException",
};
static const char *const timed_out[] = {
    "RequestTimeout", "RequestTimeoutException",
    "IDPCommunicationError", // STS could not reach the identity provider
};
static const char *const of_credentials[] = {
    "ExpiredToken",         "ExpiredTokenException",       "RequestExpired",
    "InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure",
    "InvalidAccessKeyId",
};
static const char *const of_clock[] = {
    "RequestTimeTooSkewed",      "RequestExpired", "RequestInTheFuture", "SignatureDoesNotMatch",
    "InvalidSignatureException", "AuthFailure",
};

static bool has(const char *const *codes, size_t count, const char *code)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(codes[i], code) == 0)
            return true;
    }
    return false;
}
#define HAS(codes, code) has(codes, ARRAY_LENGTH(codes), code)

enum aws_fault aws_fault_of(const char *code, int status)
{
    if (HAS(not_found, code))
        return AWS_FAULT_NOT_FOUND;
    if (strcmp(code, "EntityAlreadyExists") == 0)
        return AWS_FAULT_ALREADY_EXISTS;
    if (HAS(unauthorized, code))
        return AWS_FAULT_UNAUTHORIZED;
    if (HAS(throttled, code) || status == 429)
        return AWS_FAULT_THROTTLED;
    if (strcmp(code, "DryRunOperation") == 0)
        return AWS_FAULT_DRY_RUN_PASSED;
    return status >= 500 ? AWS_FAULT_SERVER : AWS_FAULT_OTHER;
}

enum error_kind aws_fault_kind(enum aws_fault fault, const char *code, int status)
{
    switch (fault) {
    case AWS_FAULT_NONE:
        return ERROR_NONE;
    case AWS_FAULT_NOT_FOUND:
        return ERROR_NOT_FOUND;
    case AWS_FAULT_ALREADY_EXISTS:
        return ERROR_ALREADY_EXISTS;
    case AWS_FAULT_UNAUTHORIZED:
        return ERROR_FORBIDDEN;
    case AWS_FAULT_THROTTLED:
        return ERROR_TOO_MANY_REQUESTS;
    case AWS_FAULT_SERVER:
    case AWS_FAULT_NO_ANSWER:
        return ERROR_UNAVAILABLE;
    case AWS_FAULT_DRY_RUN_PASSED:
    case AWS_FAULT_OTHER:
        break;
    }
    if (aws_fault_is_of_credentials(code) || aws_fault_is_of_clock(code) || status == 401)
        return ERROR_UNAUTHORIZED;
    return text_starts_with(code, "Invalid") ? ERROR_INVALID : ERROR_INTERNAL;
}

bool aws_fault_is_transient(const char *code, int status)
{
    return status >= 500 || status == 429 || HAS(throttled, code) || HAS(timed_out, code);
}

bool aws_fault_is_of_credentials(const char *code)
{
    return HAS(of_credentials, code);
}

bool aws_fault_is_of_clock(const char *code)
{
    return HAS(of_clock, code);
}
