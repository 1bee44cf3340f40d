import Destinations
import Foundation
import NIOCore
import NIOHTTP1
import PostbackStore
import ReceiverSupport
import Synchronization
import TestSupport
import Testing

@testable import Forwarding

@Suite("Requests to a receiver", .ownThread)
struct DeliveryClientTests {
    private let local: AddressRules

    init() throws {
        local = try AddressRules("127.0.0.1/32")
    }

    /// Sends one request to a destination, and closes the client.
    private func send(
        to destination: Destination, rules: AddressRules? = nil, resolver: AddressResolver = .system,
        times: Int = 1
    ) async throws -> [Result<DeliveryAnswer, DeliveryFailure>] {
        let client = DeliveryClient(destination: destination, rules: rules ?? local, resolver: resolver)
        var results: [Result<DeliveryAnswer, DeliveryFailure>] = []
        for number in 1...times {
            let request = try TestDestination.request(destination, TestDestination.event(number))
            do throws(DeliveryFailure) {
                results.append(.success(try await client.send(request)))
            } catch {
                results.append(.failure(error))
            }
        }
        await client.close()
        return results
    }

    /// What a receiver's reaction is for a destination with a timeout in seconds.
    private func result(
        of reaction: TestReceiver.Reaction, timeout: Int = 60
    ) async throws -> Result<DeliveryAnswer, DeliveryFailure> {
        var result: Result<DeliveryAnswer, DeliveryFailure>?
        try await TestReceiver.with(react: { _, _ in reaction }) { receiver in
            let destination = try TestDestination.at(
                "http://127.0.0.1:\(receiver.port)/", #""limits": {"timeout-seconds": \#(timeout)}"#)
            result = try await send(to: destination).first
        }
        return try #require(result)
    }

    /// The failure that a receiver's reaction is.
    ///
    /// - Parameter withHead: Whether the answer's head must arrive before the time is over. If the machine stood still
    ///   for so long that it did not, the request is sent again.
    private func failure(
        of reaction: TestReceiver.Reaction, timeout: Int, withHead: Bool = false
    ) async throws -> DeliveryFailure {
        try await eventually("a failure after the head of an answer") { () -> DeliveryFailure? in
            let result = try await self.result(of: reaction, timeout: timeout)
            let failure = try #require(throws: DeliveryFailure.self) { try result.get() }
            return withHead && failure.answer == nil ? nil : failure
        }
    }

    @Test("The receiver gets method, URL, headers and body as they are")
    func request() async throws {
        try await TestReceiver.with(react: { _, _ in .status(204, headers: ["Retry-After: 7"]) }) { receiver in
            let destination = try TestDestination.at(
                "http://127.0.0.1:\(receiver.port)/a%2Fb?c={sequence-index}",
                #""headers": {"Authorization": "Bearer 1"}"#)
            let results = try await send(to: destination, times: 3)
            #expect(
                try results.map { try $0.get() }
                    == Array(
                        repeating: DeliveryAnswer(status: 204, retryAfter: "7"), count: 3))
            let request = try #require(receiver.requests.first)
            #expect(request.method == "POST")
            #expect(request.path == "/a%2Fb?c=0")
            #expect(request.headers["Authorization"] == ["Bearer 1"])
            #expect(request.headers["Content-Type"] == ["application/json"])
            #expect(request.headers["webhook-id"] == ["pb_0-1-1"])
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"number":1}"#)
        }
    }

