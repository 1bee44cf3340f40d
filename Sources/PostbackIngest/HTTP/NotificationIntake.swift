package import HTTPListener
package import Observability
package import PostbackStore

/// Who takes notifications of the App Store, as the public listener sees it: it knows no more of them than their path.
package struct NotificationIntake: Sendable {
    /// Takes a body, and answers it once.
    package typealias Take = @Sendable (_ body: [UInt8], _ origin: DeliveryOrigin, _ reply: NotificationReply) -> Void

    /// The path as it is registered in App Store Connect.
    package static let path = "/v1/app-store/notifications"

    /// The memory of the bodies.
    package let bodies: LargeBodies
    let isOpen: @Sendable () -> Bool
    let take: Take

    /// Takes notifications.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: The greatest number of bytes of a body.
    ///   - budget: The greatest number of bytes of all bodies that are in memory.
    ///   - isOpen: Whether notifications are taken now; if not, nothing is at their path.
    ///   - take: Gets the bodies, on the event loop of the connection.
    package init(
        maximumBodyBytes: Int, budget: Int, isOpen: @escaping @Sendable () -> Bool, take: @escaping Take
    ) {
        bodies = LargeBodies(
            maximumBodyBytes: maximumBodyBytes, budget: budget, isOpen: isOpen,
            isTarget: PublicRoute.isNotification)
        self.isOpen = isOpen
        self.take = take
    }
}

/// The way back to the connection that a notification came over.
///
/// As long as somebody has it, the memory of the body counts as used.
package struct NotificationReply: Sendable {
    /// What lines of the log call the request.
    package let request: RequestIdentity
    private let client: ClientPresence
    private let reservation: BodyReservation?
    private let send: @Sendable (_ answer: JSONAnswer, _ isVerified: Bool) -> Void

    /// The way back.
    ///
    /// - Parameter send: Takes the answer, from any thread.
    init(
        to client: ClientPresence, request: RequestIdentity, reservation: BodyReservation?,
        send: @escaping @Sendable (_ answer: JSONAnswer, _ isVerified: Bool) -> Void
    ) {
        self.client = client
        self.request = request
        self.reservation = reservation
        self.send = send
    }

    /// A way back without a connection, for tests.
    package init(send: @escaping @Sendable (_ answer: JSONAnswer, _ isVerified: Bool) -> Void) {
        self.init(to: ClientPresence(), request: RequestIdentity(), reservation: nil, send: send)
    }

    /// Answers, from any thread; if the connection is gone, the answer is thrown away.
    ///
    /// - Parameter isVerified: Whether the client delivered what only the App Store can sign.
    package func answer(_ answer: JSONAnswer, isVerified: Bool = false) {
        send(answer, isVerified)
    }

    /// Whether the client has left after it has waited this long.
    package func hasLeft(_ waited: Duration) -> Bool { client.hasLeft(waited) }
}
