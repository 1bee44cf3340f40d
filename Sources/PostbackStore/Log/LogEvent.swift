public import AdAttribution
public import Foundation
public import PostgresClient

/// An event: a row of the log, with the rows of its dimensions.
public struct LogEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The first delivery of a postback, with its value.
        case accepted(ReportedConversionValue)
        /// A later delivery raised the value; `isFirst` if it was the postback's first raise.
        case raised(from: ReportedConversionValue, to: ReportedConversionValue, isFirst: Bool)
        /// A later delivery with another value was ignored: of the other kind or, under the policy `first`, a higher
        /// one.
        case conflict(stored: ReportedConversionValue, offered: ReportedConversionValue)
    }

    /// The lane of the transaction id.
    ///
    /// Events of one lane are in order. Events of different lanes have no order.
    public let lane: Int16
    /// Where in the lane a batch wrote: the day of writing in the upper 32 bits, a counter in the lower ones.
    ///
    /// Positions of a lane rise, but not always by 1.
    public let position: Int64
    /// The number of the delivery among those of its position.
    public let ordinal: Int16
    /// What happened.
    public let kind: Kind
    /// The postback's transaction.
    public let transactionID: UUID
    /// The UTC day of the first receipt.
    ///
    /// The postback counts on this day.
    public let day: PostgresDate
    /// The conversion window.
    public let sequenceIndex: PostbackSequenceIndex
    /// Whether the postback is winning.
    public let didWin: Bool
    /// When the event was written, by the database's clock.
    public let writtenAt: PostgresTimestamp
    /// The line that the postback counts for.
    public let line: LineKey
    /// The source app or source domain; nil if the postback names neither.
    public let source: AttributionSource?
    /// The other facts of the postback.
    public let traits: TraitsKey

    /// The place of this event.
    var place: LogPlace { LogPlace(position: position, ordinal: ordinal) ?? .beginning }
}

extension LogEvent {
    /// The columns that `init(_:)` reads.
    ///
    /// The tables have their own names, and the log has the name `log`.
    static func columns(_ facts: [TraitColumn]) -> String {
        """
        log.lane, log.position, log.ordinal, log.event, log.value, log.previous_value, log.transaction_id,
        (log.received_at AT TIME ZONE 'UTC')::date,
        log.sequence_index, log.did_win, log.written_at,
        network.environment, network.protocol, network.ad_network_id,
        line.developer_copy, line.campaign_type, line.campaign, line.advertised_app_id,
        source.source_app_id, source.source_domain,
        signing_key.name, traits.version, traits.relay_normalised\(facts.map { ", traits.\($0.name)::\($0.type)" }.joined())
        """
    }

    /// The event of a row.
    ///
    /// - Throws: `LogError.unknownValue` if a column has a value that this build does not know.
    init(_ row: PostgresRow, _ facts: [TraitColumn]) throws {
        var columns = ColumnCursor(row)
        lane = try columns.next()
        position = try columns.next()
        ordinal = try columns.next()
        kind = try Kind(event: columns.next(), value: columns.next(), previousValue: columns.next())
        transactionID = try columns.next()
        day = try columns.next()
        sequenceIndex = try PostbackSequenceIndex(Int64(columns.next(Int16.self))).known("sequence_index")
        didWin = try columns.next()
        writtenAt = try columns.next()
        line = try LineKey(&columns)
        source = try AttributionSource?(app: columns.next(), domain: columns.next())
        traits = try TraitsKey(&columns, facts)
    }
}

extension LogEvent.Kind {
    fileprivate init(event: Int16, value: Int16, previousValue: Int16) throws {
        let value = try StoredValue.value(value).known("value")
        let stored = try StoredValue.value(previousValue).known("previous_value")
        switch event {
        case CountingStatement.Event.accepted: self = .accepted(value)
        case CountingStatement.Event.raisedFirst: self = .raised(from: stored, to: value, isFirst: true)
        case CountingStatement.Event.raisedAgain: self = .raised(from: stored, to: value, isFirst: false)
        case CountingStatement.Event.conflict: self = .conflict(stored: stored, offered: value)
        default: throw LogError.unknownValue(column: "event")
        }
    }
}

extension LineKey {
    fileprivate init(_ columns: inout ColumnCursor) throws {
        network = NetworkKey(
            environment: try AttributionEnvironment(rawValue: columns.next()).known("environment"),
            attributionProtocol: try AttributionProtocol(rawValue: columns.next()).known("protocol"),
            adNetworkID: try columns.next())
        isDeveloperCopy = try columns.next()
        campaign = try Campaign(type: columns.next(), text: columns.next()).known("campaign")
        advertisedAppID = try AppID(columns.next(Int64.self)).known("advertised_app_id")
    }
}

extension TraitsKey {
    fileprivate init(_ columns: inout ColumnCursor, _ facts: [TraitColumn]) throws {
        let signingKey = try columns.next(String.self)
        let version = try columns.next(String.self)
        let isRelayNormalised = try columns.next(Bool.self)
        let values = try facts.map { try FieldValue?(&columns, $0) }
        self.init(
            signingKey: signingKey,
            version: version == Self.noVersion ? nil : try SKAdNetworkVersion(version).known("version"),
            isRelayNormalised: isRelayNormalised, values: values, of: facts)
    }
}

extension FieldValue? {
    fileprivate init(_ columns: inout ColumnCursor, _ fact: TraitColumn) throws {
        switch fact.kind {
        case .boolean: self = try columns.next(Bool?.self).map { .boolean($0) }
        case .integer:
            self = try columns.next(Int64?.self).map { try fact.kind.value($0).known(fact.name) }
        case .text, .uuid, .lowercaseUUID:
            self = try columns.next(String?.self).map { try fact.kind.value($0).known(fact.name) }
        }
    }
}

extension AttributionSource? {
    fileprivate init(app: Int64?, domain: String?) throws {
        if let app {
            self = .app(try AppID(app).known("source_app_id"))
        } else if let domain {
            self = .domain(try SourceDomain(domain).known("source_domain"))
        } else {
            self = nil
        }
    }
}

extension Campaign {
    fileprivate init?(type: String, text: String) {
        let campaignID = Int64(text).flatMap(CampaignID.init).map(Campaign.campaignID)
        let sourceIdentifier = SourceIdentifier(text).map(Campaign.sourceIdentifier)
        guard let campaign = [campaignID, sourceIdentifier].compactMap(\.self).first(where: { $0.type == type }),
            campaign.text == text
        else { return nil }
        self = campaign
    }
}

extension Optional {
    fileprivate func known(_ column: String) throws(LogError) -> Wrapped {
        guard let self else { throw .unknownValue(column: column) }
        return self
    }
}
