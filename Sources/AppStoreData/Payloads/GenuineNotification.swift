/// A notification that is not made up: Apple signed it, or it is of V1 and had the secret of its app.
///
/// Only what verified that makes one, so a stranger can't forge one.
package struct GenuineNotification: Sendable, Equatable {
    /// 16 bytes that are the same whenever Apple sends it again: `StoreNotification.id`.
    package let id: [UInt8]
    /// The bytes that are kept of it: `StoreNotification.kept`.
    package let kept: [UInt8]

    /// Takes both of what was verified.
    init(id: [UInt8], kept: [UInt8]) {
        self.id = id
        self.kept = kept
    }

    /// The notification of a payload; nil if a test root signed it, or if it has no id.
    ///
    /// Whoever has the key of a test root can sign any number of them. Without an id it is no notification: Apple signs
    /// transactions too, and each customer has some.
    init?(_ verified: VerifiedPayload, kept: [UInt8]) {
        guard !verified.isOfTestRoot, let id = try? PayloadObject(verified.json).uuid("notificationUUID") else {
            return nil
        }
        self.init(id: id, kept: kept)
    }
}
