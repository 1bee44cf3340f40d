import StrictJSON

/// What the URL of a destination must be (RFC 3986), before macros and secrets are filled in.
enum DestinationURL {
    private static let greatestLength = 4_096

    /// Reads a URL; nil if something is wrong with it.
    static func read(_ node: DocumentNode, allowsHTTP: Bool) -> RequestTemplate? {
        let schemes = allowsHTTP ? "https:// or http://" : "https:// (or http:// with \"allow-http\": true)"
        return node.template("a URL that begins with \(schemes), \(rule)", mayHaveSecrets: true) { text in
            let schemes = allowsHTTP ? ["https://", "http://"] : ["https://"]
            guard let scheme = schemes.first(where: text.hasPrefix) else { return false }
            return text.utf8.count <= greatestLength && isGood(Array(text.utf8.dropFirst(scheme.utf8.count)))
        }
    }

    private static let rule = """
        with a host and no user, at most \(greatestLength) characters of a URL without a fragment, \
        and with macros behind the host only
        """

    /// Whether what follows the scheme is good.
    private static func isGood(_ text: [UInt8]) -> Bool {
        let end = text.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? text.count
        return isAuthority(text[..<end]) && areCharacters(text[end...])
    }

    /// A host and perhaps a port.
    private static func isAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), text.last != UInt8(ascii: "]") else {
            return isHost(text)
        }
        let port = text[(colon + 1)...]
        guard (1...5).contains(port.count), port.allSatisfy(isDigit) else { return false }
        let number = port.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return (1...65_535).contains(number) && isHost(text[..<colon])
    }

    /// A name, a dotted IPv4 address, or an IPv6 address in brackets.
    ///
    /// What resolvers read as an address in another form, such as `0x7f.1` or `2130706433`, is no name.
    private static func isHost(_ text: ArraySlice<UInt8>) -> Bool {
        if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") {
            let address = text.dropFirst().dropLast()
            return (2...45).contains(address.count) && address.contains(UInt8(ascii: ":"))
                && address.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        }
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(text.count), labels.allSatisfy(isLabel), let last = labels.last else { return false }
        let endsInNumber =
            last.allSatisfy(isDigit) || last.starts(with: Array("0x".utf8)) || last.starts(with: Array("0X".utf8))
        return !endsInNumber || isDottedAddress(labels)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    private static func isDottedAddress(_ labels: [ArraySlice<UInt8>]) -> Bool {
        labels.count == 4
            && labels.allSatisfy { label in
                label.count <= 3 && label.allSatisfy(isDigit) && (label.count == 1 || label.first != UInt8(ascii: "0"))
                    && label.reduce(0) { $0 * 10 + Int($1) - 0x30 } <= 255
            }
    }

    /// Path and query: characters of RFC 3986, whole escapes, and the braces of macros.
    private static func areCharacters(_ text: ArraySlice<UInt8>) -> Bool {
        let others = Array("-._~!$&'()*+,;=:@/?{}".utf8)
        return text.indices.allSatisfy { index in
            guard text[index] != UInt8(ascii: "%") else {
                return text[(index + 1)...].prefix(2).count == 2
                    && text[(index + 1)...].prefix(2).allSatisfy(isHexDigit)
            }
            return isDigit(text[index]) || isLetter(text[index]) || others.contains(text[index])
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
}
