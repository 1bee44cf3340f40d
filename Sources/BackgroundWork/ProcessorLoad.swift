import Foundation

/// How busy the processors are between two looks.
///
/// `/proc/stat` says what all programs of the machine use. A cgroup may give this process fewer cores than the machine
/// has. So what the process uses of its own cores counts, too.
package struct ProcessorLoad: Sendable {
    /// What is known at one moment.
    struct Reading: Sendable {
        /// Ticks of all processors since the machine began, and those in which one had nothing to do.
        ///
        /// Nil if the kernel does not tell.
        let machine: (all: UInt64, idle: UInt64)?
        /// Processor time that this process has used.
        let process: Duration
        let time: ContinuousClock.Instant
    }

    private let cores: Int
    private var last: Reading

    /// Takes the first look.
    package init() {
        cores = AvailableCores.count
        last = Self.reading
    }

    /// Which share of the processors was used since the look before, 0 to 1.
    ///
    /// It is that of the machine, or that of this process of its own cores, whichever is greater.
    package mutating func look() -> Double {
        let now = Self.reading
        defer { last = now }
        return Self.share(from: last, to: now, cores: cores)
    }

    static func share(from first: Reading, to second: Reading, cores: Int) -> Double {
        let time = (second.time - first.time) / .seconds(1) * Double(cores)
        let own = time > 0 ? (second.process - first.process) / .seconds(1) / time : 0
        guard let before = first.machine, let after = second.machine, after.all > before.all else { return min(1, own) }
        // The kernel may count waits for the disk backwards.
        let idle = after.idle > before.idle ? Double(after.idle - before.idle) : 0
        return min(1, max(own, 1 - idle / Double(after.all - before.all)))
    }

    /// Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal and what is in them.
    static func machine(in status: String) -> (all: UInt64, idle: UInt64)? {
        guard let line = status.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
        guard ticks.count == 8 else { return nil }
        return (ticks.reduce(0, &+), ticks[3] &+ ticks[4])
    }

    private static var reading: Reading {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        let status = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
        return Reading(
            machine: status.flatMap(machine), process: .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec), time: .now)
    }
}
