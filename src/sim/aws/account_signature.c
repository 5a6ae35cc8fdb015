#include "sim/aws/account_signature.h"

#include <assert.h>
#include <ctype.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"

#define ALGORITHM      "AWS4-HMAC-SHA256 "
#define SKEW_MAX       (5 * MINUTE)
#define SIGNED_MAX     64
#define DIGEST_BYTES   32
#define TIMESTAMP_SIZE 17 // "20260101T000000Z"

struct claim { // of the Authorization header
    char key[130], date[9], region[64], service[64];
    char signed_headers[1024], signature[80];
    const char *timestamp;
};

static const char *header_value(const struct aws_http_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->headers_count; i++)
        if (strcasecmp(request->headers[i].name, name) == 0)
            return request->headers[i].value;
    return NULL;
}

static bool claim_read(const struct aws_http_request *request, struct claim *claim)
{
    const char *text = header_value(request, "Authorization");
    claim->timestamp = header_value(request, "X-Amz-Date");
    if (text == NULL || claim->timestamp == NULL || !text_starts_with(text, ALGORITHM) ||
        strlen(claim->timestamp) + 1 != TIMESTAMP_SIZE)
        return false;
    const char *credential = strstr(text, "Credential="), *headers = strstr(text, "SignedHeaders=");
    const char *signature = strstr(text, "Signature=");
    return credential != NULL && headers != NULL && signature != NULL &&
           sscanf(credential, "Credential=%129[^/]/%8[0-9]/%63[^/]/%63[^/]/aws4_request",
                  claim->key, claim->date, claim->region, claim->service) == 4 &&
           sscanf(headers, "SignedHeaders=%1023[^, ]", claim->signed_headers) == 1 &&
           sscanf(signature, "Signature=%79[0-9a-f]", claim->signature) == 1;
}

// --- the canonical request -----------------------------------------------------------------------

static const char *url_path(const char *url)
{
    const char *host = strstr(url, "://");
    const char *path = host != NULL ? strpbrk(host + 3, "/?") : NULL;
    return path != NULL ? path : "";
}

// The path is escaped once on the wire, and once more here.
static void path_add(struct text *out, const char *url)
{
    const char *path = url_path(url);
    if (path[0] != '/')
        text_add_char(out, '/');
    for (; *path != '\0' && *path != '?'; path++)
        if (isalnum((unsigned char)*path) || strchr("-_.~/", *path) != NULL)
            text_add_char(out, *path);
        else
            text_format(out, "%%%02X", (unsigned char)*path);
}

static void query_add(struct text *out, const char *url)
{
    const char *question = strchr(url, '?');
    if (question == NULL)
        return;
    CLEANUP_FREE char *copy = memory_copy_string(question + 1);
    const char *parts[SIGNED_MAX];
    size_t count = 0;
    char *rest = NULL;
    for (char *part = strtok_r(copy, "&", &rest); part != NULL && count < SIGNED_MAX;
         part = strtok_r(NULL, "&", &rest))
        parts[count++] = part;
    qsort(parts, count, sizeof *parts, text_compare);
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s%s", i > 0 ? "&" : "", parts[i],
                    strchr(parts[i], '=') == NULL ? "=" : "");
}

static void header_add(struct text *out, const struct aws_http_request *request, const char *name)
{
    const char *value = header_value(request, name);
    text_format(out, "%s:", name);
    if (value == NULL && strcmp(name, "host") == 0) {
        const char *host = strstr(request->url, "://");
        host = host != NULL ? host + 3 : "";
        text_add_bytes(out, host, strcspn(host, "/?"));
    }
    value = text_or_empty(value);
    value += strspn(value, " \t");
    size_t length = strlen(value);
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
        length--;
    for (size_t i = 0; i < length; i++) // runs of spaces count as one
        if (value[i] != ' ' || value[i + 1] != ' ')
            text_add_char(out, value[i]);
    text_add_char(out, '\n');
}

