import AdAttribution
import PostbackSimulation

/// Writes a timeline: the archive to standard output, the truth and the copies to files.
///
/// Bodies are signed on many threads. Lines come in the order of time, and memory holds only what is still to come.
struct TimelineWriter {
    let timeline: Timeline
    /// The first moment whose deliveries are left out; nil for all deliveries.
    let end: Moment?
    let truth: OutputFile?
    let copies: OutputFile?

    /// The lines of some deliveries.
    private struct Output: Sendable {
        var archive: [UInt8] = []
        var truth: [UInt8] = []
        var copies: [UInt8] = []

        mutating func append(_ lines: Timeline.Lines) {
            Self.append(lines.network, to: &archive)
            Self.append(lines.truth, to: &truth)
            Self.append(lines.copy, to: &copies)
        }

        private static func append(_ line: [UInt8]?, to output: inout [UInt8]) {
            guard let line else { return }
            output.append(contentsOf: line)
            output.append(UInt8(ascii: "\n"))
        }
    }

    /// The number of deliveries that one thread signs at a time.
    private static let chunk = 256

    /// Writes everything.
    ///
    /// - Throws: `CommandError` if something can't be written.
    func run() throws {
        var days = timeline.days(until: end)
        var day: ArraySlice<TimelineDelivery> = []
        let pipeline = OrderedPipeline {
            while day.isEmpty {
                guard let next = days.next() else { return nil }
                day = next[...]
            }
            defer { day = day.dropFirst(Self.chunk) }
            return Array(day.prefix(Self.chunk))
        } work: { [timeline] (deliveries: [TimelineDelivery]) in
            var output = Output()
            for delivery in deliveries {
                do throws(KeyError) {
                    output.append(try timeline.lines(of: delivery))
                } catch {
                    throw CommandError(.fault, "\(error)")
                }
            }
            return output
        } sink: { output in
            try StandardStream.output(output.archive)
            try truth?.append(output.truth)
            try copies?.append(output.copies)
        }
        try pipeline.run()
        try truth?.close()
        try copies?.close()
    }
}
