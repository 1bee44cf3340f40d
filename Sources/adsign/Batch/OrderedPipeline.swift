import Dispatch
import Foundation

/// Work on many threads whose results come out in the order in which the work came in.
///
/// Each thread takes the next input, works on it and hands in its result; whoever hands in the one that is due writes
/// it, and those behind it that are ready. A result that is too far ahead waits, which bounds memory.
final class OrderedPipeline<Input, Output>: @unchecked Sendable {
    // Sendable: `source` runs only under `inputLock`, `sink` only by the thread that set `isWriting`, and every
    // variable is touched only under `turn`, but `taken`, which is under `inputLock`.
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

    /// A pipeline on so many threads, at most as many as there are cores.
    init(
        threads: Int, source: @escaping () throws -> Input?,
        work: @escaping @Sendable (Input) throws -> Output, sink: @escaping (Output) throws -> Void
    ) {
        self.threads = threads
        self.source = source
        self.work = work
        self.sink = sink
    }

    /// Runs until the source ends.
    ///
    /// - Throws: the first error of the source, the work or the sink, which stops all threads.
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
