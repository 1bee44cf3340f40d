import AsyncHTTPClient
import NIOCore
import PostbackStore
import Synchronization

/// The connections to one address of a host, which was checked.
///
/// The host name stays the one that the certificate must have, and the one that the receiver sees.
final class PinnedClient: Sendable {
    let host: String
    let address: IPAddress
    /// Whether the host had other addresses that are allowed.
    let hasOthers: Bool

    private struct Use {
        var requests = 0
        var isRetired = false
        /// When the name was last resolved; nil if it must be resolved before the next request.
        var checked: ContinuousClock.Instant?
    }

    private let client: HTTPClient
    private let use: Mutex<Use>

    init(
        host: String, address: IPAddress, hasOthers: Bool, configuration: HTTPClient.Configuration,
        eventLoops: (any EventLoopGroup)?, at now: ContinuousClock.Instant
    ) {
        var configuration = configuration
        // In brackets, the host is an address of IPv6 already.
        if !host.hasPrefix("[") { configuration.dnsOverride = [host: address.description] }
        self.host = host
        self.address = address
        self.hasOthers = hasOthers
        client = HTTPClient(
            eventLoopGroupProvider: eventLoops.map { .shared($0) } ?? .singleton, configuration: configuration)
        use = Mutex(Use(checked: now))
    }

    /// When the name was last resolved to this address; nil if it must be done again.
    var checked: ContinuousClock.Instant? { use.withLock(\.checked) }

    /// The name was resolved to this address again.
    func confirm(at now: ContinuousClock.Instant) { use.withLock { $0.checked = now } }

    /// A request failed: the name may have another address by now.
    ///
    /// It is asked for at most once a second, unless another address that is known is to be tried.
    func doubt(at now: ContinuousClock.Instant) {
        use.withLock { use in
            if let checked = use.checked, hasOthers || now - checked > .seconds(1) { use.checked = nil }
        }
    }

    /// Counts a request in, so that the client is not shut down under it; false if the client is retired.
    func enter() -> Bool {
        use.withLock { use in
            guard !use.isRetired else { return false }
            use.requests += 1
            return true
        }
    }

    /// A request is over.
    ///
    /// The last one of a retired client shuts it down.
    func leave() async {
        let isLast = use.withLock { use in
            use.requests -= 1
            return use.isRetired && use.requests == 0
        }
        if isLast { try? await client.shutdown() }
    }

    /// Takes no more requests, and closes the connections after those that are under way.
    func retire() async {
        let isIdle = use.withLock { use in
            guard !use.isRetired else { return false }
            use.isRetired = true
            return use.requests == 0
        }
        if isIdle { try? await client.shutdown() }
    }

    /// Sends a request and reads the answer.
    ///
    /// - Throws: An error of the client, or `AnswerCollector.TooLong`.
    func execute(
        _ request: HTTPClient.Request, collector: AnswerCollector, deadline: NIODeadline
    ) async throws -> DeliveryAnswer {
        let task = client.execute(request: request, delegate: collector, deadline: deadline)
        return try await withTaskCancellationHandler {
            try await task.get()
        } onCancel: {
            task.cancel()
        }
    }
}
