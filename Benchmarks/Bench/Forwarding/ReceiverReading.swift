import Foundation

/// What a receiver of forwarded postbacks has counted since its start.
struct ReceiverReading: Codable, Equatable, Sendable {
    /// The requests that it answered.
    var received = 0
    /// When the first and the last one of them came, in milliseconds since 1970.
    var first: Int?
    var last: Int?
    /// Milliseconds from the receipt of the postback by the server to the receipt here: half of the deliveries, and 99
    /// of a hundred, took no longer.
    var p50: Int?
    var p99: Int?

    /// Requests a second between the first one and the last one; nil if that was no time.
    var rate: Double? {
        guard let first, let last, last > first else { return nil }
        return Double(received) * 1_000 / Double(last - first)
    }
}

extension ReceiverReading {
    /// Reads what a receiver answers.
    init(json: String) throws {
        guard let reading = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
            throw BenchError("the receiver said no numbers but \(json)")
        }
        self = reading
    }
}
