import AdAttribution
import ArgumentParser
import PostbackSimulation

/// How many sources and lines the postbacks of a measurement have.
///
/// Both loads are of SKAdNetwork 4.0 in privacy tier 3, each postback names its source, and 20 apps are advertised.
enum CardinalityLoad: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// 20 source apps and 2,000 lines, all equally likely.
    case equal
    /// 100,000 source apps and 20,000 lines by Zipf's law.
    case zipf

    var sources: Population {
        switch self {
        case .equal: .equal(20)
        case .zipf: .zipf(100_000)
        }
    }

    /// A twentieth as many as there are apps.
    var domains: Population {
        switch self {
        case .equal: .equal(1)
        case .zipf: .zipf(5_000)
        }
    }

    var lines: Population {
        switch self {
        case .equal: .equal(2_000)
        case .zipf: .zipf(20_000)
        }
    }

    /// How many of a hundred sources are domains.
    private static let domainPercent = 5

    /// The advertised apps.
    private static let appIDs: [Int64] = (0..<20).map { 525_463_000 + $0 }

    /// Sets it in a simulation.
    func set(in configuration: inout PostbackSimulator.Configuration) {
        configuration.advertisedAppIDs = Self.appIDs.compactMap { AppID($0) }
        configuration.lines = .population(lines)
        configuration.sources = sources
        configuration.domains = domains
        configuration.sourceDomainRate = Double(Self.domainPercent) / 100
        configuration.sourceAppRate = 1
        configuration.tier3Rate = 1
    }

    /// The options with which `adsign simulate` makes the same.
    var options: [String] {
        Self.appIDs.flatMap { ["--app-id", String($0)] } + [
            "--lines", lines.text, "--sources", sources.text, "--domains", domains.text, "--source-domain-rate",
            String(Double(Self.domainPercent) / 100), "--source-app-rate", "1", "--tier-3-rate", "1",
        ]
    }

    /// The variables with which `tools/generate-postbacks.sql` makes as many, but not all of them name a source.
    var variables: [String] {
        ["sources=\(sources.text)", "lines=\(lines.text)", "domains=\(Self.domainPercent)"]
    }
}
