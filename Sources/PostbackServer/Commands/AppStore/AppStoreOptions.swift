import AppStoreClient
import ArgumentParser
import PostgresClient

/// Which app Apple is asked about, and where.
struct AppStoreOptions: ParsableArguments {
    @Option(name: .customLong("bundle-id"), help: ArgumentHelp("The app, as in the key ring.", valueName: "id"))
    var bundleID: String

    @Option(help: "`production`, or `sandbox` for testers' purchases.")
    var environment = StoreAPIEnvironment.production

    @Option(
        name: .customLong("per-second"),
        help: ArgumentHelp("The most requests a second, 1 to 50.", valueName: "count"))
    var perSecond = 5

    @Option(
        name: .customLong("api-url"),
        help: ArgumentHelp(
            "Another server than Apple's, for tests: \(StoreAPIAddress.loopbackRule).", valueName: "url"),
        transform: StoreAPIAddress.option)
    var address: StoreAPIAddress?

    func validate() throws {
        guard (1...50).contains(perSecond) else { throw ValidationError("--per-second must be 1 to 50.") }
    }
}

extension StoreAPIAddress {
    /// The address of an option.
    fileprivate static func option(_ text: String) throws -> StoreAPIAddress {
        guard let address = StoreAPIAddress(loopback: text) else {
            throw ValidationError("It must be \(loopbackRule), not '\(text.prefix(60))'.")
        }
        return address
    }
}

extension StoreAPIEnvironment: ExpressibleByArgument {}

/// Which days of Apple's history of notifications are asked for.
struct AppStoreDays: ParsableArguments {
    @Option(help: ArgumentHelp("The first UTC day.", valueName: "day"), transform: OptionValue.day)
    var from: PostgresDate

    @Option(help: ArgumentHelp("The last UTC day, included.", valueName: "day"), transform: OptionValue.day)
    var to: PostgresDate

    /// Checks the days before anybody is asked.
    ///
    /// - Throws: `ValidationError` if Apple has nothing of the first day, now or any more.
    func check(_ environment: StoreAPIEnvironment, today: PostgresDate = .today) throws {
        guard from <= to else { throw ValidationError("--from must not be after --to.") }
        guard from <= today else { throw ValidationError("--from must not be after today.") }
        let first = PostgresDate(daysSince2000: today.daysSince2000 - environment.historyDays + 1)
        guard from >= first else {
            let kept = "\(environment.historyDays) days of \(environment.rawValue)"
            throw ValidationError("Apple keeps \(kept): --from must not be before \(first).")
        }
    }

    /// All notifications of the days.
    var query: NotificationHistoryQuery {
        NotificationHistoryQuery(
            startDate: Self.milliseconds(from.daysSince2000), endDate: Self.milliseconds(to.daysSince2000 + 1))
    }

    /// The beginning of a day, in milliseconds since 1970, which was 10,957 days before 2000.
    private static func milliseconds(_ day: Int32) -> Int64 { (Int64(day) + 10_957) * 86_400_000 }
}
