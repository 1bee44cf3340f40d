import PostgresClient

/// The addresses under which nodes of a cluster can be reached from here, if the nodes know them under others.
package struct WorkerAddresses: Sendable, Equatable {
    private var addresses: [PostgresAddress: PostgresAddress] = [:]

    /// Every node is reached at the address that the other nodes know.
    package init() {}

    /// Reads pairs such as `worker-1.example:5432=10.0.0.1:5433`, separated by commas: the name of a node, and its address.
    ///
    /// A host is a name, an address (IPv6 in brackets), or the folder of a Unix socket.
    ///
    /// - Throws: `WorkerAddressesError`, which shows the pair. A list without pairs is wrong too.
    package init(_ text: String) throws(WorkerAddressesError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.drop(while: \.isWhitespace)
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw WorkerAddressesError(pair, "must be NODE:PORT=HOST:PORT") }
            let node = try Self.address(sides[0])
            guard addresses.updateValue(try Self.address(sides[1]), forKey: node) == nil else {
                throw WorkerAddressesError(sides[0], "has two addresses")
            }
        }
    }

    private static func address(_ text: Substring) throws(WorkerAddressesError) -> PostgresAddress {
        guard let address = PostgresAddress(text) else {
            throw WorkerAddressesError(text, "must be HOST:PORT, the port an integer from 1 to 65535")
        }
        return address
    }

    /// The nodes that have another address.
    var nodes: [PostgresAddress] { Array(addresses.keys) }

    /// The address under which a node can be reached.
    subscript(node: PostgresAddress) -> PostgresAddress { addresses[node] ?? node }
}

/// A wrong part of the addresses of workers.
package struct WorkerAddressesError: Error, Equatable, CustomStringConvertible {
    /// The part and its rule, in one line.
    package let description: String

    init(_ part: some StringProtocol, _ rule: String) {
        description = "\"\(part.prefix(60))\" \(rule)"
    }
}
