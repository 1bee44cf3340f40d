/// How a TEST notification was delivered, as Apple saw it.
package struct TestNotificationStatus: Sendable, Equatable {
    /// The notification, a JWS; nil before Apple has made it.
    package let signedPayload: String?
    /// The attempts, at most six.
    package let attempts: [SendAttempt]

    /// Takes both.
    package init(signedPayload: String?, attempts: [SendAttempt]) {
        self.signedPayload = signedPayload
        self.attempts = attempts
    }

    init(_ answer: AnswerObject) throws(StoreAPIError) {
        signedPayload = try answer.text("signedPayload")
        attempts = try SendAttempt.all(of: answer)
    }

    /// Whether one of the attempts has succeeded.
    package var isDelivered: Bool { attempts.contains { $0.result == SendAttempt.success } }
}
