/// One arrival of a postback of a timeline: a line of the archive.
package struct TimelineDelivery: Sendable {
    /// Who gets it.
    struct Recipients: OptionSet, Sendable {
        let rawValue: UInt8

        /// The ad network.
        static let network = Recipients(rawValue: 1)
        /// The developer of the advertised app, who gets a copy.
        static let developer = Recipients(rawValue: 2)
    }

    let postback: TimelinePostback
    let recipients: Recipients
    /// Whether the device delivers again what arrived before.
    let isRetry: Bool
    /// When it arrives.
    package let receivedAt: Moment

    /// Whether the line of truth is written beside it: with the first delivery to the network.
    var hasTruth: Bool { recipients.contains(.network) && !isRetry }

    /// The order of the archive: by time, then by number.
    static func isBefore(_ left: TimelineDelivery, _ right: TimelineDelivery) -> Bool {
        (left.receivedAt, left.postback.stream, left.isRetry ? 1 : 0, left.recipients.rawValue)
            < (right.receivedAt, right.postback.stream, right.isRetry ? 1 : 0, right.recipients.rawValue)
    }
}
