import AdAttribution
package import Destinations
package import EventLog
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// The next events after a cursor, with all that a request may say: body, origin, names, meaning.
    ///
    /// The bodies and facts of a page are read in a few statements. They are read only of events that a filter lets through,
    /// if there is one; all others come without.
    ///
    /// - Parameters:
    ///   - end: Where it ends, if that is before the end of the log: that of a replay.
    ///   - limit: The greatest number of events.
    ///   - filter: Which events a destination gets; nil for all.
    /// - Throws: `LogError`, or an error of the database.
    package func forwardedEvents(
        after cursor: LogCursor, upTo end: LogCursor? = nil, limit: Int, for filter: DestinationFilter? = nil
    ) async throws -> ForwardedPage {
        let isWanted: (LogEvent) -> Bool = { event in
            filter.map { $0.matches(ForwardedEvent(event, id: "", receivedAt: 0)) } ?? true
        }
        let page = try await eventRecords(after: cursor, upTo: end, limit: limit, withBody: isWanted)
        let wanted = filter == nil ? page.records : page.records.filter { isWanted($0.event) }
        let facts = try await facts(of: wanted)
        let events = page.records.map { record in
            (
                event: ForwardedEvent(
                    record.event, id: record.id, receivedAt: record.receivedAt.microsecondsSince1970,
                    body: record.body, names: facts.names(of: record), meaning: facts.meaning(of: record)),
                cursor: record.cursor
            )
        }
        return ForwardedPage(events: events, next: page.next, isAtEnd: page.isAtEnd)
    }

    private func facts(of records: [EventRecord]) async throws -> EventFacts {
        try await pool.withConnection { connection in try EventFacts(of: records, over: connection) }
    }
}

extension ForwardedEvent {
    /// An event of the log, with what was read beside it.
    fileprivate init(
        _ event: LogEvent, id: String, receivedAt: Int64, body: EventBody? = nil, names: EventNames? = nil,
        meaning: EventMeaning? = nil
    ) {
        let kind: Kind =
            switch event.kind {
            case .accepted: .accepted
            case .raised: .raised
            case .conflict: .conflict
            }
        var (fine, coarse): (Int?, String?) = (nil, nil)
        switch event.kind.counted {
        case .none: break
        case .fine(let value): fine = Int(value.value)
        case .coarse(let value): coarse = value.rawValue
        }
        let (line, traits) = (event.line, event.traits)
        self.init(
            id: id, kind: kind, transactionID: event.transactionID, environment: line.network.environment.rawValue,
            protocolName: line.network.attributionProtocol.rawValue, adNetworkID: line.network.adNetworkID,
            isDeveloperCopy: line.isDeveloperCopy, campaignType: line.campaign.type, campaign: line.campaign.text,
            advertisedAppID: line.advertisedAppID.value, sequenceIndex: Int(event.sequenceIndex.value),
            didWin: event.didWin, conversionValue: fine, coarseValue: coarse, receivedAt: receivedAt,
            sourceAppID: event.source?.appID?.value, sourceDomain: event.source?.domain?.text,
            countryCode: traits["country_code"]?.text, version: traits.version?.description,
            fidelityType: traits["fidelity_type"]?.integer.map { Int($0) }, redownload: traits["redownload"]?.boolean,
            body: body?.payload, sourceAddress: body?.sourceAddress, userAgent: body?.userAgent, names: names,
            meaning: meaning)
    }
}

extension LogEvent.Kind {
    /// The value that counts after the event, as events have it as text: of a conflict the one that stays.
    var counted: ReportedConversionValue {
        switch self {
        case .accepted(let value): value
        case .raised(_, let value, _): value
        case .conflict(let stored, _): stored
        }
    }
}
