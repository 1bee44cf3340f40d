import AdAttribution
import Encodings

/// The token of a page: where the page before ended, and of which query.
///
/// It is a place in the order, not a number of rows to skip. So rows that arrive meanwhile move no other row to another
/// page. It is opaque to clients, but not secret: a token that somebody made up can only name a place.
struct ReportPage {
    /// The bytes that say which query it is of.
    private static let digestSize = 12

    private let digest: [UInt8]

    /// The tokens of a query with this identity.
    init(of identity: String) {
        digest = Array(SHA256.digest(Array(identity.utf8)).prefix(Self.digestSize))
    }

    /// The token of the page after a row.
    ///
    /// - Parameter values: The row's values of the columns that decide the order.
    func token(after values: [String?]) -> String {
        var bytes = digest
        for value in values {
            // Texts of the database have no zero character.
            bytes.append(value == nil ? 0 : 1)
            bytes.append(contentsOf: (value ?? "").utf8)
            bytes.append(0)
        }
        return Base64.encode(bytes, .urlSafe)
    }

    /// The values of a token; nil if it is none, or is one of another query.
    func place(_ token: String, _ order: [ReportOrder]) -> [ReportValue?]? {
        let bytes = Array(token.utf8).withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
        guard let bytes, bytes.starts(with: digest), bytes.last == 0 else { return nil }
        let values = bytes[digest.count...].dropLast().split(separator: 0, omittingEmptySubsequences: false)
        var place: [ReportValue?] = []
        var rest = values[...]
        for order in order {
            // The byte before a value is 1, or 0 for NULL, which is a separator too and is followed by an empty value.
            guard let first = rest.popFirst() else { return nil }
            if first.isEmpty {
                guard rest.popFirst()?.isEmpty == true else { return nil }
                place.append(nil)
                continue
            }
            guard first.first == 1, let text = String(validating: first.dropFirst(), as: UTF8.self),
                let value = ReportValue(text, order.column.form)
            else { return nil }
            place.append(value)
        }
        return rest.isEmpty ? place : nil
    }
}
