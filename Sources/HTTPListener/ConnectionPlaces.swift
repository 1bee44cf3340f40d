/// The places of a listener's connections, and their order.
///
/// It has no clock, input or output: the order of the calls is the order of time. Each call takes the same time,
/// however many connections there are.
struct ConnectionPlaces {
    /// The place of a connection; it is not valid any more after the connection has closed.
    struct Ticket: Equatable, Sendable {
        fileprivate let index: Int
        fileprivate let generation: UInt64
    }

    private enum Standing {
        /// Nobody has the place.
        case free
        /// It is in the list of its kind, the longest idle one first.
        case idle
        /// An answer is due.
        case busy
        /// It was told to close.
        case chosen
    }

    private struct Place {
        var generation: UInt64 = 0
        var standing = Standing.free
        var isVerified = false
        var previous: Int?
        var next: Int?
        var close: (@Sendable () -> Void)?
    }

    private struct List {
        var first: Int?
        var last: Int?
    }

    /// The most connections that were told to close and are not closed; with more, nobody is accepted.
    static let maximumChosen = 32

    private let limit: Int
    private var places: [Place] = []
    private var free: [Int] = []
    /// The idle connections that have not delivered a verified postback.
    private var unverifiedIdle = List()
    /// The idle connections that have.
    private var verifiedIdle = List()
    /// The number of connections that were told to close.
    private var chosen = 0
    /// The number of connections that are open, with those that were told to close.
    private(set) var open = 0
    /// The number of these that have delivered a verified postback.
    private(set) var verified = 0

    /// No connections yet.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether there is room, or room can be made.
    var mayAccept: Bool {
        guard chosen < Self.maximumChosen else { return false }
        return open - chosen < limit || unverifiedIdle.first != nil || verifiedIdle.first != nil
    }

    /// A new connection, which is idle; and what tells another one to close, if there is no room.
    mutating func open(close: @escaping @Sendable () -> Void) -> (Ticket, (@Sendable () -> Void)?) {
        let victim = open - chosen >= limit ? choose() : nil
        let index: Int
        if let last = free.popLast() {
            index = last
        } else {
            index = places.count
            places.append(Place())
        }
        places[index].close = close
        append(index)
        open += 1
        return (Ticket(index: index, generation: places[index].generation), victim)
    }

    /// A request is complete.
    ///
    /// A connection that was told to close stays.
    mutating func answerDue(_ ticket: Ticket) {
        guard isValid(ticket) else { return }
        leave(ticket.index)
        places[ticket.index].standing = .busy
    }

    /// No answer is due any more: the connection is idle from now on.
    mutating func answered(_ ticket: Ticket) {
        guard isValid(ticket), places[ticket.index].standing == .busy else { return }
        append(ticket.index)
    }

    /// The client has delivered a verified postback.
    mutating func verified(_ ticket: Ticket) {
        guard isValid(ticket), !places[ticket.index].isVerified else { return }
        let isIdle = places[ticket.index].standing == .idle
        if isIdle { leave(ticket.index) }
        places[ticket.index].isVerified = true
        verified += 1
        if isIdle { append(ticket.index) }
    }

    /// Whether a connection was told to close, and no request came since.
    func isChosen(_ ticket: Ticket) -> Bool {
        isValid(ticket) && places[ticket.index].standing == .chosen
    }

    /// A connection is closed; its ticket is not valid any more.
    mutating func closed(_ ticket: Ticket) {
        guard isValid(ticket) else { return }
        leave(ticket.index)
        open -= 1
        if places[ticket.index].isVerified { verified -= 1 }
        places[ticket.index] = Place(generation: ticket.generation + 1)
        free.append(ticket.index)
    }

    private func isValid(_ ticket: Ticket) -> Bool {
        places.indices.contains(ticket.index) && places[ticket.index].generation == ticket.generation
    }

    /// Chooses the connection that makes room.
    private mutating func choose() -> (@Sendable () -> Void)? {
        guard let index = unverifiedIdle.first ?? verifiedIdle.first else { return nil }
        leave(index)
        places[index].standing = .chosen
        chosen += 1
        return places[index].close
    }

    /// Makes a connection the last of the idle ones of its kind.
    private mutating func append(_ index: Int) {
        let last = places[index].isVerified ? verifiedIdle.last : unverifiedIdle.last
        places[index].standing = .idle
        places[index].previous = last
        places[index].next = nil
        changeList(of: index) { list in
            if last == nil { list.first = index }
            list.last = index
        }
        if let last { places[last].next = index }
    }

    private mutating func changeList(of index: Int, _ body: (inout List) -> Void) {
        if places[index].isVerified { body(&verifiedIdle) } else { body(&unverifiedIdle) }
    }

    /// Takes a connection out of what it is in.
    private mutating func leave(_ index: Int) {
        switch places[index].standing {
        case .free, .busy: break
        case .chosen: chosen -= 1
        case .idle:
            let (previous, next) = (places[index].previous, places[index].next)
            changeList(of: index) { list in
                if previous == nil { list.first = next }
                if next == nil { list.last = previous }
            }
            if let previous { places[previous].next = next }
            if let next { places[next].previous = previous }
        }
    }
}
