import Testing

@testable import HTTPLimits

@Suite struct ConnectionStateTests {
    private var state = ConnectionState(maximumBodyBytes: 10)
    private let slow = RequestRejection.tooSlow(after: .seconds(10))
    private let large = RequestRejection.bodyTooLarge(limit: 10)

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

    @Test mutating func theClockFollowsWhomIsWaitedFor() {
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

    @Test mutating func aRequestBehindAnUnansweredOneHasNoClockUntilTheAnswer() {
        request()
        state.bytesArrived()
        #expect(state.clock == .none)
        #expect(state.headArrived(declaredLength: nil, isLast: false) == .none)
        #expect(state.clock == .none)
        #expect(response() == .none)
        #expect(state.clock == .request)
    }

    @Test(arguments: [(9, true), (10, true), (11, false), (.max, false)])
    mutating func aDeclaredLengthBeyondTheLimitIsRefusedAtTheHead(length: Int, isTaken: Bool) {
        state.bytesArrived()
        let action = state.headArrived(declaredLength: length, isLast: false)
        #expect(action == (isTaken ? .none : .answer(large, isAwaited: false)))
        #expect(state.isOpen == isTaken)
    }

    @Test mutating func aBodyIsCountedAndRefusedWithTheByteTooMany() {
        request(toTheEnd: false)
        #expect(state.bodyArrived(bytes: 9) == .none)
        #expect(state.bodyArrived(bytes: 1) == .none)
        #expect(state.bodyArrived(bytes: 1) == .answer(large, isAwaited: true))
        #expect(state.clock == .linger)
    }

    @Test mutating func countingBodiesStartsAgainWithEachRequest() {
        for _ in 0..<3 {
            request(toTheEnd: false)
            #expect(state.bodyArrived(bytes: 10) == .none)
            state.requestEnded()
            #expect(response() == .none)
        }
    }

    @Test mutating func aRefusalWaitsForEarlierResponses() {
        request()
        request()
        state.bytesArrived()
        #expect(state.headArrived(declaredLength: 11, isLast: false) == .none)
        #expect(!state.isOpen && !state.isClosing)
        #expect(response() == .none)
        #expect(response() == .answer(large, isAwaited: false))
        #expect(state.isClosing)
    }

    @Test mutating func aRefusedBodyBehindAnEarlierRequestIsAnsweredInItsTurn() {
        request()
        request(toTheEnd: false)
        #expect(state.bodyArrived(bytes: 11) == .none)
        #expect(response() == .answer(large, isAwaited: true))
    }

    @Test mutating func aRequestAnsweredBeforeItsBodyCameIsNotAnsweredTwice() {
        request(toTheEnd: false)
        #expect(response() == .none)
        #expect(state.clock == .request)
        #expect(state.bodyArrived(bytes: 11) == .finishOutput)
        #expect(state.isClosing)
    }

    @Test mutating func aResponseThatHasBegunMayFinishAndIsNotInterrupted() {
        request(toTheEnd: false)
        state.responseBegan(closes: false)
        #expect(state.reject(slow) == .none)
        #expect(!state.isOpen && !state.isClosing)
        #expect(state.clock == .linger)
        #expect(state.responseEnded() == .finishOutput)
    }

    @Test mutating func onlyTheFirstRefusalCounts() {
        state.bytesArrived()
        #expect(state.reject(slow) == .answer(slow, isAwaited: false))
        #expect(state.reject(large) == .none)
    }

    @Test mutating func theConnectionEndsBehindTheResponseToItsLastRequest() {
        request(isLast: true)
        #expect(state.isLastResponse)
        #expect(!state.wantsBytes)
        #expect(response() == .finishOutput)
        #expect(state.clock == .linger)
    }

    @Test mutating func bytesBehindTheLastRequestAreNotAnsweredNorDoTheyHurryItsResponse() {
        request(isLast: true)
        #expect(state.reject(.malformed(nil)) == .none)
        #expect(state.clock == .none)
        #expect(response() == .finishOutput)
    }

    @Test mutating func aResponseThatAnnouncesTheEndIsTheLastEvenIfAHeadIsOnItsWay() {
        request()
        state.responseBegan(closes: true)
        state.bytesArrived()
        #expect(state.headArrived(declaredLength: nil, isLast: false) == .none)
        #expect(!state.isOpen)
        #expect(state.responseEnded() == .finishOutput)
    }

    @Test mutating func leaveToContinueIsGivenOnlyBetweenResponses() {
        #expect(!state.mayContinue)
        request(toTheEnd: false)
        #expect(state.mayContinue)
        state.requestEnded()
        request(toTheEnd: false)
        #expect(!state.mayContinue)
    }

    @Test mutating func onceTheApplicationClosedTheOutputThereIsNothingToSay() {
        request(toTheEnd: false)
        state.outputClosed()
        #expect(state.reject(slow) == .none)
        #expect(state.clock == .linger)
    }
}
