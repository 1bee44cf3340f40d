import Foundation

/// The number of threads to use.
enum Threads {
    /// One for each core that this process may use.
    static var available: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
