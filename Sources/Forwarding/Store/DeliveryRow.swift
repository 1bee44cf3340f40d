package import Destinations
package import Foundation
package import PostgresClient

/// What becomes of a delivery that failed.
package enum DeliveryState: String, Sendable, CaseIterable {
    /// It is tried again, or the attempt is under way.
    case waiting
    /// It is not tried again.
    case dead
}

/// A delivery that failed or takes long, for people to look at.
package struct DeliveryRow: Sendable {
    /// The event.
    package let key: DeliveryKey
    /// Apple's transaction.
    package let transactionID: UUID
    /// What happened: `accepted`, `raised` or `conflict`.
    package let kind: String
    /// When the postback was received first.
    package let receivedAt: PostgresTimestamp
    /// Whether it is tried again.
    package let state: DeliveryState
    /// How many attempts were made.
    package let attempt: Int
    /// When it is tried again; nil if it is not.
    package let nextAt: PostgresTimestamp?
    /// When the first attempt was over, or had taken long.
    package let firstFailedAt: PostgresTimestamp
    /// The status of the last answer; nil if there was none.
    package let lastStatus: Int?
    /// Why the last attempt failed.
    package let lastError: String?
    /// The first bytes of the body of the last answer.
    package let answer: [UInt8]?
    /// Whether the event became a request.
    ///
    /// If not, `request` has the URL as the destination's file says it, and there is nothing to try again.
    package let isSendable: Bool
    /// The request, with `{secret:NAME}` where secrets stand.
    package let request: PreparedRequest

    /// The event's name.
    package var eventID: String { key.description }

    /// Reads a row of `DeliveryStatements.list` or `.one`; nil if this build does not know a value.
    init?(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        key = try DeliveryKey(lane: columns.next(), position: columns.next(), ordinal: columns.next())
        transactionID = try columns.next()
        kind = try columns.next()
        receivedAt = try columns.next()
        guard let state = DeliveryState(rawValue: try columns.next()) else { return nil }
        self.state = state
        attempt = Int(try columns.next(Int32.self))
        nextAt = try columns.next()
        firstFailedAt = try columns.next()
        lastStatus = try columns.next(Int16?.self).map { Int($0) }
        lastError = try columns.next()
        answer = try columns.next()
        isSendable = try columns.next()
        guard let request = try PreparedRequest(&columns) else { return nil }
        self.request = request
    }
}

/// A delivery that is to be tried again now.
package struct WaitingDelivery: Sendable {
    /// The event.
    package let key: DeliveryKey
    /// Apple's transaction.
    package let transactionID: UUID
    /// What happened.
    package let kind: ForwardedEvent.Kind
    /// When the postback was received, in microseconds since 1970.
    package let receivedAt: Int64
    /// How many attempts were made.
    package let attempt: Int
    /// The request, as it was made for the first attempt.
    package let request: PreparedRequest
    /// Whether a replay sent it first.
    package let isReplay: Bool
    /// Whether the destination had another file when the request was made.
    package let isOfEarlierFile: Bool

    /// The event's name.
    package var eventID: String { key.description }
}

extension WaitingDelivery {
    /// Reads a row of `DeliveryStatements.due`; nil if this build does not know a value.
    init?(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        key = try DeliveryKey(lane: columns.next(), position: columns.next(), ordinal: columns.next())
        transactionID = try columns.next()
        guard let kind = ForwardedEvent.Kind(rawValue: try columns.next()) else { return nil }
        self.kind = kind
        receivedAt = try columns.next(PostgresTimestamp.self).microsecondsSince1970
        attempt = Int(try columns.next(Int32.self))
        guard let request = try PreparedRequest(&columns) else { return nil }
        self.request = request
        isReplay = try columns.next()
        isOfEarlierFile = try columns.next()
    }
}

extension PreparedRequest {
    /// The headers as they are stored: a line each, as HTTP writes them.
    ///
    /// No name and no value has a control character.
    var headerLines: String { headers.map { "\($0.name): \($0.value)\n" }.joined() }

    /// Reads the columns method, url, headers, body, webhook_id and signing; nil if one of them is not ours.
    init?(_ columns: inout ColumnCursor) throws {
        let method = DestinationMethod(rawValue: try columns.next())
        let url: String = try columns.next()
        let lines: String = try columns.next()
        let body: [UInt8]? = try columns.next()
        let webhookID: String = try columns.next()
        let signing: String = try columns.next()
        guard let method else { return nil }
        // Byte by byte: a blank and a mark behind it are one character.
        let headers = lines.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line -> HeaderField? in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return HeaderField(
                name: String(decoding: line[..<colon], as: UTF8.self),
                value: String(decoding: line.suffix(from: colon).dropFirst(2), as: UTF8.self))
        }
        self.init(
            method: method, url: url, headers: headers, body: body, webhookID: webhookID,
            signing: signing.split(separator: " ").compactMap { SecretName(String($0)) })
    }
}

extension PostgresTimestamp {
    /// Microseconds from 1970-01-01 to 2000-01-01.
    private static let epochOffset: Int64 = 946_684_800_000_000

    /// Takes microseconds since 1970-01-01 00:00:00 UTC, a time of Apple's postbacks.
    init(microsecondsSince1970: Int64) {
        self.init(microsecondsSince2000: microsecondsSince1970 &- Self.epochOffset)
    }

    /// Microseconds since 1970-01-01 00:00:00 UTC.
    var microsecondsSince1970: Int64 { microsecondsSince2000 &+ Self.epochOffset }
}
