import AsyncHTTPClient
package import Destinations
import Foundation
package import NIOCore
import NIOHTTP1
import PostbackStore
import Synchronization

/// Sends the requests of one destination.
///
/// The host is resolved here, all its addresses are checked, and the connections go to the first one that is allowed.
/// It is resolved again after a minute, and after a request that got no answer. Connections are kept, HTTP/2 is used if
/// the receiver offers it, redirects are not followed, and certificates are verified.
package final class DeliveryClient: Sendable {
    /// How long the addresses of a host are good.
    static let addressLifetime = Duration.seconds(60)
    /// How many addresses of a host one request tries.
    private static let maximumAddresses = 3

    private typealias Waiter = CheckedContinuation<Result<PinnedClient, DeliveryFailure>?, Never>

    private struct State {
        var current: PinnedClient?
        var isResolving = false
        /// Requests that wait for the one that resolves.
        var waiters: [Waiter] = []
    }

    private enum Turn {
        case use(PinnedClient)
        case resolve(instead: PinnedClient?)
        case wait
    }

    private let timeout: Duration
    private let allowsHTTP: Bool
    private let configuration: Result<HTTPClient.Configuration, DeliveryFailure>
    private let addresses: CheckedAddresses
    private let eventLoops: (any EventLoopGroup)?
    private let state = Mutex(State())

    /// Makes a client without connections.
    ///
    /// It must be closed.
    ///
    /// - Parameter eventLoops: Where the connections are; nil for those of everything else.
    package init(
        destination: Destination, rules: AddressRules, resolver: AddressResolver = .system,
        eventLoops: (any EventLoopGroup)? = nil
    ) {
        timeout = destination.limits.timeout
        allowsHTTP = destination.allowsHTTP
        configuration = Result { () throws(DeliveryFailure) in try HTTPClient.Configuration(destination) }
        self.eventLoops = eventLoops
        addresses = CheckedAddresses(rules: rules, resolver: resolver, timeout: timeout)
    }

    /// Closes the connections.
    ///
    /// No request may be under way.
    package func close() async {
        let current = state.withLock { state in
            defer { state.current = nil }
            return state.current
        }
        await current?.retire()
    }

    /// Sends a request, and reads at most 16 KiB of the answer.
    ///
    /// - Returns: The answer, with any status, and without the secrets of the request.
    /// - Throws: `DeliveryFailure` if neither a complete answer nor its first 16 KiB come within the destination's
    ///   timeout.
    package func send(_ signed: SignedRequest) async throws(DeliveryFailure) -> DeliveryAnswer {
        let deadline = ContinuousClock.now + timeout
        let request = try checked(signed)
        var failures = 0
        while true {
            let client = try await client(for: request.host)
            let collector = AnswerCollector()
            do {
                let left = TimeAmount(max(.zero, deadline - .now))
                let answer = try await client.execute(request, collector: collector, deadline: .now() + left)
                await client.leave()
                return answer.hidingSecrets(of: signed)
            } catch let error as AnswerCollector.TooLong {
                // The receiver has said whether it took the event. The connection is closed, so nothing more is read.
                await client.leave()
                return error.answer.hidingSecrets(of: signed)
            } catch {
                if collector.answer == nil { client.doubt(at: .now) }
                await client.leave()
                failures += 1
                // Nothing was sent. IPv6 often leads nowhere where IPv4 does not.
                guard client.hasOthers, failures < Self.maximumAddresses, FailureWords.isUnreachable(error),
                    .now < deadline
                else {
                    let answer = collector.answer?.hidingSecrets(of: signed)
                    throw FailureWords.failure(of: error, answer: answer, timeout: timeout)
                }
            }
        }
    }

    /// Reads the URL as the client does, so that both see the same host.
    private func checked(_ signed: SignedRequest) throws(DeliveryFailure) -> HTTPClient.Request {
        var headers = HTTPHeaders()
        for field in signed.headers { headers.add(name: field.name, value: field.value) }
        let request: HTTPClient.Request
        do {
            request = try HTTPClient.Request(
                url: signed.url, method: HTTPMethod(rawValue: signed.method), headers: headers,
                body: signed.body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
        } catch {
            throw DeliveryFailure(reason: "the URL can't be used: \(error)")
        }
        // The client knows more schemes: Unix-domain sockets among them.
        guard request.scheme == "https" || request.scheme == "http" && allowsHTTP else {
            throw DeliveryFailure(reason: "the URL must begin with https://, or the destination must allow HTTP")
        }
        guard request.url.user == nil, request.url.password == nil else {
            throw DeliveryFailure(reason: "the URL must not have a user name or password")
        }
        return request
    }

    /// A client for a host, with one more request counted in.
    private func client(for host: String) async throws(DeliveryFailure) -> PinnedClient {
        while true {
            switch turn(for: host, at: .now) {
            case .use(let client): return client
            case .wait:
                guard let result = await endOfLookup() else { continue }
                let client = try result.get()
                if client.host == host, client.enter() { return client }
            case .resolve(let old):
                let result = await resolved(host, instead: old)
                // It counts in before others can retire the client.
                let isIn = (try? result.get())?.enter() ?? false
                await share(result)
                let client = try result.get()
                if isIn { return client }
            }
        }
    }

    /// Waits for the request that resolves; nil if it has ended already.
    private func endOfLookup() async -> Result<PinnedClient, DeliveryFailure>? {
        await withCheckedContinuation { (waiter: Waiter) in
            let isOver = state.withLock { state in
                guard state.isResolving else { return true }
                state.waiters.append(waiter)
                return false
            }
            if isOver { waiter.resume(returning: nil) }
        }
    }

    /// Gives the end of a look-up to those that wait for it.
    private func share(_ result: Result<PinnedClient, DeliveryFailure>) async {
        let (waiters, retired) = state.withLock { state -> ([Waiter], PinnedClient?) in
            let waiters = state.waiters
            state.waiters = []
            state.isResolving = false
            guard case .success(let client) = result, client !== state.current else { return (waiters, nil) }
            let retired = state.current
            state.current = client
            return (waiters, retired)
        }
        for waiter in waiters { waiter.resume(returning: result) }
        await retired?.retire()
    }

    private func turn(for host: String, at now: ContinuousClock.Instant) -> Turn {
        state.withLock { state in
            let known = state.current.flatMap { $0.host == host ? $0 : nil }
            if let known, let checked = known.checked,
                now - checked < Self.addressLifetime || state.isResolving, known.enter()
            {
                return .use(known)
            }
            guard !state.isResolving else { return .wait }
            state.isResolving = true
            return .resolve(instead: known)
        }
    }

    /// Resolves a host, checks the addresses, and makes a client for one; the old one, if its address is still good.
    private func resolved(_ host: String, instead old: PinnedClient?) async -> Result<PinnedClient, DeliveryFailure> {
        do throws(DeliveryFailure) {
            let configuration = try self.configuration.get()
            // If a request failed, another address may do better.
            let isDoubted = old?.checked == nil
            let allowed = try await addresses.allowed(of: host, or: isDoubted ? nil : old?.address)
            if let old, allowed.contains(old.address), !isDoubted || allowed.count == 1 {
                old.confirm(at: .now)
                return .success(old)
            }
            guard let address = allowed.first(where: { $0 != old?.address }) ?? allowed.first else {
                throw DeliveryFailure(reason: "the host \(host) has no address")
            }
            return .success(
                PinnedClient(
                    host: host, address: address, hasOthers: allowed.count > 1, configuration: configuration,
                    eventLoops: eventLoops, at: .now))
        } catch {
            return .failure(error)
        }
    }
}
