import AdAttribution
import CoreMetrics
import Testing

@testable import PostbackIngest

@Suite("Counters of postbacks") struct PostbackCountersTests {
    /// All labels that there can be.
    private static let labels: [PostbackLabels] = {
        let digits = UInt8(0)...9
        let versions = digits.flatMap { major in
            digits.map { minor in SKAdNetworkVersion(major: major, minor: minor) as SKAdNetworkVersion? }
        }
        return [.unknown]
            + AttributionEnvironment.allCases.flatMap { environment in
                (versions + [nil]).map { PostbackLabels(version: $0, environment: environment) }
            }
    }()

    @Test("Each outcome has its own place, in the order of the cases")
    func outcomes() {
        #expect(PostbackOutcome.allCases.map(\.index) == Array(PostbackOutcome.allCases.indices))
    }

    @Test("Each label set has its own place, and there are no others")
    func places() {
        #expect(Self.labels.map(\.index).sorted() == Array(0..<PostbackLabels.count))
    }

    @Test("The counter of an outcome and labels is made once, with these labels")
    func once() throws {
        let counters = PostbackCounters()
        let labels = PostbackLabels(version: .v4_0, environment: .test)
        let counter = counters[.raised, labels]
        #expect(counters[.raised, labels] === counter)
        #expect(counters[.accepted, labels] !== counter)
        #expect(counters[.raised, .unknown] !== counter)
        #expect(counter.label == "postbacks_total")
        #expect(
            counter.dimensions.map { "\($0)=\($1)" } == [
                "protocol=skadnetwork", "version=4.0", "environment=test", "outcome=raised",
            ])
    }
}
