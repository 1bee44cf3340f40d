package import AdAttribution
import BackgroundWork
import EventLog
package import PostbackStore
import PostgresClient

/// Verifies all stored bodies again, on all cores, and compares each with the row of state of its postback.
///
/// Figures follow from the state, so with `PostbackStore.recount` this recounts them from the bodies. A page of bodies
/// and their rows of state are one snapshot, so servers may write meanwhile. Few pages are read ahead, so it takes
/// little memory. A body that is missing, or a row of state without one, is for the check of the log.
package struct BodyRecount: Sendable {
    /// What it came to.
    package struct Summary: Sendable, Equatable {
        /// The bodies that were verified.
        package fileprivate(set) var bodies: Int64 = 0
        /// What does not fit.
        package fileprivate(set) var differences: Int64 = 0
    }

    /// Bodies of one lane and day.
    private struct Part: Sendable {
        let lane: Int16
        let day: PostgresDate

        /// The place before the first one.
        var beginning: BodyPlace { BodyPlace(position: WritingDay.firstPosition(day), ordinal: 0) }
        /// The last position that the day can have.
        var lastPosition: Int64 {
            WritingDay.firstPosition(PostgresDate(daysSince2000: day.daysSince2000 + 1)) - 1
        }
    }

    private let store: PostbackStore
    private let verifier: PostbackVerifier
    private let pageSize: Int

    /// Takes the store and the keys.
    ///
    /// - Parameter pageSize: How many bodies are read at once.
    package init(store: PostbackStore, keyRing: KeyRing, pageSize: Int = 1_000) {
        self.store = store
        verifier = PostbackVerifier(keyRing: keyRing)
        self.pageSize = pageSize
    }

    /// Compares all bodies.
    ///
    /// - Parameter report: Called for each difference, in the order of days, lanes and places.
    /// - Throws: What `report` throws, `LogError.unknownValue`, or an error of the database.
    package func run(_ report: (BodyDifference) throws -> Void) async throws -> Summary {
        var unread = try await parts()[...]
        var last = unread.first?.beginning
        return try await withThrowingTaskGroup(of: (Int, [BodyDifference]).self) { group in
            var summary = Summary()
            var ready: [Int: [BodyDifference]] = [:]
            var started = 0
            var reported = 0
            while true {
                while started - reported < 2 * AvailableCores.count, let part = unread.first, let place = last {
                    let page = try await bodies(of: part, behind: place)
                    if page.count == pageSize {
                        last = page.last?.place
                    } else {
                        unread.removeFirst()
                        last = unread.first?.beginning
                    }
                    summary.bodies += Int64(page.count)
                    let number = started
                    group.addTask { (number, differences(of: page)) }
                    started += 1
                }
                guard reported < started else { return summary }
                while ready[reported] == nil, let (number, found) = try await group.next() { ready[number] = found }
                for difference in ready.removeValue(forKey: reported) ?? [] {
                    summary.differences += 1
                    try report(difference)
                }
                reported += 1
            }
        }
    }

    private func parts() async throws -> [Part] {
        let lanes = try await store.lanes().lanes.map(\.number).sorted()
        let days = try await store.pool.withConnection { connection in
            try connection.query(BodyRecountStatements.days).map { try $0.decode(PostgresDate.self, at: 0) }
        }
        return days.flatMap { day in lanes.map { Part(lane: $0, day: day) } }
    }

    private func bodies(of part: Part, behind place: BodyPlace) async throws -> [StoredBody] {
        var bindings = PostgresBindings()
        bindings.append(part.lane)
        bindings.append(place.position)
        bindings.append(place.ordinal)
        bindings.append(part.lastPosition)
        bindings.append(Int64(pageSize))
        let parameters = bindings
        let facts = store.versions.traitColumns
        return try await store.pool.withTransaction("recount_bodies", statementTimeout: .seconds(600)) { connection in
            try connection.query(BodyRecountStatements.planning)
            let rows = try connection.query(BodyRecountStatements.page, parameters).map { try BodyRow($0) }
            let states = rows.compactMap(\.state)
            let dimensions = try LogDimensions(
                lines: Set(states.map(\.line)), sources: Set(states.map(\.source)), traits: Set(states.map(\.traits)),
                facts, over: connection)
            return try rows.reduce(into: []) { bodies, row in
                let state = try row.state.map { try StoredBody.State($0, dimensions) }
                if bodies.last?.place != row.place {
                    bodies.append(
                        StoredBody(
                            lane: part.lane, place: row.place, transactionID: row.transactionID,
                            receivedAt: row.receivedAt, payload: row.payload, states: []))
                }
                if let state { bodies[bodies.count - 1].states.append(state) }
            }
        }
    }

    private func differences(of page: [StoredBody]) -> [BodyDifference] {
        let facts = store.versions.traitColumns
        var found: [Int: [BodyDifference]] = [:]
        var parsed: [(place: Int, postback: Postback)] = []
        for (place, body) in page.enumerated() {
            do throws(PostbackRejection) {
                parsed.append((place, try Postback(parsing: body.payload)))
            } catch {
                found[place] = [body.difference(error)]
            }
        }
        for (one, result) in zip(parsed, verifier.verify(parsed.map(\.postback))) {
            let body = page[one.place]
            switch result {
            case .success(let verified): found[one.place] = body.differences(from: verified, facts)
            case .failure(let rejection): found[one.place] = [body.difference(rejection)]
            }
        }
        return page.indices.flatMap { found[$0] ?? [] }
    }
}
