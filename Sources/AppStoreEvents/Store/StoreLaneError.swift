/// Why a lane of notifications can't be written to.
package enum StoreLaneError: Error, Sendable, CustomStringConvertible {
    /// The database has no row for the lane.
    case missing(lane: Int16)

    /// The reason in words.
    package var description: String {
        switch self {
        case .missing(let lane): "the database has no lane \(lane) of App Store notifications"
        }
    }
}
