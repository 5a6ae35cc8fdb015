#include "cloud/aws/client/sigv4.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_escape.h"

#define ALGORITHM "AWS4-HMAC-SHA256"

struct signed_headers {
    struct aws_http_header items[SIGV4_SIGNED_HEADERS_MAX + 3];
    uint32_t count;
    char names[512]; // "host;x-amz-date"
};

static void gather_headers(const struct sigv4_request *request, const char *date,
                           const char *session_token, struct signed_headers *headers);
static void canonical_request(const struct sigv4_request *request,
                              const struct signed_headers *headers, struct text *out);
static void canonical_query(const char *query, struct text *out);
static void add_header_value(struct text *out, const char *value);
static void sign(const struct sigv4_request *request, const char *secret, const char *date,
                 const char *text, char signature[65]);

void sigv4_date(int64_t now, char date[SIGV4_DATE_BYTES])
{
    char instant[INSTANT_TEXT_MAX];
    instant_format(ns_truncate(now, SECOND), instant);
    size_t length = 0;
    for (const char *c = instant; *c != '\0' && length < SIGV4_DATE_BYTES - 1; c++) {
        if (*c != '-' && *c != ':')
            date[length++] = *c;
    }
    date[length] = '\0';
}

void sigv4_sign(const struct sigv4_request *request, const struct aws_credentials *credentials,
                char authorization[SIGV4_AUTHORIZATION_BYTES])
{
    assert(request->path[0] == '/');
    assert(request->headers_count <= SIGV4_SIGNED_HEADERS_MAX);
    char date[SIGV4_DATE_BYTES], digest[65], signature[65], scope[256];
    struct signed_headers headers;
    struct text canonical = {0}, to_sign = {0};
    sigv4_date(request->now, date);
    gather_headers(request, date, credentials->session_token, &headers);
    canonical_request(request, &headers, &canonical);
    hash_sha256_hex(canonical.data, canonical.length, digest);
    snprintf(scope, sizeof scope, "%.8s/%s/%s/aws4_request", date, request->region,
             request->service);
    text_format(&to_sign, ALGORITHM "\n%s\n%s\n%s", date, scope, digest);
    sign(request, credentials->secret_access_key, date, to_sign.data, signature);
    snprintf(authorization, SIGV4_AUTHORIZATION_BYTES,
             ALGORITHM " Credential=%s/%s, SignedHeaders=%s, Signature=%s",
             credentials->access_key_id, scope, headers.names, signature);
    if (canonical.data != NULL)
        explicit_bzero(canonical.data, canonical.length); // the session token is in it
    text_free(&canonical);
    text_free(&to_sign);
}

static int compare_names(const void *a, const void *b)
{
    const struct aws_http_header *one = a, *other = b;
    return strcmp(one->name, other->name);
}

static void gather_headers(const struct sigv4_request *request, const char *date,
                           const char *session_token, struct signed_headers *headers)
{
    *headers = (struct signed_headers){0};
    headers->items[headers->count++] = (struct aws_http_header){"host", request->host};
    headers->items[headers->count++] = (struct aws_http_header){"x-amz-date", date};
    if (session_token != NULL)
        headers->items[headers->count++] =
            (struct aws_http_header){"x-amz-security-token", session_token};
    for (uint32_t i = 0; i < request->headers_count; i++)
        headers->items[headers->count++] = request->headers[i];
    qsort(headers->items, headers->count, sizeof headers->items[0], compare_names);
    size_t length = 0;
    for (uint32_t i = 0; i < headers->count && length < sizeof headers->names; i++)
        length += (size_t)snprintf(headers->names + length, sizeof headers->names - length, "%s%s",
                                   i > 0 ? ";" : "", headers->items[i].name);
    assert(length < sizeof headers->names); // the names are the program's own
}

static void canonical_request(const struct sigv4_request *request,
                              const struct signed_headers *headers, struct text *out)
{
    char digest[65];
    text_format(out, "%s\n", request->method);
    aws_escape(out, request->path, true); // the path as sent is escaped once more
    text_add_char(out, '\n');
    canonical_query(text_or_empty(request->query), out);
    text_add_char(out, '\n');
    for (uint32_t i = 0; i < headers->count; i++) {
        text_format(out, "%s:", headers->items[i].name);
        add_header_value(out, headers->items[i].value);
        text_add_char(out, '\n');
    }
    hash_sha256_hex(request->body_bytes > 0 ? request->body : "", request->body_bytes, digest);
    text_format(out, "\n%s\n%s", headers->names, digest);
}

// Pairs in byte order, each with its "=".
static void canonical_query(const char *query, struct text *out)
{
    char *copy = strdup(query), *rest = copy;
    const char *pairs[64];
    size_t count = 0;
    for (char *pair; (pair = strsep(&rest, "&")) != NULL && count < 64;) {
        if (pair[0] != '\0')
            pairs[count++] = pair;
    }
    qsort(pairs, count, sizeof pairs[0], text_compare);
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s%s", i > 0 ? "&" : "", pairs[i],
                    strchr(pairs[i], '=') == NULL ? "=" : "");
    free(copy);
}

// Without spaces at its ends, and with one for several.
static void add_header_value(struct text *out, const char *value)
{
    bool is_first = true, has_gap = false;
    for (; *value != '\0'; value++) {
        if (*value == ' ' || *value == '\t') {
            has_gap = true;
            continue;
        }
        if (has_gap && !is_first)
            text_add_char(out, ' ');
        text_add_char(out, *value);
        is_first = has_gap = false;
    }
}

static void hmac(const unsigned char *key, size_t key_length, const char *text,
                 unsigned char out[SHA256_DIGEST_LENGTH])
{
    unsigned length = 0;
    unsigned char *done = HMAC(EVP_sha256(), key, (int)key_length, (const unsigned char *)text,
                               strlen(text), out, &length);
    assert(done != NULL);
    assert(length == SHA256_DIGEST_LENGTH);
    (void)done;
}

static void sign(const struct sigv4_request *request, const char *secret, const char *date,
                 const char *text, char signature[65])
{
    unsigned char key[SHA256_DIGEST_LENGTH], next[SHA256_DIGEST_LENGTH];
    char day[9];
    snprintf(day, sizeof day, "%.8s", date);
    struct text first = {0};
    text_format(&first, "AWS4%s", secret);
    hmac((const unsigned char *)first.data, first.length, day, key);
    const char *const parts[] = {request->region, request->service, "aws4_request", text};
    for (size_t i = 0; i < 4; i++) {
        hmac(key, sizeof key, parts[i], next);
        memcpy(key, next, sizeof key);
    }
    for (size_t i = 0; i < sizeof key; i++)
        snprintf(signature + 2 * i, 3, "%02x", key[i]);
    explicit_bzero(first.data, first.length);
    text_free(&first);
}
