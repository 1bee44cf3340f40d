import Testing

@testable import HTTPListener

@Suite("The state of a connection")
struct ConnectionStateTests {
    private var state = ConnectionState(maximumBodyBytes: 10)
    private let slow = RequestError.tooSlow(after: .seconds(10))
    private let large = RequestError.bodyTooLarge(limit: 10)

    /// Reads a request to its end, or to the end of its head.
    private mutating func request(toTheEnd: Bool = true, isLast: Bool = false) {
        state.bytesArrived()
        #expect(state.headArrived(declaredLength: nil, isLast: isLast) == .none)
        if toTheEnd { state.requestEnded() }
    }

    private mutating func response() -> ConnectionState.Action {
        state.responseBegan(closes: false)
        return state.responseEnded()
    }

    @Test("The clock depends on who is waited for")
    mutating func clock() {
        #expect(state.clock == .keepAlive)
        state.bytesArrived()
        #expect(state.clock == .request)
        #expect(state.headArrived(declaredLength: 5, isLast: false) == .none)
        #expect(state.bodyArrived(bytes: 5) == .none)
        #expect(state.clock == .request)
        state.requestEnded()
        #expect(state.clock == .none)
        #expect(response() == .none)
        #expect(state.clock == .keepAlive)
    }

    @Test("A request after an unanswered one has no clock until that one is answered")
    mutating func pipelinedClock() {
        request()
        state.bytesArrived()
        #expect(state.clock == .none)
        #expect(state.headArrived(declaredLength: nil, isLast: false) == .none)
        #expect(state.clock == .none)
        #expect(response() == .none)
        #expect(state.clock == .request)
    }

    @Test(
        "A declared length above the limit is refused when the head arrives",
        arguments: [(9, true), (10, true), (11, false), (.max, false)])
    mutating func declaredLength(length: Int, isTaken: Bool) {
        state.bytesArrived()
        let action = state.headArrived(declaredLength: length, isLast: false)
        #expect(action == (isTaken ? .none : .answer(large, isAwaited: false)))
        #expect(state.isOpen == isTaken)
    }

    @Test("A body is refused at the first byte above the limit")
    mutating func countedBody() {
        request(toTheEnd: false)
        #expect(state.bodyArrived(bytes: 9) == .none)
        #expect(state.bodyArrived(bytes: 1) == .none)
        #expect(state.bodyArrived(bytes: 1) == .answer(large, isAwaited: true))
        #expect(state.clock == .linger)
    }

    @Test("The count of body bytes starts again with each request")
    mutating func countPerRequest() {
        for _ in 0..<3 {
            request(toTheEnd: false)
            #expect(state.bodyArrived(bytes: 10) == .none)
            state.requestEnded()
            #expect(response() == .none)
        }
    }

    @Test("Bytes that are neither head nor body count too, and each request begins anew")
    mutating func bytesOfARequest() {
        state = ConnectionState(maximumBodyBytes: 10, maximumRequestBytes: 100)
        for _ in 1...3 {
            state.bytesArrived(60)
            #expect(state.headArrived(declaredLength: nil, isLast: false) == .none)
            #expect(state.bytesDecoded() == .none)
            state.bytesArrived(40)
            #expect(state.bytesDecoded() == .none)
            state.bytesArrived(1_000)
            // The request ends in these bytes: what is too much belongs to the next one.
            state.requestEnded()
            #expect(state.bytesDecoded() == .none)
            #expect(response() == .none)
        }
        request(toTheEnd: false)
        state.bytesArrived(101)
        #expect(state.bytesDecoded() == .answer(.requestTooLarge(limit: 100), isAwaited: true))
    }

    @Test("A request whose body may be a large one is refused as such, for its body and for its other bytes")
    mutating func largeRequest() {
        let limit = RequestLimits.requestBytes(ofBody: 20)
        state.bytesArrived()
        #expect(state.headArrived(declaredLength: nil, isLast: false, largeBody: 20) == .none)
        state.bytesArrived(limit)
        #expect(state.bytesDecoded() == .none)
        state.bytesArrived(1)
        let refusal = RequestError.requestTooLarge(limit: limit, isOfLargeBody: true)
        #expect(state.bytesDecoded() == .answer(refusal, isAwaited: true))
        state = ConnectionState(maximumBodyBytes: 10)
        state.bytesArrived()
        let body = RequestError.bodyTooLarge(limit: 20, isOfLargeBody: true)
        #expect(
            state.headArrived(declaredLength: 21, isLast: false, largeBody: 20) == .answer(body, isAwaited: false))
    }

    @Test("A refusal waits for the responses to earlier requests")
    mutating func refusalInOrder() {
        request()
        request()
        state.bytesArrived()
        #expect(state.headArrived(declaredLength: 11, isLast: false) == .none)
        #expect(!state.isOpen && !state.isClosing)
        #expect(response() == .none)
        #expect(response() == .answer(large, isAwaited: false))
        #expect(state.isClosing)
    }

    @Test("A refused body after an earlier request is answered in its turn")
    mutating func refusedBodyInOrder() {
        request()
        request(toTheEnd: false)
        #expect(state.bodyArrived(bytes: 11) == .none)
        #expect(response() == .answer(large, isAwaited: true))
    }

    @Test("A request that was answered before its body came is not answered again")
    mutating func answeredEarly() {
        request(toTheEnd: false)
        #expect(response() == .none)
        #expect(state.clock == .request)
        #expect(state.bodyArrived(bytes: 11) == .finishOutput)
        #expect(state.isClosing)
    }

    @Test("A response that has begun may finish and is not interrupted")
    mutating func begunResponse() {
        request(toTheEnd: false)
        state.responseBegan(closes: false)
        #expect(state.reject(slow) == .none)
        #expect(!state.isOpen && !state.isClosing)
        #expect(state.clock == .linger)
        #expect(state.responseEnded() == .finishOutput)
    }

    @Test("Only the first refusal counts")
    mutating func firstRefusal() {
        state.bytesArrived()
        #expect(state.reject(slow) == .answer(slow, isAwaited: false))
        #expect(state.reject(large) == .none)
    }

    @Test("The connection ends after the response to its last request")
    mutating func lastRequest() {
        request(isLast: true)
        #expect(state.isLastResponse)
        #expect(!state.wantsBytes)
        #expect(response() == .finishOutput)
        #expect(state.clock == .linger)
    }

    @Test("Bytes after the last request are not answered and do not end its response early")
    mutating func bytesAfterLastRequest() {
        request(isLast: true)
        #expect(state.reject(.malformed("m", "must not")) == .none)
        #expect(state.clock == .none)
        #expect(response() == .finishOutput)
    }

    @Test("A response that announces the end is the last one, even if another head is arriving")
    mutating func closingResponse() {
        request()
        state.responseBegan(closes: true)
        state.bytesArrived()
        #expect(state.headArrived(declaredLength: nil, isLast: false) == .none)
        #expect(!state.isOpen)
        #expect(state.responseEnded() == .finishOutput)
    }

    @Test("100 Continue is sent only between responses")
    mutating func continueBetweenResponses() {
        #expect(!state.mayContinue)
        request(toTheEnd: false)
        #expect(state.mayContinue)
        state.requestEnded()
        request(toTheEnd: false)
        #expect(!state.mayContinue)
    }

    @Test("After the application has closed the output, nothing more is sent")
    mutating func closedOutput() {
        request(toTheEnd: false)
        state.outputClosed()
        #expect(state.reject(slow) == .none)
        #expect(state.clock == .linger)
    }
}
