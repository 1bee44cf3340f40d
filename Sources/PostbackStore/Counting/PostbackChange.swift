import PostgresClient

/// A row of `attribution.postback_change`: by how much one delivery to a postback that was there changes the figures.
struct PostbackChange: Sendable, Equatable {
    let postback: StoredPostback
    /// The value whose postbacks become more or fewer.
    let value: StoredPostback.StoredValue
    let postbacks: Int32
    let raised: Int32
    let conflicts: Int32

    /// A value that was raised: one postback fewer of the former, one more of the new.
    static func raise(of postback: StoredPostback) -> [PostbackChange] {
        let isFirstRaise = postback.previousValue == postback.firstValue
        return [
            PostbackChange(postback: postback, value: postback.previousValue, postbacks: -1, raised: 0, conflicts: 0),
            PostbackChange(
                postback: postback, value: postback.value, postbacks: 1, raised: isFirstRaise ? 1 : 0, conflicts: 0),
        ]
    }

    /// Deliveries that were ignored though they said something else.
    static func conflicts(_ count: Int, of postback: StoredPostback) -> PostbackChange {
        PostbackChange(
            postback: postback, value: postback.value, postbacks: 0, raised: 0, conflicts: Int32(clamping: count))
    }
}

/// The statement that appends such rows.
enum PostbackChangeStatement {
    static let append = PostgresStatement(
        "postback_change_append",
        """
        INSERT INTO attribution.postback_change (\(columns))
        SELECT \(columns)
          FROM unnest($1::bigint[], $2::date[], $3::integer[], $4::integer[], $5::integer[], $6::smallint[],
                      $7::smallint[], $8::boolean[], $9::boolean[], $10::text[], $11::text[], $12::text[], $13::text[],
                      $14::text[], $15::text[], $16::text[], $17::text[])
               AS change (\(columns))
        """)

    /// The columns, in the order of the table.
    static let columns = """
        advertised_app_id, day, postbacks, raised, conflicts, sequence_index, conversion_value, did_win,
        developer_copy, environment, protocol, ad_network_id, campaign_type, campaign, source_app, coarse_value, kind
        """

    static func bindings(_ changes: [PostbackChange]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(changes.map(\.postback.advertisedAppID))
        bindings.append(changes.map(\.postback.day))
        bindings.append(changes.map(\.postbacks))
        bindings.append(changes.map(\.raised))
        bindings.append(changes.map(\.conflicts))
        bindings.append(changes.map(\.postback.key.sequenceIndex))
        // A part of a key, so that none is a value too.
        bindings.append(changes.map { $0.value.fine ?? -1 })
        bindings.append(changes.map(\.postback.key.didWin))
        bindings.append(changes.map(\.postback.isDeveloperCopy))
        bindings.append(changes.map(\.postback.key.environment))
        bindings.append(changes.map(\.postback.key.networkProtocol))
        bindings.append(changes.map(\.postback.key.adNetworkID))
        bindings.append(changes.map(\.postback.campaignType))
        bindings.append(changes.map(\.postback.campaign))
        bindings.append(changes.map(\.postback.sourceApp))
        bindings.append(changes.map { $0.value.coarse ?? "" })
        bindings.append(changes.map(\.postback.kind))
        return bindings
    }
}
