import PostgresClient
import StrictJSON

/// A notification of the App Store, as a page of them has it.
struct NotificationRow: Sendable {
    let lane: Int16
    let position: Int64
    let environment: String
    let notificationID: String
    private let version: Int16
    private let type: String
    private let subtype: String?
    private let bundleID: String?
    private let appID: Int64?
    private let originalTransactionID: String?
    private let transactionID: String?
    private let status: Int16?
    private let signedAt: String?
    private let receivedAt: String
    /// SHA-256 of its first body, in hexadecimal.
    let bodySHA256: String
    /// The bytes of the body; 0 if it is not asked for, or was removed.
    let bodySize: Int64

    init(_ row: PostgresRow) throws(PostgresError) {
        var columns = ColumnCursor(row)
        lane = try columns.next()
        position = try columns.next()
        environment = try columns.next()
        notificationID = try columns.next()
        version = try columns.next()
        type = try columns.next()
        subtype = try columns.next()
        bundleID = try columns.next()
        appID = try columns.next()
        originalTransactionID = try columns.next()
        transactionID = try columns.next()
        status = try columns.next()
        signedAt = try columns.next()
        receivedAt = try columns.next()
        bodySHA256 = try columns.next()
        bodySize = try columns.next(Int64?.self) ?? 0
    }

    /// Appends it as a JSON object; docs/events.md describes the members, whose order never changes.
    ///
    /// - Parameters:
    ///   - body: The body; nil if it was removed.
    ///   - hasBody: Whether there is the member `body`.
    func append(to text: inout [UInt8], body: [UInt8]?, hasBody: Bool) {
        var object = JSONObjectText()
        object.append("format", Int64(1))
        object.append("id", "\(lane)-\(position)")
        object.append("lane", lane)
        object.append("position", position)
        object.append("environment", environment)
        object.append("notification_id", notificationID)
        object.append("version", version)
        object.append("type", type)
        object.append("subtype", perhaps: subtype)
        object.append("bundle_id", perhaps: bundleID)
        object.append("app_id", perhaps: appID)
        object.append("original_transaction_id", perhaps: originalTransactionID)
        object.append("transaction_id", perhaps: transactionID)
        object.append("status", perhaps: status.map { Int64($0) })
        object.append("signed_at", perhaps: signedAt)
        object.append("received_at", receivedAt)
        object.append("body_sha256", bodySHA256)
        if hasBody {
            var quoted: [UInt8] = []
            if let body { JSONText.append(utf8: body, to: &quoted) }
            object.append("body", json: body == nil ? Self.null : quoted)
        }
        text += object.finished()
    }

    fileprivate static let null = Array("null".utf8)
}

extension JSONObjectText {
    fileprivate mutating func append(_ name: String, perhaps text: String?) {
        if let text { append(name, text) } else { append(name, json: NotificationRow.null) }
    }

    fileprivate mutating func append(_ name: String, perhaps integer: Int64?) {
        if let integer { append(name, integer) } else { append(name, json: NotificationRow.null) }
    }
}
