import Foundation

/// What the kernel tells of one process in `/proc/ID/stat`.
struct ProcessStatus: Equatable, Sendable {
    let id: Int32
    let parent: Int32
    /// Whether it has ended, and nobody has asked for its exit code yet.
    let hasEnded: Bool
    /// How long it worked, in clock ticks.
    let ticks: Int
    /// How long its children worked that have ended and been waited for, in clock ticks.
    let childrenTicks: Int

    /// The second field is the program's name in brackets, which may hold spaces and brackets.
    init?(stat: String) {
        guard let name = stat.lastIndex(of: ")"), let id = stat.split(separator: " ").first.flatMap({ Int32($0) })
        else { return nil }
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        let times = fields[11...14].compactMap { Int($0) }
        guard times.count == 4 else { return nil }
        self.id = id
        self.parent = parent
        hasEnded = fields[0] == "Z"
        ticks = times[0] + times[1]
        childrenTicks = times[2] + times[3]
    }

    /// One process, if it runs.
    static func of(_ id: Int32) -> ProcessStatus? {
        (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)).flatMap(ProcessStatus.init)
    }

    /// All processes.
    ///
    /// One may end while we read.
    static func all() throws -> [ProcessStatus] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap(of)
    }

    /// How long a family of processes worked: the first one, its children, and those of them that have ended.
    static func ticks(ofFamily first: Int32, among processes: [ProcessStatus]) -> Int {
        processes.reduce(0) { sum, process in
            if process.id == first { return sum + process.ticks + process.childrenTicks }
            return process.parent == first ? sum + process.ticks : sum
        }
    }

    /// The most memory that a process has had resident, in megabytes.
    static func peakMegabytes(of id: Int32) -> Double? { megabytes("VmHWM:", of: id) }

    /// The memory that a process has resident now, in megabytes.
    static func residentMegabytes(of id: Int32) -> Double? { megabytes("VmRSS:", of: id) }

    private static func megabytes(_ name: String, of id: Int32) -> Double? {
        let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        let words = status.split(separator: "\n").first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
        guard let words, words.count == 3, let kilobytes = Double(words[1]) else { return nil }
        return kilobytes / 1_024
    }
}
