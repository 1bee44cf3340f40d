import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A line of an archive: a postback as it was received, perhaps with `received-at` among its members.
///
/// `received-at` is the time of receipt, an integer of milliseconds since 1970 (13 digits) or a text such as
/// `2026-11-21T07:12:00Z` (RFC 3339). It is none of Apple's fields, and nothing signs it.
public struct ArchivedPostback: Sendable {
    /// The postback; its body is the whole line.
    public let postback: Postback
    /// The time of receipt, or nil where the archive does not tell.
    public let receivedAt: MillisecondTimestamp?

    /// Reads a line.
    ///
    /// - Throws: the first rule that was broken, as `Postback(parsing:)` does; `malformed` for `received-at` too.
    public init(parsing line: [UInt8]) throws(PostbackRejection) {
        postback = try Postback(parsing: line)
        receivedAt = try Self.receivedAt(line)
    }

    /// The time of receipt that a line tells, whether it is a postback or not.
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
