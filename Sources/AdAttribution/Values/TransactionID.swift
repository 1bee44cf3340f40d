public import struct Foundation.UUID

/// The identifier of one install validation: a UUID that is signed as received and compared without regard to case.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks".
public struct TransactionID: TextWireValue {
    /// The text as received: what the signature covers.
    public let text: String
    /// The UUID: what deliveries are told apart by.
    public let uuid: UUID

    /// The identifier written as 8-4-4-4-12 hexadecimal digits, or nil.
    public init?(_ text: String) {
        guard let uuid = UUIDText.parse(text) else { return nil }
        self.text = text
        self.uuid = uuid
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "a UUID, 8-4-4-4-12 hexadecimal digits"
}
