import AppStoreClient
import AppStoreData
import AppStoreEvents
import ArgumentParser
import Foundation
import Logging
import PostbackStore
import ServerSettings
import StrictJSON

/// The command `PostbackServer app-store test`.
struct AppStoreTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Let Apple send a TEST notification, and show how Apple saw its delivery.",
        discussion: """
            Apple sends it to the URL that App Store Connect has for the app and the environment. If Apple says SUCCESS, and \
            the notification is in the database, the whole way is proven. Otherwise the exit code is 69, and Apple's word says \
            what is wrong: TIMED_OUT, TLS_ISSUE, UNSUCCESSFUL_HTTP_RESPONSE_CODE and others.

            Example:
              PostbackServer app-store test --bundle-id com.example --environment sandbox
            """)

    @OptionGroup
    var app: AppStoreOptions

    @Option(help: ArgumentHelp("How many seconds to wait for the delivery.", valueName: "seconds"))
    var wait = 60

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        guard (1...3_600).contains(wait) else { throw ValidationError("--wait must be 1 to 3600.") }
    }

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let (app, wait) = (app, wait)
        let deadline = ContinuousClock.now + .seconds(wait)
        try await StoreAPISession.with(app, settings, logger) { session in
            let token = try await session.client.requestTestNotification()
            try StandardOutput.line("Apple sends a TEST notification of \(app.bundleID), \(app.environment.rawValue)")
            var status = try await Self.status(of: token, session.client)
            while status.attempts.isEmpty, ContinuousClock.now < deadline {
                try await Task.sleep(for: .seconds(2))
                status = try await Self.status(of: token, session.client)
            }
            for attempt in status.attempts {
                let time = attempt.date.map { AppStoreText.time($0) + " " } ?? ""
                try StandardOutput.line("delivery: \(time)\(JSONText.line(attempt.result))")
            }
            guard status.isDelivered else { throw FailedStoreTest(last: status.attempts.last, wait) }
            try await Self.find(status, session, settings, logger)
        }
    }

    /// The status; an empty one while Apple does not have it.
    private static func status(
        of token: String, _ client: StoreAPIClient
    ) async throws(StoreAPIError) -> TestNotificationStatus {
        do throws(StoreAPIError) {
            return try await client.testNotificationStatus(token)
        } catch {
            guard error.isTestMissing else { throw error }
            return TestNotificationStatus(signedPayload: nil, attempts: [])
        }
    }

    /// Looks for a delivered notification in the database.
    private static func find(
        _ status: TestNotificationStatus, _ session: StoreAPISession, _ settings: Settings, _ logger: Logger
    ) async throws {
        guard let payload = status.signedPayload else { return }
        let body = NotificationHistoryPage.Entry(signedPayload: payload, attempts: []).body
        let notification = try session.notification(body)
        guard let key = StoredNotificationKey(environment: notification.environment, bytes: notification.id) else {
            return
        }
        let isStored = try await StoreSession.with(settings, logger) { store in
            try await !store.stored([key]).isEmpty
        }
        guard isStored else { throw FailedStoreTest() }
        try StandardOutput.summary("stored: notification \(key.id.uuidString.lowercased())")
    }
}

/// A TEST notification that did not arrive.
struct FailedStoreTest: Error, CustomStringConvertible {
    let description: String

    /// Apple says that it was not, or says nothing.
    init(last: SendAttempt?, _ wait: Int) {
        description =
            last.map { "Apple could not deliver the TEST notification: \($0.result)" }
            ?? "Apple told of no delivery within \(wait) seconds"
    }

    /// Apple says that it was delivered.
    init() {
        description =
            "Apple delivered the TEST notification, but it is not in this database: is the URL that of another server?"
    }
}
