import AdAttribution

/// What a notification offers for a row that is there once for each key, before it is decided which version stays.
protocol StoreOffer: Sendable {
    /// The key of the row, with `id`.
    var environment: AttributionEnvironment { get }
    var id: String { get }
    /// The product that it is about.
    var bundleID: String { get }
    var productID: String { get }
    var version: StoreVersion { get }
}

extension Array where Element: StoreOffer {
    /// One offer for each key, by the rule of the database, because one statement can change a row only once.
    func merged() -> [Element] {
        var places: [StoreOfferKey: Int] = [:]
        var merged: [Element] = []
        for offer in self {
            let key = StoreOfferKey(environment: offer.environment, id: Array<UInt8>(offer.id.utf8))
            if let place = places[key] {
                if merged[place].version.isReplaced(by: offer.version) { merged[place] = offer }
            } else {
                places[key] = merged.count
                merged.append(offer)
            }
        }
        return merged
    }
}

/// A key, its id byte by byte: Swift takes some texts for equal that are not equal in the database.
private struct StoreOfferKey: Hashable {
    let environment: AttributionEnvironment
    let id: [UInt8]
}
