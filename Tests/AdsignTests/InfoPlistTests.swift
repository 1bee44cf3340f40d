import Foundation
import Testing

@testable import adsign

@Suite("Entries of Info.plist", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct InfoPlistTests {
    private func plist(_ options: String...) async throws -> (Tool.Result, [String: Any]) {
        let result = try await Tool.run(["info-plist"] + options)
        let list = try PropertyListSerialization.propertyList(from: Data(result.output.utf8), format: nil)
        return (result, try #require(list as? [String: Any]))
    }

    @Test("An app that shows ads gets each network for both protocols, and nothing else")
    func publisher() async throws {
        let networks = ["example123.skadnetwork", "example456.adattributionkit"]
        let (result, list) = try await plist("--ad-network-id", networks[0], "--ad-network-id", networks[1])
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        #expect(Set(list.keys) == ["SKAdNetworkItems", "AdNetworkIdentifiers"])
        #expect(list["AdNetworkIdentifiers"] as? [String] == networks)
        #expect(
            list["SKAdNetworkItems"] as? [[String: String]] == networks.map { ["SKAdNetworkIdentifier": $0] })
        let decoded = try PropertyListDecoder().decode(InfoPlistEntries.self, from: Data(result.output.utf8))
        #expect(decoded.networks == networks)
    }

    @Test(
        "An advertised app gets the endpoints, and the URLs that devices make of them",
        arguments: [
            "example.com", "https://example.com", "https://example.com/",
        ])
    func advertised(domain: String) async throws {
        let (result, list) = try await plist("--copies-domain", domain)
        #expect(
            list as? [String: String] == [
                "NSAdvertisingAttributionReportEndpoint": "https://example.com",
                "AttributionCopyEndpoint": "https://example.com",
            ])
        #expect(
            result.errors == """
                adsign: devices send copies of SKAdNetwork to https://example.com/.well-known/skadnetwork/report-attribution/
                adsign: devices send copies of AdAttributionKit to \
                https://example.com/.well-known/appattribution/report-attribution/

                """)
    }

    @Test("Copies for re-engagements are a flag, and a subdomain brings a warning")
    func reengagements() async throws {
        let (result, list) = try await plist("--copies-domain", "copies.example.com", "--re-engagement-copies")
        #expect(list["EligibleForAdAttributionKitReengagementPostbackCopies"] as? Bool == true)
        #expect(result.errors.contains("warning: devices leave out subdomains; they use example.com\n"))
        #expect(result.errors.contains(" https://example.com/.well-known/skadnetwork/report-attribution/\n"))
        let (british, _) = try await plist("--copies-domain", "example.co.uk")
        #expect(!british.errors.contains("warning"), "\(british.errors)")
        #expect(british.errors.contains(" https://example.co.uk/.well-known/"))
    }

    @Test(
        "What devices would not understand is refused",
        arguments: [
            (["--ad-network-id", "Example.skadnetwork"], "lower case"), (["--ad-network-id", "a b"], "1 to 64"),
            (["--ad-network-id", "a.b", "--ad-network-id", "a.b"], "given once"),
            (["--copies-domain", "http://example.com"], "a domain"),
            (["--copies-domain", "example.com:8080"], "a domain"),
            (["--copies-domain", "https://example.com/path"], "a domain"),
            (["--copies-domain", "192.0.2.1"], "a domain"),
            (["--copies-domain", "localhost"], "a domain"), (["--copies-domain", "co.uk"], "no public suffix"),
            ([], "--ad-network-id"),
            (["--ad-network-id", "a.b", "--re-engagement-copies"], "--copies-domain"),
        ])
    func refused(options: [String], reason: String) async throws {
        let result = try await Tool.run(["info-plist"] + options)
        #expect(result.code == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(reason))
    }
}
