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
        let sink = FileDescriptorSink(descriptor: writer)
        let length = 200_000
        let received = Received()
        // Threads of their own: writers that wait for the reader may hold all that tasks run on.
        let done = DispatchGroup()
        DispatchQueue(label: "reader").async(group: done) { received.readToTheEnd(of: reader) }
        DispatchQueue.concurrentPerform(iterations: 6) { index in
            sink.write([UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: length) + [UInt8(ascii: "\n")])
        }
        close(writer)
        done.wait()
        close(reader)
        let lines = received.bytes.withLock { $0.split(separator: UInt8(ascii: "\n")) }
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { $0.count == length && Set($0).count == 1 })
    }

    @Test("If the reader has closed the pipe, only the line is lost")
    func closedPipe() throws {
        // A descriptor that takes no bytes stands for it: a broken pipe would need the program's SIGPIPE settings.
        let descriptor = open("/dev/null", O_RDONLY)
        try #require(descriptor >= 0)
        FileDescriptorSink(descriptor: descriptor).write(Array("lost\n".utf8))
        #expect(close(descriptor) == 0)
    }
}
