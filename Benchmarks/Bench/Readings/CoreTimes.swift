/// For how long the cores of the machine worked and were idle since its start, in ticks.
struct CoreTimes: Equatable, Sendable {
    let worked: Int
    let idle: Int
}

extension CoreTimes {
    /// Reads the first line of `/proc/stat`.
    init?(stat: String) {
        let fields = stat.split(separator: "\n").first?.split(separator: " ") ?? []
        let times = fields.dropFirst().compactMap { Int($0) }
        guard fields.first == "cpu", times.count >= 8 else { return nil }
        worked = times[0] + times[1] + times[2] + times[5] + times[6] + times[7]
        idle = times[3] + times[4]
    }

    /// The share of the time since an earlier reading in which the cores worked, in percent.
    func percentBusy(since earlier: CoreTimes) -> Int {
        let worked = worked - earlier.worked
        let all = worked + idle - earlier.idle
        return all > 0 ? 100 * worked / all : 0
    }
}
