/// The names of the tables that have the rows of a lane.
struct LaneTables: Sendable {
    let state: String
    let bodies: String
    let log: String
    let laneDay: String
    let importProgress: String

    /// The tables themselves.
    static let plain = LaneTables(
        state: "attribution.postback_state", bodies: "attribution.postback_body", log: "attribution.postback_log",
        laneDay: "attribution.lane_day", importProgress: "attribution.import_progress")
}
