/// Why the schema of a database is not what this build knows.
package enum SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The database lacks migrations that this build needs.
    case behind(missing: String)
    /// The database has a migration that this build does not know, or one with another text.
    case unknown(applied: String)
    /// The database has newer definitions than this build; a later version put them there.
    case newer(revision: Int32, version: String, revisionOfBuild: Int32)
    /// The database has definitions of this build's revision with another text.
    case otherText(revision: Int32)
    /// Objects that are not of the definitions use some that must be dropped; each in words.
    case inUse([String])
    /// The definitions would replace objects that somebody else made; their kinds and names.
    case taken([String])
    /// The database has the schema of a version before 0.2, which can't be migrated.
    case beforeLog
    /// The database has this number of lanes, and another number was asked for.
    case otherLanes(stored: Int)
    /// The days of the database's reports are of this time zone, and another one was asked for.
    case otherTimeZone(stored: String)
    /// PostgreSQL or this machine knows no time zone of this name.
    case unknownTimeZone(String)
    /// The lanes of the database do not contain each hash exactly once.
    case lanes

    /// What is wrong, and what to do about it.
    package var description: String {
        switch self {
        case .behind(let name): "schema: \(name) is not applied; run PostbackServer migrate"
        case .unknown(let name): "schema: \(name) is applied, in a text that this build does not know"
        case .newer(let revision, let version, let own):
            "schema: the database has definitions \(revision), and this build has older ones, \(own); it needs version "
                + "\(version) or a later one"
        case .otherText(let revision):
            "schema: the database has definitions \(revision) in a text that this build does not know; of two texts "
                + "with one number nobody knows which is later"
        case .inUse(let users):
            "schema: \(users.joined(separator: ", ")); this definition has other columns or types now, or is gone, and "
                + "must be dropped; drop what uses it, migrate, and make it again; nothing was changed"
        case .taken(let objects):
            "schema: \(objects.joined(separator: ", ")) is not of the definitions, and they have one of this name now; "
                + "rename yours; nothing was changed"
        case .beforeLog:
            "schema: it was made by a version before 0.2, whose tables can't be migrated; use a new database, and import "
                + "the bodies that attribution.postback of the old one holds"
        case .otherLanes(let stored):
            "schema: the database has \(stored) lanes; the number is chosen at the first migration"
        case .otherTimeZone(let stored):
            "schema: the days of this database are of the time zone \(stored), which is chosen at the first migration"
        case .unknownTimeZone(let name):
            "schema: there is no time zone '\(name)'; it must be a name of the IANA time zone database that PostgreSQL and "
                + "this machine know, such as Europe/Berlin"
        case .lanes: "schema: the rows of attribution.lane do not cover each hash once"
        }
    }
}

/// Reports, or other transactions, have used the definitions all the time that `migrate` waits; nothing was changed.
package struct DefinitionsInUse: Error, CustomStringConvertible {
    /// What happened, and what to do.
    package var description: String {
        "schema: reports have used the definitions for too long; run PostbackServer migrate again when they have ended"
    }
}
