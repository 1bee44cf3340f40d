package import Access
import Foundation
import HTTPTypes
package import Hummingbird

/// A path and a method of the admin listener: what may be asked, what is answered, and who answers.
///
/// The router checks each request against it. So a parameter that is not described here is refused.
package struct AdminRoute: Sendable {
    package typealias Handler = @Sendable (AdminRequest) async throws -> Response

    /// A parameter of the query, or a segment of the path in braces.
    struct Parameter: Sendable {
        let name: String
        /// What it does, and its default.
        let meaning: String
        /// What a value must be, as a refusal says it.
        let rule: String
        /// The values that it can have; empty if they are not a closed set.
        var choices: [String] = []
        /// A value that it often has.
        var example: String?
    }

    /// Which parameters the query may have.
    enum Query: Sendable {
        /// The names are not looked at, since probes and scrapers add what they like.
        case ignored
        /// These, each at most once.
        case parameters([Parameter])
        /// These, each at most once, and what a report takes: its own parameters and names of columns.
        case parametersAndColumns([Parameter], ofReports: [Parameter])
    }

    /// Who may ask.
    package enum Need: Sendable, Equatable {
        /// Everybody.
        case nothing
        /// Whoever has a token with this scope.
        case scope(Scope)
        /// A setting says whether whoever has a token with this scope, or everybody.
        case scopeBySetting(Scope, isSet: Bool)

        /// The scope that a request needs; nil if it needs no token.
        package var scope: Scope? {
            switch self {
            case .nothing: nil
            case .scope(let scope): scope
            case .scopeBySetting(let scope, let isSet): isSet ? scope : nil
            }
        }
    }

    package let method: HTTPRequest.Method
    /// The path without a trailing slash.
    ///
    /// A segment in braces stands for any text: `/v1/reports/{name}`.
    let path: String
    /// What it does, in one line.
    let summary: String
    /// The segments in braces.
    var segments: [Parameter] = []
    /// Who may ask.
    package let needs: Need
    var query = Query.parameters([])
    /// What the body must be; nil if there is none.
    var body: OpenAPISchema?
    /// The status of an answer that is no error.
    var status = HTTPResponse.Status.ok
    /// The types of its body.
    let contentTypes: [String]
    /// What it is if it is JSON; nil if it is a text.
    var answer: OpenAPISchema?
    /// The errors that the handler answers, beside those that every path has.
    var problems: [ProblemKind] = []
    package let handler: Handler

    /// The texts in place of the segments in braces, by their names; nil if it is another path.
    package func values(in segments: [Substring]) -> [String: String]? {
        let own = path.split(separator: "/")
        guard own.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (name, segment) in zip(own, segments) {
            if name.hasPrefix("{") {
                guard let value = segment.removingPercentEncoding else { return nil }
                values[String(name.dropFirst().dropLast())] = value
            } else if name != segment {
                return nil
            }
        }
        return values
    }
}
