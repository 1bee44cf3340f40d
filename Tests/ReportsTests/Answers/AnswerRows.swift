import TestSupport

/// Rows of the sums of answers by install day, for tests of what reads them.
///
/// Lines are of `com.example` and `example789.adattributionkit`, in production.
struct AnswerRows {
    /// One row; amounts are in units of the currency.
    struct Row {
        var line = 1
        var day = "2026-07-06"
        var window = 0
        var currency = "USD"
        var didWin = true
        var postbacks = 0
        var redownloads = 0
        var reengagements = 0
        var mapped = 0
        var withheld = 0
        var ambiguous = 0
        var low = 0.0
        var middle = 0.0
        var high = 0.0
        var open = 0
        var unknown = 0
        var square = 0.0

        init(_ change: (inout Row) -> Void) {
            change(&self)
            if postbacks == 0 { postbacks = mapped + withheld + ambiguous }
            if middle > 0, low == 0 { (low, high) = (middle, middle) }
        }
    }

    /// Lines: number, network, protocol, campaign type, campaign, app, and environment.
    static let lines = """
        INSERT INTO attribution.network (network, environment, protocol, ad_network_id)
        VALUES (1, 'production', 'skadnetwork', 'com.example'), (2, 'production', 'skadnetwork', 'com.other'),
               (3, 'production', 'adattributionkit', 'com.example'), (4, 'test', 'skadnetwork', 'com.example');
        INSERT INTO attribution.line (line, network, environment, protocol, ad_network_id, developer_copy, campaign_type,
                                      campaign, advertised_app_id)
        VALUES (1, 1, 'production', 'skadnetwork', 'com.example', false, 'source-identifier', '5239', 7),
               (2, 1, 'production', 'skadnetwork', 'com.example', false, 'source-identifier', '39', 7),
               (3, 2, 'production', 'skadnetwork', 'com.other', false, 'source-identifier', '17', 7),
               (4, 1, 'production', 'skadnetwork', 'com.example', false, 'campaign-id', '39', 7),
               (5, 3, 'production', 'adattributionkit', 'com.example', false, 'source-identifier', '39', 7),
               (6, 1, 'production', 'skadnetwork', 'com.example', false, 'source-identifier', '39', 8),
               (7, 4, 'test', 'skadnetwork', 'com.example', false, 'source-identifier', '39', 7),
               (8, 1, 'production', 'skadnetwork', 'com.example', true, 'source-identifier', '39', 7),
               (9, 2, 'production', 'skadnetwork', 'com.other', false, 'source-identifier', '218', 7)
        """

    /// Sums the rows by campaign again by the last two digits, as folding does.
    private static let sumsByTwoDigits = """
        INSERT INTO attribution.answer_daily (
            answer_table, line, day, traits, sequence_index, did_win, currency, postbacks, redownloads, reengagements, fine,
            coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3, revenue_low,
            revenue_middle, revenue_high, revenue_open, revenue_unknown, revenue_square)
        SELECT attribution.answer_table('install', 'two_digits'), app_line, day,
               attribution.two_digits_number(campaign_type, campaign), sequence_index, did_win, currency, sum(postbacks),
               sum(redownloads), sum(reengagements), sum(fine), sum(coarse), sum(withheld), sum(not_set), sum(mapped),
               sum(unmapped), sum(ambiguous), sum(tier_0), sum(tier_1), sum(tier_2), sum(tier_3), sum(revenue_low),
               sum(revenue_middle), sum(revenue_high), sum(revenue_open), sum(revenue_unknown), sum(revenue_square)
          FROM attribution.answer_daily
          JOIN attribution.line USING (line)
          JOIN attribution.app_line USING (line)
         WHERE answer_table = attribution.answer_table('install', 'campaign')
         GROUP BY 1, 2, 3, 4, 5, 6, 7
        """

    /// Stores lines and rows.
    ///
    /// - Parameter days: Days before today; each has one more row, of line 1.
    static func store(_ rows: [Row], in database: TestDatabase, days: [Int] = []) async throws {
        let dates = "SELECT (now() AT TIME ZONE 'UTC')::date - day FROM unnest(ARRAY\(days)::integer[]) AS day"
        let earlier = try await database.column(dates).compactMap { $0 }
        let rows = rows + earlier.map { day in Row { ($0.day, $0.mapped) = (day, 1) } }
        let values = rows.map { row in
            """
            (attribution.answer_table('install', 'campaign'), \(row.line), '\(row.day)', \(row.window), \(row.didWin),
             '\(row.currency)', \(row.postbacks), \(row.redownloads), \(row.reengagements), \(row.mapped + row.ambiguous), 0, \(row.withheld), 0,
             \(row.mapped), 0, \(row.ambiguous), 0, 0, 0, 0, \(row.low) * 1000000, \(row.middle) * 1000000,
             \(row.high) * 1000000, \(row.open), \(row.unknown), \(row.square))
            """
        }
        try await database.run(
            """
            \(lines);
            INSERT INTO attribution.answer_daily (
                answer_table, line, day, sequence_index, did_win, currency, postbacks, redownloads, reengagements, fine,
                coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3, revenue_low,
                revenue_middle, revenue_high, revenue_open, revenue_unknown, revenue_square)
            VALUES \(values.joined(separator: ", "));
            \(sumsByTwoDigits)
            """)
    }
}
