import CPublicSuffixList

import struct Foundation.URLComponents

/// Which domains anybody can register names below, such as `com`, `co.uk` and `github.io`: the public suffixes.
///
/// It has both sections of the list, ICANN and PRIVATE, as the URL Standard's "registrable domain" has, and Safari with
/// it. Names are compared in the form in which they stand in DNS: lower case, with Punycode for other scripts.
///
/// Sources: https://github.com/publicsuffix/list/wiki/Format, "Formal Algorithm"; URL Standard, "public suffix".
package struct PublicSuffixList: Sendable {
    /// What the list says about a name.
    private struct Rules: OptionSet {
        let rawValue: UInt8

        /// The name is a public suffix.
        static let suffix = Rules(rawValue: 1)
        /// Each name that has one label more is a public suffix.
        static let wildcard = Rules(rawValue: 2)
        /// The name is none, although a wildcard says so.
        static let exception = Rules(rawValue: 4)
    }

    /// The list of this build; it is read once, when it is first needed.
    package static let embedded = PublicSuffixList(
        UnsafeRawBufferPointer(start: public_suffix_list(), count: public_suffix_list_size()))

    /// The day of the list of this build, such as 2026-01-31.
    package static var embeddedDate: String { String(cString: public_suffix_list_date()) }

    private var rules: [String: Rules] = [:]

    /// The number of names that have a rule.
    package var count: Int { rules.count }

    /// Reads a list in the format of publicsuffix.org.
    package init(_ text: UnsafeRawBufferPointer) {
        rules.reserveCapacity(16_384)
        for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            // A rule ends at the first white space; what begins with two slashes is a comment.
            let rule = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            guard !rule.isEmpty, !rule.starts(with: "//".utf8) else { continue }
            add(String(decoding: rule, as: UTF8.self))
        }
    }

    private mutating func add(_ rule: String) {
        var name = rule[...]
        var kind = Rules.suffix
        if name.hasPrefix("!") {
            name.removeFirst()
            kind = .exception
        } else if name.hasPrefix("*.") {
            name.removeFirst(2)
            kind = .wildcard
        }
        guard let name = Self.canonical(String(name)) else { return }
        rules[name, default: []].insert(kind)
    }

    /// The domain that was registered, to which a domain belongs: its public suffix and one label more.
    ///
    /// A name that no rule matches has its last label as public suffix, so `example.example` is registered.
    ///
    /// - Parameter domain: A domain without a dot at its end, in any letter case and script.
    /// - Returns: The domain in lower case and Punycode; nil if it is a public suffix itself, a single label, an IPv4
    ///   address, or no domain.
    package func registrableDomain(of domain: String) -> String? {
        guard let domain = Self.canonical(domain) else { return nil }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        // URL Standard, "ends in a number": such a host is an IPv4 address, or none at all.
        guard let last = labels.last, !labels.contains(where: \.isEmpty), !last.utf8.allSatisfy(Self.isDigit) else {
            return nil
        }
        let suffix = suffixStart(domain, labels)
        guard suffix > 0 else { return nil }
        return String(domain[labels[suffix - 1].startIndex...])
    }

    /// The index of the label at which the public suffix begins.
    private func suffixStart(_ domain: String, _ labels: [Substring]) -> Int {
        func rules(from index: Int) -> Rules {
            guard index < labels.count else { return [] }
            return self.rules[String(domain[labels[index].startIndex...])] ?? []
        }
        let found = (0...labels.count).map(rules)
        // An exception is stronger than every other rule. Among those, the longest is.
        if let exception = labels.indices.first(where: { found[$0].contains(.exception) }) { return exception + 1 }
        return labels.indices.first { found[$0].contains(.suffix) || found[$0 + 1].contains(.wildcard) }
            ?? labels.count - 1
    }

    /// A name as it stands in DNS; nil if it can't be written so.
    private static func canonical(_ name: String) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name.lowercased() }
        var components = URLComponents()
        components.host = name
        return components.encodedHost?.lowercased()
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
