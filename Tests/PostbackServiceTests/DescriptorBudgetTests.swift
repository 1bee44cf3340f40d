import Testing

@testable import PostbackService

@Suite("Sharing out file descriptors")
struct DescriptorBudgetTests {
    private func shares(
        soft: Int, hard: Int, connections: Int = 4_096, lanes: Int = 2, cores: Int = 4
    ) -> DescriptorBudget? {
        var configuration = ServiceConfiguration()
        configuration.maximumConnections = connections
        return DescriptorBudget(soft: soft, hard: hard, configuration: configuration, lanes: lanes, cores: cores)
    }

    @Test("The limit is raised as far as the connections need it, and no further")
    func raised() throws {
        let budget = try #require(shares(soft: 1_024, hard: 524_288))
        #expect(budget.publicConnections == 4_096)
        #expect(budget.adminConnections == 1_024)
        // 6 connections to the database, 2 for reports, one for each lane and two more; 64 in reserve; 6 for each core;
        // 256 to destinations.
        #expect(budget.limit == 4_096 + 1_024 + 8 + 4 + 64 + 24 + 256)
    }

    @Test("A server that does not forward keeps no connections for it")
    func withoutForwarding() throws {
        var configuration = ServiceConfiguration()
        configuration.forwarding.isOn = false
        let budget = try #require(
            DescriptorBudget(soft: 1_024, hard: 524_288, configuration: configuration, lanes: 2, cores: 4))
        #expect(budget.limit == 4_096 + 1_024 + 6 + 4 + 64 + 24)
    }

    @Test("A limit that is high enough stays as it is")
    func kept() {
        #expect(shares(soft: 20_000, hard: 20_000)?.limit == 20_000)
    }

    @Test("If the hard limit is too low, clients get what the database, the admin listener and the reserve leave")
    func lowered() throws {
        let budget = try #require(shares(soft: 256, hard: 256))
        #expect(budget.limit == 256)
        #expect(budget.adminConnections == 34)
        // An eighth of what is left is for destinations.
        #expect(budget.publicConnections == 256 - 100 - 19 - 34)
    }

    @Test("However low the limit is, all parts together keep to it, or nothing is left for clients")
    func bounds() {
        for hard in 1...2_000 {
            for lanes in [1, 64, 1_024] {
                guard let budget = shares(soft: 1, hard: hard, lanes: lanes) else {
                    #expect(hard < 64 + 24 + 8 + min(lanes + 2, 64) + 19)
                    continue
                }
                #expect(budget.publicConnections >= 1 && budget.adminConnections >= 16)
                let database = 8 + min(lanes + 2, 64)
                #expect(64 + 24 + database + budget.publicConnections + budget.adminConnections <= hard)
            }
        }
    }
}
