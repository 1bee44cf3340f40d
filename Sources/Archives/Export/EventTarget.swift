package import EventLog

/// Where exported events go, and how far they are there for good.
package protocol EventTarget: AnyObject {
    /// Everything up to here is there for good; nil if the export is new.
    var cursor: LogCursor? { get }
    /// The number of events that are there for good.
    var events: Int64 { get }
    /// The number of events that would be lost if the program ended now.
    var open: Int { get }

    /// Begins a new export at a cursor.
    func begin(at cursor: LogCursor) throws
    /// Adds lines of events.
    ///
    /// - Parameter next: The cursor after them.
    func append(_ lines: [UInt8], events: Int, next: LogCursor) throws
    /// Makes everything that was added durable, with its cursor, at once: after a kill both are there or none.
    func commit() throws
    /// Forgets what was added since the last commit.
    func cancel()
}
