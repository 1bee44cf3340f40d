// Certificates: functions for macros of libcrypto that Swift can't import. `shim.h` includes this file.
#ifndef ADATTRIBUTION_CERTIFICATES_H
#define ADATTRIBUTION_CERTIFICATES_H

#include <stdint.h>
#include <openssl/asn1.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/// What `adattribution_verify_chain` answers if the path has other certificates than the three that it was given.
#define ADATTRIBUTION_OTHER_PATH (-1)

/// A certificate from PEM text.
static inline X509 *adattribution_read_certificate(const void *pem, int length) {
    BIO *bio = BIO_new_mem_buf(pem, length);
    if (bio == NULL) return NULL;
    X509 *certificate = PEM_read_bio_X509(bio, NULL, adattribution_passphrase, NULL);
    BIO_free(bio);
    return certificate;
}

/// The seconds since 1970 of a time; 0 if it can't be read.
static inline int adattribution_seconds(const ASN1_TIME *time, int64_t *seconds) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, rest = 0;
    int is_good = epoch != NULL && ASN1_TIME_diff(&days, &rest, epoch, time) == 1;
    ASN1_TIME_free(epoch);
    *seconds = (int64_t)days * 86400 + rest;
    return is_good;
}

/// The first and the last second of a certificate, since 1970; 0 if it has none that can be read.
static inline int adattribution_validity(const X509 *certificate, int64_t *first, int64_t *last) {
    return adattribution_seconds(X509_get0_notBefore(certificate), first)
        && adattribution_seconds(X509_get0_notAfter(certificate), last);
}

/// The place of the root with which a path ends that has these two certificates before it; -1 for any other path.
static inline int adattribution_root(STACK_OF(X509) *path, const X509 *intermediate, X509 *const *roots, int count) {
    if (sk_X509_num(path) != 3 || X509_cmp(sk_X509_value(path, 1), intermediate) != 0) return -1;
    for (int place = 0; place < count; place++) {
        if (X509_cmp(sk_X509_value(path, 2), roots[place]) == 0) return place;
    }
    return -1;
}

/// Checks the path of a leaf, its issuer and one of the roots at a time (RFC 5280), with no other certificates.
///
/// The answer is X509_V_OK, libcrypto's reason, or ADATTRIBUTION_OTHER_PATH. `root` gets the place of the root.
static inline int adattribution_verify_chain(
    X509 *leaf, X509 *intermediate, X509 *const *roots, int count, int64_t seconds, int is_strict, int *root
) {
    int reason = X509_V_ERR_OUT_OF_MEM;
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    STACK_OF(X509) *others = sk_X509_new_null();
    int is_ready = store != NULL && context != NULL && others != NULL && sk_X509_push(others, intermediate) > 0;
    for (int place = 0; is_ready && place < count; place++) {
        is_ready = X509_STORE_add_cert(store, roots[place]) == 1;
    }
    if (is_ready && X509_STORE_CTX_init(context, store, leaf, others) == 1) {
        X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(context);
        X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_ANY);
        // One certificate between the leaf and the root, and nothing weaker than 112 bits.
        X509_VERIFY_PARAM_set_depth(rules, 1);
        X509_VERIFY_PARAM_set_auth_level(rules, 2);
        X509_VERIFY_PARAM_set_time(rules, (time_t)seconds);
        if (is_strict) X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_X509_STRICT);
        if (X509_verify_cert(context) == 1) {
            *root = adattribution_root(X509_STORE_CTX_get0_chain(context), intermediate, roots, count);
            reason = *root < 0 ? ADATTRIBUTION_OTHER_PATH : X509_V_OK;
        } else {
            reason = X509_STORE_CTX_get_error(context);
            // Nothing was said to be wrong, and nothing was verified.
            if (reason == X509_V_OK) reason = X509_V_ERR_UNSPECIFIED;
        }
    }
    sk_X509_free(others);
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return reason;
}

/// Adds an extension that libcrypto makes out of a text.
static inline int adattribution_add_extension(X509 *certificate, X509 *issuer, int name, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, name, value);
    int is_good = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_good;
}

/// Adds an extension that has nothing but its OID, as Apple marks its certificates.
static inline int adattribution_add_marker(X509 *certificate, const char *oid) {
    static const unsigned char null[] = {0x05, 0x00};
    ASN1_OBJECT *object = OBJ_txt2obj(oid, 1);
    ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
    X509_EXTENSION *extension = NULL;
    if (object != NULL && value != NULL && ASN1_OCTET_STRING_set(value, null, sizeof null) == 1) {
        extension = X509_EXTENSION_create_by_OBJ(NULL, object, 0, value);
    }
    int is_good = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    ASN1_OCTET_STRING_free(value);
    ASN1_OBJECT_free(object);
    return is_good;
}

/// A certificate without a signature; `issuer` is NULL for one that signs itself. NULL if it can't be made.
static inline X509 *adattribution_new_certificate(
    const char *subject, EVP_PKEY *key, X509 *issuer, int is_authority, int64_t first, int64_t last, int64_t serial
) {
    X509 *certificate = X509_new();
    X509_NAME *name = X509_NAME_new();
    const X509_NAME *issuer_name = issuer == NULL ? name : X509_get_subject_name(issuer);
    const char *constraints = !is_authority ? "critical,CA:FALSE"
        : issuer == NULL ? "critical,CA:TRUE" : "critical,CA:TRUE,pathlen:0";
    int is_good = certificate != NULL && name != NULL
        && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)subject, -1, -1, 0) == 1
        && X509_set_version(certificate, 2) == 1
        && ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), serial) == 1
        && ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)first) != NULL
        && ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)last) != NULL
        && X509_set_subject_name(certificate, name) == 1
        && X509_set_issuer_name(certificate, issuer_name) == 1
        && X509_set_pubkey(certificate, key) == 1
        && adattribution_add_extension(certificate, certificate, NID_basic_constraints, constraints)
        && adattribution_add_extension(
            certificate, certificate, NID_key_usage,
            is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature")
        && adattribution_add_extension(certificate, certificate, NID_subject_key_identifier, "hash")
        && (issuer == NULL
            || adattribution_add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always"));
    X509_NAME_free(name);
    if (is_good) return certificate;
    X509_free(certificate);
    return NULL;
}

#endif
