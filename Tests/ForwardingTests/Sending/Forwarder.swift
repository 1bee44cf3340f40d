import AdAttribution
import Destinations
import Foundation
import LocalFiles
import Logging
import PostbackStore
import PostgresClient
import ReceiverSupport
import ServiceLifecycle
import TestSupport
import Testing

@testable import Forwarding

/// Services that send what the test's database has to receivers on this machine.
struct Forwarder: Sendable {
    let database = TestDatabase.current
    let store = PostbackStore.current
    let deliveries: Deliveries
    /// The folder of secrets.
    var secrets = "/nowhere"

    init() throws {
        deliveries = try Deliveries()
    }

    /// The text of a destination's file that gets postbacks of tests.
    ///
    /// Its requests have all the time that a file can give, unless a member says what its limits are.
    static func document(_ name: String = "receiver", port: Int, _ members: String...) -> String {
        let all = [
            #""name": "\#(name)""#, #""url": "http://127.0.0.1:\#(port)/\#(name)""#, #""allow-http": true"#,
            #""method": "POST""#, #""body": "raw""#, #""when": {"environment": ["test"]}"#,
        ]
        let limits = members.contains { $0.contains(#""limits""#) } ? [] : [#""limits": {"timeout-seconds": 60}"#]
        return "{" + (all + limits + members).joined(separator: ", ") + "}"
    }

    /// Loads a destination; it gets what is counted from now on.
    func load(_ name: String = "receiver", port: Int, _ members: String...) async throws {
        let extra = members.joined(separator: ", ")
        let text =
            extra.isEmpty ? Self.document(name, port: port) : Self.document(name, port: port, extra)
        _ = try await store.loadDestination(Array(text.utf8), by: "ADMIN_TOKEN", dryRun: false)
    }

    /// Counts so many postbacks.
    func count(_ number: Int) async throws {
        for result in await store.record(try deliveries.many(number)) { _ = try result.get() }
    }

    /// A service as a server runs it.
    func service(server: UUID = UUID()) throws -> ForwardingService {
        ForwardingService(
            store: store, secrets: SecretFiles(folder: secrets), addresses: try AddressRules("127.0.0.1"),
            metrics: ForwardingMetrics(), server: server, logger: Logger(label: "test"))
    }

    /// Runs a service while the body runs, and then shuts it down as a server does.
    func running(_ body: () async throws -> Void) async throws {
        let group = ServiceGroup(
            services: [try service()], gracefulShutdownSignals: [], cancellationSignals: [],
            logger: Logger(label: "test"))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await body()
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Runs a service while the body runs, and then ends it as a kill does: nothing is finished, stored or released.
    func killed(server: UUID = UUID(), _ body: () async throws -> Void) async throws {
        let service = try service(server: server)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await service.run() }
            defer { tasks.cancelAll() }
            try await body()
        }
    }

    /// Ends the leases of servers that are gone, as ten seconds do.
    func endLeases() async throws {
        try await database.run("UPDATE attribution.destination SET lease_until = clock_timestamp() - interval '1 s'")
    }

    /// The names of the events in the log, in the order of the log, as receivers see them.
    func eventIDs() async throws -> Set<String> {
        Set(
            try await database.column(
                "SELECT 'pb_' || concat_ws('-', lane, position, ordinal) FROM attribution.postback_log"
            ).compactMap { $0 })
    }

    /// Waits until a receiver has all events of the log.
    func delivered(to receiver: TestReceiver) async throws {
        let all = try await eventIDs()
        try await eventually("all events are delivered") { all.isSubset(of: receiver.webhookIDs) ? true : nil }
    }

    /// Waits until a destination's reader is at the end of the log, and no delivery is open.
    func settled(_ name: String = "receiver") async throws {
        try await eventually("everything is stored") {
            let lag = try await store.destinationStatuses().first { $0.name.description == name }
            return lag.map { $0.lagSeconds == 0 && $0.waiting == 0 } ?? false ? true : nil
        }
    }
}
