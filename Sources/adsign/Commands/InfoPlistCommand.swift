import AdAttribution
import ArgumentParser
import Foundation

/// The subcommand `adsign info-plist`.
struct InfoPlistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info-plist",
        abstract: "Print what an app needs in its Info.plist.",
        discussion: """
            An app that shows ads lists the networks whose ads count: --ad-network-id, once for each. Each one is listed \
            for both protocols, because Apple lets a network use one id in both.
            An app that is advertised names the domain that receives copies of its winning postbacks: --copies-domain. \
            The device makes the whole URL from it, which is written to standard error.
            Prints a property list with these entries; merge them into the app's own.

            Examples:
              adsign info-plist --ad-network-id example123.skadnetwork \\
                --ad-network-id example456.adattributionkit
              adsign info-plist --copies-domain example.com --re-engagement-copies
            """)

    @Option(name: .long, help: "A network, in lower case; can be repeated. For apps that show ads.")
    var adNetworkID: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("The domain that receives the copies. For advertised apps.", valueName: "domain"))
    var copiesDomain: String?

    @Flag(name: .long, help: "Also copies for re-engagements (AdAttributionKit, from iOS 18 on).")
    var reEngagementCopies = false

    func validate() throws {
        guard !adNetworkID.isEmpty || copiesDomain != nil else {
            throw ValidationError(
                "Give --ad-network-id for an app that shows ads, or --copies-domain for an advertised one.")
        }
        if reEngagementCopies, copiesDomain == nil {
            throw ValidationError("--re-engagement-copies goes with --copies-domain only.")
        }
    }

    func run() throws {
        var entries = InfoPlistEntries()
        do throws(FieldError) {
            try entries.add(networks: adNetworkID)
            try copiesDomain.map { (domain) throws(FieldError) in
                try entries.add(copiesDomain: domain, reengagements: reEngagementCopies)
            }
        } catch {
            throw CommandError(option: error)
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        guard let plist = try? encoder.encode(entries) else { throw CommandError(.fault, "the list can't be written") }
        try StandardStream.output(Array(plist))
        guard let domain = entries.registrableDomain else { return }
        for path in CopyPath.allCases {
            StandardStream.error("adsign: devices send copies of \(path.source) to https://\(domain)\(path.rawValue)")
        }
        if domain != entries.domain {
            StandardStream.error("adsign: warning: devices leave out subdomains; they use \(domain)")
        }
    }
}
