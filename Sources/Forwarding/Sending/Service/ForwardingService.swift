import BackgroundWork
import Destinations
import EventLog
package import Foundation
package import Logging
package import NIOCore
package import Observability
package import PostbackStore
import PostgresClient
import ServiceLifecycle

/// Sends postbacks to destinations, as one of several servers.
///
/// Every two seconds it says that it is there, and reads the table of destinations. It takes leases up to its share and
/// gives up what is above. A destination for which it has the lease has a sender (`DestinationSender`), which goes on by
/// itself. A sender stops if its destination was changed, paused, switched off or removed. If it was changed, the next
/// one begins with the new file.
///
/// When the services shut down, senders finish what is under way for about a second, store it and release their leases.
package struct ForwardingService: Service {
    /// How often the table is read.
    static let interval = Duration.seconds(2)
    /// How often the metrics are read from the database.
    static let gaugeInterval = Duration.seconds(10)

    private let store: PostbackStore
    private let secrets: SecretFiles
    private let addresses: AddressRules
    private let resolver: AddressResolver
    private let threads: SendingThreads?
    private let pace = SendingPace()
    private let metrics: ForwardingMetrics
    private let clock: WallClock
    private let logger: Logger
    /// This server among those that send.
    private let server: UUID

    /// Makes a service.
    ///
    /// - Parameter threads: Where it sends; nil for the threads of all tasks.
    package init(
        store: PostbackStore, secrets: SecretFiles, addresses: AddressRules, resolver: AddressResolver = .system,
        threads: SendingThreads? = nil, metrics: ForwardingMetrics, clock: WallClock = .system, server: UUID = UUID(),
        logger: Logger
    ) {
        self.store = store
        self.secrets = secrets
        self.addresses = addresses
        self.resolver = resolver
        self.threads = threads
        self.metrics = metrics
        self.clock = clock
        self.server = server
        self.logger = logger
    }

    package func run() async throws {
        try await withTaskExecutorPreference(threads?.executor) { try await lead() }
    }

    private func lead() async throws {
        let senders = SenderTable()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await showGauges(until: senders) }
                group.addTask { await watchCounting(until: senders) }
                while !senders.isStopping, !Task.isCancelled {
                    do {
                        try await lead(senders, in: &group)
                    } catch {
                        if !Task.isCancelled {
                            logger.warning("forwarding waits for the database", metadata: ["error": "\(error)"])
                        }
                    }
                    await senders.sleep(Self.interval)
                }
            }
            do {
                try await store.withdrawForwarder(server)
            } catch {
                // The others notice in ten seconds.
                logger.debug("the server was not withdrawn", metadata: ["error": "\(error)"])
            }
        } onGracefulShutdown: {
            senders.stopAll()
        }
    }

    /// Reads the table, stops senders and begins others.
    private func lead(_ senders: SenderTable, in group: inout DiscardingTaskGroup) async throws {
        let servers = try await store.announceForwarder(server)
        let stored = try await store.destinations()
        let active = stored.filter { $0.state == .active }
        let files = Dictionary(uniqueKeysWithValues: active.map { ($0.destination.name, $0.loadedAt) })
        for (name, loadedAt) in senders.running where files[name] != loadedAt { senders.stop(name) }
        let share = LeaseShare(destinations: active.count, servers: servers)
        for name in share.surplus(of: senders.running.keys) { senders.stop(name) }
        var room = share.room(beside: senders.running.count)
        // Servers begin at different places, so that they don't all ask for the same ones.
        for destination in active.shuffled() where room > 0 && senders.running[destination.destination.name] == nil {
            let sent = ContinuousClock.now
            guard !senders.isStopping, let lease = try await store.takeLease(destination.destination.name, server)
            else { continue }
            guard lease.loadedAt == destination.loadedAt else {
                // The file was changed since the table was read.
                try await store.release(lease)
                continue
            }
            room -= 1
            begin(destination, lease, sent: sent, senders, in: &group)
        }
    }

    private func begin(
        _ stored: StoredDestination, _ lease: Lease, sent: ContinuousClock.Instant, _ senders: SenderTable,
        in group: inout DiscardingTaskGroup
    ) {
        let name = stored.destination.name
        var logger = logger
        logger[metadataKey: "destination"] = "\(name)"
        let control = senders.add(name, loadedAt: stored.loadedAt)
        let client = DeliveryClient(
            destination: stored.destination, rules: addresses, resolver: resolver, eventLoops: threads?.eventLoops)
        let sender = DestinationSender(
            stored: stored, lease: lease, leaseSent: sent, store: store,
            sending: AttemptSending(
                destination: stored.destination, secrets: secrets, client: client, clock: clock),
            control: control, pace: pace, metrics: metrics.ofSender(name), clock: clock, logger: logger)
        group.addTask {
            logger.info("sending begins")
            let end = await sender.run()
            await client.close()
            await release(lease, after: end, logger)
            senders.remove(name)
        }
    }

    private func release(_ lease: Lease, after end: DestinationSender.End, _ logger: Logger) async {
        switch end {
        case .stopped: logger.info("sending ends")
        case .leaseLost: return logger.warning("the lease is lost: another server sends, or it was removed")
        case .failed(let error):
            logger.warning("sending begins again", metadata: ["error": "\(error)"])
        case .cancelled: return
        }
        do {
            try await store.release(lease)
        } catch {
            // It ends by itself.
            logger.info("the lease was not released", metadata: ["error": "\(error)"])
        }
    }

    /// Lets senders rest while counting needs the processors.
    private func watchCounting(until senders: SenderTable) async {
        var load = ProcessorLoad()
        while !senders.isStopping, !Task.isCancelled {
            await senders.sleep(SendingPace.interval)
            let isBusy = load.look() >= SendingPace.busy
            let events =
                isBusy && !senders.running.isEmpty
                ? try? await store.eventsOfLastSecond(atMost: SendingPace.manyEvents) : nil
            pace.looked(mustRest: (events ?? 0) >= SendingPace.manyEvents, at: .now)
        }
    }

    private func showGauges(until senders: SenderTable) async {
        while !senders.isStopping, !Task.isCancelled {
            do {
                metrics.show(try await store.destinationStatuses())
            } catch {
                if !Task.isCancelled {
                    logger.warning("figures of forwarding were not read", metadata: ["error": "\(error)"])
                }
            }
            await senders.sleep(Self.gaugeInterval)
        }
    }
}

/// Where requests to destinations are made, sent and answered.
package struct SendingThreads: Sendable {
    /// Where the connections are.
    let eventLoops: any EventLoopGroup
    /// Where the tasks of senders run.
    let executor: any TaskExecutor

    /// Takes threads that are not shut down while a sender runs.
    package init(eventLoops: any EventLoopGroup, executor: any TaskExecutor) {
        self.eventLoops = eventLoops
        self.executor = executor
    }
}
