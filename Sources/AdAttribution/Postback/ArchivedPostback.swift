import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A line of an archive: a postback as it was received, with or without the member `received-at`.
///
/// `received-at` is the time of receipt, an integer of milliseconds since 1970 (13 digits) or a text such as
/// `2026-11-21T07:12:00Z` (RFC 3339). It is not one of Apple's fields, and it is not signed.
package struct ArchivedPostback: Sendable {
    /// The postback; its body is the whole line.
    package let postback: Postback
    /// The time of receipt; nil if the line does not have it.
    package let receivedAt: MillisecondTimestamp?

    /// Reads a line.
    ///
    /// - Throws: The first rule that was broken, as `Postback(parsing:)`; `malformed` for a wrong `received-at`.
    package init(parsing line: [UInt8]) throws(PostbackRejection) {
        postback = try Postback(parsing: line)
        receivedAt = try Self.receivedAt(line)
    }

    /// The time of receipt of a line, even if the line is not a postback.
    static func receivedAt(_ line: [UInt8]) throws(PostbackRejection) -> MillisecondTimestamp? {
        try line.withUnsafeBufferPointer { (bytes) throws(PostbackRejection) in
            let fields: WireFields<ArchiveField>
            do throws(JSONError) {
                fields = try WireFields(bytes, maximumDepth: Postback.maximumDepth)
            } catch {
                throw .malformed(error)
            }
            do throws(FieldError) {
                if let text = fields.string(.receivedAt) {
                    guard let timestamp = timestamp(text) else {
                        throw FieldError(ArchiveField.receivedAt, rule)
                    }
                    return timestamp
                }
                return try fields.integer(.receivedAt, as: MillisecondTimestamp.self)
            } catch {
                throw PostbackRejection(.malformed, field: error.field, rule: error.rule)
            }
        }
    }

    private static let rule = "must be \(MillisecondTimestamp.rule), or a text such as 2026-11-21T07:12:00Z"

    private static func timestamp(_ text: String) -> MillisecondTimestamp? {
        let whole = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? Date(text, strategy: whole)) ?? (try? Date(text, strategy: fractional)) else {
            return nil
        }
        return MillisecondTimestamp(Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }
}

/// What an archive adds to a postback.
enum ArchiveField: String, WireFieldName {
    case receivedAt = "received-at"

    static let names = WireFieldNames<Self>()
}
