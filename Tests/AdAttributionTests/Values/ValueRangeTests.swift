import Testing

@testable import AdAttribution

/// Values that are right by construction: both ends of each range, and what lies just beyond.
@Suite("Value ranges")
struct ValueRangeTests {
    @Test("Campaign ids are 1 to 100")
    func campaignID() {
        #expect((Int64(1)...100).allSatisfy { (CampaignID($0)?.value).map(Int64.init) == $0 })
        #expect([.min, -1, 0, 101, 256, 257, .max].allSatisfy { CampaignID($0) == nil })
    }

    @Test("Conversion values are 0 to 63 and ordered")
    func conversionValue() {
        let values = (Int64(0)...63).compactMap(ConversionValue.init)
        #expect(values.map { Int64($0.value) } == Array(0...63))
        #expect(values == values.sorted())
        #expect([.min, -1, 64, 256, .max].allSatisfy { ConversionValue($0) == nil })
    }

    @Test("App ids are 0 to 2^63-1, and 0 is the development one")
    func appID() {
        #expect([0, 1, 10_738_027_756, .max].allSatisfy { AppID($0)?.value == $0 })
        #expect([-1, .min].allSatisfy { AppID($0) == nil })
        #expect(AppID(0) == .development)
        #expect(AppID(1) != .development)
    }

    @Test("Timestamps have thirteen digits, so seconds and microseconds are refused")
    func timestamp() {
        #expect(
            [1_000_000_000_000, 1_676_057_605_705, 9_999_999_999_999].allSatisfy {
                MillisecondTimestamp($0)?.milliseconds == $0
            })
        #expect(
            [0, -1, 1_676_057_605, 999_999_999_999, 10_000_000_000_000, .max, .min].allSatisfy {
                MillisecondTimestamp($0) == nil
            })
    }

    @Test("Sequence indices are 0 to 2, fidelity types 0 and 1")
    func small() {
        #expect((Int64(0)...2).allSatisfy { (PostbackSequenceIndex($0)?.value).map(Int64.init) == $0 })
        #expect([-1, 3, 256, .max].allSatisfy { PostbackSequenceIndex($0) == nil })
        #expect(PostbackSequenceIndex(0) == .first)
        #expect(FidelityType(Int64(0)) == .viewThrough)
        #expect(FidelityType(Int64(1)) == .storeKitRendered)
        #expect([-1, 2, 256, 257, .max, .min].allSatisfy { FidelityType(Int64($0)) == nil })
    }

    @Test("Coarse values are low < medium < high in either case")
    func coarse() {
        #expect(CoarseConversionValue("low") == .low)
        #expect(CoarseConversionValue("LOW") == .low)
        #expect(CoarseConversionValue("Medium") == .medium)
        #expect(CoarseConversionValue("high") == .high)
        #expect(["", "none", "low ", "1", "medi\u{130}um"].allSatisfy { CoarseConversionValue($0) == nil })
        #expect(CoarseConversionValue.low < .medium && CoarseConversionValue.medium < .high)
    }

    @Test("Versions are two numbers below a hundred with a dot between, and ordered")
    func version() {
        #expect(SKAdNetworkVersion("2.0")?.description == "2.0")
        for text in ["0.0", "9.9", "10.0", "4.10", "99.99"] {
            #expect(SKAdNetworkVersion(text)?.description == text)
        }
        for text in [
            "", "2", "2.", ".0", "2.00", "02.0", "100.0", "4.100", "2.0.0", "2..0", "2,0", " 2.0", "a.b", "٢.0",
            "2.0\n", "10",
        ] {
            #expect(SKAdNetworkVersion(text) == nil)
        }
        let versions = ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0", "4.10", "10.0"].compactMap(SKAdNetworkVersion.init)
        #expect(versions == versions.sorted())
        #expect(versions.count == 8)
    }

    @Test(
        "Country codes are two capital letters",
        arguments: [
            ("US", true), ("ZZ", true), ("us", false), ("U", false), ("USA", false),
            ("U1", false), ("É", false), ("", false),
        ])
    func country(_ text: String, _ valid: Bool) {
        #expect((CountryCode(text) != nil) == valid)
    }

    @Test(
        "Source domains are lower case with an inner dot",
        arguments: [
            ("example.com", true), ("a.b", true), ("xn--bcher-kva.example", true), ("sub.example.co.uk", true),
            (String(repeating: "a", count: 63) + ".com", true), (String(repeating: "a", count: 64) + ".com", false),
            ("example", false), ("Example.com", false), (".com", false), ("example.", false), ("a..b", false),
            ("", false),
            ("example.com/", false), ("https://example.com", false), ("ex ample.com", false), ("bücher.example", false),
            (String(repeating: "a.", count: 126) + "b", true), (String(repeating: "a.", count: 127) + "b", false),
        ])
    func domain(_ text: String, _ valid: Bool) {
        #expect(SourceDomain(text)?.text == (valid ? text : nil))
    }

    @Test("Source identifiers keep their leading zeros as text and have none as integers")
    func sourceIdentifier() {
        for text in ["0", "5", "05", "005", "0005", "39", "5239", "0000", "9999"] {
            #expect(SourceIdentifier(text)?.text == text)
        }
        #expect(SourceIdentifier("05") != SourceIdentifier("5"))
        #expect(["", "00005", "10000", "-1", "+1", "1a", "٣", " 1", "1.0"].allSatisfy { SourceIdentifier($0) == nil })
        #expect(SourceIdentifier(Int64(5))?.text == "5")
        #expect(SourceIdentifier(Int64(0))?.text == "0")
        #expect(SourceIdentifier(Int64(9_999))?.text == "9999")
        #expect([-1, 10_000, .max, .min].allSatisfy { SourceIdentifier(Int64($0)) == nil })
    }

    @Test("A campaign reads as signed, with the wire name of its kind")
    func campaign() throws {
        let id = Campaign.campaignID(try #require(CampaignID(42)))
        let identifier = Campaign.sourceIdentifier(try #require(SourceIdentifier("0042")))
        #expect((id.type, id.text) == ("campaign-id", "42"))
        #expect((identifier.type, identifier.text) == ("source-identifier", "0042"))
    }
}
