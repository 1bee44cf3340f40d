import AdAttribution
import Encodings

/// How far the log was read: a place for each lane.
///
/// A lane that a cursor does not name is read from its beginning. A cursor can be stored as text. If nothing but such a
/// text says how far a reader is, days that it has not read may be dropped; see `LogReader`.
public struct LogCursor: Sendable, Hashable {
    /// The places by lane.
    ///
    /// The beginning of a lane is left out, so equal cursors have equal places.
    let places: [Int16: LogPlace]

    /// Before the first event.
    public static let start = LogCursor([:])

    /// The cursor with these places.
    ///
    /// Every other lane is at its beginning.
    init(_ places: [Int16: LogPlace]) {
        self.places = places.filter { $0.value != .beginning }
    }

    /// The place in a lane.
    subscript(lane: Int16) -> LogPlace { places[lane] ?? .beginning }
}

extension LogCursor: LosslessStringConvertible {
    /// The first byte of a text.
    private static let version: UInt8 = 1
    /// Two bytes for the lane, eight for the position, two for the ordinal.
    private static let placeSize = 12
    /// The greatest number of lanes in a text.
    private static let maximumLanes = 1_024

    /// The cursor as text: base64url, at most 16,386 characters.
    ///
    /// Each cursor has one text.
    public var description: String {
        var bytes = [Self.version]
        bytes.reserveCapacity(1 + places.count * Self.placeSize)
        for (lane, place) in places.sorted(by: { $0.key < $1.key }) {
            bytes.append(bigEndian: lane)
            bytes.append(bigEndian: place.position)
            bytes.append(bigEndian: place.ordinal)
        }
        return Base64.encode(bytes, .urlSafe)
    }

    /// Reads what `description` writes.
    ///
    /// The result is nil for any other text: another version, other characters, lanes twice or not in order, negative
    /// numbers.
    ///
    /// A text that somebody made up can give a cursor too. It only contains places. So the worst result is that its
    /// reader misses events or sees them again.
    public init?(_ description: String) {
        // A cheap check before the text is decoded.
        guard description.utf8.count <= (1 + Self.maximumLanes * Self.placeSize) * 4 / 3 + 2 else { return nil }
        var text = description
        guard var bytes = text.withUTF8({ Base64.decode($0, .urlSafe) })?[...], bytes.popFirst() == Self.version else {
            return nil
        }
        var places: [Int16: LogPlace] = [:]
        var lastLane: Int16 = -1
        while !bytes.isEmpty {
            guard let lane = bytes.popBigEndian(Int16.self), let position = bytes.popBigEndian(Int64.self),
                let ordinal = bytes.popBigEndian(Int16.self),
                let place = LogPlace(position: position, ordinal: ordinal),
                place != .beginning, lane > lastLane, places.count < Self.maximumLanes
            else { return nil }
            places[lane] = place
            lastLane = lane
        }
        self.init(places)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the front; nil if there are too few bytes.
    fileprivate mutating func popBigEndian<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard count >= size else { return nil }
        defer { removeFirst(size) }
        return prefix(size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}

/// A part of the log.
public struct LogPage: Sendable {
    /// The events.
    ///
    /// Those of one lane are in the order in which they took effect.
    public let events: [LogEvent]
    /// The cursor after these events.
    ///
    /// It can change even if there are no events, because a day has ended.
    public let next: LogCursor
    /// Whether nothing more was there to read.
    ///
    /// If false, read the next page at once.
    public let isAtEnd: Bool
}
