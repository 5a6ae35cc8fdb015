#include "kube/transport/secret_file.h"

#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/text.h"

#define FILE_BYTES_MAX ((size_t)4 << 20)

static int no_passphrase(char *buffer, int size, int writing, void *context);

char *secret_file_read(const char *path, size_t *length, struct error *error)
{
    assert(path != NULL);
    struct error why = {0};
    FILE *file = input_file_open(path, &why);
    if (file == NULL) {                                      // its message begins with the path
        bool is_whole = text_starts_with(why.message, path); // otherwise the path alone filled the
                                                             // message
        error_set(error, why.kind == ERROR_NOT_FOUND ? ERROR_NOT_FOUND : ERROR_INVALID,
                  "%s cannot be read%s", path, is_whole ? why.message + strlen(path) : "");
        return NULL;
    }
    struct text text = {0};
    char piece[8192];
    size_t got;
    while (text.length <= FILE_BYTES_MAX && (got = fread(piece, 1, sizeof piece, file)) > 0)
        text_add_bytes(&text, piece, got);
    explicit_bzero(piece, sizeof piece);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed || text.length > FILE_BYTES_MAX) {
        error_set(error, ERROR_INVALID, "%s cannot be read: %s", path,
                  failed ? strerror(EIO) : "it is larger than 4 MiB");
        text_free(&text);
        return NULL;
    }
    if (length != NULL)
        *length = text.length;
    return text_take(&text);
}

bool secret_check_certificates(const char *pem, const char *place, struct error *error)
{
    assert(pem != NULL);
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    ERR_clear_error();
    if (certificate == NULL)
        return error_set(error, ERROR_INVALID, "%s holds no PEM certificate", place);
    X509_free(certificate);
    return true;
}

// Without this check OpenSSL would ask for a passphrase on the terminal, in the middle of a
// request.
bool secret_check_key(const char *pem, const char *place, struct error *error)
{
    assert(pem != NULL);
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    ERR_clear_error();
    if (key == NULL)
        return error_set(error, ERROR_INVALID,
                         "%s holds no PEM private key (an encrypted one cannot be used)", place);
    EVP_PKEY_free(key);
    return true;
}

static int no_passphrase(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

void secret_wipe(char **secret)
{
    assert(secret != NULL);
    if (*secret != NULL)
        explicit_bzero(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}
