import StrictJSON

/// Which notifications of Apple's history are asked for.
///
/// Apple refuses a type together with a transaction.
package struct NotificationHistoryQuery: Sendable, Equatable {
    /// The beginning, in milliseconds since 1970, within the days that Apple keeps.
    package var startDate: Int64
    /// The end, after the beginning.
    package var endDate: Int64
    /// Only those of a type.
    package var notificationType: String?
    /// Only those of a subtype; needs the type.
    package var notificationSubtype: String?
    /// Only those of the customer of a transaction.
    package var transactionID: String?
    /// Only those that were not delivered.
    package var onlyFailures: Bool?

    /// Takes the time; the rest is asked for by setting it.
    package init(startDate: Int64, endDate: Int64) {
        self.startDate = startDate
        self.endDate = endDate
    }

    /// The body of the request.
    package var body: [UInt8] {
        var text = JSONObjectText()
        text.append("startDate", startDate)
        text.append("endDate", endDate)
        if let notificationType { text.append("notificationType", notificationType) }
        if let notificationSubtype { text.append("notificationSubtype", notificationSubtype) }
        if let transactionID { text.append("transactionId", transactionID) }
        if let onlyFailures { text.append("onlyFailures", onlyFailures) }
        return text.finished()
    }
}
