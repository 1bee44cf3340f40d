import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Observability

@Suite("Writing log lines to a file descriptor")
struct FileDescriptorSinkTests {
    private final class Received: Sendable {
        let bytes = Mutex<[UInt8]>([])

        func readToTheEnd(of descriptor: Int32) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                bytes.withLock { $0 += buffer.prefix(count) }
            }
        }
    }

    @Test("Lines of many threads arrive whole, even if the pipe is smaller than a line")
    func wholeLines() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        // Not blocking, so that a full pipe gives both short writes and EAGAIN.
        try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let sink = FileDescriptorSink(descriptor: writer, capacity: 2_000_000)
        let length = 200_000
        let received = Received()
        // Threads of their own: writers that wait for the reader may hold all that tasks run on.
        let done = DispatchGroup()
        DispatchQueue(label: "reader").async(group: done) { received.readToTheEnd(of: reader) }
        DispatchQueue.concurrentPerform(iterations: 6) { index in
            sink.write([UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: length) + [UInt8(ascii: "\n")])
        }
        sink.flush(within: .seconds(600))
        close(writer)
        done.wait()
        close(reader)
        let lines = received.bytes.withLock { $0.split(separator: UInt8(ascii: "\n")) }
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { $0.count == length && Set($0).count == 1 })
    }

    @Test("If the reader has closed the pipe, only the line is lost, and it is counted")
    func closedPipe() throws {
        // A descriptor that takes no bytes stands for it: a broken pipe would need the program's SIGPIPE settings.
        let descriptor = open("/dev/null", O_RDONLY)
        try #require(descriptor >= 0)
        let registry = PrometheusRegistry()
        let sink = FileDescriptorSink(descriptor: descriptor)
        sink.show(in: registry)
        sink.write(Array("lost\n".utf8))
        sink.flush(within: .seconds(600))
        #expect(close(descriptor) == 0)
        #expect(registry.exposition().contains("\nadattribution_log_lines_dropped_total 1\n"))
    }

    @Test("If nobody reads the pipe, no caller waits, and the lines beyond the bound are dropped and counted")
    func unreadPipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let registry = PrometheusRegistry()
        let sink = FileDescriptorSink(descriptor: writer, capacity: 100_000)
        sink.show(in: registry)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 999) + [UInt8(ascii: "\n")]
        // If the sink waited for the reader, this would never end.
        for _ in 0..<1_000 { sink.write(line) }
        sink.flush(within: .milliseconds(1))
        let received = Received()
        let done = DispatchGroup()
        DispatchQueue(label: "reader").async(group: done) { received.readToTheEnd(of: reader) }
        sink.flush(within: .seconds(600))
        // With a reader there is room again.
        sink.write(Array("last\n".utf8))
        sink.flush(within: .seconds(600))
        close(writer)
        done.wait()
        close(reader)
        let lines = received.bytes.withLock { $0.split(separator: UInt8(ascii: "\n")) }
        #expect(lines.last == Array("last".utf8)[...])
        // The pipe itself holds some, 64 KiB as a rule.
        #expect((100..<1_000).contains(lines.count))
        #expect(lines.dropLast().allSatisfy { $0 == line.dropLast() })
        let dropped = 1_001 - lines.count
        #expect(registry.exposition().contains("\nadattribution_log_lines_dropped_total \(dropped)\n"))
    }
}
