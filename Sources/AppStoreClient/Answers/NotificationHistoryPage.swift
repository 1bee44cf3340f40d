import StrictJSON

/// A page of Apple's history of notifications: at most twenty.
package struct NotificationHistoryPage: StoreAPIPage, Equatable {
    /// A notification that Apple sent, or tried to.
    package struct Entry: Sendable, Equatable {
        /// The notification, a JWS.
        package let signedPayload: String
        /// The attempts, at most six; none if they are not what Apple describes.
        package let attempts: [SendAttempt]

        /// Takes both.
        package init(signedPayload: String, attempts: [SendAttempt]) {
            self.signedPayload = signedPayload
            self.attempts = attempts
        }

        /// The body of the request by which Apple delivers it.
        package var body: [UInt8] {
            var text = JSONObjectText()
            text.append("signedPayload", signedPayload)
            return text.finished()
        }
    }

    /// The notifications, in Apple's order.
    package let entries: [Entry]
    /// How many rows of the history have no notification.
    package let withoutPayload: Int
    package let next: String?

    init(_ answer: AnswerObject) throws(StoreAPIError) {
        var entries: [Entry] = []
        var withoutPayload = 0
        for row in try answer.objects("notificationHistory") {
            guard let payload = try row.text("signedPayload") else {
                withoutPayload += 1
                continue
            }
            // How it was delivered is no reason to lose it, and all that stands behind this page.
            let attempts = try? SendAttempt.all(of: row)
            entries.append(Entry(signedPayload: payload, attempts: attempts ?? []))
        }
        self.entries = entries
        self.withoutPayload = withoutPayload
        next = try answer.flag("hasMore") ? try answer.token("paginationToken") : nil
        if try answer.flag("hasMore"), next == nil {
            throw StoreAPIError(.unreadable, "answer.paginationToken is missing, but there are more pages")
        }
    }
}
