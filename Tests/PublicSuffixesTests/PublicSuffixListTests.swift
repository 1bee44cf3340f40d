import Foundation
import PublicSuffixes
import TestSupport
import Testing

@Suite("The Public Suffix List")
struct PublicSuffixListTests {
    /// The test vectors of publicsuffix.org, and where they are from: Fixtures/README.md.
    private static func vectors() throws -> [(domain: String, expected: String?)] {
        let path = try #require(Bundle.module.path(forResource: "Fixtures/test_psl", ofType: "txt"))
        return try String(contentsOfFile: path, encoding: .utf8).matches(
            of: #/(?m)^checkPublicSuffix\((?:null|'(?<domain>[^']*)'), (?:null|'(?<expected>[^']*)')\);$/#
        ).compactMap { match in match.domain.map { (String($0), match.expected.map { String($0) }) } }
    }

    @Test("Every vector of publicsuffix.org has the registrable domain that it names")
    func vectors() throws {
        let list = PublicSuffixList.embedded
        let vectors = try Self.vectors()
        #expect(vectors.count == 77)
        for (domain, expected) in vectors {
            // A domain in another script is answered as it stands in DNS.
            let expected = expected.map { $0.utf8.allSatisfy { $0 < 0x80 } ? $0 : Self.punycode($0) }
            #expect(list.registrableDomain(of: domain) == expected, "\(domain)")
        }
    }

    /// The few labels of the vectors that are not ASCII, with what the vectors themselves say they are in Punycode.
    private static func punycode(_ domain: String) -> String {
        domain.replacing("食狮", with: "xn--85x722f").replacing("公司", with: "xn--55qx5d")
            .replacing("中国", with: "xn--fiqs8s")
    }

    @Test("Domains of companies below which anybody gets a name are public suffixes too")
    func privateSection() {
        let list = PublicSuffixList.embedded
        #expect(list.registrableDomain(of: "github.io") == nil)
        #expect(list.registrableDomain(of: "a.example.github.io") == "example.github.io")
        #expect(list.registrableDomain(of: "github.com") == "github.com")
    }

    @Test("An IPv4 address, an empty label and a single label have no registrable domain")
    func noDomain() {
        for text in ["127.0.0.1", "10.1", "", ".", "a..com", "com.", "example.com.", "localhost"] {
            #expect(PublicSuffixList.embedded.registrableDomain(of: text) == nil, "\(text)")
        }
    }

    @Test("An exception is stronger than a wildcard, and the longest rule than a shorter one, in any order")
    func precedence() {
        func list(_ text: String) -> PublicSuffixList {
            var text = text
            return text.withUTF8 { PublicSuffixList(UnsafeRawBufferPointer($0)) }
        }
        for text in ["ck\n*.ck\n!www.ck\nb.www.ck x\n// c.www.ck\n", "// *\r\n!www.ck\r\nb.www.ck\r\n*.ck\r\nck"] {
            let list = list(text)
            #expect(list.registrableDomain(of: "a.b.www.ck") == "www.ck")
            #expect(list.registrableDomain(of: "a.b.ck") == "a.b.ck")
            #expect(list.registrableDomain(of: "b.ck") == nil)
            #expect(list.registrableDomain(of: "c.example") == "c.example")
        }
    }

    @Test("The embedded list is whole, with its day and the notice of its licence")
    func embedded() throws {
        let text = String(
            decoding: try TestEnvironment.file("public-suffix-list/public_suffix_list.dat"), as: UTF8.self)
        #expect(text.contains("Mozilla Public\n// License, v. 2.0"))
        let rules = text.split(whereSeparator: \.isNewline).filter {
            !$0.hasPrefix("//") && !$0.allSatisfy(\.isWhitespace)
        }
        let names = Set(rules.map { $0.replacing(#/^(?:!|\*\.)/#, with: "") })
        #expect(PublicSuffixList.embedded.count == names.count)
        #expect(names.count > 8_000)
        #expect(PublicSuffixList.embeddedDate.wholeMatch(of: #/20\d\d-[01]\d-[0-3]\d/#) != nil)
    }

    @Test("Every rule in another script is found in Punycode")
    func otherScripts() throws {
        let text = String(
            decoding: try TestEnvironment.file("public-suffix-list/public_suffix_list.dat"), as: UTF8.self)
        let names = text.split(whereSeparator: \.isNewline).filter { line in
            !line.hasPrefix("//") && !line.hasPrefix("!") && !line.hasPrefix("*")
                && !line.utf8.allSatisfy { $0 < 0x80 }
        }
        #expect(names.count > 300)
        for name in names {
            let registered = PublicSuffixList.embedded.registrableDomain(of: "a.b.\(name)")
            #expect(registered?.hasPrefix("b.") == true && registered?.contains("xn--") == true, "\(name)")
            #expect(PublicSuffixList.embedded.registrableDomain(of: String(name)) == nil, "\(name)")
        }
    }
}
