import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import AdAttribution

/// Network ids, transaction ids and nonces: what is kept as received, and what is compared.
@Suite("Identifiers")
struct IdentifierTests {
    @Test(
        "Networks match in any letter case and with both suffixes, and otherwise not",
        arguments: [
            ("example123.skadnetwork", "example123"), ("example123.adattributionkit", "example123"),
            ("EXAMPLE123.SKAdNetwork", "example123"), ("example123", "example123"), ("com.example", "com.example"),
            (".skadnetwork", ".skadnetwork"), (".adattributionkit", ".adattributionkit"),
            ("skadnetwork", "skadnetwork"),
            ("a.skadnetwork.adattributionkit", "a.skadnetwork"), ("a.skadnetwork.skadnetwork", "a.skadnetwork"),
            ("a.skadnetworks", "a.skadnetworks"), ("askadnetwork", "askadnetwork"), ("a..skadnetwork", "a."),
        ])
    func matchingForm(_ text: String, _ form: String) throws {
        let id = try #require(AdNetworkID(text))
        #expect(id.text == text)
        #expect(id.matchingForm == form)
        #expect(id.lowercased == text.lowercased())
        #expect(id.isLowercase == (text == text.lowercased()))
    }

    @Test(
        "A network has an id without a suffix and one with each, as far as these are ids of it",
        arguments: [
            ("example123", ["example123", "example123.skadnetwork", "example123.adattributionkit"]),
            // Without another suffix it is an id of the network “a”.
            ("a.skadnetwork", ["a.skadnetwork.skadnetwork", "a.skadnetwork.adattributionkit"]),
            // With a suffix it is too long.
            (String(repeating: "x", count: 60), [String(repeating: "x", count: 60)]),
        ])
    func identifiers(_ form: String, _ all: [String]) {
        #expect(AdNetworkID.identifiers(matching: form) == all)
    }

    @Test("Network ids are 1 to 64 letters, digits, dots and dashes")
    func adNetworkID() {
        for byte in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(byte)
            let text = String(scalar)
            let allowed =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || ".-".contains(text))
            #expect((AdNetworkID(text) != nil) == allowed)
        }
        #expect(AdNetworkID(String(repeating: "x", count: 64)) != nil)
        #expect(AdNetworkID(String(repeating: "x", count: 65)) == nil)
        #expect(AdNetworkID("") == nil)
    }

    @Test("UUIDs are written and read as by Foundation")
    func uuid() throws {
        var random = SeededGenerator(seed: 36)
        for _ in 0..<2_000 {
            let uuid = UUID.random(using: &random)
            #expect(UUIDText.lowercase(uuid) == uuid.uuidString.lowercased())
            #expect(UUIDText.parse(uuid.uuidString) == uuid)
            #expect(UUIDText.parse(uuid.uuidString.lowercased()) == uuid)
            var damaged = Array(uuid.uuidString)
            damaged[Int.random(in: 0..<36, using: &random)] =
                ["g", "-", " ", "é", "0"].randomElement(using: &random) ?? "x"
            let text = String(damaged)
            // Foundation accepts more texts. A text that we accept has one meaning and one spelling.
            guard let read = UUIDText.parse(text) else { continue }
            #expect(UUID(uuidString: text) == read)
            #expect(read.uuidString == text)
        }
    }

    @Test("A transaction id is kept as received and compared as a UUID")
    func transactionID() throws {
        let lower = try #require(TransactionID("6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"))
        let upper = try #require(TransactionID("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28"))
        #expect(lower.uuid == upper.uuid)
        #expect(lower.text != upper.text)
        #expect(lower != upper)
    }

    @Test("A nonce is signed in lower case, however it is written")
    func nonce() throws {
        let nonce = try #require(Nonce("B7C9DA2B-15C7-4F3B-9326-135F9630033D"))
        #expect(nonce.text == "b7c9da2b-15c7-4f3b-9326-135f9630033d")
        #expect(nonce == Nonce(nonce.text))
        #expect(nonce == Nonce(nonce.uuid))
    }

    @Test("Every wire name is found, escaped or not, and never by a part of it")
    func wireNames() {
        let versions = PostbackVersions.apple
        for set in [versions.bodyFields, versions.payloadFields] {
            for (number, field) in set.fields.enumerated() {
                let name = field?.name ?? EnvelopeField(rawValue: number)?.name
                expect(name ?? "", in: set.names, is: number)
            }
        }
        for field in ImpressionField.allCases {
            expect(field.rawValue, in: ImpressionMember.names, is: .field(field))
        }
        for proof in ImpressionProof.allCases {
            expect(proof.rawValue, in: ImpressionMember.names, is: .proof(proof))
        }
    }

    private func expect<Field: Equatable>(_ name: String, in names: WireFieldNames<Field>, is field: Field) {
        let text = "\"" + name + "\""
        let escaped = "\"" + name.replacing("e", with: #"\u0065"#) + "\""
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            let part = JSONStringRange(start: 1, end: bytes.count - 2, hasEscapes: false)
            #expect(names[bytes, part] == nil)
        }
        for (json, hasEscapes) in [(text, false), (escaped, true)] {
            Array(json.utf8).withUnsafeBufferPointer { bytes in
                let range = JSONStringRange(start: 1, end: bytes.count - 1, hasEscapes: hasEscapes)
                #expect(names[bytes, range] == field)
            }
        }
    }
}

extension UUID {
    fileprivate static func random(using random: inout SeededGenerator) -> UUID {
        let bytes = random.bytes(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
