/// A row of `attribution.postback_change`, as an expression over a row of `attribution.postback`.
enum PostbackChange {
    /// The columns.
    static let columns = """
        advertised_app_id, day, postbacks, raised, conflicts, sequence_index, conversion_value, did_win,
        developer_copy, environment, protocol, ad_network_id, campaign_type, campaign, source_app, coarse_value, kind
        """

    /// 1 where the current value is the second that the postback has.
    static let isFirstRaise = """
        (previous_conversion_value IS NOT DISTINCT FROM first_conversion_value
         AND previous_coarse_value IS NOT DISTINCT FROM first_coarse_value)::integer
        """

    /// The values of the columns, for the current value or, with the prefix `previous_`, the one before.
    ///
    /// A postback of 1.0 tells nothing of what led to it, and is an install.
    static func values(postbacks: String, raised: String, conflicts: String, valuePrefix: String) -> String {
        """
        advertised_app_id, (received_at AT TIME ZONE 'UTC')::date, \(postbacks), \(raised), \(conflicts),
        sequence_index, coalesce(\(valuePrefix)conversion_value, -1)::smallint, did_win, developer_copy, environment,
        protocol, ad_network_id, campaign_type, campaign, coalesce(source_app_id::text, source_domain, ''),
        coalesce(\(valuePrefix)coarse_value, ''),
        CASE WHEN conversion_type = 're-engagement' THEN 're-engagement'
             WHEN conversion_type = 'redownload' OR (conversion_type IS NULL AND redownload) THEN 'redownload'
             ELSE 'install' END
        """
    }
}
