import Access
import HTTPTypes
import StrictJSON

extension AdminRoute {
    /// What may be answered on any path, before its route is known.
    private static let everywhere: [ProblemKind] = [
        .malformedRequest, .requestTooSlow, .bodyTooLarge, .headTooLarge, .misdirected, .serverFailed,
    ]

    /// The operation as OpenAPI describes it.
    var operation: JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("summary", .string(summary))]
        // The scopes are those of a token, not of OAuth: OpenAPI 3.1 takes them for any scheme.
        switch needs {
        case .nothing: break
        case .scope(let scope): members.append(("security", [["token": [.string(scope.rawValue)]]]))
        case .scopeBySetting(let scope, _):
            members.append(("security", [.object([]), ["token": [.string(scope.rawValue)]]]))
        }
        let parameters = parameters
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        if let body {
            members.append(("requestBody", ["required": true, "content": body.content]))
        }
        members.append(("responses", responses))
        return .object(members)
    }

    private var parameters: [JSONDocument] {
        var parameters = segments.map { $0.document(in: "path") }
        switch query {
        case .ignored: break
        case .parameters(let own): parameters += own.map { $0.document(in: "query") }
        case .parametersAndColumns(let own, let ofReports):
            parameters += (own + ofReports).map { $0.document(in: "query") }
            parameters.append([
                "name": "columns", "in": "query",
                "description": "any column of the report: COLUMN, COLUMN.min, COLUMN.max, as docs/http-api.md says",
                "style": "form", "explode": true,
                "schema": ["type": "object", "additionalProperties": ["type": "string"]],
            ])
        }
        return parameters
    }

    private var contents: [(type: String, schema: JSONDocument)] {
        contentTypes.map { type in
            (type: type, schema: type == "application/json" ? answer?.reference ?? [:] : ["type": "string"])
        }
    }

    private var responses: JSONDocument {
        var kinds = problems + Self.everywhere
        if needs != .nothing { kinds += [.unauthorized, .forbidden] }
        if case .ignored = query, segments.isEmpty {} else { kinds.append(.invalidParameter) }
        return OpenAPIDocument.responses(
            [(status, "done", contents)]
                + kinds.map {
                    ($0.status, $0.title, [(type: Problem.contentType, schema: OpenAPISchema.problem.reference)])
                })
    }
}

extension AdminRoute.Parameter {
    fileprivate func document(in place: String) -> JSONDocument {
        var schema: [(name: String, value: JSONDocument)] = [("type", "string")]
        if !choices.isEmpty { schema.append(("enum", .array(choices.map { .string($0) }))) }
        var members: [(name: String, value: JSONDocument)] = [
            ("name", .string(name)), ("in", .string(place)), ("description", .string("\(meaning); \(rule)")),
        ]
        if place == "path" { members.append(("required", true)) }
        members.append(("schema", .object(schema)))
        if let example { members.append(("example", .string(example))) }
        return .object(members)
    }
}
