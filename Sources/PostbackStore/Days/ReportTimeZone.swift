import DatabaseSchema
import Foundation
package import PostgresClient

/// The time zone of the days of reports, which an installation chooses once, as it chooses its lanes.
///
/// In SQL it is `attribution.time_zone()`. The days of bodies and of the log are UTC days always.
package struct ReportTimeZone: Sendable, Hashable {
    private let zone: TimeZone

    /// Takes a name of the IANA time zone database, such as `Europe/Berlin`; nil if this machine does not know it.
    package init?(_ name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// The name, such as `Europe/Berlin`.
    package var name: String { zone.identifier }

    /// The day of a point in time.
    package func day(of time: PostgresTimestamp) -> PostgresDate {
        let seconds = Double(time.millisecondsSince1970) / 1_000
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
        return PostgresDate(
            PostgresTimestamp(microsecondsSince2000: time.microsecondsSince2000 + Int64(offset) * 1_000_000))
    }
}

/// Tells which day it is where the reports are read.
package struct ReportClock: Sendable {
    private let milliseconds: @Sendable () -> Int64
    private let zone: ReportTimeZone

    /// Takes a clock, which tells milliseconds since 1970, and the time zone of the reports.
    package init(_ milliseconds: @escaping @Sendable () -> Int64, in zone: ReportTimeZone) {
        self.milliseconds = milliseconds
        self.zone = zone
    }

    /// Today, in the time zone of the reports.
    package var today: PostgresDate { zone.day(of: PostgresTimestamp(millisecondsSince1970: milliseconds())) }
}

extension PostbackStore {
    /// The time zone of the days of reports.
    ///
    /// - Throws: `SchemaError.unknownTimeZone` if this machine does not know it; an error of the database.
    package func reportTimeZone() async throws -> ReportTimeZone {
        let name = try await pool.withStatement("time_zone") { try Self.storedTimeZone(over: $0) }
        guard let zone = ReportTimeZone(name) else { throw SchemaError.unknownTimeZone(name) }
        return zone
    }

    /// Today in the time zone of the reports, by this store's clock.
    package func reportToday() async throws -> PostgresDate {
        try await reportTimeZone().day(of: clock())
    }

    static func storedTimeZone(over connection: isolated PostgresConnection) throws -> String {
        try connection.query(readTimeZone).first?.decode(String.self, at: 0) ?? ""
    }

    /// Chooses the time zone, before anything is counted.
    ///
    /// - Throws: `SchemaError.unknownTimeZone`.
    static func choose(timeZone name: String, over connection: isolated PostgresConnection) throws {
        var bindings = PostgresBindings()
        bindings.append(name)
        let isKnown = try connection.query(chooseTimeZone, bindings).first?.decode(Bool.self, at: 0)
        guard isKnown == true, ReportTimeZone(name) != nil else { throw SchemaError.unknownTimeZone(name) }
    }

    private static let readTimeZone = PostgresStatement("time_zone", "SELECT attribution.time_zone()")

    private static let chooseTimeZone = PostgresStatement(
        "choose_time_zone", "SELECT attribution.choose_time_zone($1)")
}
