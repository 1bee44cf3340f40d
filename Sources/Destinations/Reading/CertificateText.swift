import Encodings
import StrictJSON

/// Certificates of authorities as PEM (RFC 7468).
enum CertificateText {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Reads one certificate or more; nil if the text is something else.
    ///
    /// Whether they are certificates that can be trusted shows when they are used. The text is not part of a refusal,
    /// since it may be a private key.
    static func read(_ node: DocumentNode) -> String?? {
        guard case .string(let text) = node.json.value, isPEM(text) else {
            node.findings.refuse(node.place, "must be certificates as PEM, with nothing between them")
            return nil
        }
        return .some(text)
    }

    private static func isPEM(_ text: String) -> Bool {
        var lines = text.split(whereSeparator: \.isNewline)[...]
        guard !lines.isEmpty else { return false }
        while lines.popFirst() == begin[...] {
            guard let last = lines.firstIndex(of: end[...]) else { return false }
            let base64 = Array(lines[..<last].joined().utf8)
            // DER of a certificate is a sequence.
            guard base64.withUnsafeBufferPointer({ Base64.decode($0) })?.first == 0x30 else { return false }
            lines = lines[(last + 1)...]
            if lines.isEmpty { return true }
        }
        return false
    }
}
