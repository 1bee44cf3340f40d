internal import COpenSSL

/// What opens a private key: the passphrase of an encrypted file, or the PIN of a token.
///
/// It is secret, so no description shows it.
public struct Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    /// What a file with a passphrase must be.
    public static let rule = "must have 1 to 1024 bytes in one line, and no zero byte"

    private let bytes: [UInt8]

    /// Takes the bytes of a file: one line, with or without a line end.
    ///
    /// - Returns: nil if it is empty, has several lines or a zero byte, or is longer than 1,024 bytes.
    public init?(file bytes: [UInt8]) {
        var line = bytes[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard (1...1_024).contains(line.count), !line.contains(0), !line.contains(UInt8(ascii: "\n")) else {
            return nil
        }
        self.bytes = Array(line)
    }

    /// Says only that there is one.
    public var description: String { "a passphrase" }

    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Lends the bytes, with a zero byte behind them, to libcrypto.
    func withSecret<Result>(_ body: (inout adattribution_secret) -> Result) -> Result {
        var text = bytes.map { CChar(bitPattern: $0) } + [0]
        defer { for place in text.indices { text[place] = 0 } }
        return text.withUnsafeBufferPointer { buffer in
            var secret = adattribution_secret(text: buffer.baseAddress, length: Int32(buffer.count - 1), asked: 0)
            return body(&secret)
        }
    }

    /// Lends the bytes of a passphrase, or none if there is none.
    static func withSecret<Result>(
        of passphrase: Passphrase?, _ body: (inout adattribution_secret) -> Result
    ) -> Result {
        if let passphrase { return passphrase.withSecret(body) }
        var none = adattribution_secret(text: nil, length: 0, asked: 0)
        return body(&none)
    }
}
