import AdAttribution
import PostgresClient

/// The columns in which deliveries go to PostgreSQL, for both ways there: as rows of a binary COPY, which is the faster
/// one for many, and as arrays for `unnest`, which needs no statement beside the one that counts.
enum DeliveryColumns {
    /// The names, all of which the table of postbacks has too; those of the key first.
    static let names = columns.map(\.name).joined(separator: ", ")

    /// The names with their types, as a table declares them.
    static let declarations = columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")

    /// The arrays as parameters of a statement.
    static let arrays = columns.enumerated().map { "$\($0.offset + 1)::\($0.element.type)[]" }.joined(separator: ", ")

    private static let columns: [(name: String, type: String)] = [
        ("transaction_id", "uuid"), ("environment", "text"), ("protocol", "text"), ("ad_network_id", "text"),
        ("sequence_index", "smallint"), ("did_win", "boolean"), ("version", "text"), ("campaign_type", "text"),
        ("campaign", "text"), ("advertised_app_id", "bigint"), ("source_app_id", "bigint"), ("source_domain", "text"),
        ("redownload", "boolean"), ("conversion_type", "text"), ("fidelity_type", "smallint"),
        ("ad_interaction_type", "text"), ("marketplace_identifier", "text"), ("conversion_value", "smallint"),
        ("coarse_value", "text"), ("country_code", "text"), ("received_at", "timestamptz"),
        ("developer_copy", "boolean"), ("relay_normalised", "boolean"), ("signing_key", "text"), ("payload", "json"),
    ]

    /// The deliveries as rows of a COPY.
    static func rows(_ offers: [PendingDeliveries.Offer]) -> PostgresCopyRows {
        // Beside its payload a row has about 300 bytes.
        let capacity = offers.reduce(0) { $0 + $1.delivery.verified.postback.body.count + 400 }
        var rows = PostgresCopyRows(columns: Int16(columns.count), capacity: capacity)
        for offer in offers {
            rows.beginRow()
            append(offer, to: &rows)
        }
        return rows
    }

    /// The deliveries as parameters, one array a column.
    static func bindings(_ offers: [PendingDeliveries.Offer]) -> PostgresBindings {
        var arrays = PostgresArrays(columns: columns.count, rows: offers.count)
        for offer in offers {
            arrays.beginRow()
            append(offer, to: &arrays)
        }
        return PostgresBindings(arrays)
    }

    private static func append(_ offer: PendingDeliveries.Offer, to row: inout some PostgresRowWriter) {
        let verified = offer.delivery.verified
        let postback = verified.postback
        let details = postback.details
        let skAdNetwork = details.skAdNetwork
        let adAttributionKit = details.adAttributionKit
        row.append(offer.key.transactionID)
        row.append(offer.key.environment)
        row.append(offer.key.networkProtocol)
        row.append(offer.key.adNetworkID)
        row.append(offer.key.sequenceIndex)
        row.append(offer.key.didWin)
        row.append(skAdNetwork?.version.description ?? noVersion)
        row.append(postback.campaign.type)
        row.append(postback.campaign.text)
        row.append(postback.advertisedAppID.value)
        row.append(postback.source?.appID?.value)
        row.append(postback.source?.domain?.text)
        row.append(skAdNetwork?.redownload)
        row.append(adAttributionKit?.conversionType.rawValue)
        row.append((skAdNetwork?.fidelityType?.rawValue).map(Int16.init))
        row.append(adAttributionKit?.adInteractionType?.rawValue)
        row.append(adAttributionKit?.marketplaceIdentifier?.text)
        row.append((postback.conversionValue.fine?.value).map(Int16.init))
        row.append(postback.conversionValue.coarse?.rawValue)
        row.append(postback.countryCode?.text)
        row.append(offer.delivery.receivedAt)
        row.append(verified.isDeveloperCopy)
        row.append(postback.isRelayNormalised)
        row.append(verified.signingKey)
        row.append(json: postback.body)
    }

    /// What stands in `version` for AdAttributionKit, whose postbacks carry none.
    private static let noVersion = "none"
}

extension PostbackDelivery {
    /// The delivery as one tuple of a binary COPY, for whoever wants to do the rest by hand.
    package var copyTuple: [UInt8] { DeliveryColumns.rows([(key, self)]).tuples }
}
