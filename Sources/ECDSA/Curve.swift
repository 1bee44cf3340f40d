internal import COpenSSL

/// The elliptic curves of Apple's ad attribution.
public enum Curve: String, Sendable, Hashable, CaseIterable {
    /// NIST P-192 (`prime192v1`, `secp192r1`): Apple's key for postbacks of SKAdNetwork 1.0 and 2.0.
    case p192
    /// NIST P-256 (`prime256v1`, `secp256r1`): Apple's keys from 2.1 on, and every network's own key.
    case p256

    /// The curve's name in libcrypto.
    var groupName: String {
        switch self {
        case .p192: "prime192v1"
        case .p256: "prime256v1"
        }
    }

    /// The curve of a parsed key; nil if it is another curve, or if the key spells out the curve's parameters.
    ///
    /// Parameters in place of a name are forbidden in certificates (RFC 5480, section 2.1.1), and a look-alike of a
    /// curve could hide in them.
    static func of(_ key: OpaquePointer) -> Curve? {
        var name = [CChar](repeating: 0, count: 80)
        var length = 0
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_EC_ENCODING, &name, name.count, &length) == 1,
            String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                == OSSL_PKEY_EC_ENCODING_GROUP,
            EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
        else { return nil }
        let text = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return allCases.first { $0.groupName == text }
    }
}
