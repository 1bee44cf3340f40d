import Foundation

/// The processor cores that everything of a run shares.
struct CoreSet: Equatable, Sendable {
    let numbers: [Int]

    /// Reads a list as the kernel writes it, such as `0-3,6`.
    ///
    /// - Returns: The numbers, or nil if the text is no such list.
    static func numbers(in list: String) -> [Int]? {
        var numbers: [Int] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            switch ends.count {
            case 1: numbers += ends.compactMap(\.self)
            case 2:
                guard let first = ends[0], let last = ends[1], first <= last else { return nil }
                numbers += first...last
            default: return nil
            }
            if ends.contains(nil) { return nil }
        }
        return numbers
    }

    /// The cores that this process may use; the first two of them, as the figures are meant for two cores.
    static func firstTwo() throws -> CoreSet {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let list = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        guard let words = list?.split(separator: "\t"), words.count == 2, let numbers = numbers(in: String(words[1]))
        else { throw BenchError("the kernel does not say which cores there are") }
        return CoreSet(numbers: Array(numbers.prefix(2)))
    }

    /// The first of them alone.
    var one: CoreSet { CoreSet(numbers: Array(numbers.prefix(1))) }

    /// A program and its arguments, so that it runs on these cores only.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        ["taskset", "-c", numbers.map(String.init).joined(separator: ","), program] + arguments
    }
}
