package import PostbackStore
import PostgresClient

/// A part of the notifications of the App Store as text, in the order of their lanes; docs/events.md describes it.
///
/// The page holds the rows. Bodies are read while it is written, some at a time, and only if they are asked for.
package struct NotificationPage: EventLines {
    package let next: LogCursor
    package let isAtEnd: Bool
    package var count: Int { rows.count }

    private let rows: [NotificationRow]
    private let hasBodies: Bool
    private let pool: PostgresPool

    /// How many notifications are written at once, and about how many bytes of bodies.
    private static let chunkSize = 500
    private static let chunkBytes: Int64 = 8 << 20

    fileprivate init(rows: [NotificationRow], hasBodies: Bool, next: LogCursor, isAtEnd: Bool, pool: PostgresPool) {
        self.rows = rows
        self.hasBodies = hasBodies
        self.next = next
        self.isAtEnd = isAtEnd
        self.pool = pool
    }

    package func write(
        separator: UInt8, end: [UInt8], _ body: ([UInt8]) async throws -> Void
    ) async throws {
        for chunk in chunks {
            let bodies = hasBodies ? try await bodies(of: rows[chunk]) : []
            var text: [UInt8] = []
            for place in chunk {
                let index = place - chunk.lowerBound
                rows[place].append(
                    to: &text, body: bodies.indices.contains(index) ? bodies[index] : nil, hasBody: hasBodies)
                if place + 1 < rows.count { text.append(separator) }
            }
            if chunk.upperBound == rows.count { text += end }
            try await body(text)
        }
    }

    /// The rows in parts.
    private var chunks: [Range<Int>] {
        var chunks: [Range<Int>] = []
        var (start, bytes): (Int, Int64) = (0, 0)
        for (place, row) in rows.enumerated() {
            if place - start == Self.chunkSize || bytes + row.bodySize > Self.chunkBytes, place > start {
                chunks.append(start..<place)
                (start, bytes) = (place, 0)
            }
            bytes += row.bodySize
        }
        if start < rows.count { chunks.append(start..<rows.count) }
        return chunks
    }

    /// The body of each row; nil if it was removed.
    private func bodies(of rows: ArraySlice<NotificationRow>) async throws -> [[UInt8]?] {
        var bindings = PostgresBindings()
        bindings.append(rows.map(\.environment))
        bindings.append(rows.map(\.notificationID))
        bindings.append(rows.map(\.bodySHA256))
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(NotificationPageStatements.bodies, parameters).map {
                try $0.decode([UInt8]?.self, at: 0)
            }
        }
    }
}

extension PostbackStore {
    /// The next notifications of the App Store after a cursor, as text.
    ///
    /// A reader that goes on at `NotificationPage.next` sees each notification once, also while servers write. A lane's row is
    /// locked until the commit, so whatever has a lower position is there already.
    ///
    /// - Parameters:
    ///   - cursor: How far each lane of notifications was read. A cursor of postbacks is none.
    ///   - limit: The greatest number of notifications, from 1.
    ///   - hasBodies: Whether each has its body, in which there are ids of customers.
    /// - Throws: `LogError.cursorUnknown`, or an error of the database.
    package func notificationPage(
        after cursor: LogCursor, limit: Int, hasBodies: Bool
    ) async throws -> NotificationPage {
        let limit = max(1, limit)
        return try await pool.withConnection { connection in
            var last: [Int16: Int64] = [:]
            for row in try connection.query(NotificationPageStatements.lanes) {
                let lane = try row.decode(Int16.self, at: 0)
                last[lane] = try row.decode(Int64.self, at: 1)
            }
            // Positions of postbacks have the day of writing in them, and so are far behind all of these.
            guard cursor.places.allSatisfy({ $0.value.ordinal == 0 && $0.value.position <= last[$0.key] ?? 0 }) else {
                throw LogError.cursorUnknown
            }
            let lanes = last.keys.sorted()
            var bindings = PostgresBindings()
            bindings.append(lanes)
            bindings.append(lanes.map { cursor[$0].position })
            bindings.append(Int64(limit))
            bindings.append(hasBodies)
            let rows = try connection.query(NotificationPageStatements.rows, bindings).map { try NotificationRow($0) }
            var places = cursor.places
            for row in rows { places[row.lane] = LogPlace(position: row.position, ordinal: 0) }
            return NotificationPage(
                rows: rows, hasBodies: hasBodies, next: LogCursor(places), isAtEnd: rows.count < limit, pool: pool)
        }
    }
}

/// The statements of pages of notifications.
private enum NotificationPageStatements {
    static let lanes = PostgresStatement(
        "notification_lanes", "SELECT lane, position FROM attribution.store_lane ORDER BY lane")

    /// The rows behind a place in each lane: the first one of each, then the second ones, so that no lane waits for another.
    ///
    /// Parameters: lanes, positions, the most rows, whether the sizes of bodies are needed.
    static let rows = PostgresStatement(
        "notification_page",
        """
        SELECT found.lane, found.position, found.environment, found.notification_id::text, found.version, found.type,
               found.subtype, found.bundle_id, found.app_id, found.original_transaction_id, found.transaction_id,
               found.status, \(time("found.signed_at")), \(time("found.received_at")), encode(found.body_sha256, 'hex'),
               CASE WHEN $4 THEN (
                    SELECT octet_length(kept.body)::bigint
                      FROM attribution.store_body AS kept
                     WHERE kept.environment = found.environment AND kept.notification_id = found.notification_id
                       AND sha256(kept.body) = found.body_sha256
                     LIMIT 1) END
          FROM unnest($1::smallint[], $2::bigint[]) AS place (lane, position)
         CROSS JOIN LATERAL (
               SELECT stored.*, row_number() OVER (ORDER BY stored.position) AS number
                 FROM attribution.store_notification AS stored
                WHERE stored.lane = place.lane AND stored.position > place.position
                ORDER BY stored.position
                LIMIT $3) AS found
         ORDER BY found.number, found.lane
         LIMIT $3::bigint
        """)

    /// The bodies by which notifications came first, NULL if one was removed.
    ///
    /// LIMIT 1 makes the planner use the key.
    static let bodies = PostgresStatement(
        "notification_page_bodies",
        """
        SELECT found.body
          FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
            AS asked (environment, notification_id, digest, number)
          LEFT JOIN LATERAL (
               SELECT kept.body
                 FROM attribution.store_body AS kept
                WHERE kept.environment = asked.environment AND kept.notification_id = asked.notification_id::uuid
                  AND sha256(kept.body) = decode(asked.digest, 'hex')
                LIMIT 1) AS found ON true
         ORDER BY asked.number
        """)

    private static func time(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    }
}
