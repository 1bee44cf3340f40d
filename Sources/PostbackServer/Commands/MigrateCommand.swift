import ArgumentParser
import Logging
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Make the schema, or bring it to what this build knows.",
        discussion: """
            The SQL is embedded in the program. Of the settings it needs the database only. It runs as the role that owns the \
            schema.

            Examples:
              PostbackServer migrate --database-url postgresql:///attribution
              PostbackServer migrate --lanes 4 --time-zone America/Los_Angeles
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How many batches may be written at once, \(Self.laneRange.lowerBound) to \(Self.laneRange.upperBound). It is "
                + "chosen at the first run. (default: \(PostbackStore.defaultLanes))", valueName: "count"))
    var lanes: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The time zone of the days of reports, such as Europe/Berlin. It is chosen at the first run. (default: UTC)",
            valueName: "name"))
    var timeZone: String?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    /// How many lanes there may be.
    static let laneRange = 1...1_024

    func validate() throws { try Self.check(lanes: lanes) }

    /// Refuses an impossible number of lanes.
    static func check(lanes: Int?) throws {
        guard let lanes, !laneRange.contains(lanes) else { return }
        throw ValidationError(
            "--lanes must be an integer from \(laneRange.lowerBound) to \(laneRange.upperBound), not \(lanes).")
    }

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        var database = settings.databaseConfiguration()
        // Another server may be migrating, and a migration may rewrite a large table.
        database.lockTimeout = .seconds(600)
        database.statementTimeout = .seconds(3_600)
        let pool = PostgresPool(configuration: database, size: 1, logger: logger)
        do {
            let applied = try await PostbackStore.migrate(lanes: lanes, timeZone: timeZone, over: pool)
            await pool.close()
            try StandardOutput.summary(
                applied.isEmpty ? "schema is up to date" : "applied \(applied.joined(separator: ", "))")
        } catch {
            let explained = await PostbackStore.explainedMigration(error, over: pool)
            await pool.close()
            throw explained
        }
    }
}
