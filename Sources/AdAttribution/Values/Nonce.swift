public import struct Foundation.UUID

/// The nonce of one ad impression: a UUID, lower case with dashes in the signed string.
///
/// Source: Apple, "Generating the signature to validate StoreKit-rendered ads"; an upper-case nonce in the signed
/// string fails on the device, so upper case is lowered when read.
public struct Nonce: TextWireValue {
    /// The UUID.
    public let uuid: UUID

    /// The nonce that is this UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// The nonce written as 8-4-4-4-12 hexadecimal digits in either case, or nil.
    public init?(_ text: String) {
        guard let uuid = UUIDText.parse(text) else { return nil }
        self.uuid = uuid
    }

    /// The lower-case text that is signed.
    public var text: String { UUIDText.lowercase(uuid) }

    /// What the value must be, to complete "must be …".
    public static let rule = "a UUID, 8-4-4-4-12 hexadecimal digits"
}
