import Destinations

/// How many destinations a server sends for, and which ones it takes or gives up.
///
/// It does no input or output. Each server decides for itself: all see the same table.
struct LeaseShare {
    /// How many destinations one server may have.
    let size: Int

    /// A fair share.
    ///
    /// - Parameters:
    ///   - destinations: The number of active destinations.
    ///   - servers: The number of servers that were seen of late, this one among them.
    init(destinations: Int, servers: Int) {
        let servers = max(1, servers)
        size = (destinations + servers - 1) / servers
    }

    /// The destinations to give up, so that others can take them; none if the share is not exceeded.
    func surplus(of own: some Sequence<DestinationName>) -> [DestinationName] {
        Array(own.sorted().dropFirst(size))
    }

    /// How many more may be taken.
    func room(beside own: Int) -> Int { max(0, size - own) }
}
