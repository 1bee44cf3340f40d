import Foundation

/// Processor time of processes, as the kernel counts it: in ticks of a hundredth of a second.
struct ProcessorTime: Equatable, Sendable {
    let ticks: Int

    /// What the processes of PostgreSQL clusters have worked since their start.
    ///
    /// - Parameter postmasters: The first process of each.
    static func ofClusters(_ postmasters: [Int32]) throws -> ProcessorTime {
        let processes = try ProcessStatus.all()
        return ProcessorTime(ticks: postmasters.reduce(0) { $0 + ProcessStatus.ticks(ofFamily: $1, among: processes) })
    }

    /// What one process has worked since its start.
    static func of(_ process: Int32) -> ProcessorTime {
        ProcessorTime(ticks: ProcessStatus.of(process)?.ticks ?? 0)
    }

    /// The time since an earlier reading for each of so many pieces of work, in microseconds; nil if there were none.
    func micros(since earlier: ProcessorTime, for count: Int, ticksPerSecond: Int = sysconf(Int32(_SC_CLK_TCK)))
        -> Double?
    {
        guard count > 0, ticksPerSecond > 0 else { return nil }
        return Double(ticks - earlier.ticks) * 1e6 / Double(ticksPerSecond) / Double(count)
    }
}
