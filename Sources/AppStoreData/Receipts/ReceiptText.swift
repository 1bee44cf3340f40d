import Encodings

/// A receipt as apps and servers pass it on: base64, in one line or several, or the bytes themselves.
package enum ReceiptText {
    /// The most bytes of a text.
    package static let maximumSize = 6 << 20

    /// The bytes of the receipt; nil if the text is neither of both.
    package static func message(_ text: [UInt8]) -> [UInt8]? {
        // A message begins with a SEQUENCE, whose tag is the digit 0. No base64 of one does.
        guard text.first != 0x30 else { return text }
        let compact = text.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        return compact.isEmpty ? nil : compact.withUnsafeBufferPointer { Base64.decode($0) }
    }
}
