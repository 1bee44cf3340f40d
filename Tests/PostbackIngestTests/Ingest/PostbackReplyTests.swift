import NIOCore
import PostbackStore
import Testing

@testable import PostbackIngest

@Suite("Replies to postbacks") struct PostbackReplyTests {
    /// Notes its answers.
    private final class Client: PostbackAnswering {
        var answers: [PostbackOutcome] = []

        func take(_ answer: PostbackAnswer) { answers.append(answer.outcome) }
    }

    @Test("The answers of a batch take one hop to each event loop, and each reaches its own client")
    func oneHop() {
        let loops = (0..<3).map { _ in CountingEventLoop() }
        let clients = (0..<100).map { _ in Client() }
        let outcomes: [DeliveryOutcome] = [.accepted, .raised, .duplicate]
        PostbackReply.send(
            clients.enumerated().map { place, client in
                (PostbackReply(to: client, on: loops[place % 2]), .stored(outcomes[place % 3]))
            })
        #expect(loops.map(\.executions) == [1, 1, 0])
        #expect(clients.allSatisfy { $0.answers.isEmpty })
        loops[1].run()
        #expect(clients.enumerated().allSatisfy { $1.answers.count == $0 % 2 })
        loops[0].run()
        let expected: [PostbackOutcome] = [.accepted, .raised, .duplicate]
        #expect(clients.enumerated().allSatisfy { place, client in client.answers == [expected[place % 3]] })
    }
}
