import Foundation

/// How many threads there may be.
enum Threads {
    /// As many as there are cores for this process.
    static var available: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
