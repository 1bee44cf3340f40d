import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// An HTTP client of one server, over real sockets that are kept open.
struct PostbackClient: Sendable {
    static let path = "/.well-known/skadnetwork/report-attribution"

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let text: String

        /// `outcome` of a postback's answer.
        var outcome: String? { member("outcome") }
        /// `detail` of a postback's answer.
        var detail: String? { member("detail") }

        private func member(_ name: String) -> String? {
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            return object?[name] as? String
        }
    }

    let http: HTTPClient
    let port: Int

    /// A client of a server's admin listener, with the same pool of connections.
    func admin(of server: ServerProcess) async throws -> PostbackClient {
        PostbackClient(http: http, port: try await server.port(of: "admin"))
    }

    /// A client, which must be shut down.
    static func client(port: Int) -> PostbackClient {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        return PostbackClient(http: http, port: port)
    }

    /// Runs a body with a client that is shut down afterwards.
    static func with<T>(port: Int, _ body: (PostbackClient) async throws -> T) async throws -> T {
        let client = client(port: port)
        do {
            let value = try await body(client)
            try await client.http.shutdown()
            return value
        } catch {
            try? await client.http.shutdown()
            throw error
        }
    }

    /// Delivers a body as a device does.
    func post(_ body: [UInt8], to path: String = Self.path) async throws -> Answer {
        try await request(.POST, path, body: body)
    }

    /// Any request.
    func request(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await http.execute(request, timeout: .seconds(60))
        let buffer = try await response.body.collect(upTo: 1 << 24)
        return Answer(status: Int(response.status.code), headers: response.headers, text: String(buffer: buffer))
    }

    /// Delivers many bodies from a number of clients at once; nil if no answer came.
    ///
    /// - Parameter onAnswer: called with each answer's place in the list, as it comes; false ends the stream.
    func stream(
        _ bodies: [[UInt8]], clients: Int, to path: String = Self.path,
        onAnswer: @escaping @Sendable (Int, Answer?) async -> Bool = { _, _ in true }
    ) async -> [Answer?] {
        let progress = StreamProgress(count: bodies.count)
        await withTaskGroup { group in
            for _ in 0..<clients {
                group.addTask {
                    while let index = progress.next() {
                        let answer = try? await post(bodies[index], to: path)
                        progress.record(answer, at: index)
                        if await !onAnswer(index, answer) { progress.stop() }
                    }
                }
            }
        }
        return progress.answers
    }
}

/// How far a stream has come, and its answers so far.
private final class StreamProgress: Sendable {
    private let upcoming: Mutex<Int>
    private let collected: Mutex<[PostbackClient.Answer?]>
    private let count: Int

    init(count: Int) {
        self.count = count
        upcoming = Mutex(0)
        collected = Mutex(Array(repeating: nil, count: count))
    }

    var answers: [PostbackClient.Answer?] { collected.withLock { $0 } }

    /// The next body to deliver, or nil at the end.
    func next() -> Int? {
        upcoming.withLock { next in
            guard next < count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    func record(_ answer: PostbackClient.Answer?, at index: Int) {
        collected.withLock { $0[index] = answer }
    }

    func stop() {
        upcoming.withLock { $0 = count }
    }
}
