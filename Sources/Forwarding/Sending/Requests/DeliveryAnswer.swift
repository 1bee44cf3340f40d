import Destinations

/// What a receiver answered.
package struct DeliveryAnswer: Sendable, Equatable {
    /// How much of an answer is read.
    package static let maximumSize = 16_384
    /// How much of it is kept, to be looked at.
    package static let keptSize = 2_048

    /// The HTTP status.
    package let status: Int
    /// The value of the header `Retry-After`.
    package let retryAfter: String?
    /// The first bytes of the body, at most `keptSize`.
    package var body: [UInt8] = []

    /// Says what was answered.
    package init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

extension DeliveryAnswer {
    /// The answer without the secrets of its request, which a receiver may repeat.
    func hidingSecrets(of request: SignedRequest) -> DeliveryAnswer {
        let body = request.withoutSecrets(body).prefix(Self.keptSize)
        return DeliveryAnswer(status: status, retryAfter: retryAfter, body: Array(body))
    }
}

/// Why a request has no complete answer.
package struct DeliveryFailure: Error, Equatable, CustomStringConvertible {
    /// What happened, in one line and without a secret.
    package let reason: String
    /// What was received of the answer before; nil if its head did not arrive.
    package let answer: DeliveryAnswer?
    /// Whether the time was over.
    package let isTimeout: Bool

    /// Says why.
    package init(reason: String, answer: DeliveryAnswer? = nil, isTimeout: Bool = false) {
        self.reason = reason
        self.answer = answer
        self.isTimeout = isTimeout
    }

    package var description: String { reason }
}
