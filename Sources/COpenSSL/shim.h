// The headers of libcrypto that we use, and functions for macros and variadic calls that Swift can't import.
#ifndef ADATTRIBUTION_COPENSSL_H
#define ADATTRIBUTION_COPENSSL_H

// Engines are deprecated, and the only way to PKCS #11 that Debian 12 has.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <string.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <openssl/x509.h>

/// A new key pair on a named group; NULL if the group is unknown. EVP_PKEY_Q_keygen is variadic.
static inline EVP_PKEY *adattribution_generate_ec_key(const char *group) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", group);
}

/// A passphrase or a PIN, and how often libcrypto asked for it.
struct adattribution_secret {
    /// NULL if there is none.
    const char *text;
    int length;
    int asked;
};

/// Answers the request for a PEM passphrase, so that an encrypted file never causes a prompt.
static inline int adattribution_passphrase(char *buffer, int size, int writing, void *context) {
    (void)writing;
    struct adattribution_secret *secret = (struct adattribution_secret *)context;
    if (secret == NULL) return -1;
    secret->asked += 1;
    if (secret->text == NULL || secret->length > size) return -1;
    memcpy(buffer, secret->text, (size_t)secret->length);
    return secret->length;
}

/// A private key from PEM text, SEC1 or PKCS#8.
static inline EVP_PKEY *adattribution_read_private_key(
    const void *pem, int length, struct adattribution_secret *secret
) {
    BIO *bio = BIO_new_mem_buf(pem, length);
    if (bio == NULL) return NULL;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, adattribution_passphrase, secret);
    BIO_free(bio);
    return key;
}

/// Answers the question of an engine or a provider for a PIN, once: a token locks itself after a few wrong ones.
static inline int adattribution_answer(UI *ui, UI_STRING *string) {
    enum UI_string_types type = UI_get_string_type(string);
    if (type != UIT_PROMPT && type != UIT_VERIFY) return 1;
    struct adattribution_secret *secret = (struct adattribution_secret *)UI_get0_user_data(ui);
    if (secret == NULL) return -1;
    secret->asked += 1;
    if (secret->text == NULL || secret->asked > 1) return -1;
    return UI_set_result_ex(ui, string, secret->text, secret->length) == 0 ? 1 : -1;
}

/// How an engine or a provider asks for a PIN: never at a terminal.
static inline UI_METHOD *adattribution_questions(void) {
    UI_METHOD *method = UI_create_method("AdAttribution");
    if (method != NULL) UI_method_set_reader(method, adattribution_answer);
    return method;
}

/// Whether a provider reads keys under URIs of PKCS #11.
static inline int adattribution_has_token_provider(void) {
    OSSL_STORE_LOADER *loader = OSSL_STORE_LOADER_fetch(NULL, "pkcs11", NULL);
    if (loader == NULL) {
        ERR_clear_error();
        return 0;
    }
    OSSL_STORE_LOADER_free(loader);
    return 1;
}

/// The first private key under a URI, by a provider.
static inline EVP_PKEY *adattribution_provided_key(
    const char *uri, UI_METHOD *method, struct adattribution_secret *secret
) {
    OSSL_STORE_CTX *context = OSSL_STORE_open_ex(uri, NULL, NULL, method, secret, NULL, NULL, NULL);
    if (context == NULL) return NULL;
    EVP_PKEY *key = NULL;
    OSSL_STORE_expect(context, OSSL_STORE_INFO_PKEY);
    while (key == NULL && !OSSL_STORE_eof(context)) {
        OSSL_STORE_INFO *info = OSSL_STORE_load(context);
        if (info == NULL) {
            if (OSSL_STORE_error(context)) break;
            continue;
        }
        if (OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY) key = OSSL_STORE_INFO_get1_PKEY(info);
        OSSL_STORE_INFO_free(info);
    }
    OSSL_STORE_close(context);
    return key;
}

/// The engine for PKCS #11, ready to be used; NULL if it is not installed. It is never given back, since keys need it.
static inline ENGINE *adattribution_token_engine(void) {
    ENGINE_load_dynamic();
    ENGINE *engine = ENGINE_by_id("pkcs11");
    if (engine == NULL) return NULL;
    if (ENGINE_init(engine) == 1) return engine;
    ENGINE_free(engine);
    return NULL;
}

/// The private key under a URI, by the engine.
static inline EVP_PKEY *adattribution_engine_key(
    ENGINE *engine, const char *uri, UI_METHOD *method, struct adattribution_secret *secret
) {
    // The engine keeps a PIN and would show it to the next token.
    if (ENGINE_ctrl_cmd_string(engine, "PIN", secret->text == NULL ? "" : secret->text, 0) != 1) return NULL;
    return ENGINE_load_private_key(engine, uri, method, secret);
}

/// A private key as PKCS#8 PEM, encrypted with AES-256 under a passphrase.
static inline int adattribution_write_encrypted_key(BIO *bio, EVP_PKEY *key, const char *text, int length) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, EVP_aes_256_cbc(), text, length, NULL, NULL);
}

/// A public key from PEM text (SubjectPublicKeyInfo).
static inline EVP_PKEY *adattribution_read_public_key(const void *pem, int length) {
    BIO *bio = BIO_new_mem_buf(pem, length);
    if (bio == NULL) return NULL;
    EVP_PKEY *key = PEM_read_bio_PUBKEY(bio, NULL, adattribution_passphrase, NULL);
    BIO_free(bio);
    return key;
}

/// BIO_get_mem_data is a macro.
static inline long adattribution_bio_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

#include "certificates.h"
#include "cms.h"

#endif
