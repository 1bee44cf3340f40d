import Synchronization
import TestSupport
import Testing

@testable import HTTPListener

@Suite("The places of a listener's connections")
struct ConnectionPlacesTests {
    private var places = ConnectionPlaces(limit: 3)

    /// The connections that were told to close.
    private final class Closed: Sendable {
        let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }
    }

    private let closed = Closed()

    private mutating func open(_ name: String) -> ConnectionPlaces.Ticket {
        let (ticket, victim) = places.open { [closed] in closed.names.withLock { $0.append(name) } }
        victim?()
        return ticket
    }

    private mutating func request(_ ticket: ConnectionPlaces.Ticket) {
        places.answerDue(ticket)
        places.answered(ticket)
    }

    @Test("While there is room, nobody must close")
    mutating func room() {
        let tickets = [open("a"), open("b"), open("c")]
        #expect(closed.all == [])
        #expect(places.open == 3)
        for ticket in tickets { places.closed(ticket) }
        #expect(places.open == 0)
        _ = open("d")
        #expect(closed.all == [])
    }

    @Test("The connection that is idle for the longest time makes room")
    mutating func longestIdle() {
        let first = open("a")
        for name in ["b", "c"] { _ = open(name) }
        request(first)
        for name in ["d", "e", "f", "g"] { _ = open(name) }
        #expect(closed.all == ["b", "c", "a", "d"])
    }

    @Test("Connections that delivered a verified postback make room last, the longest idle one first")
    mutating func verifiedLast() {
        let tickets = [open("a"), open("b"), open("c")]
        for ticket in tickets[..<2] {
            places.answerDue(ticket)
            places.verified(ticket)
            places.answered(ticket)
        }
        #expect(places.verified == 2)
        request(tickets[0])
        for name in ["d", "e"] { places.verified(open(name)) }
        #expect(closed.all == ["c", "b"])
        for name in ["f", "g"] { _ = open(name) }
        #expect(closed.all == ["c", "b", "a", "f"])
    }

    @Test("A connection whose answer is due keeps its place, and with only such ones nobody is accepted")
    mutating func answersDue() {
        let tickets = [open("a"), open("b"), open("c")]
        for ticket in tickets { places.answerDue(ticket) }
        #expect(!places.mayAccept)
        places.answered(tickets[1])
        #expect(places.mayAccept)
        _ = open("d")
        #expect(closed.all == ["b"])
        places.answerDue(tickets[1])
        for name in ["e", "f"] { _ = open(name) }
        #expect(closed.all == ["b", "d", "e"])
    }

    @Test("A connection that was told to close stays if its request is complete by then")
    mutating func lateRequest() {
        let tickets = [open("a"), open("b"), open("c")]
        _ = open("d")
        #expect(closed.all == ["a"])
        #expect(places.isChosen(tickets[0]))
        places.answerDue(tickets[0])
        #expect(!places.isChosen(tickets[0]))
        #expect(places.open == 4)
        places.answered(tickets[0])
        _ = open("e")
        #expect(closed.all == ["a", "b"])
    }

    @Test("Nobody is accepted while too many connections are still to close")
    mutating func closing() {
        var tickets = [open("a"), open("b"), open("c")]
        for number in 0..<ConnectionPlaces.maximumChosen {
            #expect(places.mayAccept)
            tickets.append(open("\(number)"))
        }
        #expect(!places.mayAccept)
        places.closed(tickets[0])
        #expect(places.mayAccept)
    }

    @Test("What a closed connection still tells is ignored, whoever has its place now")
    mutating func lateCalls() {
        let old = open("a")
        places.closed(old)
        let new = open("b")
        places.verified(old)
        places.answerDue(old)
        places.answered(old)
        places.closed(old)
        #expect(places.open == 1)
        #expect(places.verified == 0)
        for name in ["c", "d", "e"] { _ = open(name) }
        #expect(places.isChosen(new))
    }

    @Test("Any sequence of calls closes what a plain list would close", arguments: 1...20 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        /// A connection in the plain list, whose order is the order of idleness.
        struct Entry {
            let ticket: ConnectionPlaces.Ticket
            let name: Int
            var isVerified = false
            var isBusy = false
        }
        var random = SeededGenerator(seed: seed)
        var places = ConnectionPlaces(limit: 8)
        let chosen = Mutex<[Int]>([])
        var expected: [Int] = []
        var entries: [Entry] = []
        for name in 0..<2_000 {
            let index = entries.isEmpty ? 0 : Int.random(in: entries.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                if entries.count >= 8 {
                    let victim =
                        entries.firstIndex { !$0.isBusy && !$0.isVerified } ?? entries.firstIndex { !$0.isBusy }
                    if let victim {
                        expected.append(entries[victim].name)
                        let ticket = entries.remove(at: victim).ticket
                        entries.append(Entry(ticket: places.open { chosen.withLock { $0.append(name) } }.0, name: name))
                        #expect(places.isChosen(ticket))
                        chosen.withLock { $0.append(expected[expected.count - 1]) }
                        places.closed(ticket)
                        continue
                    }
                }
                let (ticket, victim) = places.open {}
                #expect(victim == nil)
                entries.append(Entry(ticket: ticket, name: name))
            case 2 where !entries.isEmpty:
                places.closed(entries.remove(at: index).ticket)
            case 3 where !entries.isEmpty:
                var entry = entries.remove(at: index)
                if entry.isBusy {
                    entry.isBusy = false
                    places.answered(entry.ticket)
                } else {
                    entry.isBusy = true
                    places.answerDue(entry.ticket)
                }
                entries.append(entry)
            case 4 where !entries.isEmpty && !entries[index].isVerified:
                places.verified(entries[index].ticket)
                // It is the last one of the other list.
                var entry = entries.remove(at: index)
                entry.isVerified = true
                entries.append(entry)
            default:
                break
            }
            #expect(places.open == entries.count)
            #expect(places.verified == entries.count { $0.isVerified })
            #expect(places.mayAccept == (entries.count < 8 || entries.contains { !$0.isBusy }))
        }
        #expect(chosen.withLock { $0 } == expected)
        #expect(!expected.isEmpty)
    }
}
