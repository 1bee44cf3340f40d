// Messages of CMS (RFC 5652, before it PKCS #7), for receipts of the App Store: what is a macro or a stack in C.
#ifndef ADATTRIBUTION_CMS_H
#define ADATTRIBUTION_CMS_H

#include <stdint.h>
#include <time.h>
#include <openssl/cms.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

/// A message with its content inside and one signer; NULL for anything else, and for bytes after it.
static inline CMS_ContentInfo *adattribution_cms_read(const unsigned char *der, long length) {
    const unsigned char *cursor = der;
    CMS_ContentInfo *message = d2i_CMS_ContentInfo(NULL, &cursor, length);
    if (message == NULL) return NULL;
    if (cursor == der + length && OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed
        && OBJ_obj2nid(CMS_get0_eContentType(message)) == NID_pkcs7_data
        && sk_CMS_SignerInfo_num(CMS_get0_SignerInfos(message)) == 1) {
        ASN1_OCTET_STRING **content = CMS_get0_content(message);
        if (content != NULL && *content != NULL) return message;
    }
    CMS_ContentInfo_free(message);
    return NULL;
}

/// The content of a message that was read.
static inline int adattribution_cms_content(CMS_ContentInfo *message, const unsigned char **content) {
    ASN1_OCTET_STRING *string = *CMS_get0_content(message);
    *content = ASN1_STRING_get0_data(string);
    return ASN1_STRING_length(string);
}

/// Whether the signature is that of a certificate of the message over its content, with SHA-1 or SHA-2.
static inline int adattribution_cms_is_valid(CMS_ContentInfo *message) {
    if (CMS_verify(message, NULL, NULL, NULL, NULL, CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY) != 1) return 0;
    X509_ALGOR *digest = NULL;
    const ASN1_OBJECT *algorithm = NULL;
    CMS_SignerInfo_get0_algs(sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(message), 0), NULL, NULL, &digest, NULL);
    X509_ALGOR_get0(&algorithm, NULL, NULL, digest);
    switch (OBJ_obj2nid(algorithm)) {
    case NID_sha1: case NID_sha256: case NID_sha384: case NID_sha512: return 1;
    default: return 0;
    }
}

/// The certificate under which the signature was checked, which the message owns; NULL if it does not have it.
static inline X509 *adattribution_cms_signer(CMS_ContentInfo *message) {
    X509 *signer = NULL;
    CMS_SignerInfo_get0_algs(sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(message), 0), NULL, &signer, NULL, NULL);
    return signer;
}

/// A message over content, without signed attributes, as Apple signs receipts; the first certificate is the signer's.
static inline CMS_ContentInfo *adattribution_cms_sign(
    STACK_OF(X509) *certificates, EVP_PKEY *key, const void *content, int length
) {
    BIO *bio = BIO_new_mem_buf(content, length);
    X509 *signer = sk_X509_shift(certificates);
    CMS_ContentInfo *message = NULL;
    if (bio != NULL && signer != NULL) {
        message = CMS_sign(signer, key, certificates, bio, CMS_BINARY | CMS_NOATTR);
    }
    X509_free(signer);
    BIO_free(bio);
    return message;
}

/// A list of certificates without any.
static inline STACK_OF(X509) *adattribution_cms_new_list(void) {
    return sk_X509_new_null();
}

/// Adds a certificate, which the list then owns too.
static inline int adattribution_cms_append(STACK_OF(X509) *list, X509 *certificate) {
    if (X509_up_ref(certificate) != 1) return 0;
    if (sk_X509_push(list, certificate) > 0) return 1;
    X509_free(certificate);
    return 0;
}

/// The number of certificates; 0 if there is no list.
static inline int adattribution_cms_count(const STACK_OF(X509) *list) {
    return list == NULL ? 0 : sk_X509_num(list);
}

/// A certificate, which the list owns.
static inline X509 *adattribution_cms_certificate(const STACK_OF(X509) *list, int index) {
    return sk_X509_value(list, index);
}

/// Frees a list with its certificates.
static inline void adattribution_cms_free_list(STACK_OF(X509) *list) {
    sk_X509_pop_free(list, X509_free);
}

/// Checks the chain of the first certificate, through at most one of the others, to one of the roots, at a time.
///
/// The level 0 allows SHA-1: Apple's receipts were signed with it until 2023, and the root always will be.
/// Returns X509_V_OK, and the chain, which the caller frees; or why there is none.
static inline int adattribution_cms_chain(
    STACK_OF(X509) *certificates, STACK_OF(X509) *roots, int64_t seconds, STACK_OF(X509) **chain
) {
    int result = X509_V_ERR_UNSPECIFIED;
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    if (context != NULL
        && X509_STORE_CTX_init(context, NULL, sk_X509_value(certificates, 0), certificates) == 1) {
        X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(context);
        X509_STORE_CTX_set0_trusted_stack(context, roots);
        X509_VERIFY_PARAM_set_time(rules, (time_t)seconds);
        X509_VERIFY_PARAM_set_depth(rules, 1);
        X509_VERIFY_PARAM_set_auth_level(rules, 0);
        if (X509_verify_cert(context) == 1) {
            *chain = X509_STORE_CTX_get1_chain(context);
            if (*chain != NULL) result = X509_V_OK;
        } else if (X509_STORE_CTX_get_error(context) != X509_V_OK) {
            result = X509_STORE_CTX_get_error(context);
        }
    }
    X509_STORE_CTX_free(context);
    return result;
}

#endif
