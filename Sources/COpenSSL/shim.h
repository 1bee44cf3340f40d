// The headers of libcrypto that we use, and functions for macros and variadic calls that Swift can't import.
#ifndef ADATTRIBUTION_COPENSSL_H
#define ADATTRIBUTION_COPENSSL_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

/// A new key pair on a named group; NULL if the group is unknown. EVP_PKEY_Q_keygen is variadic.
static inline EVP_PKEY *adattribution_generate_ec_key(const char *group) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", group);
}

/// Answers the request for a PEM passphrase with an error, so that an encrypted file never causes a prompt.
static inline int adattribution_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer; (void)size; (void)writing; (void)context;
    return -1;
}

/// A private key from PEM text, SEC1 or PKCS#8.
static inline EVP_PKEY *adattribution_read_private_key(const void *pem, int length) {
    BIO *bio = BIO_new_mem_buf(pem, length);
    if (bio == NULL) return NULL;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, adattribution_no_passphrase, NULL);
    BIO_free(bio);
    return key;
}

/// A public key from PEM text (SubjectPublicKeyInfo).
static inline EVP_PKEY *adattribution_read_public_key(const void *pem, int length) {
    BIO *bio = BIO_new_mem_buf(pem, length);
    if (bio == NULL) return NULL;
    EVP_PKEY *key = PEM_read_bio_PUBKEY(bio, NULL, adattribution_no_passphrase, NULL);
    BIO_free(bio);
    return key;
}

/// BIO_get_mem_data is a macro.
static inline long adattribution_bio_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

#endif
