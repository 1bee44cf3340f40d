import DequeModule
import Dispatch
import Glibc
import Synchronization

/// The lines that wait for a thread that writes them to a descriptor.
final class LogQueue: Sendable {
    private enum Entry {
        case line([UInt8])
        /// Everything before it is written.
        case mark(DispatchSemaphore)
        case end
    }

    private struct State {
        var entries = Deque<Entry>()
        /// The bytes of the lines that are not written yet, with the line that is being written.
        var bytes = 0
        var dropped = 0
    }

    private let descriptor: Int32
    private let capacity: Int
    private let state = Mutex(State())
    /// Counts the entries.
    private let signal = DispatchSemaphore(value: 0)

    init(descriptor: Int32, capacity: Int) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    /// Takes a line, or drops and counts it if the queue is full.
    func push(_ line: [UInt8]) {
        let isTaken = state.withLock { state in
            guard state.bytes + line.count <= capacity else {
                state.dropped += 1
                return false
            }
            state.bytes += line.count
            state.entries.append(.line(line))
            return true
        }
        if isTaken { signal.signal() }
    }

    /// Waits until everything that was taken is written, or until the time has passed.
    func flush(within limit: Duration) {
        let mark = DispatchSemaphore(value: 0)
        push(.mark(mark))
        let (seconds, attoseconds) = limit.components
        _ = mark.wait(timeout: .now() + Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// Lets the thread end when everything is written.
    func finish() {
        push(.end)
    }

    /// How many lines were dropped since the last call.
    func takeDropped() -> Int {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Waits for the next entry and writes it; false after `finish`.
    ///
    /// Only the thread that writes calls it.
    func writeNext() -> Bool {
        signal.wait()
        switch state.withLock({ $0.entries.popFirst() }) {
        case .line(let line):
            let isWritten = write(line)
            state.withLock { state in
                state.bytes -= line.count
                if !isWritten { state.dropped += 1 }
            }
            return true
        case .mark(let mark):
            mark.signal()
            return true
        case .end, nil:
            return false
        }
    }

    private func push(_ entry: Entry) {
        state.withLock { $0.entries.append(entry) }
        signal.signal()
    }

    /// Writes a line, as long as that takes; false if the descriptor refuses it.
    private func write(_ line: [UInt8]) -> Bool {
        line.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if written == 0 || !canGoOn(after: errno) {
                    return false
                }
            }
            return true
        }
    }

    private func canGoOn(after error: Int32) -> Bool {
        switch error {
        case EINTR:
            return true
        case EAGAIN, EWOULDBLOCK:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&request, 1, -1) == 1 || errno == EINTR
        default:
            return false
        }
    }
}
