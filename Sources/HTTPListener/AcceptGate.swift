package import NIOCore

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
