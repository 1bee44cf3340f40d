import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

@Suite(
    "Who sends for a destination", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database)
struct LeaseTests {
    private let fixture: StoreFixture
    private let store = PostbackStore.current
    private let first = UUID()
    private let second = UUID()

    init() throws {
        fixture = try StoreFixture()
    }

    @Test("One server at a time has the lease; another one takes it when it is over, with a greater number")
    func takeOver() async throws {
        try await fixture.load()
        let lease = try await fixture.lease(first)
        try await fixture.prolongLeases()
        #expect(try await store.takeLease(StoreFixture.name, second) == nil)
        #expect(try await store.takeLease(StoreFixture.name, first) == nil)
        #expect(try await store.renew(lease))
        try await fixture.endLeases()
        // It is over, and nobody has taken it.
        #expect(try await store.renew(lease))
        try await fixture.endLeases()
        let next = try await fixture.lease(second)
        #expect(next.fence > lease.fence)
        #expect(try await store.renew(lease) == false)
        #expect(try await store.renew(next))
        try await store.release(lease)
        #expect(try await store.destinations().map(\.leader) == [second])
        try await store.release(next)
        #expect(try await store.destinations().map(\.leader) == [nil])
        #expect(try await fixture.lease(first).fence > next.fence)
    }

    @Test("A lease lasts for ten seconds from the statement that takes or renews it")
    func time() async throws {
        try await fixture.load()
        let ofTaking = try await fixture.leasesForTenSeconds { _ = try await fixture.lease(first) }
        #expect(ofTaking)
        try await fixture.endLeases()
        let lease = try await fixture.lease(second)
        let ofRenewal = try await fixture.leasesForTenSeconds { _ = try await store.renew(lease) }
        #expect(ofRenewal)
    }

    @Test("Of servers that want a lease at once, one gets it", arguments: [2, 4])
    func race(_ servers: Int) async throws {
        try await fixture.load()
        let store = store
        for _ in 0..<5 {
            let begin = ContinuousClock.now
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<servers {
                    group.addTask { try await store.takeLease(StoreFixture.name, UUID()) == nil ? 0 : 1 }
                }
                return try await group.reduce(0, +)
            }
            // If the machine stood still, the next one asked when a lease was over.
            let over = Int((ContinuousClock.now - begin) / .seconds(10))
            #expect((1...1 + over).contains(taken))
            try await fixture.endLeases()
        }
    }

    @Test("Nothing is stored under a lease that is another server's, whatever it is")
    func staleFence() async throws {
        try await fixture.load()
        let stale = try await fixture.lease(first)
        let cursor = try await store.cursors(stale).live
        try await fixture.count(10)
        let page = try await fixture.unsent(after: cursor)
        #expect(page.events.count == 10)
        try await fixture.endLeases()
        let present = try await fixture.lease(second)
        let progress = try fixture.progress(page, from: cursor, failing: [1, 2])
        await #expect(throws: LeaseLost(name: StoreFixture.name)) {
            try await store.commitDeliveries(stale, progress)
        }
        #expect(try await fixture.stored() == "0 0/0 0/0 0")
        await #expect(throws: LeaseLost(name: StoreFixture.name)) { try await store.cursors(stale) }
        #expect(try await store.cursors(present).live == cursor)
        try await store.commitDeliveries(present, progress)
        #expect(try await fixture.stored() == "2 8/2 8/2 2")
        #expect(try await store.cursors(present).live == page.next)
        #expect(try await store.dueDeliveries(stale, limit: 10).isEmpty)
        // A destination that was removed has no lease.
        #expect(try await store.removeDestination(StoreFixture.name))
        await #expect(throws: LeaseLost(name: StoreFixture.name)) {
            try await store.commitDeliveries(present, DeliveryProgress())
        }
    }

    @Test("Servers count those that were seen within ten seconds; one that leaves is not counted")
    func servers() async throws {
        #expect(try await store.announceForwarder(first) == 1)
        try await seeBoth()
        try await fixture.database.run(
            """
            UPDATE attribution.forwarding_server SET seen_at = seen_at - interval '11 s'
             WHERE server = '\(second)'
            """)
        #expect(try await store.announceForwarder(first) == 1)
        try await seeBoth()
        try await store.withdrawForwarder(second)
        #expect(try await store.announceForwarder(first) == 1)
    }

    /// Both servers say that they are there, until each of them has seen the other one: ten seconds may pass in between.
    private func seeBoth() async throws {
        try await eventually("each counts both") { () -> Bool? in
            _ = try await store.announceForwarder(first)
            guard try await store.announceForwarder(second) == 2 else { return nil }
            return try await store.announceForwarder(first) == 2 ? true : nil
        }
    }

    @Test("A destination that is paused or off can't be taken; resumed, it goes on where it was")
    func states() async throws {
        try await fixture.load()
        let lease = try await fixture.lease(first)
        let cursor = try await store.cursors(lease).live
        try await fixture.count(3)
        #expect(try await store.pauseDestination(StoreFixture.name, reason: "maintenance"))
        #expect(try await !store.pauseDestination(StoreFixture.name, reason: "another"), "the first reason stays")
        try await store.release(lease)
        #expect(try await store.takeLease(StoreFixture.name, second) == nil)
        let paused = try #require(try await store.destinations().first)
        #expect(paused.state == .paused && paused.stateReason == "maintenance")
        try await store.resumeDestination(StoreFixture.name)
        let next = try await fixture.lease(second)
        #expect(try await store.cursors(next).live == cursor)
        var progress = DeliveryProgress()
        progress.failures = 20
        progress.offReason = "the receiver answered 410 Gone"
        try await store.commitDeliveries(next, progress)
        let off = try #require(try await store.destinations().first)
        #expect(off.state == .off && off.stateReason == "the receiver answered 410 Gone" && off.failures == 20)
        #expect(off.failingSince != nil && off.failingTime != nil)
        #expect(try await !store.pauseDestination(StoreFixture.name, reason: "maintenance"))
        #expect(try await store.destinations().map(\.state) == [.off])
        try await store.release(next)
        #expect(try await store.takeLease(StoreFixture.name, first) == nil)
        try await store.resumeDestination(StoreFixture.name)
        let resumed = try #require(try await store.destinations().first)
        #expect(resumed.state == .active && resumed.failures == 0 && resumed.failingSince == nil)
        #expect(try await store.cursors(try await fixture.lease(first)).live == cursor)
    }
}
