import AdAttribution
import CoreMetrics
import Testing

@testable import PostbackIngest

@Suite("The counters of postbacks")
struct PostbackMetricsTests {
    @Test("The counter of an outcome and labels is made once, with these labels")
    func once() throws {
        let metrics = PostbackMetrics()
        let labels = PostbackLabels(version: .v4_0, environment: .test)
        let counter = metrics.counter(.raised, labels)
        #expect(metrics.counter(.raised, labels) === counter)
        #expect(metrics.counter(.accepted, labels) !== counter)
        #expect(metrics.counter(.raised, .unknown) !== counter)
        #expect(counter.label == "adattribution_postbacks_total")
        #expect(
            counter.dimensions.map { "\($0)=\($1)" } == [
                "protocol=skadnetwork", "version=4.0", "environment=test", "outcome=raised",
            ])
    }
}
