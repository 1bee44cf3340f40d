/// One attempt of Apple's to deliver a notification.
package struct SendAttempt: Sendable, Equatable {
    /// What Apple writes if the receiver took it.
    package static let success = "SUCCESS"

    /// When it was, in milliseconds since 1970; nil if Apple does not say so.
    package let date: Int64?
    /// How it ended, in Apple's word: `SUCCESS`, `TIMED_OUT`, `TLS_ISSUE` and others.
    package let result: String

    /// Takes both.
    package init(date: Int64?, result: String) {
        self.date = date
        self.result = result
    }

    /// Reads `sendAttempts`; without it the older `firstSendAttemptResult`.
    static func all(of object: AnswerObject) throws(StoreAPIError) -> [SendAttempt] {
        var attempts: [SendAttempt] = []
        for attempt in try object.objects("sendAttempts") {
            attempts.append(
                SendAttempt(
                    date: try attempt.integer("attemptDate"),
                    result: try attempt.required("sendAttemptResult")))
        }
        if attempts.isEmpty, let first = try object.text("firstSendAttemptResult") {
            attempts.append(SendAttempt(date: nil, result: first))
        }
        return attempts
    }
}
