import DatabaseSchema
import HTTPTypes
import Hummingbird
package import PostbackIngest
package import PostbackStore
import PostgresClient
import ServiceLifecycle
import StrictJSON
import Synchronization

/// Whether this server should get traffic: a postback could be stored now, and no shutdown is under way.
///
/// It is the last of the services, so a shutdown reaches it first, and `/ready` says so while the others drain.
///
/// The answer comes within a second, also if the database does not answer. One check at a time asks the database, and
/// all requests that arrive meanwhile wait for it.
package final class Readiness: Service {
    /// What a check found.
    private enum Finding: Sendable {
        /// With the nodes of a cluster whose lanes can't be counted.
        case ready([LaneOutage])
        case schema(SchemaError)
        case rights(MissingRights)
        case database
    }

    private struct State {
        var isDraining = false
        /// The check that is under way.
        var check: Task<Finding, Never>?
    }

    /// How long a request waits for a check.
    private static let longestWait = Duration.milliseconds(900)

    private let state = Mutex(State())
    private let store: PostbackStore
    private let metrics: ServiceMetrics
    private let files: ServerFiles

    package init(store: PostbackStore, metrics: ServiceMetrics, files: ServerFiles) {
        self.store = store
        self.metrics = metrics
        self.files = files
    }

    func run() async throws {
        try await gracefulShutdown()
        state.withLock { $0.isDraining = true }
    }

    /// 200, also if only some lanes of a cluster can be counted: another server could not count the others either.
    ///
    /// Also if changed files can't be used: the server goes by what it read before, and says why.
    ///
    /// - Throws: `unavailable` with what is missing.
    func response() async throws(Problem) -> Response {
        if state.withLock({ $0.isDraining }) {
            throw Problem(.unavailable, field: "server", rule: "is stopping")
        }
        switch await finding() {
        case .ready(let outages): return .json(.ok, Self.body(outages, files.refusals).utf8)
        case .schema(let error): throw Problem(.unavailable, field: "schema", rule: error.description)
        case .rights(let missing): throw Problem(.unavailable, field: "database", rule: missing.rule)
        case .database: throw Problem(.unavailable, field: "database", rule: "can't store a postback now")
        }
    }

    /// Looks whether all lanes of a cluster can be counted, for the metrics.
    package func look() async { _ = await finding() }

    private static func body(
        _ outages: [LaneOutage], _ refusals: [(part: ServerFiles.Part, reason: String)]
    ) -> String {
        var members: [String] = []
        if !outages.isEmpty {
            let list = outages.map { outage in
                "{\"worker\":\(JSONText.quoted(outage.node)),\"lanes\":[\(outage.lanes.map(String.init).joined(separator: ","))]}"
            }
            members.append("\"outages\":[\(list.joined(separator: ","))]")
        }
        if !refusals.isEmpty {
            let list = refusals.map { part, reason in
                "{\"part\":\"\(part.rawValue)\",\"reason\":\(JSONText.quoted(reason))}"
            }
            members.append("\"refused\":[\(list.joined(separator: ","))]")
        }
        let status = members.isEmpty ? "ready" : "degraded"
        return "{" + (["\"status\":\"\(status)\""] + members).joined(separator: ",") + "}"
    }

    /// What the check under way finds, or a new one; `database` if it takes too long.
    private func finding() async -> Finding {
        let check = state.withLock { state in
            if let check = state.check { return check }
            let check = Task {
                let finding = await self.check()
                self.state.withLock { $0.check = nil }
                return finding
            }
            state.check = check
            return check
        }
        return await check.value(within: Self.longestWait) ?? .database
    }

    private func check() async -> Finding {
        do {
            let outages = try await store.checkReadiness(within: Self.longestWait)
            metrics.record(outages)
            return .ready(outages.list)
        } catch let error as SchemaError {
            return .schema(error)
        } catch let error as MissingRights {
            return .rights(error)
        } catch {
            return .database
        }
    }
}
