extension TestDatabase {
    /// Adds figures of many campaigns by SQL: a row of `report_campaign_daily` for each line and day.
    ///
    /// Days are those before `lastDay`. Every third row has no fine value, so its average is NULL. Figures repeat.
    package func addCampaigns(lines: Int, days: Int, lastDay: String = "2026-09-30") async throws {
        try await run(
            """
            INSERT INTO attribution.line (line, network, environment, protocol, ad_network_id, developer_copy,
                                          campaign_type, campaign, advertised_app_id)
            SELECT 30000 + number, 1, 'production', 'skadnetwork', 'com.example', false, 'campaign-id', number::text,
                   525463029
              FROM generate_series(1, \(lines)) AS number;
            INSERT INTO attribution.campaign_daily (line, day, installs, fine, value_sum)
            SELECT 30000 + number, date '\(lastDay)' - day, (number * 7 + day) % 5,
                   CASE WHEN (number + day) % 3 = 0 THEN 0 ELSE 2 END, (number + day) % 40
              FROM generate_series(1, \(lines)) AS number, generate_series(0, \(days - 1)) AS day;
            """)
    }
}
