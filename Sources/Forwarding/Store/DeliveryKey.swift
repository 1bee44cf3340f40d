package import Destinations

/// Which event a delivery is about: its place in the log.
///
/// Its text is the event's name, such as `0-42185168781313-2`.
package struct DeliveryKey: Sendable, Hashable {
    /// The lane.
    package let lane: Int16
    /// The position in the lane.
    package let position: Int64
    /// The number of the event among those of its position.
    package let ordinal: Int16

    /// Takes a place.
    init(lane: Int16, position: Int64, ordinal: Int16) {
        self.lane = lane
        self.position = position
        self.ordinal = ordinal
    }
}

extension DeliveryKey: LosslessStringConvertible {
    /// The event's name.
    package var description: String { "\(lane)-\(position)-\(ordinal)" }

    /// Reads the name of an event; nil for any other text.
    package init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let lane = Int16(parts[0]), let position = Int64(parts[1]),
            let ordinal = Int16(parts[2])
        else { return nil }
        self.init(lane: lane, position: position, ordinal: ordinal)
        // A sign or a zero in front is another spelling.
        guard self.description == description else { return nil }
    }

    /// The place of an event; nil if it is a made-up one, which the log does not have.
    package init?(_ event: ForwardedEvent) {
        self.init(event.id)
    }
}

extension DeliveryKey: Comparable {
    /// The order of lanes, and in each that of the log.
    package static func < (left: DeliveryKey, right: DeliveryKey) -> Bool {
        (left.lane, left.position, left.ordinal) < (right.lane, right.position, right.ordinal)
    }
}
