import Logging
import NIOCore
import Observability
import PageFigures
import PostbackStore
import PostgresClient
import Reports
import ServiceLifecycle
import StrictJSON
import Synchronization

/// The last hundred events of the log, and those that come.
final class LiveFeed: Sendable {
    /// The greatest number of browsers that wait for events at once: each asks the database once a second.
    static let capacity = 8
    /// How long a stream lasts; then the browser asks again, and must still be signed in.
    private static let turns = 300

    /// The columns of an event.
    static let names = [
        "written_at", "event", "environment", "ad_network_id", "version", "campaign", "advertised_app_id",
        "sequence_index", "value", "transaction_id", "counted", "place",
    ]

    private let store: PostbackStore
    private let logger: Logger
    private let readers = Mutex(0)
    private let failed = RepeatedLine(.error, "live events not read")

    init(store: PostbackStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// The last events as people read them, the newest first.
    func events() async throws -> [[String?]] {
        try await store.readNow(Self.question).map { event in
            zip(Self.names, event).map { name, text in
                name == "sequence_index" ? text.map(WindowName.numbered) : text
            }
        }
    }

    /// Takes a place for a stream; false if all are taken.
    func enter() -> Bool {
        readers.withLock { readers in
            guard readers < Self.capacity else { return false }
            readers += 1
            return true
        }
    }

    /// Gives the place back.
    func leave() { readers.withLock { $0 -= 1 } }

    /// Writes the last events and then new ones as server-sent events, until the client leaves or the server stops.
    ///
    /// - Parameters:
    ///   - mayGoOn: Asked before each look at the events, once a second; false ends the stream.
    ///   - write: Writes a part.
    func stream(
        while mayGoOn: () async throws -> Bool, _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        var known: Set<String> = []
        try await write(ByteBuffer(string: "retry: 2000\nevent: begin\ndata: {}\n\n"))
        for turn in 0..<Self.turns where !Task.isShuttingDownGracefully && !Task.isCancelled {
            let events: [[String?]]
            do {
                guard try await mayGoOn() else { return }
                events = try await self.events()
            } catch let error as PostgresError {
                failed.log(to: logger, ["error": "\(error)"])
                return
            }
            let places = events.map { $0.last.flatMap(\.self) ?? "" }
            let new = zip(events, places).filter { !known.contains($1) }.map(\.0)
            known = Set(places)
            var text = new.reversed().map(Self.message).joined()
            // A comment, so that a client that has left is noticed.
            if text.isEmpty, turn % 10 == 9 { text = ":\n\n" }
            if !text.isEmpty { try await write(ByteBuffer(string: text)) }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private static func message(_ event: [String?]) -> String {
        let members = zip(names, event).map { name, text in
            JSONText.quoted(name) + ":" + (text.map(JSONText.quoted) ?? "null")
        }
        return "event: postback\ndata: {" + members.joined(separator: ",") + "}\n\n"
    }

    /// Each lane is read backwards by the index of its places, on a cluster by a query of its own.
    private static let question = FigureQuestion(names) { _ in
        """
        SELECT to_char(log.written_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS written_at,
               CASE log.event WHEN 0 THEN 'accepted' WHEN 3 THEN 'conflict' ELSE 'raised' END AS event,
               line.environment, line.ad_network_id,
               CASE line.protocol WHEN 'skadnetwork' THEN 'SKAdNetwork ' || traits.version ELSE 'AdAttributionKit' END
               AS version,
               line.campaign, line.advertised_app_id, log.sequence_index,
               coalesce(attribution.fine_value(log.value)::text, attribution.coarse_value(log.value)) AS value,
               log.transaction_id, CASE WHEN NOT line.developer_copy THEN 'yes' END AS counted,
               concat_ws('.', log.lane, log.position, log.ordinal) AS place
          FROM attribution.newest_events(100, 7) AS log
          JOIN attribution.line USING (line)
          JOIN attribution.traits USING (traits)
         ORDER BY log.written_at DESC, log.lane, log.position DESC, log.ordinal DESC
         LIMIT 100
        """
    }
}
