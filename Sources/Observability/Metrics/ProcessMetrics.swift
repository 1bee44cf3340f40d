import Glibc
import Metrics
import Synchronization

/// What the system knows of this process, under the names that Prometheus' own libraries use.
///
/// Times are in seconds, sizes in bytes. What the system does not tell is not shown.
package final class ProcessMetrics: Sendable {
    private let processorTime = FloatingPointCounter(label: "process_cpu_seconds_total")
    private let residentMemory = Gauge(label: "process_resident_memory_bytes")
    private let virtualMemory = Gauge(label: "process_virtual_memory_bytes")
    private let openDescriptors = Gauge(label: "process_open_fds")
    private let greatestDescriptors = Gauge(label: "process_max_fds")
    private let start = Gauge(label: "process_start_time_seconds")
    /// The processor time that the counter has.
    private let counted = Mutex(0.0)

    /// Makes the metrics, with the time at which the process began.
    package init() {
        if let began = Self.startTime { start.record(began) }
    }

    /// Reads all of them again.
    package func update() {
        counted.withLock { counted in
            let now = Self.seconds(of: CLOCK_PROCESS_CPUTIME_ID)
            processorTime.increment(by: now - counted)
            counted = max(counted, now)
        }
        if let pages = Self.text("/proc/self/statm")?.split(separator: " ").prefix(2).compactMap({ Int($0) }),
            pages.count == 2
        {
            virtualMemory.record(pages[0] * Int(getpagesize()))
            residentMemory.record(pages[1] * Int(getpagesize()))
        }
        if let count = Self.openDescriptorCount { openDescriptors.record(count) }
        var limits = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 {
            greatestDescriptors.record(Double(limits.rlim_cur))
        }
    }

    /// Seconds since 1970 (proc(5): field 22 of `/proc/self/stat`, in clock ticks since the system began).
    private static var startTime: Double? {
        // The second field is the program's name in brackets, which may hold spaces and brackets.
        guard let stat = text("/proc/self/stat"), let name = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[name...].split(separator: " ")
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        guard fields.count > 20, let began = Double(fields[20]), ticks > 0 else { return nil }
        return seconds(of: CLOCK_REALTIME) - (seconds(of: CLOCK_BOOTTIME) - began / Double(ticks))
    }

    private static var openDescriptorCount: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var names = 0
        while readdir(folder) != nil { names += 1 }
        // The folder itself and the one above it, and the descriptor that reads them.
        return max(0, names - 3)
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return String(unsafeUninitializedCapacity: 4_096) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
    }
}
