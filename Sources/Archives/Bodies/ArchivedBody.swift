package import Foundation
import PostbackStore
package import PostgresClient

/// A stored body of a postback with its place: a row of `attribution.postback_body`, and a line of an archive.
package struct ArchivedBody: Sendable, Equatable {
    /// The lane of the transaction id.
    package let lane: Int16
    /// Where in the lane the batch wrote: the day of writing in the upper 32 bits, a counter in the lower ones.
    package let position: Int64
    /// The number of the delivery among those of the position.
    package let ordinal: Int16
    /// The postback's transaction.
    package let transactionID: UUID
    /// When the delivery was received.
    package let receivedAt: PostgresTimestamp
    /// Where it came from, in the canonical text of an address; nil if that is not kept.
    package var sourceAddress: String?
    /// Its User-Agent; nil if that is not kept.
    package var userAgent: String?
    /// The body as received.
    package let payload: [UInt8]

    /// The day of writing.
    package var day: PostgresDate { WritingDay.day(of: position) }

    /// The same without address and User-Agent.
    package var withoutOrigin: ArchivedBody {
        var body = self
        body.sourceAddress = nil
        body.userAgent = nil
        return body
    }

    init(
        lane: Int16, position: Int64, ordinal: Int16, transactionID: UUID, receivedAt: PostgresTimestamp,
        sourceAddress: String?, userAgent: String?, payload: [UInt8]
    ) {
        self.lane = lane
        self.position = position
        self.ordinal = ordinal
        self.transactionID = transactionID
        self.receivedAt = receivedAt
        self.sourceAddress = sourceAddress
        self.userAgent = userAgent
        self.payload = payload
    }

    /// Reads the columns of `BodyArchiveStatements.page`.
    init(_ columns: inout ColumnCursor) throws {
        lane = try columns.next()
        position = try columns.next()
        ordinal = try columns.next()
        transactionID = try columns.next()
        receivedAt = try columns.next()
        sourceAddress = try columns.next()
        userAgent = try columns.next()
        payload = Array(try columns.next(String.self).utf8)
    }
}
