import HTTPTypes
import Hummingbird
import PostbackStore
import ServiceLifecycle
import Synchronization

/// Whether this server should get traffic: the database answers, its schema is known, and no shutdown is under way.
///
/// It is the last of the services, so a shutdown reaches it first, and `/ready` says so while the others drain.
final class Readiness: Service {
    private let isDraining = Mutex(false)
    private let store: PostbackStore

    init(store: PostbackStore) {
        self.store = store
    }

    func run() async throws {
        try await gracefulShutdown()
        isDraining.withLock { $0 = true }
    }

    /// 200, or 503 with what is missing.
    func response() async -> Response {
        if isDraining.withLock({ $0 }) { return .error(.serviceUnavailable, field: "server", rule: "is stopping") }
        do {
            try await store.checkSchema()
            // The connections for batches try again by themselves, so they may be back later than the others.
            try await store.ping()
            return .json(.ok, "{\"status\":\"ready\"}".utf8)
        } catch let error as SchemaError {
            return .error(.serviceUnavailable, field: "schema", rule: error.description)
        } catch {
            return .error(.serviceUnavailable, field: "database", rule: "does not answer")
        }
    }
}
