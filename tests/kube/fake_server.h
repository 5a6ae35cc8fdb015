// An HTTP/1.1 server for tests, on a loopback port of the loop itself, with or without TLS. The
// test's function gets each request and writes any bytes.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/loop.h"
#include "base/text.h"

struct fake_connection;
struct fake_server {
    struct loop *loop;
    int port;
    unsigned requests, connections;
    void (*serve)(void *context, struct fake_connection *connection, const char *request);
    void *context;
    char client_name[64]; // common name of the last client certificate
    struct evconnlistener *listener;
    struct ssl_ctx_st *tls;
    struct fake_connection *first;
};
struct fake_identity { // a self-signed certificate, as PEM
    char *certificate, *key;
};
struct fake_identity fake_identity_create(const char *common_name, const char *alternative_name);
void fake_identity_clear(struct fake_identity *identity);

struct fake_server *fake_server_create(struct loop *loop, const struct fake_identity *identity,
                                       void (*serve)(void *, struct fake_connection *,
                                                     const char *),
                                       void *context); // identity NULL: no TLS
void fake_server_destroy(struct fake_server *server);

void fake_write(struct fake_connection *connection, const char *bytes, size_t length);
void fake_print(struct fake_connection *connection, const char *format, ...) PRINTF_LIKE(2, 3);
void fake_close(struct fake_connection *connection); // after all is written
// A whole answer; headers: "Name: value\r\n..." or "".
void fake_reply(struct fake_connection *connection, int status, const char *type,
                const char *headers, const char *body);
