import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPLimits

@Suite struct RequestGuardTests {
    private let tooLarge = #"{"outcome":"too_large","detail":"body: must have at most 16384 bytes"}"#
    private let tooSlow = #"{"outcome":"too_slow","detail":"request: not complete after 10 seconds"}"#
    private let chunkedHead = "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func chunk(_ size: Int) -> String {
        String(size, radix: 16) + "\r\n" + String(repeating: "x", count: size) + "\r\n"
    }

    private func post(_ body: String, headers: String = "") -> String {
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
    }

    @Test func aRequestWithinTheLimitsPassesUntouchedAndSoDoesItsResponse() throws {
        let connection = try GuardedConnection()
        for _ in 0..<3 {
            try connection.receive(post(String(repeating: "b", count: 16_384)))
            try connection.respond("fine")
            #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine")
        }
        #expect(connection.application.parts.count == 9)
        #expect(connection.application.errors.isEmpty)
        #expect(!connection.socket.isOutputClosed)
    }

    @Test func aDeclaredLengthBeyondTheLimitIsAnsweredAtOnceAndNeverReachesTheApplication() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        #expect(
            try connection.sent() == "HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(tooLarge.utf8.count)\r\nConnection: close\r\n\r\n" + tooLarge)
        #expect(connection.application.parts.isEmpty)
        #expect(connection.socket.isOutputClosed)
        #expect(connection.channel.isActive)
    }

    @Test func anUndeclaredBodyIsRefusedWithTheByteTooManyAndTheApplicationLearnsIt() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead + chunk(16_000))
        #expect(try connection.sent() == "")
        try connection.receive(chunk(385))
        #expect(try connection.sent().hasSuffix(tooLarge))
        #expect(connection.application.errors.map { $0 as? RequestRejection } == [.bodyTooLarge(limit: 16_384)])
    }

    @Test func whatTheApplicationWritesBehindARefusalIsDropped() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead + chunk(16_385))
        _ = try connection.sent()
        try connection.respond("late")
        #expect(try connection.sent() == "")
    }

    @Test func aRefusalIsNotPutIntoAResponseThatHasBegun() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead)
        try connection.channel.writeOutbound(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "2"])))
        try connection.receive(chunk(16_385))
        try connection.channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "ok")))
        #expect(!connection.socket.isOutputClosed)
        try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(connection.socket.isOutputClosed)
    }

    @Test func aBodyThatGoesOnBehindItsResponseEndsTheConnectionWithoutASecondAnswer() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead)
        try connection.respond("no")
        _ = try connection.sent()
        try connection.receive(chunk(16_385))
        #expect(try connection.sent() == "")
        #expect(connection.socket.isOutputClosed)
    }

    @Test func aRefusalComesBehindTheResponseToAnEarlierRequest() throws {
        let connection = try GuardedConnection()
        try connection.receive(post("one") + "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\n")
        #expect(try connection.sent() == "")
        try connection.respond("first")
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirstHTTP/1.1 413 "))
        #expect(sent.hasSuffix(tooLarge))
    }

    @Test func behindARefusalSomeBytesAreThrownAwayAndThenNothingIsReadAnyMore() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000000\r\n\r\n")
        let reads = connection.socket.reads
        for _ in 0..<4 { try connection.receive(String(repeating: "x", count: 16 * 1024)) }
        #expect(connection.socket.reads > reads)
        let readsAtTheBound = connection.socket.reads
        connection.channel.read()
        try connection.receive("x")
        connection.channel.read()
        #expect(connection.socket.reads == readsAtTheBound)
        #expect(connection.application.parts.isEmpty)
    }

    @Test func theConnectionLingersForTheClientToReadTheAnswer() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        connection.channel.close(promise: nil)
        connection.advance(.milliseconds(1_999))
        #expect(connection.channel.isActive)
        connection.advance(.milliseconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test func theConnectionClosesAsSoonAsTheClientHasClosedItsSide() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!connection.channel.isActive)
    }

    @Test func aStalledBodyIsAnsweredWhenItsTimeIsUp() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
        connection.advance(.milliseconds(9_999))
        #expect(try connection.sent() == "")
        connection.advance(.milliseconds(1))
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(sent.hasSuffix(tooSlow))
        #expect(connection.application.errors.map { $0 as? RequestRejection } == [.tooSlow(after: .seconds(10))])
    }

    @Test func aBodyThatDripsGetsNoMoreTimeThanOneThatStalls() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n")
        for _ in 0..<19 {
            connection.advance(.milliseconds(500))
            try connection.receive("x")
        }
        #expect(try connection.sent() == "")
        connection.advance(.milliseconds(500))
        #expect(try connection.sent().hasSuffix(tooSlow))
    }

    @Test func aHeadThatDripsIsAnsweredWhenItsTimeIsUp() throws {
        let connection = try GuardedConnection()
        connection.advance(.seconds(30))
        for character in "GET / HTTP/1.1\r\nHost:" {
            guard try connection.sent().isEmpty else { break }
            try connection.receive(String(character))
            connection.advance(.seconds(1))
        }
        #expect(connection.socket.isOutputClosed)
        #expect(connection.application.parts.isEmpty)
    }

    @Test func theTimeOfARequestStartsAtItsFirstByteAndEndsWithItsLast() throws {
        let connection = try GuardedConnection()
        connection.advance(.seconds(50))
        try connection.receive("POST /p HTTP/1.1\r\n")
        connection.advance(.seconds(9))
        try connection.receive("Host: h\r\nContent-Length: 1\r\n\r\nx")
        connection.advance(.hours(1))
        try connection.respond("slow service, not slow client")
        #expect(try connection.sent().hasSuffix("slow service, not slow client"))
        #expect(!connection.socket.isOutputClosed)
    }

    @Test func aSilentConnectionIsClosedWithoutAnAnswer() throws {
        let connection = try GuardedConnection()
        connection.advance(.seconds(60))
        #expect(!connection.channel.isActive)
        #expect(try connection.sent() == "")
    }

    @Test func theIdleTimeStartsAgainWithEachResponse() throws {
        let connection = try GuardedConnection()
        for _ in 0..<4 {
            connection.advance(.seconds(59))
            try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try connection.respond("ok")
        }
        connection.advance(.milliseconds(59_999))
        #expect(connection.channel.isActive)
        connection.advance(.milliseconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test func blankLinesBetweenRequestsAreNoRequestAndKeepNoConnection() throws {
        let connection = try GuardedConnection()
        for _ in 0..<59 {
            try connection.receive("\r\n")
            connection.advance(.seconds(1))
        }
        #expect(connection.channel.isActive)
        connection.advance(.seconds(1))
        #expect(!connection.channel.isActive)
        #expect(try connection.sent() == "")
    }

    @Test func aHeadTooLargeIsAnsweredAsSuch() throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 9_000))\r\n\r\n")
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
        #expect(sent.hasSuffix(#"{"outcome":"too_large","detail":"head: too large"}"#))
        #expect(connection.application.errors.isEmpty)
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}hello\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func whatIsNotHTTPIsMalformed(text: String) throws {
        let connection = try GuardedConnection()
        try connection.receive(text)
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(sent.contains(#"{"outcome":"malformed","detail":"HTTP: "#))
        #expect(sent.components(of: "HTTP/1.1 ") == 1)
        #expect(connection.socket.isOutputClosed)
        #expect(connection.application.errors.isEmpty)
    }

    @Test func aBrokenChunkIsMalformedAndTheApplicationDoesNotTakeTheBodyForComplete() throws {
        let connection = try GuardedConnection()
        try connection.receive(chunkedHead + chunk(3) + "zz\r\n")
        #expect(try connection.sent().hasPrefix("HTTP/1.1 400 "))
        #expect(connection.application.errors.count == 1)
        #expect(!connection.application.parts.contains { if case .end = $0 { true } else { false } })
    }

    @Test func aBodyCutOffByTheClientIsAnErrorForTheApplication() throws {
        let connection = try GuardedConnection()
        try connection.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try connection.sent().hasPrefix("HTTP/1.1 400 "))
        #expect(connection.application.errors.first is RequestRejection)
        #expect(!connection.channel.isActive)
    }

    @Test func anAnswerToAHeadRequestHasNoBody() throws {
        let connection = try GuardedConnection()
        try connection.receive("HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n")
        #expect(try connection.sent().hasSuffix("\r\n\r\n"))
    }

    @Test func leaveToContinueIsGivenForABodyThatWillBeTakenAndOnlyThen() throws {
        let taken = try GuardedConnection()
        try taken.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n")
        #expect(try taken.sent() == "HTTP/1.1 100 Continue\r\n\r\n")
        try taken.receive("ok")
        try taken.respond("ok")
        #expect(try taken.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        let refused = try GuardedConnection()
        try refused.receive("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\nExpect: 100-continue\r\n\r\n")
        #expect(try refused.sent().hasPrefix("HTTP/1.1 413 "))
    }

    @Test(arguments: ["Connection: foo, Close", "Connection: Upgrade\r\nUpgrade: h2c"])
    func theConnectionEndsBehindTheLastRequestAndTheResponseSaysSo(headers: String) throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\(headers)\r\n\r\n")
        try connection.receive("stray bytes\r\n\r\n")
        try connection.respond("ok")
        #expect(try connection.sent() == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        #expect(connection.socket.isOutputClosed)
    }

    @Test func aResponseThatSaysCloseEndsTheConnection() throws {
        let connection = try GuardedConnection()
        try connection.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try connection.respond("bye", headerFields: [.connection: "close"])
        #expect(connection.socket.isOutputClosed)
        #expect(connection.channel.isActive)
        connection.advance(.seconds(2))
        #expect(!connection.channel.isActive)
    }

    @Test func anOutputThatTheApplicationClosedIsNotKeptForLong() throws {
        let connection = try GuardedConnection()
        connection.channel.close(mode: .output, promise: nil)
        connection.advance(.seconds(2))
        #expect(!connection.channel.isActive)
    }
}

extension String {
    /// How often a text occurs, without overlaps.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
