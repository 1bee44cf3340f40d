import Glibc
import Metrics

/// Writes whole log lines.
///
/// Each call is one line with its newline.
package typealias LogSink = @Sendable ([UInt8]) -> Void

/// Writes log lines to a file descriptor, on a thread of its own.
///
/// A caller never waits: a line is put into a queue of bounded size. If nobody reads the pipe, the queue fills up. Then
/// further lines are dropped and counted, because a log must not stop a service. A line that the descriptor refuses,
/// for example because the reader has closed the pipe, is dropped and counted too.
///
/// Make one sink for the program, and pass its `write` to every handler.
package final class FileDescriptorSink: Sendable {
    private let queue: LogQueue

    /// Makes a sink for a descriptor, which must stay open as long as the sink is used.
    /// - Parameters:
    ///   - descriptor: By default 2, standard error.
    ///   - capacity: The greatest number of bytes that wait. By default 1 MiB.
    package init(descriptor: Int32 = 2, capacity: Int = 1 << 20) {
        queue = LogQueue(descriptor: descriptor, capacity: capacity)
        // The thread references the queue and not the sink: otherwise neither would ever be freed.
        let argument = Unmanaged.passRetained(queue)
        var thread = pthread_t()
        guard pthread_create(&thread, nil, { FileDescriptorSink.run($0) }, argument.toOpaque()) == 0 else {
            // The queue fills up, and everything after that is counted as dropped.
            argument.release()
            return
        }
        pthread_detach(thread)
    }

    deinit {
        queue.finish()
    }

    /// Takes a whole line, without waiting.
    @Sendable package func write(_ line: [UInt8]) {
        queue.push(line)
    }

    /// Waits until everything that was taken is written, or until the time has passed.
    package func flush(within limit: Duration = .seconds(1)) {
        queue.flush(within: limit)
    }

    /// Shows the number of dropped lines as `adattribution_log_lines_dropped_total`.
    package func show(in registry: PrometheusRegistry) {
        let counter = registry.makeCounter(label: "adattribution_log_lines_dropped_total", dimensions: [])
        registry.onCollect { [queue] in counter.increment(by: Int64(queue.takeDropped())) }
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let queue = Unmanaged<LogQueue>.fromOpaque(argument).takeRetainedValue()
        while queue.writeNext() {}
        return nil
    }
}
