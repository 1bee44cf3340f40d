import Encodings
import Foundation
import Hummingbird
import NIOCore

/// A request of the admin listener whose path and names of parameters are known.
struct AdminRequest: Sendable {
    /// The request itself.
    let request: Request
    /// The texts in place of the segments in braces, by their names.
    let path: [String: String]
    /// The parameters of the query, decoded, in their order.
    let query: [(name: String, value: String)]

    /// Reads the query and checks it against the route.
    ///
    /// - Throws: `invalidParameter` if a parameter is unknown, is there twice, or is not one of its choices; or if a text has
    ///   a zero byte.
    init(_ request: Request, _ route: AdminRoute, path: [String: String]) throws(Problem) {
        self.request = request
        self.path = path
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

    /// A query with these pairs.
    static func text(of pairs: [(name: String, value: String)]) -> String {
        // RFC 3986, section 2.3.
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return pairs.map { [$0.name, $0.value] }.map { pair in
            pair.map { $0.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }.joined(separator: "=")
        }.joined(separator: "&")
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

    /// The pairs of a query, as forms and libraries write them: `%20` and `+` are a space.
    static func pairs(of query: String?) throws(Problem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = texts.first ?? nil, let value = texts.count > 1 ? texts[1] : "" else {
                throw Problem(
                    .invalidParameter, field: String(parts.first ?? "query").prefix(bytes: 60),
                    rule: "must be UTF-8 in percent-encoding")
            }
            try Problem.check(name, of: "query")
            try Problem.check(value, of: name)
            pairs.append((name, value))
        }
        return pairs
    }
}
