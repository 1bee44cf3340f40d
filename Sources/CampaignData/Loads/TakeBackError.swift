import AdAttribution
import ConversionSchemes

/// Why a load can't be taken back.
package enum TakeBackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No load of this kind is there that was not taken back.
    case none(LoadKind)
    /// No load of this kind has this number.
    case unknown(LoadKind, Int64)
    /// The load was taken back before.
    case takenBack(StoredLoad)
    /// A later load is there.
    case notLast(StoredLoad, last: StoredLoad)
    /// What it changed is past `LOAD_RETENTION_DAYS`.
    case pastRetention(StoredLoad)
    /// Rows are not as the load left them; the first ones by name, and how many there are.
    case changedSince(StoredLoad, rows: [String], count: Int64)
    /// Rows that would come back have the conditions of rows that were added since, and their days overlap.
    case overlapping(StoredLoad, rows: [String])
    /// A postback was received since a scheme of the load began.
    case schemeInUse(StoredLoad, SchemeInUse)

    /// The reason in words.
    package var description: String {
        switch self {
        case .none(let kind): "no load of \(kind.rawValue) is there that was not taken back"
        case .unknown(let kind, let number): "no load of \(kind.rawValue) has the number \(number)"
        case .takenBack(let load): "it is taken back already: \(load.text)"
        case .notLast(let load, let last):
            "only the last load can be taken back, and load \(load.load) is not: later came \(last.text)"
        case .pastRetention(let load):
            "the rows before load \(load.load) are past LOAD_RETENTION_DAYS, so it can't be taken back"
        case .changedSince(let load, let rows, let count):
            "\(count) of the rows of load \(load.load) were changed after it, so it can't be taken back: "
                + rows.joined(separator: "; ") + (count > rows.count ? "; …" : "")
        case .overlapping(let load, let rows):
            "load \(load.load) can't be taken back, since rows were added after it whose days overlap with those of "
                + rows.joined(separator: "; ")
        case .schemeInUse(let load, let scheme):
            "load \(load.load) can't be taken back, since the scheme of app \(scheme.appID.value) from "
                + "\(scheme.validFrom.text) is in use: a postback was received after that"
        }
    }
}
