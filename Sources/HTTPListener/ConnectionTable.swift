package import NIOCore
import Synchronization

/// Why the server closed a connection that the client would have kept open.
package enum ConnectionEnd: String, CaseIterable, Sendable {
    /// Room was needed for a new connection.
    case room
    /// The client did not read its answers.
    case unread
    /// The client sent nothing for too long.
    case idle
    /// The client sent more than is held for it, and closed its side.
    case flood
    /// The connection had its number of requests.
    case requests
    /// The connection was open for too long.
    case lifetime
}

/// The event that tells a connection to make room for another one.
struct RoomNeeded {}

/// The connections of one listener, and which of them are closed if room must be made.
///
/// All event loops share it. If the listener is full, a new connection takes the place of the one that is idle for the
/// longest time. Those that have not delivered a verified postback make room first. A connection is idle since its last
/// complete request, so bytes that drip do not count. A connection whose answer is due keeps its place. If all answers
/// are due, the listener accepts nobody until one is sent.
package final class ConnectionTable: Sendable {
    /// The place of a connection.
    typealias Ticket = ConnectionPlaces.Ticket

    private struct State {
        var places: ConnectionPlaces
        var tickets: [ObjectIdentifier: Ticket] = [:]
        var waiting: (@Sendable () -> Void)?
        var closed = 0
    }

    private let state: Mutex<State>
    private let onEnd: @Sendable (ConnectionEnd) -> Void

    /// A table without connections.
    /// - Parameters:
    ///   - limit: The greatest number of connections.
    ///   - onEnd: Called for each connection that the server closed for one of these reasons.
    package init(limit: Int = .max, onEnd: @escaping @Sendable (ConnectionEnd) -> Void = { _ in }) {
        state = Mutex(State(places: ConnectionPlaces(limit: limit), waiting: nil))
        self.onEnd = onEnd
    }

    /// The number of connections that are open.
    package var counts: (new: Int, verified: Int) {
        state.withLock { ($0.places.open - $0.places.verified, $0.places.verified) }
    }

    /// The number of connections that were open and are closed.
    package var closed: Int { state.withLock { $0.closed } }

    /// Enters a connection, unless it is in the table already; if the table is full, another one is told to close.
    ///
    /// It is told with the event `RoomNeeded`.
    @discardableResult
    func enter(_ channel: any Channel) -> Ticket {
        let id = ObjectIdentifier(channel)
        let (ticket, victim, isNew) = state.withLock { state in
            if let ticket = state.tickets[id] { return (ticket, nil as (@Sendable () -> Void)?, false) }
            let (ticket, victim) = state.places.open {
                channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(RoomNeeded()) }
            }
            state.tickets[id] = ticket
            return (ticket, victim, true)
        }
        if isNew { channel.closeFuture.whenComplete { _ in self.closed(id) } }
        victim?()
        return ticket
    }

    /// A request is complete: its answer is due.
    func answerDue(_ ticket: Ticket) {
        state.withLock { $0.places.answerDue(ticket) }
    }

    /// No answer is due any more.
    func answered(_ ticket: Ticket) {
        change { $0.places.answered(ticket) }
    }

    /// The client has delivered a verified postback.
    func verified(_ ticket: Ticket) {
        state.withLock { $0.places.verified(ticket) }
    }

    /// Returns whether a connection that was told to close must still do it: its next request may have come meanwhile.
    func mustClose(_ ticket: Ticket) -> Bool {
        state.withLock { $0.places.isChosen(ticket) }
    }

    /// Counts an end.
    func count(_ end: ConnectionEnd) {
        onEnd(end)
    }

    /// Returns whether another connection may be accepted.
    ///
    /// If not, it calls `later` once, from any thread, when one may be.
    func mayAccept(orElse later: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.places.mayAccept else { return true }
            state.waiting = later
            return false
        }
    }

    private func closed(_ id: ObjectIdentifier) {
        change { state in
            guard let ticket = state.tickets.removeValue(forKey: id) else { return }
            state.places.closed(ticket)
            state.closed += 1
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting: (@Sendable () -> Void)? = state.withLock { state in
            body(&state)
            guard state.waiting != nil, state.places.mayAccept else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?()
    }
}

/// Enters each connection into the listener's table when it is accepted, and stops accepting while the table has no
/// room and can make none.
///
/// Clients then wait in the backlog. The order of the table is the order of accepting, however busy the event loop of a
/// connection is. It is the first handler of the listener's channel.
package final class AcceptGate: ChannelDuplexHandler, Sendable {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel
    package typealias OutboundIn = Never

    private let table: ConnectionTable

    /// The gate of a listener with this table.
    package init(_ table: ConnectionTable) {
        self.table = table
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        table.enter(Self.unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    package func read(context: ChannelHandlerContext) {
        let channel = context.channel
        // Reading begins again at the last handler, since one of them may have stopped it meanwhile.
        guard table.mayAccept(orElse: { channel.read() }) else { return }
        context.read()
    }
}
