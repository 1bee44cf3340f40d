/// A part of what other systems read by cursor, as text: one JSON object for each event.
package protocol EventLines: Sendable {
    /// The cursor after these events.
    var next: LogCursor { get }
    /// Whether nothing more was there to read.
    var isAtEnd: Bool { get }
    /// The number of events.
    var count: Int { get }

    /// Passes on the text of the events, in parts of whole events.
    ///
    /// - Parameters:
    ///   - separator: What stands behind each event but the last one. After the last one comes `end`.
    ///   - body: Takes a part.
    func write(separator: UInt8, end: [UInt8], _ body: ([UInt8]) async throws -> Void) async throws
}
