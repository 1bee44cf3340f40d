import Encodings

/// Signatures of Standard Webhooks 1.0.0: who sent a request, when, and that nobody changed its body.
///
/// Source: spec/standard-webhooks.md of standard-webhooks/standard-webhooks. They do not cover method, URL and other
/// headers.
package enum StandardWebhooks {
    /// The header with the event's id.
    package static let idHeader = "webhook-id"
    /// The header with the time of the attempt, in seconds since 1970.
    package static let timestampHeader = "webhook-timestamp"
    /// The header with the signatures.
    package static let signatureHeader = "webhook-signature"

    /// How far the clocks of both sides may be apart, in seconds, as the standard's libraries have it.
    package static let tolerance: Int64 = 300

    /// The greatest number of signatures in a header, since each of them takes time.
    private static let greatestCount = 32

    /// The header `webhook-signature`: a signature under each key, in order.
    ///
    /// - Parameter timestamp: The time of the attempt, in seconds since 1970.
    /// - Throws: Which key does not sign.
    static func sign(
        id: String, timestamp: Int64, body: [UInt8], keys: [WebhookKey]
    ) throws(KeyDoesNotSign) -> String {
        let content = content(id: id, timestamp: String(timestamp), body: body)
        var signatures: [String] = []
        for (index, key) in keys.enumerated() {
            guard let signature = key.signature(of: content) else { throw KeyDoesNotSign(index: index) }
            signatures.append("\(key.version),\(Base64.encode(signature))")
        }
        return signatures.joined(separator: " ")
    }

    /// Checks the headers of a request, as they are received.
    ///
    /// - Parameters:
    ///   - keys: Those that are trusted; one signature under one of them is enough.
    ///   - now: The present time, in seconds since 1970.
    ///   - tolerance: How far `timestamp` may be from it, in seconds, at least 0; nil for any time.
    /// - Returns: The index of the key.
    package static func verify(
        signatures: String, id: String, timestamp: String, body: [UInt8], keys: [WebhookKey], now: Int64,
        tolerance: Int64? = StandardWebhooks.tolerance
    ) throws(WebhookProblem) -> Int {
        guard !id.isEmpty, !id.utf8.contains(UInt8(ascii: ".")) else { throw .wrongID }
        guard let seconds = seconds(timestamp) else { throw .wrongTimestamp }
        if let tolerance {
            guard seconds >= now - tolerance else { throw .tooOld(seconds: now - seconds) }
            guard seconds <= now + tolerance else { throw .tooNew(seconds: seconds - now) }
        }
        let entries = signatures.utf8.split(separator: UInt8(ascii: " "))
        guard entries.count <= greatestCount else { throw .tooManySignatures(limit: greatestCount) }
        let content = content(id: id, timestamp: timestamp, body: body)
        for entry in entries {
            guard let comma = entry.firstIndex(of: UInt8(ascii: ",")) else { continue }
            let version = String(Substring(entry[..<comma]))
            let text = Array(entry[entry.index(after: comma)...])
            guard let signature = text.withUnsafeBufferPointer({ Base64.decode($0) }) else { continue }
            let index = keys.firstIndex { $0.version == version && $0.isValid(signature, for: content) }
            if let index { return index }
        }
        throw .noMatch
    }

    /// What is signed.
    private static func content(id: String, timestamp: String, body: [UInt8]) -> [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }

    /// Seconds in plain decimal, so that the time that is checked is the one that was signed.
    private static func seconds(_ text: String) -> Int64? {
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}

/// A key that can't sign: a public one.
struct KeyDoesNotSign: Error {
    let index: Int
}
