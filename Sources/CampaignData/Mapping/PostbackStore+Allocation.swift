package import AdAttribution
package import AuditTrail
package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// Gives out a free identifier, and stores the row that maps it.
    ///
    /// Callers at the same time get different identifiers.
    ///
    /// - Parameters:
    ///   - today: The day on which an identifier must be free.
    ///   - actor: Who does it.
    /// - Returns: The row.
    /// - Throws: `AllocationError`.
    package func allocate(
        _ wish: IdentifierAllocation, on today: PostgresDate, by actor: TrailActor
    ) async throws -> CampaignMapping {
        let time = clock()
        let (mapping, entry) = try await pool.withTransaction("allocate") { connection in
            _ = try connection.query(MappingStatements.lock)
            let names = try Self.names(wish, today, over: connection)
            let campaign = try Self.firstFree(wish, today, over: connection)
            let mapping = CampaignMapping(
                conditions: MappingConditions(
                    network: wish.network, campaign: campaign, advertisedAppID: wish.advertisedAppID),
                validFrom: wish.validFrom ?? today, names: names)
            _ = try connection.query(MappingStatements.upsert, MappingStatements.bindings([mapping]))
            let entry = TrailEntry(.allocation, of: Self.subject(campaign, wish.network), by: actor, at: time)
            try Self.note(entry, over: connection)
            return (mapping, entry)
        }
        log(entry)
        return mapping
    }

    /// What the trail calls an identifier.
    private static func subject(_ campaign: Campaign, _ network: AdNetworkID) -> String {
        "\(campaign.type) \(campaign.text) of \(network.text)"
    }

    private static func names(
        _ wish: IdentifierAllocation, _ today: PostgresDate, over connection: isolated PostgresConnection
    ) throws -> CampaignNames {
        var names = wish.names
        if let group = wish.space.around {
            var bindings = PostgresBindings()
            bindings.append(wish.network.matchingForm)
            bindings.append(group.text)
            bindings.append(wish.advertisedAppID?.value)
            bindings.append(today)
            guard let row = try connection.query(AllocationStatements.group, bindings).first else {
                throw AllocationError.noGroup(group)
            }
            var columns = ColumnCursor(row)
            let around = try CampaignNames(&columns)
            names = names ?? around
        }
        guard let names else { throw AllocationError.noNames }
        return names.replacing(wish.ownNames)
    }

    private static func firstFree(
        _ wish: IdentifierAllocation, _ today: PostgresDate, over connection: isolated PostgresConnection
    ) throws -> Campaign {
        var bindings = PostgresBindings()
        bindings.append(wish.network.matchingForm)
        bindings.append(wish.space.type.rawValue)
        bindings.append(wish.advertisedAppID?.value)
        var key = bindings
        bindings.append(wish.space.digits.map(Int32.init))
        bindings.append(wish.space.around?.text ?? "")
        bindings.append(today)
        bindings.append(Int32(CampaignMapping.defaultCoolDownDays))
        if let row = try connection.query(AllocationStatements.firstFree, bindings).first {
            guard let campaign = wish.space.type.campaign(try row.decode(String.self, at: 0)) else {
                throw StoredValueError(table: "campaign_mapping")
            }
            return campaign
        }
        key.append(today)
        let until = try connection.query(AllocationStatements.firstCoolDown, key).first?
            .decode(PostgresDate?.self, at: 0)
        throw AllocationError.noneFree(wish.space, until: until ?? nil)
    }

    /// Ends the rows of an identifier, and of the longer groups within it, and starts their cool-down.
    ///
    /// - Parameters:
    ///   - app: The advertised app of the rows; nil for rows that stand for all apps.
    ///   - lastDay: The last day on which the campaign may run.
    ///   - coolDownDays: The cool-down in days; nil for that of each row.
    ///   - actor: Who does it.
    /// - Returns: The identifiers, and the last day on which each keeps its names, shortest first.
    /// - Throws: `AllocationError`.
    package func retire(
        _ campaign: Campaign, of network: AdNetworkID, app: AppID?, lastDay: PostgresDate, coolDownDays: Int16? = nil,
        by actor: TrailActor
    ) async throws -> [(campaign: String, lastNamedDay: PostgresDate)] {
        let time = clock()
        let (retired, entry) = try await pool.withTransaction("retire") { connection in
            _ = try connection.query(MappingStatements.lock)
            var bindings = PostgresBindings()
            bindings.append(network.matchingForm)
            bindings.append(campaign.type)
            bindings.append(campaign.text)
            bindings.append(app?.value)
            bindings.append(lastDay)
            let rows = try connection.query(AllocationStatements.retiring, bindings)
            let isFound = try rows.contains { try $0.decode(String.self, at: 1) == campaign.text }
            guard isFound else { throw AllocationError.notActive(campaign) }
            for row in rows {
                let from = try row.decode(PostgresDate.self, at: 2)
                guard from <= lastDay else {
                    let type = CampaignType(rawValue: campaign.type)
                    throw AllocationError.notBegun(
                        type?.campaign(try row.decode(String.self, at: 1)) ?? campaign, from)
                }
            }
            let numbers = try rows.map { try $0.decode(Int32.self, at: 0) }
            var key = PostgresBindings()
            key.append(numbers)
            var change = key
            change.append(lastDay)
            change.append(coolDownDays)
            _ = try connection.query(AllocationStatements.retire, change)
            let retired: [(campaign: String, lastNamedDay: PostgresDate)] =
                try connection.query(AllocationStatements.retired, key).map {
                    (try $0.decode(String.self, at: 0), try $0.decode(PostgresDate.self, at: 1))
                }
            let entry = TrailEntry(
                .retirement, of: Self.subject(campaign, network), by: actor, at: time,
                [("rows", Int64(retired.count))])
            try Self.note(entry, over: connection)
            return (retired, entry)
        }
        log(entry)
        return retired
    }
}
