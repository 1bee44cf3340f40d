import AppStoreEvents
import ArgumentParser
import AuditTrail
import EventLog
import PostbackStore
import ServerSettings

/// The command `PostbackServer forget`.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove an IP address from everything that the database keeps.",
        discussion: """
            It removes the address, and the User-Agent of the same deliveries, from all bodies and from the quarantines \
            of postbacks and notifications. Postbacks, bodies and figures stay. Servers may run meanwhile. It may be \
            broken off, and run again.

            It does not change files: it names archives that may hold the address. docs/retention.md says what else may.

            Example:
              PostbackServer forget 203.0.113.7
            """)

    @Argument(
        help: "The IPv4 or IPv6 address.",
        transform: { text in
            guard let address = IPAddress(text) else {
                throw ValidationError("It must be a numeric IPv4 or IPv6 address, not '\(text.prefix(60))'.")
            }
            return address
        })
    var address: IPAddress

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let address = address
        let forgotten = try await StoreSession.with(options) { store in
            var forgotten = try await store.forget(address)
            forgotten.refusals += Int64(try await store.forgetNotifications(of: address))
            // Without the address.
            try await store.note(
                TrailEntry(
                    .forgetting, by: .currentUser, at: store.clock(),
                    [("bodies", forgotten.bodies), ("refusals", forgotten.refusals)]))
            return forgotten
        }
        try StandardOutput.summary(
            "forget: address and User-Agent removed from \(forgotten.bodies) bodies of \(forgotten.days) days, and from "
                + "\(forgotten.refusals) rows of the quarantines")
        if !forgotten.archives.isEmpty {
            try StandardOutput.summary(
                "forget: these archives are not changed, and may hold the address: "
                    + forgotten.archives.joined(separator: ", "))
        }
    }
}
