public import struct Foundation.UUID

/// The nonce of one ad impression: a UUID, lower case with dashes in the signed string.
///
/// Source: Apple, "Generating the signature to validate StoreKit-rendered ads". A nonce in upper case in the signed
/// string fails on the device, so it is changed to lower case when it is read.
public struct Nonce: TextWireValue {
    /// The UUID.
    public let uuid: UUID

    /// The nonce with a UUID.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Reads 8-4-4-4-12 hexadecimal digits in any letter case; nil for other texts.
    public init?(_ text: String) {
        guard let uuid = UUIDText.parse(text) else { return nil }
        self.uuid = uuid
    }

    /// The lower-case text that is signed.
    public var text: String { UUIDText.lowercase(uuid) }

    /// What the value must be, to complete "must be …".
    package static let rule = "a UUID, 8-4-4-4-12 hexadecimal digits"
}

/// The time at which an ad is served: milliseconds since 1970, thirteen digits.
///
/// Thirteen digits are September 2001 to November 2286. So seconds, the most frequent mistake, are refused.
/// Source: Apple, "SKStoreProductParameterAdNetworkTimestamp".
public struct MillisecondTimestamp: IntegerWireValue, Comparable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public let milliseconds: Int64

    /// The timestamp; nil if it does not have thirteen digits.
    public init?(_ integer: Int64) {
        guard (1_000_000_000_000...9_999_999_999_999).contains(integer) else { return nil }
        milliseconds = integer
    }

    /// The order in time.
    public static func < (left: MillisecondTimestamp, right: MillisecondTimestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "milliseconds since 1970, an integer of 13 digits"
}
