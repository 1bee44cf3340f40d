import AdAttribution
import PostbackStore
import StrictJSON

/// The dimensions of a page as members of events, each written once.
struct EventDimensions: Sendable {
    private var lines: [Int32: [UInt8]] = [:]
    private var sources: [Int64: [UInt8]] = [:]
    private var traits: [Int32: [UInt8]] = [:]

    init(of rows: [LogRow], _ dimensions: LogDimensions, _ facts: [TraitColumn]) throws(LogError) {
        for row in rows {
            if lines[row.line] == nil { lines[row.line] = Self.members(try dimensions.line(row.line)) }
            if sources[row.source] == nil { sources[row.source] = Self.members(try dimensions.source(row.source)) }
            if traits[row.traits] == nil {
                traits[row.traits] = Self.members(try dimensions.traits(row.traits), facts)
            }
        }
    }

    /// Appends the members of a row, with a comma behind each.
    func append(_ row: LogRow, to bytes: inout [UInt8]) {
        for members in [lines[row.line], sources[row.source], traits[row.traits]] {
            bytes += members ?? []
        }
    }

    private static func members(_ line: LineKey) -> [UInt8] {
        var object = JSONObjectText()
        object.append("environment", line.network.environment.rawValue)
        object.append("protocol", line.network.attributionProtocol.rawValue)
        object.append("ad_network_id", line.network.adNetworkID)
        object.append("developer_copy", line.isDeveloperCopy)
        object.append("campaign_type", line.campaign.type)
        object.append("campaign", line.campaign.text)
        object.append("advertised_app_id", line.advertisedAppID.value)
        return object.members()
    }

    private static func members(_ source: AttributionSource?) -> [UInt8] {
        var object = JSONObjectText()
        object.append("source_app_id", source?.appID.map { .integer($0.value) })
        object.append("source_domain", source?.domain.map { .text($0.text) })
        return object.members()
    }

    private static func members(_ traits: TraitsKey, _ facts: [TraitColumn]) -> [UInt8] {
        var object = JSONObjectText()
        object.append("version", traits.version.map { .text($0.description) })
        for fact in facts { object.append(fact.name, traits[fact.name]) }
        object.append("relay_normalised", traits.isRelayNormalised)
        object.append("signing_key", traits.signingKey)
        return object.members()
    }
}

extension JSONObjectText {
    /// Adds a value, or null.
    fileprivate mutating func append(_ name: String, _ value: FieldValue?) {
        switch value {
        case .boolean(let flag): append(name, flag)
        case .integer(let integer): append(name, integer)
        case .text(let text), .uuid(_, let text): append(name, text)
        case nil: append(name, json: Array("null".utf8))
        }
    }

    /// The members without the brackets, with a comma behind each.
    fileprivate consuming func members() -> [UInt8] {
        finished().dropFirst().dropLast() + [UInt8(ascii: ",")]
    }
}
