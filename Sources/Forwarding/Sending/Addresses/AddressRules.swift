package import PostbackStore

/// Which addresses requests may go to.
///
/// A destination is written by somebody who may load one, and its name is resolved by somebody else's name server. Both
/// could point it at a machine that only this server reaches. So an address is checked after its name was resolved, and
/// only public ones pass. The operator of the server allows others by name or network, never the destination.
package struct AddressRules: Sendable, Hashable {
    private var hosts: Set<String> = []
    private var networks: [IPNetwork] = []

    /// Only public addresses.
    package static let publicOnly = AddressRules()

    private init() {}

    /// Reads host names, addresses and CIDR networks, separated by commas: `127.0.0.1/32,receiver.internal`.
    ///
    /// All addresses of an allowed name are allowed, for that name. An empty text allows none but public ones.
    ///
    /// - Throws: `AddressRulesError`, which shows the entry.
    package init(_ text: String) throws(AddressRulesError) {
        guard !text.allSatisfy({ $0 == " " }) else { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let entry = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            let name = Self.normal(entry)
            guard !entry.contains("/"), IPAddress(entry) == nil else {
                do throws(IPNetworkError) {
                    networks.append(try IPNetwork(entry))
                } catch {
                    throw AddressRulesError(entry, error.rule)
                }
                continue
            }
            guard Self.isName(name) else { throw AddressRulesError(entry, "is no host name, address or network") }
            hosts.insert(name)
        }
    }

    /// Checks an address that a host name has.
    ///
    /// - Parameter host: The name in the URL, or the address if the URL has one.
    /// - Throws: `AddressRefusal`, which names the kind of the address.
    package func check(_ address: IPAddress, host: String) throws(AddressRefusal) {
        guard let kind = SpecialAddress.kind(of: address) else { return }
        guard !hosts.contains(Self.normal(host)), !networks.contains(where: { $0.contains(address) }) else { return }
        throw AddressRefusal(address: address, kind: kind)
    }

    /// A name as it is compared: names have no case, and the dot of the root may be left out (RFC 1034, section 3.1).
    private static func normal(_ name: String) -> String {
        let lowercased = name.lowercased()
        return lowercased.last == "." ? String(lowercased.dropLast()) : lowercased
    }

    /// Whether a text is a name of letters, digits, hyphens, underscores and dots, and not a number in disguise.
    ///
    /// `127.1` and `0x7f.1` are addresses for the C library. As entries they are mistakes.
    private static func isName(_ text: String) -> Bool {
        guard 1...253 ~= text.utf8.count,
            text.utf8.allSatisfy({
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return false }
        let last = text.split(separator: ".").last ?? ""
        return last.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } ?? false
    }
}

/// A wrong entry of the allowed addresses.
package struct AddressRulesError: Error, Equatable, CustomStringConvertible {
    /// The entry and its rule, in one line.
    package let description: String

    init(_ entry: some StringProtocol, _ rule: String) {
        description = "\"\(entry.prefix(60))\" \(rule)"
    }
}

/// Why no request goes to an address.
package struct AddressRefusal: Error, Equatable, CustomStringConvertible {
    let address: IPAddress
    let kind: String

    package var description: String {
        "the address \(address) is \(kind), and FORWARD_ALLOW_ADDRESSES does not allow it"
    }
}
