import Logging
package import PostgresClient
import StrictJSON

/// Something that somebody did.
package struct TrailEntry: Sendable {
    /// When; of a sum the last time.
    package let happenedAt: PostgresTimestamp
    /// Of a sum the first time; nil for one thing.
    package let since: PostgresTimestamp?
    /// What.
    package let action: TrailAction
    /// Who, and from where.
    package let actor: TrailActor
    /// With what, such as `load 12`; nil if the action says all.
    package let subject: String?
    /// What it changed, by names that are ours.
    package let counts: [(name: String, count: Int64)]

    /// Takes what happened.
    package init(
        _ action: TrailAction, of subject: String? = nil, by actor: TrailActor, at time: PostgresTimestamp,
        since: PostgresTimestamp? = nil, _ counts: [(name: String, count: Int64)] = []
    ) {
        (happenedAt, self.since, self.action, self.actor) = (time, since, action, actor)
        (self.subject, self.counts) = (subject, counts)
    }

    /// The counts as a JSON object.
    var countsJSON: [UInt8] {
        var object = JSONObjectText()
        for (name, count) in counts { object.append(name, count) }
        return object.finished()
    }

    /// Writes it into the log, as one line.
    func log(to logger: Logger) {
        var metadata: Logger.Metadata = ["action": "\(action.rawValue)", "from": "\(actor.origin)"]
        if let person = actor.person { metadata["person"] = "\(person)" }
        if let session = actor.session { metadata["session"] = "\(session)" }
        if let subject { metadata["subject"] = "\(subject)" }
        for (name, count) in counts { metadata["count_\(name)"] = .stringConvertible(count) }
        logger.notice("\(action.sentence)", metadata: metadata)
    }
}

/// An entry as the trail has it.
package struct StoredTrailEntry: Sendable {
    /// Its number; later entries have greater ones.
    package let number: Int64
    /// When; of a sum the last time.
    package let happenedAt: PostgresTimestamp
    /// Of a sum the first time; nil for one thing.
    package let since: PostgresTimestamp?
    /// What: the raw value of an action, perhaps of a later version.
    package let action: String
    /// Who; nil if nobody knows.
    package let person: String?
    /// The name of the session of the page; nil if there was none.
    package let session: String?
    /// From where.
    package let origin: String
    /// With what; nil if the action says all.
    package let subject: String?
    /// What it changed, as a JSON object of numbers.
    package let counts: String
    /// The same for people; empty if there is nothing.
    package let countsText: String

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        number = try columns.next()
        happenedAt = try columns.next()
        since = try columns.next()
        action = try columns.next()
        person = try columns.next()
        session = try columns.next()
        origin = try columns.next()
        subject = try columns.next()
        counts = try columns.next()
        countsText = try columns.next()
    }
}
