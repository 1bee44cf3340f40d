import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Reads an answer, at most 16 KiB of it.
///
/// The next part is read only after one was taken. So an answer of a gigabyte costs no memory, and the connection is
/// closed as soon as the answer is too long: its status is known, and nobody needs the rest.
final class AnswerCollector: HTTPClientResponseDelegate {
    typealias Response = DeliveryAnswer

    /// The answer has more than `DeliveryAnswer.maximumSize` bytes.
    struct TooLong: Error {
        /// What was received of it.
        let answer: DeliveryAnswer
    }

    private struct Received {
        var answer: DeliveryAnswer?
        var size = 0
    }

    private let received = Mutex(Received())

    /// What was received so far; nil before the head.
    var answer: DeliveryAnswer? { received.withLock(\.answer) }

    func didReceiveHead(task: HTTPClient.Task<DeliveryAnswer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let answer = DeliveryAnswer(
            status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"))
        received.withLock { $0.answer = answer }
        let announced = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        guard announced <= DeliveryAnswer.maximumSize else {
            return task.eventLoop.makeFailedFuture(TooLong(answer: answer))
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<DeliveryAnswer>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let tooLong = received.withLock { received -> TooLong? in
            let kept = received.answer?.body.count ?? 0
            received.answer?.body += buffer.readableBytesView.prefix(max(0, DeliveryAnswer.keptSize - kept))
            received.size += buffer.readableBytes
            return received.size > DeliveryAnswer.maximumSize ? received.answer.map { TooLong(answer: $0) } : nil
        }
        if let tooLong { return task.eventLoop.makeFailedFuture(tooLong) }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<DeliveryAnswer>) throws -> DeliveryAnswer {
        // The client reports no end without a head.
        guard let answer else { throw HTTPClientError.remoteConnectionClosed }
        return answer
    }
}
