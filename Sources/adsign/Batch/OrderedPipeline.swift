import Dispatch
import Foundation

/// Works on many threads.
///
/// The results come out in the order of the inputs.
///
/// Each thread takes the next input, works on it and delivers its result. The thread that delivers the next result in
/// the order writes it, and all ready results after it. A thread whose result is too far ahead waits, which bounds
/// memory.
final class OrderedPipeline<Input, Output>: @unchecked Sendable {
    // Sendable: `source` runs only under `inputLock`, and `sink` only on the thread that set `isWriting`. `taken` is
    // used only under `inputLock`, all other variables only under `turn`.
    private let source: () throws -> Input?
    private let work: @Sendable (Input) throws -> Output
    private let sink: (Output) throws -> Void
    private let threads: Int

    private let inputLock = NSLock()
    private var taken = 0

    private let turn = NSCondition()
    private var ready: [Int: Output] = [:]
    private var due = 0
    private var isWriting = false
    private var problem: (any Error)?

    private struct Stopped: Error {}

    /// Makes a pipeline.
    ///
    /// - Parameters:
    ///   - threads: The number of threads; nil for one for each core that this process may use. The system runs no
    ///     more.
    ///   - source: Returns the next input, nil at the end.
    ///   - work: Turns an input into its result, on any thread.
    ///   - sink: Gets the results in order.
    init(
        threads: Int? = nil, source: @escaping () throws -> Input?,
        work: @escaping @Sendable (Input) throws -> Output, sink: @escaping (Output) throws -> Void
    ) {
        self.threads = threads ?? max(1, ProcessInfo.processInfo.activeProcessorCount)
        self.source = source
        self.work = work
        self.sink = sink
    }

    /// Runs until the source ends.
    ///
    /// - Throws: The first error of the source, the work or the sink. It stops all threads.
    func run() throws {
        DispatchQueue.concurrentPerform(iterations: threads) { _ in runThread() }
        if let problem { throw problem }
    }

    private func runThread() {
        do {
            while let (index, input) = try take() {
                try deliver(try work(input), at: index)
            }
        } catch {
            turn.withLock {
                if problem == nil { problem = error }
                turn.broadcast()
            }
        }
    }

    private func take() throws -> (Int, Input)? {
        try inputLock.withLock {
            guard turn.withLock({ problem == nil }), let input = try source() else { return nil }
            defer { taken += 1 }
            return (taken, input)
        }
    }

    private func deliver(_ output: Output, at index: Int) throws {
        turn.lock()
        defer { turn.unlock() }
        while problem == nil, index - due >= threads * 4 { turn.wait() }
        guard problem == nil else { throw Stopped() }
        ready[index] = output
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        while problem == nil, let next = ready.removeValue(forKey: due) {
            turn.unlock()
            defer { turn.lock() }
            try sink(next)
            turn.withLock {
                due += 1
                turn.broadcast()
            }
        }
    }
}
