// A simulated AWS account behind the HTTP port (cloud/aws/client/aws_http.h): EC2, SSM, SQS, IAM,
// STS, EKS, Pricing and ARC zonal shift as far as adze calls them, on the loop's time, virtual or
// real.
//
// It reads the requests from the wire and answers in the wire's form, so that client, signatures
// and protocols are all exercised. Its resources come from a folder (environment.json and the files
// beside it, tests/conformance/aws/README.md) or are built in: region us-west-2, four zones, an
// EKS cluster, the types and prices of data/ec2/.
#pragma once

#include "cloud/aws/client/aws_http.h"
#include "sim/aws/aws_account_options.h"
#include "sim/aws/aws_instance.h"
#include "sim/aws/instance_boot.h"

struct aws_account;

struct aws_account *aws_account_create(const struct aws_account_options *options,
                                       struct error *error);
void aws_account_destroy(struct aws_account *account); // NULL is fine
// The account's end of the HTTP port: any number of clients; each calls its destroy operation, and
// calls under way of one that is gone do not answer (a killed controller).
struct aws_http *aws_account_http(struct aws_account *account);

const char *aws_account_region(const struct aws_account *account);
const json_t *aws_account_environment(const struct aws_account *account); // environment.json's form

void aws_account_add_fault(struct aws_account *account, const struct aws_account_fault *fault);
void aws_account_clear_faults(struct aws_account *account);
// From now on nothing fails at random, and no spot instance is interrupted that was not warned.
void aws_account_calm(struct aws_account *account);
// AWS's clock is ahead of the loop's: with check_signatures, more than 5 minutes refuses requests
// (EC2: RequestExpired), and the Date header tells the client.
void aws_account_skew_clock(struct aws_account *account, int64_t nanoseconds);
// The IAM policy that each call is checked against from now on; NULL: everything is allowed.
void aws_account_set_policy(struct aws_account *account, const json_t *policy);
// {"<Sid> <action>": number of permissions that the statement gave}; borrowed.
const json_t *aws_account_policy_uses(const struct aws_account *account);
// The value of a quota of EC2 by its code ("L-1216C47A": vCPUs on demand); 1,920 otherwise.
void aws_account_set_quota(struct aws_account *account, const char *code, double value);
// Puts a message on the interruption queue.
void aws_account_send_message(struct aws_account *account, const char *body);
// Adds or replaces an image, subnet, security group, SSM parameter... in environment.json's form:
// kind "images", "subnets", "securityGroups", "ssmParameters", "capacityReservations".
bool aws_account_put(struct aws_account *account, const char *kind, const json_t *resource,
                     struct error *error) MUST_USE;
uint32_t aws_account_templates(const struct aws_account *account); // launch templates
uint32_t aws_account_profiles(const struct aws_account *account);  // instance profiles
// Deletes every launch template, as by another's hand.
void aws_account_lose_templates(struct aws_account *account);
// DescribeInstanceStatus shows this for the instance: {"instanceStatus": {"status": "impaired",
// "details": [...]}, "systemStatus": ..., "eventsSet": [...]} in EC2's wire names; NULL: well
// again.
void aws_account_set_status(struct aws_account *account, const char *id, const json_t *status);
// The zonal shifts that ARC reports: [{"awayFrom": "usw2-az1", "expiryTime": 1767225600 (Unix
// seconds), "appliedStatus": "APPLIED"}].
void aws_account_set_zonal_shifts(struct aws_account *account, const json_t *shifts);
