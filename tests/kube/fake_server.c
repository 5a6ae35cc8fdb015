#include "kube/fake_server.h"

#include <assert.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct fake_connection {
    struct fake_server *server;
    struct fake_connection *previous, *next;
    struct bufferevent *stream;
    bool closes;
};

static void connection_free(struct fake_connection *connection)
{
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        connection->server->first = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    bufferevent_free(connection->stream);
    free(connection);
}

static void readable(struct bufferevent *stream, void *context)
{
    struct fake_connection *connection = context;
    struct evbuffer *input = bufferevent_get_input(stream);
    struct evbuffer_ptr end = evbuffer_search(input, "\r\n\r\n", 4, NULL);
    if (end.pos < 0)
        return;
    size_t size = evbuffer_get_length(input);
    char *text = memory_allocate(size + 1);
    evbuffer_copyout(input, text, size);
    const char *length = strcasestr(text, "content-length:");
    size_t whole = (size_t)end.pos + 4 + (length != NULL ? (size_t)atoi(length + 15) : 0);
    if (size >= whole) {
        evbuffer_drain(input, whole);
        text[whole] = '\0';
        connection->server->requests++;
        connection->server->serve(connection->server->context, connection, text);
    }
    free(text);
}

static void written(struct bufferevent *stream, void *context)
{
    (void)stream;
    struct fake_connection *connection = context;
    if (connection->closes)
        connection_free(connection);
}

static void happened(struct bufferevent *stream, short events, void *context)
{
    struct fake_connection *connection = context;
    if (events & BEV_EVENT_CONNECTED) {
        SSL *tls = bufferevent_openssl_get_ssl(stream);
        X509 *peer = tls != NULL ? SSL_get0_peer_certificate(tls) : NULL;
        if (peer != NULL)
            X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName,
                                      connection->server->client_name,
                                      sizeof connection->server->client_name);
        return;
    }
    connection_free(connection);
}

static void accepted(struct evconnlistener *listener, evutil_socket_t socket,
                     struct sockaddr *address, int length, void *context)
{
    (void)listener, (void)address, (void)length;
    struct fake_server *server = context;
    struct fake_connection *connection = memory_allocate(sizeof *connection);
    struct event_base *base = loop_event_base(server->loop);
    server->connections++;
    connection->server = server;
    connection->next = server->first;
    if (server->first != NULL)
        server->first->previous = connection;
    server->first = connection;
    connection->stream =
        server->tls != NULL
            ? bufferevent_openssl_socket_new(base, socket, SSL_new(server->tls),
                                             BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE)
            : bufferevent_socket_new(base, socket, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(connection->stream, readable, written, happened, connection);
    bufferevent_enable(connection->stream, EV_READ | EV_WRITE);
}

static int accept_any_client(int good, X509_STORE_CTX *context)
{
    (void)good, (void)context;
    return 1;
}

static SSL_CTX *tls_create(const struct fake_identity *identity)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    BIO *bio = BIO_new_mem_buf(identity->certificate, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    bio = BIO_new_mem_buf(identity->key, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    int good = SSL_CTX_use_certificate(tls, certificate) && SSL_CTX_use_PrivateKey(tls, key);
    assert(good);
    (void)good;
    X509_free(certificate);
    EVP_PKEY_free(key);
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, accept_any_client);
    static const unsigned char session[] = "fake";
    SSL_CTX_set_session_id_context(tls, session, sizeof session);
    return tls;
}

struct fake_server *fake_server_create(struct loop *loop, const struct fake_identity *identity,
                                       void (*serve)(void *, struct fake_connection *,
                                                     const char *),
                                       void *context)
{
    struct fake_server *server = memory_allocate(sizeof *server);
    server->loop = loop;
    server->serve = serve;
    server->context = context;
    if (identity != NULL)
        server->tls = tls_create(identity);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->listener = evconnlistener_new_bind(loop_event_base(loop), accepted, server,
                                               LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE, 128,
                                               (struct sockaddr *)&address, sizeof address);
    assert(server->listener != NULL);
    socklen_t length = sizeof address;
    getsockname(evconnlistener_get_fd(server->listener), (struct sockaddr *)&address, &length);
    server->port = ntohs(address.sin_port);
    return server;
}

void fake_server_destroy(struct fake_server *server)
{
    while (server->first != NULL)
        connection_free(server->first);
    evconnlistener_free(server->listener);
    SSL_CTX_free(server->tls);
    free(server);
}

void fake_write(struct fake_connection *connection, const char *bytes, size_t length)
{
    bufferevent_write(connection->stream, bytes, length);
}

void fake_print(struct fake_connection *connection, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof text);
    fake_write(connection, text, (size_t)length);
}

void fake_close(struct fake_connection *connection)
{
    connection->closes = true;
    if (evbuffer_get_length(bufferevent_get_output(connection->stream)) == 0)
        connection_free(connection);
}

void fake_reply(struct fake_connection *connection, int status, const char *type,
                const char *headers, const char *body)
{
    fake_print(connection, "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s\r\n",
               status, type, strlen(body), headers);
    fake_write(connection, body, strlen(body));
}

static char *pem_text(BIO *bio)
{
    char *data;
    long length = BIO_get_mem_data(bio, &data);
    char *text = memory_allocate((size_t)length + 1);
    memcpy(text, data, (size_t)length);
    BIO_free(bio);
    return text;
}

struct fake_identity fake_identity_create(const char *common_name, const char *alternative_name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1, -1,
                               0);
    X509_set_issuer_name(certificate, name);
    if (alternative_name != NULL) {
        X509_EXTENSION *extension =
            X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, alternative_name);
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    }
    X509_sign(certificate, key, EVP_sha256());
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, certificate);
    struct fake_identity identity = {.certificate = pem_text(bio)};
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    identity.key = pem_text(bio);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return identity;
}

void fake_identity_clear(struct fake_identity *identity)
{
    free(identity->certificate);
    free(identity->key);
}
