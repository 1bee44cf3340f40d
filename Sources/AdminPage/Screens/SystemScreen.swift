import AdAttribution
import Encodings
import EventLog
import Hummingbird
import Observability
import PageRequests
import PageViews
import PostbackIngest
import PostbackStore
import Reports

/// *System*: versions, key ring, database, readers of the log, quarantine, metrics.
struct SystemScreen: PageScreen {
    let place = ScreenPlace(path: "/system", name: "System")
    let store: PostbackStore
    let keyRing: KeyRingInForce
    /// When this server was started, in milliseconds since 1970.
    let startedAt: Int64
    let exposition: @Sendable () -> String
    let responses: PageResponses

    func show(_ request: PageRequest) async throws -> Response {
        let current = self.keyRing.current
        let keyRing = current.keyRing
        let database = try await store.readNow(Self.database).first ?? []
        let names = [
            "PostgreSQL", "Size", "Last migration", "Migrated at", "Lanes", "Answers are whole until",
        ]
        let view = ReportView(
            request.frame(place.name), introduction: "This server and its database. Names and dates only, no secrets.",
            facts: [
                Fact("Server", "PostbackServer \(BuildVersion.current)"),
                Fact("Started at", Self.moment(startedAt)),
                Fact("Key ring read at", Self.moment(current.readAt)),
            ] + zip(names, database).map { Fact($0, $1 ?? "–") },
            figures: [
                table(
                    "networks", "Networks of the key ring",
                    ["Network", "Signs impressions", "Public key (first digits of its SHA-256)", "Other key"],
                    keyRing.networks.map { network in
                        [
                            network.adNetworkID.text, Self.signing(network.signingKey),
                            Self.fingerprint(network.signingKey?.publicKey), Self.fingerprint(network.otherKey),
                        ]
                    },
                    "The key ring has no network. docs/operations.md says how to add one."),
                table(
                    "apps", "Apps whose developer copies are taken", ["App"],
                    keyRing.developerApps.map(\.value).sorted().map { ["\($0)"] },
                    "The key ring has none. Name your apps in developer-apps of keyring.json to count their copies."),
                table(
                    "keys", "Keys that verify postbacks", ["Name", "Environment", "Of"],
                    keyRing.postbackKeys.map {
                        [$0.name, $0.environment.rawValue, $0.isApples ? "Apple" : "key ring"]
                    },
                    "There is none."),
                table(
                    "readers", "Readers of the log", ["Reader", "Seconds behind"],
                    try await store.logReaderLags().map { [$0.reader, "\($0.seconds)"] }, numbers: [1: 1],
                    "Nobody reads the log."),
                table(
                    "cursors", "Cursors of the readers", ["Reader", "Lane", "Day", "Position", "Ordinal"],
                    try await store.readNow(Self.cursors).map { $0.map { $0 ?? "–" } },
                    numbers: [1: nil, 3: nil, 4: nil], "Nobody reads the log."),
                table(
                    "quarantine", "Quarantine", ["Half", "Rows", "Bytes"],
                    try await store.readNow(Self.quarantine).map { $0.map { $0 ?? "–" } }, numbers: [1: 0, 2: 0],
                    "It is empty."),
                table(
                    "metrics", "Metrics of this server", ["Metric", "Value"], metrics, numbers: [1: nil],
                    "There is none."),
            ])
        return responses.html(view)
    }

    /// A table.
    ///
    /// - Parameter numbers: The places of columns of numbers, with the digits behind the point; nil shows all of a number.
    private func table(
        _ id: String, _ heading: String, _ headers: [String], _ rows: [[String]], numbers: [Int: Int?] = [:],
        _ advice: String
    ) -> FigureView {
        FigureView(
            id: id, heading: heading,
            headers: headers.enumerated().map { TableHeader($1, isNumber: numbers.keys.contains($0)) },
            rows: rows.map { row in
                row.enumerated().map { place, text in
                    guard let places = numbers[place] else { return TableCell(text, isHeader: place == 0) }
                    return TableCell(places.map { NumberText.decimal(text, places: $0) } ?? text, exact: text)
                }
            }, advice: advice)
    }

    private static func moment(_ milliseconds: Int64) -> String {
        DayText.moment(LogTimestamp(milliseconds: milliseconds).rfc3339) + " UTC"
    }

    private static func signing(_ key: SigningKey?) -> String {
        guard let key else { return "no private key" }
        return key.isInToken ? "yes, in a token" : "yes"
    }

    /// Tells keys apart: `openssl pkey -pubin -in FILE -outform der | sha256sum` prints the same, and more.
    private static func fingerprint(_ key: VerificationKey?) -> String {
        key.map { String(Hexadecimal.text(SHA256.digest($0.subjectPublicKeyInfo)).prefix(16)) } ?? "–"
    }

    /// Name with labels, and value, without the buckets of histograms.
    private var metrics: [[String]] {
        exposition().split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.contains("_bucket{") }.compactMap {
            line in
            line.lastIndex(of: " ").map { [String(line[..<$0]), String(line[$0...].dropFirst())] }
        }
    }

    private static let database = FigureQuestion(["version", "size", "migration", "applied_at", "lanes", "up_to"]) {
        _ in
        """
        SELECT current_setting('server_version') AS version, pg_size_pretty(pg_database_size(current_database())) AS size,
               migration.name AS migration, to_char(migration.applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') AS applied_at,
               (SELECT count(*) FROM attribution.lane) AS lanes,
               to_char(attribution.answers_up_to() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') AS up_to
          FROM (SELECT * FROM attribution.schema_migration ORDER BY number DESC LIMIT 1) AS migration
        """
    }

    private static let cursors = FigureQuestion(["reader", "lane", "day", "position", "ordinal"]) { _ in
        """
        SELECT reader, lane, date '2000-01-01' + (position >> 32)::integer AS day, position & 4294967295 AS position, ordinal
          FROM attribution.log_reader
         ORDER BY reader, lane
         LIMIT 1000
        """
    }

    private static let quarantine = FigureQuestion(["half", "rows", "bytes"]) { _ in
        """
        SELECT CASE WHEN protected THEN 'signed by Apple' ELSE 'others' END AS half, rows, bytes
          FROM attribution.rejected_postback_usage
         ORDER BY protected DESC
        """
    }
}
