import Destinations
import Testing

@testable import bench

/// What a receiver of forwarded postbacks counts, and what is sent to it.
struct ForwardReceiverTests {
    @Test(
        "A quantile is the least time that this share of all does not exceed",
        arguments: [
            ([7], 0.99, 7), ([5, 1], 0.5, 1), ([5, 1], 0.51, 5), ([3, 3, 3, 3, 3, 3, 3, 3, 3, 900], 0.9, 3),
            ([3, 3, 3, 3, 3, 3, 3, 3, 3, 900], 0.99, 900),
        ])
    func quantiles(latencies: [Int], share: Double, expected: Int) {
        var histogram = LatencyHistogram()
        for latency in latencies { histogram.add(milliseconds: latency) }
        #expect(histogram.quantile(share) == expected)
        #expect(histogram.count == latencies.count)
    }

    @Test("A latency below zero counts as none, and a very long one as the longest")
    func bounds() {
        var histogram = LatencyHistogram()
        histogram.add(milliseconds: -5)
        #expect(histogram.quantile(1) == 0)
        histogram.add(milliseconds: .max)
        #expect(histogram.quantile(1) == LatencyHistogram.longest)
    }

    @Test("Without latencies there is no quantile")
    func noLatencies() {
        #expect(LatencyHistogram().quantile(0.99) == nil)
    }

    @Test("A receiver's answer tells how many came, how fast and how late")
    func reading() throws {
        let reading = try ReceiverReading(
            json: #"{"received":9000,"first":1000,"last":4000,"p50":12,"p99":140}"#)
        #expect(reading == ReceiverReading(received: 9_000, first: 1_000, last: 4_000, p50: 12, p99: 140))
        #expect(reading.rate == 3_000)
    }

    @Test("A receiver that got nothing, or all at one moment, tells no rate")
    func noRate() throws {
        #expect(try ReceiverReading(json: #"{"received":0}"#).rate == nil)
        #expect(ReceiverReading(received: 5, first: 7, last: 7).rate == nil)
    }

    @Test("An answer that is no reading is refused, and shown")
    func noReading() {
        #expect(throws: BenchError("the receiver said no numbers but not found")) {
            try ReceiverReading(json: "not found")
        }
    }

    @Test(
        "What a run sends to are good destinations",
        arguments: [MeasuredReceiver.Destination.answering, .hanging(number: 9)]
    )
    func documents(destination: MeasuredReceiver.Destination) throws {
        #expect(throws: Never.self) {
            try Destination(document: Array(destination.document(port: 20_000).utf8))
        }
    }
}
