import Foundation
import NIOCore

/// The cores that this process may use.
///
/// They can be fewer than the machine has: `taskset` and cpusets exclude some, and a cgroup limits the processor time.
package enum AvailableCores {
    /// How many they are, at least 1.
    package static let count = min(allowed(in: status) ?? .max, max(1, System.coreCount))

    /// How many cores `/proc/self/status` allows; nil if it does not tell.
    ///
    /// The line is `Cpus_allowed:` and a bit mask of hexadecimal digits, in groups separated by commas.
    static func allowed(in status: String) -> Int? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed:") }) else {
            return nil
        }
        let bits = line.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue).reduce(0) {
            $0 + $1.nonzeroBitCount
        }
        return bits > 0 ? bits : nil
    }

    private static var status: String {
        (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    }
}