static void canonical_hash(const struct aws_http_request *request, const struct claim *claim,
                           char out[65])
{
    struct text text = {0};
    char body[65];
    text_format(&text, "%s\n", request->method);
    path_add(&text, request->url);
    text_add_char(&text, '\n');
    query_add(&text, request->url);
    text_add_char(&text, '\n');
    CLEANUP_FREE char *names = memory_copy_string(claim->signed_headers);
    char *rest = NULL;
    for (char *name = strtok_r(names, ";", &rest); name != NULL; name = strtok_r(NULL, ";", &rest))
        header_add(&text, request, name);
    hash_sha256_hex(text_or_empty(request->body), request->body_bytes, body);
    text_format(&text, "\n%s\n%s", claim->signed_headers, body);
    hash_sha256_hex(text.data, text.length, out);
    text_free(&text);
}

// --- the signature -------------------------------------------------------------------------------

static void hmac(unsigned char key[DIGEST_BYTES], const char *text)
{
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    HMAC(EVP_sha256(), key, DIGEST_BYTES, (const unsigned char *)text, strlen(text), out, &length);
    assert(length == DIGEST_BYTES);
    memcpy(key, out, DIGEST_BYTES);
}

static void signature_make(const struct aws_http_request *request, const struct claim *claim,
                           char out[65])
{
    char canonical[65];
    unsigned char key[DIGEST_BYTES], first[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    static const char secret[] = "AWS4" AWS_ACCOUNT_SECRET_KEY;
    canonical_hash(request, claim, canonical);
    HMAC(EVP_sha256(), secret, sizeof secret - 1, (const unsigned char *)claim->date,
         strlen(claim->date), first, &length);
    memcpy(key, first, DIGEST_BYTES);
    hmac(key, claim->region);
    hmac(key, claim->service);
    hmac(key, "aws4_request");
    struct text text = {0};
    text_format(&text, "AWS4-HMAC-SHA256\n%s\n%s/%s/%s/aws4_request\n%s", claim->timestamp,
                claim->date, claim->region, claim->service, canonical);
    hmac(key, text.data);
    text_free(&text);
    for (int i = 0; i < DIGEST_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", key[i]);
}

static bool clock_is_right(const struct aws_account *account, const char *timestamp)
{
    char text[INSTANT_TEXT_MAX];
    int64_t signed_at;
    snprintf(text, sizeof text, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", timestamp, timestamp + 4,
             timestamp + 6, timestamp + 9, timestamp + 11, timestamp + 13);
    if (!instant_parse(text, &signed_at, NULL))
        return false;
    int64_t skew = ns_subtract(ns_add(loop_now_ns(account->loop), account->clock_skew), signed_at);
    return skew <= SKEW_MAX && skew >= -SKEW_MAX;
}

static bool refuse(struct account_call *call, const char *ec2_code, const char *code,
                   const char *message)
{
    bool ec2 = call->service == AWS_EC2;
    return account_refuse(call, ec2 ? 401 : 403, ec2 ? ec2_code : code, "%s", message);
}

bool account_signature_check(struct account_call *call, const struct aws_http_request *request)
{
    struct claim claim = {0};
    char expected[65];
    if (!claim_read(request, &claim))
        return refuse(call, "AuthFailure", "MissingAuthenticationToken",
                      "Request is missing Authentication Token");
    if (strcmp(claim.key, AWS_ACCOUNT_ACCESS_KEY) != 0)
        return refuse(call, "AuthFailure", "UnrecognizedClientException",
                      "AWS was not able to validate the provided access credentials");
    if (!clock_is_right(call->account, claim.timestamp))
        return call->service == AWS_EC2
                   ? account_refuse(call, 400, "RequestExpired", "Request has expired.")
                   : account_refuse(call, 403, "SignatureDoesNotMatch", "Signature expired");
    signature_make(request, &claim, expected);
    if (strncmp(claim.date, claim.timestamp, 8) != 0 || strcmp(expected, claim.signature) != 0)
        return refuse(call, "AuthFailure", "SignatureDoesNotMatch",
                      "The request signature we calculated does not match the signature you "
                      "provided.");
    return true;
}
