import Encodings
import StrictJSON

/// Why a request to Apple's API has no answer that can be used.
///
/// It contains no token and no part of a key.
package struct StoreAPIError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    package enum Kind: Sendable, Hashable {
        /// Apple answered with this status, and with this `errorCode` if it gave one.
        case refused(status: Int, code: Int64?)
        /// There is no complete answer.
        case unanswered
        /// The answer is not what Apple describes, or too large.
        case unreadable
        /// A page leads to one that was read before.
        case circular
        /// The key did not sign a token.
        case unsigned
    }

    /// What went wrong.
    package let kind: Kind
    /// The same in words.
    package let reason: String
    /// When Apple can be asked again, in milliseconds since 1970; nil if it did not say so.
    package let retryAt: Int64?

    /// Takes all three.
    package init(_ kind: Kind, _ reason: String, retryAt: Int64? = nil) {
        self.kind = kind
        self.reason = reason
        self.retryAt = retryAt
    }

    package var description: String { "Apple's API: \(reason)" }

    /// Apple's `errorCode`.
    package var code: Int64? {
        if case .refused(status: _, code: let code) = kind { code } else { nil }
    }

    /// Whether Apple has had too many requests.
    package var isRateLimit: Bool {
        if case .refused(status: 429, code: _) = kind { true } else { false }
    }

    /// Whether Apple did not take the token.
    package var isTokenRefused: Bool {
        if case .refused(status: 401, code: _) = kind { true } else { false }
    }

    /// Whether the status of a test notification is not there yet, or not any more.
    package var isTestMissing: Bool { code == 4_040_008 }

    /// Whether a token of a page has ended, or is none (any more).
    package var isPageTokenRefused: Bool { code == 4_000_017 || code == 4_000_014 }

    /// The codes whose names end with `RetryableError` at Apple.
    private static let retryableCodes: Set<Int64> = [4_040_002, 4_040_004, 4_040_006, 5_000_001]

    /// Whether the same request can succeed a little later.
    ///
    /// Without a code, as from a proxy before Apple's server, each 5xx can.
    package var isRetryable: Bool {
        switch kind {
        case .unanswered: true
        case .refused(status: let status, code: let code):
            isRateLimit || (code.map { Self.retryableCodes.contains($0) } ?? (status >= 500))
        case .unreadable, .circular, .unsigned: false
        }
    }
}

extension StoreAPIError {
    /// The longest text of Apple's in a reason, in bytes.
    private static var maximumMessage: Int { 200 }

    /// What an answer with another status than 2xx says.
    ///
    /// - Parameters:
    ///   - retryAfter: Its header `Retry-After`.
    ///   - token: What must not be shown, even if the other side repeats it.
    ///   - now: Milliseconds since 1970.
    init(status: Int, retryAfter: String?, body: [UInt8], hiding token: StoreAPIToken, at now: Int64) {
        let answer = try? AnswerObject.read(body)
        let code = try? answer?.integer("errorCode")
        let message = try? answer?.text("errorMessage")
        var reason = "the answer is \(status)" + (code.map { ", error \($0)" } ?? "")
        if let message {
            let shown = message.replacing(token.text, with: "(token)")
            reason += ": " + JSONText.line(shown.prefix(bytes: Self.maximumMessage))
        }
        if status == 401 {
            reason += "; issuer-id, key-id or private-key of the key ring is wrong, or the clock of this machine"
        }
        let retryAt = status == 429 ? retryAfter.flatMap { Self.retryTime($0, at: now) } : nil
        self.init(.refused(status: status, code: code), reason, retryAt: retryAt)
    }

    /// Reads `Retry-After`.
    ///
    /// Apple sends milliseconds since 1970 ("Identifying rate limits"), others send seconds from now.
    static func retryTime(_ text: String, at now: Int64) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Int64(text)
        else { return nil }
        // Seconds from now would be three thousand years.
        return number >= 100_000_000_000 ? number : now + number * 1_000
    }
}
