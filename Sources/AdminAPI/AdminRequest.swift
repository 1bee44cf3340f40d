package import Access
import AuditTrail
import Encodings
package import Hummingbird
import NIOCore
package import PostbackIngest

/// A request of the admin listener whose path and names of parameters are known.
package struct AdminRequest: Sendable {
    /// The request itself.
    let request: Request
    /// The texts in place of the segments in braces, by their names.
    let path: [String: String]
    /// The parameters of the query, decoded, in their order.
    let query: [(name: String, value: String)]
    /// Whose token it has; nil if the route needs none.
    let caller: Caller?
    /// The other end of its connection.
    let peer: ConnectionPeer

    /// Reads the query and checks it against the route.
    ///
    /// - Throws: `invalidParameter` if a parameter is unknown, is there twice, or is not one of its choices; or if a text has
    ///   a zero byte.
    package init(
        _ request: Request, _ route: AdminRoute, path: [String: String], of caller: Caller?, from peer: ConnectionPeer
    ) throws(Problem) {
        self.request = request
        self.path = path
        self.caller = caller
        self.peer = peer
        for (name, text) in path { try Problem.check(text, of: name) }
        switch route.query {
        case .ignored:
            query = []
        case .parameters(let parameters):
            query = try Self.pairs(of: request.uri.query)
            for (name, _) in query where !parameters.contains(where: { $0.name == name }) {
                let names = parameters.map(\.name).joined(separator: ", ")
                throw Problem(
                    .invalidParameter, field: name.prefix(bytes: 60),
                    rule: "is no parameter of this path; it has " + (names.isEmpty ? "none" : names))
            }
            try check(parameters)
        case .parametersAndColumns(let parameters, _):
            query = try Self.pairs(of: request.uri.query)
            try check(parameters)
        }
    }

    /// Who asks, as the trail has it.
    var actor: TrailActor {
        caller.map { TrailActor($0.person, from: "\(peer)") } ?? .unknown(from: "\(peer)")
    }

    /// The value of a parameter; nil if it is not there.
    subscript(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The body.
    ///
    /// - Throws: `bodyTooLarge`; what the connection throws.
    func body(upTo limit: Int) async throws -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem.bodyTooLarge(limit: limit)
        }
    }

    private func check(_ parameters: [AdminRoute.Parameter]) throws(Problem) {
        for parameter in parameters {
            let values = query.filter { $0.name == parameter.name }.map(\.value)
            guard values.count <= 1 else {
                throw Problem(.invalidParameter, field: parameter.name, rule: "must be there once")
            }
            guard parameter.choices.isEmpty || values.allSatisfy(parameter.choices.contains) else {
                throw Problem(.invalidParameter, field: parameter.name, rule: parameter.rule)
            }
        }
    }

    /// The pairs of a query; none if there is no query.
    package static func pairs(of query: String?) throws(Problem) -> [(name: String, value: String)] {
        try FormPairs.read((query ?? "").utf8)
    }
}
