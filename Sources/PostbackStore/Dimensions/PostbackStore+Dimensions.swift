import AdAttribution

extension PostbackStore {
    /// Gives a delivery the numbers of its rows.
    ///
    /// It asks no database and takes one lock, so an event loop may call it.
    /// - Returns: Whether all of them are known here.
    package func findRows(of delivery: inout PostbackDelivery) -> Bool {
        delivery.rows = dimensions.rows(of: DimensionKeys(delivery.verified, versions.traitColumns))
        return delivery.rows != nil
    }

    /// The deliveries with the numbers of their rows.
    ///
    /// Missing rows are added, outside any batch.
    /// - Returns: One result for each, in the order given. If a row can't be added, only the deliveries that need it
    ///   fail.
    package func addingRows(of deliveries: [PostbackDelivery]) async -> [Result<PostbackDelivery, any Error>] {
        while true {
            let timeline = dimensions.timeline
            let ids = await dimensionIDs(of: deliveries)
            // The first rows that are read begin a timeline. What was read is in the cache then.
            guard dimensions.timeline == timeline else { continue }
            return zip(deliveries, ids).map { delivery, ids in
                ids.map { delivery.with(DeliveryRows(ids: $0, timeline: timeline)) }
            }
        }
    }

    /// The numbers of the dimensions' rows for each delivery, looked up if it does not bring them.
    ///
    /// Missing rows are added, outside any batch.
    /// - Returns: One result for each, in the order given. If a row can't be added, only the deliveries that need it
    ///   fail.
    package func dimensionIDs(of deliveries: [PostbackDelivery]) async -> [Result<DimensionIDs, any Error>] {
        let columns = versions.traitColumns
        let timeline = dimensions.timeline
        var missing: [Int: DimensionKeys] = [:]
        var places: [Int] = []
        var results = deliveries.enumerated().map { place, delivery -> Result<DimensionIDs, any Error> in
            if let rows = delivery.rows, rows.timeline == timeline { return .success(rows.ids) }
            places.append(place)
            return .failure(DimensionError.missing)
        }
        guard !places.isEmpty else { return results }
        // Most are known. So the keys are made one after the other and not kept.
        let known = dimensions.numbers(of: places.lazy.map { DimensionKeys(deliveries[$0].verified, columns) }) {
            missing[places[$0]] = $1
        }
        for case (let place, let ids?) in zip(places, known) { results[place] = .success(ids) }
        guard !missing.isEmpty else { return results }
        let (numbers, failures) = await numbers(of: DimensionRows(of: Array(missing.values)))
        for (place, keys) in missing {
            if let ids = numbers.ids(of: keys) {
                results[place] = .success(ids)
            } else if let failure = failures.first(of: keys) {
                results[place] = .failure(failure)
            }
        }
        return results
    }
}

extension PostbackDelivery {
    fileprivate func with(_ rows: DeliveryRows) -> PostbackDelivery {
        var delivery = self
        delivery.rows = rows
        return delivery
    }
}
