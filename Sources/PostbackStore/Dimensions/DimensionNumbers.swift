import AdAttribution

/// Rows of the dimensions, by their keys.
struct DimensionRows: Sendable {
    let lines: Set<LineKey>
    /// An app needs no row.
    let domains: Set<SourceDomain>
    let traits: Set<TraitsKey>

    /// The rows that some postbacks belong to.
    init(of keys: [DimensionKeys]) {
        lines = Set(keys.map(\.line))
        domains = Set(keys.compactMap(\.source?.domain))
        traits = Set(keys.map(\.traits))
    }

    /// Rows of lines alone.
    init(lines: Set<LineKey>) {
        self.lines = lines
        domains = []
        traits = []
    }
}

/// The numbers of rows of the dimensions.
struct DimensionNumbers: Sendable {
    /// A line with its network.
    struct Line: Sendable {
        let network: Int16
        let line: Int32
    }

    var lines: [LineKey: Line] = [:]
    var domains: [SourceDomain: Int64] = [:]
    var traits: [TraitsKey: Int32] = [:]

    /// The numbers for the keys of a postback; nil if one of them is not here.
    func ids(of keys: DimensionKeys) -> DimensionIDs? {
        guard let line = lines[keys.line], let traits = traits[keys.traits],
            let source = SourceNumber.number(of: keys.source, domain: { domains[$0] })
        else { return nil }
        return DimensionIDs(network: line.network, line: line.line, source: source, traits: traits)
    }
}
