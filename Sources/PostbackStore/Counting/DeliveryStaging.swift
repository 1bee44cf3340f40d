import AdAttribution
import PostgresClient

/// The temporary table through which deliveries reach `attribution.postback`: binary COPY is the fastest way in, and
/// `ON CONFLICT` wants an INSERT.
///
/// Each connection has its own, empty outside a transaction.
enum DeliveryStaging {
    /// The table, as statements name it; no other schema can stand before it.
    static let table = "pg_temp.postback_delivery"

    /// The columns with their types, in the order of `rows`; those of the key first.
    private static let columnTypes = [
        ("transaction_id", "uuid"), ("environment", "text"), ("protocol", "text"), ("ad_network_id", "text"),
        ("sequence_index", "smallint"), ("did_win", "boolean"), ("version", "text"), ("campaign_type", "text"),
        ("campaign", "text"), ("advertised_app_id", "bigint"), ("source_app_id", "bigint"), ("source_domain", "text"),
        ("redownload", "boolean"), ("conversion_type", "text"), ("fidelity_type", "smallint"),
        ("ad_interaction_type", "text"), ("marketplace_identifier", "text"), ("conversion_value", "smallint"),
        ("coarse_value", "text"), ("country_code", "text"), ("received_at", "timestamptz"),
        ("developer_copy", "boolean"), ("relay_normalised", "boolean"), ("signing_key", "text"), ("payload", "json"),
    ]

    /// The columns, all of which the table of postbacks has too.
    static let columns = columnTypes.map(\.0).joined(separator: ", ")

    /// Makes the table; once for each connection.
    static let create = PostgresStatement(
        "postback_delivery_create",
        """
        CREATE TEMPORARY TABLE IF NOT EXISTS postback_delivery (
            \(columnTypes.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
        ) ON COMMIT DELETE ROWS
        """)

    /// Takes the deliveries in.
    static let copy = PostgresStatement(
        "postback_delivery_copy", "COPY \(table) (\(columns)) FROM STDIN (FORMAT binary)")

    /// Makes room for a second round in the same transaction.
    static let clear = PostgresStatement("postback_delivery_clear", "TRUNCATE \(table)")

    /// The deliveries of one round, a row each.
    static func rows(_ round: [PendingDeliveries.Offer]) -> PostgresCopyRows {
        // Beside its payload a row has about 300 bytes.
        let capacity = round.reduce(0) { $0 + $1.delivery.verified.postback.body.count + 400 }
        var rows = PostgresCopyRows(columns: Int16(columnTypes.count), capacity: capacity)
        for offer in round { append(offer, to: &rows) }
        return rows
    }

    private static func append(_ offer: PendingDeliveries.Offer, to rows: inout PostgresCopyRows) {
        let verified = offer.delivery.verified
        let postback = verified.postback
        let skAdNetwork = postback.details.skAdNetwork
        let adAttributionKit = postback.details.adAttributionKit
        rows.beginRow()
        rows.append(offer.key.transactionID)
        rows.append(offer.key.environment)
        rows.append(offer.key.networkProtocol)
        rows.append(offer.key.adNetworkID)
        rows.append(offer.key.sequenceIndex)
        rows.append(offer.key.didWin)
        rows.append(postback.version?.description ?? noVersion)
        rows.append(postback.campaign.type)
        rows.append(postback.campaign.text)
        rows.append(postback.advertisedAppID.value)
        rows.append(postback.source?.appID?.value)
        rows.append(postback.source?.domain?.text)
        rows.append(skAdNetwork?.redownload)
        rows.append(adAttributionKit?.conversionType.rawValue)
        rows.append((skAdNetwork?.fidelityType?.rawValue).map(Int16.init))
        rows.append(adAttributionKit?.adInteractionType?.rawValue)
        rows.append(adAttributionKit?.marketplaceIdentifier?.text)
        rows.append((postback.conversionValue.fine?.value).map(Int16.init))
        rows.append(postback.conversionValue.coarse?.rawValue)
        rows.append(postback.countryCode?.text)
        rows.append(offer.delivery.receivedAt)
        rows.append(verified.isDeveloperCopy)
        rows.append(postback.isRelayNormalised)
        rows.append(verified.signingKey)
        rows.append(bytes: postback.body)
    }

    /// What stands in `version` for AdAttributionKit, whose postbacks carry none.
    private static let noVersion = "none"
}

extension PostbackDelivery {
    /// The delivery as one tuple of a binary COPY into the temporary table, for whoever wants to do the rest by hand.
    package var copyTuple: [UInt8] {
        DeliveryStaging.rows([(key, self)]).tuples
    }
}
