import Access
import AdminAPI
package import AuditTrail
import Destinations
package import Forwarding
package import Hummingbird
import PageForms
package import PageRequests
import PageViews
package import PostbackStore

/// *Destinations*: to whom postbacks are sent on, and how that goes.
///
/// Below its path is a page for each destination, and below that one for each of its failed deliveries.
package struct DestinationScreen: PageScreen {
    package let place = ScreenPlace(
        path: "/destinations", name: "Destinations", hasItems: true, hasForms: true, changing: .operate)
    let store: PostbackStore
    let tests: TestDelivery
    /// The secrets of this server.
    let secrets: SecretFiles
    let trail: Trail
    let responses: PageResponses

    /// Takes the values.
    ///
    /// - Parameters:
    ///   - tests: Sends tests to destinations.
    ///   - secrets: The secrets that destinations name, as this server has them.
    package init(
        store: PostbackStore, tests: TestDelivery, secrets: SecretFiles, trail: Trail, responses: PageResponses
    ) {
        self.store = store
        self.tests = tests
        self.secrets = secrets
        self.trail = trail
        self.responses = responses
    }

    /// What an address is about.
    private enum Item {
        case list
        case destination(DestinationName)
        case delivery(DestinationName, DeliveryKey)

        /// Reads nothing, `NAME` or `NAME/KEY`.
        init(_ text: String?) throws(Problem) {
            guard let text else {
                self = .list
                return
            }
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let name = DestinationName(String(parts[0])) else { throw Problem.notFound }
            guard parts.count == 2 else {
                self = .destination(name)
                return
            }
            guard let key = DeliveryKey(String(parts[1])) else { throw Problem.notFound }
            self = .delivery(name, key)
        }
    }

    package func show(_ request: PageRequest) async throws -> Response {
        switch try Item(request.item) {
        case .list: try await list(request, OperatorForm(request.draft))
        case .destination(let name): try await page(request, try await stored(name))
        case .delivery(let name, let key): try await page(request, try await stored(name), key)
        }
    }

    package func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        switch try Item(request.item) {
        case .list: try await load(request, form)
        case .destination(let name): try await change(request, try await stored(name), form)
        case .delivery(let name, let key): try await retry(request, try await stored(name), key, form)
        }
    }

    /// The address of a destination.
    func address(_ request: PageRequest, of name: DestinationName, _ changes: [(name: String, value: String?)] = [])
        -> String
    {
        request.address(keeping: "\(place.path)/\(name)", changes)
    }

    /// A destination that an address names.
    ///
    /// - Throws: `Problem` if it is not there, or if this version can't read its file.
    func stored(_ name: DestinationName) async throws -> StoredDestination {
        if let stored = try await readable(name) { return stored }
        _ = try await status(of: name)
        throw Problem(
            .notFound, field: "destination",
            rule: "has a file that this version can't read; load another one, or “PostbackServer destination remove” it"
        )
    }

    /// A destination whose file this version can read; nil if there is none.
    func readable(_ name: DestinationName) async throws -> StoredDestination? {
        try await store.destinations().first { $0.destination.name == name }
    }

    /// 404: no destination has this name.
    static let unknown = Problem(.notFound, field: "destination", rule: "is not loaded; it may have been removed")
}
