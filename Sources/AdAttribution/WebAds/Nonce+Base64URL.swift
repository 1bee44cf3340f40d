import Encodings

import struct Foundation.UUID
import typealias Foundation.uuid_t

extension Nonce {
    /// The nonce as web links carry it, or nil: 22 characters of base64url, the UUID's 16 bytes without padding.
    ///
    /// Source: Apple, "Creating an attributable ad link".
    public init?(base64URL text: String) {
        let bytes = Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
        guard let bytes, bytes.count == 16 else { return nil }
        self.init(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    /// The nonce as web links carry it.
    public var base64URL: String {
        Base64.encode(withUnsafeBytes(of: uuid.uuid) { Array($0) }, .urlSafe)
    }
}
