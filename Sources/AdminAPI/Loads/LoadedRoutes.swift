import Access
import AdAttribution
import CampaignData
import ConversionSchemes
import Hummingbird
import Logging
import Money
import NIOCore
import Observability
import PostbackStore
import PostgresClient
import StrictJSON
import TabularFiles

/// `GET` of `/v1/schemes`, `/v1/mapping` and `/v1/app-names`, which show what is loaded.
///
/// Cost and rates are in reports.
struct LoadedRoutes: Sendable {
    /// The bytes of an answer that are made at once.
    private static let part = 65_536
    private static let network = AdminRoute.Parameter(
        name: "ad_network_id", meaning: "only rows of this network; all by default",
        rule: "must be \(AdNetworkID.rule)", example: "example123.skadnetwork")
    private static let advertisedApp = AdminRoute.Parameter(
        name: "advertised_app_id", meaning: "only rows of this app and those for all apps; all by default",
        rule: "must be \(AppID.rule)", example: "525463029")
    private static let app = AdminRoute.Parameter(
        name: "app", meaning: "the advertised app", rule: "must be \(AppID.rule)", example: "525463029")
    private static let time = AdminRoute.Parameter(
        name: "time", meaning: "a time at which the scheme is valid, or the day with its midnight",
        rule: "must be \(SchemeTime.rule), or a day", example: "2026-10-01T00:00:00Z")

    let store: PostbackStore
    let clock: ReportClock
    let logger: Logger
    let failed = RepeatedLine(.error, "schemes or names not read")

    /// The routes.
    var routes: [AdminRoute] {
        func route(
            _ path: String, _ summary: String, _ query: [AdminRoute.Parameter] = [], answer: OpenAPISchema,
            handler: @escaping AdminRoute.Handler
        ) -> AdminRoute {
            AdminRoute(
                method: .get, path: path, summary: summary, needs: .scope(.read), query: .parameters(query),
                contentTypes: ["application/json"], answer: answer, problems: [.unavailable], handler: handler)
        }
        return [
            route("/v1/schemes", "The conversion-value schemes, by app and validity", answer: .schemes) { _ in
                try await schemes()
            },
            AdminRoute(
                method: .get, path: "/v1/schemes/{app}/{time}", summary: "The file of a conversion-value scheme",
                segments: [Self.app, Self.time], needs: .scope(.read), contentTypes: ["application/json"],
                answer: .scheme, problems: [.notFound, .unavailable], handler: scheme),
            route(
                "/v1/mapping", "Names of campaigns, as a file has them, with their states",
                [Self.network, Self.advertisedApp], answer: .mapping, handler: mapping),
            route("/v1/app-names", "Names of apps", answer: .appNames) { _ in try await appNames() },
        ]
    }

    private func schemes() async throws -> Response {
        try await reading {
            var answer = JSONObjectText()
            answer.append("schemes", list: try await store.schemes().map(\.json))
            return .json(.ok, answer.finished())
        }
    }

    private func scheme(_ request: AdminRequest) async throws -> Response {
        guard let app = request.path["app"].flatMap(Self.appID) else {
            throw Problem(.invalidParameter, field: Self.app.name, rule: Self.app.rule)
        }
        guard let time = request.path["time"].flatMap({ SchemeTime(timeOrDay: $0) }) else {
            throw Problem(.invalidParameter, field: Self.time.name, rule: Self.time.rule)
        }
        return try await reading {
            guard let scheme = try await store.scheme(of: app, at: PostgresTimestamp(time)) else {
                throw Problem(
                    .notFound, field: Self.time.name, rule: "must be a time at which a scheme of the app is valid")
            }
            return .json(.ok, scheme.file)
        }
    }

    private func mapping(_ request: AdminRequest) async throws -> Response {
        let network = try Self.value(Self.network, of: request) { AdNetworkID($0) }
        let app = try Self.value(Self.advertisedApp, of: request, Self.appID)
        return try await reading {
            let rows = try await store.mappings(network: network, app: app, on: clock.today)
            return Self.stream("rows", rows) { $0.json }
        }
    }

    private func appNames() async throws -> Response {
        try await reading {
            let names = try await store.appNames()
            return Self.stream("names", names) { $0.json }
        }
    }

    /// The value of a parameter; nil if it is not there.
    private static func value<Value>(
        _ parameter: AdminRoute.Parameter, of request: AdminRequest, _ read: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let text = request[parameter.name] else { return nil }
        guard let value = read(text) else {
            throw Problem(.invalidParameter, field: parameter.name, rule: parameter.rule)
        }
        return value
    }

    private static func appID(_ text: String) -> AppID? { FieldText.integer(text).flatMap { AppID($0) } }

    private func reading(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as PostgresError {
            failed.log(to: logger, ["error": "\(error)"])
            throw Problem.unavailable()
        }
    }

    /// An object with one list, whose text is made while the client reads it.
    private static func stream<Row: Sendable>(
        _ name: String, _ rows: [Row], _ json: @escaping @Sendable (Row) -> [UInt8]
    ) -> Response {
        .stream("application/json") { writer in
            var text = Array("{\"\(name)\":[".utf8)
            for (place, row) in rows.enumerated() {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                text += json(row)
                guard text.count >= part else { continue }
                try await writer.write(ByteBuffer(bytes: text))
                text.removeAll(keepingCapacity: true)
            }
            text += Array("]}\n".utf8)
            try await writer.write(ByteBuffer(bytes: text))
        }
    }
}

extension StoredScheme {
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append("advertised_app_id", appID.value)
        object.append("valid_from", validity.from.text)
        object.append("valid_to", orNull: validity.to?.text)
        object.append("name", name.text)
        object.append("currency", orNull: currency?.text)
        object.append("loaded_at", loadedAt.rfc3339)
        object.append("in_use", isInUse)
        return object.finished()
    }
}

extension MappedRow {
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append("built_in", isBuiltIn)
        object.append("state", state.rawValue)
        object.append("until", orNull: until?.description)
        for (column, text) in zip(CampaignMapping.Column.allCases, mapping.fields) {
            object.append(column.name, orNull: text)
        }
        return object.finished()
    }
}

extension AppName {
    fileprivate var json: [UInt8] {
        var object = JSONObjectText()
        object.append(AppName.Column.app.name, app.value)
        object.append(AppName.Column.name.name, name)
        return object.finished()
    }
}
