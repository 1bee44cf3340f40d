import AdAttribution
import Encodings
package import PostgresClient

/// How far the log was read: a place for each lane.
///
/// A lane that a cursor does not name is read from its beginning. A cursor can be stored as text. If nothing but such a
/// text says how far a reader is, days that it has not read may be dropped; see `LogReader`.
package struct LogCursor: Sendable, Hashable {
    /// The places by lane.
    ///
    /// The beginning of a lane is left out, so equal cursors have equal places.
    let places: [Int16: LogPlace]

    /// Before the first event.
    package static let start = LogCursor([:])

    /// The cursor with these places.
    ///
    /// Every other lane is at its beginning.
    init(_ places: [Int16: LogPlace]) {
        self.places = places.filter { $0.value != .beginning }
    }

    /// Before everything that is written on a UTC day of writing or later.
    package static func beginning(of day: PostgresDate, in lanes: [Int16]) -> LogCursor {
        LogCursor(Dictionary(uniqueKeysWithValues: lanes.map { ($0, LogPlace(beginningOf: day)) }))
    }

    /// The place in a lane.
    subscript(lane: Int16) -> LogPlace { places[lane] ?? .beginning }

    /// The first day of writing in which it is, of all lanes that it names.
    package var firstDay: PostgresDate? { places.values.min()?.day }

    /// Whether everything before another cursor was read, too.
    package func contains(_ other: LogCursor) -> Bool { other.places.allSatisfy { $0.value <= self[$0.key] } }

    /// In each lane the place that is less; a lane that one of both does not name is at its beginning.
    package func earlier(_ other: LogCursor) -> LogCursor {
        LogCursor(places.reduce(into: [:]) { $0[$1.key] = min($1.value, other[$1.key]) })
    }
}

extension LogCursor: LosslessStringConvertible {
    /// The first byte of a text.
    private static let version: UInt8 = 1
    /// The bytes at the end: the first ones of SHA-256 of those before them.
    private static let checkSize = 4
    /// The greatest number of lanes in a text.
    private static let maximumLanes = 1_024
    /// The most bytes of a place: lane, day, counter, ordinal.
    private static let maximumPlaceSize = 3 + 5 + 5 + 3

    /// The cursor as text: base64url, about 9 characters for each lane.
    ///
    /// Each cursor has one text. After the version it has four numbers for each place, in the order of the lanes: the
    /// lanes that it leaves out before this one, the days since the place before it, the counter, the ordinal. They are
    /// written as in Protocol Buffers: seven bits a byte, and days with their sign in the lowest bit.
    package var description: String {
        var bytes = [Self.version]
        var previous: (lane: Int32, day: Int32) = (-1, 0)
        for (lane, place) in places.sorted(by: { $0.key < $1.key }) {
            let day = Int32(truncatingIfNeeded: place.position >> 32)
            let days = day - previous.day
            bytes.append(varint: UInt32(Int32(lane) - previous.lane - 1))
            bytes.append(varint: UInt32(bitPattern: days << 1 ^ days >> 31))
            bytes.append(varint: UInt32(truncatingIfNeeded: place.position))
            bytes.append(varint: UInt32(place.ordinal))
            previous = (Int32(lane), day)
        }
        bytes += SHA256.digest(bytes).prefix(Self.checkSize)
        return Base64.encode(bytes, .urlSafe)
    }

    /// Reads what `description` writes.
    ///
    /// The result is nil for any other text: another version, a character that was changed or lost, another spelling.
    ///
    /// A text that somebody made up can give a cursor too. It only contains places. So the worst result is that its
    /// reader misses events or sees them again.
    package init?(_ description: String) {
        // A cheap check before the text is decoded.
        let longest = 1 + Self.maximumLanes * Self.maximumPlaceSize + Self.checkSize
        guard description.utf8.count <= longest * 4 / 3 + 2 else { return nil }
        var text = description
        guard let all = text.withUTF8({ Base64.decode($0, .urlSafe) }), all.count > Self.checkSize else { return nil }
        var bytes = all.dropLast(Self.checkSize)
        guard SHA256.digest(Array(bytes)).starts(with: all.suffix(Self.checkSize)), bytes.popFirst() == Self.version
        else { return nil }
        var places: [Int16: LogPlace] = [:]
        var previous: (lane: Int64, day: Int32) = (-1, 0)
        while !bytes.isEmpty {
            guard let skipped = bytes.popVarint(), let zigzag = bytes.popVarint(), let counter = bytes.popVarint(),
                let ordinal = bytes.popVarint().flatMap(Int16.init(exactly:)),
                let lane = Int16(exactly: previous.lane + 1 + Int64(skipped)),
                places.count < Self.maximumLanes
            else { return nil }
            let day = previous.day &+ (Int32(bitPattern: zigzag >> 1) ^ -Int32(bitPattern: zigzag & 1))
            guard let place = LogPlace(position: Int64(day) << 32 | Int64(counter), ordinal: ordinal) else {
                return nil
            }
            places[lane] = place
            previous = (Int64(lane), day)
        }
        self.init(places)
        // The same numbers can be spelt with more bytes than they need.
        guard self.description == description else { return nil }
    }
}

extension [UInt8] {
    fileprivate mutating func append(varint number: UInt32) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the front; nil if it has no end or more than 32 bits.
    fileprivate mutating func popVarint() -> UInt32? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return UInt32(exactly: number) }
        }
        return nil
    }
}