    @Test("A connection is kept for the next request")
    func kept() async throws {
        try await TestReceiver.with(react: { _, _ in .status(204) }) { receiver in
            // A second connection would open if an answer is read before its connection is free. On a machine that
            // stands still for half a minute, a connection may be closed between two requests.
            let destination = try TestDestination.at(
                "http://127.0.0.1:\(receiver.port)/", #""limits": {"in-flight": 1, "timeout-seconds": 60}"#)
            let results = try await send(to: destination, times: 8)
            for result in results { #expect(try result.get().status == 204) }
            #expect(receiver.connections < 8)
        }
    }

    @Test("A redirect is an answer, and is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { other in
            let location = "Location: http://127.0.0.1:\(other.port)/"
            let result = try await result(of: .status(status, headers: [location]))
            #expect(try result.get().status == status)
            #expect(other.requests.isEmpty)
        }
    }

    @Test("The first 2 KiB of an answer are kept")
    func prefix() async throws {
        let body = String(repeating: "x", count: 16_384)
        let answer = try await result(of: .status(500, body: body)).get()
        #expect(answer.status == 500)
        #expect(answer.body == Array(body.utf8.prefix(2_048)))
    }

    @Test(
        "What is no complete answer is a failure with its reason",
        arguments: [
            (.bytes("what is this\r\n\r\n"), "the answer is no HTTP: "),
            (.bytesAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), "the connection was closed before"),
            (.bytesAndClose("HTTP/1.1 200"), "the connection was closed before"),
            (.bytesAndClose(""), "the connection was closed before"),
            (.silence, "no answer within 1 second"),
            (.bytes("HTTP/1.1 100 Continue\r\n\r\n"), "no answer within 1 second"),
            (.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), "the answer did not end within 1 second"),
            (.endless("HTTP/1.1 200 OK\r\nX-Long: "), "the answer is no HTTP: "),
            (.endless("HTTP/1.1 "), "the answer is no HTTP: "),
        ] as [(TestReceiver.Reaction, String)])
    func failures(reaction: TestReceiver.Reaction, reason: String) async throws {
        let isTimeout = reason.hasSuffix("second")
        let failure = try await self.failure(
            of: reaction, timeout: isTimeout ? 1 : 60, withHead: reason.hasPrefix("the answer did not end"))
        #expect(failure.reason.hasPrefix(reason), "\(failure.reason)")
        #expect(failure.isTimeout == isTimeout)
    }

    @Test(
        "An answer of more than 16 KiB is one by its status, and its first 2 KiB are kept as far as they were read",
        arguments: [
            (.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"), 200, nil, 0),
            (.bytes("HTTP/1.1 429 X\r\nRetry-After: 9\r\nContent-Length: 16385\r\n\r\n"), 429, "9", 0),
            (.endless("HTTP/1.1 200 OK\r\n\r\n"), 200, nil, 2_048),
            (.endless("HTTP/1.1 503 X\r\nRetry-After: 9\r\n\r\n"), 503, "9", 2_048),
            (.endless("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"), 200, nil, 0),
        ] as [(TestReceiver.Reaction, Int, String?, Int)])
    func tooLong(reaction: TestReceiver.Reaction, status: Int, retryAfter: String?, kept: Int) async throws {
        let answer = try await result(of: reaction).get()
        #expect(answer.status == status)
        #expect(answer.retryAfter == retryAfter)
        #expect(answer.body == Array(repeating: UInt8(ascii: "x"), count: kept))
    }

    @Test("The status of an answer that does not end is known, so that 410 and Retry-After count")
    func headOfFailure() async throws {
        let head = "HTTP/1.1 429 X\r\nRetry-After: 9\r\nContent-Length: 100\r\n\r\n"
        let failure = try await self.failure(of: .bytes(head), timeout: 1, withHead: true)
        #expect(failure.isTimeout)
        #expect(failure.answer?.status == 429)
        #expect(failure.answer?.retryAfter == "9")
    }

    @Test("Of an answer without end the receiver sends little more than what is read")
    func endless() async throws {
        try await TestReceiver.with(react: { _, _ in .endless("HTTP/1.1 200 OK\r\n\r\n") }) { receiver in
            let destination = try TestDestination.at("http://127.0.0.1:\(receiver.port)/")
            for result in try await send(to: destination, times: 20) {
                #expect(try result.get().status == 200)
            }
            #expect(receiver.connections >= 20)
            // The buffers of the sockets take some megabytes each, and nothing more comes.
            #expect(receiver.bytesSent < 20 * 32 * 1_048_576)
            #expect(receiver.requests.count == 20)
        }
    }

    @Test("A closed port is a failure at once, and the next request connects")
    func refusedConnection() async throws {
        let destination = try TestDestination.at("http://127.0.0.1:1/")
        for result in try await send(to: destination, times: 2) {
            let failure = try #require(throws: DeliveryFailure.self) { try result.get() }
            #expect(failure.reason.contains("refused"), "\(failure.reason)")
            #expect(!failure.isTimeout)
        }
    }

    // MARK: Addresses

    @Test(
        "A URL whose host is such an address by any spelling is refused before a connection is opened",
        arguments: [
            "127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1", "0",
            "localhost", "LOCALHOST.", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
            "127%2e0%2e0%2e1", "%6cocalhost",
        ])
    func spellings(host: String) async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let request = PreparedRequest(
                method: .post, url: "http://\(host):\(receiver.port)/", headers: [], body: [], webhookID: "pb_1",
                signing: [])
            let client = DeliveryClient(
                destination: try TestDestination.at("http://receiver.example/"), rules: .publicOnly)
            await #expect(throws: DeliveryFailure.self) {
                try await client.send(try request.signed(with: [:], at: 0))
            }
            await client.close()
            #expect(receiver.connections == 0)
        }
    }

    @Test(
        "A URL with another scheme, or with a user name, is refused",
        arguments: [
            "http+unix://%2Ftmp%2Fsocket/", "https+unix://%2Ftmp%2Fsocket/", "unix:///tmp/socket", "file:///etc/passwd",
            "http://user@receiver.example/", "http://user:password@receiver.example/", "http:///",
            "//receiver.example/",
        ])
    func schemes(url: String) async throws {
        let request = PreparedRequest(
            method: .post, url: url, headers: [], body: [], webhookID: "pb_1", signing: [])
        let asked = Mutex(0)
        let resolver = AddressResolver { _ in
            asked.withLock { $0 += 1 }
            return []
        }
        let client = DeliveryClient(
            destination: try TestDestination.at("http://receiver.example/"), rules: local, resolver: resolver)
        await #expect(throws: DeliveryFailure.self) { try await client.send(try request.signed(with: [:], at: 0)) }
        await client.close()
        #expect(asked.withLock { $0 } == 0)
    }

    @Test(
        "A name that resolves to a private address is refused with the address, and to a public one first is not asked again"
    )
    func rebinding() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let destination = try TestDestination.at("http://receiver.example:\(receiver.port)/")
            let answers = Mutex(["127.0.0.1", "10.0.0.1"])
            let resolver = AddressResolver { _ in
                let text = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return [IPAddress(text)].compactMap { $0 }
            }
            // 127.0.0.1 is allowed here, as a public address is elsewhere. The second answer is never asked for.
            let results = try await send(to: destination, resolver: resolver, times: 3)
            #expect(try results.map { try $0.get().status } == [200, 200, 200])
            #expect(receiver.requests.first?.headers["Host"] == ["receiver.example:\(receiver.port)"])
            // A new client asks, and gets the other answer.
            let refused = try await send(to: destination, resolver: resolver)
            let failure = try #require(throws: DeliveryFailure.self) { try refused[0].get() }
            #expect(
                failure.reason == "the address 10.0.0.1 is private, and FORWARD_ALLOW_ADDRESSES does not allow it")
            #expect(receiver.requests.count == 3)
        }
    }

    @Test("A name that resolves to a private address after a failure is refused then")
    func rebindingAfterFailure() async throws {
        let destination = try TestDestination.at("http://receiver.example:1/")
        let asked = Mutex(0)
        let resolver = AddressResolver { _ in
            let text = asked.withLock { asked in
                asked += 1
                return asked == 1 ? "127.0.0.1" : "10.0.0.1"
            }
            return [IPAddress(text)].compactMap { $0 }
        }
        let client = DeliveryClient(destination: destination, rules: local, resolver: resolver)
        let request = try TestDestination.request(destination)
        await #expect(throws: DeliveryFailure.self) { try await client.send(request) }
        let failure = try await eventually("the name is resolved again") { () -> DeliveryFailure? in
            do throws(DeliveryFailure) {
                _ = try await client.send(request)
                return nil
            } catch {
                return error.reason.hasPrefix("the address 10.0.0.1") ? error : nil
            }
        }
        #expect(failure.answer == nil)
        await client.close()
    }

    @Test("Of several addresses the first one that is allowed gets the request")
    func severalAddresses() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let destination = try TestDestination.at("http://receiver.example:\(receiver.port)/")
            let resolver = AddressResolver { _ in
                ["10.0.0.1", "::1", "127.0.0.1"].compactMap { IPAddress($0) }
            }
            #expect(try await send(to: destination, resolver: resolver)[0].get().status == 200)
        }
    }

    @Test("If the first address leads nowhere, the same request goes to the next one")
    func unreachableAddress() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let destination = try TestDestination.at("http://receiver.example:\(receiver.port)/")
            // The receiver is bound to 127.0.0.1 alone.
            let resolver = AddressResolver { _ in ["127.0.0.2", "127.0.0.1"].compactMap { IPAddress($0) } }
            let rules = try AddressRules("127.0.0.0/8")
            for result in try await send(to: destination, rules: rules, resolver: resolver, times: 3) {
                #expect(try result.get().status == 200)
            }
            #expect(receiver.requests.count == 3)
        }
    }

    @Test("Requests that begin together resolve the name once")
    func oneLookup() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let destination = try TestDestination.at("http://receiver.example:\(receiver.port)/")
            let asked = Mutex(0)
            let resolver = AddressResolver { _ in
                asked.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(50))
                return [IPAddress("127.0.0.1")].compactMap { $0 }
            }
            let client = DeliveryClient(destination: destination, rules: local, resolver: resolver)
            let request = try TestDestination.request(destination)
            try await withThrowingTaskGroup { group in
                for _ in 1...20 { group.addTask { _ = try await client.send(request) } }
                try await group.waitForAll()
            }
            await client.close()
            #expect(asked.withLock { $0 } == 1)
            #expect(receiver.requests.count == 20)
        }
    }

    @Test("A name without an address, and one that is not resolved in time, are failures with their reason")
    func unresolved() async throws {
        let destination = try TestDestination.at("http://receiver.example/")
        let none = try await send(to: destination, resolver: AddressResolver { _ in [] })
        #expect(none == [.failure(DeliveryFailure(reason: "the host receiver.example has no address"))])
        let error = AddressResolver { _ in throw ResolutionError(reason: "Name or service not known") }
        #expect(
            try await send(to: destination, resolver: error) == [
                .failure(
                    DeliveryFailure(
                        reason: "the host receiver.example was not resolved: Name or service not known"))
            ])
        let never = AddressResolver { _ in
            try await Task.sleep(for: .seconds(3_600))
            return []
        }
        let impatient = try TestDestination.at("http://receiver.example/", #""limits": {"timeout-seconds": 1}"#)
        #expect(
            try await send(to: impatient, resolver: never) == [
                .failure(
                    DeliveryFailure(
                        reason: "the host receiver.example was not resolved within 1 second", isTimeout: true))
            ])
    }

    @Test("The machine's resolver gives the addresses of a name, and ends if its task is cancelled")
    func systemResolver() async throws {
        let addresses = try await AddressResolver.system.addresses("localhost")
        #expect(addresses.contains { $0.description == "127.0.0.1" || $0.description == "::1" })
        let task = Task { try await AddressResolver.system.addresses("localhost") }
        task.cancel()
        _ = try? await task.value
    }

    @Test("HTTP needs the destination's leave")
    func plainHTTP() async throws {
        let destination = try TestDestination.at("https://receiver.example/", #""allow-http": false"#)
        let request = PreparedRequest(
            method: .post, url: "http://receiver.example/", headers: [], body: [], webhookID: "pb_1", signing: [])
        let client = DeliveryClient(destination: destination, rules: local)
        let failure = try await #require(throws: DeliveryFailure.self) {
            try await client.send(try request.signed(with: [:], at: 0))
        }
        #expect(failure.reason == "the URL must begin with https://, or the destination must allow HTTP")
        await client.close()
    }
}
