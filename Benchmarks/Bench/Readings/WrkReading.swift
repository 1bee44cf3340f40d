import Foundation

/// What `wrk` says at its end: the line of JSON that `Benchmarks/wrk/pace.lua` prints.
struct WrkReading: Decodable, Equatable, Sendable {
    let requests: Int
    let errors: Int
    /// Requests a second.
    let rate: Double
    /// The 99th percentile of the latencies, in microseconds.
    let p99: Double
}

extension WrkReading {
    /// Reads the last line of the output.
    ///
    /// - Throws: `BenchError` if there is no such line, or if requests failed.
    init(output: String) throws {
        let line = output.split(separator: "\n").last ?? ""
        guard let reading = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else {
            throw BenchError("wrk printed no result but \(line)")
        }
        guard reading.errors == 0 else {
            throw BenchError("\(reading.errors) of \(reading.requests) requests failed")
        }
        self = reading
    }
}
