import HTTPTypes
import StrictJSON

/// The description of both listeners, served at `/openapi.json` of the admin listener.
///
/// Paths, parameters, bodies and errors are those of the types that serve them. Source: OpenAPI Specification 3.1.1.
struct OpenAPIDocument {
    static let path = "/openapi.json"

    /// The routes of the admin listener.
    let routes: [AdminRoute]

    /// The description as JSON, the same for every server.
    var text: [UInt8] {
        let document: JSONDocument = [
            "openapi": "3.1.1",
            "info": [
                "title": "AdAttribution", "version": "1",
                "description":
                    "The public listener takes postbacks from devices; the admin listener is for your programs.",
            ],
            "paths": .object(publicPaths + adminPaths),
            "components": [
                "schemas": .object(OpenAPISchema.allCases.map { (name: $0.rawValue, value: $0.document) }),
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer",
                        "description": "ADMIN_TOKEN, or a token of tokens.json with the scope",
                    ]
                ],
            ],
        ]
        return document.text()
    }

    private var publicPaths: [(name: String, value: JSONDocument)] {
        PublicOperation.all.map { operation in
            (
                name: operation.path,
                value: [
                    "servers": Self.server("http://127.0.0.1:8080", "the public listener"), "post": operation.document,
                ]
            )
        }
    }

    private var adminPaths: [(name: String, value: JSONDocument)] {
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        return paths.map { path in
            let operations = routes.filter { $0.path == path }.map {
                (name: $0.method.rawValue.lowercased(), value: $0.operation)
            }
            return (
                name: path,
                value: .object([("servers", Self.server("http://127.0.0.1:8081", "the admin listener"))] + operations)
            )
        }
    }

    private static func server(_ url: String, _ description: String) -> JSONDocument {
        [["url": .string(url), "description": .string(description)]]
    }

    /// The answers of an operation, by status; several kinds of one status are one answer.
    static func responses(
        _ answers: [(
            status: HTTPResponse.Status, description: String, contents: [(type: String, schema: JSONDocument)]
        )]
    ) -> JSONDocument {
        var statuses: [Int] = []
        for answer in answers where !statuses.contains(answer.status.code) { statuses.append(answer.status.code) }
        return .object(
            statuses.sorted().map { status in
                let own = answers.filter { $0.status.code == status }
                var contents: [(name: String, value: JSONDocument)] = []
                for (type, schema) in own.flatMap(\.contents) where !contents.contains(where: { $0.name == type }) {
                    contents.append((name: type, value: ["schema": schema]))
                }
                return (
                    name: String(status),
                    value: [
                        "description": .string(own.map(\.description).joined(separator: "; or: ")),
                        "content": .object(contents),
                    ]
                )
            })
    }
}
